package bundle

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/hashicorp/go-hclog"

	"hcacosim/cocosim"
	"hcacosim/cocosim/report"
	"hcacosim/cocosim/session"
	"hcacosim/cocosim/verilated"
	"hcacosim/cocosim/waves"
)

// The files of waves in a bundle. They are there when About.Trace names the first.
const (
	TraceFile   = "trace.fst"
	GTKWaveFile = "trace.gtkw"
	SurferFile  = "trace.sucl"
	TraceLog    = "trace.log" // what the design printed and asserted in the window, where assertions are on

	tracePrefix = ".trace-" // of the directory in which they are made
)

// noTrace is About.Trace where there is none.
const noTrace = "none"

// TraceOptions say which cycles go into the waves.
type TraceOptions struct {
	Before, After uint64 // the mismatch; 0 is DefaultBefore and DefaultAfter
	Log           hclog.Logger
}

const (
	// DefaultBefore and DefaultAfter are the cycles of a window around its mismatch. It begins earlier, at most
	// mostBefore cycles, where the input concerned was taken before that.
	DefaultBefore, DefaultAfter = 256, 32

	mostBefore = 4096
	lead       = 16 // cycles in front of that input
)

// Span is a run of cycles, both ends included.
type Span struct {
	From uint64 `json:"from"`
	To   uint64 `json:"to"`
}

func (a *About) window(o TraceOptions) Span {
	before, after := o.Before, o.After
	if before == 0 {
		before = DefaultBefore
	}
	if after == 0 {
		after = DefaultAfter
	}
	from := a.Cycle - min(a.Cycle, before)
	if in := a.Input; in != nil && in.Start < from+lead {
		from = max(in.Start-min(in.Start, lead), a.Cycle-min(a.Cycle, mostBefore))
	}
	return Span{from, a.Cycle + after}
}

// Trace runs a bundle once more in a build that writes waves, and puts those around its mismatch into it. spec is that
// of Open, perhaps with another device. The waves appear in the bundle when they are whole; an error leaves it as it
// was. A run that is stopped leaves the waves until then. The report is nil where there was no run.
func Trace(ctx context.Context, dir string, spec session.Spec, o TraceOptions) (*report.Report, error) {
	about, _, err := Open(dir)
	if err != nil {
		return nil, err
	}
	if err := traceable(&spec); err != nil {
		return nil, err
	}
	stale, _ := filepath.Glob(filepath.Join(dir, tracePrefix+"*"))
	for _, s := range stale {
		os.RemoveAll(s)
	}
	temp, err := os.MkdirTemp(dir, tracePrefix)
	if err != nil {
		return nil, cocosim.Errorf(cocosim.BadInput, "no waves: %v", cocosim.Cause(err))
	}
	defer os.RemoveAll(temp)
	w := about.window(o)
	if about.Packets == 0 && about.Signature != "" && spec.Resets == 0 { // its Spec goes on behind the mismatch
		spec.LimitCycles = w.To + marginCycles
	}
	rep, err := session.Run(ctx, spec, session.Options{Log: o.Log, Trace: &verilated.Window{
		File: filepath.Join(temp, TraceFile), From: w.From, To: w.To}})
	if err != nil {
		return nil, err
	}
	t := tracer{about: about, report: rep, dir: dir, temp: temp, window: w}
	return rep, t.finish()
}

// traceable makes a Spec one whose device writes waves.
func traceable(spec *session.Spec) error {
	if d := spec.Device; d != "" && d != session.RTL {
		return cocosim.Errorf(cocosim.BadInput, "no waves: device %s has no signals", d)
	}
	if spec.Flavour == verilated.Word || spec.Flavour == verilated.Gate {
		return cocosim.Errorf(cocosim.BadInput, "no waves of a netlist (--flavour %s): trace the RTL", spec.Flavour)
	}
	spec.Flavour, spec.Coverage, spec.Timeout, spec.Warnings = verilated.Trace, "", 0, false
	spec.MaxMismatches = max(spec.MaxMismatches, 1<<40) // assertions, which may be many, do not end it
	spec.LimitCycles = max(spec.LimitCycles, 1<<62)     // nor does a slow device
	spec.Show = max(spec.Show, 1000)
	return nil
}

// tracer puts what a run left in temp into the bundle.
type tracer struct {
	about     *About
	report    *report.Report
	dir, temp string
	window    Span
	file      *waves.File
}

