package roce_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/verilated"
	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/stages"
)

// topSize is the size of hca_top that worlds are replayed on, which is its smallest.
func topSize(bits int) map[string]int {
	return map[string]int{"NumQps": 64, "DataWidth": 8 * topBeat, "CounterLow": 4, "HCA_PSN_BITS": bits}
}

// openTop opens hca_top, RTL or its stage, with PSNs of so many bits.
func openTop(t *testing.T, dut, device string, bits int) cocosim.Device {
	if device == "model" {
		spec, ok := stages.Lookup("hca_top")
		require.True(t, ok)
		settings := sim.Settings{"cycles_per_tick_i": 65535, "tick_step_i": 1}
		for name, value := range topSize(bits) {
			settings[name] = uint64(value)
		}
		return cocosim.NewGolden(spec, settings, topBeat)
	}
	m, err := manifest.Find(dut)
	require.NoError(t, err)
	m, err = m.Resolve(topSize(bits))
	require.NoError(t, err)
	flavour := verilated.Debug
	if dut != "hca_top" { // a fault is in it
		flavour = verilated.Quick
	}
	d, err := verilated.Open(context.Background(), m, verilated.Options{Params: topSize(bits), Flavour: flavour})
	require.NoError(t, err)
	return d
}

// play plays paths, on as many queue pairs at a time as there are, step by step. Time passes for all: where a path goes
// on with an expiry, it waits until all do.
func (h *topHost) play(paths []topPath) error {
	for len(paths) > 0 {
		n := min(len(paths), topLanes)
		h.reset()
		for i := range n {
			h.begin(uint32(i)+1, &paths[i])
		}
		at := make([]int, n)
		for {
			taken := h.round(paths[:n], at)
			if len(taken) == 0 {
				break
			}
			h.run()
			for i := range n {
				switch p, lane := &paths[i], uint32(i)+1; {
				case !taken[i]:
					l := h.of(lane)
					*l = topLane{counter: l.counter}
				case p.sends != nil:
					h.sent(lane, p, at[i])
					at[i]++
				default:
					h.judge(lane, p, at[i])
					at[i]++
				}
			}
			if h.wrong != "" {
				return fmt.Errorf("%s: %s", h.x.plan.name, h.wrong)
			}
		}
		paths = paths[n:]
	}
	return nil
}

// round takes a step of each path that has one: those first that no time is to pass for.
func (h *topHost) round(paths []topPath, at []int) (taken map[int]bool) {
	taken = map[int]bool{}
	for _, expiries := range []bool{false, true} {
		for i := range paths {
			if p := &paths[i]; len(taken) < len(paths) && at[i] < len(p.steps) && p.steps[at[i]].expires() == expiries {
				h.take(uint32(i)+1, p, p.steps[at[i]].topStep)
				taken[i] = true
			}
		}
		if len(taken) > 0 {
			break
		}
	}
	if len(taken) > 0 && h.expires {
		h.expires = false
		h.pass()
	}
	return taken
}

func (k *topStep) expires() bool { return k.in == inTimeout || k.in == inRNR }

// judge holds what a lane did since a step against the machine's effects.
func (h *topHost) judge(lane uint32, p *topPath, step int) {
	l, e := h.of(lane), p.steps[step]
	j := topJudge{host: h, lane: lane, topLane: *l}
	l.frames, l.bodies, l.writes, l.ends = nil, nil, nil, nil
	for i := range e.out {
		switch x := &e.out[i]; x.Kind {
		case roce.SendResponse:
			want := x.Packet
			want.Len, want.Pad = x.Len, uint8(-x.Len&3)
			want.Syndrome = h.fewer(e, want.Syndrome)
			j.frame(&want, topBytes(uint64(lane)<<40+x.VA, x.Len))
		case roce.Deliver:
			j.write(uint64(topWQE(lane, uint32(x.ID)))<<32+uint64(x.Off), topBytes(uint64(e.arg)<<32, x.Len))
		case roce.WriteMemory:
			j.write(uint64(lane)<<40+x.VA, topBytes(uint64(e.arg)<<32, x.Len))
		case roce.Complete:
			if x.Status == roce.Success { // others by software: it knows what it posted, and the device says no more of it
				j.end(x)
			}
		}
	}
	if n := len(e.words); n > 0 && j.counter != e.words[n-1] {
		j.say("memory holds %d, the machine %d", j.counter, e.words[n-1])
	}
	j.nothing()
	if len(j.bad) > 0 {
		h.fail("%s\nbehind %s\nin lane %d", strings.Join(j.bad, "\n"), h.told(p, step), lane)
	}
}

