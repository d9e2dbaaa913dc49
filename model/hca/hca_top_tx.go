package hca

import (
	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// HcaTopPost is a record on s_post of hca_top: a send WQE, or with Done that local work is done.
type HcaTopPost struct {
	QPN    uint32 // 24 bits
	Done   bool
	Slot   uint8 // of local work, as m_local has it
	Fail   bool
	Status roce.Status
	SendWQE
}

// HcaTopPostBytes is the size of a record on s_post: 501 bits.
const HcaTopPostBytes = 63

func (p *HcaTopPost) layout(l *sim.Layout) {
	sim.Field(l, &p.QPN, 24)
	l.Flag(&p.Done)
	sim.Field(l, &p.Slot, 6)
	l.Flag(&p.Fail)
	sim.Field(l, &p.Status, 4)
	p.SendWQE.layout(l)
}

var hcaTopPostForm = sim.FormOf((*HcaTopPost).layout)

// Append appends the record as it goes over the port.
func (p *HcaTopPost) Append(b []byte) []byte {
	return hcaTopPostForm.Append(b, p)
}

// ParseHcaTopPost reads a record of HcaTopPostBytes.
func ParseHcaTopPost(b []byte) HcaTopPost { return hcaTopPostForm.Parse(b) }

// HcaTopPostOf is what s_post is given for an operation of sq_retire, a post or local done.
func HcaTopPostOf(q *SQRecord) HcaTopPost {
	return HcaTopPost{QPN: q.QPN, Done: q.Op == SQLocalDone, Slot: q.Slot, Fail: q.Fail, Status: q.Status,
		SendWQE: q.SendWQE}
}

// op is the operation of hca_tx that a post is.
func (p *HcaTopPost) op() []byte {
	q := SQRecord{QPN: p.QPN, Op: SQPost, Slot: p.Slot, Fail: p.Fail, Status: p.Status, SendWQE: p.SendWQE}
	if p.Done {
		q.Op = SQLocalDone
	}
	return AppendHcaTxOp(nil, ToSendQueues, q.Append(nil))
}

// topToTx are the blocks of hca_tx by the target of an operation of qp_ctl.
var topToTx = map[QPCtlTarget]HcaTxTarget{QPCtlToCheck: ToCheck, QPCtlToRetry: ToRetry,
	QPCtlToSendQueues: ToSendQueues, QPCtlToPackets: ToPackets, QPCtlToTurns: ToTurns, QPCtlToFrames: ToFrames,
	QPCtlToRate: ToPace}

// topOfTx are the ports of hca_top that ports of hca_tx are.
var topOfTx = [...]sim.Port{HcaTxPieces: topPieces, HcaTxFrames: topAnswers, HcaTxCompletions: topSendEnds,
	HcaTxLocalWork: topLocal, HcaTxWrites: topPlaceWrites, HcaTxPlaced: topPlaced}

// forTx makes the record of hca_tx that an input of hca_top is as it comes; false of all others.
func forTx(r, in *sim.Record) bool {
	if r.Port < topPosts {
		return false
	}
	*in = *r
	switch r.Port {
	case topPosts:
		p := ParseHcaTopPost(r.Data)
		in.Port, in.Data = HcaTxOps, p.op()
	case topTime:
		ticks := uint32(r.Data[0]) | uint32(r.Data[1])<<8 | uint32(r.Data[2])<<16 | uint32(r.Data[3])<<24
		in.Port, in.Data = HcaTxOps, HcaTxLapse(ticks)
	case topGathered:
		in.Port = HcaTxGathered
	case topPlaceAcks:
		in.Port = HcaTxAcks
	default:
		return false
	}
	return true
}

// HcaTopTime is the record of s_time with which so many ticks pass at once.
func HcaTopTime(ticks uint32) []byte {
	return []byte{byte(ticks), byte(ticks >> 8), byte(ticks >> 16), byte(ticks >> 24)}
}

// heard makes of a frame that hca_rx let pass what it is to the requester: a response, or a CNP; false of all others.
func (f *HcaRxFrame) heard(r, in *sim.Record) bool {
	if f.Gate != GatePassed || f.Class.Class != ClassCNP && f.Class.Class != ClassResponse {
		return false
	}
	*in = *r
	in.User = 0
	if f.Class.Class == ClassCNP {
		in.Port, in.Data = HcaTxCNPs, HcaTxCNP(f.Class.QPN)
		return true
	}
	bth := f.parsed.BTH()
	q := HcaTxResponse{QPN: f.Class.QPN, PSN: bth.PSN(), Payload: uint16(f.parsed.payloadBytes), Opcode: bth.Opcode(),
		Pad: uint8(bth.Pad())}
	if h := f.parsed.AETH(); h != nil {
		q.Number, q.Syndrome = h.MSN(), h.Syndrome()
	}
	q.Original = f.parsed.field(ib.Original)
	in.Port, in.Data = HcaTxResponses, q.Append(nil)
	return true
}

// brings makes the payload of a response that hca_rx let pass; false of one without, and of all that is none.
func (f *HcaRxFrame) brings(r, in *sim.Record) bool {
	if f.Gate != GatePassed || f.Class.Class != ClassResponse || !f.parsed.passesOn() {
		return false
	}
	*in = *r
	in.Port, in.User, in.Data = HcaTxPayload, 0, f.parsed.Payload
	return true
}

// HcaTopRequests reports whether a frame at m_axis of hca_top is the requester's: neither a response nor a CNP.
func HcaTopRequests(r *sim.Record) bool {
	link := wire.LinkEthernet
	if encap := wire.Encap(r.User >> 4 & 7); encap >= wire.EncapIBLocal {
		link = wire.LinkIB
	}
	var w wire.Packet
	wire.Decode(link, r.Data, &w)
	return w.Op != nil && !w.Op.Response && w.Op.Transport != ib.CNP
}

// HcaTxWayOf is the record of tx_frame that an operation of s_op for it is.
func HcaTxWayOf(record []byte) FrameRecord { return hcaTxWayOf(record) }
