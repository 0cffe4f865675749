//go:build unix

package limit

import (
	"runtime/debug"
	"slices"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// guarded returns a page of memory with a page behind it that cannot be touched.
func guarded(t *testing.T) []byte {
	t.Helper()
	page := syscall.Getpagesize()
	m, err := unix.Mmap(-1, 0, 2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(m) })
	if err := unix.Mprotect(m[page:], unix.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	return m[:page]
}

// fault reports whether f touches what it must not.
func fault(f func()) (faulted bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { faulted = recover() != nil }()
	f()
	return false
}

// all returns the loops of this CPU and those in Go.
func all() set {
	s := loops()
	s.loads = append(s.loads[:len(s.loads):len(s.loads)], load{"go", "", loadGo})
	s.stores = append(s.stores[:len(s.stores):len(s.stores)], store{"go", "", bothGo})
	s.runs = append(s.runs[:len(s.runs):len(s.runs)], runLoop{name: "go", run: runsGo})
	return s
}

// TestLoads checks that each loop loads up to the last byte, and no further.
func TestLoads(t *testing.T) {
	m := guarded(t)
	end := unsafe.Add(unsafe.Pointer(&m[0]), len(m))
	for _, l := range all().loads {
		step := 1
		if l.widen != "" {
			step = 2
		}
		for n := step; n < 1300; n += step {
			if fault(func() { l.run((*byte)(unsafe.Add(end, -n)), n) }) {
				t.Fatalf("%s: loads beyond %d bytes", l.name, n)
			}
			if !fault(func() { l.run((*byte)(unsafe.Add(end, step-n)), n) }) {
				t.Fatalf("%s: does not load the last of %d bytes", l.name, n)
			}
		}
	}
}

// TestStores checks that each loop loads and stores all bytes, and no others.
func TestStores(t *testing.T) {
	from, to := guarded(t), guarded(t)
	sizes := []int{0, 2, 30, 64, 126, 512, 574, 1024, 1500, 4096}
	for _, l := range all().stores {
		for _, n := range sizes {
			for _, m := range sizes {
				src, dst := from[len(from)-n:], to[len(to)-m:]
				for i := range to {
					to[i] = 0x55
				}
				if fault(func() { l.both(src, dst) }) {
					t.Fatalf("%s: touches more than %d bytes to load and %d to store", l.name, n, m)
				}
				for i, b := range to {
					if stored := i >= len(to)-m; (b == 0) != stored {
						t.Fatalf("%s, %d bytes to load and %d to store: byte %d is %d", l.name, n, m, i-len(to)+m, b)
					}
				}
				if n > 0 && !fault(func() {
					l.run((*byte)(unsafe.Add(unsafe.Pointer(&from[0]), len(from)-n+2)), n, unsafe.SliceData(dst), m, 1)
				}) {
					t.Fatalf("%s: does not load the last of %d bytes, with %d to store", l.name, n, m)
				}
			}
		}
	}
}

// TestRuns checks that each loop over a list loads all lines of its runs, and no
// others: a line of theirs behind the page faults, and nothing else does.
func TestRuns(t *testing.T) {
	m := guarded(t)
	last := len(m)/lineSize - 1
	tests := []struct {
		runs  []Run
		fault bool
	}{
		{[]Run{{last, 1}}, false},
		{[]Run{{last + 1, 1}}, true},
		{[]Run{{0, 1}, {2, 1}, {4, 1}, {6, 1}, {8, 1}, {10, 1}, {12, 1}, {14, 1}, {last, 1}}, false},
		{[]Run{{0, 1}, {2, 1}, {4, 1}, {6, 1}, {8, 1}, {10, 1}, {12, 1}, {last + 1, 1}}, true},
		{[]Run{{0, 1}, {2, 1}, {4, 1}, {6, 1}, {8, 1}, {10, 1}, {12, 1}, {14, 1}, {last + 1, 1}}, true},
		{[]Run{{0, 3}, {5, 7}, {last - 8, 9}}, false},
		{[]Run{{0, 3}, {5, 7}, {last - 7, 9}}, true},
		{[]Run{{0, 3}, {last - 3, 4}}, false},
		{[]Run{{0, 3}, {last - 2, 4}}, true},
		{[]Run{{last - 2, 4}, {0, 9}}, true},
		{[]Run{{0, last + 1}}, false},
		{[]Run{{1, last + 1}}, true},
	}
	for _, l := range all().runs {
		for _, test := range tests {
			w := Work{Src: m, Runs: test.runs}
			if l.single && slices.ContainsFunc(test.runs, func(r Run) bool { return r.Lines > 1 }) {
				continue
			}
			run := l.bind(w, storeGo)
			if got := fault(func() { run(1) }); got != test.fault {
				t.Errorf("%s, runs %v, of %d lines: fault %v, want %v", l.name, test.runs, last+1, got, test.fault)
			}
		}
	}
	for _, l := range all().strides {
		for n := 2; n < 20; n++ {
			for _, past := range []bool{false, true} {
				w := Work{Src: m}
				for i := range n {
					w.Runs = append(w.Runs, Run{last - 3*(n-1-i), 1})
				}
				run := l.bind(w)
				if past { // the last one lies behind the page
					w.Src = m[3*lineSize:][:len(m)]
					run = l.bind(w)
				}
				if got := fault(func() { run(1) }); got != past {
					t.Errorf("%s, %d lines: fault %v, want %v", l.name, n, got, past)
				}
			}
		}
	}
}
