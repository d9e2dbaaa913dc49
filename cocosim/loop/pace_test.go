package loop

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// Packets that the link marks give CNPs, and all else goes on, whatever harm the link does.
func TestMarkedPair(t *testing.T) {
	for _, h := range harm {
		h.Mark = 0.05
		p := pairOf(1, h, roce.Spec)
		o, err := p.Run(context.Background())
		require.NoError(t, err)
		require.True(t, o.Good(), o.Wrong)
		for i := range o.Ends {
			require.NotZero(t, o.Ends[i].Marks)
			require.NotZero(t, o.Ends[i].CNPs)
			require.InDelta(t, o.Ends[i].CNPs, o.Ends[1-i].Marks, 0.3*float64(o.Ends[i].CNPs))
		}
	}
}

// deaf is a device that hears nothing at a port.
type deaf struct {
	cocosim.Device
	port string
}

func (d *deaf) Advance(ctx context.Context, to uint64, in []sim.Offer, out *sim.Batch) error {
	var kept []sim.Offer
	for i := range in {
		if d.Ports()[in[i].Port].Name != d.port {
			kept = append(kept, in[i])
		}
	}
	return d.Device.Advance(ctx, to, kept, out)
}

// A device of either kind gives CNPs, and its requests keep the pace that CNPs leave. One that hears none is found.
func TestMarkedDevices(t *testing.T) {
	for name, deaf := range map[string]bool{"hears": false, "deaf": true} {
		p := markedPair(t, deaf)
		o, err := p.Run(context.Background())
		require.NoError(t, err)
		require.Equal(t, deaf, o.Wrongs > 0, "%s: %v", name, o.Wrong)
		require.NotZero(t, o.Ends[0].CNPs)
	}
	p := topPair(t, 1, 0)
	p.Link.Mark = 0.05 // no pace: packets of the stage wait for the link, which says nothing of when it would send them
	o, err := p.Run(context.Background())
	require.NoError(t, err)
	require.True(t, o.Good(), o.Wrong)
	require.NotZero(t, o.Ends[0].Marks)
	require.NotZero(t, o.Ends[1].CNPs)
}

func markedPair(t *testing.T, hard bool) *Pair {
	p := pairOf(1, harm[0], roce.Spec)
	p.Link.Mark, p.Pace = 0.05, DefaultPace()
	p.Traffic.QPs = 1   // paces that together are more than half the line leave packets waiting for it, and little to tell
	p.Pace.Cycles = 192 // the stage gives the packets of a turn at once: at a slower pace they would come too fast
	p.Requesters[0] = hcaTx(t)
	if hard {
		p.Requesters[0] = &deaf{p.Requesters[0], "s_cnp"}
	}
	return p
}

// frameOf is a packet of QP 11h, marked or not.
func frameOf(op ib.Opcode, bytes int, tos uint8) *wire.Packet {
	s := wire.Spec{Encap: wire.EncapRoCEv2IPv4, Src: wire.FromIPv4(10, 1, 0, 1), Dst: wire.FromIPv4(10, 1, 0, 2),
		TClass: tos, Opcode: op, PKey: 0xFFFF, DestQP: 0x11}
	var p wire.Packet
	wire.Decode(wire.LinkEthernet, s.Append(nil, make([]byte, bytes)), &p)
	return &p
}

// toGroup is the packet with a damaged MAC address, which a port may take for a group's.
func toGroup(p *wire.Packet) *wire.Packet {
	p.Ethernet().Dst()[0] |= 1
	return p
}

// What the judge finds: a CNP of nothing, one that is missing, packets that are faster than the pace, or than what a
// CNP leaves of it. What it does not know it finds nothing in: behind a period, or a CNP that comes as one ends.
func TestPacedJudge(t *testing.T) {
	send, cnp := ib.Join(ib.RC, ib.SendMiddle), ib.OpcodeCNP
	pace := &Pace{Cycles: 1000, PeriodCycles: 25_000, Cut: 128} // 4 us for 4096 bytes, 100 us
	const whole = 4_250                                         // ns of 1024 bytes and their headers, and some
	every := func(ns uint64, from, until uint64) func(j *paced) {
		return func(j *paced) {
			for at := from; at < until; at += ns {
				j.see(at, frameOf(send, 1024, 0), true)
			}
		}
	}
	hears := func(at uint64) func(j *paced) { return func(j *paced) { j.see(at, frameOf(cnp, 16, 0), false) } }
	for name, c := range map[string]struct {
		do   []func(j *paced)
		bad  string
		dead bool
	}{
		"at its pace": {[]func(*paced){every(whole/4, 1, 300_000)}, "", false},
		"too fast":    {[]func(*paced){every(whole/5, 1, 300_000)}, "faster than its pace", false},
		"not slowed":  {[]func(*paced){hears(1), every(whole/4, 1, 90_000)}, "faster than its pace", false},
		"slowed":      {[]func(*paced){hears(1), every(whole/2, 1, 90_000)}, "", false},
		"restored":    {[]func(*paced){hears(1), every(whole/2, 1, 90_000), every(whole/4, 100_000, 200_000)}, "", false},
		"cut again": {[]func(*paced){hears(1), hears(120_000),
			every(whole/4, 120_000, 200_000)}, "faster than its pace", false},
		"nobody knows": {[]func(*paced){hears(1), hears(100_001), every(whole/4, 100_002, 190_000)}, "", false},
		"too soon":     {[]func(*paced){hears(1), hears(50_000), every(whole/4, 105_000, 140_000)}, "", false},
		"gives one": {[]func(*paced){func(j *paced) {
			j.see(1, frameOf(send, 4, 3), false)
			j.see(2, frameOf(cnp, 16, 0), true)
			j.see(3, frameOf(cnp, 16, 3), false)
		}}, "", false},
		"gives none": {[]func(*paced){func(j *paced) { j.see(1, frameOf(send, 4, 3), false) }}, "gave no CNP", false},
		"gives none of two, one of them just now": {[]func(*paced){func(j *paced) {
			j.see(1, frameOf(send, 4, 3), false)
			j.see(990_000, frameOf(send, 4, 3), false)
		}}, "gave no CNP", false},
		"has 20 us": {[]func(*paced){func(j *paced) { j.see(990_000, frameOf(send, 4, 3), false) }}, "", false},
		"of nothing": {[]func(*paced){func(j *paced) {
			j.see(1, frameOf(send, 4, 2), false)
			j.see(2, frameOf(cnp, 16, 0), true)
		}}, "that none marked", false},
		"gives none in error": {[]func(*paced){func(j *paced) { j.see(1, frameOf(send, 4, 3), false) }}, "", true},
		"to a group": {[]func(*paced){func(j *paced) {
			j.see(1, toGroup(frameOf(send, 4, 3)), false)
			j.see(2, frameOf(cnp, 16, 0), true)
		}}, "", false},
		"not to a group": {[]func(*paced){func(j *paced) { j.see(1, toGroup(frameOf(send, 4, 3)), false) }}, "", false},
	} {
		var found string
		j := &paced{name: "A", pace: pace, slackNs: 5_000, gbps: 100, qps: map[uint32]*pacedQP{},
			bad: func(format string, args ...any) { found += fmt.Sprintf(format, args...) }}
		for _, do := range c.do {
			do(j)
		}
		j.finish(1_000_000, func(uint32) bool { return c.dead })
		if c.bad == "" {
			require.Empty(t, found, name)
		} else {
			require.Contains(t, found, c.bad, name)
		}
	}
}
