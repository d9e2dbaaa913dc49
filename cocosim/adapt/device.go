package adapt

import (
	"context"

	"hcacosim/cocosim"
	"hcacosim/cocosim/manifest"
	"hcacosim/model/sim"
)

// Device puts the translation around a device: what goes in is what the stage takes, what comes out is cleared of what
// does not count.
func (v *View) Device(inner cocosim.Device) cocosim.Device {
	if v.IsPlain {
		return inner
	}
	d := &device{Device: inner, view: v, open: make([]packet, len(v.manifest.Ports))}
	if b, ok := inner.(beginner); ok {
		return &begun{device: d, inner: b}
	}
	return d
}

type beginner interface {
	Begin(ctx context.Context, to uint64, in []sim.Offer) error
	Collect(ctx context.Context, out *sim.Batch) error
}

// device translates around any device.
type device struct {
	cocosim.Device
	view *View
	open []packet // by port: one of which not all beats have come
	raw  sim.Batch
}

// packet is put together of the beats of a port without last.
type packet struct {
	record sim.Record
	data   []byte
	need   int // bytes, once it is known
	begun  bool
	seq    uint64
}

func (d *device) Reset(ctx context.Context, cfg cocosim.Config) error {
	clear(d.open)
	return d.Device.Reset(ctx, cfg)
}

func (d *device) Advance(ctx context.Context, to uint64, in []sim.Offer, out *sim.Batch) error {
	d.raw.Reset()
	err := d.Device.Advance(ctx, to, d.translate(in), &d.raw)
	d.clear(out)
	return err
}

func (d *device) translate(in []sim.Offer) []sim.Offer {
	list := make([]sim.Offer, len(in))
	for i := range in {
		list[i] = in[i]
		if port := d.view.inputs[in[i].Port]; port != nil {
			list[i].Data, list[i].User, _ = port.translate(&in[i]) // the stimulus has left out what cannot be
		}
	}
	return list
}

// Given is an input as the device was given it.
func (v *View) Given(in *sim.Record) *sim.Record {
	if v.IsPlain || in == nil || int(in.Port) >= len(v.inputs) || v.inputs[in.Port] == nil {
		return in
	}
	given := *in
	given.Data, given.User, _ = v.inputs[in.Port].translate(&sim.Offer{Port: in.Port, Data: in.Data, User: in.User})
	return &given
}

// clear moves what came to out: packets put together, and what does not count cleared.
func (d *device) clear(out *sim.Batch) {
	for i := range d.raw.Records {
		r := &d.raw.Records[i]
		o := d.view.outputs[r.Port]
		if o == nil {
			out.Append(*r)
			continue
		}
		if o.port.Length != nil {
			if !d.open[r.Port].add(r, o.port) {
				continue
			}
		}
		o.mask(r)
		out.Append(*r)
	}
}

// Violations are those of the device inside.
func (d *device) Violations() []*cocosim.Violation {
	if v, ok := d.Device.(cocosim.Violator); ok {
		return v.Violations()
	}
	return nil
}

// Prints are those of the device inside.
func (d *device) Prints() (lines []cocosim.Print, unkept uint64) {
	if p, ok := d.Device.(cocosim.Printer); ok {
		return p.Prints()
	}
	return nil, 0
}

// Abandon leaves the device inside without a farewell.
func (d *device) Abandon() {
	if a, ok := d.Device.(interface{ Abandon() }); ok {
		a.Abandon()
	}
}

// add takes a beat of a port without last; true when the packet is complete, and r is then it.
func (p *packet) add(r *sim.Record, port *manifest.Port) bool {
	l := port.Length
	if !p.begun {
		p.record, p.data, p.need, p.begun = *r, p.data[:0], 0, true
		if l.In == "user" {
			p.need = int(r.User)
		}
	}
	p.data = append(p.data, r.Data...)
	if l.In == "data" && p.need == 0 && len(p.data) >= l.Bytes {
		for i := range l.Bytes {
			at := l.Bytes - 1 - i
			if l.Order == "big" {
				at = i
			}
			p.need = p.need<<8 | int(p.data[at])
		}
		p.need += l.Bytes
	}
	if len(p.data) < max(p.need, l.Bytes) {
		return false
	}
	start, end := p.record.Start, r.End
	*r = p.record
	r.Start, r.End, r.Seq = start, end, p.seq
	r.Data = append([]byte(nil), p.data[:p.need]...)
	if l.In == "data" {
		r.Data = r.Data[l.Bytes:]
	}
	p.begun = false
	p.seq++
	return true
}

// begun is a device whose Advance can be had in halves.
type begun struct {
	*device
	inner beginner
	held  [][]sim.Offer // what Begin was given stays the device's until it is collected
}

func (d *begun) Begin(ctx context.Context, to uint64, in []sim.Offer) error {
	list := d.translate(in)
	d.held = append(d.held, list)
	return d.inner.Begin(ctx, to, list)
}

func (d *begun) Collect(ctx context.Context, out *sim.Batch) error {
	d.raw.Reset()
	err := d.inner.Collect(ctx, &d.raw)
	if len(d.held) > 0 {
		d.held = d.held[1:]
	}
	d.clear(out)
	return err
}
