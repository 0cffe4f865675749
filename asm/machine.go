package main

import "github.com/reducesum/reducesum/kernels"

// A Vec is a vector register, a GP a general-purpose one, by number.
type (
	Vec int
	GP  int
)

// Frame stands, as a base, for the function's own memory on the stack, None
// for no register, Inside for an end of memory that is not reached.
const (
	Frame GP = -1 - iota
	None
	Inside
)

// noVec is no vector register.
const noVec Vec = -1

// An Addr is the address Base + Index + Off. Only addresses that a machine made
// itself, in its [Streams], and those for Lea and LoadLast have an Index.
type Addr struct {
	Base, Index GP
	Off         int
}

// At is the address off bytes behind base.
func At(base GP, off int) Addr { return Addr{base, None, off} }

// Plus is the address off bytes behind a.
func (a Addr) Plus(off int) Addr { a.Off += off; return a }

// A Cond is a comparison of signed 64-bit integers; Above compares addresses.
type Cond int

const (
	Less Cond = iota
	LessEqual
	Greater
	GreaterEqual
	Equal
	NotEqual
	Above
)

// A Partial is a vector of which only the first Count elements exist.
type Partial struct {
	Count GP  // 1 to the number of elements of a vector
	Keep  Vec // machines without masked loads: all ones in the lanes that exist
	Pad   Vec // floats: -0, at least in the lanes that do not exist
	Float bool
	Known []bool // the lanes that exist, where the generator knows them
}

// A Last is how the last vector of a row is loaded, of which only the first
// Count elements exist; the others become the identity.
type Last struct {
	Count GP
	Table GP  // machines without masked loads: where the tables for Count are
	Keep  Vec // machines without mask registers: all ones in the lanes that exist
	Pad   Vec // floats: -0, at least in the lanes that do not exist
}

// A Streams addresses the leaves of a tree of rows; see [kernels.ColsArgs].
type Streams struct {
	Levels int
	Ptrs   []GP // what advances
	Steps  []GP // what does not
	Leaf   func(i int) Addr
}

