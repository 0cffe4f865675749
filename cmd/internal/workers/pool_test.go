package workers

import (
	"slices"
	"sync"
	"testing"
)

func TestDo(t *testing.T) {
	for _, workers := range []int{1, 2, 7} {
		for _, n := range []int{0, 1, 5, 1000} {
			var mu sync.Mutex
			ran := make([]int, n)
			reports := []int{}
			p := &Pool{N: workers, Done: func(done, of int) {
				mu.Lock()
				defer mu.Unlock()
				if reports = append(reports, done); of != n {
					t.Errorf("%d of %d are done", done, of)
				}
			}}
			for range 2 { // the second time is not reported
				p.Do(n, func(i int) {
					mu.Lock()
					defer mu.Unlock()
					ran[i]++
				})
			}
			if slices.ContainsFunc(ran, func(times int) bool { return times != 2 }) {
				t.Errorf("%d workers: tasks ran %v times", workers, ran)
			}
			slices.Sort(reports)
			for i, done := range reports {
				if done != i+1 || len(reports) != n {
					t.Fatalf("%d workers, %d tasks: reports %v", workers, n, reports)
				}
			}
		}
	}
}

// A panic comes to the caller, when no task runs any more.
func TestPanic(t *testing.T) {
	for _, workers := range []int{1, 2, 7} {
		func() {
			defer func() {
				if r := recover(); r != "third" {
					t.Errorf("%d workers: recovered %v", workers, r)
				}
			}()
			(&Pool{N: workers}).Do(1000, func(i int) {
				if i == 3 {
					panic("third")
				}
			})
			t.Errorf("%d workers: no panic", workers)
		}()
	}
}

func TestWorkers(t *testing.T) {
	if n := (&Pool{N: 3}).Workers(); n != 3 {
		t.Errorf("%d workers, want 3", n)
	}
	if n := (&Pool{N: 3, Done: func(int, int) {}}).Workers(); n < 32 {
		t.Errorf("%d workers make too few tasks to be watched", n)
	}
}
