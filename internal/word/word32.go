//go:build 386 || arm || mips || mipsle

package word

// Int and Uint have the layout of int and uint.
type (
	Int  = int32
	Uint = uint32
)
