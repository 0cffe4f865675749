package cli

import (
	"errors"
	"flag"
	"strconv"
	"strings"
)

// parse reads the flags, which may come before, between and after the other
// arguments, and returns those. After -- there are no flags.
func (c *call) parse() ([]string, error) {
	var rest []string
	args := c.args
	for {
		if err := c.flags.Parse(args); errors.Is(err, flag.ErrHelp) {
			return nil, err
		} else if err != nil {
			return nil, usageError{err}
		}
		left := c.flags.Args()
		if len(left) == 0 {
			return rest, nil
		}
		if at := len(args) - len(left); at > 0 && args[at-1] == "--" {
			return append(rest, left...), nil
		}
		rest, args = append(rest, left[0]), left[1:]
	}
}

// axesFlag is a list of axes, as 0,-1; it may be empty.
type axesFlag []int

func (a *axesFlag) String() string {
	s := make([]string, len(*a))
	for i, axis := range *a {
		s[i] = strconv.Itoa(axis)
	}
	return strings.Join(s, ",")
}

func (a *axesFlag) Set(s string) error {
	*a = nil
	if strings.TrimSpace(s) == "" {
		return nil
	}
	for field := range strings.SplitSeq(s, ",") {
		axis, err := strconv.Atoi(strings.TrimSpace(field))
		if err != nil {
			return errors.New("axes are whole numbers with commas between them, as 0,-1")
		}
		*a = append(*a, axis)
	}
	return nil
}
