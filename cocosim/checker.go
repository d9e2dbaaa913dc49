package cocosim

import (
	"bytes"
	"cmp"
	"fmt"

	"hcacosim/model/sim"
)

// Violation is one thing that a device did and its reference does not allow.
type Violation struct {
	// Verdict names the rule, or the check: DATA, USER, MISSING, EXTRA, WINDOW, RATE, or one of the bridge (AXIS-1 ...).
	sim.Verdict
	Port  string
	Cycle uint64
	// Packet is the Seq of the input record that the violation is about; Known is false where it is about none.
	Packet uint64
	Known  bool
	User   uint32 // sideband of that input
	// Input is a copy of that input where its port is a record port; nil elsewhere.
	Input *sim.Record
	// Count is how many violations of its rule on its port this one stands for; 0 is 1.
	Count uint64
	// Want and Got are copies of the record that was owed and of the one that came; nil where there was none. Example: a
	// lost record has no Got, one too many has no Want.
	Want, Got *sim.Record
	// Life is of which of the lives before the run it is, from 1; 0 is the run.
	Life int
}

// Checker is the golden model used as a judge. It follows what the device took and judges what the device gave.
type Checker interface {
	// Input tells that the device took an input record, with its accepted cycles; notBefore is that of the offer.
	// Violations go to give.
	Input(r *sim.Record, notBefore uint64, give func(*Violation))
	// Output offers a record that the device gave. Violations go to give.
	Output(r *sim.Record, give func(*Violation))
	// Finish ends the run: what is still owed is a violation.
	Finish(cycle uint64, give func(*Violation))
	// Latest is the cycle by which unstalled outputs have given all that is owed, where the checker knows; else 0.
	Latest() uint64
	// Score is the tally so far.
	Score() Score
}

// Score is what a checker counted.
type Score struct {
	Expected, Agreed uint64 // output records owed by the device so far, and those that came as expected
	// Withheld are records that the device must not give, by its manifest: one that comes all the same is one too many.
	Withheld uint64
	// CycleError counts, by port, device minus model in cycles for every output that agreed. The model is an ideal block
	// under the stalls of the run.
	CycleError []Histogram
}

// Policy is how the output of a port is judged. Content and order are exact; time is judged against a window.
type Policy struct {
	// Window is how many cycles after the last input that it needs a record may end. Nil where time is not judged: a
	// port that is stalled on purpose has no fixed latency.
	Window *Window
	// BeatBytes is what the port moves in a cycle.
	BeatBytes int
	// BeatTicks is how many cycles of the run a cycle of the port's clock has; 0 is 1.
	BeatTicks int
	// Clocked says that the device takes an input when it is ready for it, and not whenever one comes.
	Clocked bool
	// FullRate holds an input to a beat in every cycle, from its second record on, and an output to that within a packet;
	// only a run without idle beats and backpressure shows it.
	FullRate bool
	// Stalls are what holds an output up on purpose; the cycle error is counted from what an ideal block would do under
	// them.
	Stalls Stalls
}

// Window is a range of cycles, both ends included.
type Window struct {
	Min uint64 `yaml:"min"`
	Max uint64 `yaml:"max"`
	// From is what they count from: "" the last beat of the input, or "model", the cycle that the model states.
	From string `yaml:"from"`
	// Stalled judges a run whose outputs are held up, too: From is then the cycle of an ideal block under these stalls.
	Stalled bool `yaml:"stalled"`
}

// FromModel is the Window.From that counts from the cycle that the model states.
const FromModel = "model"

// StageChecker judges a device by one stage of the golden model, port by port and in order.
type StageChecker struct {
	ports    []sim.PortSpec
	policies []Policy
	stage    sim.Stage
	in, out  []sim.Record
	owed     []queue       // by port
	last     []queue       // the record that agreed last, by port: tells a doubled record from a wrong one
	suspect  []*sim.Record // by port
	rate     *rateJudge
	ideal    []ideal    // by port
	late     []lateness // by port
	behind   *behindJudge
	waits    *waitJudge
	score    Score

	backlog, backlogBytes uint64 // owed
}

// lateness is how much later than an ideal block (earlier: negative) a device gives its records. Twice the same in a
// row counts: one record that agreed by chance says nothing.
type lateness struct{ last, usual int64 }

func (l *lateness) add(late int64) {
	if late == l.last {
		l.usual = late
	}
	l.last = late
}

// lookahead is how many owed records are searched for one that came too early: far enough to name lost packets, near
// enough to stay cheap.
const lookahead = 64

// NewStageChecker makes a judge from a stage. policies has one entry a port.
func NewStageChecker(spec sim.StageSpec, settings sim.Settings, policies []Policy) *StageChecker {
	n := len(spec.Ports)
	a := &StageChecker{ports: spec.Ports, policies: policies, stage: spec.New(settings), owed: make([]queue, n),
		last: make([]queue, n), suspect: make([]*sim.Record, n),
		rate: newRateJudge(spec.Ports, policies), ideal: newIdeals(spec.Ports, policies)}
	a.late, a.behind = make([]lateness, n), newBehindJudge(&spec)
	if policies[0].Clocked {
		a.waits = newWaitJudge(&spec)
	}
	a.score.CycleError = make([]Histogram, n)
	return a
}

