package hca

import (
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// TxPackets is what tx_packetizer knows of its QPs.
type TxPackets struct {
	qps   []txQP
	wqes  uint8
	shift int // a packet is 1 << shift PSNs of 24 bits
}

// NewTxPackets is a block of so many QPs behind its reset, with slots of WQEs and PSNs of so many bits.
func NewTxPackets(numQPs uint64, wqes uint8, psnBits int) TxPackets {
	return TxPackets{qps: make([]txQP, numQPs), wqes: wqes, shift: psn.Bits - psnBits}
}

// txQP is the state of a QP. Una, LSN, Unlimited and Probed of its RequesterState are copies as old as the last
// verdict; High is its own.
type txQP struct {
	open      bool
	state     roce.RequesterState
	next      psn.PSN // goes out next
	slot      uint8   // of the WQE that next belongs to
	top       uint8   // of the WQE that high belongs to: unfinished, or the next one to begin
	oldest    bool    // slot says nothing: the search begins at the oldest WQE
	back      bool    // the search follows an order to go back
	drained   bool
	ssn       uint32 // of the WQE that high belongs to
	reads     uint8
	maxReads  uint8
	pmtu      uint8
	service   uint8
	window    uint64 // in PSNs of 24 bits
	restart   bool
	wholeRead bool
}

// Step makes one record of one.
func (p *TxPackets) Step(r *TxRecord) (a TxAnswer) {
	a.QPN, a.Op = r.QPN, r.Op
	if uint64(r.QPN) >= uint64(len(p.qps)) || !p.qps[r.QPN].open && r.Op != TxConfigure {
		a.Why = TxNoQP
		return a
	}
	q := &p.qps[r.QPN]
	closes := false
	switch r.Op {
	case TxConfigure:
		if a.Why = p.configure(q, r); a.Why == TxIllegal && !q.open {
			return a
		}
	case TxPacket:
		p.packet(q, r, &a)
	case TxVerdict:
		closes = q.verdict(r)
	case TxClose:
		closes = true
	case TxDrain:
		q.drained = true
	case TxResume:
		q.drained = false
	}
	a.Una, a.Next, a.High, a.Slot, a.Oldest = q.state.Una, q.next, q.state.High, q.slot, q.oldest
	a.Reads, a.Waiting, a.Drained = q.reads, q.state.Waiting && !closes, q.drained
	q.open = !closes
	return a
}

// configure opens a QP.
func (p *TxPackets) configure(q *txQP, r *TxRecord) TxWhy {
	switch {
	case q.open:
		return TxIsOpen
	case r.PMTU == 0 || r.PMTU > 5 || r.Service > TxUD:
		return TxIllegal
	}
	*q = txQP{open: true, next: r.Una, ssn: uint32(psn.New(r.LSN + 1)), maxReads: r.MaxReads, pmtu: r.PMTU,
		service: r.Service, window: uint64(r.Window) << p.shift, restart: r.Restart, wholeRead: r.WholeRead}
	if r.Window == 0 {
		q.window = psn.Half
	}
	q.state = roce.RequesterState{Una: r.Una, High: r.Una, LSN: r.LSN, Known: true, Unlimited: r.Unlimited}
	return TxTaken
}

// verdict takes what retry_ctl says, and reports whether the QP closes.
func (q *txQP) verdict(r *TxRecord) (closes bool) {
	s := &q.state
	if r.Told {
		s.Probed = s.Probed && r.LSN == s.LSN
		s.LSN, s.Unlimited = r.LSN, r.Unlimited
	}
	if r.Ended && q.reads > 0 {
		q.reads--
	}
	if r.Progress {
		s.Una = r.Una
		if uint64(s.High.Ahead(q.next)) > uint64(s.High.Ahead(r.Una)) { // need not be sent any more (REQ-6)
			q.goTo(r.Una)
		}
	}
	switch r.Order {
	case RetryGoBack, RetryWait:
		q.goTo(r.Una)
		q.back = true
		s.Waiting = r.Order == RetryWait
	case RetryGoOn:
		s.Waiting = false
	}
	return r.Order == RetryFail
}

// goTo makes a PSN the next one. Its WQE is searched, but that of high is known.
func (q *txQP) goTo(to psn.PSN) {
	q.next, q.oldest = to, true
	if q.fresh() {
		q.slot, q.oldest = q.top, false
	}
}

// packet takes the WQE that was asked for: a packet of it goes out, or it says why none does.
func (p *TxPackets) packet(q *txQP, r *TxRecord, a *TxAnswer) {
	s := txShapeOf(r, q.service, q.pmtu)
	a.What, a.Why = p.place(q, r, &s)
	if a.What != TxStands || a.Why != TxTaken {
		return
	}
	switch {
	case s.impossible:
		a.Why = TxBadWQE
	case r.Begun == TxNew && q.drained:
		a.Why = TxIsDrained
	case r.Begun == TxNew && r.Fence && q.reads != 0:
		a.Why = TxReads
	case s.local:
		p.beginLocal(q, r, a)
	default:
		p.send(q, r, &s, a)
	}
}

// place finds whether next lies in the WQE of the record, or begins it: then it is taken and stands for now. Else it
// asks for another WQE, or nothing is there to send.
func (p *TxPackets) place(q *txQP, r *TxRecord, s *txShape) (TxWhat, TxWhy) {
	began := r.Begun == TxBegan
	within := began && uint64(q.next.Ahead(r.First)) < s.packets<<p.shift
	switch {
	case q.state.Waiting:
		return TxStands, TxWaits
	case r.Oldest != q.oldest || !q.oldest && r.Slot != q.slot:
		return TxSearches, TxTaken
	case within, r.Begun == TxNew && q.fresh():
		return TxStands, TxTaken
	case q.fresh():
		return TxStands, TxNothing
	case began && (s.local || uint64(q.state.High.Ahead(r.First)) > uint64(q.state.High.Ahead(q.next))):
		q.slot, q.oldest = p.behind(r.Slot), false
		return TxSearches, TxTaken
	case q.oldest: // the WQE of next has ended: the verdict that says so is on its way
		return TxStands, TxNothing
	}
	q.oldest = true
	return TxSearches, TxTaken
}

// fresh reports whether what goes out at next goes out for the first time.
func (q *txQP) fresh() bool { return q.next == q.state.High }

// behind is the slot behind another.
func (p *TxPackets) behind(slot uint8) uint8 { return (slot + 1) % p.wqes }

// after is the PSN so many packets behind another.
func (p *TxPackets) after(at psn.PSN, packets uint64) psn.PSN {
	return psn.New(uint32(at) + uint32(packets<<p.shift))
}

// beginLocal begins work of which no packet tells: its last PSN lies before its first.
func (p *TxPackets) beginLocal(q *txQP, r *TxRecord, a *TxAnswer) {
	a.What, a.Begins, a.First, a.Last = TxBeginsLocal, true, q.next, q.next.Add(-(1 << p.shift))
	q.top = p.behind(r.Slot)
	q.slot = q.top
}

// limit says what holds back a packet that would go out for the first time, with the PSNs that it takes.
func (p *TxPackets) limit(q *txQP, r *TxRecord, s *txShape, taken uint64) TxWhy {
	if q.service != TxRC {
		return TxTaken
	}
	all := uint64(q.state.High.Ahead(q.state.Una)) + taken<<p.shift
	switch {
	case all > q.window || all > psn.Half:
		return TxWindow
	case s.kind.Replayed() && q.reads >= q.maxReads:
		return TxReads
	}
	if !s.limited {
		return TxTaken
	}
	switch q.state.Credit(q.ssn) {
	case roce.ReqProbe:
		q.state.Probed = true
	case roce.ReqNoCredit:
		if r.Begun != TxBegan || q.state.Probed && !q.state.Idle() {
			return TxCredit
		}
	}
	return TxTaken
}

// send makes the packet at next, or the first of its WQE behind an order to go back that wants it so.
func (p *TxPackets) send(q *txQP, r *TxRecord, s *txShape, a *TxAnswer) {
	at, first := q.next, q.next
	if r.Begun == TxBegan {
		first = r.First
		if read := r.Verb == ib.VerbRead; q.back && !q.fresh() &&
			(read && q.wholeRead || !read && q.restart) {
			at = first
		}
	}
	index := uint64(at.Ahead(first)) >> p.shift
	count := uint64(1)
	if r.Verb == ib.VerbRead {
		count = s.packets - index
	}
	fresh := at == q.state.High
	if fresh {
		if a.Why = p.limit(q, r, s, count); a.Why != TxTaken {
			return
		}
		a.Number = q.ssn
	}
	a.What, a.Begins, a.Again = TxSends, r.Begun == TxNew, !fresh
	a.PSN, a.Count, a.First, a.Last = at, uint32(count), first, p.after(first, s.packets-1)
	a.Opcode, a.Kind = s.opcode(r, q.service, index), s.kind
	s.bytes(r, index, a)
	last := index+count == s.packets
	a.Solicited = last && r.Solicited && s.limited
	a.AckReq = q.service == TxRC && (last || p.asks(q, s, at, first))
	p.sent(q, r, a, last, fresh)
}

// bytes says which bytes of the message a packet is about.
func (s *txShape) bytes(r *TxRecord, index uint64, a *TxAnswer) {
	offset := index * s.pmtu
	left := uint64(r.Length) - offset
	switch {
	case s.cut:
		a.Offset, a.Bytes = uint32(offset), uint32(min(left, s.pmtu))
		a.Payload = uint16(a.Bytes)
	case r.Verb == ib.VerbRead:
		a.Offset, a.Bytes = uint32(offset), uint32(left)
		a.Payload = uint16(uint64(r.Length) - (s.packets-1)*s.pmtu)
	case r.Verb == ib.VerbAtomicWrite:
		a.Bytes = 8
	}
}

// asks decides AckReq of a packet that is not the last of its message: where the peer's answer is what will let the
// next one go.
func (p *TxPackets) asks(q *txQP, s *txShape, at, first psn.PSN) bool {
	unit := uint64(1) << p.shift
	if uint64(at.Ahead(q.state.Una))+unit == q.window {
		return true
	}
	unfinished := uint64(q.state.High.Ahead(first)) < s.packets*unit
	return s.limited && unfinished && q.state.Credit(q.ssn) != roce.ReqTaken
}

// sent moves the pointers behind a packet that goes out (PSN-4, PSN-7).
func (p *TxPackets) sent(q *txQP, r *TxRecord, a *TxAnswer, last, fresh bool) {
	q.next = p.after(a.PSN, uint64(a.Count))
	q.slot, q.oldest, q.back = r.Slot, false, false
	if last {
		q.slot = p.behind(r.Slot)
	}
	if fresh {
		q.state.High, q.top = q.next, q.slot
		if a.Kind.Replayed() {
			q.reads++
		}
		if last {
			q.ssn = uint32(psn.New(q.ssn + 1))
		}
	}
	if q.fresh() {
		q.slot = q.top
	}
	if q.service != TxRC {
		q.state.Una = q.next
	}
}
