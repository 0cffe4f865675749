//go:build !race

package reducesum

// The race detector allocates, so these tests do without it.

import (
	"fmt"
	"runtime"
	"runtime/metrics"
	"slices"
	"testing"
)

// TestNoAllocations checks that Sum, SumBlocks and Run with one worker allocate
// nothing, whatever the shape.
func TestNoAllocations(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		noAllocations[float32](t)
		noAllocations[float64](t)
		noAllocations[Float16](t)
		noAllocations[BFloat16](t)
		noAllocations[int32](t)
		noAllocations[int64](t)
		noAllocations[uint32](t)
		noAllocations[uint64](t)
	})
}

func noAllocations[T Element](t *testing.T) {
	typ := typeOf[T]()
	for _, n := range []int{0, 1, 7, typ.Block(), 3*typ.Block() + 1, 100 * typ.Block(), 1<<20 + typ.Block() + 1} {
		x := make([]T, n)
		var sum T
		allocatesNothing(t, fmt.Sprintf("Sum of %d %T", n, sum), func() { sum += Sum(x) })
	}
	for _, s := range shapesFor(typ) {
		if n := refProduct(s.shape); n > long(1<<22, 1<<17) {
			continue
		}
		x := make([]T, refProduct(s.shape))
		p, err := NewPlan(s.shape, over(s.axes...))
		if err != nil {
			t.Fatal(err)
		}
		dst := make([]T, p.Len())
		name := fmt.Sprintf("%T %s", dst, s.name)
		allocatesNothing(t, "Run: "+name, func() {
			if err := Run(p, dst, x); err != nil {
				t.Fatal(err)
			}
		})
		if len(s.axes) > 1 {
			continue
		}
		outer, reduce, inner := refProduct(s.shape[:s.axes[0]]), s.shape[s.axes[0]], refProduct(s.shape[s.axes[0]+1:])
		allocatesNothing(t, "SumBlocks: "+name, func() {
			if err := SumBlocks(dst, x, outer, reduce, inner); err != nil {
				t.Fatal(err)
			}
		})
	}
	for _, c := range largeViews {
		x := make([]T, c.reach())
		p, err := NewPlan(c.shape, c.op(), WithStrides(c.strides))
		if err != nil {
			t.Fatal(err)
		}
		dst := make([]T, p.Len())
		allocatesNothing(t, fmt.Sprintf("Run: %T %v", dst, c), func() {
			if err := Run(p, dst, x); err != nil {
				t.Fatal(err)
			}
		})
		if testing.Short() {
			break
		}
	}
}

func allocatesNothing(t *testing.T, name string, f func()) {
	t.Helper()
	// The runtime allocates now and then by itself: once without is proof enough.
	n := testing.AllocsPerRun(1, f)
	for try := 0; n != 0 && try < 4; try++ {
		n = testing.AllocsPerRun(1, f)
	}
	if n != 0 {
		t.Errorf("%s: %g allocations", name, n)
	}
}

// TestLocalArraysStayOnTheStack sums arrays that are local variables: were they
// to escape to the heap, each call would allocate.
func TestLocalArraysStayOnTheStack(t *testing.T) {
	var total float32
	for name, f := range map[string]func(){
		"Sum": func() {
			var x [1024]float32
			x[3] = 5
			total += Sum(x[:])
		},
		"SumBlocks": func() {
			var x [6000]float32
			var dst [3]float32
			x[3] = 5
			_ = SumBlocks(dst[:], x[:], 1, 2000, 3)
			total += dst[0]
		},
	} {
		allocatesNothing(t, name, f)
	}
	if total != 20 {
		t.Errorf("the sums add up to %g, want 20", total)
	}
}

// goroutinesCreated counts all goroutines since the program began.
func goroutinesCreated(t *testing.T) uint64 {
	sample := []metrics.Sample{{Name: "/sched/goroutines-created:goroutines"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		t.Skipf("this Go does not know %s", sample[0].Name)
	}
	return sample[0].Value.Uint64()
}

// TestNoGoroutines checks that one worker is the caller, and that two are not.
func TestNoGoroutines(t *testing.T) {
	x, dst := slices.Repeat([]float32{1}, 1<<20), make([]float32, 1)
	for _, workers := range []int{1, 2} {
		p, err := NewPlan([]int{1 << 20}, Op{}, WithWorkers(workers))
		if err != nil {
			t.Fatal(err)
		}
		runtime.GC() // which starts goroutines of its own
		const runs = 20
		before := goroutinesCreated(t)
		for range runs {
			if err := Run(p, dst, x); err != nil {
				t.Fatal(err)
			}
		}
		if n := goroutinesCreated(t) - before; workers == 1 && n >= runs || workers == 2 && n < runs {
			t.Errorf("%d workers: %d goroutines in %d runs", workers, n, runs)
		}
	}
}

// TestAllocationsBeyondTheSlots sums while all slots of scratch memory are taken.
func TestAllocationsBeyondTheSlots(t *testing.T) {
	for range freeSlots {
		defer giveScratch(takeScratch())
	}
	x, sums := make([]float32, 300*300), make([]float32, 300)
	if n := testing.AllocsPerRun(100, func() { _ = SumBlocks(sums, x, 1, 300, 300) }); n != 0 {
		t.Errorf("%v allocations a run", n)
	}
}

// TestAnyAllocatesNothing checks that RunAny and RunBytes allocate no more than Run:
// not for the interfaces either that a caller makes of its slices.
func TestAnyAllocatesNothing(t *testing.T) {
	p, err := NewPlan([]int{4, 5}, over(1))
	if err != nil {
		t.Fatal(err)
	}
	anyAllocatesNothing[float32](t, p)
	anyAllocatesNothing[float64](t, p)
	anyAllocatesNothing[Float16](t, p)
	anyAllocatesNothing[BFloat16](t, p)
	anyAllocatesNothing[int32](t, p)
	anyAllocatesNothing[int64](t, p)
	anyAllocatesNothing[uint32](t, p)
	anyAllocatesNothing[uint64](t, p)
	anyAllocatesNothing[int](t, p)
	anyAllocatesNothing[uint](t, p)
	anyAllocatesNothing[celsius](t, p)
}

func anyAllocatesNothing[T any](t *testing.T, p *Plan) {
	dst, src := make([]T, 4), make([]T, 20)
	var err error
	allocatesNothing(t, fmt.Sprintf("RunAny of %T", src), func() { err = RunAny(p, dst, src) })
	if err != nil {
		t.Fatal(err)
	}
	dtype, size := typeIn(src), typeIn(src).Size()
	sums, bytes := make([]byte, 4*size), make([]byte, 20*size)
	allocatesNothing(t, fmt.Sprintf("RunBytes of %v", dtype), func() { err = RunBytes(p, dtype, sums, bytes) })
	if err != nil {
		t.Fatal(err)
	}
}
