package contest

import (
	"slices"

	"github.com/aclements/go-moremath/stats"
)

// Stats sums up the samples of one contestant.
type Stats struct {
	Best, Median float64
	// Spread is the distance between the quartiles, as a part of the median.
	Spread float64
}

// Summarize returns the statistics of samples, of which there must be one.
func Summarize(samples []float64) Stats {
	sample := stats.Sample{Xs: slices.Sorted(slices.Values(samples)), Sorted: true}
	s := Stats{Best: sample.Xs[0], Median: sample.Quantile(0.5)}
	if s.Median > 0 {
		s.Spread = sample.IQR() / s.Median
	}
	return s
}
