package reducesum

import "testing"

// TestStacksMove calls every implementation at every depth of new goroutines'
// small stacks, with arguments, source and result on them: where a kernel asks
// for more stack, all of these move.
func TestStacksMove(t *testing.T) {
	const n = 40
	eachImplementation(t, func(t *testing.T) {
		whole, err := NewPlan([]int{n}, Op{})
		if err != nil {
			t.Fatal(err)
		}
		rows, err := NewPlan([]int{n / 4, 4}, Op{Axes: []int{1}})
		if err != nil {
			t.Fatal(err)
		}
		columns, err := NewPlan([]int{n / 4, 4}, Op{Axes: []int{0}})
		if err != nil {
			t.Fatal(err)
		}
		sums := func() bool {
			var src [n]float32
			var one [1]float32
			var ten [n / 4]float32
			var four [4]float32
			for i := range src {
				src[i] = float32(i)
			}
			failed := Run(whole, one[:], src[:]) != nil || Run(rows, ten[:], src[:]) != nil || Run(columns, four[:], src[:]) != nil
			return !failed && Sum(src[:]) == 780 && one[0] == 780 && ten[9] == 36+37+38+39 && four[3] == 210
		}
		for depth := range 300 {
			done := make(chan bool)
			go func() { done <- atDepth(depth, sums) }()
			if !<-done {
				t.Fatalf("wrong sums at depth %d", depth)
			}
		}
	})
}

// atDepth calls f some dozens of bytes further down the stack for each level.
//
//go:noinline
func atDepth(depth int, f func() bool) bool {
	if depth == 0 {
		return f()
	}
	return atDepth(depth-1, f)
}
