package roce_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// retryView is what retry_ctl knows of a requester, without the generation of its timer; of a closed one nothing.
type retryView struct {
	cfg                 *roce.RequesterConfig
	una                 psn.PSN
	waiting, retrying   bool
	retries, rnrRetries uint8
	armed               hca.RetxState
}

// retryKey: what is unacknowledged has the transport timer, a wait the RNR timer (TMR-2, TMR-5).
func retryKey(q *roce.Requester) retryView {
	v := retryView{cfg: q.Config()}
	if q.State == roce.Error {
		return v
	}
	s, _, _ := q.Standing()
	v.una, v.waiting, v.retrying = s.Una, s.Waiting, s.Retrying
	v.retries, v.rnrRetries = q.Counts()
	switch {
	case s.Waiting:
		v.armed = hca.RetxRNR
	case s.Una != s.High:
		v.armed = hca.RetxTransport
	}
	return v
}

func (v *retryView) closed() bool { return *v == retryView{cfg: v.cfg} }

func retryOpening(cfg *roce.RequesterConfig) setup {
	closing := hca.RetryRecord{Op: hca.RetryClose, QPN: replayQPN}
	opening := hca.RetryRecord{Op: hca.RetryConfigure, QPN: replayQPN, Una: cfg.StartPSN, Code: cfg.Timeout,
		RetryCnt: cfg.RetryCount, RNRRetry: cfg.RNRRetry, AnyAnswer: cfg.Profile.AnyAnswerEndsRNR}
	return setup{closing.Append(nil), opening.Append(nil)}
}

// retryReplay adds what retry_ctl sees of the requesters of a world: what they do about it is in their effects.
func (x *explorer) retryReplay(t *testing.T, p *replay) {
	for _, start := range slices.Sorted(maps.Keys(x.qcfgs)) {
		cfg := x.qcfgs[start]
		q := new(roce.Requester)
		*q = roce.NewRequester(cfg)
		p.first[p.state(retryKey(q))] = retryOpening(cfg)
	}
	for _, k := range inOrder(x.q.memo) {
		x.q.load(k.id)
		q := new(roce.Requester)
		*q = *x.q.machine
		o := x.q.memo[k]
		x.q.load(o.id)
		x.retryEdge(t, p, k, q, x.q.machine, o.out)
	}
	inTurn := func(a, b any) int { return int(p.names[a]) - int(p.names[b]) }
	for _, key := range slices.SortedFunc(maps.Keys(p.names), inTurn) {
		v := key.(retryView)
		lateExpiries(t, p, &v)
	}
}

// retryStep is a move of a requester as retry_ctl sees it.
type retryStep struct {
	before, after retryView
	out           roce.Batch
	edge          edge
}

// retryEdge is what a move of a requester is to retry_ctl.
func (x *explorer) retryEdge(t *testing.T, p *replay, k move, before, after *roce.Requester, out roce.Batch) {
	s := retryStep{before: retryKey(before), after: retryKey(after), out: out}
	s.edge = edge{from: p.state(s.before), to: p.state(s.after)}
	isOpen := before.State != roce.Error
	switch {
	case k.in == inStep && isOpen:
		x.retryResponse(t, p, s, &x.packets[k.arg].packet, before, after)
		return
	case k.in == inStep:
		s.give(hca.RetryRecord{Op: hca.RetryResponse}, hca.RetryAnswer{Why: hca.RetryNoQP})
	case !isOpen:
	case k.in == inNext:
		s.sent(before, after)
	case k.in == inTimeout && before.Timing() && s.before.armed == hca.RetxTransport:
		s.give(hca.RetryRecord{Op: hca.RetryExpiry}, s.told(roce.ReqTimer))
	case k.in == inRNR && s.before.waiting:
		a := s.told(roce.ReqGoesOn)
		a.Order, a.Cause, a.Ask, a.Timer, a.TimerOp = hca.RetryGoOn, roce.ReqGoesOn, hca.RetryAskGoOn, true, hca.RetxResume
		s.give(hca.RetryRecord{Op: hca.RetryExpiry, RNR: true}, a)
	}
	s.closeUnlessFailed(after)
	p.add(t, s.edge)
}

