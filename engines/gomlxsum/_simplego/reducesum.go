package simplego

// ReduceSum by package reducesum: all that GoMLX's Go backend needs to use it.

import (
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/pkg/core/dtypes/bfloat16"
	"github.com/reducesum/reducesum"
)

func init() {
	setNodeExecutor(backends.OpTypeReduceSum, priorityUser, execReduceSum)
}

// execReduceSum sums as execReduce does, to which it leaves the types that
// package reducesum has no kernels for: integers of 8 and 16 bits.
func execReduceSum(backend *Backend, node *Node, inputs []*Buffer, inputsOwned []bool) (*Buffer, error) {
	axes := node.data.([]int)
	src := reduceSumView(inputs[0].flat)
	if _, err := reducesum.DTypeOf(reflect.TypeOf(src).Elem()); err != nil || len(axes) == 0 { // no axes: a scalar, which stays as it is
		return execReduce(backend, node, inputs, inputsOwned)
	}
	plan, err := reducesum.NewPlan(inputs[0].shape.Dimensions, reducesum.Op{Axes: axes},
		reducesum.WithPool(reduceSumPool{&backend.workers}))
	if err != nil {
		return nil, err
	}
	output := backend.getBufferForShape(node.shape)
	if err := reducesum.RunAny(plan, reduceSumView(output.flat), src); err != nil {
		backend.putBuffer(output)
		return nil, err
	}
	return output, nil
}

// reduceSumView returns the elements of a buffer as package reducesum knows them:
// bfloat16 is a type of its own in either project.
func reduceSumView(flat any) any {
	if x, ok := flat.([]bfloat16.BFloat16); ok {
		return reducesum.AsBFloat16(x)
	}
	return flat
}

// reduceSumPool is the backend's pool of workers as a reducesum.Pool.
type reduceSumPool struct{ workers *workersPool }

// Workers returns the number of tasks that are worth running at the same time.
func (p reduceSumPool) Workers() int {
	if p.workers.IsUnlimited() {
		return runtime.GOMAXPROCS(0)
	}
	return max(1, p.workers.MaxParallelism())
}

// Do runs tasks on this goroutine, and on as many workers as are free now, for
// the caller is itself a worker and must not wait for others to start.
func (p reduceSumPool) Do(n int, task func(i int)) {
	var next atomic.Int64
	run := func() {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			task(i)
		}
	}
	var wg sync.WaitGroup
	for range min(n, p.Workers()) - 1 {
		wg.Add(1)
		if !p.workers.StartIfAvailable(func() { defer wg.Done(); run() }) {
			wg.Done()
			break
		}
	}
	run()
	p.workers.WorkerIsAsleep()
	wg.Wait()
	p.workers.WorkerRestarted()
}
