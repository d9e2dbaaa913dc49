package hca

import (
	"fmt"

	"hcacosim/model/ib"
	"hcacosim/model/sim"
)

// RetxTimerLatencyCycles is how many cycles after it went in an operation of retx_timer is answered.
const RetxTimerLatencyCycles = 3

// Ports of retx_timer.
const (
	retxPortOp sim.Port = iota
	retxPortAnswer
	retxPortExpiry
)

var retxTimerSpec = sim.StageSpec{
	Name:    "retx_timer",
	Summary: "transport and RNR timers and retry counters of many QPs",
	Ports: []sim.PortSpec{
		{Name: "s_op", Input: true, Kind: sim.Fields, Bits: 46},
		{Name: "m_op", Kind: sim.Fields, Bits: 43},
		{Name: "m_exp", Kind: sim.Fields, Bits: 37},
	},
	New:     func(s sim.Settings) sim.Stage { return newRetxTimer(s) },
	Checker: func(s sim.Settings) sim.Checker { return newRetxJudge(s) },
	Refuses: refusesLapse,
}

// refusesLapse says why time goes too fast for the scan, or nothing: a due timer is known by a signed difference of 35
// bits, so all of a device's, due at once, must have had their turns before the first is overdue by 2^34 ticks.
func refusesLapse(s sim.Settings) string {
	numQPs, lanes := s.Get("NumQps", 65536), s.Get("Lanes", 8)
	clocks := numQPs/lanes + numQPs
	ticks := (clocks/max(1, s.Get("cycles_per_tick_i", 4)) + 1) * s.Get("tick_step_i", 1)
	if ticks < 1<<34 {
		return ""
	}
	return fmt.Sprintf("tick_step_i %d with cycles_per_tick_i %d: while the timers of %d QPs have their turns, in %d "+
		"clocks, %d ticks pass, and a due timer is known for 2^34; say a smaller step or fewer QPs",
		s.Get("tick_step_i", 1), s.Get("cycles_per_tick_i", 4), numQPs, clocks, ticks)
}

// RetxOpcode says what a requester asks of retx_timer.
type RetxOpcode uint8

// The operations of docs/blocks/retx_timer.md.
const (
	RetxConfigure RetxOpcode = iota
	RetxStart
	RetxProgress
	RetxStop
	RetxWait
	RetxNAK
	RetxTimeout
	RetxResume
)

// RetxOp is a record on s_op of retx_timer.
type RetxOp struct {
	QPN      uint32 // 24 bits
	Op       RetxOpcode
	Code     uint8 // of the transport timer, or of the RNR timer
	Gen      uint8 // that the expiry carried
	RetryCnt uint8
	RNRRetry uint8
}

// RetxOpBytes is the size of a record on s_op of retx_timer.
const RetxOpBytes = 6

func (o *RetxOp) layout(l *sim.Layout) {
	sim.Field(l, &o.QPN, 24)
	sim.Field(l, &o.Op, 3)
	sim.Field(l, &o.Code, 5)
	sim.Field(l, &o.Gen, 8)
	sim.Field(l, &o.RetryCnt, 3)
	sim.Field(l, &o.RNRRetry, 3)
}

var retxOpForm = sim.FormOf((*RetxOp).layout)

// Append appends the record as it goes over the port.
func (o *RetxOp) Append(b []byte) []byte {
	return retxOpForm.Append(b, o)
}

// ParseRetxOp reads a record of RetxOpBytes.
func ParseRetxOp(b []byte) RetxOp { return retxOpForm.Parse(b) }

// RetxState is which timer of a QP was armed last and not ended.
type RetxState uint8

// States of a QP.
const (
	RetxIdle RetxState = iota
	RetxTransport
	RetxRNR
)

// RetxAnswer is a record on m_op of retx_timer.
type RetxAnswer struct {
	QPN                 uint32
	Gen                 uint8
	State               RetxState
	Retries, RNRRetries uint8
	Exhausted, Changed  bool
	NoQP                bool // there is no QP of that number: all else is zero
}

func (a *RetxAnswer) layout(l *sim.Layout) {
	sim.Field(l, &a.QPN, 24)
	sim.Field(l, &a.Gen, 8)
	sim.Field(l, &a.State, 2)
	sim.Field(l, &a.Retries, 3)
	sim.Field(l, &a.RNRRetries, 3)
	l.Flag(&a.Exhausted)
	l.Flag(&a.Changed)
	l.Flag(&a.NoQP)
}

var retxAnswerForm = sim.FormOf((*RetxAnswer).layout)

// Append appends the record as it goes over the port.
func (a *RetxAnswer) Append(b []byte) []byte {
	return retxAnswerForm.Append(b, a)
}

