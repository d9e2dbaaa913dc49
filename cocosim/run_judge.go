package cocosim

import (
	"cmp"
	"fmt"
	"hash/crc32"
	"slices"

	"hcacosim/model/sim"
)

// pendingInputs are the inputs of a port that were handed over but not taken yet, in order.
type pendingInputs struct {
	records []pendingInput
	head    int
	begun   bool // one was taken
}

type pendingInput struct {
	order uint64 // of all that was handed over
	offer *sim.Offer
	batch *heldBatch
}

// heldBatch is an input batch of which `left` records are not taken yet; at 0 it goes back to the generator.
type heldBatch struct {
	batch *sim.Offers
	left  int
}

func (p *pendingInputs) push(in pendingInput) {
	if p.head == len(p.records) {
		p.records, p.head = p.records[:0], 0
	}
	p.records = append(p.records, in)
}

// judge offers everything to the checker in the order of the cycles.
func (r *runner) judge() {
	ports := r.rc.Device.Ports()
	r.pending = make([]pendingInputs, len(ports))
	for s := range r.outputs {
		if s.ask != nil {
			l := r.waiting(ports)
			l.latest = r.rc.Checker.Latest()
			if b, ok := r.rc.Checker.(Backlogger); ok {
				l.owed, _ = b.Backlog()
			}
			s.ask <- l
			continue
		}
		if s.in != nil {
			held := &heldBatch{s.in, len(s.in.Offers)}
			for i := range s.in.Offers {
				o := &s.in.Offers[i]
				r.pending[o.Port].push(pendingInput{r.handed, o, held})
				r.handed++
			}
		}
		for i := 0; i < len(s.out.Records) && r.halted() == nil; i++ {
			rec := &s.out.Records[i]
			r.observe(rec, ports[rec.Port].Input)
		}
		r.deviceViolations()
		r.devicePrints()
		r.limit(s.out)
		r.spare <- s.out
	}
}

// limit stops a run that has found enough, or whose device owes more than any design can hold.
func (r *runner) limit(out *sim.Batch) {
	if r.halted() != nil {
		return
	}
	b, ok := r.rc.Checker.(Backlogger)
	if !ok {
		return
	}
	n, bytes := b.Backlog()
	if n <= MaxBacklog && bytes <= MaxBacklogBytes {
		return
	}
	r.violation(&Violation{Verdict: sim.Verdict{Rule: "SILENT", Text: fmt.Sprintf(
		"%d outputs are owed (%d bytes), more than any design holds: it takes inputs and does not answer", n, bytes)},
		Cycle: r.res.Cycles})
	r.halt.CompareAndSwap(nil, Errorf(Mismatch, "stopped at cycle %d: the device does not answer", r.res.Cycles))
}

// Backlogger is a checker that knows how much the device owes: output records, and their bytes.
type Backlogger interface {
	Backlog() (records, bytes uint64)
}

// waiting counts the inputs that the device has not taken, and names the port of one.
func (r *runner) waiting(ports []sim.PortSpec) (l left) {
	inputs, first := 0, r.handed
	for i := range r.pending {
		if ports[i].Input {
			inputs++
		}
		p := &r.pending[i]
		if k := len(p.records) - p.head; k > 0 {
			l.inputs, l.port = l.inputs+uint64(k), ports[i].Name
			first = min(first, p.records[p.head].order)
		}
	}
	l.cut = inputs > 1 && l.inputs == 1 && r.handed-first == 1
	return l
}

func (r *runner) observe(rec *sim.Record, input bool) {
	r.res.Cycles = max(r.res.Cycles, rec.End+1)
	r.res.Timed = mix(mix(mix(r.res.Timed, uint64(rec.Port)), rec.Start), rec.End)
	waited := rec.User
	if input {
		rec.User = 0 // of an echo it is no sideband
	}
	if r.rc.Tap != nil {
		r.rc.Tap(rec)
	}
	if input {
		r.taken(rec, waited)
		return
	}
	h := uint64(crc32.Checksum(rec.Data, castagnoli))<<32 | uint64(len(rec.Data))
	r.unasked++
	r.res.Digest = mix(mix(r.res.Digest, uint64(rec.Port)<<32|uint64(rec.User)), h)
	r.holds.leave(rec)
	r.rc.Checker.Output(rec, r.violation)
}

