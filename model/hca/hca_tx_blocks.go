package hca

import (
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

// HcaTxQueueDepth is how many WQEs a send queue of hca_tx holds if its SqDepth is not another.
const HcaTxQueueDepth = 8

// HcaTxBlocks are the blocks of hca_tx, joined: what one says the others hear at once. So it says what a device does
// that has come to rest before the next input (docs/blocks/hca_tx.md, Scenario).
type HcaTxBlocks struct {
	// Sent, Ends and Local are what was given since the last Clear.
	Sent  []HcaTxSent
	Ends  []SQCQE
	Local []HcaTxLocal
	Moved []sim.Record // records of m_mem and m_data, in their order
	// Heard, if it is not nil, hears all that retry_ctl says.
	Heard func(*RetryAnswer)
	// Prompt has what a response brings in memory as it comes: nothing is placed, and nobody waits for it.
	Prompt bool

	settings sim.Settings
	check    reqAckCheck
	control  RetryControl
	packets  TxPackets
	queues   SendQueues
	sends    []bool // by QP: sq_scheduler gives it turns
	place    hcaTxPlace
	timers   []hcaTxTimer
	armed    int

	clock  retxClock
	ticks  uint64 // at since
	since  uint64 // cycle of the last lapse
	cycle  uint64 // of the last record
	record [HcaTxOpBytes]byte
}

// HcaTxSent is a packet that leaves, and the WQE that it is of.
type HcaTxSent struct {
	TxAnswer
	WQE SendWQE
}

// hcaTxTimer is retx_timer's of a QP.
type hcaTxTimer struct {
	RetxQP
	deadline uint64 // in ticks
}

// NewHcaTxBlocks are the blocks behind reset.
func NewHcaTxBlocks(s sim.Settings) *HcaTxBlocks {
	b := &HcaTxBlocks{settings: s}
	b.Reset()
	return b
}

// Reset returns the blocks to their state after reset.
func (b *HcaTxBlocks) Reset() {
	s, n := b.settings, b.settings.Get("NumQps", 4096)
	depth, forever := s.Get("SqDepth", HcaTxQueueDepth), s.Get("retry7_forever_i", 0) != 0
	*b = HcaTxBlocks{settings: s, Sent: b.Sent[:0], Ends: b.Ends[:0], Local: b.Local[:0], Moved: b.Moved[:0],
		Heard: b.Heard, Prompt: b.Prompt, place: newHcaTxPlace(s),
		check:   reqAckCheck{qps: make([]reqQP, n), reads: uint8(s.Get("Reads", 4)), width: psnWidth(s)},
		control: NewRetryControl(n, forever),
		packets: NewTxPackets(n, uint8(depth), int(s.Get("HCA_PSN_BITS", psn.Bits))),
		queues:  NewSendQueues(n, depth, psn.Bits),
		sends:   make([]bool, n), timers: make([]hcaTxTimer, n),
		clock: retxClock{max(1, s.Get("cycles_per_tick_i", 65535)), s.Get("tick_step_i", 1)}}
	for i := range b.timers {
		b.timers[i].Retry7Forever = forever
	}
}

// Clear forgets what was given.
func (b *HcaTxBlocks) Clear() {
	b.Sent, b.Ends, b.Local, b.Moved = b.Sent[:0], b.Ends[:0], b.Local[:0], b.Moved[:0]
}

// Take takes an input.
func (b *HcaTxBlocks) Take(r *sim.Record) {
	b.Elapse(r.End)
	b.cycle = r.End
	switch r.Port {
	case HcaTxResponses:
		response := ParseHcaTxResponse(r.Data)
		b.Respond(&response)
		return
	case HcaTxPayload:
		b.move(placePortPayload, r.Data)
		return
	case HcaTxAcks:
		b.move(placePortAck, r.Data)
		return
	case HcaTxCNPs, HcaTxGathered:
		return
	}
	record := hcaTxRecordOf(r.Data, &b.record)
	if HcaTxTargetOf(r.Data) == ToTime {
		b.ticks, b.since = b.now(r.End), r.End
		l := sim.ReadLayout(record)
		ticks := uint32(0)
		sim.Field(&l, &ticks, 32)
		b.ticks += uint64(ticks)
		b.expire(b.ticks)
		return
	}
	b.operate(HcaTxTargetOf(r.Data), record)
}

// operate gives a block its operation.
func (b *HcaTxBlocks) operate(to HcaTxTarget, record []byte) {
	switch to {
	case ToCheck:
		r := ParseReqRecord(record)
		b.check.step(&r)
	case ToRetry:
		r := ParseRetryRecord(record)
		a := b.control.Step(&r)
		b.time(&a)
	case ToSendQueues:
		r := ParseSQRecord(record)
		if r.Op == SQClear || r.Op == SQVerdict {
			b.fence(&r)
			return
		}
		b.queue(&r)
		if r.Op == SQPost || r.Op == SQLocalDone {
			b.turn(r.QPN)
		}
	case ToPackets:
		r := ParseTxRecord(record)
		if b.packets.Step(&r); r.Op == TxResume {
			b.turn(r.QPN)
		}
	case ToTurns:
		b.order(record)
	}
}

// order sets or removes a QP in sq_scheduler, or wakes it.
func (b *HcaTxBlocks) order(record []byte) {
	r := ParseSchedRecord(record)
	switch {
	case uint64(r.QPN) >= uint64(len(b.sends)):
	case r.Op == SchedWake:
		b.turn(r.QPN)
	case r.Op == SchedSet:
		b.sends[r.QPN] = true
	case r.Op == SchedRemove:
		b.sends[r.QPN] = false
	}
}

// Respond takes a response.
func (b *HcaTxBlocks) Respond(r *HcaTxResponse) {
	told := b.check.step(&ReqRecord{Op: ReqResponse, QPN: r.QPN, PSN: r.PSN, Number: r.Number, Payload: r.Payload,
		Opcode: r.Opcode, Syndrome: r.Syndrome, Pad: r.Pad})
	b.told(r, &told)
	next := RetryAfter(&told)
	b.tell(&next, &told)
}

// tell gives retry_ctl a record, and all whom it concerns what it says of it.
func (b *HcaTxBlocks) tell(r *RetryRecord, told *ReqAnswer) {
	a := b.control.Step(r)
	b.time(&a)
	if b.Heard != nil {
		heard := a // else every answer would be made on the heap, for a call through a variable
		b.Heard(&heard)
	}
	if a.Why == RetryNoQP || a.Op == RetrySent {
		return
	}
	verdict := TxAfter(&a, told)
	b.packets.Step(&verdict)
	if a.Progress || a.Order == RetryFail {
		b.ends(&SQRecord{QPN: a.QPN, Op: SQVerdict, Una: a.Una, Progress: a.Progress, Fail: a.Order == RetryFail,
			Status: a.Status})
	}
	switch a.Ask {
	case RetryAskGoOn:
		b.check.step(&ReqRecord{QPN: a.QPN, Op: ReqGoOn})
	case RetryAskClose:
		b.check.step(&ReqRecord{QPN: a.QPN, Op: ReqClose})
	}
	b.turn(a.QPN)
}

// queue gives sq_retire a record.
func (b *HcaTxBlocks) queue(r *SQRecord) SQAnswer {
	a := b.queues.Step(r)
	for i := range b.queues.ends {
		if e := &b.queues.ends[i]; e.completes {
			b.Ends = append(b.Ends, e.cqe)
		}
	}
	return a
}

// turn has a QP send what it may.
func (b *HcaTxBlocks) turn(qpn uint32) {
	if uint64(qpn) >= uint64(len(b.sends)) || !b.sends[qpn] {
		return
	}
	a := b.packets.Step(&TxRecord{QPN: qpn, Op: TxLook})
	for a.Why == TxTaken {
		w := b.queue(&SQRecord{QPN: qpn, Op: SQLook, Slot: a.Slot, Progress: a.Oldest})
		r := hcaTxAsk(&w, a.Oldest)
		a = b.packets.Step(&r)
		switch a.What {
		case TxSends:
			b.send(&a, &w)
		case TxBeginsLocal:
			b.Local = append(b.Local, localOf(&w))
			return
		case TxStands:
			return
		}
	}
}

// hcaTxAsk is a WQE as tx_packetizer is asked about it.
func hcaTxAsk(w *SQAnswer, oldest bool) TxRecord {
	r := TxRecord{QPN: w.QPN, Op: TxPacket, Slot: w.Slot, Oldest: oldest, Verb: ib.Verb(w.Verb), Length: w.Length,
		First: w.First, Solicited: w.Flags&SQSolicited != 0, Immediate: w.Flags&SQImmediate != 0,
		Invalidate: w.Flags&SQInvalidate != 0, Fence: w.Flags&SQFence != 0}
	switch {
	case w.Begun:
		r.Begun = TxBegan
	case w.Present:
		r.Begun = TxNew
	}
	return r
}

// send tells all whom it concerns of a packet.
func (b *HcaTxBlocks) send(a *TxAnswer, w *SQAnswer) {
	if a.Begins {
		b.queue(&SQRecord{QPN: a.QPN, Op: SQBegun, Slot: w.Slot, First: a.First, Last: a.Last})
	}
	if !b.Answered(a.QPN) {
		b.Sent = append(b.Sent, HcaTxSent{*a, w.SendWQE})
		return
	}
	sent := a.Sent()
	told := b.check.step(&sent)
	b.joins(a, w)
	r := RetryAfter(&told)
	b.tell(&r, &told)
	b.Sent = append(b.Sent, HcaTxSent{*a, w.SendWQE})
}

// Answered reports whether a QP is of RC: of UC and UD nobody answers (REQ-13).
func (b *HcaTxBlocks) Answered(qpn uint32) bool { return b.packets.qps[qpn].service == TxRC }

// Left has a packet leave: a WQE of UC or UD ends with its last one.
func (b *HcaTxBlocks) Left(qpn uint32, at psn.PSN) {
	if b.Answered(qpn) {
		return
	}
	if q := b.queues.qps.get(qpn); q != nil && q.endsBefore(at.Add(1)) {
		b.queue(&SQRecord{QPN: qpn, Op: SQVerdict, Una: at.Add(1), Progress: true})
	}
}

// Fail takes a QP to error of which a packet could not be sent, or a write failed: what it posted ends, the oldest, if
// nothing said how, with a local error.
func (b *HcaTxBlocks) Fail(qpn uint32) {
	b.check.step(&ReqRecord{QPN: qpn, Op: ReqClose})
	a := b.control.Step(&RetryRecord{QPN: qpn, Op: RetryClose})
	b.time(&a)
	b.packets.Step(&TxRecord{QPN: qpn, Op: TxClose})
	b.fence(&SQRecord{QPN: qpn, Op: SQVerdict, Fail: true, Status: roce.LocalError})
}

// Packet is the record of tx_frame.
func (s *HcaTxSent) Packet() FrameRecord {
	w, a := &s.WQE, &s.TxAnswer
	p := FrameRecord{QPN: a.QPN, Opcode: a.Opcode, PSN: a.PSN, AckReq: a.AckReq, Solicited: a.Solicited, VA: w.VA,
		RKey: w.RKey, DMALength: w.Length, Imm: w.Imm, SwapAdd: w.SwapAdd, Compare: w.Compare, QKey: w.QKey,
		Bytes: uint16(a.Bytes), Address: w.List, Offset: a.Offset, Entries: w.Entries}
	if w.Verb == roce.Read {
		p.DMALength, p.Bytes = a.Bytes, 0
	}
	return p
}

// time gives retx_timer its operations.
func (b *HcaTxBlocks) time(a *RetryAnswer) {
	a.TimerOps(func(op RetxOp) {
		t := &b.timers[op.QPN]
		if t.State != RetxIdle {
			b.armed--
		}
		if changed, _ := t.Do(op); changed {
			switch t.State {
			case RetxTransport:
				t.deadline = b.ticks + ib.Ticks(ib.TimeoutNs(op.Code)) + 1
			case RetxRNR:
				t.deadline = b.ticks + ib.RNRTimerTicks(op.Code) + 1
			}
		}
		if t.State != RetxIdle {
			b.armed++
		}
	})
}

// now is what the tick counter stands at in a cycle.
func (b *HcaTxBlocks) now(cycle uint64) uint64 {
	return b.ticks + b.clock.tick(cycle-min(cycle, b.since))
}

// Elapse has time go on to a cycle.
func (b *HcaTxBlocks) Elapse(cycle uint64) {
	if passed := cycle - min(cycle, b.since); passed >= b.clock.cyclesPerTick {
		ticks := b.now(cycle)
		b.since += passed / b.clock.cyclesPerTick * b.clock.cyclesPerTick
		b.expire(ticks)
	}
}

// firstDue is the cycle in which the first timer expires, if one does until a cycle; if none does, never.
func (b *HcaTxBlocks) firstDue(cycle uint64) uint64 {
	if b.armed == 0 || cycle-min(cycle, b.since) < b.clock.cyclesPerTick {
		return never
	}
	first := uint64(never)
	for qpn := range b.timers {
		if t := &b.timers[qpn]; t.State != RetxIdle && !t.Given {
			first = min(first, t.deadline)
		}
	}
	if first > b.now(cycle) {
		return never
	}
	return b.since + max(1, (first-min(first, b.ticks)+b.clock.step-1)/b.clock.step)*b.clock.cyclesPerTick
}

// expire has time go on to a tick: timers that are due expire.
func (b *HcaTxBlocks) expire(ticks uint64) {
	b.ticks = ticks
	if b.armed == 0 {
		return
	}
	for qpn := range b.timers {
		t := &b.timers[qpn]
		if t.State != RetxIdle && !t.Given && t.deadline <= ticks {
			t.Given = true
			b.tell(&RetryRecord{QPN: uint32(qpn), Op: RetryExpiry, Gen: t.Gen, RNR: t.State == RetxRNR}, nil)
		}
	}
}

// HcaTxState is how far a QP is.
type HcaTxState struct {
	Open      bool // to responses
	Una, High psn.PSN
	Next      psn.PSN // goes out next; of a QP that is closed, would
	Waiting   bool
	Unlimited bool   // by credits
	Posted    int    // WQEs that have not ended
	Failed    bool   // the send queue
	Armed     bool   // a timer
	Left      uint64 // ticks until it expires
}

// State tells how far a QP is.
func (b *HcaTxBlocks) State(qpn uint32) (s HcaTxState) {
	q, t := &b.check.qps[qpn], &b.timers[qpn]
	s.Open, s.Una, s.High, s.Waiting = q.open, q.state.Una, q.state.High, t.State == RetxRNR
	s.Next, s.Unlimited = b.packets.qps[qpn].next, q.state.Unlimited
	if send := b.queues.qps.get(qpn); send != nil {
		s.Posted, s.Failed = len(send.left), send.failed
	}
	if t.State != RetxIdle && !t.Given {
		s.Armed, s.Left = true, t.deadline-b.ticks
	}
	return s
}
