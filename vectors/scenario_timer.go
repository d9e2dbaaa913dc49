package vectors

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
)

// The scenarios of retx_timer. Their operations come at cycles of their own and know nothing of the expiries: a requester's
// answer to one comes before it, while it is offered and after it, which is where timers go wrong.

const (
	// QPs of an episode differ in the lower six bits of their QPN, so that they are as many under any NumQps from 64 up.
	// The first timerQPs live in every episode, the others wait for long times.
	timerQPs      = 32
	timerLongQPs  = 40 // from here on
	timerLanes    = 8  // QPs of a word of the scan
	timerOps      = 256
	timerCycles   = 12000 // of an episode
	timerLongEach = 256   // episodes: longer than any long time
	timerTick     = 4     // cycles, as the manifest has it
	timerNear     = 300   // cycles
	// timerChanges is how many times an episode changes the timer of each of its QPs: so the next one knows its generation.
	timerChanges = 6
)

// timerQPN spreads words over the scan.
func timerQPN(i int) uint16 { return uint16(i) | uint16(i/timerLanes*0x1D40)&0xFFC0 }

// timerLife is the QPs of an episode as their operations leave them.
type timerLife struct {
	e     *Episode
	r     *Rand
	cycle uint64
	qps   [timerQPs]hca.RetxQP
	owed  [timerQPs]int    // changes to come
	due   [timerQPs]uint64 // cycle in which the timer is due at timerTick cycles a tick
	frame []byte
}

// makeRetxTimer makes lives of QPs: set up, then operations of every kind at any time, sensible ones more often.
func makeRetxTimer(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, timerOps, func(r *Rand, e *Episode) {
		l := timerLife{e: e, r: r, cycle: e.Number * timerCycles}
		if e.Number%timerLongEach == 0 {
			l.long()
		}
		for i := range l.qps {
			l.qps[i].Gen = uint8(e.Number * timerChanges)
			l.owed[i] = timerChanges
			l.do(i, hca.RetxOp{Op: hca.RetxConfigure, RetryCnt: drawRetries(r), RNRRetry: drawRetries(r)}, "configure")
		}
		for i := 0; timerOps-e.Len() > l.sumOwed(); {
			switch {
			case r.OneIn(3):
				i = l.aim(i)
			case r.OneIn(2): // or the same QP again
				i = r.Below(timerQPs)
				l.pause()
			}
			l.move(i)
		}
		for i := range l.qps {
			for l.owed[i] > 0 {
				l.settle(i)
			}
		}
	})
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

// long arms timers that no episode reaches the end of, on QPs of their own: each code that lasts so long once.
func (l *timerLife) long() {
	qp := timerLongQPs
	arm := func(op hca.RetxOpcode, code uint8, why string) {
		for _, o := range []hca.RetxOp{{Op: hca.RetxConfigure, RetryCnt: drawRetries(l.r), RNRRetry: uint8(l.r.Between(1, 7))}, {Op: op, Code: code}} {
			o.QPN = timerQPN(qp)
			l.add(o, why)
		}
		qp++
	}
	for code := uint8(20); code <= 32; code++ {
		arm(hca.RetxWait, code%32, "a long RNR wait")
	}
	for code := uint8(13); code <= 17; code++ {
		arm(hca.RetxStart, code, "a long transport timer")
	}
}

func (l *timerLife) add(op hca.RetxOp, why string) {
	l.frame = op.Append(l.frame[:0])
	l.e.Add(0, l.cycle, l.frame, why)
}

func (l *timerLife) do(i int, op hca.RetxOp, why string) {
	op.QPN = timerQPN(i)
	if changed, _ := l.qps[i].Do(op); changed {
		l.owed[i]--
		l.due[i] = 0
		switch l.qps[i].State {
		case hca.RetxTransport:
			l.due[i] = (l.cycle/timerTick + ib.Ticks(ib.TimeoutNs(op.Code)) + 1) * timerTick
		case hca.RetxRNR:
			l.due[i] = (l.cycle/timerTick + ib.RNRTimerTicks(op.Code) + 1) * timerTick
		}
	}
	l.add(op, why)
}

// sumOwed is how many operations it takes to change every QP as often as it has to be.
func (l *timerLife) sumOwed() (n int) {
	for _, owed := range l.owed {
		n += owed
	}
	return n
}

// aim goes to about the cycle in which the next timer is due, to operate on it when it is given; not if that is far.
func (l *timerLife) aim(i int) int {
	next := uint64(timerNear)
	for k, due := range l.due {
		if due > l.cycle && due-l.cycle < next {
			next, i = due-l.cycle, k
		}
	}
	if next < timerNear {
		l.cycle += next + uint64(l.r.Below(16)) - min(next, 4)
	}
	return i
}