func (r *runner) taken(echo *sim.Record, waited uint32) {
	p := &r.pending[echo.Port]
	if p.head == len(p.records) || p.records[p.head].offer.Seq != echo.Seq {
		if r.turnErr == nil {
			r.turnErr = Errorf(BridgeFailed, "port %s: the bridge says that input %d was taken at cycle %d, out of turn",
				r.rc.Device.Ports()[echo.Port].Name, echo.Seq, echo.End)
		}
		return
	}
	front := p.records[p.head]
	p.head++
	r.mayWait(echo, waited, p.begun)
	r.holds.take(echo, waited, p.begun, r.violation)
	p.begun = true
	r.accepted = front.offer.Accepted(echo.Start, echo.End)
	if r.rc.Taken != nil {
		r.rc.Taken(&r.accepted)
	}
	r.unasked, r.lastTaken = 0, echo.End
	r.res.Packets++
	r.res.Bytes += uint64(len(r.accepted.Data))
	r.rc.Checker.Input(&r.accepted, front.offer.NotBefore, r.violation)
	if front.batch.left--; front.batch.left == 0 {
		select {
		case r.free <- front.batch.batch:
		default: // more than enough
		}
	}
}

// mayWait holds an input that was offered in vain for some cycles against what the device promises. The first of its
// port behind a reset may wait for as long as it likes.
func (r *runner) mayWait(echo *sim.Record, waited uint32, begun bool) {
	if !begun || int(echo.Port) >= len(r.rc.Waits) || r.rc.Waits[echo.Port] == nil {
		return
	}
	if most := *r.rc.Waits[echo.Port]; uint64(waited) > uint64(most) {
		text := fmt.Sprintf("a beat was offered in vain for %d cycles, and waits for %d at most whatever the outputs do",
			waited, most)
		r.violation(&Violation{Verdict: sim.Verdict{Rule: "RATE", Text: text}, Port: r.rc.Device.Ports()[echo.Port].Name,
			Cycle: echo.End, Packet: echo.Seq, Known: true})
	}
}

func (r *runner) deviceViolations() {
	if d, ok := r.rc.Device.(Violator); ok {
		for _, v := range d.Violations() {
			r.violation(v)
		}
	}
}

// devicePrints takes what the design printed: the first lines are kept, and of the others the last.
func (r *runner) devicePrints() {
	d, ok := r.rc.Device.(Printer)
	if !ok {
		return
	}
	lines, unkept := d.Prints()
	r.keepPrints(lines, uint64(len(lines))+unkept)
}

// keepPrints keeps lines of so many that were printed.
func (r *runner) keepPrints(lines []Print, printed uint64) {
	r.res.PrintCount += printed
	for _, p := range lines {
		if len(r.res.Prints) >= MaxPrints {
			copy(r.res.Prints[MaxPrints/2:], r.res.Prints[MaxPrints/2+1:])
			r.res.Prints = r.res.Prints[:MaxPrints-1]
		}
		r.res.Prints = append(r.res.Prints, p)
	}
}

// violation counts a violation, and keeps it if it is one of the earliest. One that stands for others nobody has seen.
func (r *runner) violation(v *Violation) {
	r.count(v)
	if v.Count > 1 {
		return
	}
	at, _ := slices.BinarySearchFunc(r.res.Violations, v, func(have, v *Violation) int {
		return cmp.Or(cmp.Compare(have.Cycle, v.Cycle), cmp.Compare(rank(have.Rule), rank(v.Rule)), -1)
	})
	if at < r.rc.Keep {
		r.res.Violations = slices.Insert(r.res.Violations, at, v)
		r.res.Violations = r.res.Violations[:min(len(r.res.Violations), r.rc.Keep)]
	}
}

// rank orders what is found in one cycle: a rate that does not hold is named last, for what a wrong record differs in
// says more than how long it took.
func rank(rule sim.Rule) int {
	if rule == "RATE" {
		return 1
	}
	return 0
}

// count counts a violation, and stops the run when there are enough.
func (r *runner) count(v *Violation) {
	n := max(1, v.Count)
	r.res.Mismatched += n
	what := ruleOnPort{v.Rule, v.Port}
	c := r.counts[what]
	if c == nil {
		c = &Count{Rule: v.Rule, Port: v.Port, First: v.Cycle}
		r.counts[what] = c
	}
	c.N += n
	c.First = min(c.First, v.Cycle)
	if r.res.Mismatched >= r.rc.MaxMismatches {
		what := fmt.Sprintf("stopped after %d mismatches", r.res.Mismatched)
		if r.unasked > 1 {
			what += fmt.Sprintf("; it gave %d outputs since it took its last input in cycle %d", r.unasked, r.lastTaken)
		}
		r.halt.CompareAndSwap(nil, &Error{Exit: Mismatch, What: what, Do: "--max-mismatches sets how many"})
	}
}

// sortedCounts are the counts, the rule that was broken first in front.
func (r *runner) sortedCounts() []Count {
	var all []Count
	for _, c := range r.counts {
		all = append(all, *c)
	}
	slices.SortFunc(all, func(a, b Count) int {
		return cmp.Or(cmp.Compare(a.First, b.First), cmp.Compare(rank(a.Rule), rank(b.Rule)),
			cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Port, b.Port))
	})
	return all
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// mix folds v into a running 64-bit hash.
func mix(h, v uint64) uint64 {
	h = (h ^ v) * 0x9E3779B97F4A7C15
	return h ^ h>>29
}
