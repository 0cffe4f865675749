package reducesum

import "errors"

// What is wrong with an argument. The errors that functions return wrap one of
// these, and name the offending value.
var (
	ErrAxis           = errors.New("reducesum: axis out of range")
	ErrShape          = errors.New("reducesum: bad shape")
	ErrStride         = errors.New("reducesum: bad strides")
	ErrLength         = errors.New("reducesum: wrong length")
	ErrOverlap        = errors.New("reducesum: dst overlaps src")
	ErrWorkers        = errors.New("reducesum: bad number of workers")
	ErrPool           = errors.New("reducesum: bad pool")
	ErrImplementation = errors.New("reducesum: implementation not available")
	ErrPlan           = errors.New("reducesum: bad plan")
	ErrONNX           = errors.New("reducesum: not allowed by the ONNX opset")
)