// A Machine emits the instructions of one instruction set. An element type t
// is widened to its accumulator when it is loaded; a vector holds
// VecBytes / t.Acc().Size() accumulators, and vector instructions work on
// accumulators. Registers come from Regs, and go back there.
type Machine interface {
	ISA() kernels.ISA
	VecBytes() int
	Regs() *Regs

	// Begin starts a function that takes a pointer to a struct of arguments,
	// and returns the register that holds it. Return returns to the caller, End
	// does so for the last time.
	Begin(name, args string) GP
	Return()
	End()
	// TailCall jumps to another function, which takes over the arguments.
	TailCall(name string)
	// Local reserves memory in the frame.
	Local(bytes int) Addr

	// General registers.
	LoadInt(dst GP, a Addr)
	StoreInt(a Addr, src GP)
	Move(dst, src GP)
	MoveInt(dst GP, n int)
	Lea(dst GP, a Addr)
	Add(dst, src GP)
	AddInt(dst GP, n int)
	AddMem(dst GP, a Addr)
	Sub(dst, src GP)
	Mul(dst, src GP)
	And(dst GP, n int)
	ShiftLeft(dst GP, n int)
	ShiftRight(dst GP, n int)
	Label(name string)
	Jump(label string)
	JumpIf(c Cond, a, b GP, label string)
	JumpIfInt(c Cond, a GP, n int, label string)
	JumpIfBit(a GP, bit int, label string)
	JumpIfNoBit(a GP, bit int, label string)

	// Whole vectors.
	Identity(t kernels.Type, dst Vec)
	Load(t kernels.Type, dst Vec, a Addr)
	LoadAdd(t kernels.Type, dst Vec, a Addr) // dst += load
	Store(a Addr, v Vec)
	Copy(dst, src Vec)
	AddVec(t kernels.Type, dst, a, b Vec)
	// LoadVecs, LoadAddVecs and StoreVecs do the same for neighbours in memory.
	LoadVecs(t kernels.Type, dst []Vec, a Addr)
	LoadAddVecs(t kernels.Type, dst []Vec, a Addr)
	StoreVecs(a Addr, vs []Vec)
	// StoreFirst stores the first accumulator.
	StoreFirst(t kernels.Type, a Addr, v Vec)
	// A machine may load neighbouring vectors in pairs, the even accumulators in
	// the one, the odd ones in the other. Untangle puts a pair in order.
	LoadsPairs(t kernels.Type) bool
	LoadPairs(t kernels.Type, dst []Vec, a Addr)
	LoadAddPairs(t kernels.Type, dst []Vec, a Addr)
	Untangle(t kernels.Type, a, b Vec)
	// Keep keeps in registers, until FreeKept, what loads of pairs need beside them.
	Keep(t kernels.Type)
	FreeKept()
	// Prefetch hints that the memory at a will be read, if it can be.
	Prefetch(a Addr)
	// RoundStore rounds a vector to elements of t, and stores them.
	RoundStore(t kernels.Type, a Addr, v Vec)

	// Bits, of elements of 2, 4 or 8 bytes, whatever they mean. LoadLanes loads 16 bytes
	// each from up to as many addresses as a vector has room for, StoreLanes stores
	// them. Interleave takes, in each 16 bytes, the elements of the lower halves of a
	// and b in turn, and of the upper halves, unless high is noVec; high may be one of a
	// and b, and low too if there is no high.
	LoadElement(size int, dst GP, a Addr)
	StoreElement(size int, a Addr, src GP)
	LoadLanes(dst Vec, from []Addr)
	StoreLanes(to []Addr, v Vec)
	Interleave(size int, low, high, a, b Vec)
	// Evens sets a to every other element of a and b, from the first one of a on.
	Evens(size int, a, b Vec)

	// Parts of vectors. MakePartial prepares for vectors with count elements;
	// LoadPartial pads with the identity if pad is set, else with anything,
	// and needs the end of the readable memory if NeedsEnd says so (None: no
	// byte behind the elements may be read; Inside: a whole vector may be).
	// MasksLoads tells whether a part is loaded as fast as a whole.
	NeedsEnd(t kernels.Type) bool
	MasksLoads() bool
	MakePartial(t kernels.Type, count GP, pad bool) Partial
	FreePartial(p Partial)
	LoadPartial(t kernels.Type, dst Vec, a Addr, p Partial, pad bool, end GP)
	StorePartial(t kernels.Type, a Addr, v Vec, count GP)
	RoundStorePartial(t kernels.Type, a Addr, v Vec, count GP)
	// MakeLast prepares for the last vectors of rows, of count elements, LoadLast loads
	// one from a. If NeedsEnd says so, a whole vector that ends with the row is read, and
	// there has to be one.
	MakeLast(t kernels.Type, count GP) Last
	LoadLast(t kernels.Type, dst Vec, a Addr, l Last)
	FreeLast(l Last)

	// FoldPair folds, in a and in b, every group of 2h accumulators in half:
	// lane j of a group is added to lane j+h. The halves are put together as
	// foldLayout says. FoldAll folds all of v into its first accumulator.
	FoldPair(t kernels.Type, dst, a, b Vec, h int)
	FoldAll(t kernels.Type, v Vec)
	// Permute sets accumulator l of dst to accumulator index[l] of src.
	Index(t kernels.Type, index []int) Vec
	Permute(t kernels.Type, dst, src, index Vec)
	// Pick sets accumulator l of dst to accumulator index[l] of a and b, one
	// behind the other; not all machines do so.
	CanPick() bool
	Pick(t kernels.Type, dst, a, b, index Vec)
	// LoadHalves loads half a vector each from a and b, whole vectors of whose
	// surroundings, behind a and around b, may be read; not all machines do so.
	CanLoadHalves(t kernels.Type) bool
	LoadHalves(t kernels.Type, dst Vec, a, b Addr)
	// Mask makes the vectors with which Blend turns the accumulators l where
	// keep[l] is false into the identity.
	Mask(t kernels.Type, keep []bool) Partial
	Blend(t kernels.Type, v Vec, p Partial)

	// Streams makes the pointers for a tree of 2^levels rows from a base,
	// which it takes over, and the strides in memory at a.
	Streams(base GP, strides Addr, levels int) Streams
	FreeStreams(s Streams)

	// How many vectors of a row are summed at a time, as there are registers for:
	// Strip, when three sums of a strip wait; Unroll, when four do; Window, when
	// all vectors of a row of lanes wait and two sums of a strip, all but those
	// that are spilled. Chunk is how many the last pair of rows takes at the most.
	Strip(t kernels.Type) int
	Unroll(t kernels.Type) int
	Window(t kernels.Type) (width, spilled int)
	Chunk(t kernels.Type) int
}

// lanes is the number of accumulators of a vector.
func lanes(m Machine, t kernels.Type) int { return m.VecBytes() / t.Acc().Size() }

// vecSize is the number of bytes from which a vector of accumulators is loaded.
func vecSize(m Machine, t kernels.Type) int { return lanes(m, t) * t.Size() }

// log2 returns the binary logarithm of a power of two.
func log2(n int) int {
	k := 0
	for 1<<k < n {
		k++
	}
	if 1<<k != n {
		panic("not a power of two")
	}
	return k
}
