package contest

import (
	"math"
	"testing"
	"time"
)

func TestSummarize(t *testing.T) {
	tests := []struct {
		samples []float64
		want    Stats
	}{
		{[]float64{7}, Stats{7, 7, 0}},
		{[]float64{3, 1, 2}, Stats{1, 2, 5. / 6}},
		{[]float64{4, 2}, Stats{2, 3, 2. / 3}},
		{[]float64{5, 5, 5, 5}, Stats{5, 5, 0}},
	}
	for _, test := range tests {
		got := Summarize(test.samples)
		if got.Best != test.want.Best || got.Median != test.want.Median || math.Abs(got.Spread-test.want.Spread) > 0.01 {
			t.Errorf("Summarize(%v) is %+v, want %+v", test.samples, got, test.want)
		}
	}
}

func TestRun(t *testing.T) {
	const rounds = 8
	runs := make([]int, 2)
	fast := Contestant{"fast", func(n int) { runs[0] += n }}
	slow := Contestant{"slow", func(n int) {
		runs[1] += n
		time.Sleep(time.Duration(n) * 3 * time.Millisecond)
	}}
	samples := Run([]Contestant{slow, fast}, Options{Time: 2 * time.Millisecond, Rounds: rounds})
	if len(samples) != 2 || len(samples[0]) != minRounds || len(samples[1]) != rounds {
		t.Fatalf("samples are %v; want %d of the slow one, %d of the fast one", samples, minRounds, rounds)
	}
	for _, ns := range samples[0] {
		if ns < 3e6 { // it cannot sleep for less
			t.Errorf("a sample of the slow one is %v ns", ns)
		}
	}
	if runs[1] != 2+minRounds {
		t.Errorf("the slow one ran %d times, want twice to find out and %d times to measure", runs[1], minRounds)
	}
}
