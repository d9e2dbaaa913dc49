package hca

import (
	"fmt"
	"sort"

	"hcacosim/model/sim"
)

// retxJudge judges a retransmit timer block: answers exactly, expiries by what a timer allows. In which order due
// timers leave is the block's choice; the scan of the model only says when the model would have given them.
type retxJudge struct {
	ops     retxOps
	scan    retxScan
	timers  []retxTimerOf // by QP: as the operations before this cycle left them
	ended   []retxEnd     // by QP: how the timer before that ended
	taken   *sim.Record   // the operation of this cycle: an expiry of the same cycle was before it
	op      sim.Record    // where taken points to
	answers []retxOwed
	owed    retxHeap
	turns   []uint64    // cycles in which a due timer left or was ended
	given   []retxGiven // by QP: what the scan of the model gave last
}

// retxEnd is how a timer ended.
type retxEnd struct {
	gen       uint8
	delivered bool
	cycle     uint64
}

// retxOwed is an answer that is still to come.
type retxOwed struct {
	answer RetxAnswer
	due    uint64
	cause  uint64
}

func newRetxJudge(s sim.Settings) *retxJudge {
	j := &retxJudge{ops: newRetxOps(s)}
	j.scan = newRetxScan(&j.ops)
	j.timers = make([]retxTimerOf, len(j.ops.qps))
	j.given = make([]retxGiven, len(j.ops.qps))
	j.ended = make([]retxEnd, len(j.ops.qps))
	return j
}

// Stalls lets the model's scan stand still where the device's must.
func (j *retxJudge) Stalls(held func(port sim.Port, cycle uint64) bool) {
	j.scan.held = func(cycle uint64) bool { return held(retxPortExpiry, cycle) }
}

func (j *retxJudge) Input(r *sim.Record) {
	j.settle(r.End)
	data := append(j.op.Data[:0], r.Data...)
	j.op = *r
	j.op.Data, j.taken = data, &j.op
}

// settle does the operations before a cycle and lets the model's scan come up to it.
func (j *retxJudge) settle(cycle uint64) {
	j.do(cycle)
	j.scanTo(cycle)
}

// scanTo runs the model's scan through the clocks before a cycle.
func (j *retxJudge) scanTo(cycle uint64) {
	j.scan.run(cycle-min(cycle, 1), func(g retxGiven) { j.given[g.timer.expiry.QPN] = g })
}

// do does the operation of an earlier cycle, of which all expiries are known.
func (j *retxJudge) do(cycle uint64) {
	r := j.taken
	if r == nil || r.End >= cycle {
		return
	}
	j.taken = nil
	j.scanTo(r.End)
	answer, timer := j.ops.apply(r)
	j.answers = append(j.answers, retxOwed{answer, r.End + RetxTimerLatencyCycles, r.Seq})
	if !answer.Changed {
		return
	}
	j.scan.change(timer)
	t := &j.timers[answer.QPN]
	if t.armed {
		j.ended[answer.QPN] = retxEnd{t.expiry.Gen, false, timer.accepted}
		if t.due <= timer.accepted+retxSeenCycles {
			j.turns = append(j.turns, timer.accepted)
		}
	}
	*t = timer
	if t.armed {
		j.owed.push(retxDue{max(t.due, t.accepted+retxSeenCycles+1), t.serial, t.expiry.QPN})
	}
}

func (j *retxJudge) Output(r *sim.Record) sim.Checked {
	j.settle(r.End)
	if r.Port == retxPortAnswer {
		return j.answer(r)
	}
	return j.expiry(r)
}

