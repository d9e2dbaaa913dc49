package loop

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// A CNP leaves within 20 us in which frames of the end leave its line free. A later one settles nothing, and is not one
// of nothing; one behind it is.
func TestCNPsInTime(t *testing.T) {
	const late, nothing = "gave no CNP within 20 us", "that none marked"
	mark := func(at uint64) func(*paced) {
		return func(j *paced) { j.see(at, frameOf(ib.Join(ib.RC, ib.SendMiddle), 4, 3), false) }
	}
	gives := func(at uint64) func(*paced) { return func(j *paced) { j.see(at, frameOf(ib.OpcodeCNP, 16, 0), true) } }
	answers := func(every, until uint64) func(*paced) {
		return func(j *paced) {
			for at := uint64(2); at < until; at += every {
				j.see(at, frameOf(ib.Join(ib.RC, ib.ReadResponseMid), 1024, 0), true)
			}
		}
	}
	const passes = 89 // ns that such an answer takes, rounded up
	for name, c := range map[string]struct {
		do   []func(*paced)
		bad  string
		dead bool
	}{
		"in time":                {[]func(*paced){mark(1), gives(20_001)}, "", false},
		"late":                   {[]func(*paced){mark(1), gives(20_002)}, late, false},
		"two late":               {[]func(*paced){mark(1), mark(1), gives(20_002), gives(20_003)}, "(CNP-1), 2 times", false},
		"skips the first":        {[]func(*paced){mark(1), mark(90_000), gives(90_009)}, "(CNP-1), 1 times", false},
		"late, and the next one": {[]func(*paced){mark(1), mark(25_000), gives(25_001), gives(25_002)}, "1 times", false},
		"the older one first":    {[]func(*paced){mark(1), mark(15_000), gives(15_001), gives(30_000)}, "", false},
		"one too many":           {[]func(*paced){mark(1), gives(30_000), gives(30_001)}, nothing, false},
		"behind its answers":     {[]func(*paced){mark(1), answers(passes, 60_000), gives(60_000)}, "", false},
		"beside its answers":     {[]func(*paced){mark(1), answers(2*passes, 60_000), gives(60_000)}, late, false},
		"behind the last answer": {[]func(*paced){answers(passes, 60_000), mark(60_000), gives(80_200)}, late, false},
		"late in error":          {[]func(*paced){mark(1), gives(30_000)}, "", true},
	} {
		var found string
		j := &paced{name: "A", gbps: 100, qps: map[uint32]*pacedQP{},
			bad: func(format string, args ...any) { found += fmt.Sprintf(format, args...) }}
		for _, do := range c.do {
			do(j)
		}
		j.finish(1_000_000, func(uint32) bool { return c.dead })
		if c.bad == "" {
			require.Empty(t, found, name)
			continue
		}
		require.Contains(t, found, c.bad, name)
		require.Equal(t, c.bad == nothing, strings.Contains(found, nothing), name)
	}
}

// skipping is a device that does not give its first CNP.
type skipping struct {
	cocosim.Device
	skipped bool
}

func (s *skipping) Advance(ctx context.Context, to uint64, in []sim.Offer, out *sim.Batch) error {
	err := s.Device.Advance(ctx, to, in, out)
	for i := range out.Records {
		var p wire.Packet
		rec := &out.Records[i]
		if s.skipped || s.Ports()[rec.Port].Name != "m_axis" {
			continue
		}
		if wire.Decode(wire.LinkEthernet, rec.Data, &p); p.Op != nil && p.Op.Transport == ib.CNP {
			s.skipped = true
			out.Records = slices.Delete(out.Records, i, i+1)
			break
		}
	}
	return err
}

// A device that does not give its first CNP is found, though it gives all others.
func TestSkippedCNP(t *testing.T) {
	for _, skips := range []bool{false, true} {
		p := pairOf(1, harm[0], roce.Spec)
		p.Traffic.NoReads, p.Link.Mark = true, 0.01 // more than 20 us from one mark of a queue pair to the next
		p.Responders[0] = hcaRx(t)
		if skips {
			p.Responders[0] = &skipping{Device: p.Responders[0]}
		}
		o, err := p.Run(context.Background())
		require.NoError(t, err)
		require.Equal(t, skips, o.Wrongs > 0, o.Wrong)
		require.Greater(t, o.Ends[1].CNPs, uint64(10))
		if skips {
			require.Contains(t, o.Wrong[0], "A: QP 0000")
			require.Contains(t, o.Wrong[0], "gave no CNP within 20 us for a packet that was marked (CNP-1), 1 times")
			require.EqualValues(t, 1, o.Wrongs)
		}
	}
}

