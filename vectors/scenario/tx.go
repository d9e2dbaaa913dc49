package scenario

import (
	"slices"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/sim"
)

const (
	// txRecords is how many records an episode of tx-packetizer has.
	txRecords = 600
	// txBurst is how many records a step of a QP has at most.
	txBurst = 13
)

// txSlots are the slots that a life's QP may have: mostly the default of Wqes, and those of the other sizes.
var txSlots = [...]uint8{8, 8, 64}

// txWQE is a send WQE as sq_retire shows it.
type txWQE struct {
	note hca.TxRecord
	last psn.PSN
}

// txLife is a QP as its records leave it, with a send queue of its own.
type txLife struct {
	r       *Rand
	e       *Episode
	qpn     uint32
	packets hca.TxPackets
	last    hca.TxAnswer // of its last record that did not find it closed
	isOpen  bool
	service uint8
	pmtu    uint8
	queue   []txWQE
	slots   uint8 // of the QP: a device with fewer or more loses its place, and searches
	slot    uint8 // of the oldest
	ssn     uint32
	lsn     uint32
	credits bool
	turned  uint32 // the bit of lsn that was turned and has to be turned back
	turns   int    // bits of lsn that were turned
	mad     bool   // it is as no QP can be: it closes soon
	reader  bool   // has many READs and atomics outstanding
	longest bool   // asks for READs that fill the window of all
	fills   bool   // no window below 2^23: a READ of all PSNs but one, then a message or a READ of several packets
}

// makeTxPacketizer makes lives of requesters as retry_ctl and sq_retire tell of them: messages of every kind, cut and
// whole, first and again, with verdicts between any two packets; limits of every size.
func makeTxPacketizer(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, txRecords, func(r *Rand, e *Episode) {
		var lives [len(retryQPNs)]txLife
		qpns := txQPNs(e.Number)
		for i := range lives {
			slots := txSlots[r.Below(len(txSlots))]
			lives[i] = txLife{r: r, e: e, qpn: qpns[i], slots: slots,
				packets: hca.NewTxPackets(1, slots, psn.Bits)}
		}
		for e.Len()+txBurst+len(lives) < txRecords {
			life := &lives[int(e.Number)%len(lives)] // one QP has half the records
			if r.OneIn(2) {
				life = &lives[r.Below(len(lives))]
			}
			for range 1 + r.Below(4) {
				if e.Len()+txBurst+len(lives) < txRecords {
					life.step()
				}
			}
		}
		for i := range lives {
			if lives[i].isOpen {
				lives[i].give(lives[i].record(hca.TxClose), "close, to the end")
			}
		}
		for e.Len() < txRecords {
			q := lives[0].record(hca.TxOp(r.Below(8)))
			q.QPN |= 1 << r.Between(16, 23)
			addTx(e, &q, "no QP")
		}
	})
}

// txQPNs are the QPs of an episode: those of retry-ctl, but for one that is one bit beside another of them, each bit in
// turn.
func txQPNs(number uint64) [len(retryQPNs)]uint32 {
	qpns := retryQPNs
	bit := uint32(1) << (number / 2 % 16)
	if number%2 == 0 {
		qpns[5] = qpns[3] ^ bit
	} else {
		qpns[4] = qpns[5] ^ bit
	}
	return qpns
}

func addTx(e *Episode, q *hca.TxRecord, why string) {
	e.scratch = q.Append(e.scratch[:0])
	e.Add(sim.Port(0), 0, e.scratch, why)
}

// record is one of the QP. What an op does not look at is random.
func (l *txLife) record(op hca.TxOp) hca.TxRecord {
	r := l.r
	flag := func() bool { return r.OneIn(2) }
	return hca.TxRecord{QPN: l.qpn, Op: op, Una: drawPSN(r), Order: hca.RetryOrder(r.Below(8)), Progress: flag(),
		LSN: uint32(drawPSN(r)), Unlimited: flag(), Ended: flag(), PMTU: uint8(r.Below(8)), MaxReads: uint8(r.Below(32)),
		Window: uint32(drawPSN(r)), Service: uint8(r.Below(4)), Restart: flag(), WholeRead: flag(), Slot: uint8(r.Below(64)),
		Oldest: flag(), Begun: hca.TxBegun(r.Below(4)), Verb: ib.Verb(r.Below(16)), Immediate: flag(), Invalidate: flag(),
		Solicited: flag(), Fence: flag(), Length: uint32(r.Uint64()), First: drawPSN(r), Told: flag()}
}

