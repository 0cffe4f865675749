// Command gen writes the loops of package limit for amd64 and arm64. Run it
// through go generate in that package; its test fails when the checked-in files
// are not what it writes.
package main

import (
	"fmt"
	"os"
)

func main() {
	if err := run(".."); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// run writes the generated files into dir.
func run(dir string) error {
	files, err := generate()
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(dir+"/"+name, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
