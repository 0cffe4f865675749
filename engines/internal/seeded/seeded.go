// Package seeded makes random tests repeatable.
package seeded

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"
)

// Rand returns a source of random numbers whose seed the test prints, and
// REDUCESUM_SEED sets.
func Rand(t testing.TB) *rand.Rand {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("REDUCESUM_SEED"); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatalf("REDUCESUM_SEED: %v", err)
		}
		seed = n
	}
	t.Logf("REDUCESUM_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}
