package hca

import (
	"encoding/binary"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// FrameOp is what a record on s_rec of tx_frame is.
type FrameOp uint8

// A packet, and the operations.
const (
	FramePacket FrameOp = iota
	FrameSet
	FrameOwn
)

// FrameWhy is why a packet does not leave, or an operation is not done.
type FrameWhy uint8

// The reasons.
const (
	FrameGood FrameWhy = iota
	FrameNoWay
	FrameEncap
	FrameNoSuch
	FrameList   // a gather list
	FrameMemory // could not be read
	FrameFailed // a packet of the QP before it could not
)

// FrameLongest is how many bytes of payload a packet has at most.
const FrameLongest = 4096

// FrameRecord is a record on s_rec of tx_frame. docs/blocks/tx_frame.md says which op uses what.
type FrameRecord struct {
	Op  FrameOp
	QPN uint32

	Opcode            ib.Opcode
	PSN               psn.PSN
	AckReq, Solicited bool
	VA                uint64
	RKey, DMALength   uint32
	Imm               uint32 // ImmDt, IETH or FETH
	SwapAdd, Compare  uint64
	QKey              uint32
	Bytes             uint16 // of payload: 13 bits
	Address           uint64 // of the message in host memory
	Offset            uint32
	Entries           uint8

	Way FrameWay
}

// FrameWay is the way of a QP: its source is ours.
type FrameWay struct {
	WayBack
	PKey     uint16
	PeerQPN  uint32
	MAC      [6]byte
	HopLimit uint8
}

// FrameRecordBytes is the size of a record on s_rec of tx_frame.
const FrameRecordBytes = 122

func (q *FrameRecord) layout(l *sim.Layout) {
	sim.Field(l, &q.Op, 3)
	sim.Field(l, &q.QPN, 24)
	sim.Field(l, &q.Opcode, 8)
	sim.Field(l, &q.PSN, psn.Bits)
	l.Flag(&q.AckReq)
	l.Flag(&q.Solicited)
	l.Wide(&q.VA)
	sim.Field(l, &q.RKey, 32)
	sim.Field(l, &q.DMALength, 32)
	sim.Field(l, &q.Imm, 32)
	l.Wide(&q.SwapAdd)
	l.Wide(&q.Compare)
	sim.Field(l, &q.QKey, 32)
	sim.Field(l, &q.Bytes, 13)
	l.Wide(&q.Address)
	sim.Field(l, &q.Offset, 32)
	sim.Field(l, &q.Entries, 5)
	q.Way.layout(l)
}

var frameRecordForm = sim.FormOf((*FrameRecord).layout)

func (w *FrameWay) layout(l *sim.Layout) {
	w.WayBack.layout(l)
	sim.Field(l, &w.PKey, 16)
	sim.Field(l, &w.PeerQPN, 24)
	l.Number(w.MAC[:])
	sim.Field(l, &w.HopLimit, 8)
}

// Append appends the record as it goes over the port.
func (q *FrameRecord) Append(b []byte) []byte {
	return frameRecordForm.Append(b, q)
}

// ParseFrameRecord reads a record of FrameRecordBytes.
func ParseFrameRecord(b []byte) FrameRecord { return frameRecordForm.Parse(b) }

// Payload is how many bytes follow the headers of a packet (OPC-2).
func (q *FrameRecord) Payload() int {
	if info := ib.Lookup(q.Opcode); q.Op != FramePacket || info == nil || !info.HasPayload() {
		return 0
	}
	return int(q.Bytes)
}

// Listed reports whether a list says where bytes lie in host memory: those of the payload, or those that the answer
// to a READ or an atomic brings (REQ-15).
func (q *FrameRecord) Listed() bool {
	verb := q.Opcode.Shape().Verb
	brings := verb.Atomic() || verb == ib.VerbRead && q.DMALength > 0
	return q.Op == FramePacket && q.Entries > 1 && (q.Payload() > 0 || brings)
}

// admit is what is wrong with the record by itself.
func (q *FrameRecord) admit() FrameWhy {
	if q.Op != FramePacket {
		if q.Op == FrameSet || q.Op == FrameOwn {
			return FrameGood
		}
		return FrameNoSuch
	}
	info := ib.Lookup(q.Opcode)
	switch {
	case info == nil || info.Response || q.Opcode.Shape().Verb == ib.NoVerb:
		return FrameNoSuch
	case info.Transport != ib.RC && info.Transport != ib.UC && info.Transport != ib.UD:
		return FrameNoSuch
	case q.Payload() > FrameLongest:
		return FrameNoSuch
	case q.Listed():
		return FrameList
	}
	return FrameGood
}

// Gathers is how many bytes of host memory the record reads, and from where.
func (q *FrameRecord) Gathers() (address uint64, n int) {
	if q.admit() != FrameGood {
		return 0, 0
	}
	return q.Address + uint64(q.Offset), q.Payload()
}

// spec is the frame of the packet on the way.
func (q *FrameRecord) spec(w *FrameWay, own [6]byte) wire.Spec {
	return wire.Spec{
		Encap: w.Encap, DstMAC: w.MAC, SrcMAC: own, VLANs: make([]wire.VLANTag, min(w.Tags, 2)),
		Src: wire.GID(w.Src), Dst: wire.GID(w.Dst), TClass: w.TClass, HopLimit: w.HopLimit, IPFrag: 0x4000,
		SrcPort: w.UDPSrcPort, SL: w.SL, DLID: w.DLID, SLID: w.SLID,
		Opcode: q.Opcode, SE: q.Solicited, AckReq: q.AckReq, PKey: w.PKey, DestQP: w.PeerQPN, PSN: q.PSN,
		QKey: q.QKey, SrcQP: q.QPN, FlushSEL: uint8(q.Imm>>4) & 3, FlushPLT: uint8(q.Imm) & 15,
		VA: q.VA + uint64(q.Offset), RKey: q.RKey, DMALen: q.DMALength, SwapAdd: q.SwapAdd, Compare: q.Compare,
		InvRKey: q.Imm, Immediate: q.Imm, NoICRC: true, NoVCRC: true,
	}
}

// frame appends the frame that carries payload.
func (q *FrameRecord) frame(b []byte, w *FrameWay, own [6]byte, payload []byte) []byte {
	s, at := q.spec(w, own), len(b)
	if s.Encap.Link() == wire.LinkIB {
		s.VLANs = nil
	}
	b = s.Append(b, payload)
	for i := range s.VLANs { // as they were set, a TPID of 0 too
		binary.BigEndian.PutUint32(b[at+12+4*i:], w.VLAN[i])
	}
	return b
}

// framePiece is the first of the pieces that n bytes from address are read in: up to a multiple of ReadPieceBytes.
func framePiece(address uint64, n int) ReadPiece {
	return ReadPiece{Address: address, Bytes: uint16(min(n, ReadPieceBytes-int(address%ReadPieceBytes)))}
}

// FramePieces is how many pieces host memory is asked for.
func (q *FrameRecord) FramePieces() (pieces int) {
	for address, n := q.Gathers(); n > 0; pieces++ {
		p := framePiece(address, n)
		address, n = address+uint64(p.Bytes), n-int(p.Bytes)
	}
	return pieces
}
