package hca

import (
	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
)

// Of a key, as mr_lookup has it.
const (
	hcaRxNeedWrite   uint8 = 1
	hcaRxNeedRead    uint8 = 2
	hcaRxNeedAtomic  uint8 = 4
	hcaRxAtomicBytes       = 8
)

// shape is what kind of packet a request is.
func (f *HcaRxFrame) shape() *ib.Shape { return f.parsed.Op.Opcode.Shape() }

// endsMessage reports whether a request would use a receive WQE up.
func endsMessage(s *ib.Shape) bool { return s.NeedsReceive() && s.Last }

// IssueRequest is a request as rx_issue sees it.
func (f *HcaRxFrame) IssueRequest() IssueRequest {
	s := f.shape()
	uses := s.NeedsReceive()
	return IssueRequest{QPN: f.Class.QPN, Queue: f.Class.Queue, NeedsWQE: uses || !f.Class.Shared, UsesWQE: uses,
		NeedsMessage: verbOf(s) != MsgNone && !s.First, Invalidates: s.Inv}
}

// verbOf is which kind of message a packet belongs to.
func verbOf(s *ib.Shape) MsgVerb {
	switch s.Verb {
	case roce.Send:
		return MsgSend
	case roce.Write:
		return MsgWrite
	}
	return MsgNone
}

// messageQuery is what msg_tracker is asked or told about a request.
func (f *HcaRxFrame) messageQuery(op MsgOp) MsgQuery {
	s, h := f.shape(), &f.fields
	return MsgQuery{Op: op, QPN: f.Class.QPN, Verb: verbOf(s), First: s.First, Last: s.Last,
		Payload: uint16(f.parsed.payloadBytes), VA: h.va, RKey: h.rkey, DMALength: h.dmaLength}
}

// headerFields is what the headers of a request ask for, 0 where they do not say: the blocks are asked with it.
type headerFields struct {
	va                 uint64
	rkey               uint32 // the key that it names to be opened
	dmaLength          uint32
	flushPLT, flushSel uint8
}

// fields reads the headers.
func (p *parsed) fields() (h headerFields) {
	if !p.hasHeaders || p.Op.Headers == 0 {
		return h
	}
	h.va, h.rkey = p.field(ib.VA, ib.AtomicVA), uint32(p.field(ib.RKey, ib.AtomicRKey))
	h.dmaLength = uint32(p.field(ib.DMALen))
	h.flushPLT, h.flushSel = uint8(p.field(ib.FlushPLT)), uint8(p.field(ib.FlushSEL))
	return h
}

// queueQuery is what rq_head is asked or told about a request.
func (f *HcaRxFrame) queueQuery(op RQOp) RQQuery {
	return RQQuery{Op: op, QPN: f.Class.QPN, Queue: f.Class.Queue, Shared: f.Class.Shared,
		Complete: endsMessage(f.shape())}
}

// keyQuery is what mr_lookup is asked about a request. Where it is not asked, otherwise says whether the request has
// access.
func (f *HcaRxFrame) keyQuery() (q MRQuery, asked, otherwise bool) {
	p, s, h := &f.parsed, f.shape(), &f.fields
	q = MRQuery{RKey: h.rkey, PD: f.Class.PD, VA: h.va, Length: uint64(h.dmaLength)}
	switch {
	case s.Verb == roce.Send:
		q.RKey, q.Whole, q.Window = uint32(p.field(ib.InvRKey)), true, true
		return q, s.Inv, true
	case s.Verb == roce.Write:
		m := &f.message
		q.RKey, q.VA, q.Length, q.Need = m.RKey, m.VA, uint64(p.payloadBytes), hcaRxNeedWrite
		if f.Class.WholeWrite {
			q.Length = uint64(m.Left)
		}
		return q, m.Found, false
	case s.Verb.Atomic():
		q.Need, q.Length = hcaRxNeedAtomic, hcaRxAtomicBytes
	case s.Verb == roce.AtomicWrite:
		q.Need, q.Length = hcaRxNeedWrite, hcaRxAtomicBytes
	case s.Verb == roce.Read:
		q.Need = hcaRxNeedRead
	case s.Verb == roce.Flush:
		q.Need, q.Whole = h.flushPLT&3<<3, h.flushSel == 1
	}
	return q, true, false
}

// Key is the key that mr_lookup is asked for; ok is false for a request that names none.
func (f *HcaRxFrame) Key() (key uint32, ok bool) {
	if f.parsed.Op == nil {
		return 0, false
	}
	q, asked, _ := f.keyQuery()
	return q.RKey, asked
}

// CommitsMessage reports whether msg_tracker is told of a request.
func (f *HcaRxFrame) CommitsMessage() bool { return f.executed() && verbOf(f.shape()) != MsgNone }

// TakesWQE reports whether rq_head is told of a request.
func (f *HcaRxFrame) TakesWQE() bool {
	return f.executed() && (f.shape().Verb == roce.Send || f.Result.Complete)
}

// Invalidates reports whether mr_lookup is told of a request.
func (f *HcaRxFrame) Invalidates() bool { return f.executed() && f.shape().Inv }

// classifyQuery is the packet's header record as rx_classify takes it.
func (f *HcaRxFrame) classifyQuery() (q ClassifyQuery) {
	p, w := &f.parsed, &f.way
	q.Reason, q.Encap, q.SLID, q.DLID, q.Src, q.Dst = p.reason, p.Encap, w.SLID, w.DLID, w.Src, w.Dst
	if p.hasBTH {
		bth := p.BTH()
		q.Opcode, q.DestQP, q.PKey = bth.Opcode(), bth.DestQP(), bth.PKey()
	}
	return q
}

// wayBack is what the packet's headers say of its way.
func (p *parsed) wayBack() (w WayBack) {
	src, dst, tclass := p.addresses()
	w.Encap, w.Tags, w.TClass, w.Src, w.Dst = p.Encap, uint8(p.tags()), tclass, wideAddress(src), wideAddress(dst)
	for i := range w.Tags {
		for _, b := range p.VLAN(int(i))[:4] {
			w.VLAN[i] = w.VLAN[i]<<8 | uint32(b)
		}
	}
	if h := p.UDP(); h != nil {
		w.UDPSrcPort = h.SrcPort()
	}
	if p.Encap.Link() == wire.LinkIB {
		w.SLID, w.DLID, w.SL = p.LRH().SLID(), p.LRH().DLID(), p.LRH().SL()
	}
	return w
}

// wideAddress is an address of 4 or 16 bytes in the last of 16.
func wideAddress(b []byte) (a roce.Address) {
	copy(a[len(a)-len(b):], b)
	return a
}