// Input asks the model what the record leads to.
func (a *StageChecker) Input(r *sim.Record, notBefore uint64, give func(*Violation)) {
	a.rate.judge(r, notBefore, give)
	a.waits.take(r)
	a.in = append(a.in[:0], *r)
	a.out = a.stage.Advance(r.End, a.in, a.out[:0])
	for i := range a.out {
		o := &a.out[i]
		a.owed[o.Port].push(o, r, a.ports[r.Port].Kind == sim.Fields, a.ideal[o.Port].end(o.Start, o.End, len(o.Data)))
		a.score.Expected++
		a.backlog++
		a.backlogBytes += uint64(len(o.Data))
	}
}

// pop takes the first record off what is owed.
func (a *StageChecker) pop(q *queue) {
	a.backlog--
	a.backlogBytes -= uint64(len(q.at(0).Data))
	q.pop()
}

// Backlog is what the device owes.
func (a *StageChecker) Backlog() (records, bytes uint64) { return a.backlog, a.backlogBytes }

// Output matches r against what is owed. A record that matches nothing is suspect until the next one tells what it was:
// in place of an owed record, or one too many. So one fault never spoils what follows.
func (a *StageChecker) Output(r *sim.Record, give func(*Violation)) {
	a.behind.handOver(r)
	a.rate.output(r, give)
	q := &a.owed[r.Port]
	if a.ports[r.Port].Kind == sim.Fields {
		a.field(q, r, give)
		return
	}
	at := a.match(q, r)
	if at < 0 {
		a.resolve(r.Port, true, give)
		if a.doubled(r) {
			give(a.extra(r, "the last record came a second time"))
			return
		}
		a.suspect[r.Port] = clone(r)
		return
	}
	if a.suspect[r.Port] != nil {
		a.resolve(r.Port, at > 0, give)
		at = max(0, at-1)
	}
	a.lose(q, at, r, give)
	a.agree(q, r, give)
}

// field is Output for records of fields. Many of them are alike, so an output that is not the first owed record, but
// equals a later one, proves nothing by that. Such an output is held as the suspect, until the output behind it tells
// what the suspect was. Example: A, B, C are owed. After the suspect B comes C: A was lost. After B comes A: B was one
// too many. After B comes B: the suspect was a wrong A.
func (a *StageChecker) field(q *queue, r *sim.Record, give func(*Violation)) {
	s := a.suspect[r.Port]
	if s == nil {
		if q.len() > 0 && same(&q.at(0).Record, r) {
			a.agree(q, r, give)
		} else {
			a.suspect[r.Port] = clone(r)
		}
		return
	}
	switch at := a.place(q, s, r); at {
	case -1:
		a.resolve(r.Port, true, give)
		a.suspect[r.Port] = clone(r)
		return
	case 0, 1:
		a.resolve(r.Port, at == 1, give)
	default:
		a.suspect[r.Port] = nil
		a.lose(q, at-1, s, give)
		a.agree(q, s, give)
	}
	a.agree(q, r, give)
}

// place finds output r, which came behind suspect s, among the owed records, counted from 0. It returns where r stands,
// and so what s was: 0 and s was one too many; 1 and s was wrong in place of the first; k + 1 and s was record k, the
// records before it were lost. It returns -1 if r stands nowhere. Where several fit, the time decides.
func (a *StageChecker) place(q *queue, s, r *sim.Record) (best int) {
	best, least := -1, uint64(0)
	for i := range max(2, min(q.len(), lookahead)) {
		at := i
		if i < 2 { // where time does not decide, a wrong record is likelier than one too many
			at = 1 - i
		}
		if at >= q.len() || !same(&q.at(at).Record, r) || at > 1 && !same(&q.at(at-1).Record, s) {
			continue
		}
		due := uint64(max(0, int64(q.at(at).ideal)+a.late[r.Port].usual)) // as early or late as the device is
		if off := distance(r.End, due); best < 0 || off < least {
			best, least = at, off
		}
	}
	return best
}

func distance(a, b uint64) uint64 { return max(a, b) - min(a, b) }

// lose reports the first n records that are owed as missing.
func (a *StageChecker) lose(q *queue, n int, r *sim.Record, give func(*Violation)) {
	for range n {
		give(a.missing(r.Port, r.End))
	}
}

// resolve reports the suspect of a port: wrong in place of the first owed record, or one too many.
func (a *StageChecker) resolve(port sim.Port, inPlace bool, give func(*Violation)) {
	s := a.suspect[port]
	if s == nil {
		return
	}
	a.suspect[port] = nil
	q := &a.owed[port]
	if !inPlace || q.len() == 0 {
		text := "a record that nothing asked for"
		if a.doubled(s) {
			text = "the last record came a second time"
		}
		give(a.extra(s, text))
		return
	}
	give(a.wrong(q.at(0), s))
	a.pop(q)
}

