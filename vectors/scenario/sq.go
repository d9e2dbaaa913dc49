package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

const (
	sqLength  = 500 // records of an episode of sq-retire
	sqDeepest = 64  // WQEs of the deepest queue
)

// makeSQRetire makes the send queues of a few QPs: WQEs posted, begun and acknowledged one by one and many at once,
// local work, failures, and what is nobody's turn.
func makeSQRetire(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, sqLength, func(r *Rand, e *Episode) {
		lives := make([]*sqLife, 1+r.Below(4))
		depth := [...]uint64{2, 8, 8, 8, 8, sqDeepest}[r.Below(6)]
		for i := range lives {
			lives[i] = &sqLife{r: r, e: e, qpn: drawQPN(r), depth: depth, queues: hca.NewSendQueues(1, depth, psn.Bits)}
			if r.OneIn(2) { // one that is there in the smallest device
				lives[i].qpn %= 4
			}
			if i > 0 && r.OneIn(3) {
				lives[i].qpn = beside(r, lives[i-1].qpn)
			}
		}
		if depth == sqDeepest {
			lives[0].full()
		}
		for e.Len() < sqLength {
			life := lives[r.Below(len(lives))]
			for range 1 + r.Below(4) {
				life.step()
			}
		}
	})
}

// sqLife is a QP as its records leave it, in a queue of depth. One of another depth refuses some.
type sqLife struct {
	r      *Rand
	e      *Episode
	qpn    uint32
	depth  uint64
	queues hca.SendQueues

	isOpen, isFailed, spoilt bool
	una, next                psn.PSN
	count, begins            uint64    // WQEs that are left; that were begun since the QP was cleared
	behind                   []psn.PSN // of those that were begun and have not ended
	number                   uint32    // of WQEs
}

// record is one of the QP. What an op does not look at is random.
func (l *sqLife) record(op hca.SQOp) hca.SQRecord {
	r := l.r
	return hca.SQRecord{QPN: l.qpn, Op: op, Slot: uint8(r.Below(64)), First: drawPSN(r), Last: drawPSN(r), Una: drawPSN(r),
		Progress: r.OneIn(2), Fail: r.OneIn(2), Status: roce.Status(r.Below(16)),
		SendWQE: hca.SendWQE{WQE: uint32(r.Uint64()), Verb: roce.Verb(r.Below(16)), Flags: hca.SQFlags(r.Below(64)),
			Length: uint32(r.Uint64()), VA: r.Uint64(), RKey: uint32(r.Uint64()), Imm: uint32(r.Uint64()),
			SwapAdd: r.Uint64(), Compare: r.Uint64(), QKey: uint32(r.Uint64()), List: r.Uint64(), Entries: uint8(r.Below(32))}}
}

// give gives the QP a record and follows what becomes of it.
func (l *sqLife) give(q hca.SQRecord, why string) {
	if l.e.Len() == sqLength {
		return
	}
	l.e.scratch = q.Append(l.e.scratch[:0])
	l.e.Add(sim.Port(0), 0, l.e.scratch, why)
	if q.QPN != l.qpn {
		return
	}
	q.QPN = 0
	a := l.queues.Step(&q)
	switch {
	case a.Why != hca.SQTaken:
		return
	case q.Op == hca.SQClear:
		l.isOpen, l.isFailed, l.spoilt, l.una, l.next = true, false, false, q.Una, q.Una
		l.begins, l.behind = 0, l.behind[:0]
	case a.Failed:
		l.isFailed, l.behind = true, l.behind[:0]
	case q.Op == hca.SQBegun:
		l.begins++
		l.next = q.Last.Add(1)
		l.behind = append(l.behind, l.next)
	case q.Op == hca.SQLocalDone:
		l.begins++
		l.spoilt = q.Fail
		l.behind = append(l.behind, l.next)
	case q.Op == hca.SQVerdict && q.Progress:
		l.una = q.Una
	}
	if !a.Failed {
		l.behind = l.behind[:copy(l.behind, l.behind[min(int(a.Ended), len(l.behind)):])]
	}
	l.count = uint64(a.Count)
}

func (l *sqLife) step() {
	r := l.r
	switch {
	case !l.isOpen && !r.OneIn(4), l.isFailed && r.OneIn(3), l.spoilt && r.OneIn(12), r.OneIn(120):
		q := l.record(hca.SQClear)
		l.give(q, "clear")
	case r.OneIn(25):
		l.odd()
	case r.OneIn(12):
		l.look()
	case r.OneIn(70):
		l.fail()
	case l.isFailed || !l.isOpen:
		l.give(l.record(hca.SQOp(r.Below(6))), "closed or failed")
	case r.Below(10) < 3:
		l.post()
	case r.Below(10) < 5:
		l.begin()
	default:
		l.acknowledge()
	}
}

