package reducesum

import "errors"

// What is wrong with an argument: errors wrap one of these, and name the value.
var (
	// ErrAxis: an axis outside [-rank, rank), from NewPlan.
	ErrAxis = errors.New("reducesum: axis out of range")
	// ErrShape: a negative dimension or too many elements, from NewPlan, ReduceSum and SumBlocks.
	ErrShape = errors.New("reducesum: bad shape")
	// ErrStride: strides that are negative, too many, too few or too large, from NewPlan.
	ErrStride = errors.New("reducesum: bad strides")
	// ErrLength: a slice that does not fit the shape, from Run, ReduceSum and SumBlocks.
	ErrLength = errors.New("reducesum: wrong length")
	// ErrOverlap: dst and src share memory, from Run and SumBlocks.
	ErrOverlap = errors.New("reducesum: dst overlaps src")
	// ErrWorkers: a negative number of workers, from NewPlan.
	ErrWorkers = errors.New("reducesum: bad number of workers")
	// ErrPool: a nil pool or one without workers, from NewPlan.
	ErrPool = errors.New("reducesum: bad pool")
	// ErrImplementation: one that this CPU cannot run or REDUCESUM_ISA rules out, from NewPlan.
	ErrImplementation = errors.New("reducesum: implementation not available")
	// ErrPlan: a plan that NewPlan did not make, from Run.
	ErrPlan = errors.New("reducesum: bad plan")
	// ErrONNX: what an opset does not allow, from ONNXNode.Op.
	ErrONNX = errors.New("reducesum: not allowed by the ONNX opset")
)
