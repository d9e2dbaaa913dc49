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

// An answer, and the operations.
const (
	AckAnswer AckOp = iota
	AckSet
	AckOwn
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

// AckQuery is a record on s_rec of ack_gen. docs/blocks/ack_gen.md says which op uses what.
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

// AckQueryBytes is the size of a record on s_rec of ack_gen.
const AckQueryBytes = 71

func (q *AckQuery) layout(l *sim.Layout) {
	sim.Field(l, &q.Op, 3)
	sim.Field(l, &q.QPN, 24)
	sim.Field(l, &q.PSN, psn.Bits)
	sim.Field(l, &q.MSN, 24)
	sim.Field(l, &q.Syndrome, 8)
	q.Way.layout(l)
	sim.Field(l, &q.PKey, 16)
	sim.Field(l, &q.PeerQPN, 24)
	for i := len(q.MAC) - 1; i >= 0; i-- {
		sim.Field(l, &q.MAC[i], 8)
	}
	sim.Field(l, &q.HopLimit, 8)
}

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
	addressField(l, &w.Src)
	addressField(l, &w.Dst)
}

// Append appends the record as it goes over the port.
func (q *AckQuery) Append(b []byte) []byte {
	l := sim.WriteLayout(b)
	q.layout(&l)
	return l.End()
}

// ParseAckQuery reads a record of AckQueryBytes.
func ParseAckQuery(b []byte) (q AckQuery) {
	l := sim.ReadLayout(b)
	q.layout(&l)
	return q
}

// ecnBits of TClass or TOS do not go back.
const ecnBits = 3

// spec is the answer's frame on the way back (RSP-14).
func (q *AckQuery) spec(qp *answeringQP, own [6]byte) wire.Spec {
	w := &q.Way
	return wire.Spec{
		Encap: w.Encap, DstMAC: qp.mac, SrcMAC: own, VLANs: make([]wire.VLANTag, min(w.Tags, 2)),
		Src: wire.GID(w.Dst), Dst: wire.GID(w.Src), TClass: w.TClass &^ ecnBits, HopLimit: qp.hopLimit, IPFrag: 0x4000,
		SrcPort: w.UDPSrcPort, SL: w.SL, DLID: w.SLID, SLID: w.DLID,
		Opcode: ib.Join(ib.RC, ib.Ack), PKey: q.PKey, DestQP: qp.peer, PSN: q.PSN, Syndrome: q.Syndrome, MSN: q.MSN,
		NoICRC: true, NoVCRC: true,
	}
}

// frame appends the answer's frame.
func (q *AckQuery) frame(b []byte, qp *answeringQP, own [6]byte) []byte {
	s, at := q.spec(qp, own), len(b)
	if s.Encap.Link() == wire.LinkIB {
		s.VLANs = nil
	}
	b = s.Append(b, nil)
	for i := range s.VLANs { // as they came, a TPID of 0 too
		binary.BigEndian.PutUint32(b[at+12+4*i:], q.Way.VLAN[i])
	}
	return b
}

// The ports of ack_gen.
const (
	_            sim.Port = iota // s_rec
	portAnswered                 // m_rec
	portFrame                    // m_axis
)

var ackGenSpec = sim.StageSpec{
	Name:    "ack_gen",
	Summary: "makes the frames of ACKs and NAKs, on the way back of their request",
	Ports: []sim.PortSpec{
		{Name: "s_rec", Input: true, Kind: sim.Fields},
		{Name: "m_rec", Kind: sim.Fields},
		{Name: "m_axis", Kind: sim.Axis, UserBits: 1},
	},
	New: func(s sim.Settings) sim.Stage {
		return &ackGen{beatBytes: int(s.Get("DataWidth", 512)) / 8, numQPs: uint32(s.Get("NumQps", 4096))}
	},
}

// ackGen is the stage of docs/blocks/ack_gen.md.
type ackGen struct {
	beatBytes int
	numQPs    uint32
	own       [6]byte
	qps       map[uint32]answeringQP // by index
	recordSeq uint64
	frameSeq  uint64
	free      uint64 // the first cycle in which a record can stand in R
	bytes     []byte // of one Advance; its outputs share it until the next
}

// answeringQP is what an answer takes from its QP.
type answeringQP struct {
	number, peer uint32
	mac          [6]byte
	hopLimit     uint8
}

func (s *ackGen) Reset() { *s = ackGen{beatBytes: s.beatBytes, numQPs: s.numQPs, bytes: s.bytes} }

func (s *ackGen) Advance(_ uint64, in, out []sim.Record) []sim.Record {
	s.bytes = s.bytes[:0]
	for i := range in {
		out = s.record(&in[i], out)
	}
	return out
}

// record does one record: its frame leaves beat by beat from R on, its record with the last of them.
func (s *ackGen) record(in *sim.Record, out []sim.Record) []sim.Record {
	q := ParseAckQuery(in.Data)
	at := len(s.bytes)
	why, beats := s.answer(&q)
	frame := s.bytes[at:len(s.bytes):len(s.bytes)]
	start := max(in.End+1, s.free)
	s.free = start + beats
	end := s.free - 1 + AckGenLatencyCycles - 1
	at = len(s.bytes)
	l := sim.WriteLayout(s.bytes)
	l.Put(q.QPN, 24)
	l.Put(uint32(q.Op), 3)
	l.Put(uint32(why), 2)
	s.bytes = l.End()
	out = append(out, sim.Record{Start: end, End: end, Seq: s.recordSeq, Cause: in.Seq, Key: in.Key, Port: portAnswered,
		Data: s.bytes[at:len(s.bytes):len(s.bytes)]})
	s.recordSeq++
	if q.Op == AckAnswer && why == AckGood {
		out = append(out, sim.Record{Start: start + AckGenLatencyCycles - 1, End: end, Seq: s.frameSeq, Cause: in.Seq,
			Key: in.Key, User: uint32(q.Way.Encap.Link()), Port: portFrame, Data: frame})
		s.frameSeq++
	}
	return out
}

// answer does a record: an answer's frame is appended to s.bytes. It takes as many beats as its frame has, or would
// have; anything else takes one.
func (s *ackGen) answer(q *AckQuery) (why AckWhy, beats uint64) {
	switch q.Op {
	case AckAnswer:
	case AckSet:
		if s.qps == nil {
			s.qps = map[uint32]answeringQP{}
		}
		s.qps[q.QPN%s.numQPs] = answeringQP{q.QPN, q.PeerQPN, q.MAC, q.HopLimit}
		return AckGood, 1
	case AckOwn:
		s.own = q.MAC
		return AckGood, 1
	default:
		return AckNoSuch, 1
	}
	qp, there := s.qps[q.QPN%s.numQPs]
	there = there && qp.number == q.QPN
	beats = 1
	hasFrame := q.Way.Encap != wire.EncapNone && q.Way.Encap < wire.EncapRaw
	if hasFrame {
		at := len(s.bytes)
		s.bytes = q.frame(s.bytes, &qp, s.own)
		beats = uint64((len(s.bytes) - at + s.beatBytes - 1) / s.beatBytes)
	}
	switch {
	case !there:
		return AckNoQP, beats
	case !hasFrame:
		return AckEncap, beats
	}
	return AckGood, beats
}
