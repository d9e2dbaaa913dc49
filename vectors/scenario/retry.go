package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

const (
	// retryLength is how many records an episode of retry-ctl has.
	retryLength = 600
	// retryChanges is how often an episode changes the timer of each of its QPs: so the next one knows its generation.
	retryChanges = 61
	// retrySettle is how many of these are left to the end, which closes the QP.
	retrySettle = 6
	// retryBurst is how many records of a QP come in one step at most.
	retryBurst = 17
	// retrySevenQPN has its retries counted to the end where retry_cnt is 7. Whether it fails hangs on the profile: it
	// has no expiries.
	retrySevenQPN   = 2
	retrySevenSteps = 9
)

// retryQPNs are the QPs of every episode; some of them there are only where NumQps is large.
var retryQPNs = [...]uint32{0, 1, 3, 0x0155, 0x0EAA, 0xF333}

// retryLife is a QP as its records leave it.
type retryLife struct {
	r       *Rand
	e       *Episode
	qpn     uint32
	base    uint8 // its generation when the episode began
	control hca.RetryControl
	last    hca.RetryAnswer // of its last record that did not find it closed
	isOpen  bool
	armed   hca.RetxQP
	changes int
	una     psn.PSN
}

// makeRetryCtl makes lives of requesters as req_ack_check and retx_timer tell of them: every cause behind every other,
// at any una, expiries that are good and that come late.
func makeRetryCtl(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, retryLength, func(r *Rand, e *Episode) {
		var lives [len(retryQPNs)]retryLife
		for i := range lives {
			lives[i] = retryLife{r: r, e: e, qpn: retryQPNs[i], base: uint8(e.Number * retryChanges),
				control: hca.NewRetryControl(1, false), una: drawPSN(r)}
		}
		retrySeven(r, e)
		for owed := retryOwed(lives[:]); owed > 0 && e.Len()+owed+4*retryBurst < retryLength; owed = retryOwed(lives[:]) {
			life := &lives[r.Below(len(lives))]
			for range 1 + r.Below(3) {
				life.step()
			}
			if life.settled() {
				life.settle()
			}
		}
		for i := range lives {
			lives[i].settle()
		}
		for e.Len() < retryLength {
			lives[r.Below(len(lives))].elsewhere()
		}
	})
}

// elsewhere speaks to a number that differs from the QP's in one bit, most often to open it, then to the QP, which is
// closed: where the block takes the two for one, that shows.
func (l *retryLife) elsewhere() {
	other := l.qpn ^ 1<<l.r.Between(2, 23)
	ops := [...]hca.RetryOp{hca.RetryConfigure, hca.RetryConfigure, hca.RetryOp(l.r.Below(8))}
	for i, op := range [...]hca.RetryOp{ops[l.r.Below(3)], hca.RetryExpiry, hca.RetryClose} {
		q, why := l.record(op, 0), "another QP, or none"
		if q.QPN = other; i == 1 {
			q.QPN, why = l.qpn, "closed, behind another QP"
		}
		if l.e.Len() < retryLength {
			addRetry(l.e, &q, why)
		}
	}
}

// retryOwed is how many changes are to come.
func retryOwed(lives []retryLife) (owed int) {
	for i := range lives {
		owed += retryChanges - lives[i].changes
	}
	return owed
}

func addRetry(e *Episode, q *hca.RetryRecord, why string) {
	e.scratch = q.Append(e.scratch[:0])
	e.Add(sim.Port(0), 0, e.scratch, why)
}

// retrySeven makes more NAKs with a wait between them than a retry_cnt of 7 has retries.
func retrySeven(r *Rand, e *Episode) {
	life := retryLife{r: r, qpn: retrySevenQPN, una: drawPSN(r)}
	q := life.record(hca.RetryConfigure, 0)
	q.RetryCnt, q.RNRRetry, q.AnyAnswer = 7, 7, true
	addRetry(e, &q, "configure: 7 and 7")
	for range retrySevenSteps {
		for _, action := range [...]roce.ReqAction{roce.ReqSequenceNAK, roce.ReqRNR} {
			q := life.record(hca.RetryResponse, action)
			q.Progress, q.Region = false, roce.ReqUnacked
			addRetry(e, &q, "7 and 7")
		}
	}
	q = life.record(hca.RetryClose, 0)
	addRetry(e, &q, "close")
}

