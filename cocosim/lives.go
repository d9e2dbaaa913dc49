package cocosim

import (
	"context"
	"errors"
	"fmt"

	"hcacosim/model/sim"
)

// Life is traffic that a reset ends wherever the device then is. What the device gives until the reset is judged; what
// it owes at the reset is lost, and nothing of it may come later. The design keeps its state but for what the reset
// clears.
type Life struct {
	Checker  Checker
	Stimulus Stimulus
	Records  int    // that are fed until the first port has none left; 0: the life is over after Cycles
	More     int    // records that are offered behind them and may still wait at the reset
	Cycles   uint64 // from there to the reset
	Hold     int    // cycles of the reset that begins it; 0 is as the manifest says
	// Start begins afresh, from the state of StateSeed, and not from what the life before left.
	Start     bool
	StateSeed uint64
	// Seed, Backpressure, Idle and StallOnly take the place of the run's: a life that begins in a stall tells other
	// things of a reset than one that begins at full speed.
	Seed               uint64
	Backpressure, Idle float64
	StallOnly          int
}

// where says which life it is: the numbers of resets begin behind the starts.
func (r *runner) where(number int) string {
	starts := 0
	for i := range r.rc.Lives[:number] {
		if r.rc.Lives[i].Start {
			starts++
		}
	}
	if l := &r.rc.Lives[number-1]; l.Start {
		return fmt.Sprintf("which begins in another state (--state-seed %d)", l.StateSeed)
	}
	return fmt.Sprintf("before reset %d of the run", number-starts)
}

// livedRun is a Life being played.
type livedRun struct {
	*runner
	dev    beginner
	inputs []*sim.Offers // the runner's records lie in them
	last   uint64        // cycle in which something happened
}

// live plays the lives before a run, each of which begins with a reset. Violations go to the run's, without a packet:
// the packets of a life are not those of the run. The limits of the run hold for them too.
func (r *runner) live(ctx context.Context) error {
	for i := range r.rc.Lives {
		life := &r.rc.Lives[i]
		cfg := r.rc.Config
		cfg.Start, cfg.Hold = life.Start, life.Hold
		if life.Start {
			cfg.StateSeed = life.StateSeed
		}
		cfg.Keep = i > 0 && !life.Start && !r.rc.Lives[i-1].Start
		cfg.Seed, cfg.Backpressure, cfg.Idle, cfg.StallOnly = life.Seed, life.Backpressure, life.Idle, life.StallOnly
		if err := r.rc.Device.Reset(ctx, cfg); err != nil {
			return err
		}
		err := r.liveOne(ctx, life, i+1)
		if err != nil || r.halted() != nil {
			return err
		}
	}
	return nil
}

func (r *runner) liveOne(ctx context.Context, life *Life, number int) error {
	rc := r.rc
	rc.Checker, rc.Stimulus, rc.Keep = life.Checker, life.Stimulus, max(r.rc.Keep, lifeKeep)
	rc.Tap, rc.Taken = nil, nil // both or none: who pairs inputs with outputs sees the run alone
	rc.tapLife(number)
	rc.Config.Backpressure, rc.Config.Idle, rc.Progress = life.Backpressure, life.Idle, nil
	l := &livedRun{runner: &runner{rc: rc, res: &Result{}, counts: map[ruleOnPort]*Count{}}}
	l.pending = make([]pendingInputs, len(rc.Device.Ports()))
	l.dev = beginnerOf(rc.Device)
	err := l.play(ctx, life)
	l.deviceViolations()
	r.keepPrints(l.res.Prints, l.res.PrintCount)
	for _, v := range l.res.Violations {
		other := *v
		other.Known, other.Packet = false, 0 // its number is that of a record of the life
		other.Life = number
		other.Text = fmt.Sprintf("in life %d, %s: %s", number, r.where(number), v.Text)
		r.violation(&other)
	}
	var hung *HungError
	if errors.As(err, &hung) {
		r.violation(&Violation{Verdict: sim.Verdict{Rule: "HUNG", Text: fmt.Sprintf("in life %d: %v", number, hung)},
			Port: hung.Port, Cycle: hung.Cycle, Life: number})
		r.halt.CompareAndSwap(nil, Errorf(Mismatch, "stopped in life %d: the device hung", number))
		return nil
	}
	if r.turnErr == nil {
		r.turnErr = l.turnErr
	}
	return err
}

// tapLife lets TapLife see a life.
func (rc *RunConfig) tapLife(number int) {
	if rc.TapLife == nil {
		return
	}
	ports := rc.Device.Ports()
	rc.Tap = func(r *sim.Record) {
		if !ports[r.Port].Input {
			rc.TapLife(number, r)
		}
	}
	rc.Taken = func(r *sim.Record) { rc.TapLife(number, r) }
}

// lifeKeep is how many violations of a life are told.
const lifeKeep = 16

// play plays a life: a start to its end, any other to its reset.
func (l *livedRun) play(ctx context.Context, life *Life) error {
	if !life.Start {
		return l.toReset(ctx, life)
	}
	err := l.runner.play(ctx)
	if err == nil && l.res.Stopped == nil && l.halted() == nil {
		l.rc.Checker.Finish(l.res.Cycles, l.violation)
	}
	return err
}

// toReset feeds the records of a life and lets it run on to its reset.
func (l *livedRun) toReset(ctx context.Context, life *Life) error {
	seqs := make([]uint64, len(l.pending))
	for n, to := life.Records, uint64(WhileFed); ; n, to = life.More, 0 {
		in := new(sim.Offers)
		for n > 0 {
			before := len(in.Offers)
			err := fill(in, life.Stimulus, before+n, seqs)
			if n -= len(in.Offers) - before; err != nil { // a stimulus that ends is a short life
				break
			}
		}
		if to != WhileFed {
			to = l.last + life.Cycles
		}
		if to != WhileFed || len(in.Offers) > 0 {
			if err := l.step(ctx, to, in); err != nil || l.halted() != nil {
				return err
			}
		}
		if to != WhileFed {
			return ctx.Err()
		}
	}
}

// step runs a batch and judges what came.
func (l *livedRun) step(ctx context.Context, to uint64, in *sim.Offers) error {
	l.inputs = append(l.inputs, in)
	held := &heldBatch{in, len(in.Offers)}
	for i := range in.Offers {
		l.pending[in.Offers[i].Port].push(pendingInput{l.handed, &in.Offers[i], held})
		l.handed++
	}
	if err := l.dev.Begin(ctx, to, in.Offers); err != nil {
		return err
	}
	ports := l.rc.Device.Ports()
	for {
		out := new(sim.Batch)
		more, err := l.dev.CollectSome(ctx, out, partBytes)
		for i := 0; i < len(out.Records) && l.halted() == nil; i++ {
			l.observe(&out.Records[i], ports[out.Records[i].Port].Input)
			l.last = max(l.last, out.Records[i].End+1)
		}
		if err != nil || !more {
			return err
		}
	}
}
