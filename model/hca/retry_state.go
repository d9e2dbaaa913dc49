package hca

import (
	"hcacosim/model/ib"
	"hcacosim/model/roce"
)

// RetryControl is what retry_ctl knows of its QPs.
type RetryControl struct {
	qps     []retryQP
	forever bool
}

// NewRetryControl is a block of so many QPs behind its reset; forever is the profile's reading of retry_cnt 7.
func NewRetryControl(numQPs uint64, forever bool) RetryControl {
	c := RetryControl{qps: make([]retryQP, numQPs), forever: forever}
	for i := range c.qps {
		c.qps[i].timer.Retry7Forever = forever
	}
	return c
}

// retryQP is the state of a QP. What is one retry, and what ends a wait, its RequesterState decides; what is left of
// the counts the copy of retx_timer's state, which takes the operations that retx_timer is given.
type retryQP struct {
	open      bool
	state     roce.RequesterState // Una, Waiting and Retrying alone mean something
	timer     RetxQP
	code      uint8
	anyAnswer bool
}

// Step makes one record of one.
func (c *RetryControl) Step(r *RetryRecord) (a RetryAnswer) {
	a.QPN, a.Op = r.QPN, r.Op
	if uint64(r.QPN) >= uint64(len(c.qps)) || !c.qps[r.QPN].open && r.Op != RetryConfigure {
		a.Why = RetryNoQP
		return a
	}
	q := &c.qps[r.QPN]
	a.Gen = q.timer.Gen
	closes := false
	switch r.Op {
	case RetryConfigure:
		q.configure(r, &a)
	case RetryResponse:
		closes = q.respond(r, &a)
	case RetrySent:
		q.sent(r, &a)
	case RetryClose:
		q.give(RetxStop, &a)
		closes = true
	case RetryExpiry:
		closes = q.expire(r, &a)
	}
	q.show(r, &a)
	if closes {
		q.open, a.Waiting, a.Retrying = false, false, false
	}
	return a
}

// show tells the state behind the record.
func (q *retryQP) show(r *RetryRecord, a *RetryAnswer) {
	a.Una, a.Retrying, a.Waiting = q.state.Una, q.state.Retrying, q.timer.State == RetxRNR
	a.Retries, a.RNRRetries = q.timer.Retries, q.timer.RNRRetries
	a.RetryCnt, a.RNRRetry = q.timer.RetryCnt, q.timer.RNRRetry
	a.Code = q.codeAt(r)
}

// codeAt is the code of the transport timer, none where nothing is unacked (TMR-2).
func (q *retryQP) codeAt(r *RetryRecord) uint8 {
	if (r.Op == RetryResponse || r.Op == RetrySent) && r.Idle {
		return 0
	}
	return q.code
}

// give gives retx_timer an operation, and the copy of its state too; it reports whether no retry was left.
func (q *retryQP) give(op RetxOpcode, a *RetryAnswer) (exhausted bool) {
	a.Timer, a.TimerOp = true, op
	return q.do(RetxOp{Op: op, Code: q.code})
}

// do does an operation on the copy. An expiry that it answers is out: it came here.
func (q *retryQP) do(op RetxOp) (exhausted bool) {
	op.Gen, q.timer.Given = q.timer.Gen, true
	_, exhausted = q.timer.Do(op)
	return exhausted
}

func (q *retryQP) configure(r *RetryRecord, a *RetryAnswer) {
	if q.open {
		a.Why = RetryIsOpen
		return
	}
	q.open, q.code, q.anyAnswer = true, r.Code, r.AnyAnswer
	q.state = roce.RequesterState{Una: r.Una}
	a.Timer, a.TimerOp = true, RetxConfigure
	q.do(RetxOp{Op: RetxConfigure, RetryCnt: r.RetryCnt, RNRRetry: r.RNRRetry})
}

// sent starts the transport timer, if none runs and something is unacked (TMR-2).
func (q *retryQP) sent(r *RetryRecord, a *RetryAnswer) {
	if q.timer.State == RetxIdle && q.codeAt(r) != 0 {
		q.give(RetxStart, a)
	}
}

// respond takes what req_ack_check says of a response, and reports whether the QP fails.
func (q *retryQP) respond(r *RetryRecord, a *RetryAnswer) (fails bool) {
	told := roce.Decision{Una: r.Una, Action: r.Action, Why: r.Why, Region: r.Region, Syndrome: r.Syndrome}
	d := q.state.Follow(&told, r.Progress, q.anyAnswer)
	a.Progress = r.Progress
	code := q.codeAt(r)
	switch {
	case r.Progress:
		a.First = RetryFirstProgress
		q.do(RetxOp{Op: RetxProgress, Code: code})
	case d.WaitEnded:
		a.First = RetryFirstStop
		q.do(RetxOp{Op: RetxStop})
	}
	switch d.Action {
	case roce.ReqSequenceNAK, roce.ReqImpliedNAK:
		return q.retry(d.Action, RetxOp{Op: RetxNAK, Code: code}, a)
	case roce.ReqRNR:
		return q.wait(d.Syndrome, a)
	case roce.ReqFatal, roce.ReqBadResponse:
		a.Order, a.Cause, a.Status = RetryFail, d.Action, d.Failure()
		q.give(RetxStop, a)
		return true
	}
	switch d.Why {
	case roce.ReqWaiting:
		a.Why = RetryWaiting
	case roce.ReqRetrying:
		a.Why = RetryUnderWay
	}
	if d.WaitEnded {
		a.Order = RetryGoOn
		if !r.Progress && code != 0 {
			q.give(RetxStart, a)
		}
	}
	return false
}

// retry goes back, if a retry is left (TMR-3), and reports whether none is.
func (q *retryQP) retry(cause roce.ReqAction, op RetxOp, a *RetryAnswer) (fails bool) {
	a.Cause, a.Timer, a.TimerOp = cause, true, op.Op
	if q.do(op) {
		q.exceeded(a)
		return true
	}
	a.Order = RetryGoBack
	return false
}

// wait begins an RNR wait, if one is left (TMR-4), and reports whether none is.
func (q *retryQP) wait(syndrome ib.Syndrome, a *RetryAnswer) (fails bool) {
	a.Cause, a.Timer, a.TimerOp, a.WaitCode = roce.ReqRNR, true, RetxWait, syndrome.Code()
	if q.do(RetxOp{Op: RetxWait, Code: a.WaitCode}) {
		q.exceeded(a)
		return true
	}
	a.Order = RetryWait
	return false
}

// exceeded ends the QP because a count has run out.
func (q *retryQP) exceeded(a *RetryAnswer) {
	a.Order, a.Status, a.Ask = RetryFail, a.Cause.Exceeded(), RetryAskClose
}

// expire takes an expiry, if it is that of the timer that is armed (TMR-2), and reports whether the QP fails.
func (q *retryQP) expire(r *RetryRecord, a *RetryAnswer) (fails bool) {
	armed := RetxTransport
	if r.RNR {
		armed = RetxRNR
	}
	if q.timer.State != armed || q.timer.Gen != r.Gen {
		a.Why = RetryStale
		return false
	}
	q.state.High = q.state.Una.Add(1) // a timer runs only where something is unacked
	if !r.RNR {
		d := q.state.Retry()
		return q.retry(d.Action, RetxOp{Op: RetxTimeout, Code: q.code}, a)
	}
	d := q.state.GoOn()
	a.Order, a.Cause, a.Ask = RetryGoOn, d.Action, RetryAskGoOn
	q.give(RetxResume, a)
	return false
}
