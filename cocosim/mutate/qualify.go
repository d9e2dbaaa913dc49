package mutate

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"hcacosim/cocosim"
	"hcacosim/cocosim/report"
	"hcacosim/cocosim/session"
	"hcacosim/cocosim/verilated"
)

// Class is what became of a mutant.
type Class string

const (
	Killed     Class = "killed"     // a run found it
	Crashed    Class = "crashed"    // the simulator died or hung: found, but not by a check
	TimedOut   Class = "timeout"    // a run came to no verdict
	NotBuilt   Class = "not built"  // its text is no SystemVerilog
	Survived   Class = "survived"   // no run found it
	Equivalent Class = "equivalent" // proved to do what the design does, without a bound of depth
	Bounded    Class = "bounded"    // proved for a number of cycles only
	NotRun     Class = "not run"    // no time was left for all of its runs, and the others did not find it
	Asserted   Class = "asserted"   // it trips an assertion of the design, and no check finds it
)

// Outcome is a mutant with what found it.
type Outcome struct {
	Mutant
	Class   Class  `json:"class"`
	Rule    string `json:"rule,omitempty"`    // of the first mismatch
	Run     int    `json:"run"`               // index into Options.Runs
	Records uint64 `json:"records,omitempty"` // that were needed, of the run that found it
	Error   string `json:"error,omitempty"`
	Killers []bool `json:"killers,omitempty"` // with Options.Matrix: by run, whether it finds it
	How     string `json:"how,omitempty"`     // it was proved
	// Stimulus is a difference that a solver found: the inputs that change, a cycle a line.
	Stimulus []string `json:"stimulus,omitempty"`
	Reason   string   `json:"reason,omitempty"`    // why it is open, where somebody has said so
	Activity Activity `json:"activity,omitempty"`  // of one of a netlist that is open
	ActiveIn string   `json:"active_in,omitempty"` // the first run in which it was active

	played    bool // in all runs
	activeRun int  // index into Options.Runs
}

// Options are what a qualification does.
type Options struct {
	Mutants []Mutant
	Runs    []session.Spec // of the device; Dut is replaced
	Batch   int            // mutants of a build; 0 is DefaultBatch
	Flavour verilated.Flavour
	Matrix  bool // every run on every mutant, not only up to the first that finds it
	// First is how many records a first, short attempt has; 0 is none.
	First    uint64
	Timeout  time.Duration // of a run
	For      time.Duration // of all runs of mutants; 0 is no limit
	Proof    *ProofOptions // of survivors; nil is none
	NoRuns   bool          // only proofs: every mutant is taken for one that no run found
	Progress func(format string, args ...any)
}

// DefaultBatch is how many mutants share a build.
const DefaultBatch = 400

// Qualify runs every mutant until a run finds it.
func Qualify(ctx context.Context, d *Design, o Options) ([]Outcome, error) {
	if o.Batch == 0 {
		o.Batch = DefaultBatch
	}
	if o.Progress == nil {
		o.Progress = func(string, ...any) {}
	}
	var all []Outcome
	if o.NoRuns {
		for _, m := range o.Mutants {
			all = append(all, Outcome{Mutant: m, Class: Survived, Run: -1})
		}
		dir, err := os.MkdirTemp("", "cosim-mutants-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		refuse(ctx, d, &o, dir, all)
		return all, proveSurvivors(ctx, d, &o, all)
	}
	for part := range slices.Chunk(o.Mutants, o.Batch) {
		q := &batch{d: d, o: &o, mutants: part}
		if err := q.run(ctx); err != nil {
			return all, err
		}
		all = append(all, q.out...)
		o.Progress("%d of %d mutants", len(all), len(o.Mutants))
	}
	return all, proveSurvivors(ctx, d, &o, all)
}

// proveSurvivors asks a solver about every mutant that no run found.
func proveSurvivors(ctx context.Context, d *Design, o *Options, all []Outcome) error {
	if o.Proof == nil {
		return nil
	}
	proveShared(ctx, d, o, all, o.Proof.AnyState)
	for i := range all {
		x := &all[i]
		if x.Class != Survived || o.Proof.AnyState {
			continue
		}
		p, err := d.Prove(ctx, x.Mutant, *o.Proof)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			x.How = "no proof: " + err.Error()
			continue
		}
		x.Class, x.How, x.Stimulus = p.Class, p.How, p.Stimulus
		o.Progress("mutant %d: %s %s", x.ID, x.Class, x.How)
	}
	return nil
}

// batch is the mutants of a build.
type batch struct {
	d       *Design
	o       *Options
	mutants []Mutant
	out     []Outcome
	path    string   // of the manifest
	limits  []uint64 // cycles, by run
	mu      sync.Mutex
}

func (q *batch) run(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "cosim-mutants-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, m := range q.mutants {
		q.out = append(q.out, Outcome{Mutant: m, Class: Survived, Run: -1})
	}
	refuse(ctx, q.d, q.o, dir, q.out)
	if err := q.build(ctx, dir); err != nil {
		return err
	}
	if err := q.baseline(ctx); err != nil {
		return err
	}
	return q.playFor(ctx)
}

