package reducesum

import (
	"math/bits"
	"testing"

	"github.com/reducesum/reducesum/kernels"
)

// TestPrograms checks that the program for every number of rows, joined or not, fits
// into its memory and its slots, reads each row once, and merges all sums into one.
func TestPrograms(t *testing.T) {
	var nodes [maxNodes]kernels.ColsNode
	for lanes := kernels.F32.Lanes(); lanes >= 1; lanes /= 2 {
		for reduce := 1; reduce <= kernels.Rows*lanes; reduce++ {
			tree := rowTree{reduce: reduce, row: 1, slot: 1, nodes: nodes[:]}
			seen, depth := make([]bool, reduce), 0
			for _, n := range tree.make(lanes) {
				leaves := kernels.Trees[n.Tree]
				for i := range bits.Len8(leaves) {
					row := n.Src + leafOffset(&n, i)
					if leaves>>i&1 == 0 {
						continue
					}
					if row >= reduce || seen[row] {
						t.Fatalf("%d rows, %d lanes: row %d is read twice, or is none", reduce, lanes, row)
					}
					seen[row] = true
				}
				if n.Left != depth-1 || n.To != depth-n.Lefts || n.Lefts < 0 || n.To < 0 || n.To >= treeSlots {
					t.Fatalf("%d rows, %d lanes: %+v where %d sums wait", reduce, lanes, n, depth)
				}
				depth = n.To + 1
			}
			for row, ok := range seen {
				if !ok {
					t.Fatalf("%d rows, %d lanes: row %d is missing", reduce, lanes, row)
				}
			}
			if depth != 1 {
				t.Fatalf("%d rows, %d lanes: %d sums are left", reduce, lanes, depth)
			}
		}
	}
}
