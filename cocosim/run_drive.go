package cocosim

import (
	"context"
	"errors"

	"hcacosim/model/sim"
)

// drive hands batches to the device and what comes out to the judge. The device has its next batch before it is asked
// for the results of the last, if one is there.
func (r *runner) drive(ctx context.Context) error {
	d := beginnerOf(r.rc.Device)
	cycles := uint64(0)
	var begun []*sim.Offers
	for more := true; ; {
		var failed error
		for more && len(begun) < MaxBegun {
			var in *sim.Offers
			if in, more = r.nextInput(len(begun) == 0); in == nil {
				break
			}
			if failed = d.Begin(ctx, WhileFed, in.Offers); failed != nil {
				more = false
				break
			}
			for i := range in.Offers {
				r.aimed = max(r.aimed, in.Offers[i].NotBefore)
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
		packets := uint64(len(in.Offers))
		end, err := r.collect(ctx, d, in)
		cycles = max(cycles, end)
		if r.halted() != nil {
			return nil
		}
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
	return r.drain(ctx, d, cycles)
}

// collect hands the results of a batch, which may be endless, to the judge part by part, until the judge wants no
// more. It returns the last cycle in which something happened.
func (r *runner) collect(ctx context.Context, d beginner, in *sim.Offers) (cycles uint64, err error) {
	for {
		out := <-r.spare
		out.Reset()
		more, err := d.CollectSome(ctx, out, partBytes)
		cycles = lastCycle(out, cycles)
		r.outputs <- step{in: in, out: out}
		in = nil
		if !more || err != nil || r.halted() != nil {
			return cycles, err
		}
	}
}

// nextInput takes the next batch: if it must be, it waits for one. Nil is none now; more is false when there will be
// none.
func (r *runner) nextInput(wait bool) (in *sim.Offers, more bool) {
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
	Begin(ctx context.Context, to uint64, in []sim.Offer) error
	CollectSome(ctx context.Context, out *sim.Batch, bytes uint64) (more bool, err error)
}

// abandoner is a device that can be left without a farewell.
type abandoner interface{ Abandon() }

func beginnerOf(d Device) beginner {
	if b, ok := d.(beginner); ok {
		return b
	}
	return &oneByOne{Device: d}
}

// oneByOne makes a beginner of any device: nothing happens before Collect.
type oneByOne struct {
	Device
	begun []begunBatch
}

type begunBatch struct {
	to uint64
	in []sim.Offer
}

func (d *oneByOne) Begin(_ context.Context, to uint64, in []sim.Offer) error {
	d.begun = append(d.begun, begunBatch{to, in})
	return nil
}

func (d *oneByOne) CollectSome(ctx context.Context, out *sim.Batch, _ uint64) (more bool, err error) {
	b := d.begun[0]
	d.begun = d.begun[1:]
	return false, d.Advance(ctx, b.to, b.in, out)
}

// drain gives the device time for what it owes: a fixed time, and then for as long as the checker waits for something,
// or outputs that are owed come.
// Inputs of which other ports have none beside them are taken here too: WhileFed ends with the port that ends first.
func (r *runner) drain(ctx context.Context, d beginner, cycles uint64) error {
	least := r.rc.Drain
	if least == 0 {
		least = DefaultDrain + uint64(stalledDrain*r.stretch())
	}
	until, before, owed, moved := cycles+least, ^uint64(0), ^uint64(0), cycles
	for {
		if err := d.Begin(ctx, until, nil); err != nil {
			return err
		}
		if _, err := r.collect(ctx, d, nil); err != nil {
			return err
		}
		left := r.ask()
		r.res.Drained = until - cycles
		if r.halted() != nil {
			return nil
		}
		if r.rc.MaxCycles > 0 && until > r.rc.MaxCycles && (left.inputs > 0 || left.latest > until) {
			r.res.Stopped = Errorf(Inconclusive, "stopped at cycle %d by the limit of %d cycles", until, r.rc.MaxCycles)
			return nil
		}
		if left.inputs < before {
			before, moved = left.inputs, until
		}
		// Stalls stretch what is owed: each output waits for its turn.
		latest := left.latest + uint64(float64(left.latest-min(left.latest, cycles))*r.stretch())
		if left.inputs > 0 { // one that waits for its cycle does not hang
			latest = max(latest, r.aimed+least)
		}
		switch {
		case latest > until:
			until = min(latest, until+drainStep)
		case left.inputs > 0 && until-moved >= max(least, uint64(drainPatience*(1+r.stretch()))):
			if left.cut {
				r.res.Untaken = true
				return nil
			}
			return &HungError{Cycle: until, Idle: until - moved, Port: left.port}
		case left.inputs > 0 || left.owed > 0 && left.owed < owed:
			until += least
		default:
			return nil
		}
		owed = left.owed
	}
}

// stretch is how much longer an output takes under the backpressure of this run, and as much again to spare.
func (r *runner) stretch() float64 { return Stretch(r.rc.Config.Backpressure) }

// Stretch is how much longer an output takes under a share of backpressure, and as much again to spare: 0 for none.
func Stretch(backpressure float64) float64 {
	b := min(backpressure, 0.99)
	return 2 * b / (1 - b)
}

// left is what is still to come.
type left struct {
	inputs uint64 // handed over and not taken
	port   string // of one of them
	latest uint64 // Checker.Latest
	owed   uint64 // outputs; a device that gives some has more time for the others
	// cut says that it is one, the very last of the stimulus, and that there are other ports: the stimulus may end between
	// a record and what belongs to it on another port, for which the device waits.
	cut bool
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