// record is one of the QP. What an op does not look at is random.
func (l *retryLife) record(op hca.RetryOp, action roce.ReqAction) hca.RetryRecord {
	r := l.r
	q := hca.RetryRecord{QPN: l.qpn, Op: op, Una: l.una, Action: action, Why: roce.ReqReason(r.Below(32)),
		Region: roce.ReqRegion(r.Below(4)), Progress: r.OneIn(2), Idle: r.OneIn(2), Gen: uint8(r.Below(256)), RNR: r.OneIn(2),
		Code: uint8(r.Below(32)), RetryCnt: uint8(r.Below(8)), RNRRetry: uint8(r.Below(8)), AnyAnswer: r.OneIn(2)}
	setSyndrome(r, &q)
	if r.OneIn(4) {
		q.Una = drawPSN(r)
	}
	if op != hca.RetryResponse {
		q.Action = roce.ReqAction(r.Below(8))
	}
	return q
}

// give gives the QP a record and follows what becomes of it.
func (l *retryLife) give(q hca.RetryRecord, why string) {
	addRetry(l.e, &q, why)
	q.QPN, q.Gen = 0, q.Gen-l.base
	a := l.control.Step(&q)
	if a.Why == hca.RetryNoQP {
		return
	}
	l.last = a
	a.TimerOps(func(op hca.RetxOp) {
		op.Gen, l.armed.Given = l.armed.Gen, true
		l.armed.Do(op)
		l.changes++
	})
	l.isOpen = a.Order != hca.RetryFail && q.Op != hca.RetryClose
}

// settled reports whether what is left of the changes is for the end.
func (l *retryLife) settled() bool { return l.changes > retryChanges-retrySettle-2 }

// step is a record of the QP, as long as changes are left for one.
func (l *retryLife) step() {
	r := l.r
	switch {
	case l.settled():
	case r.OneIn(50):
		l.directed()
	case !l.isOpen && r.OneIn(8):
		l.give(l.record(hca.RetryOp(r.Below(2)+3*r.Below(3)), roce.ReqAction(r.Below(8))), "closed")
	case !l.isOpen && r.OneIn(4):
		q := l.record(hca.RetryExpiry, 0)
		q.Gen = l.base + l.armed.Gen
		l.give(q, "closed: an expiry of the generation that it ended with")
	case !l.isOpen:
		l.configure()
	case r.OneIn(20):
		l.odd()
	case r.OneIn(10):
		q := l.record(hca.RetrySent, 0)
		q.Idle = r.OneIn(6)
		l.give(q, "sent")
	case l.last.RetryCnt == 7 && l.last.Retries == 0: // whether the next one fails the profile says
		l.progress(0)
	case r.OneIn(30):
		l.notReady()
	case r.OneIn(30):
		l.silent()
	case r.OneIn(3):
		l.expire()
	case r.OneIn(4):
		l.progress(roce.ReqAction(r.Below(8)))
	default:
		l.respond()
	}
}

func (l *retryLife) configure() {
	r := l.r
	q := l.record(hca.RetryConfigure, 0)
	q.RetryCnt = [...]uint8{0, 1, 1, 2, 3, 7, 7, uint8(r.Below(8)), uint8(r.Below(8))}[r.Below(9)]
	q.RNRRetry = [...]uint8{0, 1, 1, 2, 3, 7, 7, uint8(r.Below(8)), uint8(r.Below(8))}[r.Below(9)]
	q.AnyAnswer = r.OneIn(3)
	if r.OneIn(5) {
		q.Code = 0
	}
	l.una = q.Una
	l.give(q, "configure")
}

// odd is what comes seldom: another configure, a close, a look.
func (l *retryLife) odd() {
	switch l.r.Below(4) {
	case 0:
		l.give(l.record(hca.RetryClose, 0), "close")
	case 1:
		l.give(l.record(hca.RetryConfigure, 0), "configure again")
	default:
		l.give(l.record(hca.RetryOp(l.r.Between(5, 7)), 0), "look")
	}
}

