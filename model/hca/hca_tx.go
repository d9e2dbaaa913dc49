package hca

import (
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/sim"
)

// Cycles behind an input, idle, of what it leads to: about.
const (
	hcaTxPacketCycles     = 60
	hcaTxLocalCycles      = 50
	hcaTxCompletionCycles = 30
)

// HcaTxTarget is the block that an operation at s_op of hca_tx is for.
type HcaTxTarget uint8

// The blocks that take operations; 6 and 7 are nobody.
const (
	ToCheck HcaTxTarget = iota
	ToRetry
	ToSendQueues
	ToPackets
	ToTurns
	ToTime
)

// The ports of hca_tx.
const (
	HcaTxOps sim.Port = iota
	HcaTxResponses
	HcaTxPackets
	HcaTxCompletions
	HcaTxLocalWork
)

var hcaTxSpec = sim.StageSpec{
	Name:    "hca_tx",
	Summary: "the requester as far as it is joined",
	Ports: []sim.PortSpec{
		{Name: "s_op", Input: true, Kind: sim.Fields},
		{Name: "s_resp", Input: true, Kind: sim.Fields},
		{Name: "m_pkt", Kind: sim.Fields},
		{Name: "m_cqe", Kind: sim.Fields},
		{Name: "m_local", Kind: sim.Fields},
	},
	New:     func(s sim.Settings) sim.Stage { return &hcaTx{settings: s, blocks: NewHcaTxBlocks(s)} },
	Checker: func(s sim.Settings) sim.Checker { return newHcaTxJudge(s) },
}

// hcaTxTargetBits is the width of the target in a record of s_op.
const hcaTxTargetBits = 3

// HcaTxOpBytes is the size of a record at s_op of hca_tx: 545 bits.
const HcaTxOpBytes = 69

// AppendHcaTxOp appends the record of s_op that gives a block its operation.
func AppendHcaTxOp(b []byte, to HcaTxTarget, record []byte) []byte {
	at := len(b)
	b = append(b, make([]byte, HcaTxOpBytes)...)
	op := b[at:]
	for i, v := range record {
		op[i] |= v << hcaTxTargetBits
		if i+1 < len(op) {
			op[i+1] |= v >> (8 - hcaTxTargetBits)
		}
	}
	op[0] |= byte(to)
	return b
}

// HcaTxTargetOf is the block that a record of s_op is for.
func HcaTxTargetOf(data []byte) HcaTxTarget { return HcaTxTarget(data[0] & 7) }

// hcaTxRecordOf is the block's record in one of s_op, in a buffer of its own.
func hcaTxRecordOf(data []byte, record *[HcaTxOpBytes]byte) []byte {
	for i := range data {
		record[i] = data[i] >> hcaTxTargetBits
		if i+1 < len(data) {
			record[i] |= data[i+1] << (8 - hcaTxTargetBits)
		}
	}
	return record[:len(data)]
}

// HcaTxRecordOf is the block's record in one of s_op.
func HcaTxRecordOf(data []byte) []byte {
	var record [HcaTxOpBytes]byte
	return append([]byte(nil), hcaTxRecordOf(data, &record)...)
}

// HcaTxLapse is the record of s_op with which so many ticks pass at once.
func HcaTxLapse(ticks uint32) []byte {
	l := sim.WriteLayout(nil)
	l.Put(ticks, 32)
	return AppendHcaTxOp(nil, ToTime, l.End())
}

// HcaTxResponse is a record on s_resp of hca_tx: what rx_classify has of a response.
type HcaTxResponse struct {
	QPN      uint32
	PSN      psn.PSN
	Number   uint32 // MSN
	Payload  uint16
	Opcode   ib.Opcode
	Syndrome ib.Syndrome
	Pad      uint8
}

// HcaTxResponseBytes is the size of a record on s_resp.
const HcaTxResponseBytes = 13

func (r *HcaTxResponse) layout(l *sim.Layout) {
	sim.Field(l, &r.QPN, 24)
	sim.Field(l, &r.PSN, psn.Bits)
	sim.Field(l, &r.Number, 24)
	sim.Field(l, &r.Payload, 13)
	sim.Field(l, &r.Opcode, 8)
	sim.Field(l, &r.Syndrome, 8)
	sim.Field(l, &r.Pad, 2)
}

// Append appends the record as it goes over the port.
func (r *HcaTxResponse) Append(b []byte) []byte {
	l := sim.WriteLayout(b)
	r.layout(&l)
	return l.End()
}

// ParseHcaTxResponse reads a record of HcaTxResponseBytes.
func ParseHcaTxResponse(b []byte) (r HcaTxResponse) {
	l := sim.ReadLayout(b)
	r.layout(&l)
	return r
}

// HcaTxPacket is a record on m_pkt of hca_tx: a packet that is to be sent, as tx_frame is given it.
type HcaTxPacket struct {
	QPN              uint32
	Opcode           ib.Opcode
	PSN              psn.PSN
	AckReq           bool
	Solicited        bool
	VA               uint64
	RKey             uint32
	DMALength        uint32
	Imm              uint32
	SwapAdd, Compare uint64
	QKey             uint32
	Bytes            uint16
	Address          uint64
	Offset           uint32
	Entries          uint8
}

