package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/reducesum/reducesum/cmd/internal/tensor"
)

// Magic is what a .npy file begins with.
const Magic = "\x93NUMPY"

// maxHeader is far more than arrays of numbers need; NumPy itself reads headers
// of up to 10000 bytes. It keeps a damaged file from claiming gigabytes.
const maxHeader = 1 << 20

// A Header describes the data that follows it.
type Header struct {
	tensor.Layout       // its DType is what the file says, if it is not one that is summed
	Unsupported   error // why the data cannot be summed; nil if it can
	Size          int   // bytes, of the header itself
	n             int   // elements
}

// ReadHeader reads what precedes the data.
func ReadHeader(r io.Reader) (Header, error) {
	text, size, err := headerText(r)
	if err != nil {
		return Header{}, err
	}
	h, err := parseHeader(text)
	if err != nil {
		return Header{}, fmt.Errorf("the header %.200q is not what NumPy writes: %w", strings.TrimRight(text, whiteSpace), err)
	}
	h.Size = size
	h.n, err = tensor.Elements(h.Dims)
	return h, err
}

// headerText returns the Python dictionary of the header, and the number of
// bytes read. The versions differ in the width of the length and in the encoding.
func headerText(r io.Reader) (text string, size int, err error) {
	var begin [8]byte
	n, err := io.ReadFull(r, begin[:])
	if got := string(begin[:min(n, len(Magic))]); got == "" || !strings.HasPrefix(Magic, got) {
		if err != nil && !isEnd(err) {
			return "", 0, err
		}
		return "", 0, errors.New("not a .npy file: it does not begin with \\x93NUMPY")
	}
	if err != nil {
		return "", 0, cutShort(err)
	}
	var length [4]byte
	width := 4
	switch begin[6] {
	case 1:
		width = 2
	case 2, 3:
	default:
		return "", 0, fmt.Errorf(".npy format version %d.%d is not known (1, 2 and 3 are)", begin[6], begin[7])
	}
	if _, err := io.ReadFull(r, length[:width]); err != nil {
		return "", 0, cutShort(err)
	}
	claimed := int64(binary.LittleEndian.Uint32(length[:]))
	if claimed > maxHeader {
		return "", 0, fmt.Errorf("the header claims %d bytes, more than any array of numbers needs", claimed)
	}
	var b bytes.Buffer // which grows with what there is
	if _, err := io.CopyN(&b, r, claimed); err != nil {
		return "", 0, cutShort(err)
	}
	size = len(begin) + width + b.Len()
	if begin[6] < 3 {
		return latin1(b.Bytes()), size, nil
	}
	if !utf8.Valid(b.Bytes()) {
		return "", 0, errors.New("the header is not UTF-8, which version 3 asks for")
	}
	return b.String(), size, nil
}

func isEnd(err error) bool { return err == io.EOF || err == io.ErrUnexpectedEOF }

// cutShort turns the end of the file into a message of its own.
func cutShort(err error) error {
	if isEnd(err) {
		return errors.New("the header is cut short")
	}
	return err
}

func latin1(b []byte) string {
	var s strings.Builder
	for _, c := range b {
		s.WriteRune(rune(c))
	}
	return s.String()
}

// parseHeader reads the dictionary.
func parseHeader(text string) (Header, error) {
	v, err := parseLiteral(text)
	if err != nil {
		return Header{}, err
	}
	d, ok := v.(dict)
	if !ok {
		return Header{}, errors.New("it is no dict")
	}
	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if _, ok := d[key]; !ok {
			return Header{}, fmt.Errorf("it has no key %s", key)
		}
	}
	if len(d) != 3 {
		return Header{}, fmt.Errorf("it has %d keys, not descr, fortran_order and shape", len(d))
	}
	var h Header
	if h.Fortran, ok = d["fortran_order"].(bool); !ok {
		return h, errors.New("fortran_order is neither True nor False")
	}
	shape, ok := d["shape"].(tuple)
	if !ok {
		return h, errors.New("shape is no tuple")
	}
	h.Dims = make([]int, len(shape))
	for i, v := range shape {
		size, ok := v.(number)
		if !ok {
			return h, errors.New("shape is not of integers")
		}
		if h.Dims[i], err = size.int(); err != nil {
			return h, fmt.Errorf("in shape, %w", err)
		}
	}
	h.DType, h.Order, h.Unsupported = dtypeOf(d["descr"])
	return h, nil
}
