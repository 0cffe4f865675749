//go:build !purego && !noasm

package limit

// loops returns the loops of loops_arm64.s, which every arm64 CPU can run.
func loops() set {
	return set{
		loads: []load{
			{"load128", "", load128}, {"load128pf", "", load128pf},
			{"widenF16x128", "F16", widenF16x128}, {"widenBF16x128", "BF16", widenBF16x128},
		},
		stores: []store{
			{"widenF16x128store", "F16", widenF16x128store}, {"widenBF16x128store", "BF16", widenBF16x128store},
			{"load128store", "", load128store},
		},
		runs: []runLoop{
			{name: "runs128", run: runs128},
			{name: "runsF16x128", widen: "F16", run: runsF16x128}, {name: "runsBF16x128", widen: "BF16", run: runsBF16x128},
			{name: "lines", single: true, run: lines},
		},
		strides: []strideLoop{{name: "stride", run: stride}},
	}
}