// give gives the QP a record and follows what becomes of it.
func (l *txLife) give(q hca.TxRecord, why string) hca.TxAnswer {
	addTx(l.e, &q, why)
	q.QPN = 0
	a := l.packets.Step(&q)
	if a.Why == hca.TxNoQP {
		return a
	}
	l.isOpen = q.Op != hca.TxClose && a.Why != hca.TxIllegal && (q.Op != hca.TxVerdict || q.Order != hca.RetryFail)
	l.last = a
	return a
}

// step is what happens to the QP next.
func (l *txLife) step() {
	r := l.r
	switch {
	case !l.isOpen && r.OneIn(6):
		l.give(l.record(hca.TxOp([...]int{0, 1, 3, 4, 5, 6, 7}[r.Below(7)])), "closed")
	case !l.isOpen:
		l.configure()
	case l.mad && r.OneIn(6):
		l.give(l.record(hca.TxClose), "close")
	case r.OneIn(40) && (!l.reader || r.OneIn(10)):
		l.odd()
	case l.credits && l.last.Why == hca.TxCredit && r.OneIn(6): // its probe is out, most of the time
		l.give(l.record(hca.TxClose), "close, without credits")
	case l.turned != 0, l.credits && l.last.Why == hca.TxCredit && !r.OneIn(3):
		l.turnLSN()
	case !l.last.Drained && l.reads() && r.OneIn(25): // a fence may be behind it
		l.give(l.record(hca.TxDrain), "drain, with a READ outstanding")
	case l.last.Drained && r.OneIn(4):
		l.give(l.record(hca.TxResume), "resume")
	case len(l.queue) == 0 || len(l.queue) < int(l.slots) && r.OneIn(3):
		l.post()
	case r.OneIn(3):
		l.verdict()
	case r.OneIn(100), l.reader && r.OneIn(2):
		l.end()
	default:
		l.turn()
	}
}

func (l *txLife) configure() {
	r := l.r
	q := l.record(hca.TxConfigure)
	l.mad = false
	if !r.OneIn(12) {
		q.PMTU, q.Service = uint8(r.Between(1, 5)), [...]uint8{hca.TxRC, hca.TxRC, hca.TxRC, hca.TxRC, hca.TxUC,
			hca.TxUD}[r.Below(6)]
	}
	few, half := uint32(r.Between(1, 12)), 1<<23-1+uint32(r.Below(3))
	q.Window = [...]uint32{0, 0, few, few, 1 << r.Below(24), half, q.Window}[r.Below(7)]
	if !r.OneIn(5) {
		q.MaxReads = uint8(r.Between(0, 4))
	}
	l.credits = !q.Unlimited
	if r.OneIn(3) {
		q.LSN = 0
	}
	if l.reader = r.OneIn(4); l.reader {
		q.MaxReads, q.Window, q.Service = uint8(r.Between(28, 31)), 0, hca.TxRC
	}
	l.fills = false
	if l.longest = !l.reader && r.OneIn(10); l.longest {
		q.MaxReads, q.PMTU, q.Service = uint8(r.Between(1, 4)), 1, hca.TxRC
		q.Window = [...]uint32{half, half, 1<<24 - 1, 1<<23 + uint32(r.Below(1<<23)), 0}[r.Below(5)]
		l.fills = q.Window == 0 || q.Window > 1<<23
	}
	l.turned = 0
	l.service, l.pmtu, l.queue, l.slot, l.ssn, l.lsn = q.Service, q.PMTU, l.queue[:0], 0, q.LSN+1, q.LSN
	l.give(q, "configure")
}

