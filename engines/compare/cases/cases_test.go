package cases

import (
	"slices"
	"testing"
)

func TestString(t *testing.T) {
	for _, c := range []struct {
		c    Case
		want string
	}{
		{Case{[]int{8192, 768}, []int{1}}, "[8192, 768] over 1"},
		{Case{[]int{2, 3, 4}, []int{0, 2}}, "[2, 3, 4] over (0, 2)"},
	} {
		if got := c.c.String(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestSums(t *testing.T) {
	c := Case{[]int{2, 3, 2}, []int{1}}
	x := c.Input()
	want := []float32{x[0] + x[2] + x[4], x[1] + x[3] + x[5], x[6] + x[8] + x[10], x[7] + x[9] + x[11]}
	if got := c.Sums(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for _, c := range All { // float32 counts to 2^24 without a gap
		if m := slices.Max(c.Sums()); m >= 1<<24 {
			t.Errorf("%v: a sum of %v depends on the order", c, m)
		}
	}
}
