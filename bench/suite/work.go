package suite

import (
	"github.com/reducesum/reducesum/bench/cases"
	"github.com/reducesum/reducesum/bench/elem"
	"github.com/reducesum/reducesum/bench/limit"
)

// workOf returns what a case has to read and to write.
func workOf(t elem.Type, c cases.Case, src, dst []byte) limit.Work {
	w := limit.Work{Src: src[:c.Reach()*t.Size()]}
	if len(c.Strides) > 0 {
		if runs := limit.Touched(c.Shape, c.Strides, t.Size()); len(runs) > 1 {
			w.Runs = runs
		}
	}
	bytes, added := w.Bytes(), c.Added()*t.Size()
	w.Times = added / bytes
	if 8*added >= 7*bytes { // else a sum could widen much less than is loaded
		w.Widen = widening[t]
	}
	if result := c.Results() * t.Size(); 10*result > w.Bytes() {
		w.Dst = dst[:result]
	}
	return w
}

// widening is what the limit calls the types that it widens.
var widening = map[elem.Type]string{"float16": "F16", "bfloat16": "BF16"}
