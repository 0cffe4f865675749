//go:build !purego && !noasm

package limit

import "golang.org/x/sys/cpu"

// loops returns the loops of loops_amd64.s that this CPU can run.
func loops() set {
	var s set
	if cpu.X86.HasAVX2 && cpu.X86.HasF16C {
		s = loops256
	}
	if cpu.X86.HasAVX512F {
		s.loads = append(s.loads[:len(s.loads):len(s.loads)], loops512.loads...)
		s.stores = append(s.stores[:len(s.stores):len(s.stores)], loops512.stores...)
		s.runs = append(s.runs[:len(s.runs):len(s.runs)], loops512.runs...)
	}
	return s
}

var loops256 = set{
	loads: []load{
		{"load256", "", load256}, {"load256t0", "", load256t0}, {"load256nta", "", load256nta}, {"load256far", "", load256far},
		{"widenF16x256", "F16", widenF16x256}, {"widenF16x256t0", "F16", widenF16x256t0},
		{"widenBF16x256", "BF16", widenBF16x256}, {"widenBF16x256t0", "BF16", widenBF16x256t0},
	},
	stores: []store{
		{"widenF16x256store", "F16", widenF16x256store}, {"widenF16x256t0store", "F16", widenF16x256t0store},
		{"widenBF16x256store", "BF16", widenBF16x256store}, {"widenBF16x256t0store", "BF16", widenBF16x256t0store},
		{"load256store", "", load256store}, {"load256t0store", "", load256t0store},
	},
	runs: []runLoop{
		{name: "runs256", run: runs256}, {name: "runs256ahead", ahead: runs256ahead},
		{name: "runsF16x256", widen: "F16", run: runsF16x256}, {name: "runsF16x256ahead", widen: "F16", ahead: runsF16x256ahead},
		{name: "runsBF16x256", widen: "BF16", run: runsBF16x256}, {name: "runsBF16x256ahead", widen: "BF16", ahead: runsBF16x256ahead},
		{name: "lines", single: true, run: lines}, {name: "linesahead", single: true, ahead: linesahead},
	},
	strides: []strideLoop{{name: "stride", run: stride}, {name: "strideahead", ahead: strideahead}},
}

var loops512 = set{
	loads: []load{
		{"load512", "", load512}, {"load512t0", "", load512t0}, {"load512nta", "", load512nta}, {"load512far", "", load512far},
		{"widenF16x512", "F16", widenF16x512}, {"widenF16x512t0", "F16", widenF16x512t0},
		{"widenBF16x512", "BF16", widenBF16x512}, {"widenBF16x512t0", "BF16", widenBF16x512t0},
	},
	stores: []store{
		{"widenF16x512store", "F16", widenF16x512store}, {"widenF16x512t0store", "F16", widenF16x512t0store},
		{"widenBF16x512store", "BF16", widenBF16x512store}, {"widenBF16x512t0store", "BF16", widenBF16x512t0store},
		{"load512store", "", load512store}, {"load512t0store", "", load512t0store},
	},
	runs: []runLoop{
		{name: "runs512", run: runs512}, {name: "runs512ahead", ahead: runs512ahead},
		{name: "runsF16x512", widen: "F16", run: runsF16x512}, {name: "runsF16x512ahead", widen: "F16", ahead: runsF16x512ahead},
		{name: "runsBF16x512", widen: "BF16", run: runsBF16x512}, {name: "runsBF16x512ahead", widen: "BF16", ahead: runsBF16x512ahead},
	},
}
