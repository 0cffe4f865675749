package suite

import (
	"strconv"

	"github.com/reducesum/reducesum/bench/cases"
	"github.com/reducesum/reducesum/bench/contest"
	"github.com/reducesum/reducesum/bench/elem"
	"github.com/reducesum/reducesum/bench/limit"
	"github.com/reducesum/reducesum/bench/record"
	"github.com/reducesum/reducesum/bench/rivals"
)

// A field is everybody who takes part in one case: some are contestants, some
// are out before the start.
type field struct {
	task    rivals.Task
	work    limit.Work
	want    *rivals.Want
	differs map[string]error // of ours whose bits are wrong, by name

	contestants []contest.Contestant
	starters    []record.Line // of the contestants, without times
	out         []record.Line // of the others
}

func newField(t elem.Type, c cases.Case, src, dst []byte) *field {
	f := &field{
		differs: map[string]error{},
		task: rivals.Task{
			Case: c, Type: t,
			Src: t.View(src[:c.Reach()*t.Size()]),
			Dst: t.View(dst[:c.Results()*t.Size()]),
		},
		work: workOf(t, c, src, dst),
	}
	f.want = rivals.NewWant(f.task)
	return f
}

func (f *field) line(impl string, workers int) record.Line {
	return record.Line{
		Type: string(f.task.Type), Case: f.task.Case.String(), Kind: string(f.task.Case.Kind()),
		Impl: impl, Workers: workers, Bytes: f.work.Bytes(), Suite: f.task.Case.Suite,
	}
}

// checkBits compares the bits of ours on values whose sums depend on the order.
func (f *field) checkBits(list []rivals.Rival, workers []int) {
	memory := f.work.Src
	f.task.Type.FillInexact(memory)
	defer f.task.Type.Fill(memory)
	reference, failed := rivals.NewReference(f.task)
	for _, r := range list {
		for _, n := range workers {
			if !r.Ours {
				continue
			}
			task, err := f.task, failed
			task.Workers = n
			if err == nil {
				err = reference.Differs(r, task)
			}
			if err != nil {
				f.differs[r.Name] = err
			}
		}
	}
}

// addLoops adds the loops that do what no sum can do without.
func (f *field) addLoops(workers int) {
	for _, way := range limit.Ways(f.work, workers) {
		line := f.line(record.Limit, workers)
		line.LimitLoop = way.Name
		f.starters = append(f.starters, line)
		f.contestants = append(f.contestants, contest.Contestant{Name: way.Name, Run: way.Run})
	}
}

func (f *field) addRival(r rivals.Rival, workers int) {
	task := f.task
	task.Workers = workers
	line := f.line(r.Name, workers)
	line.Ours = r.Ours
	entry, err := r.Prepare(task, f.want)
	if differs := f.differs[r.Name]; differs != nil {
		err = differs
	}
	switch {
	case err == nil:
		f.starters = append(f.starters, line)
		f.contestants = append(f.contestants, contest.Contestant{Name: r.Name, Run: entry.Run})
	case !skip(err):
		line.Note = err.Error()
		f.out = append(f.out, line)
	}
}

// lines returns a line for the limit of each number of workers and for
// everybody else, those without times last.
func (f *field) lines(samples [][]float64) []record.Line {
	limits := map[int]record.Line{}
	for i, l := range f.starters {
		fillTimes(&f.starters[i], samples[i])
		if l = f.starters[i]; l.Impl != record.Limit {
			continue
		}
		if best, ok := limits[l.Workers]; !ok || l.NS < best.NS {
			limits[l.Workers] = l
		}
	}
	var lines []record.Line
	for _, l := range f.starters {
		best := limits[l.Workers]
		if l.Impl == record.Limit && l.LimitLoop != best.LimitLoop {
			continue
		}
		l.LimitGBs, l.LimitLoop, l.Ratio = best.GBs, best.LimitLoop, short(best.NS/l.NS)
		lines = append(lines, l)
	}
	return append(lines, f.out...)
}

func fillTimes(l *record.Line, samples []float64) {
	s := contest.Summarize(samples)
	l.NS, l.Median, l.Spread, l.Samples = short(s.Best), short(s.Median), short(s.Spread), samples
	l.GBs = short(float64(l.Bytes) / s.Best)
}

// short rounds to five digits: more are noise, and would make files longer.
func short(x float64) float64 {
	text := strconv.FormatFloat(x, 'e', 4, 64)
	x, _ = strconv.ParseFloat(text, 64) // has just been formatted: it cannot fail
	return x
}
