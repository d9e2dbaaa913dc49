package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/roce"
)

// retryCase is a directed case of retry-ctl: a QP that was just configured, with 3 retries of each kind.
type retryCase struct {
	name, rule, says string
	play             func(d *retryDirector)
}

var retryDirected = []retryCase{
	{"naks-of-one-loss", "TMR-3",
		"four NAKs of one loss spend one retry, and progress restores it", func(d *retryDirector) {
			d.sent()
			for range 4 {
				d.nak(roce.ReqSequenceNAK)
			}
			d.progress()
			d.nak(roce.ReqImpliedNAK)
		}},
	{"rnr-wait-is-kept", "TMR-5",
		"in an RNR wait NAKs and a late expiry of the transport timer begin nothing; its own end does",
		func(d *retryDirector) {
			d.sent()
			late := d.l.armed.Gen
			d.nak(roce.ReqRNR)
			d.nak(roce.ReqSequenceNAK)
			d.nak(roce.ReqImpliedNAK)
			d.nak(roce.ReqRNR)
			d.expire(late, false)
			d.expire(d.l.armed.Gen, true)
		}},
	{"rnr-wait-ends-by-progress", "TMR-5", "progress ends an RNR wait, and its timer that runs out then is late",
		func(d *retryDirector) {
			d.sent()
			d.nak(roce.ReqRNR)
			late := d.l.armed.Gen
			d.progress()
			d.expire(late, true)
		}},
	{"fatal-statuses", "REQ-4", "61h, 62h and 63h end the WQE each with its own status", func(d *retryDirector) {
		for code := range uint8(3) {
			q := d.l.record(hca.RetryResponse, roce.ReqFatal)
			q.Progress, q.Region, q.Syndrome = false, roce.ReqUnacked, ib.NAKInvalidRequest+ib.Syndrome(code)
			d.give(q)
			d.configure()
		}
	}},
	{"expiry-of-closed", "TMR-2", "the timer of a QP that was closed, or begun anew, runs out and nothing happens",
		func(d *retryDirector) {
			d.sent()
			late := d.l.armed.Gen
			d.give(d.l.record(hca.RetryClose, 0))
			d.expire(late, false)
			d.configure()
			d.expire(late, false)
		}},
	{"resends-run-out", "TMR-3", "three retries without progress, and the fourth time-out ends the WQE",
		func(d *retryDirector) {
			for range 4 {
				d.sent()
				d.expire(d.l.armed.Gen, false)
			}
		}},
}

// retryDirector plays a case.
type retryDirector struct {
	l   *retryLife
	why string
}

// directed begins the QP anew and plays a case, as long as changes of its timer are left.
func (l *retryLife) directed() {
	c := &retryDirected[l.r.Below(len(retryDirected))]
	d := retryDirector{l, directedWhy + c.name}
	if l.isOpen {
		d.give(l.record(hca.RetryClose, 0))
	}
	d.configure()
	c.play(&d)
}

func (d *retryDirector) give(q hca.RetryRecord) {
	if !d.l.settled() {
		d.l.give(q, d.why)
	}
}

func (d *retryDirector) configure() {
	q := d.l.record(hca.RetryConfigure, 0)
	q.RetryCnt, q.RNRRetry, q.AnyAnswer, q.Code = 3, 3, false, uint8(d.l.r.Between(1, 31))
	d.l.una = q.Una
	d.give(q)
}

func (d *retryDirector) sent() {
	q := d.l.record(hca.RetrySent, 0)
	q.Idle = false
	d.give(q)
}

func (d *retryDirector) nak(action roce.ReqAction) {
	q := d.l.record(hca.RetryResponse, action)
	q.Una, q.Progress, q.Idle, q.Region = d.l.una, false, false, roce.ReqUnacked
	d.give(q)
}

func (d *retryDirector) progress() {
	d.l.una = d.l.una.Add(1)
	q := d.l.record(hca.RetryResponse, roce.ReqNone)
	q.Una, q.Progress, q.Idle, q.Region = d.l.una, true, false, roce.ReqUnacked
	d.give(q)
}

func (d *retryDirector) expire(gen uint8, rnr bool) {
	q := d.l.record(hca.RetryExpiry, 0)
	q.Gen, q.RNR = d.l.base+gen, rnr
	d.give(q)
}
