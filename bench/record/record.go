// Package record is what a run of the benchmarks leaves behind: what it ran on,
// and a line for everything it measured.
package record

// A Run says where and how lines were measured.
type Run struct {
	Date            string   `json:"date"`
	CPU             string   `json:"cpu"`
	Slug            string   `json:"slug"`
	Threads         int      `json:"threads"`
	OS              string   `json:"os"`
	Arch            string   `json:"arch"`
	Go              string   `json:"go"`
	Implementations []string `json:"implementations"` // of this project, best first
	Loops           []string `json:"loops"`           // that only load
	L1              int      `json:"l1"`              // bytes of the data caches, 0 for unknown
	L2              int      `json:"l2"`
	L3              int      `json:"l3"`
	Buffer          int      `json:"buffer"` // bytes of the largest buffer
	Huge            int      `json:"huge"`   // of the process's memory, bytes in huge pages
	Time            string   `json:"time"`   // for each contestant of a case
	Rounds          int      `json:"rounds"`
}

// A Line is one implementation on one case.
type Line struct {
	Type    string `json:"type"`
	Case    string `json:"case"`
	Kind    string `json:"kind"`            // of reduction: full, rows and so on
	Suite   string `json:"suite,omitempty"` // that has bars of its own
	Impl    string `json:"impl"`
	Ours    bool   `json:"ours,omitempty"`
	Workers int    `json:"workers"`
	Bytes   int    `json:"bytes"` // that the limit loads: of a view, of the cache lines that it touches

	// Times are for one sum, in nanoseconds; all are 0 when Note says why there
	// are none.
	NS     float64 `json:"ns,omitempty"`
	Median float64 `json:"median_ns,omitempty"`
	Spread float64 `json:"spread,omitempty"` // between the quartiles, as a part of the median
	GBs    float64 `json:"gbs,omitempty"`

	// The best of the loops of package limit, in the same run.
	LimitGBs  float64 `json:"limit_gbs,omitempty"`
	LimitLoop string  `json:"limit_loop,omitempty"`
	Ratio     float64 `json:"ratio,omitempty"` // GBs / LimitGBs

	// Bar is what the line should reach, if anything.
	Bar Bar `json:"bar,omitzero"`
	// Under says what the line should have reached; empty when it did.
	Under string `json:"under,omitempty"`
	Note  string `json:"note,omitempty"`

	Samples []float64 `json:"-"`
}

// Limit is the name of the implementation that only loads.
const Limit = "limit"

// Judged reports whether the line can be under its bar: ours, but not the plain Go
// code.
func (l Line) Judged() bool { return l.Ours && l.Measured() && l.Impl != "generic" }

// Measured reports whether the line has times.
func (l Line) Measured() bool { return l.NS > 0 }