// pause lets time pass, mostly none.
func (l *timerLife) pause() {
	switch l.r.Below(8) {
	case 0:
		l.cycle += uint64(l.r.Below(12))
	case 1:
		l.cycle += uint64(l.r.Below(2 * 3 * timerCycles / timerOps))
	}
}

// Operations in each state, sensible ones more often.
var timerMoves = [3][]hca.RetxOpcode{
	hca.RetxIdle: {hca.RetxStart, hca.RetxStart, hca.RetxStart, hca.RetxProgress, hca.RetxNAK, hca.RetxWait, hca.RetxWait, hca.RetxTimeout,
		hca.RetxResume, hca.RetxStop},
	hca.RetxTransport: {hca.RetxProgress, hca.RetxProgress, hca.RetxStart, hca.RetxStart, hca.RetxTimeout, hca.RetxTimeout, hca.RetxTimeout,
		hca.RetxNAK, hca.RetxNAK, hca.RetxWait, hca.RetxWait, hca.RetxStop, hca.RetxResume, hca.RetxConfigure},
	hca.RetxRNR: {hca.RetxResume, hca.RetxResume, hca.RetxResume, hca.RetxStart, hca.RetxProgress, hca.RetxProgress, hca.RetxWait,
		hca.RetxNAK, hca.RetxTimeout, hca.RetxStop, hca.RetxConfigure},
}

const staleGeneration = "an answer to an expiry of an earlier generation"

var timerWhy = [...]string{"configure", "start", "progress", "stop", "wait", "nak", "timeout", "resume"}

// move does an operation of any kind; the last change of a QP is left to settle.
func (l *timerLife) move(i int) {
	q, r := &l.qps[i], l.r
	moves := timerMoves[q.State]
	op := hca.RetxOp{Op: moves[r.Below(len(moves))], Code: uint8(r.Between(1, 6)), Gen: q.Gen, RetryCnt: drawRetries(r), RNRRetry: drawRetries(r)}
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
	why := timerWhy[op.Op]
	if (op.Op == hca.RetxTimeout || op.Op == hca.RetxResume) && r.OneIn(5) {
		op.Gen -= uint8(r.Between(1, 2))
		why = staleGeneration
	}
	if after := *q; l.owed[i] == 1 {
		if changed, _ := after.Do(op); changed {
			l.add(hca.RetxOp{Op: hca.RetxTimeout, QPN: timerQPN(i), Gen: q.Gen - 1}, staleGeneration)
			return
		}
	}
	l.do(i, op, why)
}

// settle changes a timer for certain, to one that is short.
func (l *timerLife) settle(i int) {
	op := hca.RetxOp{Op: hca.RetxProgress, Code: uint8(l.r.Between(1, 5))}
	if l.qps[i].State == hca.RetxRNR {
		op = hca.RetxOp{Op: hca.RetxResume, Code: 3, Gen: l.qps[i].Gen}
	}
	l.do(i, op, "end of the episode")
}

const (
	stormArms = 768
	stormOps  = 1024 // of an episode
	stormCode = 7    // 512 ticks
	// stormCycles spans arming, waiting and leaving at four cycles a tick under NumQps 65,536.
	stormCycles = 16000
)

// makeRetxStorm arms many QPs in a row, whole words of them, and does operations on them while they expire.
func makeRetxStorm(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, stormOps, func(r *Rand, e *Episode) {
		l := timerLife{e: e, r: r, cycle: e.Number * stormCycles}
		first, step := r.Below(1<<16), 2*r.Below(1<<12)+1
		qpn := func(i int) uint16 { return uint16((first+i/timerLanes*step)*timerLanes + i%timerLanes) }
		for i := range stormArms {
			op := hca.RetxOp{QPN: qpn(i), Op: hca.RetxProgress, Code: stormCode}
			l.add(op, "armed")
		}
		l.cycle += stormArms + 4*4<<stormCode
		kinds := []hca.RetxOpcode{hca.RetxProgress, hca.RetxStop, hca.RetxStart, hca.RetxNAK, hca.RetxTimeout}
		for e.Len() < stormOps {
			op := hca.RetxOp{QPN: qpn(r.Below(stormArms)), Op: kinds[r.Below(len(kinds))], Code: uint8(r.Between(1, 4)), Gen: uint8(r.Below(4))}
			l.add(op, timerWhy[op.Op])
			if r.OneIn(4) {
				l.cycle += uint64(r.Below(200))
			}
		}
	})
}
