package cocosim

import (
	"cmp"
	"fmt"

	"hcacosim/model/sim"
)

// ChoiceChecker judges a device by an sim.Checker: for outputs whose order or time is the device's choice.
type ChoiceChecker struct {
	ports   []sim.PortSpec
	judge   sim.Checker
	rate    *rateJudge
	ideal   []ideal   // by port
	windows []*Window // by port
	timed   bool
	score   Score
}

// NewChoiceChecker makes a judge of a stage that has one. Of windows those are looked at that
// count from the model's cycle: a device may promise more than the judge asks for. timed tells that no output is
// stalled on purpose, so that what is overdue can be told.
func NewChoiceChecker(spec sim.StageSpec, settings sim.Settings, policies []Policy, timed bool) *ChoiceChecker {
	a := &ChoiceChecker{ports: spec.Ports, judge: spec.Checker(settings), rate: newRateJudge(spec.Ports, policies),
		ideal: newIdeals(spec.Ports, policies), timed: timed}
	for _, p := range policies {
		a.windows = append(a.windows, p.Window)
	}
	a.score.CycleError = make([]Histogram, len(spec.Ports))
	if s, ok := a.judge.(sim.Stallable); ok {
		s.Stalls(func(port sim.Port, cycle uint64) bool { return policies[port].Stalls.Holds(cycle) })
	}
	return a
}

// Input follows an input.
func (a *ChoiceChecker) Input(r *sim.Record, notBefore uint64, give func(*Violation)) {
	a.overdue(r.End, give)
	a.rate.judge(r, notBefore, give)
	a.judge.Input(r)
}

// Output judges an output. What agrees was owed; what does not may have been.
func (a *ChoiceChecker) Output(r *sim.Record, give func(*Violation)) {
	a.overdue(r.End, give)
	a.rate.output(r, give)
	j := a.judge.Output(r)
	if j.Rule != "" {
		v := a.violation(r.End, j)
		v.Port, v.Got = a.ports[r.Port].Name, clone(r)
		give(v)
		return
	}
	p := &a.ideal[r.Port]
	after := int64(r.End) - int64(p.end(cmp.Or(j.Start, j.Cycle), j.Cycle, len(r.Data)))
	p.free = r.End + 1 // the device chose the order: what came before, came when it came
	a.score.CycleError[r.Port].Add(after)
	a.score.Expected++
	if w := a.windows[r.Port]; w != nil && w.From == FromModel && (after < int64(w.Min) || after > int64(w.Max)) {
		v := a.violation(r.End, j)
		v.Rule, v.Port, v.Got = "WINDOW", a.ports[r.Port].Name, clone(r)
		v.Text = fmt.Sprintf("ended %d cycles after the model's cycle, the window is %d to %d", after, w.Min, w.Max)
		give(v)
		return
	}
	a.score.Agreed++
}

func (a *ChoiceChecker) overdue(cycle uint64, give func(*Violation)) {
	if a.timed {
		a.judge.Overdue(cycle, func(j sim.Checked) { give(a.violation(cycle, j)) })
	}
}

func (a *ChoiceChecker) violation(cycle uint64, j sim.Checked) *Violation {
	return &Violation{Verdict: j.Verdict, Cycle: cycle, Packet: j.Input, Known: j.Known}
}

// Finish asks for everything that never came.
func (a *ChoiceChecker) Finish(cycle uint64, give func(*Violation)) {
	a.judge.Overdue(^uint64(0), func(j sim.Checked) { give(a.violation(cycle, j)) })
}

// Latest is the judge's.
func (a *ChoiceChecker) Latest() uint64 { return a.judge.Latest() }

// Score is the tally so far.
func (a *ChoiceChecker) Score() Score { return a.score }