// respond is a response without progress. Most that call for something answer what is unacked.
func (l *retryLife) respond() {
	r := l.r
	action := [...]roce.ReqAction{roce.ReqNone, roce.ReqSequenceNAK, roce.ReqSequenceNAK, roce.ReqImpliedNAK, roce.ReqRNR,
		roce.ReqRNR, roce.ReqRNR, roce.ReqNone}[r.Below(8)]
	if r.OneIn(7) {
		action = roce.ReqAction(r.Between(4, 7))
	}
	q := l.record(hca.RetryResponse, action)
	q.Progress, q.Idle = false, r.OneIn(8)
	if !r.OneIn(3) {
		q.Region = roce.ReqUnacked
	}
	if action == roce.ReqBadResponse && r.OneIn(2) {
		q.Why = roce.ReqLength
	}
	l.give(q, "response")
}

// progress is a response that moves una by some packets of a message, or by far.
func (l *retryLife) progress(action roce.ReqAction) {
	r := l.r
	if action > roce.ReqImpliedNAK && !r.OneIn(6) {
		action = roce.ReqNone
	}
	l.una = l.una.Add(int32([...]int{1, 1, 2, 3, 1 + r.Below(16), 1 << r.Below(23)}[r.Below(6)]))
	q := l.record(hca.RetryResponse, action)
	q.Una, q.Progress, q.Idle = l.una, true, r.OneIn(3)
	if action != roce.ReqNone && r.OneIn(2) {
		q.Idle = false
	}
	l.give(q, "progress")
}

// expire is an expiry of the timer that is armed, or of one that has ended.
func (l *retryLife) expire() {
	r := l.r
	q := l.record(hca.RetryExpiry, 0)
	q.Gen, q.RNR = l.base+l.armed.Gen, l.armed.State == hca.RetxRNR
	why := "expiry"
	switch r.Below(6) {
	case 0:
		q.Gen -= uint8(r.Between(1, 3))
		why = "expiry: late"
	case 1:
		q.Gen ^= 1 << r.Below(8)
		why = "expiry: another generation"
	case 2:
		q.RNR = !q.RNR
		why = "expiry: the other timer"
	}
	l.give(q, why)
}

// notReady is a receiver that is not ready for long: RNR NAKs, each when the wait for the one before is over.
func (l *retryLife) notReady() {
	for n := 0; n < retryBurst && l.isOpen && !l.settled(); n++ {
		q := l.record(hca.RetryResponse, roce.ReqRNR)
		q.Progress = false
		if l.armed.State == hca.RetxRNR {
			q = l.record(hca.RetryExpiry, 0)
			q.Gen, q.RNR = l.base+l.armed.Gen, true
		}
		l.give(q, "not ready")
		if l.r.OneIn(30) {
			return
		}
	}
}

// silent is a peer that answers nothing for long: each packet that goes out again starts the timer, if it does not run.
func (l *retryLife) silent() {
	for n := 0; n < retryBurst && l.isOpen && !l.settled() && (l.last.RetryCnt != 7 || l.last.Retries != 0); n++ {
		q := l.record(hca.RetrySent, 0)
		q.Idle = false
		if l.armed.State != hca.RetxIdle {
			q = l.record(hca.RetryExpiry, 0)
			q.Gen, q.RNR = l.base+l.armed.Gen, l.armed.State == hca.RetxRNR
		}
		l.give(q, "silent")
		if l.r.OneIn(30) {
			return
		}
	}
}

// settle makes the last changes that the episode owes, and leaves the QP closed.
func (l *retryLife) settle() {
	quiet := func() {
		q := l.record(hca.RetryResponse, roce.ReqNone)
		q.Progress = true
		l.give(q, "progress, to the end")
	}
	if l.isOpen && (retryChanges-l.changes)%2 == 0 {
		quiet()
	}
	if l.isOpen {
		l.give(l.record(hca.RetryClose, 0), "close, to the end")
	}
	odd := (retryChanges-l.changes)%2 == 1
	for l.changes < retryChanges {
		l.give(l.record(hca.RetryConfigure, 0), "configure, to the end")
		if odd {
			quiet()
		}
		odd = false
		l.give(l.record(hca.RetryClose, 0), "close, to the end")
	}
}

// setSyndrome makes a syndrome that fits the action of the record, or any.
func setSyndrome(r *Rand, q *hca.RetryRecord) {
	q.Syndrome = ib.Syndrome(r.Below(256))
	if q.Action == roce.ReqFatal && !r.OneIn(4) {
		if q.Syndrome = ib.Syndrome(r.Between(0x61, 0x64)); r.OneIn(2) {
			q.Syndrome ^= 1 << r.Below(8) // one bit off
		}
	}
}
