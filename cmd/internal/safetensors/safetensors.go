// Package safetensors reads and writes .safetensors files
// (https://github.com/huggingface/safetensors#format): the length of a header, 8
// bytes, little endian; the header, JSON; and the data of all tensors, row-major
// and little endian, one after the other.
package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/reducesum/reducesum/cmd/internal/tensor"
)

// maxHeader is the most that the format allows.
const maxHeader = 100_000_000

// dtypes maps the format's names of the element types that are summed.
var dtypes = map[string]string{
	"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16",
	"I64": "int64", "I32": "int32", "U64": "uint64", "U32": "uint32",
}

// widths are the bits of the format's other types.
var widths = map[string]int{
	"BOOL": 8, "U8": 8, "I8": 8, "F8_E5M2": 8, "F8_E4M3": 8, "F8_E8M0": 8,
	"U16": 16, "I16": 16, "C64": 64, "F4": 4, "F6_E2M3": 6, "F6_E3M2": 6,
}

// Looks tells whether a file that begins like this may be of the format.
func Looks(begin []byte) bool { return len(begin) > 8 && begin[8] == '{' }

// An info is what the header says of a tensor.
type info struct {
	name       string
	dtype      string
	shape      []int
	begin, end int // in the data
}

// Entries returns the tensors of a file, which must outlive them, in the order of
// their data.
func Entries(file []byte) ([]tensor.Entry, error) {
	if len(file) < 8 {
		return nil, errors.New("the file is cut short: it has no length of the header")
	}
	n := binary.LittleEndian.Uint64(file)
	if n > maxHeader {
		return nil, fmt.Errorf("the header claims %d bytes, more than the %d of the format", n, maxHeader)
	}
	if n > uint64(len(file)-8) {
		return nil, fmt.Errorf("the file is cut short: the header claims %d bytes, %d are there", n, len(file)-8)
	}
	infos, err := parseHeader(file[8 : 8+n])
	if err != nil {
		return nil, fmt.Errorf("the header is not that of a .safetensors file: %w", err)
	}
	data := file[8+n:]
	if err := checkOffsets(infos, len(data)); err != nil {
		return nil, err
	}
	entries := make([]tensor.Entry, len(infos))
	for i, t := range infos {
		entries[i] = t.entry(data)
	}
	return entries, nil
}

// entry describes a tensor, for which there is room in data.
func (t info) entry(data []byte) tensor.Entry {
	name, ok := dtypes[t.dtype]
	if !ok {
		return tensor.Entry{Name: t.name, DType: t.dtype, Dims: t.shape, Load: func() (tensor.Tensor, error) {
			return nil, fmt.Errorf("elements of type %s are not summed, those of %s are", t.dtype, strings.Join(tensor.DTypes(), ", "))
		}}
	}
	return tensor.Entry{Name: t.name, DType: name, Dims: t.shape, Load: func() (tensor.Tensor, error) {
		l := tensor.Layout{DType: name, Order: binary.LittleEndian, Dims: t.shape}
		return l.Tensor(data[t.begin:t.end])
	}}
}

// checkOffsets sorts tensors by where they lie, and tells whether these are the
// sizes of the shapes, fill the data without overlap or hole, and end with it.
func checkOffsets(infos []info, size int) error {
	slices.SortStableFunc(infos, func(a, b info) int {
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end))
	})
	end := 0
	for _, t := range infos {
		switch {
		case t.begin < end:
			return fmt.Errorf("tensor %q begins at byte %d of the data, where another one lies until %d", t.name, t.begin, end)
		case t.begin > end:
			return fmt.Errorf("no tensor has the bytes %d to %d of the data, before %q", end, t.begin, t.name)
		case t.end < t.begin:
			return fmt.Errorf("tensor %q ends at byte %d of the data, before it begins at %d", t.name, t.end, t.begin)
		case t.end > size:
			return fmt.Errorf("the file is cut short: tensor %q ends at byte %d of the data, there are %d", t.name, t.end, size)
		}
		if err := t.checkSize(); err != nil {
			return err
		}
		end = t.end
	}
	if end < size {
		return fmt.Errorf("no tensor has the last %d bytes of the data", size-end)
	}
	return nil
}

// checkSize tells whether a tensor has as many bytes as its shape needs. That of
// an unknown type is not known.
func (t info) checkSize() error {
	n, err := tensor.Elements(t.shape)
	if err != nil {
		return fmt.Errorf("tensor %q: %w", t.name, err)
	}
	width := widths[t.dtype]
	if name, ok := dtypes[t.dtype]; ok {
		width = 8 * tensor.Size(name)
	}
	hi, lo := bits.Mul64(uint64(n), uint64(width))
	if width > 0 && (hi > 0 || lo%8 > 0 || lo/8 != uint64(t.end-t.begin)) {
		return fmt.Errorf("tensor %q has %d bytes of data, shape %s of type %s does not",
			t.name, t.end-t.begin, tensor.ShapeString(t.shape), t.dtype)
	}
	return nil
}

