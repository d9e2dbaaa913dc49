package regress

import (
	"context"
	"os"
	"sync"

	"github.com/hashicorp/go-hclog"

	"hcacosim/cocosim"
	"hcacosim/cocosim/report"
	"hcacosim/cocosim/session"
	"hcacosim/cocosim/verilated"
)

// Options say how the runs of a regression are run.
type Options struct {
	Jobs      int // runs at a time; 0 is 1
	StopAfter int // begin no more after so many have failed; 0 is no limit
	Log       hclog.Logger
	// Count, if set, gets the lines and branches that were reached: the devices are built to count them.
	Count verilated.Coverages
	// State, if set, gets the changes of every bit: the devices are built to count them, which excludes Count.
	State *States
	// Begun and Ended, if set, are called one at a time, with the place of the run.
	Begun, Ended func(at int, r *Run)
}

// Execute runs the runs. Those that were not begun stay as they are. Failures of runs stand in their reports; an error
// is the context's.
func Execute(ctx context.Context, runs []*Run, o Options) error {
	e := &executor{runs: runs, o: o}
	var wg sync.WaitGroup
	for range max(1, o.Jobs) {
		wg.Go(func() {
			for at, ok := e.next(ctx); ok; at, ok = e.next(ctx) {
				e.run(ctx, at)
			}
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return cocosim.Errorf(cocosim.Inconclusive, "stopped: %v", context.Cause(ctx))
	}
	return nil
}

type executor struct {
	o    Options
	runs []*Run

	mu           sync.Mutex
	begun, fails int
}

// next gives the place of the run that is to begin.
func (e *executor) next(ctx context.Context) (at int, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.begun == len(e.runs) || ctx.Err() != nil || e.o.StopAfter > 0 && e.fails >= e.o.StopAfter {
		return 0, false
	}
	e.begun++
	if e.o.Begun != nil {
		e.o.Begun(e.begun-1, e.runs[e.begun-1])
	}
	return e.begun - 1, true
}

func (e *executor) run(ctx context.Context, at int) {
	r := e.runs[at]
	counted, err := e.counted(r)
	var rep *report.Report
	if err == nil {
		rep, err = session.Run(ctx, r.Spec, session.Options{Log: e.o.Log, Probe: e.o.Count == nil && e.o.State == nil})
	}
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		rep = failure(&r.Spec, err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	r.Report, r.Done = *rep.Object(), true
	if err := counted(); err != nil && r.Report.ExitCode == cocosim.Agreed {
		r.Report = *failure(&r.Spec, err).Object()
	}
	if r.Report.ExitCode != cocosim.Agreed {
		e.fails++
	} else {
		rep.Forget()
	}
	if e.o.Ended != nil {
		e.o.Ended(at, r)
	}
}

// failure is the report of a run that there was not.
func failure(spec *session.Spec, err error) *report.Report {
	return &report.Report{Dut: spec.Dut, Params: spec.Params, Seed: spec.Seed, Reproduce: spec.Line(),
		Result: &cocosim.Result{}, Err: err}
}

// counted lets a run count lines and branches, or changes of bits, if that is wanted. What it returns adds them up.
func (e *executor) counted(r *Run) (add func() error, err error) {
	if e.o.Count == nil && e.o.State == nil {
		return func() error { return nil }, nil
	}
	f, err := os.CreateTemp("", "cosim-coverage-")
	if err != nil {
		return func() error { return nil }, err
	}
	r.Spec.Flavour, r.Spec.Coverage = verilated.Coverage, f.Name()
	if e.o.State != nil {
		r.Spec.Flavour, r.Spec.Resets = verilated.Toggle, 0 // a run begins with any state, and so does one behind a reset
	}
	return func() error {
		defer os.Remove(f.Name())
		if e.o.State == nil {
			return e.o.Count.ReadCoverage(f.Name())
		}
		s := e.o.State.of(r.Spec.Dut)
		s.Runs++
		return s.Toggles.ReadCoverage(f.Name())
	}, f.Close()
}

// Failed are the runs that did not agree, those that never began left out.
func Failed(runs []*Run) (failed []*Run) {
	for _, r := range runs {
		if r.Done && r.Report.ExitCode != cocosim.Agreed {
			failed = append(failed, r)
		}
	}
	return failed
}

// Exit is the exit code of a regression: that of a mismatch if there is one, else that of the first run that failed.
func Exit(runs []*Run) cocosim.Exit {
	exit := cocosim.Agreed
	for _, r := range Failed(runs) {
		if r.Report.ExitCode == cocosim.Mismatch {
			return cocosim.Mismatch
		}
		if exit == cocosim.Agreed {
			exit = r.Report.ExitCode
		}
	}
	return exit
}
