package hca

import (
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// HcaRxBlocks are the blocks of hca_rx as they decide, one by one: whoever calls them says when, and in which order.
// The stage hca_rx asks them all at once for each frame; model/hca/timed asks each when a record enters it.
type HcaRxBlocks struct {
	s         hcaRx
	beatBytes int
	given     []*givenAnswer // by index of the QP
}

// HcaRxFrame is a frame on its way through hca_rx, with what the blocks have said of it so far. It is not copied: it
// points into itself.
type HcaRxFrame struct {
	Verdict uint32  // m_axis_tuser of icrc_check
	Gate    GateWhy // of icrc_gate
	Class   ClassifyResult
	Result  RespResult // of resp_psn_check; only of a request

	packet   wire.Packet
	parsed   parsed
	accessOK bool
}

// NewHcaRxBlocks makes the blocks as they are behind their reset. Settings are those of the stage hca_rx.
func NewHcaRxBlocks(s sim.Settings) *HcaRxBlocks {
	b := &HcaRxBlocks{s: *hcaRxSpec.New(s).(*hcaRx), beatBytes: int(s.Get("DataWidth", 512)) / 8}
	b.s.answers.beatBytes = b.beatBytes
	b.given = make([]*givenAnswer, b.s.numQPs)
	return b
}

// Reset returns the blocks to their state behind reset.
func (b *HcaRxBlocks) Reset() {
	b.s.Reset()
	b.s.answers.beatBytes = b.beatBytes
	clear(b.given)
}

// HcaRxTargetOf is the block that a record of s_op is for.
func HcaRxTargetOf(data []byte) HcaRxTarget { return HcaRxTarget(data[0] & 3) }

// Operate gives a block its operation, a record of s_op.
func (b *HcaRxBlocks) Operate(data []byte) {
	if HcaRxTargetOf(data) == ToAnswers {
		clear(b.given) // made with what ack_gen knew before
	}
	b.s.operate(data)
}

// Receive looks at a frame as icrc_check, icrc_gate and, if it passes, roce_parse do. It depends on the frame only.
func (f *HcaRxFrame) Receive(link wire.Link, frame []byte) {
	f.Verdict = verdictOf(link, frame)
	f.Gate = judgeGate(len(frame), f.Verdict)
	f.Class, f.Result = ClassifyResult{}, RespResult{}
	if f.Gate == GatePassed {
		wire.Decode(link, frame, &f.packet)
		f.parsed = parsed{Packet: &f.packet}
		f.parsed.judge()
	}
}

// Payload is what roce_parse gives at m_axis: nil where it gives nothing. Its first byte is byte `at` of the frame.
func (f *HcaRxFrame) Payload() (payload []byte, at int) {
	if !f.parsed.passesOn() {
		return nil, 0
	}
	p := f.packet.Payload
	return p, cap(f.packet.Frame) - cap(p)
}

// Classify asks rx_classify.
func (b *HcaRxBlocks) Classify(f *HcaRxFrame) {
	q := f.parsed.classifyQuery()
	f.Class = b.s.classifier.Step(&q)
}

// Translate asks mr_lookup for what a request touches.
func (b *HcaRxBlocks) Translate(f *HcaRxFrame) { f.accessOK = b.s.access(&f.parsed, f.va()) }

// Key is the key that mr_lookup is asked for; ok is false for a request that names none.
func (f *HcaRxFrame) Key() (key uint32, ok bool) {
	h := f.parsed.Op
	if h == nil || !h.Headers.Has(ib.RETH) && !h.Headers.Has(ib.AtomicETH) {
		return 0, false
	}
	return uint32(f.parsed.field(ib.RKey, ib.AtomicRKey)), true
}

func (f *HcaRxFrame) va() uint64 { return f.parsed.field(ib.VA, ib.AtomicVA) }

// Judge asks resp_psn_check.
func (b *HcaRxBlocks) Judge(f *HcaRxFrame) {
	p := &f.parsed
	bth := p.BTH()
	q := RespQuery{QPN: bth.DestQP(), PSN: bth.PSN(), Opcode: bth.Opcode(), Payload: uint16(p.payloadBytes),
		DMALength: uint32(p.field(ib.DMALen)), Pad: uint8(bth.Pad()), VALow: uint8(f.va() & 7), AckReq: bth.AckReq(),
		Solicited: bth.SE(), FlushPLT: uint8(p.field(ib.FlushPLT)), FlushSel: uint8(p.field(ib.FlushSEL)),
		WQEBytes: b.s.wqeBytes, WQEPresent: b.s.wqePresent, Credits: hcaRxUnusedCredits, AccessOK: f.accessOK}
	f.Result = b.s.verdicts.judge(&q)
}

// Answers reports whether an ACK or NAK is due.
func (f *HcaRxFrame) Answers() bool {
	return f.Class.Class == ClassRequest && (f.Result.Answer == roce.RespAck || f.Result.Answer == roce.RespNak)
}

// Placed reports whether its payload leaves at m_pay.
func (f *HcaRxFrame) Placed() bool {
	return f.Class.Class == ClassRequest && f.Result.Verdict == roce.RespExecute && f.parsed.passesOn()
}

// AppendGate appends the record of m_gate.
func (f *HcaRxFrame) AppendGate(b []byte) []byte {
	l := sim.WriteLayout(b)
	l.Put(uint32(f.Gate), 3)
	l.Put(f.Verdict&3, 2)
	l.Put(f.Verdict>>4&7, 3)
	l.Put(f.Verdict>>8&15, 4)
	return l.End()
}

// AppendRecord appends the record of m_rec.
func (f *HcaRxFrame) AppendRecord(b []byte) []byte {
	l, r := sim.WriteLayout(b), &f.Result
	l.Put(f.Class.QPN, 24)
	l.Put(uint32(r.PSN), psn.Bits)
	l.Put(uint32(f.Class.Class), 3)
	l.Put(uint32(f.Class.Why), 4)
	l.Put(uint32(r.Verdict), 3)
	l.Put(uint32(r.Why), 5)
	l.Put(uint32(r.Answer), 3)
	l.PutFlag(r.Complete)
	l.PutFlag(f.Placed())
	return l.End()
}

// AppendHcaRxOp appends the record of s_op that gives a block its operation: two bits of the target, then the block's
// own record.
func AppendHcaRxOp(b []byte, target HcaRxTarget, record []byte) []byte {
	const bytes = 71 // 566 bits
	carry := byte(target)
	for i := range bytes {
		var v byte
		if i < len(record) {
			v = record[i]
		}
		b = append(b, v<<2|carry)
		carry = v >> 6
	}
	return b
}