func (a *StageChecker) extra(r *sim.Record, text string) *Violation {
	return &Violation{Verdict: sim.Verdict{Rule: "EXTRA", Text: text}, Port: a.ports[r.Port].Name, Cycle: r.End,
		Got: clone(r)}
}

func (a *StageChecker) agree(q *queue, r *sim.Record, give func(*Violation)) {
	want := q.at(0)
	late := int64(r.End) - int64(want.ideal)
	a.late[r.Port].add(late)
	a.score.CycleError[r.Port].Add(late)
	w, from, what := a.policies[r.Port].Window, want.cause.End, "its input"
	if w != nil && w.From == FromModel {
		from, what = want.End, "the model's cycle"
		if w.Stalled {
			from = want.ideal
		}
	}
	after := int64(r.End - from)
	if order := cmp.Or(a.behind.judge(&want.Record), a.waits.judge(want, r)); order != nil {
		v := a.about(want, r.End)
		v.Verdict, v.Got = *order, clone(r)
		give(v)
	} else if w != nil && (after < int64(w.Min) || after > int64(w.Max)) {
		v := a.about(want, r.End)
		v.Rule, v.Got = "WINDOW", clone(r)
		v.Text = fmt.Sprintf("ended %d cycles after %s, the window is %d to %d", after, what, w.Min, w.Max)
		give(v)
	} else {
		a.score.Agreed++
	}
	l := &a.last[r.Port]
	if l.len() > 0 {
		l.pop()
	}
	l.push(&want.Record, r, false, 0)
	a.pop(q)
}

// about begins a violation that concerns an owed record.
func (a *StageChecker) about(want *owed, cycle uint64) *Violation {
	v := &Violation{Port: a.ports[want.Port].Name, Cycle: cycle, Packet: want.Cause, Known: true, User: want.cause.User,
		Want: clone(&want.Record)}
	if len(want.cause.Data) > 0 {
		v.Input = clone(&want.cause)
	}
	return v
}

// match finds r among the owed records: its place, or -1.
func (a *StageChecker) match(q *queue, r *sim.Record) int {
	for i := range min(q.len(), lookahead) {
		if same(&q.at(i).Record, r) {
			return i
		}
	}
	return -1
}

// doubled reports whether r repeats the record that agreed last and nothing owed has its bytes.
func (a *StageChecker) doubled(r *sim.Record) bool {
	l := &a.last[r.Port]
	return l.len() > 0 && same(&l.at(0).Record, r)
}

func (a *StageChecker) missing(port sim.Port, cycle uint64) *Violation {
	q := &a.owed[port]
	v := a.about(q.at(0), cycle)
	v.Rule, v.Text = "MISSING", "never came"
	a.pop(q)
	return v
}

func (a *StageChecker) wrong(want *owed, got *sim.Record) *Violation {
	v := a.about(want, got.End)
	v.Got = clone(got)
	switch {
	case same(&want.Record, got): // it stood there when nothing was owed
		v.Rule, v.Text = "EARLY", "what is due, but before what it follows from"
		return v
	case bytes.Equal(want.Data, got.Data):
		v.Rule, v.Text = "USER", "the bytes agree, the sideband does not"
		return v
	}
	v.Rule = "DATA"
	v.Text = fmt.Sprintf("first difference at byte %d of %d", FirstDifference(want.Data, got.Data), len(want.Data))
	if len(want.Data) != len(got.Data) {
		v.Text += fmt.Sprintf("; the device gave %d bytes", len(got.Data))
	}
	return v
}

// Finish reports what is still owed. The last record may have come, after some that did not.
func (a *StageChecker) Finish(cycle uint64, give func(*Violation)) {
	for p := range a.owed {
		q := &a.owed[p]
		if s := a.suspect[p]; s != nil && q.len() > 1 && same(&q.at(q.len()-1).Record, s) {
			a.suspect[p] = nil
			a.lose(q, q.len()-1, s, give)
			a.agree(q, s, give)
		}
		a.resolve(sim.Port(p), true, give)
		a.lose(q, q.len(), &sim.Record{Port: sim.Port(p), End: cycle}, give)
	}
}

// Latest is not known: a stage says what it owes when the input is taken, and DefaultDrain is longer than any latency.
func (a *StageChecker) Latest() uint64 { return 0 }

func (a *StageChecker) Score() Score {
	s := a.score
	if w, ok := a.stage.(interface{ Withheld() uint64 }); ok {
		s.Withheld = w.Withheld()
	}
	return s
}

func same(a, b *sim.Record) bool { return a.User == b.User && bytes.Equal(a.Data, b.Data) }

func FirstDifference(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

func clone(r *sim.Record) *sim.Record {
	c := *r
	c.Data = bytes.Clone(r.Data)
	return &c
}
