package cocosim

import (
	"context"
	"errors"
	"hash/crc32"
	"io"
	"time"

	"hcacosim/model/sim"
)

// RunConfig is one run: a device driven with a stimulus and judged by a checker.
type RunConfig struct {
	Device   Device
	Checker  Checker
	Stimulus Stimulus
	Config   Config
	// Batch is how many records go to the device in one call; 0 means DefaultBatch. It never shows in the result.
	Batch int
	// Drain is how many cycles the device gets after its last input to answer what it owes; 0 means DefaultDrain.
	Drain uint64
	// MaxCycles stops the run before a verdict; 0 is no limit.
	MaxCycles uint64
	// Keep is how many violations are kept with their records; all are counted.
	Keep int
	// Progress, if set, is called now and then from one goroutine with the records that went in so far.
	Progress func(packets uint64)
	// Tap, if set, sees every record that came out of the device, realised inputs included.
	Tap func(*sim.Record)
}

const (
	// DefaultBatch keeps a call long against its round trip.
	DefaultBatch = 4096
	// MaxBegun is how many batches may be on their way to a device.
	MaxBegun = 2
	// BatchBytes ends a batch early: frames of a few hundred KiB carry best.
	BatchBytes = 512 << 10
	// DefaultDrain is longer than any stated latency and than it takes to empty the deepest store (roce_parse at 64 bits: 1024
	// beats), without backpressure; with it the run waits longer by as much.
	DefaultDrain = 4096
)

// Result is what a run found.
type Result struct {
	Packets    uint64 // input records that the device took
	Agreed     uint64 // output records as expected
	Mismatched uint64 // violations
	Cycles     uint64
	Bytes      uint64 // input bytes
	Elapsed    time.Duration
	Violations []*Violation // the first RunConfig.Keep
	Score      Score
	// Digest is a hash over port, sideband and bytes of every output record in order: what the device said.
	// Timed is the same with the cycles.
	Digest, Timed uint64
	// Stopped says why the run ended before its stimulus did; nil when it did not.
	Stopped error
}

// Exit is the exit code that a result stands for. Without anything compared nothing has passed.
func (r *Result) Exit() Exit {
	switch {
	case r.Mismatched > 0:
		return Mismatch
	case r.Stopped != nil:
		return ExitOf(r.Stopped)
	case r.Score.Expected == 0 || r.Agreed != r.Score.Expected:
		return Inconclusive
	}
	return Agreed
}

// Violator is a device that checks rules of its own edge, such as those of AXI-Stream.
type Violator interface {
	// Violations returns those found since the last call.
	Violations() []*Violation
}

