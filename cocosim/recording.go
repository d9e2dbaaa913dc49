package cocosim

import (
	"context"
	"io"

	"hcacosim/model/sim"
)

// Recorded gives the output records of a device one after the other, io.EOF at the end. Data is valid until the next
// call.
type Recorded interface {
	Next(*sim.Record) error
	Close() error
}

// recording plays what some device gave once: a vector set's expectations, a bench's log. It has no clock of its own:
// an output leaves one cycle after the input that caused it.
type recording struct {
	ports  []sim.PortSpec
	from   Recorded
	next   sim.Record // the output that is due next
	loaded bool
	ended  bool
	cycle  uint64
}

// NewRecording makes a device of recorded outputs; a record leaves once the input that its Cause names has been taken.
func NewRecording(spec sim.StageSpec, from Recorded) Device {
	return &recording{ports: spec.Ports, from: from}
}

func (d *recording) Ports() []sim.PortSpec { return d.ports }

func (d *recording) BuildID() string { return "recording" }

func (d *recording) Reset(context.Context, Config) error { return nil }

func (d *recording) Advance(_ context.Context, to uint64, in []sim.Offer, out *sim.Batch) error {
	for i := range in {
		r := &in[i]
		d.cycle++
		out.Records = append(out.Records, sim.Record{Start: d.cycle, End: d.cycle, Seq: r.Seq, Port: r.Port})
		if err := d.play(r.Seq, out); err != nil {
			return err
		}
	}
	if to != WhileFed {
		return d.play(^uint64(0), out)
	}
	return nil
}

// play gives out what inputs up to number cause have earned.
func (d *recording) play(cause uint64, out *sim.Batch) error {
	for !d.ended {
		if !d.loaded {
			if err := d.from.Next(&d.next); err == io.EOF {
				d.ended = true
				return nil
			} else if err != nil {
				return err
			}
			d.loaded = true
		}
		if d.next.Cause > cause {
			return nil
		}
		d.next.Start, d.next.End = d.cycle+1, d.cycle+1
		out.Append(d.next)
		d.loaded = false
	}
	return nil
}

func (d *recording) Close() error { return d.from.Close() }
