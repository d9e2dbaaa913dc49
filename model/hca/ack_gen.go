package hca

import (
	"encoding/binary"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// AckGenLatencyCycles is how many cycles after its record went in the first beat of a frame is offered.
const AckGenLatencyCycles = 4

// AckOp is what a record on s_rec of ack_gen is.
type AckOp uint8

// An ACK or NAK, the operations, and the other frames.
const (
	AckAnswer AckOp = iota
	AckSet
	AckOwn
	AckCNP
	AckAtomic
	AckRead
)

// AckWhy is why an answer is not sent, or an operation not done.
type AckWhy uint8

// The reasons.
const (
	AckGood AckWhy = iota
	AckNoQP
	AckEncap
	AckNoSuch
)

// AckQuery is what ACKs, NAKs, CNPs and the operations have of a record on s_rec of ack_gen, and so what leads there
// from qp_ctl. docs/blocks/ack_gen.md says which op uses what.
type AckQuery struct {
	Op  AckOp
	QPN uint32

	PSN      psn.PSN
	MSN      uint32
	Syndrome ib.Syndrome
	Way      WayBack
	PKey     uint16

	PeerQPN  uint32
	MAC      [6]byte
	HopLimit uint8
}

// AckRecord is a record on s_rec of ack_gen.
type AckRecord struct {
	AckQuery
	Opcode   ib.Opcode // of a READ response
	Bytes    uint16    // of its payload: 13 bits
	Original uint64    // of an atomic
}

// WayBack is what a request's headers say of the way that it came: fields of its header record.
type WayBack struct {
	Encap      wire.Encap
	Tags       uint8
	VLAN       [2]uint32
	SL         uint8
	SLID, DLID uint16
	TClass     uint8
	UDPSrcPort uint16
	Src, Dst   roce.Address // over IPv4 in the last four bytes
}

// AckRecordBytes is the size of a record on s_rec of ack_gen.
const AckRecordBytes = 82

func (q *AckQuery) layout(l *sim.Layout) {
	sim.Field(l, &q.Op, 3)
	sim.Field(l, &q.QPN, 24)
	sim.Field(l, &q.PSN, psn.Bits)
	sim.Field(l, &q.MSN, 24)
	sim.Field(l, &q.Syndrome, 8)
	q.Way.layout(l)
	sim.Field(l, &q.PKey, 16)
	sim.Field(l, &q.PeerQPN, 24)
	l.Number(q.MAC[:])
	sim.Field(l, &q.HopLimit, 8)
}

var ackQueryForm = sim.FormOf((*AckQuery).layout)

func (w *WayBack) layout(l *sim.Layout) {
	sim.Field(l, &w.Encap, 3)
	sim.Field(l, &w.Tags, 2)
	sim.Field(l, &w.VLAN[0], 32)
	sim.Field(l, &w.VLAN[1], 32)
	sim.Field(l, &w.SL, 4)
	sim.Field(l, &w.SLID, 16)
	sim.Field(l, &w.DLID, 16)
	sim.Field(l, &w.TClass, 8)
	sim.Field(l, &w.UDPSrcPort, 16)
	l.Number(w.Src[:])
	l.Number(w.Dst[:])
}

// Append appends the first 564 bits of the record: an operation as it goes over the ports of qp_ctl and hca_rx.
func (q *AckQuery) Append(b []byte) []byte {
	return ackQueryForm.Append(b, q)
}

func (q *AckRecord) layout(l *sim.Layout) {
	q.AckQuery.layout(l)
	sim.Field(l, &q.Opcode, 8)
	sim.Field(l, &q.Bytes, 13)
	l.Wide(&q.Original)
}

var ackRecordForm = sim.FormOf((*AckRecord).layout)

// Append appends the record as it goes over the port.
func (q *AckRecord) Append(b []byte) []byte {
	return ackRecordForm.Append(b, q)
}

// ParseAckRecord reads a record of AckRecordBytes.
func ParseAckRecord(b []byte) AckRecord { return ackRecordForm.Parse(b) }

// ecnBits of TClass or TOS do not go back.
const ecnBits = 3

// cnpPayload follows the BTH of a CNP (CNP-3).
var cnpPayload [ib.CNPBytes]byte

// isFrame reports whether the record is one that a frame can come of; known is false for an operation that there is
// not.
func (q *AckRecord) isFrame() (frame, known bool) {
	w := q.Way.Encap
	frame = w != wire.EncapNone && w < wire.EncapRaw
	switch q.Op {
	case AckAnswer, AckAtomic:
		return frame, true
	case AckCNP: // CNP-1
		return q.Way.isRoCEv2(), true
	case AckSet, AckOwn:
		return false, true
	case AckRead:
		info, shape := ib.Lookup(q.Opcode), q.Opcode.Shape()
		known = info != nil && info.Transport == ib.RC && shape.Verb == ib.VerbRead && !shape.Request
		return frame && known, known
	}
	return false, false
}

// noTags are those of a frame until what came is put there.
var noTags [2]wire.VLANTag

// spec is the frame on the way back (RSP-14).
func (q *AckRecord) spec(qp *answeringQP, own [6]byte) wire.Spec {
	w := &q.Way
	s := wire.Spec{
		Encap: w.Encap, DstMAC: qp.mac, SrcMAC: own, VLANs: noTags[:min(w.Tags, 2)],
		Src: wire.GID(w.Dst), Dst: wire.GID(w.Src), TClass: w.TClass &^ ecnBits, HopLimit: qp.hopLimit, IPFrag: 0x4000,
		SrcPort: w.UDPSrcPort, SL: w.SL, DLID: w.SLID, SLID: w.DLID,
		Opcode: ib.Join(ib.RC, ib.Ack), PKey: q.PKey, DestQP: qp.peer, PSN: q.PSN, Syndrome: q.Syndrome, MSN: q.MSN,
		NoICRC: true, NoVCRC: true,
	}
	switch q.Op {
	case AckCNP: // CNP-3
		s.Opcode, s.BECN, s.DestQP, s.PSN = ib.OpcodeCNP, true, q.PeerQPN, 0
	case AckAtomic:
		s.Opcode, s.Original = ib.Join(ib.RC, ib.AtomicAck), q.Original
	case AckRead:
		s.Opcode = q.Opcode
	}
	return s
}

// frame appends the frame that carries payload.
func (q *AckRecord) frame(b []byte, qp *answeringQP, own [6]byte, payload []byte) []byte {
	s, at := q.spec(qp, own), len(b)
	if s.Encap.Link() == wire.LinkIB {
		s.VLANs = nil
	}
	if q.Op == AckCNP {
		payload = cnpPayload[:]
	}
	b = s.Append(b, payload)
	for i := range s.VLANs { // as they came, a TPID of 0 too
		binary.BigEndian.PutUint32(b[at+12+4*i:], q.Way.VLAN[i])
	}
	return b
}
