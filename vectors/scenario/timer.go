package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
)

// The scenarios of retx_timer. Their operations come at cycles of their own and know nothing of the expiries: a
// requester's answer to one comes before it, while it is offered and after it, which is where timers go wrong.
//
// What an answer does hangs on whether its expiry was handed over, which hangs on NumQps and on stalls. An episode ends
// with every generation known all the same, so that the next one can be made without it: see timerQP.

const (
	// QPs of an episode. The first timerQPs live in every episode, the next lives through laps, the others wait for long
	// times.
	timerQPs      = 31
	timerLapQP    = 31
	timerEndedQP  = 32 // has times that no run reaches the end of
	timerLongQPs  = 33 // from here on
	timerLanes    = 8  // QPs of a word of the scan
	timerOps      = 512
	timerBegin    = 8256  // cycle: the memories of 65,536 QPs are clear
	timerCycles   = 28000 // of an episode
	timerWideEach = 4     // episodes: one with high QPNs
	timerLapEach  = 8     // episodes: one with a lap
	timerLongEach = 256   // episodes: longer than most long times
	timerTick     = 4     // cycles, as the manifest has it
	timerNear     = 300   // cycles
	timerMargin   = 64    // cycles that operations may come late by, where they have to queue
	timerRound    = 8300  // cycles in which the scan meets every timer
	// timerSure is the cycles after which a due timer was handed over for certain: a round of 65,536 QPs, and some stalls.
	timerSure = 9000
	// timerChanges is how many times an episode changes the timer of each of its QPs, or if it has a lap: so the next one
	// knows its generation.
	timerChanges    = 11
	timerChangesLap = 6
)

// timerQPN is QP i of an episode. Most episodes have numbers that every NumQps from 64 up has. The others have in each
// lane four numbers, of which three differ from the first in one bit: over the lanes each bit that 65,536 QPs have, and
// more than half of those of 1,024. Where they are out of range they do nothing.
func timerQPN(i int, wide bool) uint32 {
	if !wide {
		return uint32(i)
	}
	const laneBits, bits = 3, 16
	lane, group := i%timerLanes, i/timerLanes
	qpn := uint32(0x0140 | lane)
	if lane >= 6 {
		qpn = uint32(0xFFC0 | lane)
	}
	if group > 0 {
		qpn ^= 1 << (laneBits + (3*lane+group-1)%(bits-laneBits))
	}
	return qpn
}

// timerView is a QP as operations left it, and when its timer is due at timerTick cycles a tick, at the earliest and at
// the latest; 0 for none.
type timerView struct {
	hca.RetxQP
	due, latest uint64
}

// timerQP is a QP of an episode. From an answer of which the episode cannot know whether it came after its expiry the
// QP is loose: `is` has taken the answer, `was` has not, and lies one generation behind. Operations that only one of
// the two would take are not done on a loose QP. At the end the answer comes again, when its expiry is out for certain:
// who has not taken it takes it then.
type timerQP struct {
	is, was timerView
	loose   bool
	answer  hca.RetxOp // that made it so; Op is RetxConfigure when the QP has changed since
	owed    int        // changes to come; the last one of a loose QP is left to settle
}

// timerLife is the QPs of an episode as their operations leave them.
type timerLife struct {
	e     *Episode
	r     *Rand
	cycle uint64
	wide  bool
	kept  int // operations that are left to a lap
	qps   [timerQPs]timerQP
	frame []byte
}

// makeRetxTimer makes lives of QPs: set up, then operations of every kind at any time, sensible ones more often.
func makeRetxTimer(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, timerOps, func(r *Rand, e *Episode) {
		l := timerLife{e: e, r: r, cycle: timerBegin + e.Number*timerCycles, wide: e.Number%timerWideEach == timerWideEach-1}
		lap := timerLap{life: &l}
		if e.Number%2 == 0 { // laps, which take their time, are odd
			l.ended()
		}
		switch e.Number % timerLongEach {
		case 0:
			l.long()
		case 2: // behind the shortest of long
			l.longNext(12, 13, 14, 15)
		case 4: // behind those
			l.longNext(20, 21, 22, 23)
		}
		if timerHasLap(e.Number) {
			lap.begin(e.Number / timerLapEach)
		}
		l.configure()
		for i := 0; l.room() > 0; {
			switch {
			case r.OneIn(3):
				if i = l.aim(i); r.OneIn(9) {
					l.nag(i)
				}
			case r.OneIn(2): // or the same QP again
				i = r.Below(timerQPs)
				l.pause()
			}
			if r.OneIn(16) {
				l.stray(i)
			} else {
				l.move(i)
			}
		}
		l.settle()
		if lap.begun {
			lap.end()
		}
	})
}

