package reducesum

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// randomNest returns a tensor of up to 8 axes of sizes 0 to 70, of some thousand
// elements at most, in any order in memory: with steps, gaps and repeats, some
// axes kept and some reduced.
func randomNest(r *rand.Rand, most int) reduction {
	for {
		rank := r.IntN(9)
		c := reduction{shape: make([]int, rank), keep: r.IntN(2) == 0, noop: r.IntN(8) == 0}
		n := 1
		for i := range c.shape {
			size := 1 + r.IntN(71)
			switch r.IntN(4) {
			case 0:
				size = 1 + r.IntN(4)
			case 1:
				size = 1 << r.IntN(7)
			}
			if n*size > most {
				size = max(1, most/n)
			}
			c.shape[i] = size
			n *= size
		}
		if rank > 0 && r.IntN(30) == 0 {
			c.shape[r.IntN(rank)] = 0
		}
		r.Shuffle(rank, func(i, k int) { c.shape[i], c.shape[k] = c.shape[k], c.shape[i] })
		c.axes = axesOf(r, r.IntN(1<<rank), rank)
		if r.IntN(4) > 0 {
			c.strides = viewOf(r, c.shape)
		}
		if c.reach() < 1<<18 {
			return c
		}
	}
}

// TestRandomNests compares sums of random nests with the definition, on every
// implementation in turn: REDUCESUM_CASES says how many (a million takes an hour
// or so).
func TestRandomNests(t *testing.T) {
	r := newRand(t)
	cases := long(20000, 2000)
	if s := os.Getenv("REDUCESUM_CASES"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatalf("REDUCESUM_CASES: %v", err)
		}
		cases = n
	}
	all := Implementations()
	sources := make([]buffer, len(elementTypes))
	for i := range cases {
		e := elementTypes[i%len(elementTypes)]
		most := []int{50, 300, 300, 3000, 3000, 20000}[r.IntN(6)]
		c := randomNest(r, most)
		if i/len(elementTypes)%50 == 0 {
			sources[i%len(elementTypes)] = newRandom(r, e.Type(), 1<<18)
		}
		src := sources[i%len(elementTypes)]
		src = src.slice(src.n-c.reach(), src.n)
		opts := []Option{WithImplementation(all[r.IntN(len(all))])}
		if c.strides != nil {
			opts = append(opts, WithStrides(c.strides))
		}
		if err := c.run(e, src, e.Want(src, c.shape, c.strides, c.reduced()), opts); err != nil {
			t.Fatalf("case %d: %v, %v: %v", i, e, c, err)
		}
	}
}