// playFor plays as long as it may. What is cut short is told apart from what every run let pass.
func (q *batch) playFor(ctx context.Context) error {
	if q.o.For == 0 {
		return q.play(ctx)
	}
	short, cancel := context.WithTimeout(ctx, q.o.For)
	defer cancel()
	err := q.play(short)
	if ctx.Err() != nil || short.Err() == nil {
		return err
	}
	for i := range q.out {
		if x := &q.out[i]; x.Class == Survived && !x.played {
			x.Class = NotRun
		}
	}
	return nil
}

// baseline runs the design without a mutant: it must agree, and says how many cycles a run may take.
func (q *batch) baseline(ctx context.Context) error {
	for i, spec := range q.o.Runs {
		if i%10 == 0 {
			q.o.Progress("the design itself: %d of %d runs", i, len(q.o.Runs))
		}
		rep := q.report(ctx, spec, 0)
		if rep.ExitCode != cocosim.Agreed {
			spec.Dut = q.d.name()
			return cocosim.Errorf(cocosim.Mismatch, "%s does not agree without a mutant: %s: %s %s", q.d.Manifest.Name,
				spec.Line(), rep.Verdict, cmp.Or(rep.Error, firstOf(rep.Mismatches)))
		}
		q.limits = append(q.limits, 3*rep.Cycles+300_000)
	}
	return nil
}

// firstOf is the earliest mismatch in a line.
func firstOf(all []report.MissJSON) string {
	if len(all) == 0 {
		return ""
	}
	m := &all[0]
	return fmt.Sprintf("%s on %s at cycle %d: %s", m.Rule, m.Port, m.Cycle, m.Text)
}

// refuse marks the mutants that are no design.
func refuse(ctx context.Context, d *Design, o *Options, dir string, all []Outcome) {
	var in []Mutant
	for _, x := range all {
		in = append(in, x.Mutant)
	}
	var sizes []map[string]int
	for _, spec := range o.Runs {
		if !slices.ContainsFunc(sizes, func(x map[string]int) bool { return maps.Equal(x, spec.Params) }) {
			sizes = append(sizes, spec.Params)
		}
	}
	bad := d.refused(ctx, dir, in, sizes)
	for i := range all {
		if why := bad[all[i].ID]; why != "" {
			all[i].Class, all[i].Error = NotBuilt, why
		}
	}
	o.Progress("%d of %d mutants are refused: no text, or an index outside its vector", len(bad), len(all))
}

// build writes the sources and takes out what does not build, until the rest does.
func (q *batch) build(ctx context.Context, dir string) error {
	for range 20 {
		var in []Mutant
		for _, x := range q.out {
			if x.Class != NotBuilt {
				in = append(in, x.Mutant)
			}
		}
		var err error
		if q.path, err = q.d.Write(dir, in); err != nil {
			return err
		}
		if err = q.buildSizes(ctx); err == nil {
			q.o.Progress("%d mutants built, %d not", len(in), len(q.out)-len(in))
			return nil
		}
		if cocosim.ExitOf(err) != cocosim.BuildFailed || !q.blame(err) {
			return err
		}
	}
	return cocosim.Errorf(cocosim.BuildFailed, "%s: the mutants do not build", q.d.Manifest.Name)
}

// buildSizes builds the device at every size that a run has.
func (q *batch) buildSizes(ctx context.Context) error {
	done := map[string]bool{}
	for _, spec := range q.o.Runs {
		if key := fmt.Sprint(spec.Params); !done[key] {
			done[key] = true
			s, err := q.open(ctx, spec, 0)
			if err != nil {
				return err
			}
			if err := s.Close(); err != nil {
				return err
			}
		}
	}
	return nil
}

var (
	wholeLog = regexp.MustCompile(`whole log: ([^)]+)`)
	faultyAt = regexp.MustCompile(`%Error[^:]*: \S*?rtl/(\d+)/[^:]+:(\d+):`)
	anyPlace = regexp.MustCompile(`rtl/(\d+)/[^:\s]+:(\d+):`)
)

// blame marks the mutants of the lines that a failed build names.
func (q *batch) blame(failed error) (any bool) {
	m := wholeLog.FindStringSubmatch(failed.Error())
	if m == nil {
		return false
	}
	text, err := os.ReadFile(m[1])
	if err != nil {
		return false
	}
	for _, re := range []*regexp.Regexp{faultyAt, anyPlace} {
		for _, at := range re.FindAllSubmatch(text, -1) {
			file, _ := strconv.Atoi(string(at[1]))
			line, _ := strconv.Atoi(string(at[2]))
			for i := range q.out {
				x := &q.out[i]
				if x.file == file && x.Class != NotBuilt && q.d.spans(&x.Mutant, line) {
					x.Class, x.Error = NotBuilt, string(bytes.TrimSpace(at[0]))
					any = true
				}
			}
		}
		if any {
			return true
		}
	}
	return false
}

