package flow_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/flow"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
)

// segmented is one connection from A whose messages a PMTU cuts: READs, or SENDs that are acknowledged.
type segmented struct {
	qpnA, qpnB uint32
	start      psn.PSN
	pmtu, len  int
	read       bool
	at         time.Duration
	wrong      int // bytes that the first packet of each READ response has too few
	msn        int // messages before
}

// segments adds eight messages.
func (d *hosts) segments(x segmented) {
	p, at := x.start, x.at
	say := func(from byte, qpn uint32, s wire.Spec, n int) {
		at += time.Microsecond
		d.say(from, at, qpn, s, make([]byte, n))
	}
	ops := []ib.Operation{ib.SendOnly, ib.SendFirst, ib.SendMiddle, ib.SendLast}
	if x.read {
		ops = []ib.Operation{ib.ReadResponseOnly, ib.ReadResponseFirst, ib.ReadResponseMid, ib.ReadResponseLast}
	}
	for m := range 8 {
		packets := (x.len + x.pmtu - 1) / x.pmtu
		if x.read {
			say('A', x.qpnB, wire.Spec{Opcode: ib.Join(ib.RC, ib.ReadRequest), PSN: p, DMALen: uint32(x.len), RKey: 1}, 0)
		}
		for i := range packets {
			s, n := wire.Spec{PSN: p.Add(int32(i))}, min(x.pmtu, x.len-i*x.pmtu)
			switch {
			case packets == 1:
				s.Opcode = ib.Join(ib.RC, ops[0])
			case i == 0:
				s.Opcode = ib.Join(ib.RC, ops[1])
			case i == packets-1:
				s.Opcode = ib.Join(ib.RC, ops[3])
			default:
				s.Opcode = ib.Join(ib.RC, ops[2])
			}
			if x.read {
				if i == 0 {
					n -= x.wrong
				}
				if i == 0 || i == packets-1 {
					s.Syndrome, s.MSN = 31, uint32(x.msn+m+1)
				}
				say('B', x.qpnA, s, n)
				continue
			}
			s.AckReq = i == packets-1
			say('A', x.qpnB, s, n)
		}
		p = p.Add(int32(packets))
		if !x.read {
			ack := wire.Spec{Opcode: ib.Join(ib.RC, ib.Ack), PSN: p.Add(-1), Syndrome: 31, MSN: uint32(x.msn + m + 1)}
			say('B', x.qpnA, ack, 0)
		}
		at += 20 * time.Microsecond
	}
}

// Each connection has a PMTU of its own: another between the same hosts, and the one before of the same queue pairs,
// may have had another. What a first look found, and without one, nobody is blamed.
func TestPMTUIsOfOneConnection(t *testing.T) {
	for _, second := range []segmented{
		{read: true, pmtu: 2048, len: 2000}, {read: true, pmtu: 4096, len: 3073}, {read: true, pmtu: 1024, len: 4000},
		{read: true, pmtu: 256, len: 2000}, {pmtu: 2048, len: 2000}, {pmtu: 4096, len: 8192},
	} {
		for _, pmtu := range []int{512, 1024, 4096} {
			for _, anew := range []bool{false, true} {
				var d hosts
				for _, read := range []bool{false, true} {
					d.segments(segmented{qpnA: 0x100, qpnB: 0x1100, start: 0x100, pmtu: pmtu, len: 3*pmtu + 4, read: read})
					second.qpnA, second.qpnB, second.start, second.at = 0x101, 0x1101, 0x500000, 400*time.Microsecond
					if anew {
						second.qpnA, second.qpnB, second.at = 0x100, 0x1100, 2*time.Second
					}
					d.segments(second)
					list := d.sorted()
					for _, at := range places {
						r := judgeAt(t, list, at, true)
						require.Empty(t, r.Violations, "%+v behind %d at %q", second, pmtu, at)
						r = judge(t, list, flow.Options{Profile: roce.Spec, At: at, Complete: true})
						require.Zero(t, r.Certain, "%+v behind %d at %q, no first look: %v", second, pmtu, at, r.Violations)
					}
					d = hosts{}
				}
			}
		}
	}
}

// The PMTU of READ responses is told by their own First and Middle: what differs is certain from the third on.
func TestPMTUOfReadResponses(t *testing.T) {
	var d hosts
	d.segments(segmented{qpnA: 0x100, qpnB: 0x1100, start: 0x100, pmtu: 4096, len: 9000})
	reads := segmented{qpnA: 0x101, qpnB: 0x1101, start: 0x500000, pmtu: 1024, len: 4000, read: true, at: time.Millisecond}
	d.segments(reads)
	reads.start, reads.at, reads.wrong, reads.msn = 0x500020, 2*time.Millisecond, 4, 8
	d.segments(reads)
	r := judgeAt(t, d.sorted(), "", false)
	require.EqualValues(t, []uint64{6, 2}, []uint64{r.Certain, r.Possible}, "%v", r.Violations)
	require.False(t, slices.ContainsFunc(r.Violations, func(x flow.Finding) bool { return x.Rule != "LEN-1" }))
}
