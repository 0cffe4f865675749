// Package engines_test tests what README.md says.
package engines_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The Go code in README.md is code that is tested: each block stands in one of
// the module's files.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	sources, err := goFiles()
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(readme), "```go\n")[1:]
	for _, b := range blocks {
		block, _, closed := strings.Cut(b, "```")
		if !closed || !within(block, sources) {
			t.Errorf("no file has\n%s", block)
		}
	}
	if len(blocks) < 3 {
		t.Errorf("%d blocks of Go code, want one for each engine at least", len(blocks))
	}
}

func within(block string, sources []string) bool {
	for _, s := range sources {
		if strings.Contains(s, block) {
			return true
		}
	}
	return false
}

func goFiles() ([]string, error) {
	var files []string
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		data, err := os.ReadFile(path)
		files = append(files, string(data))
		return err
	})
	return files, err
}

// Every relative link of README.md leads somewhere.
func TestLinks(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	links := strings.Split(string(readme), "](")[1:]
	for _, l := range links {
		target, _, _ := strings.Cut(l, ")")
		if strings.Contains(target, "://") {
			continue
		}
		if _, err := os.Stat(target); err != nil {
			t.Error(err)
		}
	}
	if len(links) == 0 {
		t.Error("README.md has no links")
	}
}