// end takes the next completion of a receive WQE.
func (j *topJudge) end(x *roce.Effect) {
	if len(j.ends) == 0 {
		j.say("no completion, the machine %+v", x)
		return
	}
	info := ib.Lookup(x.Packet.Op)
	imm := info != nil && info.Headers.Has(ib.ImmDt)
	if c := j.ends[0]; !c.Complete || c.WQE != topWQE(j.lane, uint32(x.ID)) || c.Status != 0 || c.Length != x.Len ||
		c.HasImmediate != imm || imm && c.Immediate != x.Packet.Imm {
		j.say("%+v, the machine %+v", c, x)
	}
	j.ends = j.ends[1:]
}

// fewer is the syndrome of an answer: the ACK of a duplicate that would use a receive WQE carries a credit fewer, as
// rq_head is asked before anybody knows that it is one (docs/blocks/hca_rx.md).
func (h *topHost) fewer(e *topEdge, s ib.Syndrome) ib.Syndrome {
	completed := slices.ContainsFunc(e.out, func(x roce.Effect) bool { return x.Kind == roce.Complete })
	if e.in != inStep || completed || s.Kind() != ib.KindAck {
		return s
	}
	n, limited := ib.Credits(s.Code())
	if shape := h.x.packets[e.arg].packet.Op.Shape(); !limited || n == 0 || !shape.Completes() {
		return s
	}
	return ib.AckSyndrome(ib.CreditCode(n - 1))
}

// told says what was done to a lane.
func (h *topHost) told(p *topPath, step int) string {
	var all []string
	for _, e := range p.steps[max(0, step-8) : step+1] {
		switch e.in {
		case inReceive:
			all = append(all, "a receive WQE")
		case inNext:
			all = append(all, "posts")
		case inTimeout, inRNR:
			all = append(all, "an expiry")
		case inSetError:
			all = append(all, "ERROR")
		default:
			k := &h.x.packets[e.arg].packet
			all = append(all, fmt.Sprintf("%s PSN %X %s", ib.Lookup(k.Op).Name, k.PSN, k.Syndrome))
		}
	}
	return fmt.Sprintf("%d steps, the last: %s", step+1, strings.Join(all, ", "))
}

// Every request edge of the responders of the small worlds, as a frame to hca_top with PSNs of as few bits: the
// answer's frame or none, what is written, what atomics leave and what is completed are held against the machine's
// effects. By default its stage, and the smallest worlds; -explore has RTL with 3 and 4 bits, and all worlds.
// RSP-1, RSP-2, RSP-5, RSP-7, RSP-8, RSP-9, RSP-10, RSP-11, RSP-14, RSP-15, PSN-2, CRD-3, DMA-1.
func TestRequestsOfWorldsOnTop(t *testing.T) {
	if quick {
		t.Skip("inside a trial of a fault")
	}
	for _, bits := range []int{3, 4, 5} {
		device := "model"
		if bits < 5 && *explore {
			device = *replayOn
		}
		t.Run(fmt.Sprintf("%s, %d bits", device, bits), func(t *testing.T) {
			require.NoError(t, onTop(t, openTop(t, "hca_top", device, bits), bits, "hca_top, requests",
				(*explorer).requestPaths))
		})
	}
}

// onTop plays the worlds with PSNs of so many bits on a device.
func onTop(t *testing.T, device cocosim.Device, bits int, what string,
	pathsOf func(x *explorer, t *testing.T) ([]topPath, *topTour)) error {
	defer func() { require.NoError(t, device.Close()) }()
	worlds, closed, states, edges, steps := 0, 0, 0, 0, 0
	for _, p := range plans {
		if p.bits != bits || !*explore && !p.small || !strings.HasPrefix(p.name, *tryWorld) || !p.replayed(what) {
			continue
		}
		x := newExplorer(p, false)
		x.explore(min(*atMost, topWorldStates))
		require.Empty(t, x.wrong)
		h := &topHost{t: t, x: x, device: device}
		paths, r := pathsOf(x, t)
		if err := h.play(paths); err != nil {
			return err
		}
		for i := range paths {
			steps += len(paths[i].steps)
		}
		if worlds++; x.graph.closed {
			closed++
		}
		states, edges = states+len(r.p.names), edges+len(r.edges)
	}
	t.Logf("%d worlds, %d of them closed: %d states, %d edges, in %d steps", worlds, closed, states, edges, steps)
	return nil
}

// topWorldStates is how far a world is walked for hca_top.
const topWorldStates = 60_000
