package hca

import (
	"hcacosim/model/ib"
	"hcacosim/model/roce"
)

// HcaRxReplaySlots is how many READs and atomics hca_rx keeps of a QP.
const HcaRxReplaySlots = 8

// HcaRxEnd is what became of a READ or atomic in hca_rx.
type HcaRxEnd uint8

// The ends. Of the second and third nothing leaves; a QP is dead whose memory failed before. Of the last one
// replay_fifo lost a word: nothing leaves, and the QP is dead (ECC-7).
const (
	HcaRxAnswered HcaRxEnd = iota
	HcaRxNotKept
	HcaRxNoAccess
	HcaRxFailed
	HcaRxDead
	HcaRxLost
)

// hcaRxWork is an answer that is due: one that passes the engines, or what they are asked.
type hcaRxWork struct {
	answer    AckQuery // as it leaves; of what is asked its way, PSN, MSN and syndrome
	passes    bool
	kept      ReplayQuery
	duplicate bool
	allowed   bool
	address   uint64
	atomic    roce.Atomic
	width     roce.Width
	writes    uint64 // of packets before it, and its own
}

// answer is the record of ack_gen for an ACK or NAK, and the way of any other answer.
func (f *HcaRxFrame) answer() AckQuery {
	r := &f.Result
	return AckQuery{QPN: f.Class.QPN, PSN: r.PSN, MSN: r.MSN, Syndrome: r.Syndrome, PKey: f.Class.PKey,
		Way: f.way}
}

// Asks reports whether an engine is asked: its answer is that of a READ or atomic.
func (f *HcaRxFrame) Asks() bool {
	return f.IsRequest() && f.Result.Answer != roce.RespNoAnswer && !f.Answers()
}

// work is what answers a request for which an answer is due.
func (f *HcaRxFrame) work() (w hcaRxWork) {
	w = hcaRxWork{answer: f.answer(), passes: f.Answers(), duplicate: !f.executed(), allowed: true,
		address: f.key.Address, width: f.width}
	if w.passes {
		return w
	}
	p, s, h := &f.parsed, f.shape(), &f.fields
	w.kept = ReplayQuery{QPN: f.Class.QPN, PSN: f.Result.PSN, Last: f.Result.PSN, VA: h.va,
		RKey: h.rkey, Kind: replayKindOf(s)}
	w.atomic = roce.Atomic{Add: s.Verb == roce.FetchAdd, Compare: p.field(ib.Compare), SwapAdd: p.field(ib.SwapAdd)}
	if s.Verb == roce.Read {
		w.kept.Bytes, w.kept.Last = h.dmaLength, f.width.Prev(f.Result.After)
		w.allowed = f.accessOK || w.kept.Bytes == 0
	}
	return w
}

func replayKindOf(s *ib.Shape) ReplayKind {
	switch s.Verb {
	case roce.Read:
		return ReplayRead
	case roce.AtomicWrite:
		return ReplayAtomicWrite
	case roce.Flush:
		return ReplayFlush
	}
	return ReplayAtomic
}

// keep asks replay_fifo: a request that is executed is kept, a duplicate looked up. What is silent ends at once.
func (b *HcaRxBlocks) keep(w *hcaRxWork) (end HcaRxEnd, silent bool, original uint64) {
	q := w.kept
	if !w.duplicate {
		if r := b.replays.Step(&q); r.Lost() {
			return HcaRxLost, true, 0
		}
		return HcaRxAnswered, false, 0
	}
	q.Op = ReplayLookUp
	r := b.replays.Step(&q)
	switch {
	case r.Lost():
		return HcaRxLost, true, 0
	case !r.Found:
		return HcaRxNotKept, true, 0
	case !w.allowed:
		return HcaRxNoAccess, true, 0
	}
	return HcaRxAnswered, false, r.Original
}

// setReplays gives replay_fifo an operation, and reports whether its QP begins anew.
func (b *HcaRxBlocks) setReplays(q *ReplayQuery) (anew bool) {
	r := b.replays.Step(q)
	if anew = q.Op == ReplaySet && r.Found; anew {
		b.pmtus[q.QPN] = q.PMTU
		delete(b.dead, q.QPN)
	}
	return anew
}

// read is what read_engine is asked.
func (b *HcaRxBlocks) read(w *hcaRxWork) ReadCommand {
	return ReadCommand{QPN: w.answer.QPN, PSN: w.answer.PSN, Address: w.address, Bytes: w.kept.Bytes,
		PMTU: b.pmtus[w.answer.QPN], MSN: w.answer.MSN, Syndrome: uint8(w.answer.Syndrome)}
}

// HcaRxAsked is what the engines ask memory for a request.
type HcaRxAsked struct {
	End     HcaRxEnd // as far as it is known when the request comes
	Read    ReadCommand
	IsRead  bool // Read is asked for; of ATOMIC WRITE and FLUSH 0 bytes
	Atomic  roce.Atomic
	Address uint64
	Does    bool // the atomic is done
}

// serve asks for a request, as if memory answered at once, and frees its place.
func (b *HcaRxBlocks) serve(f *HcaRxFrame) {
	f.Asked = HcaRxAsked{}
	if !f.Asks() {
		return
	}
	w := f.work()
	end, silent, _ := b.keep(&w)
	f.Asked = HcaRxAsked{End: end, Atomic: w.atomic, Address: w.address}
	isAtomic := w.kept.Kind == ReplayAtomic
	f.Asked.Does = isAtomic && !w.duplicate && !silent
	if f.Asked.IsRead = !isAtomic && !silent; f.Asked.IsRead {
		f.Asked.Read = b.read(&w)
	}
	switch {
	case end == HcaRxLost:
		b.Fail(w.answer.QPN)
	case !w.duplicate && !b.dead[w.answer.QPN]:
		b.free(w.answer.QPN)
	}
}

// free tells resp_psn_check that a READ or atomic was answered.
func (b *HcaRxBlocks) free(qpn uint32) {
	q := RespQuery{Op: RespFreed, QPN: qpn}
	b.verdicts.answer(&q)
}

// readPieces are the pieces of host memory that a READ is asked for in, from number first on.
func readPieces(address uint64, bytes uint32, first uint64) (list []ReadPiece) {
	for at := uint32(0); at < bytes; {
		from := address + uint64(at)
		n := min(bytes-at, ReadPieceBytes-uint32(from%ReadPieceBytes))
		list = append(list, ReadPiece{Tag: uint8((first + uint64(len(list))) % ReadPieces), Bytes: uint16(n), Address: from})
		at += n
	}
	return list
}

// Pieces are what memory is asked for a READ, the first one with number first.
func (c *ReadCommand) Pieces(first uint64) []ReadPiece { return readPieces(c.Address, c.Bytes, first) }

// responses is how many responses a READ has.
func (c *ReadCommand) responses() uint32 { return max(1, (c.Bytes+c.MTU()-1)/c.MTU()) }

// response is the header of response i of a READ.
func (c *ReadCommand) response(i uint32) ReadHeader {
	first, last := i == 0, i+1 == c.responses()
	h := ReadHeader{QPN: c.QPN, Opcode: uint8(ib.Join(ib.RC, roce.ReadOperation(first, last))), PSN: c.PSN.Add(int32(i)),
		Bytes: uint16(min(c.MTU(), c.Bytes-i*c.MTU())), Last: last}
	if first || last {
		h.MSN, h.Syndrome = c.MSN, c.Syndrome
	}
	return h
}