func timerHasLap(number uint64) bool { return number%timerLapEach == timerLapEach-3 }

// timerChanged is how many times the episodes before one have changed each of the QPs with high numbers, or each of the
// others.
func timerChanged(number uint64, wide bool) uint64 {
	wides, laps := number/timerWideEach, (number+2)/timerLapEach
	if wide {
		return wides * timerChanges
	}
	return (number-wides-laps)*timerChanges + laps*timerChangesLap
}

// configure sets up every QP, with the generation that the episodes before have left.
func (l *timerLife) configure() {
	for i := range l.qps {
		l.qps[i].is.Gen = uint8(timerChanged(l.e.Number, l.wide))
		l.qps[i].owed = timerChanges
		if timerHasLap(l.e.Number) {
			l.qps[i].owed = timerChangesLap
		}
		l.do(i, hca.RetxOp{Op: hca.RetxConfigure, RetryCnt: drawRetries(l.r), RNRRetry: drawRetries(l.r)}, "configure")
	}
}

// drawRetries draws a retry count, for ever and none more often.
func drawRetries(r *Rand) uint8 {
	switch r.Below(6) {
	case 0:
		return 7
	case 1:
		return 0
	}
	return uint8(r.Below(8))
}

// long arms timers that no episode reaches the end of, on QPs of their own: each code that lasts so long. An RNR time
// has two, in one word of the scan and armed a tick apart. So one of 64 QPs is met by the scan in the tick in which it
// is due, and one that is a tick off comes another time.
func (l *timerLife) long() {
	start := uint8(13)
	qp := l.pairs(timerLongQPs, []uint8{16, 17, 18, 19, 24, 25, 26, 27, 28, 29, 30, 31, 0}, func(qp int) {
		l.arm(qp, hca.RetxStart, start, "a long transport timer")
		start++
	})
	for ; start <= 17; start++ {
		l.arm(qp, hca.RetxStart, start, "a long transport timer")
		qp++
	}
}

// longNext arms the RNR timers of four other codes on the QPs whose timers have run out since.
func (l *timerLife) longNext(codes ...uint8) { l.pairs(timerLongQPs, codes, func(int) {}) }

// pairs arms two RNR timers of each code, from a QP on, and returns the next one. A QP that has no room for two in its
// word is another's.
func (l *timerLife) pairs(qp int, codes []uint8, alone func(qp int)) int {
	for _, code := range codes {
		if qp%timerLanes == timerLanes-1 {
			alone(qp)
			qp++
		}
		at := l.cycle
		l.arm(qp, hca.RetxWait, code, "a long RNR wait")
		l.cycle = at + timerTick
		l.arm(qp+1, hca.RetxWait, code, "the same a tick later")
		qp += 2
	}
	return qp
}

// arm sets a QP up and arms its timer.
func (l *timerLife) arm(qp int, op hca.RetxOpcode, code uint8, why string) {
	for _, o := range []hca.RetxOp{{Op: hca.RetxConfigure, RetryCnt: drawRetries(l.r),
		RNRRetry: uint8(l.r.Between(1, 7))}, {Op: op, Code: code}} {
		o.QPN = timerQPN(qp, false)
		l.add(o, why)
	}
}

// ended arms a transport timer of a code from 18 to 31 and ends it when the scan has met it under every NumQps. Between
// the two no other operation comes: a run that ends there waits for the timer.
func (l *timerLife) ended() {
	op := hca.RetxOp{QPN: timerQPN(timerEndedQP, false), RetryCnt: 7,
		Op: []hca.RetxOpcode{hca.RetxStart, hca.RetxProgress, hca.RetxNAK}[l.r.Below(3)]}
	op.Code = uint8(18 + l.e.Number/2%14)
	l.add(hca.RetxOp{QPN: op.QPN, Op: hca.RetxConfigure, RetryCnt: 7}, "configure")
	l.add(op, "the longest transport timers, ended in time")
	l.cycle += timerRound
	op.Op, op.Code = []hca.RetxOpcode{hca.RetxStop, hca.RetxConfigure, hca.RetxProgress}[l.r.Below(3)], 0
	l.add(op, "the end of a long transport timer")
}

// add gives an operation, the next one a cycle later at the earliest.
func (l *timerLife) add(op hca.RetxOp, why string) {
	l.fillUnused(&op)
	l.frame = op.Append(l.frame[:0])
	l.e.Add(0, l.cycle, l.frame, why)
	l.cycle++
}

