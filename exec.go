package reducesum

import (
	"unsafe"

	"github.com/x448/float16"

	"github.com/reducesum/reducesum/kernels"
)

func sumSlice(isa kernels.ISA, t kernels.Type, dst, src unsafe.Pointer, n int) {
	sumBlocks(isa, t, dst, src, 1, n, 1)
}

func sumBlocks(isa kernels.ISA, t kernels.Type, dst, src unsafe.Pointer, outer, reduce, inner int) {
	p := &Plan{dstLen: outer * inner, dims: []dim{{outer, reduce * inner, false}, {reduce, inner, true}, {inner, 1, false}}}
	p.run(t, dst, src)
}

func (p *Plan) run(t kernels.Type, dst, src unsafe.Pointer) {
	for _, d := range p.dims {
		if d.size == 0 {
			clear(unsafe.Slice((*byte)(dst), p.dstLen*t.Size()))
			return
		}
	}
	switch t {
	case kernels.F32:
		d := unsafe.Slice((*float32)(dst), p.dstLen)
		naive(p.dims, func(o int, x []float32) []float32 { return append(x, *(*float32)(unsafe.Add(src, 4*o))) }, func(i int, v float32) { d[i] = v })
	case kernels.F64:
		d := unsafe.Slice((*float64)(dst), p.dstLen)
		naive(p.dims, func(o int, x []float64) []float64 { return append(x, *(*float64)(unsafe.Add(src, 8*o))) }, func(i int, v float64) { d[i] = v })
	case kernels.I32:
		d := unsafe.Slice((*int32)(dst), p.dstLen)
		naive(p.dims, func(o int, x []int32) []int32 { return append(x, *(*int32)(unsafe.Add(src, 4*o))) }, func(i int, v int32) { d[i] = v })
	case kernels.I64:
		d := unsafe.Slice((*int64)(dst), p.dstLen)
		naive(p.dims, func(o int, x []int64) []int64 { return append(x, *(*int64)(unsafe.Add(src, 8*o))) }, func(i int, v int64) { d[i] = v })
	case kernels.F16:
		d := unsafe.Slice((*Float16)(dst), p.dstLen)
		naive(p.dims, func(o int, x []float32) []float32 { return append(x, (*(*Float16)(unsafe.Add(src, 2*o))).Float32()) }, func(i int, v float32) { d[i] = f16(v) })
	case kernels.BF16:
		d := unsafe.Slice((*BFloat16)(dst), p.dstLen)
		naive(p.dims, func(o int, x []float32) []float32 { return append(x, (*(*BFloat16)(unsafe.Add(src, 2*o))).Float32()) }, func(i int, v float32) { d[i] = BFloat16FromFloat32(v) })
	}
}

func naive[A accumulator](dims []dim, load func(int, []A) []A, store func(int, A)) {
	var kept, red []dim
	for _, d := range dims {
		if d.reduced {
			red = append(red, d)
		} else {
			kept = append(kept, d)
		}
	}
	i := 0
	var sum func(ds []dim, off int) A
	sum = func(ds []dim, off int) A { // innermost group first
		// ds: all reduced dims with their position
		return 0
	}
	_ = sum
	var each func(ds []dim, off int, f func(off int))
	each = func(ds []dim, off int, f func(int)) {
		if len(ds) == 0 {
			f(off)
			return
		}
		for j := range ds[0].size {
			each(ds[1:], off+j*ds[0].stride, f)
		}
	}
	// groups of neighbouring reduced dims, outermost first
	var groups [][]dim
	last := false
	for _, d := range dims {
		if d.reduced {
			if last {
				groups[len(groups)-1] = append(groups[len(groups)-1], d)
			} else {
				groups = append(groups, []dim{d})
			}
		}
		last = d.reduced
	}
	var group func(g int, off int) A
	group = func(g int, off int) A {
		var x []A
		each(groups[g], off, func(o int) {
			if g == len(groups)-1 {
				x = load(o, x)
			} else {
				x = append(x, group(g+1, o))
			}
		})
		return sequenceSum(x)
	}
	each(kept, 0, func(o int) {
		if len(groups) == 0 {
			store(i, load(o, nil)[0])
		} else {
			store(i, group(0, o))
		}
		i++
	})
}

func f16(v float32) Float16 { return float16.Fromfloat32(v) }