func (j *retxJudge) answer(r *sim.Record) sim.Checked {
	if len(j.answers) == 0 {
		return sim.Checked{Verdict: sim.Verdict{Rule: "EXTRA", Text: "an answer to no operation"}, Cycle: r.End}
	}
	want := j.answers[0]
	j.answers = j.answers[1:]
	v := sim.Checked{Cycle: want.due, Input: want.cause, Known: true}
	got := ParseRetxAnswer(r.Data)
	switch w := want.answer; {
	case got.QPN != w.QPN:
		v.Rule, v.Text = "ORDER", fmt.Sprintf("answers QP %d, the operation was on QP %d", got.QPN, w.QPN)
	case got.NoQP != w.NoQP || w.NoQP && got != w:
		v.Rule, v.Text = "DATA", fmt.Sprintf("says %+v, want %+v: there are %d QPs", got, w, len(j.ops.qps))
	case got.Retries != w.Retries:
		v.Rule, v.Text = "TMR-3", fmt.Sprintf("%d retries left, want %d", got.Retries, w.Retries)
	case got.RNRRetries != w.RNRRetries:
		v.Rule, v.Text = "TMR-4", fmt.Sprintf("%d RNR retries left, want %d", got.RNRRetries, w.RNRRetries)
	case got.Exhausted != w.Exhausted:
		v.Rule, v.Text = "TMR-3", fmt.Sprintf("exhausted %v, want %v", got.Exhausted, w.Exhausted)
	case (got.State == RetxRNR) != (w.State == RetxRNR):
		v.Rule, v.Text = "TMR-5", fmt.Sprintf("state %d, changed %v; want %d, %v", got.State, got.Changed, w.State, w.Changed)
	case got.State != w.State || got.Changed != w.Changed:
		v.Rule, v.Text = "TMR-2", fmt.Sprintf("state %d, changed %v; want %d, %v", got.State, got.Changed, w.State, w.Changed)
	case got.Gen != w.Gen:
		v.Rule, v.Text = "DATA", fmt.Sprintf("generation %d, want %d", got.Gen, w.Gen)
	case r.End != want.due:
		v.Rule, v.Text = "WINDOW", fmt.Sprintf("answered in cycle %d, want %d", r.End, want.due)
	}
	return v
}

// expiry allows an expiry if that very timer is armed and due (TMR-1, TMR-2, TMR-5, TMR-6).
func (j *retxJudge) expiry(r *sim.Record) sim.Checked {
	got := ParseRetxExpiry(r.Data)
	if int(got.QPN) >= len(j.timers) {
		return sim.Checked{Verdict: sim.Verdict{Rule: "DATA", Text: fmt.Sprintf("there is no QP %d", got.QPN)}, Cycle: r.End}
	}
	t, q := &j.timers[got.QPN], &j.ops.qps[got.QPN]
	v := sim.Checked{Cycle: j.modelCycle(t), Input: t.cause, Known: t.serial != 0}
	switch e := j.ended[got.QPN]; {
	case t.armed && got == t.expiry && r.End >= t.due:
		t.armed, q.Given = false, true
		j.ended[got.QPN] = retxEnd{t.expiry.Gen, true, r.End}
		j.turns = append(j.turns, r.End)
	case t.armed && got == t.expiry:
		v.Rule, v.Text = "EARLY", fmt.Sprintf("due in cycle %d (TMR-6)", t.due)
		t.armed, q.Given = false, true
	case q.State == RetxRNR && !got.RNR:
		v.Rule, v.Text = "TMR-5", "transport expiry during an RNR wait"
	case t.armed && got.Gen == t.expiry.Gen:
		v.Rule, v.Text = "DATA", fmt.Sprintf("says %+v, want %+v", got, t.expiry)
		t.armed, q.Given = false, true
	case e.gen == got.Gen && e.delivered:
		v.Rule, v.Text = "TWICE", fmt.Sprintf("this timer expired in cycle %d already", e.cycle)
	default:
		v.Rule, v.Text = "STALE", "that timer was ended by an operation"
	}
	return v
}

// modelCycle is when the scan of the model gave a timer; where it did not, as soon as the timer may go.
func (j *retxJudge) modelCycle(t *retxTimerOf) uint64 {
	if o := j.scan.offered; len(o) > 0 && o[0].timer.serial == t.serial {
		return j.scan.now
	}
	if g := &j.given[t.expiry.QPN]; t.serial != 0 && g.timer.serial == t.serial {
		return g.cycle
	}
	return t.due + retxOfferedCycles + 1
}