// Run drives the device until the stimulus ends, judges everything that comes out, and closes the device. Generating, running and judging
// overlap. An error means that the run could not be finished; the result says what was found until then.
func Run(ctx context.Context, rc RunConfig) (*Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	began := time.Now()
	if err := rc.Device.Reset(ctx, rc.Config); err != nil {
		return &Result{}, errors.Join(err, rc.Device.Close())
	}
	r := &runner{rc: rc, res: &Result{}}
	r.inputs = make(chan *sim.Batch, 2)
	r.free = make(chan *sim.Batch, 8)
	r.outputs = make(chan step, 1)
	r.spare = make(chan *sim.Batch, 4)
	for range cap(r.free) {
		r.free <- new(sim.Batch)
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
	err = errors.Join(r.turnErr, err)
	if err == nil && r.res.Stopped == nil {
		r.rc.Checker.Finish(r.res.Cycles, r.violation)
	}
	// Without the device's own farewell nothing has passed.
	if cerr := rc.Device.Close(); err == nil {
		err = cerr
	}
	r.deviceViolations()
	r.res.Elapsed = time.Since(began)
	r.res.Score = rc.Checker.Score()
	r.res.Agreed = r.res.Score.Agreed
	if err == nil && r.res.Stopped == nil && r.res.Score.Expected == 0 {
		r.res.Stopped = Errorf(Inconclusive, "nothing was compared: the stimulus holds nothing that makes this device answer")
	}
	var hung *HungError
	if r.turnErr == nil && errors.As(err, &hung) {
		r.rc.Checker.Finish(r.res.Cycles, func(*Violation) { r.res.Mismatched++ })
		r.violation(&Violation{Verdict: sim.Verdict{Rule: "HUNG", Text: hung.Error()}, Port: hung.Port, Cycle: hung.Cycle})
		err = nil
	}
	return r.res, err
}

// runner holds the channels of a run. Batches travel: free -> generate -> inputs -> drive -> outputs -> judge -> free.
type runner struct {
	rc      RunConfig
	res     *Result
	inputs  chan *sim.Batch
	free    chan *sim.Batch
	outputs chan step
	spare   chan *sim.Batch
	genErr  error // read after inputs is closed
	turnErr error // judge's own until it ends

	pending []pendingInputs // by port, judge's own
}

// step is what a call to the device took and gave, or a question to the judge.
type step struct {
	in, out *sim.Batch
	ask     chan<- left
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
		if len(b.Records) > 0 {
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

// batch returns an empty batch, nil when the run was stopped. There are always enough, except where the records of one port lie
// and wait for those of another.
func (r *runner) batch(ctx context.Context) *sim.Batch {
	select {
	case b := <-r.free:
		b.Reset()
		return b
	case <-ctx.Done():
		return nil
	default:
		return new(sim.Batch)
	}
}

func fill(b *sim.Batch, s Stimulus, limit int, seqs []uint64) error {
	bytes := 0
	for len(b.Records) < limit && bytes < BatchBytes {
		var rec sim.Record
		if err := s.Next(&rec); err != nil {
			return err
		}
		if int(rec.Port) >= len(seqs) {
			return Errorf(BadInput, "stimulus: a record for port %d, the device has %d ports", rec.Port, len(seqs))
		}
		rec.Seq = seqs[rec.Port]
		seqs[rec.Port]++
		b.Append(rec)
		bytes += len(rec.Data)
	}
	return nil
}

// drive hands batches to the device and what comes out to the judge. The device has its next batch before it is asked for the
// results of the last, if one is there.
func (r *runner) drive(ctx context.Context) error {
	d, ok := r.rc.Device.(beginner)
	if !ok {
		d = &oneByOne{Device: r.rc.Device}
	}
	cycles := uint64(0)
	var begun []*sim.Batch
	for more := true; ; {
		var failed error
		for more && len(begun) < MaxBegun {
			var in *sim.Batch
			if in, more = r.nextInput(len(begun) == 0); in == nil {
				break
			}
			if failed = d.Begin(ctx, WhileFed, in.Records); failed != nil {
				more = false
				break
			}
			begun = append(begun, in)
		}
		if len(begun) == 0 {
			if failed != nil {
				return failed
			}
			break
		}
		in := begun[0]
		begun = begun[1:]
		out := <-r.spare
		out.Reset()
		err := d.Collect(ctx, out)
		cycles = lastCycle(out, cycles)
		packets := uint64(len(in.Records))
		r.outputs <- step{in: in, out: out}
		if err = errors.Join(err, failed); err != nil {
			return err
		}
		if r.rc.MaxCycles > 0 && cycles > r.rc.MaxCycles {
			r.res.Stopped = Errorf(Inconclusive, "stopped at cycle %d by the limit of %d cycles", cycles, r.rc.MaxCycles)
			return nil
		}
		if r.rc.Progress != nil {
			r.rc.Progress(packets)
		}
	}
	if r.genErr != nil {
		return r.genErr
	}
	if err := ctx.Err(); err != nil {
		return Errorf(Inconclusive, "stopped before a verdict: %v", context.Cause(ctx))
	}
	return r.drain(ctx, cycles)
}

// nextInput takes the next batch: if it must be, it waits for one. Nil is none now; more is false when there will be none.
func (r *runner) nextInput(wait bool) (in *sim.Batch, more bool) {
	if wait {
		in, more = <-r.inputs
		return in, more
	}
	select {
	case in, more = <-r.inputs:
		return in, more
	default:
		return nil, true
	}
}

// beginner is a device whose Advance can be had in halves: RTL.
type beginner interface {
	Begin(ctx context.Context, to uint64, in []sim.Record) error
	Collect(ctx context.Context, out *sim.Batch) error
}

// oneByOne makes a beginner of any device: nothing happens before Collect.
type oneByOne struct {
	Device
	begun [][]sim.Record
}

func (d *oneByOne) Begin(_ context.Context, _ uint64, in []sim.Record) error {
	d.begun = append(d.begun, in)
	return nil
}

func (d *oneByOne) Collect(ctx context.Context, out *sim.Batch) error {
	in := d.begun[0]
	d.begun = d.begun[1:]
	return d.Advance(ctx, WhileFed, in, out)
}

// drain gives the device time for what it owes: a fixed time, and then for as long as the checker waits for something. Inputs
// of which other ports have none beside them are taken here too: WhileFed ends with the port that ends first.
func (r *runner) drain(ctx context.Context, cycles uint64) error {
	least := r.rc.Drain
	if least == 0 {
		least = uint64(DefaultDrain * (1 + r.stretch()/2))
	}
	until, before := cycles+least, ^uint64(0)
	for {
		out := <-r.spare
		out.Reset()
		err := r.rc.Device.Advance(ctx, until, nil, out)
		moved := len(out.Records) > 0
		r.outputs <- step{out: out}
		if err != nil {
			return err
		}
		left := r.ask()
		if r.rc.MaxCycles > 0 && until > r.rc.MaxCycles && (left.inputs > 0 || left.latest > until) {
			r.res.Stopped = Errorf(Inconclusive, "stopped at cycle %d by the limit of %d cycles", until, r.rc.MaxCycles)
			return nil
		}
		// Stalls stretch what is owed: each output waits for its turn.
		latest := left.latest + uint64(float64(left.latest-min(left.latest, cycles))*r.stretch())
		switch {
		case latest > until:
			until = min(latest, until+drainStep)
		case left.inputs > 0 && (moved || left.inputs < before):
			until += least
		case left.inputs > 0:
			return &HungError{Cycle: until, Idle: least, Port: left.port}
		default:
			return nil
		}
		before = left.inputs
	}
}

// drainStep cuts a long wait into calls, so that outputs do not pile up.
const drainStep = 1 << 20

// stretch is how much longer an output takes under the backpressure of this run, and as much again to spare.
func (r *runner) stretch() float64 {
	b := min(r.rc.Config.Backpressure, 0.99)
	return 2 * b / (1 - b)
}

// left is what is still to come.
type left struct {
	inputs uint64 // handed over and not taken
	port   string // of one of them
	latest uint64 // Checker.Latest
}

// ask waits until the judge has seen everything so far.
func (r *runner) ask() left {
	answer := make(chan left)
	r.outputs <- step{ask: answer}
	return <-answer
}

func lastCycle(b *sim.Batch, least uint64) uint64 {
	if n := len(b.Records); n > 0 {
		return max(least, b.Records[n-1].End)
	}
	return least
}

// pendingInputs are the inputs of a port that were handed over but not taken yet, in order.
type pendingInputs struct {
	records []pendingInput
	head    int
}

type pendingInput struct {
	record *sim.Record
	batch  *heldBatch
}

// heldBatch is an input batch of which `left` records are not taken yet; at 0 it goes back to the generator.
type heldBatch struct {
	batch *sim.Batch
	left  int
}

func (p *pendingInputs) push(in pendingInput) {
	if p.head == len(p.records) {
		p.records, p.head = p.records[:0], 0
	}
	p.records = append(p.records, in)
}

// judge offers everything to the checker in the order of the cycles.
func (r *runner) judge() {
	ports := r.rc.Device.Ports()
	r.pending = make([]pendingInputs, len(ports))
	for s := range r.outputs {
		if s.ask != nil {
			l := left{latest: r.rc.Checker.Latest()}
			l.inputs, l.port = r.waiting(ports)
			s.ask <- l
			continue
		}
		if s.in != nil {
			held := &heldBatch{s.in, len(s.in.Records)}
			for i := range s.in.Records {
				rec := &s.in.Records[i]
				r.pending[rec.Port].push(pendingInput{rec, held})
			}
		}
		for i := range s.out.Records {
			rec := &s.out.Records[i]
			r.observe(rec, ports[rec.Port].Input)
		}
		r.deviceViolations()
		r.spare <- s.out
	}
}

// waiting counts the inputs that the device has not taken, and names the port of one.
func (r *runner) waiting(ports []sim.PortSpec) (n uint64, port string) {
	for i := range r.pending {
		if k := len(r.pending[i].records) - r.pending[i].head; k > 0 {
			n, port = n+uint64(k), ports[i].Name
		}
	}
	return n, port
}

func (r *runner) observe(rec *sim.Record, input bool) {
	r.res.Cycles = max(r.res.Cycles, rec.End+1)
	r.res.Timed = mix(mix(mix(r.res.Timed, uint64(rec.Port)), rec.Start), rec.End)
	if r.rc.Tap != nil {
		r.rc.Tap(rec)
	}
	if input {
		r.taken(rec)
		return
	}
	h := uint64(crc32.Checksum(rec.Data, castagnoli))<<32 | uint64(len(rec.Data))
	r.res.Digest = mix(mix(r.res.Digest, uint64(rec.Port)<<32|uint64(rec.User)), h)
	r.rc.Checker.Output(rec, r.violation)
}

func (r *runner) taken(echo *sim.Record) {
	p := &r.pending[echo.Port]
	if p.head == len(p.records) || p.records[p.head].record.Seq != echo.Seq {
		if r.turnErr == nil {
			r.turnErr = Errorf(BridgeFailed, "port %s: the bridge says that input %d was taken at cycle %d, out of turn", r.rc.Device.Ports()[echo.Port].Name, echo.Seq, echo.End)
		}
		return
	}
	front := p.records[p.head]
	p.head++
	in := front.record
	earliest := in.Start
	in.Start, in.End = echo.Start, echo.End
	r.res.Packets++
	r.res.Bytes += uint64(len(in.Data))
	r.rc.Checker.Input(in, earliest, r.violation)
	if front.batch.left--; front.batch.left == 0 {
		select {
		case r.free <- front.batch.batch:
		default: // more than enough
		}
	}
}

func (r *runner) deviceViolations() {
	if d, ok := r.rc.Device.(Violator); ok {
		for _, v := range d.Violations() {
			r.violation(v)
		}
	}
}

func (r *runner) violation(v *Violation) {
	r.res.Mismatched++
	if len(r.res.Violations) < r.rc.Keep {
		r.res.Violations = append(r.res.Violations, v)
	}
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// mix folds v into a running 64-bit hash.
func mix(h, v uint64) uint64 {
	h = (h ^ v) * 0x9E3779B97F4A7C15
	return h ^ h>>29
}