// HcaTxPacketBytes is the size of a record on m_pkt.
const HcaTxPacketBytes = 62

func (p *HcaTxPacket) layout(l *sim.Layout) {
	sim.Field(l, &p.QPN, 24)
	sim.Field(l, &p.Opcode, 8)
	sim.Field(l, &p.PSN, psn.Bits)
	l.Flag(&p.AckReq)
	l.Flag(&p.Solicited)
	l.Wide(&p.VA)
	sim.Field(l, &p.RKey, 32)
	sim.Field(l, &p.DMALength, 32)
	sim.Field(l, &p.Imm, 32)
	l.Wide(&p.SwapAdd)
	l.Wide(&p.Compare)
	sim.Field(l, &p.QKey, 32)
	sim.Field(l, &p.Bytes, 13)
	l.Wide(&p.Address)
	sim.Field(l, &p.Offset, 32)
	sim.Field(l, &p.Entries, 5)
}

// Append appends the record as it goes over the port.
func (p *HcaTxPacket) Append(b []byte) []byte {
	l := sim.WriteLayout(b)
	p.layout(&l)
	return l.End()
}

// ParseHcaTxPacket reads a record of HcaTxPacketBytes.
func ParseHcaTxPacket(b []byte) (p HcaTxPacket) {
	l := sim.ReadLayout(b)
	p.layout(&l)
	return p
}

// HcaTxLocal is a record on m_local of hca_tx: local work whose turn has come (REQ-14).
type HcaTxLocal struct {
	QPN    uint32
	Slot   uint8
	Verb   ib.Verb
	RKey   uint32
	VA     uint64
	Length uint32
	Imm    uint32
	QKey   uint32
	List   uint64
}

// HcaTxLocalBytes is the size of a record on m_local.
const HcaTxLocalBytes = 37

// localOf is the local work of a WQE that was looked at.
func localOf(w *SQAnswer) HcaTxLocal {
	return HcaTxLocal{QPN: w.QPN, Slot: w.Slot, Verb: w.Verb, RKey: w.RKey, VA: w.VA, Length: w.Length, Imm: w.Imm,
		QKey: w.QKey, List: w.List}
}

func (w *HcaTxLocal) layout(l *sim.Layout) {
	sim.Field(l, &w.QPN, 24)
	sim.Field(l, &w.Slot, 6)
	sim.Field(l, &w.Verb, 4)
	sim.Field(l, &w.RKey, 32)
	l.Wide(&w.VA)
	sim.Field(l, &w.Length, 32)
	sim.Field(l, &w.Imm, 32)
	sim.Field(l, &w.QKey, 32)
	l.Wide(&w.List)
}

// Append appends the record as it goes over the port.
func (w *HcaTxLocal) Append(b []byte) []byte {
	l := sim.WriteLayout(b)
	w.layout(&l)
	return l.End()
}

// ParseHcaTxLocal reads a record of HcaTxLocalBytes.
func ParseHcaTxLocal(b []byte) (w HcaTxLocal) {
	l := sim.ReadLayout(b)
	w.layout(&l)
	return w
}

// hcaTx is the stage of docs/blocks/hca_tx.md: a device whose turns are over as soon as they begin.
type hcaTx struct {
	settings sim.Settings
	blocks   *HcaTxBlocks
	seq      [3]uint64
	bytes    []byte // of one Advance; its outputs share it until the next
}

func (s *hcaTx) Reset() {
	s.blocks.Reset()
	s.seq = [3]uint64{}
}

func (s *hcaTx) Advance(to uint64, in, out []sim.Record) []sim.Record {
	s.bytes = s.bytes[:0]
	last := sim.Record{End: to}
	for i := range in {
		last = in[i]
		s.blocks.Take(&in[i])
		out = s.give(&in[i], out)
	}
	last.End = max(last.End, to)
	s.blocks.Elapse(to)
	return s.give(&last, out)
}

// give appends what the blocks gave.
func (s *hcaTx) give(in *sim.Record, out []sim.Record) []sim.Record {
	leave := func(port sim.Port, delay uint64, at int) {
		seq := &s.seq[port-HcaTxPackets]
		out = append(out, sim.Record{Start: in.End + delay, End: in.End + delay, Seq: *seq, Cause: in.Seq, Key: in.Key,
			Port: port, Data: s.bytes[at:len(s.bytes):len(s.bytes)]})
		*seq++
	}
	for i := range s.blocks.Ends {
		at := len(s.bytes)
		s.bytes = s.blocks.Ends[i].Append(s.bytes)
		leave(HcaTxCompletions, hcaTxCompletionCycles, at)
	}
	for i := range s.blocks.Sent {
		at := len(s.bytes)
		p := s.blocks.Sent[i].Packet()
		s.bytes = p.Append(s.bytes)
		leave(HcaTxPackets, hcaTxPacketCycles, at)
	}
	for i := range s.blocks.Local {
		at := len(s.bytes)
		s.bytes = s.blocks.Local[i].Append(s.bytes)
		leave(HcaTxLocalWork, hcaTxLocalCycles, at)
	}
	s.blocks.Clear()
	return out
}
