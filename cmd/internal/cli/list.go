package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/reducesum/reducesum/cmd/internal/input"
	"github.com/reducesum/reducesum/cmd/internal/tensor"
)

const listUsage = `usage: reducesum list FILE

Shows the name, the dtype and the shape of each array in a .npy, .npz or
.safetensors file, or in standard input if FILE is -. The array of a .npy file
has no name.
`

func runList(c *call) error {
	args, err := c.parse()
	if err != nil {
		return err
	}
	if len(args) != 1 {
		return usagef("one file is expected, not %d: %q", len(args), args)
	}
	s := source{path: args[0]}
	entries, err := s.entries()
	if err != nil {
		return fmt.Errorf("%s: %w", s.name(), err)
	}
	w := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
	for _, e := range entries {
		name := printable(e.Name)
		if name == "" {
			name = "-"
		}
		if e.Err != nil {
			fmt.Fprintf(w, "%s\t(%s)\n", name, oneLine(e.Err))
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", name, e.DType, tensor.ShapeString(e.Dims))
	}
	return w.Flush()
}

// entries returns the arrays of the file, which is closed again.
func (s *source) entries() (entries []tensor.Entry, err error) {
	in, err := input.Open(s.path)
	if err != nil {
		return nil, cause(err)
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	err = in.Guard(func() error {
		entries, err = in.Entries()
		return err
	})
	return entries, err
}

// printable returns a name that may come from anywhere, quoted if it would not
// stand on one line as it is.
func printable(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return strconv.Quote(name)
	}
	return name
}

// cause returns what is wrong with a file, without the file's name.
func cause(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
