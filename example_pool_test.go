package reducesum_test

import (
	"fmt"
	"sync"

	"github.com/reducesum/reducesum"
)

// A pool has workers that wait for functions to run.
type pool struct {
	workers int
	work    chan func()
}

func newPool(workers int) *pool {
	p := &pool{workers, make(chan func())}
	for range workers {
		go func() {
			for f := range p.work {
				f()
			}
		}()
	}
	return p
}

func (p *pool) Workers() int { return p.workers }

func (p *pool) Do(n int, task func(i int)) {
	var wg sync.WaitGroup
	wg.Add(n)
	for i := range n {
		p.work <- func() {
			task(i)
			wg.Done()
		}
	}
	wg.Wait()
}

func ExampleWithPool() {
	engine := newPool(4)
	plan, err := reducesum.NewPlan([]int{1000, 1000}, reducesum.Op{Axes: []int{0}}, reducesum.WithPool(engine))
	if err != nil {
		fmt.Println(err)
		return
	}
	x := make([]int32, 1000*1000)
	x[5] = 42
	sums := make([]int32, plan.Len())
	err = reducesum.Run(plan, sums, x)
	fmt.Println(sums[5], err)
	// Output: 42 <nil>
}
