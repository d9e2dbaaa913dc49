package hca

import (
	"hcacosim/model/ib"
	"hcacosim/model/wire"
)

// givenAnswer is the last answer of a QP. The next one that goes the same way has another PSN, MSN and syndrome, and so
// another ICRC, and is the same frame besides.
type givenAnswer struct {
	asked AckQuery // but for PSN, MSN and syndrome
	frame []byte
	loc   wire.Location
	user  uint32
	beats uint64
}

// AppendAnswer appends the frame of the answer, its ICRC written, as ack_gen and icrc_insert make it; user is
// m_axis_tuser of it. Beats is for how many beats its record stays at the head of ack_gen, so many of them as DataWidth
// says. It appends nothing where ack_gen gives no frame.
func (b *HcaRxBlocks) AppendAnswer(f *HcaRxFrame, out []byte) (frame []byte, user uint32, beats uint64) {
	q := AckQuery{QPN: f.Class.QPN, PKey: f.Class.PKey, Way: f.way}
	place := &b.given[q.QPN%b.numQPs]
	if *place == nil {
		*place = new(givenAnswer)
	}
	g := *place
	if g.beats == 0 || g.asked != q {
		*g = givenAnswer{asked: q, frame: g.frame[:0]}
		g.make(&b.answers)
	}
	at := len(out)
	if out = append(out, g.frame...); len(g.frame) > 0 {
		g.renew(out[at:], f)
	}
	return out, g.user, g.beats
}

// AppendCNP appends the frame of the CNP, as AppendAnswer does that of an answer.
func (b *HcaRxBlocks) AppendCNP(f *HcaRxFrame, out []byte) (frame []byte, user uint32, beats uint64) {
	g := givenAnswer{asked: f.notice()}
	if g.make(&b.answers); len(g.frame) > 0 {
		wire.PutICRC(g.frame, &g.loc)
	}
	return append(out, g.frame...), g.user, g.beats
}

// make asks ack_gen.
func (g *givenAnswer) make(a *ackGen) {
	a.bytes = a.bytes[:0]
	why, beats := a.answer(&AckRecord{AckQuery: g.asked}, nil)
	if g.beats = beats; why != AckGood {
		return
	}
	g.frame = append(g.frame, a.bytes...)
	g.loc = wire.Locate(g.asked.Way.Encap.Link(), g.frame)
	g.user = userBits(1, g.loc.Encap, g.loc.Bad.Reason)
}

// renew writes what this answer has of its own into the frame.
func (g *givenAnswer) renew(frame []byte, f *HcaRxFrame) {
	bth := frame[g.loc.Transport:]
	n := uint32(f.Result.PSN)
	bth[9], bth[10], bth[11] = byte(n>>16), byte(n>>8), byte(n)
	ib.AETHSyndrome.Put(bth[ib.BTHBytes:], uint64(f.Result.Syndrome))
	ib.MSN.Put(bth[ib.BTHBytes:], uint64(f.Result.MSN))
	wire.PutICRC(frame, &g.loc)
}
