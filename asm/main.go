// Command asm generates the kernels of package reducesum: the assembly of each
// architecture, its Go declarations, and the dispatcher that jumps to it. It
// is run at the root of the project:
//
//	go run ./asm
//
// Each algorithm is written once, in a file named like its operation, against
// a [Machine]; there is one machine per instruction set. What is generated is
// decided by the table of package kernels.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	dir := flag.String("C", ".", "the root of the project")
	flag.Parse()
	if err := generate(*dir); err != nil {
		fmt.Fprintln(os.Stderr, "asm:", err)
		os.Exit(1)
	}
}

func generate(dir string) error {
	files, err := outputs()
	if err != nil {
		return err
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