// underway makes the only WQE one of which much had gone out before.
func (l *txLife) underway() {
	r, w := l.r, &l.queue[0]
	w.note.Verb = ib.Verb(1 + r.Below(2-int(l.service)/2))
	behind := [...]uint32{0, 1<<23 - 1, uint32(r.Below(1 << 23)), 1 << l.turnBit(), 1 << r.Below(23),
		1 << r.Between(7, 15)}[r.Below(6)]
	if l.pmtu == 1 && r.OneIn(2) { // as long as a message can be
		behind = 1<<23 - 1
	}
	w.note.Length = uint32(min(uint64(behind+1+uint32(r.Below(3)))<<(7+l.pmtu), ib.MaxMessage))
	behind = min(l.packetsOf(w)-1, behind)
	w.note.Begun, w.note.First = hca.TxBegan, l.last.Next.Add(-int32(behind))
	w.last = psn.New(uint32(w.note.First) + l.packetsOf(w) - 1)
}

// turnBit is a bit of a PSN, one after the other by episodes.
func (l *txLife) turnBit() uint64 { return (l.e.Number + uint64(l.r.Below(2))) % 23 }

// packetsOf is how many packets a WQE has, or PSNs it takes.
func (l *txLife) packetsOf(w *txWQE) uint32 {
	if v := w.note.Verb; v != ib.VerbSend && v != ib.VerbWrite && v != ib.VerbRead {
		return 1
	}
	return uint32(max(1, (uint64(w.note.Length)+(128<<l.pmtu)-1)>>(7+l.pmtu)))
}

// post puts a WQE into the queue: no record.
func (l *txLife) post() {
	l.queue = append(l.queue, txWQE{note: l.work()})
	if len(l.queue) == 1 && l.last.Next == l.last.High && !l.reader && !l.longest && l.r.OneIn(2) {
		l.underway()
	}
}

// work draws what a WQE shows.
func (l *txLife) work() hca.TxRecord {
	r := l.r
	n := l.record(hca.TxPacket)
	n.Begun, n.Fence = hca.TxNew, r.OneIn(6)
	if !r.OneIn(25) {
		n.Verb = ib.Verb([...]int{1, 1, 2, 2, 3, 3, 1 + r.Below(9), 4 + r.Below(6)}[r.Below(8)])
	}
	if l.service != hca.TxRC && !r.OneIn(8) {
		n.Verb, n.Invalidate = ib.Verb(1+r.Below(2-int(l.service)/2)), false
	}
	if n.Immediate && !r.OneIn(8) || n.Verb == ib.VerbWrite && !r.OneIn(8) {
		n.Invalidate = false
	}
	pmtu := uint32(128) << l.pmtu
	n.Length = [...]uint32{0, uint32(r.Below(9)), pmtu, pmtu - 1, pmtu + 1, uint32(r.Below(int(5 * pmtu))),
		pmtu * uint32(r.Below(6)), ib.MaxMessage - uint32(r.Below(3)), 1 << r.Below(31), n.Length >> 1, n.Length}[r.Below(11)]
	if n.Verb == ib.VerbRead && r.OneIn(2) {
		n.Length = pmtu*uint32(r.Between(1, 5)) + uint32(r.Below(9))
	}
	if l.service == hca.TxUD && !r.OneIn(8) {
		n.Length = min(n.Length, pmtu)
	}
	if l.reader && !r.OneIn(6) {
		n.Verb, n.Length, n.Fence = ib.Verb(r.Between(3, 5)), uint32(r.Below(9)), false
	}
	if l.longest && !r.OneIn(4) { // up to 2^23 PSNs, then what does not fit behind them
		n.Verb, n.Fence, n.Length = ib.Verb(1+r.Below(5)), false, uint32(r.Below(9))
		if len(l.queue) == 0 || n.Verb == ib.VerbRead {
			n.Verb, n.Length = ib.VerbRead, ib.MaxMessage-[...]uint32{0, 255, 256, 257, 512}[r.Below(5)]
		}
	}
	if l.fills && !r.OneIn(4) {
		n.Fence = false
		if n.Verb, n.Length = ib.Verb(1+r.Below(3)), uint32(r.Between(257, 999)); len(l.queue) == 0 {
			n.Verb, n.Length = ib.VerbRead, ib.MaxMessage-uint32(r.Between(256, 511))
		}
	}
	if n.Verb == ib.VerbAtomicWrite && !r.OneIn(8) {
		n.Length = 8
	}
	return n
}

