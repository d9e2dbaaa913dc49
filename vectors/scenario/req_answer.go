package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
)

// answer gives what is due: the head's next response, or an ACK of some of what comes before it.
func (l *reqLife) answer() {
	before := l.outstanding()
	if len(l.reads) > 0 {
		before = uint32(l.reads[0].Due.From(l.state.Una))
	}
	switch {
	case before > 0 && (len(l.reads) == 0 || !l.rand.OneIn(3)):
		n := int(min(before, 8))
		if l.rand.OneIn(4) {
			n = int(before)
		}
		p := l.state.Una.Add(int32(l.rand.Below(n)))
		if l.rand.OneIn(3) {
			p = l.state.Una.Add(int32(n) - 1)
		}
		l.give(l.response(ib.Ack, p, l.ackSyndrome()), "response: ACK")
	case len(l.reads) > 0:
		l.give(l.dueResponse(), "response: due")
	default:
		l.send()
	}
}

// dueResponse is the response that the head waits for, as it should be.
func (l *reqLife) dueResponse() hca.ReqRecord {
	h := &l.reads[0]
	rec := l.response(ib.AtomicAck, h.Due, l.ackSyndrome())
	if h.Atomic {
		return rec
	}
	first, last := !h.Begun || l.rand.OneIn(8), h.Due == h.Last
	rec.Payload = uint16(l.cfg.PMTUBytes)
	if last {
		rec.Payload = uint16(h.TailBytes)
	}
	rec.Pad = uint8(-rec.Payload & 3)
	rec.Opcode = ib.Join(ib.RC, readOperation(first, last))
	if !first && !last {
		rec.Syndrome = ib.Syndrome(l.rand.Below(256)) // a Middle has no AETH
	}
	return rec
}

func readOperation(first, last bool) ib.Operation {
	switch {
	case first && last:
		return ib.ReadResponseOnly
	case first:
		return ib.ReadResponseFirst
	case last:
		return ib.ReadResponseLast
	}
	return ib.ReadResponseMid
}

// dataOperation draws the operation of a response that is no ACK.
func dataOperation(r *Rand) ib.Operation {
	return []ib.Operation{ib.ReadResponseFirst, ib.ReadResponseMid, ib.ReadResponseLast, ib.ReadResponseOnly,
		ib.AtomicAck}[r.Below(5)]
}

// pick draws a PSN of what is unacked: near una, near a READ's ends, or near high; una when there is none.
func (l *reqLife) pick() psn.PSN {
	r, n, una := l.rand, int(l.outstanding()), l.state.Una
	if n == 0 {
		return una
	}
	switch r.Below(5) {
	case 0:
		return l.state.High.Add(-1)
	case 1:
		return una.Add(int32(r.Below(min(n, 6))))
	case 2, 3:
		if len(l.reads) > 0 {
			h := l.reads[r.Below(len(l.reads))]
			return []psn.PSN{h.Due, h.Last, h.Due.Add(-1), h.Last.Add(1), h.Due.Add(1)}[r.Below(5)]
		}
	}
	return una
}
