package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/reducesum/reducesum/engines/gomlxsum"
)

const probePackage = "github.com/reducesum/reducesum/engines/compare/gomlxprobe"

// newGomlx builds two programs, GoMLX as it is and GoMLX with reducesum, and
// starts them. Both wait until they are asked to run a case.
func newGomlx(workers int) (*engine, error) {
	dir, err := os.MkdirTemp("", "compare")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) // programs that run need no file
	flags, err := gomlxsum.Flags(filepath.Join(dir, "with"))
	if err != nil {
		return nil, err
	}
	stock, ours := filepath.Join(dir, "stock"), filepath.Join(dir, "ours")
	if err := errors.Join(build(stock, nil), build(ours, flags)); err != nil {
		return nil, err
	}
	var runners []runner
	for _, c := range []struct {
		path    string
		workers int
	}{{stock, workers}, {ours, 1}, {ours, workers}} {
		p, err := start(c.path, c.workers)
		if err != nil {
			return nil, err
		}
		runners = append(runners, p)
	}
	return newEngine("GoMLX, simplego", runners[0], runners[1], runners[2]), nil
}

func build(path string, flags []string) error {
	args := append([]string{"build", "-o", path}, flags...)
	out, err := exec.Command("go", append(args, probePackage)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("go build %s: %w\n%s", probePackage, err, out)
	}
	return nil
}

// process is a gomlxprobe that runs.
type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func start(path string, workers int) (*process, error) {
	cmd := exec.Command(path, fmt.Sprintf("-workers=%d", workers))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &process{cmd, in, bufio.NewScanner(out)}, cmd.Start()
}

func (p *process) run(i int) (time.Duration, bool, error) {
	if _, err := fmt.Fprintln(p.in, i); err != nil {
		return 0, false, err
	}
	for p.out.Scan() {
		if !strings.HasPrefix(p.out.Text(), "sample ") {
			continue // the backend says how it is configured
		}
		var d time.Duration
		var right bool
		_, err := fmt.Sscanf(p.out.Text(), "sample %d %t", &d, &right)
		return d, right, err
	}
	return 0, false, errors.Join(errors.New("gomlxprobe has ended"), p.out.Err())
}

func (p *process) close() error { return errors.Join(p.in.Close(), p.cmd.Wait()) }