// What a device was asked before the mark, and has not answered, may wait for memory first. What was answered, or
// dropped before an answer, may not.
func TestCNPsBehindMemory(t *testing.T) {
	const pmtu, late = 1024, 20_000 + turnNs
	read := func(at uint32, bytes uint32) *wire.Packet {
		return askOf(ib.Join(ib.RC, ib.ReadRequest), at, bytes)
	}
	atomic := func(at uint32) *wire.Packet { return askOf(ib.Join(ib.RC, ib.FetchAdd), at, 0) }
	answer := func(o ib.Operation, at uint32) *wire.Packet { return askOf(ib.Join(ib.RC, o), at, 0) }
	type seen struct {
		p    *wire.Packet
		sent bool
	}
	in := func(p *wire.Packet) seen { return seen{p, false} }
	out := func(p *wire.Packet) seen { return seen{p, true} }
	for name, c := range map[string]struct {
		seen []seen
		left int
	}{
		"nothing":   {nil, 0},
		"a READ":    {[]seen{in(read(5, 3000))}, 1},
		"an atomic": {[]seen{in(atomic(0xFFFFFF))}, 1},
		"its own":   {[]seen{out(read(5, 1)), out(atomic(6))}, 0},
		"begun": {[]seen{in(read(5, 3000)), out(answer(ib.ReadResponseFirst, 5)),
			out(answer(ib.ReadResponseMid, 6))}, 1},
		"answered":        {[]seen{in(read(0xFFFFFE, 3000)), out(answer(ib.ReadResponseLast, 0))}, 0},
		"answered at all": {[]seen{in(read(5, 0)), out(answer(ib.ReadResponseOnly, 5))}, 0},
		"one of two":      {[]seen{in(atomic(5)), in(atomic(6)), out(answer(ib.AtomicAck, 5))}, 1},
		"one dropped":     {[]seen{in(atomic(5)), in(atomic(7)), out(answer(ib.AtomicAck, 7))}, 0},
		"came twice":      {[]seen{in(atomic(5)), in(atomic(5)), out(answer(ib.AtomicAck, 5))}, 1},
		"of no question":  {[]seen{in(read(5, 3000)), out(answer(ib.AtomicAck, 8))}, 1},
	} {
		a := &asked{pmtu: pmtu}
		for _, s := range c.seen {
			a.see(s.p, s.sent)
		}
		require.Len(t, a.all, c.left, name)
	}
	mark, cnp := frameOf(ib.Join(ib.RC, ib.SendMiddle), 4, 3), frameOf(ib.OpcodeCNP, 16, 0)
	for at, good := range map[uint64]bool{late + 2: true, late + 3: false} {
		for _, again := range []bool{false, true} { // a second mark has no less time than the first
			var found string
			j := &paced{name: "A", gbps: 100, qps: map[uint32]*pacedQP{}, memory: &asked{pmtu: pmtu},
				bad: func(format string, args ...any) { found += fmt.Sprintf(format, args...) }}
			j.see(1, read(5, 1000), false)
			j.see(2, mark, false)
			if again {
				j.see(2, answer(ib.ReadResponseOnly, 5), true)
				j.see(2, mark, false)
				at += 7 // the answer passes
				j.see(at, cnp, true)
			}
			j.see(at, cnp, true)
			j.finish(1_000_000, func(uint32) bool { return false })
			require.Equal(t, good, found == "", found)
		}
	}
}

// askOf is a READ, an atomic or an answer of QP 11h.
func askOf(op ib.Opcode, at, bytes uint32) *wire.Packet {
	s := wire.Spec{Encap: wire.EncapRoCEv2IPv4, Src: wire.FromIPv4(10, 1, 0, 1), Dst: wire.FromIPv4(10, 1, 0, 2),
		Opcode: op, PKey: 0xFFFF, DestQP: 0x11, PSN: psn.New(at), DMALen: bytes}
	var p wire.Packet
	wire.Decode(wire.LinkEthernet, s.Append(nil, nil), &p)
	return &p
}