// ParseRetxAnswer reads a record of m_op.
func ParseRetxAnswer(b []byte) RetxAnswer { return retxAnswerForm.Parse(b) }

// RetxExpiry is a record on m_exp of retx_timer.
type RetxExpiry struct {
	QPN       uint32
	Gen       uint8
	RNR       bool
	Left      uint8
	Exhausted bool
}

func (e *RetxExpiry) layout(l *sim.Layout) {
	sim.Field(l, &e.QPN, 24)
	sim.Field(l, &e.Gen, 8)
	l.Flag(&e.RNR)
	sim.Field(l, &e.Left, 3)
	l.Flag(&e.Exhausted)
}

var retxExpiryForm = sim.FormOf((*RetxExpiry).layout)

// Append appends the record as it goes over the port.
func (e *RetxExpiry) Append(b []byte) []byte {
	return retxExpiryForm.Append(b, e)
}

// ParseRetxExpiry reads a record of m_exp.
func ParseRetxExpiry(b []byte) RetxExpiry { return retxExpiryForm.Parse(b) }

// retxClock is the time of the block in ticks.
type retxClock struct{ cyclesPerTick, step uint64 }

// tick is what the tick counter stands at in a cycle.
func (c retxClock) tick(cycle uint64) uint64 { return cycle / c.cyclesPerTick * c.step }

// due is the first cycle in which the counter has reached a deadline.
func (c retxClock) due(deadline uint64) uint64 {
	return (deadline + c.step - 1) / c.step * c.cyclesPerTick
}

// retxTimerOf is a timer as an operation left it.
type retxTimerOf struct {
	expiry   RetxExpiry // what it gives
	armed    bool
	deadline uint64 // in ticks
	due      uint64 // cycle
	accepted uint64 // cycle of the operation that left it so
	cause    uint64 // and its Seq
	serial   uint64 // counts the changes: tells it from every other
}

// RetxQP is what the operations know of a QP. The zero value is a QP after reset.
type RetxQP struct {
	State               RetxState
	Gen                 uint8
	Retries, RNRRetries uint8 // left
	RetryCnt, RNRRetry  uint8 // of those that there are
	Retry7Forever       bool  // the profile's
	Given               bool  // the expiry of the timer of this state was handed over
}

// retxOps is the half of the block that operations have: states, counters, generations.
type retxOps struct {
	clock    retxClock
	numWords uint64
	lanes    uint64
	qps      []RetxQP
	serial   uint64
}

const retxForever = 7

func newRetxOps(s sim.Settings) retxOps {
	numQPs, lanes := s.Get("NumQps", 65536), s.Get("Lanes", 8)
	o := retxOps{
		clock:    retxClock{max(1, s.Get("cycles_per_tick_i", 4)), s.Get("tick_step_i", 1)},
		numWords: numQPs / lanes,
		lanes:    lanes,
		qps:      make([]RetxQP, numQPs),
	}
	for i := range o.qps {
		o.qps[i].Retry7Forever = s.Get("retry7_forever_i", 0) != 0
	}
	return o
}

// apply does an operation and says what becomes of its QP's timer, if Changed. Given tells of the expiries that were
// handed over up to the operation's cycle, that one included.
func (s *retxOps) apply(r *sim.Record) (RetxAnswer, retxTimerOf) {
	op := ParseRetxOp(r.Data)
	if int(op.QPN) >= len(s.qps) {
		return RetxAnswer{QPN: op.QPN, NoQP: true}, retxTimerOf{}
	}
	q := &s.qps[op.QPN]
	changed, exhausted := q.Do(op)
	answer := RetxAnswer{QPN: op.QPN, Gen: q.Gen, State: q.State, Retries: q.Retries, RNRRetries: q.RNRRetries,
		Exhausted: exhausted, Changed: changed}
	return answer, s.timerOf(q, &op, r)
}

// Do does an operation and tells whether it changed the timer, and whether it found no retry left.
func (q *RetxQP) Do(op RetxOp) (changed, exhausted bool) {
	switch changed = true; op.Op {
	case RetxConfigure:
		q.RetryCnt, q.RNRRetry = op.RetryCnt, op.RNRRetry
		q.restore()
		q.State = RetxIdle
	case RetxStart: // TMR-2: only when it is not running
		if changed = q.State == RetxIdle && op.Code != 0; changed {
			q.run(op.Code)
		}
	case RetxProgress: // TMR-5: a wait ends too
		q.restore()
		q.run(op.Code)
	case RetxStop:
		q.State = RetxIdle
	case RetxWait:
		if changed = q.State != RetxRNR; changed {
			exhausted = q.wait()
		}
	case RetxNAK:
		if changed = q.State != RetxRNR; changed { // TMR-5
			exhausted = q.retry(op.Code)
		}
	case RetxTimeout:
		if changed = q.State == RetxTransport && q.answers(op); changed {
			exhausted = q.retry(op.Code)
		}
	case RetxResume:
		if changed = q.State == RetxRNR && q.answers(op); changed {
			q.run(op.Code)
		}
	}
	if changed {
		q.Gen++
		q.Given = false
	}
	return changed, exhausted
}

