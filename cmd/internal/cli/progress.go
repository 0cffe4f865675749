package cli

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// long is the size from which a file takes time enough for a bar.
const long = 256 << 20

// A bar shows progress, or nothing: its zero value is silent.
type bar struct{ p *progressbar.ProgressBar }

// isTerminal tells whether w is one.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// bytesBar returns a bar for size bytes; it is silent when that is quick, or w is
// not a terminal.
func bytesBar(w io.Writer, size int64, what string) bar {
	if size < long || !isTerminal(w) {
		return bar{}
	}
	return newBar(w, size, what, progressbar.OptionShowBytes(true))
}

// timeBar returns a bar for a duration; it is silent when w is not a terminal.
func timeBar(w io.Writer, d time.Duration, what string) bar {
	if !isTerminal(w) {
		return bar{}
	}
	return newBar(w, max(1, d.Milliseconds()), what)
}

func newBar(w io.Writer, total int64, what string, opts ...progressbar.Option) bar {
	return bar{progressbar.NewOptions64(total, append(opts,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription(what),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionClearOnFinish(),
	)...)}
}

// Write advances by len(b).
func (b bar) Write(p []byte) (int, error) {
	if b.p != nil {
		b.p.Add(len(p))
	}
	return len(p), nil
}

// shown tells whether there is a bar to be seen.
func (b bar) shown() bool { return b.p != nil }

// part moves to where done of n equal parts are done. Goroutines may be late to tell
// of theirs, but never move it back.
func (b bar) part(done, n int) {
	if to := int64(float64(b.p.GetMax64()) * float64(done) / float64(n)); to > b.p.State().CurrentNum {
		b.p.Set64(to)
	}
}

// at moves to a point in time.
func (b bar) at(elapsed time.Duration) {
	if b.p != nil {
		b.p.Set64(min(elapsed.Milliseconds(), b.p.GetMax64()))
	}
}

// done takes the bar away.
func (b bar) done() {
	if b.p != nil {
		b.p.Clear()
	}
}