// fillUnused puts noise into the fields that an operation does not look at.
func (l *timerLife) fillUnused(op *hca.RetxOp) {
	if op.Op != hca.RetxTimeout && op.Op != hca.RetxResume && l.r.OneIn(2) {
		op.Gen = uint8(l.r.Below(256))
	}
	if op.Op != hca.RetxConfigure {
		op.RetryCnt, op.RNRRetry = uint8(l.r.Below(8)), uint8(l.r.Below(8))
	} else if l.r.OneIn(2) {
		op.Code = uint8(l.r.Below(32))
	}
	if op.Op == hca.RetxStop && l.r.OneIn(2) {
		op.Code = uint8(l.r.Below(32))
	}
}

// room is how many operations are left beside those that settle every QP: two for an answer that comes again.
func (l *timerLife) room() int {
	n := timerOps - l.e.Len() - l.kept
	for i := range l.qps {
		if n -= l.qps[i].owed; l.qps[i].loose {
			n -= 2
		}
	}
	return n
}

// apply does an operation in a cycle. Where it answers an expiry that may be out or not, known is false and it is
// taken.
func (v *timerView) apply(op hca.RetxOp, cycle uint64) (changed, known bool) {
	known = v.due == 0 || v.due > cycle+timerMargin || v.latest+timerSure <= cycle
	v.Given = v.due != 0 && v.due <= cycle+timerMargin
	if changed, _ = v.Do(op); !changed {
		return false, true
	}
	v.due = timerDue(v.State, op.Code, cycle)
	v.latest = v.due
	return true, known || op.Op != hca.RetxTimeout && op.Op != hca.RetxResume
}

// timerDue is when a timer of a state that is armed in a cycle is due.
func timerDue(state hca.RetxState, code uint8, cycle uint64) uint64 {
	switch state {
	case hca.RetxTransport:
		return (cycle/timerTick + ib.Ticks(ib.TimeoutNs(code)) + 1) * timerTick
	case hca.RetxRNR:
		return (cycle/timerTick + ib.RNRTimerTicks(code) + 1) * timerTick
	}
	return 0
}

// do gives an operation, or tells that it may not be: a loose QP would fall apart, or it is one change too many.
func (l *timerLife) do(i int, op hca.RetxOp, why string) bool {
	q := &l.qps[i]
	op.QPN = timerQPN(i, l.wide)
	is, was := q.is, q.was
	changed, known := is.apply(op, l.cycle)
	spare := q.owed
	switch {
	case q.loose:
		if both, sure := was.apply(op, l.cycle); both != changed || !known || !sure {
			return false
		}
		spare--
	case !known:
		if l.room() < 3 {
			return false // none left to settle it
		}
		was = q.is
		spare--
	}
	if changed && spare <= 0 {
		return false
	}
	if changed {
		q.owed--
		q.answer = hca.RetxOp{}
	}
	if !known {
		q.answer = op
	}
	q.is, q.was, q.loose = is, was, q.loose || !known
	l.add(op, why)
	return true
}

// aim goes to about the cycle in which the next timer is due, to operate on it when it is given; not if that is far.
func (l *timerLife) aim(i int) int {
	next := uint64(timerNear)
	for k := range l.qps {
		if due := l.qps[k].is.due; due > l.cycle && due-l.cycle < next {
			next, i = due-l.cycle, k
		}
	}
	if next < timerNear {
		l.cycle += next + uint64(l.r.Below(16)) - min(next, 4)
	}
	return i
}

// timerNags is how many cycles in a row an RNR wait is nagged.
const timerNags = 8

// nag gives a QP that waits what ends no wait (TMR-5), while its expiry is offered.
func (l *timerLife) nag(i int) {
	if q := &l.qps[i]; q.loose || q.is.State != hca.RetxRNR || l.room() <= timerNags {
		return
	}
	for range timerNags {
		op := hca.RetxOp{Op: [...]hca.RetxOpcode{hca.RetxNAK, hca.RetxWait, hca.RetxStart}[l.r.Below(3)],
			Code: uint8(l.r.Between(1, 6))}
		l.do(i, op, timerWhy[op.Op]+", which ends no wait")
	}
}

// pause lets time pass, mostly none.
func (l *timerLife) pause() {
	switch l.r.Below(8) {
	case 0:
		l.cycle += uint64(l.r.Below(12))
	case 1:
		l.cycle += uint64(l.r.Below(timerNear))
	}
}

