package forecast

import (
	"bytes"
	"fmt"
	"slices"

	"hcacosim/cocosim"
	"hcacosim/model/hca"
	"hcacosim/model/hca/timed"
	"hcacosim/model/sim"
)

// Ports are the ports of hca_rx, as timed has them.
var Ports = func() []sim.PortSpec {
	spec, _ := hca.Lookup("hca_rx")
	return spec.Ports
}()

// Crossed is what crossed the ports of a device in a run: of each port the records in their order. Inputs have no Data.
type Crossed [timed.NumPorts][]sim.Record

// config is that of the bridge: the draws of docs/bridge.md.
func (w *Workload) config() cocosim.Config {
	return cocosim.Config{Seed: w.Seed, Backpressure: w.Backpressure, Idle: w.Idle}
}

// Held is which ports are held in which clocks on purpose, by the draws of a run's configuration.
func Held(cfg cocosim.Config) func(sim.Port, uint64) bool {
	if cfg.Backpressure == 0 && cfg.Idle == 0 {
		return nil
	}
	var stalls [len(Crossed{})]cocosim.Stalls
	for i := range stalls {
		stalls[i] = cocosim.StallsOf(cfg, i)
		if Ports[i].Input {
			stalls[i] = cocosim.IdlesOf(cfg, i)
		}
	}
	return func(port sim.Port, clock uint64) bool { return stalls[port].Holds(clock) }
}

// Predict plays traffic to the timed model, with the workload's memory. The result lives as long as the traffic. Waits
// says for how many clocks each part of the model had something to move and could not.
func Predict(w *Workload, t *Traffic) (c *Crossed, waits [timed.NumParts]uint64) {
	cfg := w.model()
	cfg.Memory = newMemory(w).answer
	return Foresee(cfg, &t.Inputs)
}

// Play plays traffic as Predict does, keeps nothing of what comes out, and returns how many frames were taken: for one
// who wants to know how fast the model is.
func Play(w *Workload, t *Traffic) (frames int) {
	cfg := w.model()
	cfg.Memory = newMemory(w).answer
	const clocks = 4096 // of a call
	p := timed.New(cfg)
	out := p.Advance(0, t.Inputs.All(), nil)
	for to := uint64(0); p.Clock() == to; {
		to += clocks
		out = p.Advance(to, nil, out[:0])
		for i := range out {
			if out[i].Port == timed.Frames {
				frames++
			}
		}
	}
	return frames
}

// Answered are traffic and what memory answers in the clocks in which the model asks it: a stimulus for one who cannot
// answer himself.
func Answered(w *Workload, t *Traffic) *Inputs {
	cfg, m, in := w.model(), newMemory(w), t.Inputs
	cfg.Memory = func(r *sim.Record) (a timed.Arrival, answers bool) {
		if a, answers = m.answer(r); answers {
			in.Add(a)
		}
		return a, answers
	}
	Foresee(cfg, &t.Inputs)
	return &in
}

// Foresee plays inputs to a timed model.
func Foresee(cfg timed.Config, in *Inputs) (c *Crossed, waits [timed.NumParts]uint64) {
	p := timed.New(cfg)
	c = new(Crossed)
	c.add(p.Advance(^uint64(0), in.All(), nil))
	return c, p.Waits()
}

func (c *Crossed) add(records []sim.Record) {
	for i := range records {
		c[records[i].Port] = append(c[records[i].Port], records[i])
	}
}

// Given are inputs with the clocks in which a device took them.
func (in *Inputs) Given(taken *Crossed) *Inputs {
	out := new(Inputs)
	for port := range in {
		t := taken[port]
		out[port] = slices.Clone(in[port][:min(len(in[port]), len(t))])
		for i := range out[port] {
			a := &out[port][i]
			a.Given, a.Start, a.End = true, t[i].Start, t[i].End
		}
	}
	return out
}

// SameContent says where the contents of two runs differ first; nil is nowhere.
func SameContent(want, got *Crossed) error {
	for port := range want {
		if Ports[port].Input {
			continue
		}
		if len(want[port]) != len(got[port]) {
			return fmt.Errorf("%s: %d records, not %d", Ports[port].Name, len(got[port]), len(want[port]))
		}
		for i := range want[port] {
			w, g := &want[port][i], &got[port][i]
			if !bytes.Equal(w.Data, g.Data) || w.User != g.User {
				return fmt.Errorf("%s, record %d in clock %d: % x, not % x", Ports[port].Name, i, g.End, g.Data, w.Data)
			}
		}
	}
	return nil
}
