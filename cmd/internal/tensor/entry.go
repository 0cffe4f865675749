package tensor

// An Entry is a tensor that a file holds, of any type.
type Entry struct {
	Name  string
	DType string // as the file tells it, if it is not one of [DTypes]
	Dims  []int
	Err   error                  // why it cannot be read as far as this; nil if it can
	Load  func() (Tensor, error) // the tensor itself, or an error that says what is summed
}
