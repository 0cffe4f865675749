// Package word names the sized integers that an int and a uint are on the system
// that a program is built for.
package word

import "unsafe"

// A port that the build constraints of the other files put in the wrong one does
// not compile.
var _ [unsafe.Sizeof(int(0))]byte = [unsafe.Sizeof(Int(0))]byte{}
