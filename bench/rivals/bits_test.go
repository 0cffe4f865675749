package rivals

import (
	"strings"
	"testing"

	"github.com/reducesum/reducesum/bench/elem"
)

// TestReference checks that ours return the bits of the reference for views, and
// that nobody else passes for them.
func TestReference(t *testing.T) {
	for _, c := range []string{"300", "40x50/0@1,40", "40x50@1,40", "6x5x70/0,2@1,6,30", "30x40/1@90,2", "20x30/0@0,1", "20x30x5/1,2@1,0,20"} {
		for _, typ := range elem.Types {
			task := newTask(t, c, typ)
			typ.FillInexact(bytesOf(task.Src))
			r, err := NewReference(task)
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range ours() {
				if err := r.Differs(o, task); err != nil {
					t.Errorf("%s, %s, %s: %v", o.Name, typ, c, err)
				}
			}
			forgets := Rival{New: func(t Task) (*Entry, error) {
				e, err := ours()[0].New(t)
				if err == nil {
					run := e.Run
					e.Run = func(n int) {
						run(n)
						b := bytesOf(t.Dst)
						b[len(b)-t.Type.Size()] ^= 1
					}
				}
				return e, err
			}}
			if err := r.Differs(forgets, task); err == nil || !strings.HasPrefix(err.Error(), "wrong: the bits of sum ") {
				t.Errorf("%s, %s: one bit of the last sum differs, error %v", typ, c, err)
			}
		}
	}
}

func TestContiguous(t *testing.T) {
	src := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	tests := []struct {
		shape, strides, want []int
	}{
		{[]int{3}, []int{2}, []int{0, 2, 4}},
		{[]int{2, 3}, []int{1, 2}, []int{0, 2, 4, 1, 3, 5}},
		{[]int{2, 2, 2}, []int{0, 5, 1}, []int{0, 1, 5, 6, 0, 1, 5, 6}},
	}
	for _, test := range tests {
		got := contiguous(src, test.shape, test.strides)
		if len(got) != len(test.want) {
			t.Fatalf("%v: %v", test, got)
		}
		for i := range got {
			if got[i] != test.want[i] {
				t.Errorf("shape %v, strides %v: %v, want %v", test.shape, test.strides, got, test.want)
				break
			}
		}
	}
}
