package reducesum

import (
	"unsafe"

	"github.com/reducesum/reducesum/kernels"
)

func packElements(isa kernels.ISA, t kernels.Type, a packArgs) {
	for o := range a.Outer {
		for r := range a.Rows {
			d := unsafe.Add(a.Dst, o*a.DstOuter+r*a.DstRow)
			s := unsafe.Add(a.Src, o*a.SrcOuter+r*a.SrcRow)
			for c := range a.Cols {
				switch t.Size() {
				case 2:
					*(*uint16)(unsafe.Add(d, c*a.DstCol)) = *(*uint16)(unsafe.Add(s, c*a.SrcCol))
				case 4:
					*(*uint32)(unsafe.Add(d, c*a.DstCol)) = *(*uint32)(unsafe.Add(s, c*a.SrcCol))
				default:
					*(*uint64)(unsafe.Add(d, c*a.DstCol)) = *(*uint64)(unsafe.Add(s, c*a.SrcCol))
				}
			}
		}
	}
}

type packArgs struct {
	Dst, Src                                              unsafe.Pointer
	Outer, Rows, Cols                                     int
	SrcOuter, SrcRow, SrcCol, DstOuter, DstRow, DstCol    int
}
