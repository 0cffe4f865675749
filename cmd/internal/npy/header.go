package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strings"

	"codeberg.org/sbinet/npyio/npy"

	"github.com/reducesum/reducesum/cmd/internal/tensor"
)

// maxHeader is more than any array of numbers needs: NumPy itself reads headers
// of up to 10000 bytes. It keeps a damaged file from claiming gigabytes.
const maxHeader = 1<<16 - 1

// A header describes the data that follows it.
type header struct {
	order   binary.ByteOrder
	kind    string // f2, f4, ...
	shape   []int
	fortran bool
	n       int // elements
	size    int // bytes, of the header itself
}

// readHeader reads what precedes the data.
func readHeader(r io.Reader) (header, error) {
	text, size, err := headerText(r)
	if err != nil {
		return header{}, err
	}
	raw, err := parse(text)
	if err != nil {
		return header{}, err
	}
	h := header{shape: raw.Descr.Shape, fortran: raw.Descr.Fortran, size: size}
	if h.order, h.kind, err = dtype(raw.Descr.Type); err != nil {
		return header{}, err
	}
	h.n, err = elements(h.shape)
	return h, err
}

// headerText returns the Python dictionary of the header, and the number of
// bytes read. The versions differ in the width of the length, and in the
// encoding of field names, of which plain arrays have none.
func headerText(r io.Reader) (text string, size int, err error) {
	var magic [8]byte
	n, err := io.ReadFull(r, magic[:])
	if got := min(n, len(npy.Magic)); got == 0 || !bytes.HasPrefix(npy.Magic[:], magic[:got]) {
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return "", 0, err
		}
		return "", 0, errors.New("not a .npy file: it does not begin with \\x93NUMPY")
	}
	if err != nil {
		return "", 0, truncated(err, "the header is cut short")
	}
	var length [4]byte
	width := 4
	switch magic[6] {
	case 1:
		width = 2
	case 2, 3:
	default:
		return "", 0, fmt.Errorf(".npy format version %d.%d is not known (1, 2 and 3 are)", magic[6], magic[7])
	}
	if _, err := io.ReadFull(r, length[:width]); err != nil {
		return "", 0, truncated(err, "the header is cut short")
	}
	claimed := binary.LittleEndian.Uint32(length[:])
	if claimed > maxHeader {
		return "", 0, fmt.Errorf("the header claims %d bytes, more than any array of numbers needs", claimed)
	}
	b := make([]byte, claimed)
	if _, err := io.ReadFull(r, b); err != nil {
		return "", 0, truncated(err, "the header is cut short")
	}
	return string(b), len(magic) + width + len(b), nil
}

// parse reads the dictionary with npyio. That knows versions 1 and 2 only,
// takes the end of the shape from a comma that other writers leave out, and
// panics on what it does not expect; hence the detour.
func parse(text string) (h npy.Header, err error) {
	defer func() {
		if recover() != nil {
			err = fmt.Errorf("the header %.200q is not what NumPy writes", text)
		}
	}()
	body, _, found := strings.Cut(text, "}")
	if !found {
		return h, fmt.Errorf("the header %.200q does not end in }", text)
	}
	body = strings.TrimRight(body, ", ") + ", }\n"
	v1 := slices.Concat(npy.Magic[:], []byte{1, 0}, binary.LittleEndian.AppendUint16(nil, uint16(len(body))), []byte(body))
	r, err := npy.NewReader(strings.NewReader(string(v1)))
	if err != nil {
		return h, fmt.Errorf("the header %.200q is not what NumPy writes: %w", text, err)
	}
	return r.Header, nil
}

// dtype splits a descriptor, as '<f4' in its quotes, into byte order and kind.
func dtype(descr string) (binary.ByteOrder, string, error) {
	name := strings.Trim(descr, `'"`)
	if len(name) == 3 {
		kind := name[1:]
		if _, ok := kinds[kind]; ok && name[0] == '<' {
			return binary.LittleEndian, kind, nil
		}
		if _, ok := kinds[kind]; ok && name[0] == '>' {
			return binary.BigEndian, kind, nil
		}
		if kind == "V2" {
			return nil, "", fmt.Errorf("dtype %.50q is of 2 opaque bytes: .npy has no bfloat16, store float32 or float16", name)
		}
	}
	return nil, "", fmt.Errorf("dtype %.50q is not one of f2 f4 f8 i4 i8 u4 u8, little (<) or big (>) endian", name)
}

// elements returns the number of elements of a shape.
func elements(shape []int) (int, error) {
	for _, d := range shape {
		if d < 0 {
			return 0, fmt.Errorf("the shape %s has a negative dimension", tensor.ShapeString(shape))
		}
	}
	if slices.Contains(shape, 0) {
		return 0, nil
	}
	n := uint(1)
	for _, d := range shape {
		hi, lo := bits.Mul(n, uint(d))
		if hi != 0 || lo > maxElements {
			return 0, fmt.Errorf("the shape %s has more elements than memory can hold", tensor.ShapeString(shape))
		}
		n = lo
	}
	return int(n), nil
}

// truncated turns the end of the file into a message of its own.
func truncated(err error, what string) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errors.New(what)
	}
	return err
}
