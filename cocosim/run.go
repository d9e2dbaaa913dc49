package cocosim

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"hcacosim/model/sim"
)

// RunConfig is one run: a device driven with a stimulus and judged by a checker.
type RunConfig struct {
	Device   Device
	Checker  Checker
	Stimulus Stimulus
	Config   Config
	// Lives come before the run: each begins with a reset, and so does the run behind them. RTL only.
	Lives []Life
	// Batch is how many records go to the device in one call; 0 means DefaultBatch. It never shows in the result.
	Batch int
	// Drain is how many cycles the device gets after its last input to answer what it owes; 0 means DefaultDrain.
	Drain uint64
	// MaxCycles stops the run before a verdict; 0 is no limit.
	MaxCycles uint64
	// MaxMismatches stops the run when it has so many; 0 means DefaultMaxMismatches.
	MaxMismatches uint64
	// Keep is how many violations are kept with their records, the earliest; all are counted.
	Keep int
	// Progress, if set, is called now and then from one goroutine with the records that went in so far.
	Progress func(packets uint64)
	// Waits are, by port, how many cycles a beat of an input is offered in vain at most; nil promises nothing.
	Waits []*int
	// Holds are, by port, with how many records inside an input may be offered in vain; nil promises nothing.
	Holds []*int
	// Tap, if set, sees every record that came out of the device, the echo of every accepted input among them.
	Tap func(*sim.Record)
	// Taken, if set, sees every input as it was taken, with its bytes, behind Tap.
	Taken func(*sim.Record)
	// TapLife, if set, sees the records of the lives before the run, numbered from 1: inputs as they were taken, with
	// their bytes, and what the device gave.
	TapLife func(life int, r *sim.Record)
}

const (
	// DefaultBatch keeps a call long against its round trip.
	DefaultBatch = 4096
	// MaxBegun is how many batches may be on their way to a device.
	MaxBegun = 2
	// BatchBytes ends a batch early: frames of a few hundred KiB carry best.
	BatchBytes = 512 << 10
	// DefaultDrain is longer than any stated latency and than it takes to empty the deepest store (roce_parse at 64 bits:
	// 1024 beats), and long enough to see most of what comes unasked later: 10 ms of simulation. With backpressure the
	// run waits longer.
	DefaultDrain = 20_000
	// stalledDrain is how much longer the drain is for every unit of stretch.
	stalledDrain = 2048
	// DefaultMaxMismatches is far more than anyone reads.
	DefaultMaxMismatches = 5000
	// MaxBacklog and MaxBacklogBytes are how much a device may owe before it counts as silent.
	MaxBacklog, MaxBacklogBytes = 100_000, 128 << 20
	// MaxPrints is how many printed lines are kept: the first half of them, and the last.
	MaxPrints = 200
	// partBytes is how much of what a device says is judged at a time.
	partBytes = 4 << 20
)

// Result is what a run found.
type Result struct {
	Packets    uint64 // input records that the device took
	Agreed     uint64 // output records as expected
	Mismatched uint64 // violations
	Cycles     uint64
	Bytes      uint64 // input bytes
	Elapsed    time.Duration
	Violations []*Violation // the earliest RunConfig.Keep, by cycle
	Counts     []Count      // of all violations, by rule and port
	Score      Score
	Untaken    bool    // the last record of the stimulus, which ends before what belongs to it
	Drained    uint64  // cycles given to the device after its last input
	Prints     []Print // what the design printed: the first lines and the last, at most MaxPrints
	PrintCount uint64  // all lines
	// Digest is a hash over port, sideband and bytes of every output record in order: what the device said.
	// Timed is the same with the cycles.
	Digest, Timed uint64
	// Stopped says why the run ended before its stimulus did; nil when it did not.
	Stopped error
}

// Count is how many violations of a rule there were on a port ("" where a violation has none), and where the first was.
type Count struct {
	Rule  sim.Rule
	Port  string
	First uint64 // cycle
	N     uint64
}

// compared reports whether anything was: a record that was due, or that must not come.
func (s *Score) compared() bool { return s.Expected > 0 || s.Withheld > 0 }

// Exit is the exit code that a result stands for. Without anything compared nothing has passed.
func (r *Result) Exit() Exit {
	switch {
	case r.Mismatched > 0:
		return Mismatch
	case r.Stopped != nil:
		return ExitOf(r.Stopped)
	case !r.Score.compared() || r.Agreed != r.Score.Expected:
		return Inconclusive
	}
	return Agreed
}

// Violator is a device that checks rules of its own edge, such as those of AXI-Stream.
type Violator interface {
	// Violations returns those found since the last call.
	Violations() []*Violation
}

// Run drives the device until the stimulus ends, judges everything that comes out, and closes the device. Generating,
// running and judging overlap. An error means that the run could not be finished; the result says what was found until
// then.
func Run(ctx context.Context, rc RunConfig) (*Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	began := time.Now()
	if rc.MaxMismatches == 0 {
		rc.MaxMismatches = DefaultMaxMismatches
	}
	rc.Config.MaxCycles = rc.MaxCycles
	r := &runner{rc: rc, res: &Result{}, counts: map[ruleOnPort]*Count{}, holds: newHoldJudge(rc.Device.Ports(), rc.Holds)}
	if err := r.begin(ctx); err != nil {
		r.devicePrints()
		return r.res, errors.Join(err, rc.Device.Close())
	}
	if r.halted() != nil {
		return r.res, r.end(nil)
	}
	err := r.end(r.play(ctx))
	r.res.Elapsed = time.Since(began)
	return r.res, err
}

