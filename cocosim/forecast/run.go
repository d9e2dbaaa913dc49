package forecast

import (
	"bytes"
	"context"
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
type Crossed [timed.Answers + 1][]sim.Record

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

// Predict plays traffic to the timed model. The result lives as long as the traffic. Waits says for how many clocks
// each part of the model had something to move and could not.
func Predict(w *Workload, t *Traffic) (c *Crossed, waits [timed.NumParts]uint64) {
	return Foresee(w.model(), &t.Inputs)
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
	return &Inputs{given(in.Ops, taken[timed.Ops]), given(in.Frames, taken[timed.Frames]),
		given(in.Acks, taken[timed.Acks])}
}

func given(in []timed.Arrival, taken []sim.Record) []timed.Arrival {
	out := slices.Clone(in[:min(len(in), len(taken))])
	for i := range out {
		out[i].Given, out[i].Start, out[i].End = true, taken[i].Start, taken[i].End
	}
	return out
}

// Simulate plays inputs to a device with the ports of hca_rx.
func Simulate(ctx context.Context, d cocosim.Device, cfg cocosim.Config, in *Inputs) (*Crossed, error) {
	if err := d.Reset(ctx, cfg); err != nil {
		return nil, err
	}
	var offers []sim.Offer
	for _, a := range in.All() {
		offers = append(offers, a.Offer)
	}
	slices.SortStableFunc(offers, func(a, b sim.Offer) int {
		if a.NotBefore != b.NotBefore {
			return int(min(1, max(-1, int64(a.NotBefore)-int64(b.NotBefore))))
		}
		return int(a.Port) - int(b.Port)
	})
	c, clock := new(Crossed), uint64(0)
	advance := func(to uint64, in []sim.Offer) error {
		var out sim.Batch
		if err := d.Advance(ctx, to, in, &out); err != nil {
			return err
		}
		c.add(out.Records)
		for i := range out.Records {
			clock = max(clock, out.Records[i].End)
		}
		return nil
	}
	for len(offers) > 0 {
		n := batchOf(offers)
		if err := advance(cocosim.WhileFed, offers[:n]); err != nil {
			return nil, err
		}
		offers = offers[n:]
	}
	return c, c.rest(cfg, in, clock, advance)
}

// rest runs the device until every input is taken and nothing came any more for a while.
func (c *Crossed) rest(cfg cocosim.Config, in *Inputs, to uint64, advance func(uint64, []sim.Offer) error) error {
	const step, patience = 20_000, 3
	quiet := 0
	for quiet < patience {
		to += step
		before := c.count()
		if err := advance(to, nil); err != nil {
			return err
		}
		if quiet++; c.count() != before {
			quiet = 0
		}
		if cfg.Backpressure == 0 && c.took(in) && quiet > 0 {
			break
		}
	}
	if !c.took(in) {
		return cocosim.Errorf(cocosim.Mismatch, "the device took %d of %d operations and %d of %d frames, then nothing for "+
			"%d clocks", len(c[timed.Ops]), len(in.Ops), len(c[timed.Frames]), len(in.Frames), patience*step)
	}
	return nil
}

// took reports whether all operations and frames were taken.
func (c *Crossed) took(in *Inputs) bool {
	return len(c[timed.Ops]) == len(in.Ops) && len(c[timed.Frames]) == len(in.Frames)
}

func (c *Crossed) count() (n int) {
	for i := range c {
		n += len(c[i])
	}
	return n
}

// batchOf is how many records go in one call.
func batchOf(offers []sim.Offer) int {
	n := 0
	for i := range offers {
		if n += len(offers[i].Data); n > cocosim.BatchBytes && i > 0 || i == cocosim.DefaultBatch {
			return i
		}
	}
	return len(offers)
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