// post posts one WQE, some, or more than there is room for.
func (l *sqLife) post() {
	for range [...]int{1, 1, 1, 2, 3, 5, 9, 20}[l.r.Below(8)] {
		q := l.record(hca.SQPost)
		if l.number++; l.r.OneIn(2) {
			q.WQE = l.number
		}
		if l.r.OneIn(3) {
			q.Flags ^= hca.SQSignaled
		}
		l.give(q, "post")
		if l.count == l.depth && !l.r.OneIn(3) {
			return
		}
	}
}

// full fills the queue from any slot on, begins all that is in it, and ends it with one verdict.
func (l *sqLife) full() {
	l.give(l.record(hca.SQClear), "clear")
	for _, n := range [...]int{l.r.Below(int(l.depth)), int(l.depth)} {
		for range n {
			l.give(l.record(hca.SQPost), "post")
		}
		for range n {
			q := l.record(hca.SQBegun)
			q.Slot = uint8(l.begins % 64)
			q.First, q.Last = l.next, l.next.Add(int32(l.r.Below(4)))
			l.give(q, "begun")
		}
		q := l.record(hca.SQVerdict)
		q.Progress, q.Fail, q.Una = true, false, l.next
		l.give(q, "verdict: all of a queue")
	}
}

// begin begins the next WQEs, or what is local of them.
func (l *sqLife) begin() {
	for range [...]int{1, 1, 2, 3, 8}[l.r.Below(5)] {
		if uint64(len(l.behind)) == l.count && !l.r.OneIn(8) {
			return
		}
		op, why := hca.SQBegun, "begun"
		if l.r.OneIn(5) {
			op, why = hca.SQLocalDone, "local done"
		}
		q := l.record(op)
		q.Slot = uint8(l.begins % 64)
		q.Fail = l.r.OneIn(8)
		if op == hca.SQBegun || l.r.OneIn(4) { // of local work they are not looked at
			q.First = l.next
			q.Last = l.next.Add(l.packets())
		}
		l.give(q, why)
	}
}

// packets is how many a message has beside its first: also a power of two, as far as a QP may have outstanding.
func (l *sqLife) packets() int32 {
	r := l.r
	more := [...]int32{0, 0, 0, 1, 2, int32(r.Below(16)), int32(r.Below(1 << 12)), int32(r.Below(1 << 18)),
		1 << r.Below(psn.Bits-1)}
	n := more[r.Below(len(more))]
	if l.next.From(l.una)+n >= 1<<(psn.Bits-1)-1 {
		return 0
	}
	return n
}

// acknowledge moves una to the end of a WQE, into one or beside its end; or not at all.
func (l *sqLife) acknowledge() {
	r := l.r
	q := l.record(hca.SQVerdict)
	q.Fail = r.OneIn(40)
	if r.OneIn(6) {
		q.Progress = false
		l.give(q, "verdict: no progress")
		return
	}
	q.Progress, q.Una = true, l.una
	why := "verdict: nothing begun"
	if n := len(l.behind); n > 0 {
		q.Una = l.behind[r.Below(n)]
		why = "verdict: to the end of a WQE"
		switch r.Below(10) {
		case 0:
			q.Una = q.Una.Add(-1)
			why = "verdict: one before the end"
		case 1:
			if q.Una = l.una.Add(int32(r.Below(1 << [...]int{1, 4, 12, 18}[r.Below(4)]))); q.Una.After(l.behind[n-1]) {
				q.Una = l.behind[n-1]
			}
			why = "verdict: anywhere"
		case 2, 3, 4:
			q.Una = l.behind[n-1]
			why = "verdict: all"
		}
		if q.Una.Before(l.una) { // never back
			q.Una = l.una
		}
	}
	if l.spoilt && r.OneIn(2) {
		q.Fail = true // where local work that could not be done has its turn, its own status counts
		why += ", fail"
	}
	if r.OneIn(60) {
		q.Una = drawPSN(r)
		why = "verdict: any una"
	}
	l.give(q, why)
}

func (l *sqLife) fail() {
	q := l.record(hca.SQVerdict)
	q.Fail, q.Progress = true, false
	if l.r.OneIn(2) {
		q.Status = roce.Flushed
	}
	l.give(q, "verdict: fail")
}

// look looks at any slot, most often at one about the next to be begun.
func (l *sqLife) look() {
	q := l.record(hca.SQLook)
	if !l.r.OneIn(3) {
		q.Slot = uint8((l.begins + uint64(l.r.Below(4)) + 62) % 64)
	}
	l.give(q, "look")
}

// odd is what comes seldom: no operation, a slot whose turn it is not, another QP.
func (l *sqLife) odd() {
	r := l.r
	q := l.record(hca.SQOp(r.Below(8)))
	switch r.Below(3) {
	case 0:
		q.Op = hca.SQOp(r.Between(6, 7))
		l.give(q, "no such operation")
	case 1:
		q.Op = [...]hca.SQOp{hca.SQBegun, hca.SQLocalDone}[r.Below(2)]
		q.Slot = uint8((l.begins ^ 1<<r.Below(6)) % 64)
		q.First, q.Last, q.Fail = l.next, l.next, false
		l.give(q, "another slot")
	default:
		q.QPN = near(r, q.QPN, 24)
		l.give(q, "another QP")
	}
}
