package tensor

import (
	"fmt"
	"io"
	"math"
	"math/bits"
	"unsafe"

	"github.com/pbnjay/memory"

	"github.com/reducesum/reducesum"
	"github.com/reducesum/reducesum/cmd/internal/mapped"
)

// The Go runtime ends the process when it gets no memory, and nothing can
// recover from that. The result of a tensor without elements may be of any
// size, so it is asked beforehand whether there is that much: no more than the
// machine has, nor than the system would give this process, whose limits a
// mapping meets that is made and taken away at once, untouched.

// CheckMemory returns an error if there is no memory for n elements of some size.
func CheckMemory(n, size int) error {
	if n == 0 || size == 0 {
		return nil
	}
	hi, lo := bits.Mul64(uint64(n), uint64(size))
	if hi > 0 || lo > math.MaxInt64 {
		return fmt.Errorf("%d elements of %d bytes are more than any memory holds", n, size)
	}
	if total := memory.TotalMemory(); total > 0 && lo > total {
		return fmt.Errorf("%d bytes are more than the %d bytes of memory that this machine has", lo, total)
	}
	if lo > math.MaxInt {
		return fmt.Errorf("%d bytes are more than this process can address", lo)
	}
	if err := mapped.Memory(int(lo)); err != nil {
		return fmt.Errorf("the system has no %d bytes of memory: %w", lo, err)
	}
	return nil
}

// allocate returns the n elements of a result.
func allocate[T reducesum.Element](n int, shape []int) ([]T, error) {
	var zero T
	if err := CheckMemory(n, int(unsafe.Sizeof(zero))); err != nil {
		return nil, fmt.Errorf("the result of shape %s and type %s does not fit into memory: %w", ShapeString(shape), Name[T](), err)
	}
	return make([]T, n), nil
}

// ReadUpTo reads some bytes, or all there are if that is less. Memory grows with
// what is there, not with what is asked for, and is aligned for any element.
func ReadUpTo(r io.Reader, most int) ([]byte, error) {
	const first = 256 << 10
	data := aligned(min(first, most))
	for got := 0; ; {
		n, err := io.ReadFull(r, data[got:])
		got += n
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return data[:got], nil
		}
		if err != nil || got == most {
			return data, err
		}
		size := most
		if got < most/2 {
			size = 2 * got
		}
		if err := CheckMemory(size, 1); err != nil {
			return nil, fmt.Errorf("what is read does not fit into memory: %w", err)
		}
		data = append(aligned(size)[:0], data...)[:size]
	}
}

// aligned returns memory that is aligned for any element type.
func aligned(n int) []byte {
	words := make([]uint64, (n+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(words)*8)[:n]
}