// answers reports whether an operation carries the generation of an expiry that is out, and not one of 256 changes ago
// (TMR-2).
func (q *RetxQP) answers(op RetxOp) bool { return q.Given && q.Gen == op.Gen }

// restore lets both counters start anew (TMR-3, TMR-4).
func (q *RetxQP) restore() { q.Retries, q.RNRRetries = q.RetryCnt, q.RNRRetry }

// run starts the transport timer, unless its code is off (TMR-1).
func (q *RetxQP) run(code uint8) {
	q.State = RetxIdle
	if code != 0 {
		q.State = RetxTransport
	}
}

// wait begins an RNR wait and counts it, or says that none is left (TMR-4).
func (q *RetxQP) wait() (exhausted bool) {
	q.State = RetxIdle
	if q.RNRRetries == 0 {
		return true
	}
	if q.RNRRetry != retxForever {
		q.RNRRetries--
	}
	q.State = RetxRNR
	return false
}

// retry counts a retry, or says that none is left (TMR-3).
func (q *RetxQP) retry(code uint8) (exhausted bool) {
	q.State = RetxIdle
	if q.Retries == 0 {
		return true
	}
	if q.RetryCnt != retxForever || !q.Retry7Forever {
		q.Retries--
	}
	q.run(code)
	return false
}

// timerOf is the timer that an operation which changed it has left.
func (s *retxOps) timerOf(q *RetxQP, op *RetxOp, r *sim.Record) retxTimerOf {
	s.serial++
	t := retxTimerOf{accepted: r.End, cause: r.Seq, serial: s.serial, expiry: RetxExpiry{QPN: op.QPN, Gen: q.Gen}}
	ticks := uint64(0)
	switch q.State {
	case RetxIdle:
		return t
	case RetxTransport:
		ticks = ib.Ticks(ib.TimeoutNs(op.Code))
		t.expiry.Left, t.expiry.Exhausted = q.Retries, q.Retries == 0
	case RetxRNR:
		ticks = ib.RNRTimerTicks(op.Code)
		t.expiry.RNR, t.expiry.Left = true, q.RNRRetries
	}
	t.armed = true
	t.deadline = s.clock.tick(r.End) + ticks + 1
	t.due = s.clock.due(t.deadline)
	return t
}

// retxTimer is the stage of docs/blocks/retx_timer.md: operations, and the scan on an expiry port that is never
// stalled.
type retxTimer struct {
	settings sim.Settings
	ops      retxOps
	scan     retxScan
	seqs     [retxPortExpiry + 1]uint64 // by port: the number of its next record
	bytes    []byte                     // of the outputs of one Advance
}

func newRetxTimer(s sim.Settings) *retxTimer {
	t := &retxTimer{settings: s}
	t.Reset()
	return t
}

func (s *retxTimer) Reset() {
	s.ops = newRetxOps(s.settings)
	s.scan = newRetxScan(&s.ops)
	clear(s.seqs[:])
}

func (s *retxTimer) Advance(to uint64, in, out []sim.Record) []sim.Record {
	s.bytes = s.bytes[:0]
	give := func(cycle, cause uint64, port sim.Port, from int) {
		out = append(out, sim.Record{Start: cycle, End: cycle, Seq: s.seqs[port], Cause: cause, Port: port,
			Data: s.bytes[from:len(s.bytes):len(s.bytes)]})
		s.seqs[port]++
	}
	expire := func(e retxGiven) {
		s.ops.qps[e.timer.expiry.QPN].Given = true
		from := len(s.bytes)
		s.bytes = e.timer.expiry.Append(s.bytes)
		give(e.cycle, e.timer.cause, retxPortExpiry, from)
	}
	for i := range in {
		r := &in[i]
		s.scan.run(r.End-min(r.End, 1), expire)
		answer, timer := s.ops.apply(r)
		if answer.Changed {
			s.scan.change(timer)
		}
		from := len(s.bytes)
		s.bytes = answer.Append(s.bytes)
		give(r.End+RetxTimerLatencyCycles, r.Seq, retxPortAnswer, from)
	}
	s.scan.run(to, expire)
	return out
}