// parseHeader reads the JSON. It goes through it token by token, because a name
// that occurs twice, which the format forbids, is no error to json.Unmarshal.
func parseHeader(text []byte) ([]info, error) {
	if len(text) == 0 || text[0] != '{' {
		return nil, errors.New("it does not begin with {")
	}
	if !utf8.Valid(text) {
		return nil, errors.New("it is not UTF-8")
	}
	p := parser{json.NewDecoder(bytes.NewReader(text))}
	p.UseNumber()
	var infos []info
	err := p.object("the header", func(name string) error {
		if name == "__metadata__" {
			return p.object(name, func(key string) error {
				_, err := p.text(key)
				return err
			})
		}
		t, err := p.info(name)
		infos = append(infos, t)
		return err
	})
	if err != nil {
		return nil, err
	}
	if rest := bytes.TrimLeft(text[p.InputOffset():], " \t\r\n"); len(rest) > 0 {
		return nil, fmt.Errorf("%.20q follows it", rest)
	}
	return infos, nil
}

type parser struct{ *json.Decoder }

// token returns the next token; the end is an error.
func (p parser) token() (json.Token, error) {
	t, err := p.Token()
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return t, err
}

func (p parser) delim(what string, want json.Delim) error {
	t, err := p.token()
	if err == nil && t != want {
		err = fmt.Errorf("%s is %.50q, %v is expected", what, fmt.Sprint(t), want)
	}
	return err
}

// object calls value for each name of an object, to read what belongs to it.
func (p parser) object(what string, value func(name string) error) error {
	if err := p.delim(what, '{'); err != nil {
		return err
	}
	seen := make(map[string]bool)
	for p.More() {
		t, err := p.token()
		if err != nil {
			return err
		}
		name, _ := t.(string) // which JSON asks for
		if seen[name] {
			return fmt.Errorf("%.100q occurs twice in %.100s", name, what)
		}
		seen[name] = true
		if err := value(name); err != nil {
			return err
		}
	}
	return p.delim(what, '}')
}

func (p parser) text(what string) (string, error) {
	t, err := p.token()
	if err != nil {
		return "", err
	}
	s, ok := t.(string)
	if !ok {
		return "", fmt.Errorf("%.100s is %.50q, not a string", what, fmt.Sprint(t))
	}
	return s, nil
}

// ints reads an array of sizes.
func (p parser) ints(what string) ([]int, error) {
	if err := p.delim(what, '['); err != nil {
		return nil, err
	}
	x := []int{}
	for p.More() {
		t, err := p.token()
		if err != nil {
			return nil, err
		}
		n, ok := t.(json.Number)
		v, err := strconv.ParseUint(string(n), 10, 64)
		if !ok || err != nil || v > math.MaxInt {
			return nil, fmt.Errorf("%s has %.50q, not a size", what, fmt.Sprint(t))
		}
		x = append(x, int(v))
	}
	return x, p.delim(what, ']')
}

// info reads what the header says of a tensor.
func (p parser) info(name string) (info, error) {
	t := info{name: name}
	what := fmt.Sprintf("tensor %.100q", name)
	keys := 0
	err := p.object(what, func(key string) error {
		var err error
		keys++
		switch key {
		case "dtype":
			t.dtype, err = p.text("dtype of " + what)
		case "shape":
			t.shape, err = p.ints("shape of " + what)
		case "data_offsets":
			var x []int
			x, err = p.ints("data_offsets of " + what)
			if err == nil && len(x) != 2 {
				err = fmt.Errorf("data_offsets of %s are %d numbers, not 2", what, len(x))
			}
			if err == nil {
				t.begin, t.end = x[0], x[1]
			}
		default:
			err = fmt.Errorf("%s has a key %.50q", what, key)
		}
		return err
	})
	if err == nil && keys != 3 { // none of them twice
		err = fmt.Errorf("%s has not all of dtype, shape and data_offsets", what)
	}
	return t, err
}

// Write writes a file of one row-major tensor.
func Write(w io.Writer, name string, t tensor.Tensor) error {
	dtype := ""
	for of, name := range dtypes {
		if name == t.DType() {
			dtype = of
		}
	}
	type object = map[string]any
	head, err := json.Marshal(object{name: object{
		"dtype":        dtype,
		"shape":        append([]int{}, t.Shape()...), // not null
		"data_offsets": [2]int{0, t.Len() * tensor.Size(t.DType())},
	}})
	if err != nil {
		return err
	}
	// The data begins at a multiple of 8 bytes; the header may end in spaces.
	head = append(head, bytes.Repeat([]byte(" "), -len(head)&7)...)
	if _, err := w.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(head)))); err != nil {
		return err
	}
	if _, err := w.Write(head); err != nil {
		return err
	}
	return t.Write(w)
}
