package hca

import (
	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// HcaRxDue is a READ or atomic whose answer is due, or what is answered like them, for one who asks the engines himself
// and says when.
type HcaRxDue struct {
	QPN       uint32
	Duplicate bool
	IsAtomic  bool // CMP & SWAP, FETCH & ADD: atomic_engine does it
	// End, Silent and Original are there once replay_fifo was asked (Keep), Original of an atomic that is done (Done).
	End      HcaRxEnd
	Silent   bool
	Original uint64
	work     hcaRxWork
}

// Due is what the engines are asked for a request that Asks.
func (f *HcaRxFrame) Due() HcaRxDue {
	w := f.work()
	return HcaRxDue{QPN: w.answer.QPN, Duplicate: w.duplicate, IsAtomic: w.kept.Kind == ReplayAtomic, work: w}
}

// Keep asks replay_fifo: a request that is executed is kept, a duplicate looked up.
func (b *HcaRxBlocks) Keep(d *HcaRxDue) { d.End, d.Silent, d.Original = b.keep(&d.work) }

// KeepResult gives replay_fifo what an atomic returned.
func (b *HcaRxBlocks) KeepResult(d *HcaRxDue) { b.keepResult(&d.work, d.Original) }

func (b *HcaRxBlocks) keepResult(w *hcaRxWork, original uint64) {
	q := w.kept
	q.Op, q.Original = ReplayResult, original
	b.replays.Step(&q)
}

// HcaRxBegins is the QP that an operation lets begin anew, a good set of replay_fifo.
func HcaRxBegins(data []byte) (qpn uint32, begins bool) {
	q := hcaRxReplayOf(data)
	return q.QPN, q.Op == ReplaySet && q.PMTU >= 1 && q.PMTU <= 5
}

// Free tells resp_psn_check that a READ or atomic was answered.
func (b *HcaRxBlocks) Free(qpn uint32) { b.free(qpn) }

// ReadOf is what read_engine is asked.
func (b *HcaRxBlocks) ReadOf(d *HcaRxDue) ReadCommand { return b.read(&d.work) }

// AtomicOf is what atomic_engine is asked.
func (d *HcaRxDue) AtomicOf() AtomicCommand { return d.work.command() }

func (w *hcaRxWork) command() AtomicCommand {
	return AtomicCommand{Atomic: w.atomic, QPN: w.answer.QPN, PSN: w.answer.PSN, Address: w.address}
}

// Done takes what memory held before an atomic.
func (d *HcaRxDue) Done(status AtomicStatus, original uint64) {
	d.Original, d.End = original, HcaRxAnswered
	if status != AtomicDone {
		d.End = HcaRxFailed
	}
}

// Responses is how many responses a READ has.
func (c *ReadCommand) Responses() uint32 { return c.responses() }

// Response is response i of a READ, for ack_gen.
func (d *HcaRxDue) Response(c *ReadCommand, i uint32) AckRecord {
	h := c.response(i)
	return d.work.response(&h)
}

func (w *hcaRxWork) response(h *ReadHeader) AckRecord {
	q := AckRecord{AckQuery: w.answer, Opcode: ib.Opcode(h.Opcode), Bytes: h.Bytes}
	q.Op, q.MSN, q.Syndrome = AckRead, h.MSN, ib.Syndrome(h.Syndrome)
	q.PSN = w.width.Add(q.PSN, h.PSN.Ahead(q.PSN)) // read_engine's stage counts those of 24 bits
	return q
}

// NAK is what leaves behind count responses where memory failed (DMA-7).
func (d *HcaRxDue) NAK(count uint32) AckRecord { return d.work.nak(count) }

func (w *hcaRxWork) nak(count uint32) AckRecord {
	a := w.answer
	a.PSN, a.Syndrome = w.width.Add(a.PSN, count), roce.MemoryFailure()
	return AckRecord{AckQuery: a}
}

// AtomicReply is the answer of an atomic.
func (d *HcaRxDue) AtomicReply() AckRecord { return d.work.atomicReply(d.Original) }

func (w *hcaRxWork) atomicReply(original uint64) AckRecord {
	a := w.answer
	a.Op = AckAtomic
	return AckRecord{AckQuery: a, Original: original}
}

// AppendEnd appends the record of m_end.
func (d *HcaRxDue) AppendEnd(b []byte, end HcaRxEnd, count uint32) []byte {
	return d.work.appendEnd(b, end, count)
}

func (w *hcaRxWork) appendEnd(b []byte, end HcaRxEnd, count uint32) []byte {
	l := sim.WriteLayout(b)
	l.Put(w.answer.QPN, 24)
	l.Put(uint32(w.answer.PSN), 24)
	l.Put(count, 24)
	l.Put(uint32(end), 3)
	return l.End()
}

// AppendReply appends the frame of a READ response, of an atomic or of a NAK behind one, as AppendAnswer does that of
// an answer.
func (b *HcaRxBlocks) AppendReply(q *AckRecord, payload, out []byte) (frame []byte, user uint32, beats uint64) {
	a := &b.answers
	a.bytes = a.bytes[:0]
	why, beats := a.answer(q, payload)
	if why != AckGood {
		return out, 0, beats
	}
	loc := wire.Locate(q.Way.Encap.Link(), a.bytes)
	wire.PutICRC(a.bytes, &loc)
	return append(out, a.bytes...), userBits(1, loc.Encap, loc.Bad.Reason), beats
}

// HeadBytes is how much of a frame of ack_gen stands before its payload; 0 where there is no frame.
func (b *HcaRxBlocks) HeadBytes(q *AckRecord) int { return int(b.answers.headBytes(q)) }
