package adapt

import (
	"bytes"

	"hcacosim/model/sim"
)

// Watcher is told of a run in the words of the stage.
type Watcher interface {
	// Taken takes an input as the device took it.
	Taken(r *sim.Record)
	// Answer takes what the model answers; right says that the device gave that.
	Answer(r *sim.Record, right bool)
	// Extra says that the device gave a record that nothing asked for.
	Extra()
}

// Watch tells the records of a device in the words of its stage, for who knows the ports of the stage alone. What the
// device does not say, since its port has no such field or lets a packet fall, the model's answer says in its place:
// it was given if all that the device does say is that of the model.
type Watch struct {
	view    *View
	stage   sim.Stage
	to      Watcher
	due     [][]due // by port of the stage, the oldest first
	in, out []sim.Record
}

// due is an answer of the model of which a device may show parts at several ports.
type due struct {
	sim.Record
	wrong bool
	parts []sim.Record // that are still to come
}

// Watch makes what Taken and Tap of a run's records are told to. stage is that of the view, without the device's ports.
func (v *View) Watch(stage sim.StageSpec, settings sim.Settings, to Watcher) *Watch {
	return &Watch{view: v, stage: stage.New(settings), to: to, due: make([][]due, len(stage.Ports))}
}

// Taken takes an input as the device took it, with the bytes that the stage takes.
func (w *Watch) Taken(r *sim.Record) {
	in := *r
	in.Port = w.view.toStage[r.Port]
	w.to.Taken(&in)
	w.in = append(w.in[:0], in)
	w.out = w.stage.Advance(in.End, w.in, w.out[:0])
	for i := range w.out {
		w.owe(&w.out[i])
	}
}

// owe notes an answer; that of a port which the device does not have is none.
func (w *Watch) owe(r *sim.Record) {
	d, has := due{Record: *r}, false
	d.Data = bytes.Clone(r.Data)
	for port, o := range w.view.outputs {
		if o == nil || w.view.toStage[port] != r.Port {
			continue
		}
		has = true
		part := d.Record
		part.Port = sim.Port(port)
		if o.expect(&part) {
			o.mask(&part)
			d.parts = append(d.parts, part)
		}
	}
	if has {
		w.due[r.Port] = append(w.due[r.Port], d)
		w.tell(r.Port)
	}
}

// Tap takes an output of the device; inputs it leaves to Taken.
func (w *Watch) Tap(r *sim.Record) {
	if w.view.outputs[r.Port] == nil {
		return
	}
	at := w.view.toStage[r.Port]
	for i := range w.due[at] {
		d := &w.due[at][i]
		for k := range d.parts {
			if p := &d.parts[k]; p.Port == r.Port {
				d.wrong = d.wrong || p.User != r.User || !bytes.Equal(p.Data, r.Data)
				d.Start, d.End = r.Start, r.End
				d.parts = append(d.parts[:k], d.parts[k+1:]...)
				w.tell(at)
				return
			}
		}
	}
	w.to.Extra()
}

// tell tells the oldest answers of a port, as far as they are there.
func (w *Watch) tell(port sim.Port) {
	for q := w.due[port]; len(q) > 0 && len(q[0].parts) == 0; q = w.due[port] {
		w.to.Answer(&q[0].Record, !q[0].wrong)
		w.due[port] = q[1:]
	}
}