// play feeds the stimulus to its end, judges what comes, and lets the device give what it owes.
func (r *runner) play(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r.inputs = make(chan *sim.Offers, 2)
	r.free = make(chan *sim.Offers, 8)
	r.outputs = make(chan step, 1)
	r.spare = make(chan *sim.Batch, 4)
	for range cap(r.free) {
		r.free <- new(sim.Offers)
	}
	for range cap(r.spare) {
		r.spare <- new(sim.Batch)
	}
	go r.generate(ctx)
	done := make(chan struct{})
	go func() { defer close(done); r.judge() }()
	err := r.drive(ctx)
	close(r.outputs)
	<-done
	return errors.Join(r.turnErr, err)
}

// begin plays the lives before the run and resets the device for it.
func (r *runner) begin(ctx context.Context) error {
	if err := r.live(ctx); err != nil || r.halted() != nil {
		return err
	}
	cfg := r.rc.Config
	cfg.Keep = len(r.rc.Lives) > 0
	return r.rc.Device.Reset(ctx, cfg)
}

// end closes the device and settles the result.
func (r *runner) end(err error) error {
	halted := r.halted() // before the end was judged
	if err == nil && r.res.Stopped == nil && halted == nil {
		r.rc.Checker.Finish(r.res.Cycles, r.violation)
	}
	if a, ok := r.rc.Device.(abandoner); ok && halted != nil {
		a.Abandon()
	}
	// Without the device's own farewell nothing has passed.
	if cerr := r.rc.Device.Close(); err == nil {
		err = cerr
	}
	r.deviceViolations()
	r.devicePrints()
	r.res.Score = r.rc.Checker.Score()
	r.res.Agreed = r.res.Score.Agreed
	if err == nil && halted != nil {
		r.res.Stopped = halted
	}
	if err == nil && r.res.Stopped == nil && r.res.Mismatched == 0 && !r.res.Score.compared() {
		r.res.Stopped = Errorf(Inconclusive, "nothing was compared: the stimulus holds nothing that makes this device answer")
	}
	var hung *HungError
	if r.turnErr == nil && errors.As(err, &hung) {
		r.rc.Checker.Finish(r.res.Cycles, r.count) // what the hang took along
		v := &Violation{Verdict: sim.Verdict{Rule: "HUNG", Text: hung.Error()}, Port: hung.Port, Cycle: hung.Cycle}
		if r.violation(v); !slices.Contains(r.res.Violations, v) { // earlier ones are shown in its place
			r.res.Stopped = Errorf(Mismatch, "%s", v.Text)
		}
		err = nil
	}
	r.res.Counts = r.sortedCounts()
	return err
}

// runner holds the channels of a run. Batches travel: free -> generate -> inputs -> drive -> outputs -> judge -> free.
type runner struct {
	aimed   uint64 // the latest cycle that an input of the stimulus waits for
	rc      RunConfig
	res     *Result
	inputs  chan *sim.Offers
	free    chan *sim.Offers
	outputs chan step
	spare   chan *sim.Batch
	genErr  error // read after inputs is closed
	turnErr error // judge's own until it ends

	pending   []pendingInputs // by port, judge's own
	holds     *holdJudge      // judge's own
	counts    map[ruleOnPort]*Count
	handed    uint64 // inputs that the device was handed, judge's own
	unasked   uint64 // outputs since an input was taken, in cycle lastTaken
	lastTaken uint64
	accepted  sim.Record            // the input that is being judged; here, so that a run allocates none
	halt      atomic.Pointer[Error] // why the judge wants no more
}

type ruleOnPort struct {
	rule sim.Rule
	port string
}

// halted is why the judge wants no more; nil while it does.
func (r *runner) halted() error {
	if e := r.halt.Load(); e != nil {
		return e
	}
	return nil
}

// step is what a call to the device took and gave, or a question to the judge.
type step struct {
	in  *sim.Offers
	out *sim.Batch
	ask chan<- left
}

// generate fills batches from the stimulus until it ends.
func (r *runner) generate(ctx context.Context) {
	defer close(r.inputs)
	seqs := make([]uint64, len(r.rc.Device.Ports()))
	limit := r.rc.Batch
	if limit <= 0 {
		limit = DefaultBatch
	}
	for {
		b := r.batch(ctx)
		if b == nil {
			return
		}
		err := fill(b, r.rc.Stimulus, limit, seqs)
		if len(b.Offers) > 0 {
			select {
			case r.inputs <- b:
			case <-ctx.Done():
				return
			}
		}
		if err != nil {
			if err != io.EOF {
				r.genErr = err
			}
			return
		}
	}
}

// batch returns an empty batch, nil when the run was stopped. There are always enough, except where the records of one
// port lie and wait for those of another.
func (r *runner) batch(ctx context.Context) *sim.Offers {
	select {
	case b := <-r.free:
		b.Reset()
		return b
	case <-ctx.Done():
		return nil
	default:
		return new(sim.Offers)
	}
}

func fill(b *sim.Offers, s Stimulus, limit int, seqs []uint64) error {
	bytes := 0
	for len(b.Offers) < limit && bytes < BatchBytes {
		var o sim.Offer
		if err := s.Next(&o); err != nil {
			return err
		}
		if int(o.Port) >= len(seqs) {
			return Errorf(BadInput, "stimulus: a record for port %d, the device has %d ports", o.Port, len(seqs))
		}
		o.Seq = seqs[o.Port]
		seqs[o.Port]++
		b.Append(o)
		bytes += len(o.Data)
	}
	return nil
}

const (
	// drainStep cuts a long wait into calls, so that outputs do not pile up.
	drainStep = 1 << 20
	// drainPatience is how many cycles an input may wait after the others have ended.
	drainPatience = 20_000
)