// reads reports whether a READ has been asked for and not ended.
func (l *txLife) reads() bool {
	return slices.ContainsFunc(l.queue, func(w txWQE) bool {
		return w.note.Begun == hca.TxBegan && w.note.Verb == ib.VerbRead
	})
}

// end ends the oldest WQE, whatever became of it.
func (l *txLife) end() {
	l.queue = append(l.queue[:0], l.queue[1:]...)
	l.slot = (l.slot + 1) % l.slots
}

// fetch is the WQE that the last answer asks for.
func (l *txLife) fetch() (q hca.TxRecord, w *txWQE) {
	at := 0
	if !l.last.Oldest {
		at = int((l.last.Slot - l.slot) & (l.slots - 1))
	}
	q = l.record(hca.TxPacket)
	q.Begun = hca.TxNoWQE
	if l.r.OneIn(4) {
		q.Begun = 3
	}
	if at < len(l.queue) {
		w = &l.queue[at]
		if l.last.Drained && w.note.Begun == hca.TxNew && l.r.OneIn(2) { // which of the two it waits for
			w.note.Fence = true
		}
		q = w.note
	}
	q.Slot, q.Oldest = (l.slot+uint8(at))%l.slots, l.last.Oldest
	return q, w
}

// turn is a turn of some packets: it asks until they are out or nothing goes any more.
func (l *txLife) turn() {
	packets := l.r.Between(1, 5)
	for n := 0; n < txBurst-1 && packets > 0 && l.isOpen; n++ {
		q, w := l.fetch()
		why := "packet"
		if l.r.OneIn(25) {
			q.Oldest, why = !q.Oldest, "packet: the other way to ask"
		} else if l.r.OneIn(25) {
			q.Slot, why = uint8(l.r.Below(int(l.slots))), "packet: another slot"
		}
		a := l.give(q, why)
		if a.Begins && w != nil {
			w.note.Begun, w.note.First, w.last = hca.TxBegan, a.First, a.Last
			if a.What == hca.TxSends {
				l.ssn++
			}
		}
		switch a.What {
		case hca.TxStands:
			if w != nil && w.note.Begun == hca.TxNew && (a.Why == hca.TxBadWQE || l.r.OneIn(4)) {
				w.note = l.work() // what may never go gives its slot to another
			}
			return
		case hca.TxSends:
			packets--
		}
	}
}

// odd is what comes seldom.
func (l *txLife) odd() {
	r := l.r
	switch r.Below(8) {
	case 0:
		l.give(l.record(hca.TxClose), "close")
	case 1:
		l.give(l.record(hca.TxConfigure), "configure again")
	case 2:
		l.give(l.record(hca.TxPacket), "packet: anything")
	case 3:
		q := l.record(hca.TxPacket)
		q.Slot, q.Oldest = l.last.Slot, l.last.Oldest
		if r.OneIn(3) {
			q.Verb, q.Length = ib.Verb(r.Between(1, 3)), 1<<32-1-uint32(r.Below(256)) // as many packets as can be said
			q.Begun = [...]hca.TxBegun{q.Begun, hca.TxBegan}[r.Below(2)]
		}
		l.give(q, "packet: any WQE")
		l.mad = true
	case 4:
		l.give(l.record(hca.TxVerdict), "verdict: anything")
		l.mad = true
	case 5:
		l.give(l.record([...]hca.TxOp{hca.TxLook, hca.TxLook + 3}[r.Below(2)]), "look")
	default:
		l.give(l.record(hca.TxDrain), "drain")
	}
}

