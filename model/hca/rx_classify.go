package hca

import (
	"encoding/binary"

	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// RxClassifyLatencyCycles is how many cycles after it went in a record is answered.
const RxClassifyLatencyCycles = 4

// ClassifyOp is what a record on s_rec of rx_classify is.
type ClassifyOp uint8

// A packet, and the operations on QPs and the port's tables.
const (
	ClassifyPacket ClassifyOp = iota
	ClassifySet
	ClassifyRemove
	ClassifyAddress
	ClassifyPKey
)

// Operations of a memory with a code.
const (
	ClassifyInject ClassifyOp = 6
	ClassifyCounts ClassifyOp = 7
)

// classifyContextBits are the data bits of the word of a QP.
const classifyContextBits = 243

// PacketClass is what rx_classify makes of a record.
type PacketClass uint8

// The classes of packets, then those of operations.
const (
	ClassDropped PacketClass = iota
	ClassRequest
	ClassResponse
	ClassCNP
	ClassDone
	ClassIgnored
)

// ClassifyWhy is why a packet is dropped, or an operation ignored.
type ClassifyWhy uint8

// The reasons, in the order in which packets are held against them.
const (
	ClassifyGood ClassifyWhy = iota
	ClassifyNotRoCE
	ClassifyRaw
	ClassifyNotAddressed
	ClassifyMalformed
	ClassifyNoQP
	ClassifyService
	ClassifyNotLive
	ClassifyPeer
	ClassifyNoGRH
	ClassifyBadPKey
	ClassifyNoSuch // operation, service or entry
	ClassifyTaken  // the QP's index, by another number
	ClassifyLost   // wrong bits in the QP's word
)

// ClassifyQuery is a record on s_rec of rx_classify. docs/blocks/rx_classify.md says which op uses what.
type ClassifyQuery struct {
	Op     ClassifyOp
	Reason wire.Reason
	Encap  wire.Encap
	Opcode ib.Opcode
	DestQP uint32
	PKey   uint16
	SLID   uint16
	DLID   uint16

	Entry   uint8
	Service RespService
	Live    bool
	Global  bool

	Src, Dst roce.Address // of a packet over IPv4 in the last four bytes, the others 0
	ReceiveSide
}

// ReceiveSide is what a QP is set with for the blocks behind rx_classify, which gives it out with its packets.
type ReceiveSide struct {
	Queue      uint32 // 24 bits: of receive WQEs
	Shared     bool   // several QPs may take from it
	PD         uint32 // 24 bits
	WholeWrite bool   // roce.Profile.WholeWriteChecked
	QKey       uint32 // of UD (RSP-4)
}

func (s *ReceiveSide) layout(l *sim.Layout) {
	sim.Field(l, &s.Queue, 24)
	l.Flag(&s.Shared)
	sim.Field(l, &s.PD, 24)
	l.Flag(&s.WholeWrite)
	sim.Field(l, &s.QKey, 32)
}

// ClassifyQueryBytes is the size of a record on s_rec of rx_classify.
const ClassifyQueryBytes = 55

func (q *ClassifyQuery) layout(l *sim.Layout) {
	sim.Field(l, &q.Op, 3)
	sim.Field(l, &q.Reason, 4)
	sim.Field(l, &q.Encap, 3)
	sim.Field(l, &q.Opcode, 8)
	sim.Field(l, &q.DestQP, 24)
	sim.Field(l, &q.PKey, 16)
	sim.Field(l, &q.SLID, 16)
	sim.Field(l, &q.DLID, 16)
	sim.Field(l, &q.Entry, 4)
	sim.Field(l, &q.Service, 2)
	l.Flag(&q.Live)
	l.Flag(&q.Global)
	l.Number(q.Src[:])
	l.Number(q.Dst[:])
	q.ReceiveSide.layout(l)
}

var classifyQueryForm = sim.FormOf((*ClassifyQuery).layout)

// Append appends the record as it goes over the port.
func (q *ClassifyQuery) Append(b []byte) []byte {
	return classifyQueryForm.Append(b, q)
}

// ParseClassifyQuery reads a record of ClassifyQueryBytes.
func ParseClassifyQuery(b []byte) ClassifyQuery { return classifyQueryForm.Parse(b) }

// heading is the packet as roce.Port.Admit sees it; addresses are in one form.
func (q *ClassifyQuery) heading() roce.Heading {
	h := roce.Heading{Src: q.Src, Dst: q.Dst, Global: q.Encap != wire.EncapIBLocal,
		WellFormed: q.Reason == wire.WellFormed,
		Op:         q.Opcode, DestQP: q.DestQP, PKey: q.PKey, ICRCGood: true}
	switch q.Encap {
	case wire.EncapRoCEv2IPv4:
		h.Src, h.Dst = mapped(q.Src), mapped(q.Dst)
	case wire.EncapIBLocal:
		h.Src, h.Dst = lidAddress(q.SLID), lidAddress(q.DLID)
	}
	return h
}

func mapped(a roce.Address) roce.Address {
	return roce.Address(wire.FromIPv4(a[12], a[13], a[14], a[15]))
}

func lidAddress(lid uint16) (a roce.Address) {
	a[14], a[15] = byte(lid>>8), byte(lid)
	return a
}

// ClassifyResult is a record on m_rec of rx_classify.
type ClassifyResult struct {
	QPN     uint32
	PKey    uint16
	Class   PacketClass
	Why     ClassifyWhy
	Op      ClassifyOp
	Service RespService
	ReceiveSide
}

func (r *ClassifyResult) layout(l *sim.Layout) {
	sim.Field(l, &r.QPN, 24)
	sim.Field(l, &r.PKey, 16)
	sim.Field(l, &r.Class, 3)
	sim.Field(l, &r.Why, 4)
	sim.Field(l, &r.Op, 3)
	sim.Field(l, &r.Service, 2)
	r.ReceiveSide.layout(l)
}

var classifyResultForm = sim.FormOf((*ClassifyResult).layout)

// ParseClassifyResult reads a record on m_rec of rx_classify.
func ParseClassifyResult(b []byte) ClassifyResult { return classifyResultForm.Parse(b) }

var rxClassifySpec = sim.StageSpec{
	Name:    "rx_classify",
	Summary: "says of every packet whether it is for a QP of ours, and what it is",
	Ports: []sim.PortSpec{
		{Name: "s_rec", Input: true, Kind: sim.Fields, Bits: 436},
		{Name: "m_rec", Kind: sim.Fields, Bits: 134},
	},
	New: func(s sim.Settings) sim.Stage {
		return &rxClassify{pass: pass{latencyCycles: RxClassifyLatencyCycles},
			c: Classifier{numQPs: uint32(s.Get("NumQps", 4096)), ecc: eccOf(s, classifyContextBits)}}
	},
}

// rxClassify is the stage of docs/blocks/rx_classify.md.
type rxClassify struct {
	pass
	c       Classifier
	records []byte // of one Advance; its outputs share it until the next
}

func (s *rxClassify) Reset() {
	s.pass.Reset()
	s.c.reset()
}

func (s *rxClassify) Advance(_ uint64, in, out []sim.Record) []sim.Record {
	s.records = s.records[:0]
	for i := range in {
		q := ParseClassifyQuery(in[i].Data)
		r := s.c.Step(&q)
		at := len(s.records)
		s.records = classifyResultForm.Append(s.records, &r)
		out = s.through(out, &in[i], s.records[at:len(s.records):len(s.records)], 0)
	}
	return out
}

// Classifier is what rx_classify knows: the port's tables, and a QP for each index.
type Classifier struct {
	numQPs uint32
	port   roce.Port
	qps    byIndex[classifiedQP]
	ecc    *eccMemory // nil without
}

func (c *Classifier) reset() {
	c.port = roce.Port{}
	c.qps.reset()
	c.ecc.reset()
}

// classifiedQP is a QP; admission asks nothing else of it. A QP that is not live is in error.
type classifiedQP struct {
	roce.Destination
	service RespService
	receive ReceiveSide
}

// Step makes one record of one.
func (c *Classifier) Step(q *ClassifyQuery) (r ClassifyResult) {
	lost := false
	if c.ecc != nil {
		switch q.Op {
		case ClassifyInject, ClassifyCounts:
			return c.maintain(q)
		case ClassifyPacket, ClassifySet, ClassifyRemove:
			if lost = c.ecc.lost(q.DestQP % c.numQPs); lost {
				c.qps.delete(q.DestQP % c.numQPs)
			}
		}
	}
	if q.Op == ClassifyPacket {
		r = c.packet(q)
		if lost && r.Why == ClassifyNoQP {
			r.Why = ClassifyLost
		}
		return r
	}
	r.QPN, r.Op, r.Class, r.Why = q.DestQP, q.Op, ClassDone, c.operate(q)
	if r.Why != ClassifyGood {
		r.Class = ClassIgnored
	}
	return r
}

// maintain orders an injection (ECC-4), or tells the counts (ECC-5).
func (c *Classifier) maintain(q *ClassifyQuery) ClassifyResult {
	r := ClassifyResult{QPN: q.DestQP, Op: q.Op, Class: ClassDone}
	low := binary.BigEndian.Uint32(q.Src[12:])
	switch m := c.ecc; {
	case q.Op == ClassifyCounts:
		r.PKey, r.Queue, r.PD = uint16(m.corrected)|uint16(m.failed)<<8, m.lastCorrected, m.lastFailed
	case !m.inject(q.DestQP%c.numQPs, int(low&0xFFFF), int(low>>16)):
		r.Class, r.Why = ClassIgnored, ClassifyNoSuch
	}
	return r
}

func (c *Classifier) operate(q *ClassifyQuery) ClassifyWhy {
	index := q.DestQP % c.numQPs
	has := c.qps.get(index)
	switch q.Op {
	case ClassifySet:
		if q.Service > RespUD {
			return ClassifyNoSuch
		}
		if has != nil && has.Number != q.DestQP {
			return ClassifyTaken
		}
		c.qps.set(index, q.qp())
	case ClassifyRemove:
		if has == nil || has.Number != q.DestQP {
			return ClassifyNoQP
		}
		c.qps.delete(index)
	case ClassifyAddress:
		if int(q.Entry) >= len(c.port.Own) {
			return ClassifyNoSuch
		}
		c.port.Own[q.Entry] = q.Src
	case ClassifyPKey:
		c.port.PKeys[q.Entry] = q.PKey
	default:
		return ClassifyNoSuch
	}
	return ClassifyGood
}

// qp is what a ClassifySet says.
func (q *ClassifyQuery) qp() classifiedQP {
	qp := classifiedQP{roce.Destination{Number: q.DestQP, Service: q.Service.transport(), State: roce.Error,
		Peer: q.Src, Global: q.Global, PKeyIndex: q.Entry}, q.Service, q.ReceiveSide}
	if q.Live {
		qp.State = roce.RTR
	}
	return qp
}

func (c *Classifier) packet(q *ClassifyQuery) (r ClassifyResult) {
	r.QPN = q.DestQP
	switch {
	case q.Encap == wire.EncapNone || q.Encap > wire.EncapRaw:
		r.Why = ClassifyNotRoCE
		return r
	case q.Encap == wire.EncapRaw:
		r.Why = ClassifyRaw
		return r
	}
	var at *roce.Destination
	qp := c.qps.get(q.DestQP % c.numQPs)
	if qp != nil {
		at = &qp.Destination
	}
	h := q.heading()
	isCNP := h.TakeCNP(at)
	if rule := c.port.Admit(at, &h); rule != "" {
		r.Why = refineDrop(rule, at, &h)
		return r
	}
	r.PKey, r.Service, r.Class = c.port.PKeys[qp.PKeyIndex], qp.service, ClassRequest
	r.ReceiveSide = qp.receive
	switch {
	case isCNP:
		r.Class = ClassCNP
	case ib.Lookup(q.Opcode).Response:
		r.Class = ClassResponse
	}
	return r
}

// refineDrop says which part of a rule of admission dropped a packet.
func refineDrop(rule roce.Rule, qp *roce.Destination, h *roce.Heading) ClassifyWhy {
	switch rule {
	case "ADM-1":
		return ClassifyNotAddressed
	case "ADM-2":
		return ClassifyMalformed
	case "ADM-3":
		info := ib.Lookup(h.Op)
		switch {
		case qp == nil || qp.Number != h.DestQP:
			return ClassifyNoQP
		case info == nil || info.Transport != qp.Service:
			return ClassifyService
		}
		return ClassifyNotLive
	case "ADM-4":
		if h.Src != qp.Peer {
			return ClassifyPeer
		}
		return ClassifyNoGRH
	}
	return ClassifyBadPKey
}
