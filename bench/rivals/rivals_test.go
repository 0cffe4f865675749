package rivals

import (
	"errors"
	"strings"
	"testing"
	"unsafe"

	"github.com/reducesum/reducesum/bench/cases"
	"github.com/reducesum/reducesum/bench/elem"
)

// newTask returns a task on memory of its own.
func newTask(t *testing.T, c string, typ elem.Type) Task {
	t.Helper()
	parsed, err := cases.Parse(c)
	if err != nil {
		t.Fatal(err)
	}
	src := memory(parsed.Reach() * typ.Size())
	typ.Fill(src)
	dst := memory(parsed.Results() * typ.Size())
	return Task{Case: parsed, Type: typ, Src: typ.View(src), Dst: typ.View(dst), Workers: 1}
}

// memory returns n bytes that are aligned for all types.
func memory(n int) []byte {
	words := make([]uint64, n/8+1)
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), n)
}

// TestRivals lets everybody sum everything. Ours and the plain loop have to be
// right; of the others only what is known to be wrong may be.
func TestRivals(t *testing.T) {
	known := func(r Rival, typ elem.Type, c string) bool {
		return r.Name == "gorgonia" && c == "8x6x5x7/2,3" || // two axes, not the first
			r.Name == "gomlx" && typ == "bfloat16" // cuts every partial sum to 16 bits
	}
	list := []string{"16", "100", "5000", "1", "1x1/0", "300x3/1", "20x100/1", "3x5000/1", "300x3/0", "7x500/0", "5000x2/0",
		"4x5x6/1", "8x6x5x7/2,3", "8x6x5x7/0,2,3", "8x6x5x7/1", "2x3x4x5/3", "4x3x5/0,2"}
	for _, r := range All() {
		for _, typ := range elem.Types {
			for _, c := range list {
				task := newTask(t, c, typ)
				_, err := r.Prepare(task, NewWant(task))
				switch {
				case err == nil:
				case errors.Is(err, ErrUnsupported) && !r.Ours && r.Name != "naive":
				case strings.HasPrefix(err.Error(), "wrong: sum") && known(r, typ, c):
				default:
					t.Errorf("%s, %s, %s: %v", r.Name, typ, c, err)
				}
			}
		}
	}
}

func TestViews(t *testing.T) {
	for _, r := range All() {
		for _, typ := range elem.Types {
			for _, c := range []string{"20x100/1@103,1", "20x100/0@103,1", "4x5x6/1@67,13,2"} {
				task := newTask(t, c, typ)
				_, err := r.Prepare(task, NewWant(task))
				if r.Ours && err != nil {
					t.Errorf("%s, %s, %s: %v", r.Name, typ, c, err)
				}
				if !r.Ours && !errors.Is(err, ErrUnsupported) {
					t.Errorf("%s, %s, %s: %v, want unsupported", r.Name, typ, c, err)
				}
			}
		}
	}
}

// TestPrepare checks that nobody gets through with a wrong result.
func TestPrepare(t *testing.T) {
	task := newTask(t, "20x100/1", "float32")
	dst := task.Dst.([]float32)
	want := NewWant(task)
	right := want.sums.([]float32)
	good := func(n int) { copy(dst, right) }
	tests := []struct {
		name string
		ours bool
		run  func(n int)
		err  string
	}{
		{"right", true, good, ""},
		{"writes nothing", false, func(int) {}, "wrong: sum 0"},
		{"forgets the last", false, func(n int) { copy(dst[:19], right) }, "wrong: sum 19"},
		{"a little off", false, func(n int) { good(n); dst[3] += 1. / 4096 }, ""},
		{"ours a little off", true, func(n int) { good(n); dst[3] += 1. / 4096 }, "wrong: sum 3"},
		{"off by one", false, func(n int) { good(n); dst[3]++ }, "wrong: sum 3"},
		{"panics", false, func(int) { panic("oh") }, "panics: oh"},
	}
	for _, test := range tests {
		r := Rival{Name: test.name, Ours: test.ours, New: func(Task) (*Entry, error) {
			return &Entry{Run: test.run, Result: func() any { return dst }}, nil
		}}
		_, err := r.Prepare(task, want)
		if test.err == "" && err != nil || test.err != "" && (err == nil || !strings.HasPrefix(err.Error(), test.err)) {
			t.Errorf("%s: error %v, want %q", test.name, err, test.err)
		}
	}
	for _, got := range []any{[]float64{}, []float32{}, 3, nil} {
		if err := want.Check(got, false); err == nil {
			t.Errorf("Check(%v) finds nothing wrong", got)
		}
	}
}