// retryResponse is a response: as the check decides it that knows of every wait and retry, and as one does that has not
// heard of it yet.
func (x *explorer) retryResponse(t *testing.T, p *replay, s retryStep, packet *roce.Packet, before,
	after *roce.Requester) {
	d, then := before.Decided(packet)
	record := func(d *roce.Decision) hca.RetryRecord {
		return hca.RetryRecord{Op: hca.RetryResponse, Una: d.Una, Action: d.Action, Why: d.Why, Region: d.Region,
			Syndrome: d.Syndrome, Progress: d.Progress(), Idle: then.Una == then.High}
	}
	answer := func(d *roce.Decision) hca.RetryAnswer {
		a := s.told(d.Action)
		a.Una, a.Progress = d.Una, d.Progress()
		if record(d).Idle {
			a.Code = 0
		}
		if d.Progress() && s.after.closed() { // both counts begin anew, and then it closes
			a.Retries, a.RNRRetries = a.RetryCnt, a.RNRRetry
		}
		s.timers(d, &a)
		return a
	}
	unaware := before.Unaware(packet)
	if r := record(&unaware); unaware.Action != d.Action && !d.Progress() && !d.WaitEnded {
		other := s
		a := answer(&d)
		a.Why = map[roce.ReqReason]hca.RetryWhy{roce.ReqWaiting: hca.RetryWaiting, roce.ReqRetrying: hca.RetryUnderWay}[d.Why]
		other.edge.vectors = nil
		other.give(r, a)
		p.add(t, other.edge)
	}
	s.give(record(&d), answer(&d))
	s.closeUnlessFailed(after)
	p.add(t, s.edge)
}

// sent is what went out: the transport timer starts where none runs (TMR-2).
func (s *retryStep) sent(before, after *roce.Requester) {
	if _, _, _, _, isPacket := before.Coming(); !isPacket {
		return
	}
	r, a := hca.RetryRecord{Op: hca.RetrySent}, s.told(roce.ReqNone)
	then, _, _ := after.Standing()
	if r.Idle = then.Una == then.High; r.Idle {
		a.Code = 0
	} else if s.before.armed == hca.RetxIdle {
		a.Timer, a.TimerOp = true, hca.RetxStart
	}
	s.give(r, a)
}

// give adds a record and the answer that it must have.
func (s *retryStep) give(r hca.RetryRecord, a hca.RetryAnswer) {
	r.QPN, a.QPN, a.Op = replayQPN, replayQPN, r.Op
	s.edge.vectors = append(s.edge.vectors, vector{in: r.Append(nil), want: a.Append(nil)})
}

// failed reports whether a rule that retry_ctl applies has closed the QP.
func (s *retryStep) failed() bool {
	for i := range s.edge.vectors {
		a := hca.ParseRetryAnswer(s.edge.vectors[i].want)
		if a.Order == hca.RetryFail {
			return true
		}
	}
	return false
}

// closeUnlessFailed tells retry_ctl of a QP that something else than its own order put in error.
func (s *retryStep) closeUnlessFailed(after *roce.Requester) {
	if s.before.closed() || after.State != roce.Error || s.failed() {
		return
	}
	a := s.state()
	a.Timer, a.TimerOp = true, hca.RetxStop
	if n := len(s.edge.vectors); n > 0 {
		last := hca.ParseRetryAnswer(s.edge.vectors[n-1].want)
		a.Una, a.Retries, a.RNRRetries = last.Una, last.Retries, last.RNRRetries
	}
	s.give(hca.RetryRecord{Op: hca.RetryClose}, a)
}

// state is what an answer shows where nothing is to be done.
func (s *retryStep) state() hca.RetryAnswer {
	v := &s.after
	if v.closed() {
		v = &s.before
	}
	a := hca.RetryAnswer{Una: v.una, Retries: v.retries, RNRRetries: v.rnrRetries, RetryCnt: v.cfg.RetryCount,
		RNRRetry: v.cfg.RNRRetry, Code: v.cfg.Timeout}
	if v == &s.after {
		a.Waiting, a.Retrying = v.waiting, v.retrying
	}
	return a
}

