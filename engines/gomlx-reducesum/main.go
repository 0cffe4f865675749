// Command gomlx-reducesum lets a program that uses GoMLX's backend in pure Go
// sum with reducesum. In the program's module:
//
//	go get -tool github.com/reducesum/reducesum/engines/gomlx-reducesum
//	go build $(go tool gomlx-reducesum) .
//
// It prints flags for go build, run and test. They name files that it writes to
// the directory that its argument names, or else to one in the user's cache.
package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/reducesum/reducesum/engines/gomlxsum"
)

func main() {
	if len(os.Args) > 2 {
		fmt.Fprintln(os.Stderr, "usage: gomlx-reducesum [DIR]")
		os.Exit(2)
	}
	flags, err := flags(os.Args[1:])
	text := strings.Join(flags, " ")
	if err == nil && len(strings.Fields(text)) != len(flags) {
		err = fmt.Errorf("gomlx-reducesum: the shell would cut %q at a space; name another directory", text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(text)
}

func flags(args []string) ([]string, error) {
	if len(args) > 0 {
		return gomlxsum.Flags(args[0])
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	// One directory for each module, so that two do not get in each other's way.
	name := fmt.Sprintf("%x", sha256.Sum256([]byte(here)))[:16]
	return gomlxsum.Flags(filepath.Join(cache, "gomlx-reducesum", name))
}