// Operations in each state, sensible ones more often.
var timerMoves = [3][]hca.RetxOpcode{
	hca.RetxIdle: {hca.RetxStart, hca.RetxStart, hca.RetxStart, hca.RetxProgress, hca.RetxNAK, hca.RetxWait, hca.RetxWait,
		hca.RetxTimeout,
		hca.RetxResume, hca.RetxStop},
	hca.RetxTransport: {hca.RetxProgress, hca.RetxProgress, hca.RetxStart, hca.RetxStart, hca.RetxTimeout, hca.RetxTimeout,
		hca.RetxTimeout,
		hca.RetxNAK, hca.RetxNAK, hca.RetxWait, hca.RetxWait, hca.RetxStop, hca.RetxResume, hca.RetxConfigure},
	hca.RetxRNR: {hca.RetxResume, hca.RetxResume, hca.RetxResume, hca.RetxStart, hca.RetxProgress, hca.RetxProgress,
		hca.RetxWait,
		hca.RetxNAK, hca.RetxTimeout, hca.RetxStop, hca.RetxConfigure},
}

const staleGeneration = "an answer to an expiry of an earlier generation"

var timerWhy = [...]string{"configure", "start", "progress", "stop", "wait", "nak", "timeout", "resume"}

// draw draws an operation of any kind for a QP.
func (l *timerLife) draw(q *hca.RetxQP) hca.RetxOp {
	r := l.r
	moves := timerMoves[q.State]
	op := hca.RetxOp{Op: moves[r.Below(len(moves))], Code: uint8(r.Between(1, 6)), Gen: q.Gen, RetryCnt: drawRetries(r),
		RNRRetry: drawRetries(r)}
	switch {
	case op.Op == hca.RetxWait:
		op.Code = uint8(r.Between(1, 12))
		if r.OneIn(4) {
			op.Code = uint8(r.Between(12, 19))
		}
	case r.OneIn(12):
		op.Code = 0
	case r.OneIn(8):
		op.Code = uint8(r.Between(7, 12))
	}
	return op
}

// move does an operation of any kind. An answer that may have come too early comes again a few times, cycle after
// cycle: one of them comes in the cycle of the handshake.
func (l *timerLife) move(i int) {
	q, r := &l.qps[i], l.r
	if q.loose && q.answer.Op != hca.RetxConfigure && r.OneIn(2) {
		l.again(q)
		return
	}
	op := l.draw(&q.is.RetxQP)
	if due := q.is.due; !q.loose && due != 0 && due <= l.cycle+8 && r.OneIn(7) {
		op.Op = hca.RetxOpcode(r.Below(int(hca.RetxTimeout))) // what knows nothing of the expiry
	} else if !q.loose && due != 0 && due <= l.cycle+8 {
		op.Op = []hca.RetxOpcode{hca.RetxTransport: hca.RetxTimeout, hca.RetxRNR: hca.RetxResume}[q.is.State]
	}
	why := timerWhy[op.Op]
	if (op.Op == hca.RetxTimeout || op.Op == hca.RetxResume) && r.OneIn(6) {
		op.Gen -= drawBehind(r)
		why = staleGeneration
	}
	loose := q.loose
	if !l.do(i, op, why) {
		l.stale(i)
		return
	}
	if !q.loose || loose || r.OneIn(2) {
		return
	}
	for n := r.Below(12); n > 0 && l.room() > 0; n-- {
		l.again(q)
	}
}

// again gives the answer that made a QP loose once more. Now it may be taken that was not before.
func (l *timerLife) again(q *timerQP) {
	q.is.latest = timerDue(q.is.State, q.answer.Code, l.cycle)
	l.add(q.answer, "the same answer again")
}

// drawBehind draws how many generations an answer lies behind: one or two, any number, or one that differs in a bit.
func drawBehind(r *Rand) uint8 {
	switch r.Below(4) {
	case 0:
		return uint8(r.Between(3, 255))
	case 1:
		return 1 << r.Between(2, 7)
	}
	return uint8(r.Between(1, 2))
}

// stale answers an expiry of a generation that the QP does not have, loose or not.
func (l *timerLife) stale(i int) {
	op := []hca.RetxOpcode{hca.RetxTimeout, hca.RetxResume}[l.r.Below(2)]
	behind := uint8(l.r.Between(2, 255))
	if l.r.OneIn(2) {
		behind = 1 << l.r.Between(1, 7)
	}
	l.add(hca.RetxOp{Op: op, QPN: timerQPN(i, l.wide), Code: 3, Gen: l.qps[i].is.Gen - behind}, staleGeneration)
}

// stray does an operation on a QP that is not there under any NumQps: its number differs in the upper bits from one
// that is.
func (l *timerLife) stray(i int) {
	op := l.draw(&l.qps[i].is.RetxQP)
	if l.r.OneIn(2) {
		op.Op = hca.RetxOpcode(l.r.Below(8))
	}
	op.QPN = timerQPN(i, l.wide) | uint32(l.r.Between(1, 255))<<16
	l.add(op, "no such QP: "+timerWhy[op.Op])
}