func (t *tracer) finish() (err error) {
	if t.file, err = waves.Read(filepath.Join(t.temp, TraceFile)); err != nil {
		return t.none(err)
	}
	view := t.view()
	for _, f := range []struct {
		name  string
		write func(io.Writer) error
	}{{GTKWaveFile, view.GTKWave}, {SurferFile, view.Surfer}, {TraceLog, t.log}} {
		if err := create(filepath.Join(t.temp, f.name), f.write); err != nil {
			return cocosim.Errorf(cocosim.BadInput, "no waves: %v", err)
		}
	}
	for _, name := range []string{GTKWaveFile, SurferFile, TraceLog, TraceFile} {
		if err := os.Rename(filepath.Join(t.temp, name), filepath.Join(t.dir, name)); err != nil {
			return cocosim.Errorf(cocosim.BadInput, "no waves: %v", err)
		}
	}
	had := t.about.Trace == TraceFile
	t.about.Trace = TraceFile
	t.about.TraceCycles = &Span{t.file.From / verilated.CycleTime, t.file.To / verilated.CycleTime}
	if err := t.about.save(t.dir); err != nil { // it goes on saying that there are none, so there are none
		for _, name := range []string{TraceFile, GTKWaveFile, SurferFile, TraceLog} {
			if !had {
				os.Remove(filepath.Join(t.dir, name))
			}
		}
		return cocosim.Errorf(cocosim.BadInput, "no waves: %v", err)
	}
	return t.about.showWaves(t.dir, t.picture(view))
}

// none says why there is no file.
func (t *tracer) none(err error) error {
	switch {
	case t.report.Err != nil:
		return cocosim.Errorf(cocosim.SimFailed, "no waves: %v", t.report.Err)
	case !errors.Is(err, os.ErrNotExist):
		return cocosim.Errorf(cocosim.SimFailed, "no waves: %v", err)
	case t.report.Result.Cycles < t.window.From:
		return cocosim.Errorf(cocosim.Inconclusive, "no waves: the run ended at cycle %d, before their first cycle %d",
			t.report.Result.Cycles, t.window.From)
	}
	return cocosim.Errorf(cocosim.SimFailed, "no waves: the simulator could not write them; is there room in %s?", t.dir)
}

// create writes a file and checks that all of it was written.
func create(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// log writes what the design printed and asserted.
func (t *tracer) log(w io.Writer) error {
	_, err := io.WriteString(w, said(t.report, t.window))
	return err
}

// said are the prints and the failed assertions of a run in their order, of a span of cycles, a line each.
func said(rep *report.Report, in Span) string {
	type line struct {
		cycle uint64
		text  string
	}
	var lines []line
	for _, p := range rep.Result.Prints {
		if p.InReset || in.From <= p.Cycle && p.Cycle <= in.To {
			when := "cycle " + p.When()
			if p.InReset {
				when = "in reset"
			}
			lines = append(lines, line{p.Cycle, when + ": " + p.Text + "\n"})
		}
	}
	for _, v := range rep.Result.Violations {
		if (v.Rule == ruleAssert || v.Rule == ruleStop) && in.From <= v.Cycle && v.Cycle <= in.To {
			lines = append(lines, line{v.Cycle, fmt.Sprintf("cycle %d: %s: %s\n", v.Cycle, v.Rule, v.Text)})
		}
	}
	slices.SortStableFunc(lines, func(a, b line) int {
		return int(int64(a.cycle - b.cycle))
	})
	text := ""
	for _, l := range lines {
		text += l.text
	}
	if kept := uint64(len(rep.Result.Prints)); rep.Result.PrintCount > kept {
		text += fmt.Sprintf("(%d lines were printed in all; the first and the last are kept)\n", rep.Result.PrintCount)
	}
	return text
}

const (
	ruleAssert = "ASSERT"
	ruleStop   = "STOP"
)

// Repeats reports whether a run has the violation of a bundle. Others may come before it: a build with assertions on
// has those too.
func (a *About) Repeats(rep *report.Report) bool {
	if a.Signature == "" {
		return len(rep.Result.Violations) == 0
	}
	return slices.ContainsFunc(rep.Result.Violations, func(v *cocosim.Violation) bool {
		return rep.Signature(v) == a.Signature
	})
}
