package main

import (
	"bytes"
	"os"
	"testing"
)

// TestGenerated checks that the checked-in files are what the generator writes.
func TestGenerated(t *testing.T) {
	files, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile("../" + name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is out of date: run go generate in bench/limit", name)
		}
	}
}
