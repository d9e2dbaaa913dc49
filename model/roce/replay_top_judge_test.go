package roce_test

import (
	"bytes"
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
	d, err := verilated.Open(context.Background(), m, verilated.Options{Params: topSize(bits), Flavour: verilated.Debug})
	require.NoError(t, err)
	return d
}

// play plays paths, on as many queue pairs at a time as there are, step by step.
func (h *topHost) play(paths []topPath) error {
	for len(paths) > 0 {
		n := min(len(paths), topLanes)
		h.reset()
		for i := range n {
			h.begin(uint32(i)+1, &paths[i])
		}
		for step := 0; ; step++ {
			busy := false
			for i := range n {
				if p := &paths[i]; step < len(p.steps) {
					h.take(uint32(i)+1, p.steps[step].topStep)
					busy = true
				}
			}
			if !busy {
				break
			}
			h.run()
			for i := range n {
				if p := &paths[i]; step < len(p.steps) {
					h.judge(uint32(i)+1, p, step)
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

// judge holds what a lane did since a step against the machine's effects.
func (h *topHost) judge(lane uint32, p *topPath, step int) {
	l, e := h.of(lane), p.steps[step]
	counter := l.counter
	frames, bodies, writes, ends := l.frames, l.bodies, l.writes, l.ends
	l.frames, l.bodies, l.writes, l.ends = nil, nil, nil, nil
	var bad []string
	say := func(format string, args ...any) { bad = append(bad, fmt.Sprintf(format, args...)) }
	for i := range e.out {
		switch x := &e.out[i]; x.Kind {
		case roce.SendResponse:
			if len(frames) == 0 {
				say("no frame, the machine %+v", x.Packet)
				continue
			}
			want := x.Packet
			want.Len, want.Pad = x.Len, uint8(-x.Len&3)
			want.Syndrome = h.fewer(e, want.Syndrome)
			if got := frames[0]; got != want {
				say("%+v, the machine %+v", got, want)
			}
			if body := topBytes(uint64(lane)<<40+x.VA, x.Len); !bytes.Equal(bodies[0], body) {
				say("payload %x, memory has %x", bodies[0], body)
			}
			frames, bodies = frames[1:], bodies[1:]
		case roce.Deliver, roce.WriteMemory:
			address := uint64(lane)<<40 + x.VA
			if x.Kind == roce.Deliver {
				address = uint64(topWQE(lane, uint32(x.ID)))<<32 + uint64(x.Off)
			}
			data := topBytes(uint64(e.arg)<<32, x.Len)
			switch {
			case x.Len == 0:
			case len(writes) == 0:
				say("no write, the machine %+v", x)
			default:
				if w := writes[0]; w.address != address || !bytes.Equal(w.data, data) {
					say("%x written to %X, the machine has %x at %X", w.data, w.address, data, address)
				}
				writes = writes[1:]
			}
		case roce.Complete:
			if x.Status != roce.Success {
				continue // by software: it knows what it posted, and the device says no more of it
			}
			info := ib.Lookup(x.Packet.Op)
			imm := info != nil && info.Headers.Has(ib.ImmDt)
			switch {
			case len(ends) == 0:
				say("no completion, the machine %+v", x)
			default:
				if c := ends[0]; !c.Complete || c.WQE != topWQE(lane, uint32(x.ID)) || c.Status != 0 ||
					c.Length != x.Len || c.HasImmediate != imm || imm && c.Immediate != x.Packet.Imm {
					say("%+v, the machine %+v", c, x)
				}
				ends = ends[1:]
			}
		}
	}
	if n := len(e.words); n > 0 && counter != e.words[n-1] {
		say("memory holds %d, the machine %d", counter, e.words[n-1])
	}
	if len(frames)+len(writes)+len(ends) > 0 {
		say("besides %+v, %d writes, %+v", frames, len(writes), ends)
	}
	if len(bad) > 0 {
		h.fail("%s\nbehind %s\nin lane %d", strings.Join(bad, "\n"), h.told(p, step), lane)
	}
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
		case inSetError:
			all = append(all, "ERROR")
		default:
			k := &h.x.packets[e.arg].packet
			all = append(all, fmt.Sprintf("%s PSN %X", ib.Lookup(k.Op).Name, k.PSN))
		}
	}
	return fmt.Sprintf("%d steps, the last: %s", step+1, strings.Join(all, ", "))
}

// Every request edge of the responders of the small worlds, as a frame to hca_top with PSNs of as few bits: the answer's
// frame or none, what is written, what atomics leave and what is completed are held against the machine's effects. By
// default its stage, and the smallest worlds; -explore has RTL with 4 bits, and all worlds.
// RSP-1, RSP-2, RSP-5, RSP-7, RSP-8, RSP-9, RSP-10, RSP-11, RSP-14, RSP-15, PSN-2, CRD-3, DMA-1.
func TestRequestsOfWorldsOnTop(t *testing.T) {
	if quick {
		t.Skip("inside a trial of a fault")
	}
	for _, bits := range []int{3, 4, 5} {
		device := "model"
		if bits == 4 && *explore {
			device = *replayOn
		}
		t.Run(fmt.Sprintf("%s, %d bits", device, bits), func(t *testing.T) {
			require.NoError(t, requestsOnTop(t, openTop(t, "hca_top", device, bits), bits))
		})
	}
}

// requestsOnTop plays the worlds with PSNs of so many bits on a device.
func requestsOnTop(t *testing.T, device cocosim.Device, bits int) error {
	defer func() { require.NoError(t, device.Close()) }()
	worlds, closed, states, edges, steps := 0, 0, 0, 0, 0
	for _, p := range plans {
		if p.bits != bits || !*explore && !p.small || !strings.HasPrefix(p.name, *tryWorld) || !p.replayed("hca_top") {
			continue
		}
		x := newExplorer(p, false)
		x.explore(min(*atMost, topWorldStates))
		require.Empty(t, x.wrong)
		h := &topHost{t: t, x: x, device: device}
		paths, r := x.topReplay(t)
		if err := h.play(paths); err != nil {
			return err
		}
		for i := range paths {
			steps += len(paths[i].steps)
		}
		if worlds++; x.graph.closed {
			closed++
		}
		states, edges = states+len(r.names), edges+len(r.edges)
	}
	t.Logf("%d worlds, %d of them closed: %d states, %d edges, in %d steps", worlds, closed, states, edges, steps)
	return nil
}

// topWorldStates is how far a world is walked for hca_top.
const topWorldStates = 60_000
