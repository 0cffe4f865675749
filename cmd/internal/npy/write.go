package npy

import (
	"bytes"
	"fmt"
	"io"

	"github.com/reducesum/reducesum/cmd/internal/tensor"
)

// Write writes a row-major tensor, little endian, in format version 1.0.
func Write(w io.Writer, t tensor.Tensor) error {
	descr := ""
	for _, d := range dtypes {
		if d.name == t.DType() {
			descr = d.descrs[0]
		}
	}
	if descr == "" {
		return fmt.Errorf(".npy has no type %s, .safetensors has: give -o such a name", t.DType())
	}
	text := fmt.Sprintf("{'descr': '<%s', 'fortran_order': False, 'shape': %s, }", descr, tensor.ShapeString(t.Shape()))
	// The data begins at a multiple of 64 bytes, and a newline comes before it.
	const preamble, align, most = 10, 64, 1<<16 - 1
	pad := align - 1 - (preamble+len(text))%align
	length := len(text) + pad + 1
	if length > most {
		return fmt.Errorf("a shape of %d dimensions does not fit a .npy header", len(t.Shape()))
	}
	head := append([]byte(Magic+"\x01\x00"), byte(length), byte(length>>8))
	head = append(head, text...)
	head = append(head, bytes.Repeat([]byte(" "), pad)...)
	head = append(head, '\n')
	if _, err := w.Write(head); err != nil {
		return err
	}
	return t.Write(w)
}
