package hca

import (
	"encoding/binary"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/sim"
)

// Cycles behind an input, idle, of what it leads to, about: until a packet goes to tx_frame, local work leaves, a
// completion leaves.
const (
	hcaTxPacketCycles     = 60
	hcaTxLocalCycles      = 50
	hcaTxCompletionCycles = 30
)

// HcaTxTarget is the block that an operation at s_op of hca_tx is for.
type HcaTxTarget uint8

// The blocks that take operations.
const (
	ToCheck HcaTxTarget = iota
	ToRetry
	ToSendQueues
	ToPackets
	ToTurns
	ToTime
	ToFrames
	ToPace
)

// The ports of hca_tx.
const (
	HcaTxOps sim.Port = iota
	HcaTxResponses
	HcaTxCNPs
	HcaTxGathered
	HcaTxPieces
	HcaTxFrames
	HcaTxCompletions
	HcaTxLocalWork
	HcaTxPayload // of READ responses
	HcaTxAcks
	HcaTxWrites
	HcaTxPlaced
)

var hcaTxSpec = sim.StageSpec{
	Name:    "hca_tx",
	Summary: "the requester: posts and responses in, frames and completions out",
	Refuses: refusesLapse,
	Ports: []sim.PortSpec{
		{Name: "s_op", Input: true, Kind: sim.Fields, Bits: 545},
		{Name: "s_resp", Input: true, Kind: sim.Fields, Bits: 167},
		{Name: "s_cnp", Input: true, Kind: sim.Fields, Bits: 24},
		{Name: "s_txd", Input: true, Kind: sim.Axis, UserBits: 7},
		{Name: "m_txd", Kind: sim.Fields, Bits: 79},
		{Name: "m_axis", Kind: sim.Axis, UserBits: 12},
		{Name: "m_cqe", Kind: sim.Fields, Bits: 96},
		{Name: "m_local", Kind: sim.Fields, Bits: 290},
		{Name: "s_data", Input: true, Kind: sim.Axis},
		{Name: "s_mem", Input: true, Kind: sim.Fields, Bits: 9},
		{Name: "m_mem", Kind: sim.Fields, Bits: 88},
		{Name: "m_data", Kind: sim.Axis},
	},
	New:     func(s sim.Settings) sim.Stage { return newHcaTx(s) },
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
	Original uint64 // AtomicAckETH
}

// HcaTxResponseBytes is the size of a record on s_resp.
const HcaTxResponseBytes = 21

func (r *HcaTxResponse) layout(l *sim.Layout) {
	sim.Field(l, &r.QPN, 24)
	sim.Field(l, &r.PSN, psn.Bits)
	sim.Field(l, &r.Number, 24)
	sim.Field(l, &r.Payload, 13)
	sim.Field(l, &r.Opcode, 8)
	sim.Field(l, &r.Syndrome, 8)
	sim.Field(l, &r.Pad, 2)
	l.Wide(&r.Original)
}

var hcaTxResponseForm = sim.FormOf((*HcaTxResponse).layout)

// Append appends the record as it goes over the port.
func (r *HcaTxResponse) Append(b []byte) []byte {
	return hcaTxResponseForm.Append(b, r)
}

// ParseHcaTxResponse reads a record of HcaTxResponseBytes.
func ParseHcaTxResponse(b []byte) HcaTxResponse { return hcaTxResponseForm.Parse(b) }

// HcaTxWayOp is the record of s_op that sets the way of a QP, or the port's own MAC.
func HcaTxWayOp(op FrameOp, qpn uint32, way *FrameWay) []byte {
	l := sim.WriteLayout(nil)
	l.Put(uint32(op), 3)
	l.Put(qpn, 24)
	w := *way
	w.layout(&l)
	return AppendHcaTxOp(nil, ToFrames, l.End())
}

// hcaTxWayOf is the record of tx_frame that such an operation is.
func hcaTxWayOf(record []byte) (r FrameRecord) {
	l := sim.ReadLayout(record)
	sim.Field(&l, &r.Op, 3)
	sim.Field(&l, &r.QPN, 24)
	r.Way.layout(&l)
	return r
}

// HcaTxCNP is the record of s_cnp of a QP.
func HcaTxCNP(qpn uint32) []byte { return []byte{byte(qpn), byte(qpn >> 8), byte(qpn >> 16)} }

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

var hcaTxLocalForm = sim.FormOf((*HcaTxLocal).layout)

// Append appends the record as it goes over the port.
func (w *HcaTxLocal) Append(b []byte) []byte {
	return hcaTxLocalForm.Append(b, w)
}

// ParseHcaTxLocal reads a record of HcaTxLocalBytes.
func ParseHcaTxLocal(b []byte) HcaTxLocal { return hcaTxLocalForm.Parse(b) }

// HcaTxRenumber gives another number to the QP that a record which goes into hca_tx is of; time is of none.
func HcaTxRenumber(port sim.Port, data []byte, number func(qpn uint32) uint32) {
	const bits = 24
	at := 0
	switch {
	case port == HcaTxResponses || port == HcaTxCNPs:
	case port != HcaTxOps || HcaTxTargetOf(data) == ToTime:
		return
	case HcaTxTargetOf(data) == ToFrames || HcaTxTargetOf(data) == ToPace: // op comes first
		at = hcaTxTargetBits + 3
	default:
		at = hcaTxTargetBits
	}
	var word [8]byte
	n := copy(word[:], data)
	w := binary.LittleEndian.Uint64(word[:])
	qpn := uint64(number(uint32(w >> at & (1<<bits - 1))))
	binary.LittleEndian.PutUint64(word[:], w&^((1<<bits-1)<<at)|qpn<<at)
	copy(data[:n], word[:])
}