// Overdue names timers that were not given by the bound of the block's document, and at the end of a run those that
// never were.
func (j *retxJudge) Overdue(cycle uint64, give func(sim.Checked)) {
	j.do(cycle)
	for len(j.answers) > 0 && j.answers[0].due < cycle {
		a := j.answers[0]
		j.answers = j.answers[1:]
		give(sim.Checked{Verdict: sim.Verdict{Rule: "MISSING", Text: "an operation was never answered"}, Cycle: a.due,
			Input: a.cause, Known: true})
	}
	for len(j.owed) > 0 {
		first := j.owed[0]
		t := &j.timers[first.qpn]
		if !t.armed || t.serial != first.serial {
			j.owed.pop()
			continue
		}
		latest := j.latest(first.due)
		if cycle <= latest {
			return
		}
		j.owed.pop()
		v := sim.Checked{Cycle: latest, Input: t.cause, Known: true, Verdict: sim.Verdict{Rule: "BOUND",
			Text: fmt.Sprintf("the timer of QP %d was due in cycle %d and has not come", first.qpn, t.due)}}
		if cycle == never {
			v.Rule = "LOST"
		}
		give(v)
	}
}

// latest is the last cycle for a timer that is due in a cycle and has not come: the next one from then on has its turn.
func (j *retxJudge) latest(due uint64) uint64 {
	n := len(j.turns) - sort.Search(len(j.turns), func(i int) bool { return j.turns[i]+retxSeenCycles >= due })
	return due + j.ops.numWords + uint64(n) + 1
}

func (j *retxJudge) Latest() (latest uint64) {
	armed := uint64(0)
	for i := range j.timers {
		if t := &j.timers[i]; t.armed {
			armed++
			latest = max(latest, j.latest(max(t.due, t.accepted+retxSeenCycles+1)))
		}
	}
	if r := j.taken; r != nil {
		due, arms := j.peek(r)
		latest = max(latest, r.End+RetxTimerLatencyCycles)
		if arms {
			latest, armed = max(latest, j.latest(due)), armed+1
		}
	}
	if armed > 0 {
		latest += armed
	}
	if n := len(j.answers); n > 0 {
		latest = max(latest, j.answers[n-1].due)
	}
	return latest
}

// peek tells which timer an operation would arm that is not done yet, if the expiry that it may need is handed over in
// its cycle.
func (j *retxJudge) peek(r *sim.Record) (due uint64, arms bool) {
	op, ops := ParseRetxOp(r.Data), j.ops
	if int(op.QPN) >= len(ops.qps) {
		return 0, false
	}
	q := ops.qps[op.QPN]
	q.Given = true
	changed, _ := q.Do(op)
	t := ops.timerOf(&q, &op, r)
	return t.due, changed && t.armed
}

// retxDue is a timer by when it is due.
type retxDue struct {
	due, serial uint64
	qpn         uint32
}

// retxHeap has the timer that is due first in front. Timers that ended stay in until they come to the front.
type retxHeap []retxDue

func (h *retxHeap) push(d retxDue) {
	a := append(*h, d)
	i := len(a) - 1
	for i > 0 && a[(i-1)/2].due > d.due {
		a[i] = a[(i-1)/2]
		i = (i - 1) / 2
	}
	a[i] = d
	*h = a
}

func (h *retxHeap) pop() {
	a := *h
	last := a[len(a)-1]
	a = a[:len(a)-1]
	i := 0
	for 2*i+1 < len(a) {
		child := 2*i + 1
		if child+1 < len(a) && a[child+1].due < a[child].due {
			child++
		}
		if a[child].due >= last.due {
			break
		}
		a[i] = a[child]
		i = child
	}
	if len(a) > 0 {
		a[i] = last
	}
	*h = a
}