// told is the order that a machine's effects are: where it goes back to, whether it waits, or how it ends.
func (s *retryStep) told(asked roce.ReqAction) hca.RetryAnswer {
	a := s.state()
	for i := range s.out {
		switch e := &s.out[i]; {
		case e.Kind == roce.Disarm && e.Timer == roce.RNR:
			a.Order = hca.RetryGoOn
		case e.Kind == roce.GoBack:
			a.Order, a.Cause = hca.RetryGoBack, asked
		case e.Kind == roce.Arm && e.Timer == roce.RNR:
			a.Order = hca.RetryWait
		case e.Kind == roce.EnterError && asked != roce.ReqNone:
			a.Order, a.Cause = hca.RetryFail, asked
		case e.Kind == roce.Complete && e.Status != roce.Success && a.Status == roce.Success:
			a.Status = e.Status
		}
	}
	if a.Order != hca.RetryFail {
		a.Status = roce.Success
	} else if asked != roce.ReqFatal && asked != roce.ReqBadResponse {
		a.Ask = hca.RetryAskClose
	}
	if asked == roce.ReqTimer {
		a.Timer, a.TimerOp = true, hca.RetxTimeout
	}
	return a
}

// timers are the operations for retx_timer behind a response (docs/blocks/retry_ctl.md, Response).
func (s *retryStep) timers(d *roce.Decision, a *hca.RetryAnswer) {
	if d.Progress() {
		a.First = hca.RetryFirstProgress
	} else if d.WaitEnded {
		a.First = hca.RetryFirstStop
	}
	a.Timer = true
	switch d.Action {
	case roce.ReqSequenceNAK, roce.ReqImpliedNAK:
		a.TimerOp = hca.RetxNAK
	case roce.ReqRNR:
		a.TimerOp, a.WaitCode = hca.RetxWait, d.Syndrome.Code()
	case roce.ReqFatal, roce.ReqBadResponse:
		a.TimerOp = hca.RetxStop
	default:
		if a.Timer = a.First == hca.RetryFirstStop && a.Code != 0; a.Timer {
			a.TimerOp = hca.RetxStart
		}
	}
}

// lateExpiries adds expiries of timers that have ended: of the generation before, and of the other timer (TMR-2). gen
// is by how many changes the expiry is late until the tour is laid out.
func lateExpiries(t *testing.T, p *replay, v *retryView) {
	id := p.names[*v]
	for _, r := range []hca.RetryRecord{{Gen: 1, RNR: v.waiting}, {Gen: 255, RNR: v.waiting},
		{RNR: v.armed != hca.RetxRNR}} {
		if v.closed() {
			continue
		}
		s := retryStep{before: *v, after: *v, edge: edge{from: id, to: id}}
		r.Op = hca.RetryExpiry
		a := s.state()
		a.Why = hca.RetryStale
		s.give(r, a)
		p.add(t, s.edge)
	}
}

// withGenerations puts generations into expiries and into the answers: which generation a timer has is the count of its
// changes since reset, and comes back after 256.
func withGenerations(t *testing.T, records []vector) []vector {
	control := hca.NewRetryControl(4, false)
	all := make([]vector, len(records))
	for i := range records {
		r := hca.ParseRetryRecord(records[i].in)
		if r.Op == hca.RetryExpiry {
			now := control.Step(&hca.RetryRecord{Op: hca.RetryLook, QPN: replayQPN})
			r.Gen = now.Gen - r.Gen
		}
		all[i].in = r.Append(nil)
		did := control.Step(&r)
		if records[i].want != nil {
			a := hca.ParseRetryAnswer(records[i].want)
			a.Gen = did.Gen
			all[i].want = a.Append(nil)
			require.Equal(t, a, did, "record %d: %+v: the machine, and the stage", i, r)
		}
	}
	return all
}

// rnrCode is the least wait of all: the worlds have no time, and the longest would be 655 ms.
const rnrCode = 1

// shortWaits makes the waits short that records ask for.
func shortWaits(records []vector) {
	for i := range records {
		r := hca.ParseRetryRecord(records[i].in)
		if r.Syndrome.Kind() == ib.KindRNR {
			r.Syndrome = ib.RNRSyndrome(rnrCode)
		}
		records[i].in = r.Append(nil)
		if records[i].want != nil {
			a := hca.ParseRetryAnswer(records[i].want)
			if a.TimerOp == hca.RetxWait && a.Timer {
				a.WaitCode = rnrCode
			}
			records[i].want = a.Append(nil)
		}
	}
}
