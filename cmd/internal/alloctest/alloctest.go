// Package alloctest measures, in tests, what memory a reader asks for.
package alloctest

import (
	"runtime"
	"testing"
)

// Check fails a test if do allocates more than the size of its input, and 1 MiB.
func Check(t *testing.T, size int, do func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	if used, limit := after.TotalAlloc-before.TotalAlloc, uint64(size+1<<20); used > limit {
		t.Errorf("%d bytes were allocated for an input of %d", used, size)
	}
}
