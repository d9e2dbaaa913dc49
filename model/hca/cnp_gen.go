package hca

import (
	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// CNPGenLatencyCycles is how many cycles after it went in a record is answered.
const CNPGenLatencyCycles = 4

// CNPOp is what a record on s_rec of cnp_gen is.
type CNPOp uint8

// A packet that was admitted, and the operations.
const (
	CNPPacket CNPOp = iota
	CNPSet
	CNPPeriod
	CNPRemove
)

// CNPWhy is why there is no CNP, or an operation is not done. The reasons of packets are those of roce.NotifyWhy.
type CNPWhy uint8

// The reasons of operations; CNPNoQP is one of packets too.
const (
	CNPDone   CNPWhy = 0
	CNPNoQP          = CNPWhy(roce.NotifyNoQP)
	CNPTooFar CNPWhy = 6
	CNPNoSuch CNPWhy = 7
)

// CNPQuery is a record on s_rec of cnp_gen. docs/blocks/cnp_gen.md says which op uses what. SL and LIDs of Way are not
// in it: a CNP is of RoCEv2.
type CNPQuery struct {
	Op      CNPOp
	QPN     uint32
	Service RespService
	Opcode  ib.Opcode
	Way     WayBack
	PKey    uint16
	PeerQPN uint32
	Period  uint32 // cycles
}

// CNPQueryBytes is the size of a record on s_rec of cnp_gen.
const CNPQueryBytes = 58

func (q *CNPQuery) layout(l *sim.Layout) {
	sim.Field(l, &q.Op, 3)
	sim.Field(l, &q.QPN, 24)
	sim.Field(l, &q.Service, 2)
	sim.Field(l, &q.Opcode, 8)
	q.Way.layoutOfIP(l)
	sim.Field(l, &q.PKey, 16)
	sim.Field(l, &q.PeerQPN, 24)
	sim.Field(l, &q.Period, 32)
}

var cnpQueryForm = sim.FormOf((*CNPQuery).layout)

// layoutOfIP has what a packet over IP has.
func (w *WayBack) layoutOfIP(l *sim.Layout) {
	sim.Field(l, &w.Encap, 3)
	sim.Field(l, &w.Tags, 2)
	sim.Field(l, &w.VLAN[0], 32)
	sim.Field(l, &w.VLAN[1], 32)
	sim.Field(l, &w.TClass, 8)
	sim.Field(l, &w.UDPSrcPort, 16)
	l.Number(w.Src[:])
	l.Number(w.Dst[:])
}

// Append appends the record as it goes over the port.
func (q *CNPQuery) Append(b []byte) []byte {
	return cnpQueryForm.Append(b, q)
}

// ParseCNPQuery reads a record of CNPQueryBytes.
func ParseCNPQuery(b []byte) CNPQuery { return cnpQueryForm.Parse(b) }

// CNPResult is a record on m_rec of cnp_gen.
type CNPResult struct {
	QPN     uint32
	Op      CNPOp
	Why     CNPWhy
	Opcode  ib.Opcode // of a CNP, or 0
	PeerQPN uint32
	Way     WayBack
	PKey    uint16
}

func (r *CNPResult) layout(l *sim.Layout) {
	sim.Field(l, &r.QPN, 24)
	sim.Field(l, &r.Op, 3)
	sim.Field(l, &r.Why, 3)
	sim.Field(l, &r.Opcode, 8)
	sim.Field(l, &r.PeerQPN, 24)
	r.Way.layoutOfIP(l)
	sim.Field(l, &r.PKey, 16)
}

var cnpResultForm = sim.FormOf((*CNPResult).layout)

// ParseCNPResult reads a record on m_rec of cnp_gen.
func ParseCNPResult(b []byte) CNPResult { return cnpResultForm.Parse(b) }

var cnpGenSpec = sim.StageSpec{
	Name:    "cnp_gen",
	Summary: "says which marked packets give a CNP, of one QP once in a configured time",
	ByTime:  true,
	Ports: []sim.PortSpec{
		{Name: "s_rec", Input: true, Kind: sim.Fields, Bits: 458},
		{Name: "m_rec", Kind: sim.Fields, Bits: 427},
	},
	New: func(s sim.Settings) sim.Stage {
		return &cnpGen{pass: pass{latencyCycles: CNPGenLatencyCycles}, numQPs: uint32(s.Get("NumQps", 4096)),
			stampBits: int(s.Get("StampWidth", 24))}
	},
}

// cnpGen is the stage of docs/blocks/cnp_gen.md. Its time is the cycle in which a record is accepted, and has no end.
type cnpGen struct {
	pass
	numQPs    uint32
	stampBits int
	period    uint64
	qps       byIndex[notifyingQP]
	records   []byte // of one Advance; its outputs share it until the next
}

type notifyingQP struct {
	number uint32
	roce.Notifier
}

func (s *cnpGen) Reset() {
	*s = cnpGen{pass: pass{latencyCycles: s.latencyCycles}, numQPs: s.numQPs, stampBits: s.stampBits,
		records: s.records}
}

func (s *cnpGen) Advance(_ uint64, in, out []sim.Record) []sim.Record {
	s.records = s.records[:0]
	for i := range in {
		q := ParseCNPQuery(in[i].Data)
		r := s.step(&q, in[i].End)
		at := len(s.records)
		s.records = cnpResultForm.Append(s.records, &r)
		out = s.through(out, &in[i], s.records[at:len(s.records):len(s.records)], 0)
	}
	return out
}

// step makes one record of one that was accepted in a cycle.
func (s *cnpGen) step(q *CNPQuery, now uint64) (r CNPResult) {
	r.QPN, r.Op, r.Why, r.Way, r.PKey = q.QPN, q.Op, CNPNoSuch, q.Way, q.PKey
	index := q.QPN % s.numQPs
	switch q.Op {
	case CNPPacket:
		p := q.marked()
		r.Why, r.Opcode, r.PeerQPN = s.packet(q.QPN, &p, now)
	case CNPSet:
		s.qps.set(index, notifyingQP{q.QPN, roce.Notifier{Peer: q.PeerQPN}})
		r.Why = CNPDone
	case CNPPeriod:
		if r.Why = CNPTooFar; uint64(q.Period) < 1<<(s.stampBits-1) {
			s.period, r.Why = uint64(q.Period), CNPDone
		}
	case CNPRemove:
		if r.Why = CNPNoQP; s.of(q.QPN) != nil {
			s.qps.delete(index)
			r.Why = CNPDone
		}
	}
	return r
}

// of is what is known of a QP; nil where there is none of the number.
func (s *cnpGen) of(qpn uint32) *roce.Notifier {
	if qp := s.qps.get(qpn % s.numQPs); qp != nil && qp.number == qpn {
		return &qp.Notifier
	}
	return nil
}

// marked is the packet that a record tells of.
func (q *CNPQuery) marked() roce.Marked {
	return roce.Marked{TClass: q.Way.TClass, Op: q.Opcode, SrcQP: q.PeerQPN, Service: q.Service.transport(),
		RoCEv2: q.Way.isRoCEv2()}
}

func (w *WayBack) isRoCEv2() bool {
	return w.Encap == wire.EncapRoCEv2IPv4 || w.Encap == wire.EncapRoCEv2IPv6
}

// packet says whether a packet gives a CNP, and which.
func (s *cnpGen) packet(qpn uint32, p *roce.Marked, now uint64) (why CNPWhy, opcode ib.Opcode, peerQPN uint32) {
	n := s.of(qpn)
	if why = CNPWhy(n.Notify(p, now, s.period)); why == CNPDone {
		opcode, peerQPN = n.CNP(p)
	}
	return why, opcode, peerQPN
}