// spans reports whether the site of a mutant has a line.
func (d *Design) spans(m *Mutant, line int) bool {
	s := &d.files[m.file]
	x := s.sites[m.site]
	return lineOf(s.text, s.t[x.left].at) <= line && line <= lineOf(s.text, s.t[x.to-1].at)
}

// play runs every mutant that was built: a short run first, then, of those that it does not find, a proof, and only of
// those that have none the whole regression, which takes as long as hundreds of short runs.
func (q *batch) play(ctx context.Context) error {
	if q.o.First > 0 && !q.o.Matrix {
		q.each(ctx, "a first run", func(x *Outcome) {
			short := q.o.Runs[0]
			short.Count = q.o.First
			q.try(ctx, x, short, 0)
		})
		if q.o.Proof != nil {
			proveShared(ctx, q.d, q.o, q.out, true)
		}
	}
	q.each(ctx, "the regression", func(x *Outcome) { q.one(ctx, x) })
	return context.Cause(ctx)
}

// each does something with every mutant that is not settled.
func (q *batch) each(ctx context.Context, what string, do func(x *Outcome)) {
	var left []*Outcome
	for i := range q.out {
		if q.out[i].Class == Survived {
			left = append(left, &q.out[i])
		}
	}
	next := make(chan *Outcome)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for x := range next {
				do(x)
			}
		}()
	}
	for i, x := range left {
		if i%20 == 0 {
			q.o.Progress("%s: %d of %d mutants begun", what, i, len(left))
		}
		if ctx.Err() == nil {
			next <- x
		}
	}
	close(next)
	wg.Wait()
}

// one runs a mutant until a run finds it, or in every run.
func (q *batch) one(ctx context.Context, x *Outcome) {
	if q.o.Matrix {
		x.Killers = make([]bool, len(q.o.Runs))
	}
	began := time.Now()
	for i, spec := range q.o.Runs {
		found := q.try(ctx, x, spec, i)
		if !q.o.Matrix && found {
			return
		}
		if q.o.Matrix {
			x.Killers[i] = found
		}
	}
	if x.played = ctx.Err() == nil; x.played && x.Class == Survived {
		q.o.Progress("mutant %d: no run of %d finds it (%.0f s)", x.ID, len(q.o.Runs), time.Since(began).Seconds())
	}
}

// try does one run, and notes the run in the outcome if it is the first that finds the mutant.
func (q *batch) try(ctx context.Context, x *Outcome, spec session.Spec, run int) (found bool) {
	if ctx.Err() != nil {
		return false
	}
	spec.LimitCycles = q.limits[run]
	rep := q.report(ctx, spec, x.ID)
	if ctx.Err() != nil {
		return false
	}
	class := classOf(rep.ExitCode)
	q.noteActive(x, run)
	if class == Survived {
		return false
	}
	if x.Class != Survived {
		return class != TimedOut
	}
	x.Class, x.Run, x.Error = class, run, rep.Error
	if len(rep.Mismatches) > 0 {
		x.Rule = rep.Mismatches[0].Rule
		if p := rep.Mismatches[0].Packet; p != nil {
			x.Records = *p + 1
		}
	}
	return true
}

// classOf is what a mutant is whose run ended so. One that is no device for the bridge any more has shown itself, as
// one that crashed has.
func classOf(exit cocosim.Exit) Class {
	switch exit {
	case cocosim.Agreed:
		return Survived
	case cocosim.Mismatch:
		return Killed
	case cocosim.SimFailed, cocosim.BridgeFailed:
		return Crashed
	}
	return TimedOut
}

// report runs a Spec on a mutant. A run that cannot even begin is one that failed.
func (q *batch) report(ctx context.Context, spec session.Spec, id int) report.JSON {
	if q.o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, q.o.Timeout, errors.New("the limit of "+q.o.Timeout.String()))
		defer cancel()
	}
	s, err := q.open(ctx, spec, id)
	if err != nil {
		return report.JSON{ExitCode: cocosim.ExitOf(err), Error: err.Error()}
	}
	return *s.Run(ctx, nil).Object()
}

// open starts a device that is a mutant. The simulator looks at its environment when it starts, and only then.
func (q *batch) open(ctx context.Context, spec session.Spec, id int) (*session.Session, error) {
	spec.Dut, spec.Flavour, spec.Show = q.path, q.o.Flavour, 1
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := os.Setenv(Selector, strconv.Itoa(id)); err != nil {
		return nil, err
	}
	defer os.Unsetenv(Selector)
	if q.d.netlist != "" {
		if err := os.Setenv(activeFile, q.activeName(id)); err != nil {
			return nil, err
		}
		defer os.Unsetenv(activeFile)
	}
	s, err := session.Open(ctx, spec, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(q.path), err)
	}
	return s, nil
}
