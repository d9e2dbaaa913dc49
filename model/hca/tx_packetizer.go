package hca

import (
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

// TxPacketizerLatencyCycles is how many cycles after it went in a record is answered.
const TxPacketizerLatencyCycles = 5

var txPacketizerSpec = sim.StageSpec{
	Name:    "tx_packetizer",
	Summary: "says which packet of a QP goes out next, first or again, and what holds it back, for many QPs",
	Ports: []sim.PortSpec{
		{Name: "s_rec", Input: true, Kind: sim.Fields, Bits: 191},
		{Name: "m_rec", Kind: sim.Fields, Bits: 330},
	},
	New: func(s sim.Settings) sim.Stage {
		p := NewTxPackets(s.Get("NumQps", 4096), uint8(s.Get("Wqes", 8)), int(s.Get("PsnWidth", psn.Bits)))
		return &txPacketizer{pass: pass{latencyCycles: TxPacketizerLatencyCycles}, packets: p}
	},
}

// TxOp is what a record on s_rec of tx_packetizer is.
type TxOp uint8

// Operations of tx_packetizer; 7 is TxLook too.
const (
	TxPacket TxOp = iota
	TxVerdict
	TxConfigure
	TxClose
	TxLook
	TxDrain
	TxResume
)

// Services of a configure, as tx_packetizer numbers them; 3 is none.
const (
	TxRC = iota
	TxUC
	TxUD
)

// TxBegun says how far the WQE of a packet is.
type TxBegun uint8

// No WQE is in the slot, nothing of it was sent, it has its PSNs.
const (
	TxNoWQE TxBegun = iota
	TxNew
	TxBegan
)

// TxRecord is a record on s_rec of tx_packetizer; docs/blocks/tx_packetizer.md says which op uses what.
type TxRecord struct {
	QPN       uint32
	Op        TxOp
	Una       psn.PSN
	Order     RetryOrder
	Progress  bool
	LSN       uint32
	Unlimited bool
	Ended     bool
	PMTU      uint8
	MaxReads  uint8
	Window    uint32
	Service   uint8
	Restart   bool
	WholeRead bool

	Slot       uint8
	Oldest     bool
	Begun      TxBegun
	Verb       ib.Verb
	Immediate  bool
	Invalidate bool
	Solicited  bool
	Fence      bool
	Length     uint32
	First      psn.PSN
	Told       bool
}

// TxRecordBytes and TxAnswerBytes are the sizes of records on s_rec and m_rec of tx_packetizer.
const (
	TxRecordBytes = 24
	TxAnswerBytes = 42
)

func (r *TxRecord) layout(l *sim.Layout) {
	sim.Field(l, &r.QPN, 24)
	sim.Field(l, &r.Op, 3)
	sim.Field(l, &r.Una, psn.Bits)
	sim.Field(l, &r.Order, 3)
	l.Flag(&r.Progress)
	sim.Field(l, &r.LSN, 24)
	l.Flag(&r.Unlimited)
	l.Flag(&r.Ended)
	sim.Field(l, &r.PMTU, 3)
	sim.Field(l, &r.MaxReads, 5)
	sim.Field(l, &r.Window, 24)
	sim.Field(l, &r.Service, 2)
	l.Flag(&r.Restart)
	l.Flag(&r.WholeRead)
	sim.Field(l, &r.Slot, 6)
	l.Flag(&r.Oldest)
	sim.Field(l, &r.Begun, 2)
	sim.Field(l, &r.Verb, 4)
	l.Flag(&r.Immediate)
	l.Flag(&r.Invalidate)
	l.Flag(&r.Solicited)
	l.Flag(&r.Fence)
	sim.Field(l, &r.Length, 32)
	sim.Field(l, &r.First, psn.Bits)
	l.Flag(&r.Told)
}

var txRecordForm = sim.FormOf((*TxRecord).layout)

// Append appends the record as it goes over the port.
func (r *TxRecord) Append(b []byte) []byte {
	return txRecordForm.Append(b, r)
}

// ParseTxRecord reads a record of TxRecordBytes.
func ParseTxRecord(b []byte) TxRecord { return txRecordForm.Parse(b) }

// TxWhy says why nothing goes out, or why a configure was refused. Up to TxNoQP they are the whys of a turn that is
// done, where 6 is the rate's.
type TxWhy uint8

// The reasons of docs/blocks/tx_packetizer.md.
const (
	TxTaken     TxWhy = 0
	TxNothing   TxWhy = 1
	TxWaits     TxWhy = 2
	TxWindow    TxWhy = 3
	TxReads     TxWhy = 4
	TxCredit    TxWhy = 5
	TxNoQP      TxWhy = 7
	TxIsOpen    TxWhy = 8
	TxIllegal   TxWhy = 9
	TxBadWQE    TxWhy = 10
	TxIsDrained TxWhy = 11
)

// TxWhat is what becomes of a turn at a packet.
type TxWhat uint8

// Nothing goes out, a packet does, local work begins, another WQE is asked for.
const (
	TxStands TxWhat = iota
	TxSends
	TxBeginsLocal
	TxSearches
)

// TxAnswer is a record on m_rec of tx_packetizer.
type TxAnswer struct {
	QPN    uint32
	Op     TxOp
	Why    TxWhy
	What   TxWhat
	Slot   uint8
	Oldest bool

	Begins      bool
	Again       bool
	Opcode      ib.Opcode
	PSN         psn.PSN
	Count       uint32
	Offset      uint32
	Bytes       uint32
	Payload     uint16
	Kind        roce.ReqKind
	Number      uint32
	AckReq      bool
	Solicited   bool
	First, Last psn.PSN

	Una, Next, High psn.PSN
	Reads           uint8
	Waiting         bool
	Drained         bool
}

func (a *TxAnswer) layout(l *sim.Layout) {
	sim.Field(l, &a.QPN, 24)
	sim.Field(l, &a.Op, 3)
	sim.Field(l, &a.Why, 4)
	sim.Field(l, &a.What, 2)
	sim.Field(l, &a.Slot, 6)
	l.Flag(&a.Oldest)
	l.Flag(&a.Begins)
	l.Flag(&a.Again)
	sim.Field(l, &a.Opcode, 8)
	sim.Field(l, &a.PSN, psn.Bits)
	sim.Field(l, &a.Count, 24)
	sim.Field(l, &a.Offset, 32)
	sim.Field(l, &a.Bytes, 32)
	sim.Field(l, &a.Payload, 13)
	sim.Field(l, &a.Kind, 2)
	sim.Field(l, &a.Number, 24)
	l.Flag(&a.AckReq)
	l.Flag(&a.Solicited)
	sim.Field(l, &a.First, psn.Bits)
	sim.Field(l, &a.Last, psn.Bits)
	sim.Field(l, &a.Una, psn.Bits)
	sim.Field(l, &a.Next, psn.Bits)
	sim.Field(l, &a.High, psn.Bits)
	sim.Field(l, &a.Reads, 5)
	l.Flag(&a.Waiting)
	l.Flag(&a.Drained)
}

var txAnswerForm = sim.FormOf((*TxAnswer).layout)

// Append appends the record as it goes over the port.
func (a *TxAnswer) Append(b []byte) []byte {
	return txAnswerForm.Append(b, a)
}

// ParseTxAnswer reads a record of TxAnswerBytes.
func ParseTxAnswer(b []byte) TxAnswer { return txAnswerForm.Parse(b) }

// Sent is the record of req_ack_check for a packet that goes out.
func (a *TxAnswer) Sent() ReqRecord {
	return ReqRecord{QPN: a.QPN, Op: ReqSent, PSN: a.PSN, Count: a.Count, Number: a.Number, Payload: a.Payload,
		Kind: a.Kind}
}

// TxAfter is the verdict that an answer of retry_ctl becomes. told is what req_ack_check said in the answer behind it,
// nil where it was an expiry.
func TxAfter(a *RetryAnswer, told *ReqAnswer) TxRecord {
	r := TxRecord{QPN: a.QPN, Op: TxVerdict, Una: a.Una, Order: a.Order, Progress: a.Progress}
	if told != nil && told.Why != roce.ReqNoQP {
		r.Told, r.LSN, r.Unlimited, r.Ended = true, told.LSN, told.Unlimited, told.Ended
	}
	return r
}

// txPacketizer is the stage of docs/blocks/tx_packetizer.md.
type txPacketizer struct {
	pass
	packets TxPackets
	answers []byte // of one Advance; its outputs share it until the next
}

func (s *txPacketizer) Reset() {
	s.pass.Reset()
	clear(s.packets.qps)
}

func (s *txPacketizer) Advance(_ uint64, in, out []sim.Record) []sim.Record {
	s.answers = s.answers[:0]
	for i := range in {
		r := ParseTxRecord(in[i].Data)
		a := s.packets.Step(&r)
		at := len(s.answers)
		s.answers = a.Append(s.answers)
		out = s.through(out, &in[i], s.answers[at:at+TxAnswerBytes:at+TxAnswerBytes], 0)
	}
	return out
}
