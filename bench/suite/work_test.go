package suite

import (
	"testing"

	"github.com/reducesum/reducesum/bench/cases"
	"github.com/reducesum/reducesum/bench/elem"
)

func TestWorkOf(t *testing.T) {
	tests := []struct {
		typ                     elem.Type
		c                       string
		bytes, runs, dst, times int
		widen                   string
	}{
		{"float32", "1000", 4000, 0, 0, 1, ""},
		{"float32", "100x50/1", 20000, 0, 0, 1, ""},
		{"float32", "100x9/1", 3600, 0, 400, 1, ""},
		{"float16", "100x10/1", 2000, 0, 0, 1, "F16"},
		{"bfloat16", "100x9/1", 1800, 0, 200, 1, "BF16"},
		{"float32", "30x40@1,30", 4800, 0, 0, 1, ""},
		{"float32", "1000@2", 7996, 0, 0, 0, ""},
		{"float16", "1000@2", 3998, 0, 0, 0, ""},
		{"float16", "1000@5", 9992, 0, 0, 0, ""},
		{"float32", "100@32", 6400, 100, 0, 0, ""},
		{"float32", "10x32/1@128,1", 1280, 10, 0, 1, ""},
		{"float16", "10x64/1@128,1", 1280, 10, 0, 1, "F16"},
		{"float64", "10x2/1@64,1", 640, 10, 80, 0, ""},
		{"float32", "512x64/0@0,1", 512 * 256, 0, 0, 512, ""},
		{"float32", "512x64/1@0,1", 256, 0, 2048, 1, ""},
	}
	src, dst := make([]byte, 1<<16), make([]byte, 1<<16)
	for _, test := range tests {
		c, err := cases.Parse(test.c)
		if err != nil {
			t.Fatal(err)
		}
		w := workOf(test.typ, c, src, dst)
		if w.Bytes() != test.bytes || len(w.Runs) != test.runs || len(w.Dst) != test.dst || w.Times != test.times || w.Widen != test.widen {
			t.Errorf("%s %s: %d bytes, %d runs, %d bytes of result, %d times, widened %q; want %+v",
				test.typ, test.c, w.Bytes(), len(w.Runs), len(w.Dst), w.Times, w.Widen, test)
		}
	}
}
