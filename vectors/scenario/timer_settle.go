package scenario

import "hcacosim/model/hca"

// settle does the changes that every QP still has to see, lets time pass until the expiries of loose ones are out, and
// answers them.
func (l *timerLife) settle() {
	for i := range l.qps {
		for q := &l.qps[i]; q.owed > 0; {
			l.settleOne(i)
		}
	}
	late := l.cycle
	for i := range l.qps {
		if q := &l.qps[i]; q.loose {
			late = max(late, q.was.due+timerSure)
		}
	}
	l.cycle = late
	for i := range l.qps {
		q := &l.qps[i]
		if !q.loose {
			continue
		}
		op := hca.RetxOp{Op: hca.RetxTimeout, QPN: timerQPN(i, l.wide), Code: uint8(l.r.Between(7, 9)), Gen: q.was.Gen}
		if q.was.State == hca.RetxRNR {
			op.Op = hca.RetxResume
		}
		l.add(op, "the answer to an expiry that is out")
		l.add(op, "the same answer again")
	}
}

// settleOne changes a timer for certain, to one that is short. The last change of a loose QP leaves `was` and `is` with
// the same timer.
func (l *timerLife) settleOne(i int) {
	q := &l.qps[i]
	op := hca.RetxOp{Op: hca.RetxProgress, QPN: timerQPN(i, l.wide), Code: uint8(l.r.Between(1, 5))}
	if q.is.State != hca.RetxRNR && q.was.State != hca.RetxRNR && q.is.RNRRetries > 0 && q.was.RNRRetries > 0 &&
		l.r.OneIn(2) {
		op.Op = hca.RetxWait
	}
	q.is.apply(op, l.cycle)
	q.was.apply(op, l.cycle)
	q.owed--
	l.add(op, "end of the episode")
}