// verdict is one that fits what was sent: some of it acknowledged, some lost.
func (l *txLife) verdict() {
	r := l.r
	q := l.record(hca.TxVerdict)
	out := l.last.High.Ahead(l.last.Una)
	q.Una, q.Progress, q.Order = l.last.Una, false, hca.RetryNoOrder
	exact := false
	if out > 0 && r.OneIn(2) {
		next := l.last.Next.Ahead(l.last.Una)
		step := [...]uint32{1, 1, 2, out, out, out - 1, uint32(r.Below(int(out) + 1)), next + 1, next,
			1 << l.turnBit(), 1 << r.Between(7, 15)}[r.Below(11)]
		if len(l.queue) > 0 && l.queue[0].note.Begun == hca.TxBegan && r.OneIn(4) { // all of the oldest
			step = l.queue[0].last.Add(1).Ahead(l.last.Una)
		}
		if at := l.inside(); at > 0 && r.OneIn(2) {
			step = at
		}
		if exact = next > 0 && next < out && r.OneIn(3); exact { // in a retry, all that went out again
			step = next
		}
		step = min(step, out)
		q.Una, q.Progress = psn.New(uint32(l.last.Una)+step), step > 0
	}
	if out > 0 && !exact && !r.OneIn(3) && (!l.reader || r.OneIn(6)) {
		q.Order = [...]hca.RetryOrder{hca.RetryGoBack, hca.RetryGoBack, hca.RetryGoBack, hca.RetryWait}[r.Below(4)]
	}
	if l.last.Waiting && !r.OneIn(4) {
		q.Order = hca.RetryGoOn
	}
	if r.OneIn(60) && !l.reader {
		q.Order = [...]hca.RetryOrder{hca.RetryFail, hca.RetryOrder(r.Below(8))}[r.Below(2)]
	}
	q.Ended = l.last.Reads > 0 && !l.reader && r.OneIn(2) || r.OneIn(20) ||
		l.last.Reads == 16 && r.OneIn(4) // one less: all bits of the count change
	q.Told = !r.OneIn(6)
	q.Unlimited = !l.credits
	if r.OneIn(12) {
		l.credits, q.Unlimited = !l.credits, !q.Unlimited
	}
	if r.OneIn(2) {
		if l.lsn = (l.ssn + uint32(r.Below(4)) - 2) & 0xFFFFFF; r.OneIn(4) {
			l.lsn = (l.ssn + uint32(1-2*r.Below(2))<<r.Between(2, 23)) & 0xFFFFFF
		}
	}
	q.LSN = l.lsn
	a := l.give(q, "verdict")
	for len(l.queue) > 0 && l.queue[0].note.Begun == hca.TxBegan && l.passed(l.queue[0].last) && !r.OneIn(3) {
		l.end()
	}
	if a.Oldest && l.isOpen && !r.OneIn(3) {
		l.turn()
	}
}

// turnLSN tells an lsn that differs in one bit from the one before, the next time that one again: a probe may go once
// more for each (CRD-2).
func (l *txLife) turnLSN() {
	q := l.record(hca.TxVerdict)
	q.Una, q.Progress, q.Order, q.Told, q.Unlimited = l.last.Una, false, hca.RetryNoOrder, true, false
	if l.r.OneIn(5) { // not the end of a READ, either
		q.Ended, q.LSN = true, l.lsn
		if l.r.OneIn(2) { // nor credits without end that end before anything goes
			q.Ended, q.Unlimited = false, true
			l.give(q, "verdict: the same lsn, without end")
			q.Unlimited = false
		}
		l.give(q, "verdict: the same lsn")
		l.turn()
		return
	}
	bit := l.turned
	if l.turned ^= bit; bit == 0 {
		bit = 1 << ((l.e.Number*5 + uint64(l.turns)) % psn.Bits) // each in turn
		l.turned, l.turns = bit, l.turns+1
	}
	l.lsn ^= bit
	q.Ended, q.LSN = false, l.lsn
	l.give(q, "verdict: one bit of lsn")
	if l.turned == 0 || l.r.OneIn(4) {
		l.turn()
	}
}

// inside is how far behind una a PSN within a begun WQE lies that has several, 0 if there is none.
func (l *txLife) inside() uint32 {
	reads := l.r.OneIn(2)
	for i := range l.queue {
		w := &l.queue[i]
		took := w.last.Ahead(w.note.First)
		if w.note.Begun == hca.TxBegan && took > 0 && (!reads || w.note.Verb == ib.VerbRead) {
			at := uint32(w.note.First) + 1 + uint32(l.r.Below(int(min(took, 1<<uint(l.r.Between(1, 23))))))
			return psn.New(at).Ahead(l.last.Una)
		}
	}
	return 0
}

// passed reports whether una lies behind the last PSN of a WQE.
func (l *txLife) passed(last psn.PSN) bool { return l.last.Una.From(last) > 0 }
