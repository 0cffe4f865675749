package tensor
import ("testing";"encoding/binary";"github.com/reducesum/reducesum")
func bench[T reducesum.Element](b *testing.B, fortran bool, op reducesum.Op, shape ...int) {
	size := Size(Name[T]())
	buf := make([]byte, product(shape)*size)
	x, _ := Layout{DType: Name[T](), Dims: shape, Fortran: fortran, Order: binary.BigEndian}.Tensor(buf)
	b.SetBytes(int64(len(buf)))
	for b.Loop() { x.ReduceSum(op, nil) }
}
func BenchmarkF32(b *testing.B) { bench[float32](b, false, reducesum.Op{}, 1<<24) }
func BenchmarkF64(b *testing.B) { bench[float64](b, false, reducesum.Op{}, 1<<23) }
func BenchmarkF16(b *testing.B) { bench[reducesum.Float16](b, false, reducesum.Op{}, 1<<25) }
func BenchmarkBF16(b *testing.B) { bench[reducesum.BFloat16](b, false, reducesum.Op{}, 1<<25) }
func BenchmarkF32a1(b *testing.B) { bench[float32](b, false, reducesum.Op{Axes:[]int{1}}, 1<<12, 1<<12) }
func BenchmarkF32a0(b *testing.B) { bench[float32](b, false, reducesum.Op{Axes:[]int{0}}, 1<<12, 1<<12) }
func BenchmarkF32a1Fortran(b *testing.B) { bench[float32](b, true, reducesum.Op{Axes:[]int{1}}, 1<<12, 1<<12) }
func BenchmarkF32a0Fortran(b *testing.B) { bench[float32](b, true, reducesum.Op{Axes:[]int{0}}, 1<<12, 1<<12) }
func BenchmarkF32Fortran(b *testing.B) { bench[float32](b, true, reducesum.Op{}, 1<<12, 1<<12) }
func BenchmarkF32small(b *testing.B) { bench[float32](b, false, reducesum.Op{Axes:[]int{1}}, 1<<22, 2, 2) }
func BenchmarkF32small2(b *testing.B) { bench[float32](b, false, reducesum.Op{Axes:[]int{0,2}}, 1<<22, 2, 2) }
