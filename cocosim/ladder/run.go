package ladder

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hcacosim/cocosim"
	"hcacosim/cocosim/report"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// Records of a run that are drawn in front of its first mismatch and behind it.
const (
	runBefore = 400
	runAfter  = 100
)

// Run draws what went into a device and what came out of it around its first mismatch; the expected answer stands
// beside the one that came. given are the records of the run, as session.Options.Tap saw them.
func Run(rep *report.Report, given []sim.Record) *Diagram {
	d := &Diagram{Name: rep.Dut, Unit: "cycles", Lanes: [3]string{"expected", "stimulus", "device"}, Sides: true}
	r := runner{rep: rep, flows: map[uint64]string{}, links: map[uint64]wire.Link{},
		wrong: map[place]*cocosim.Violation{}}
	life := 0 // the records are those of the first mismatch's life, or of the run
	for i, v := range rep.Result.Violations {
		if i == 0 && v.Life > 0 {
			life = v.Life
			d.Name = fmt.Sprintf("%s, life %d, ended by a reset before the run", rep.Dut, life)
		}
		if v.Got != nil && v.Life == life {
			r.wrong[place{v.Got.Port, v.Got.Seq}] = v
		}
	}
	var all []timed
	for i := range given {
		all = append(all, timed{given[i].End, r.event(&given[i])})
	}
	for _, v := range rep.Result.Violations {
		if v.Got == nil && v.Life == life {
			all = append(all, timed{v.Cycle, r.absent(v)})
		}
	}
	slices.SortStableFunc(all, func(a, b timed) int { return cmp.Compare(a.cycle, b.cycle) })
	from, to := window(all)
	d.LeftOut = uint64(len(all) - (to - from))
	for _, e := range all[from:to] {
		d.Add(e.event)
	}
	return d
}

type timed struct {
	cycle uint64
	event Event
}

type place struct {
	port sim.Port
	seq  uint64
}

// window is the part of the events that is drawn.
func window(all []timed) (from, to int) {
	first := slices.IndexFunc(all, func(e timed) bool { return e.event.Kind == Broken })
	if first < 0 {
		return max(0, len(all)-runBefore), len(all)
	}
	return max(0, first-runBefore), min(len(all), first+runAfter)
}

// runner turns the records of a run into events.
type runner struct {
	rep   *report.Report
	wrong map[place]*cocosim.Violation
	// Of inputs, by Seq: what comes of them belongs to their flow and their link.
	flows map[uint64]string
	links map[uint64]wire.Link
}

func (r *runner) event(rec *sim.Record) Event {
	port := r.rep.Ports[rec.Port]
	e := r.read(rec)
	e.Back = !port.Input
	if port.Input {
		r.flows[rec.Seq] = e.Flow
		return e
	}
	if e.Kind == Request {
		e.Kind = Response
	}
	if e.Flow == "" {
		e.Flow = r.flows[rec.Cause]
	}
	if v := r.wrong[place{rec.Port, rec.Seq}]; v != nil {
		e.Kind, e.Cause = Broken, r.rep.Signature(v)
		e.Text = fmt.Sprintf("%s (%s)", e.Text, v.Text)
		e.Want = "nothing"
		if v.Want != nil {
			e.Want = r.read(v.Want).said()
		}
		for _, d := range r.rep.Differences(v) {
			e.Text += fmt.Sprintf(" | %s: want %s, got %s", d.Name, d.Want, d.Got)
		}
	}
	return e
}

// said is an event in words.
func (e Event) said() string {
	var parts []string
	number := ""
	if e.HasPSN {
		number = fmt.Sprintf("%06x", uint32(e.PSN))
	}
	for _, s := range []string{e.Op, number, e.Syndrome, e.Text} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, " ")
}

// absent is an answer that did not come, or a rule that was broken without a record.
func (r *runner) absent(v *cocosim.Violation) Event {
	e := Event{At: int64(v.Cycle), Kind: Broken, Back: true, Cause: r.rep.Signature(v), Text: v.Text}
	if v.Want != nil {
		want := r.read(v.Want)
		e.Flow, e.PSN, e.HasPSN, e.Op = want.Flow, want.PSN, want.HasPSN, want.Op
		e.Want, e.Text = want.said(), "nothing came: "+v.Text
	}
	return e
}

// read is what a record says.
func (r *runner) read(rec *sim.Record) Event {
	e := Event{Number: rec.Seq + 1, At: int64(rec.End)}
	port := r.rep.Ports[rec.Port]
	if port.Kind == sim.Axis {
		r.packet(&e, rec)
		return e
	}
	var rest []string
	for _, f := range r.rep.Fields(port.Name, rec.Data) {
		n, err := strconv.ParseUint(strings.TrimSuffix(f.Value, "h"), 16, 64)
		if err != nil || !e.field(f.Name, n, port.Input) {
			switch {
			case f.Value == "0h":
			case f.Name == "op": // what is asked for comes first
				rest = slices.Insert(rest, 0, f.Name+"="+f.Value)
			default:
				rest = append(rest, f.Name+"="+f.Value)
			}
		}
	}
	e.Text = strings.Join(rest, " ")
	return e
}

// progress are fields of an answer that say how far a queue pair is; they are drawn in place of the PSN of an answer,
// which is 0 where nothing is sent.
var progress = map[string]string{"epsn_after": "ePSN", "una": "una", "request_base": "base"}

// field takes a field that an event has a place for.
func (e *Event) field(name string, n uint64, input bool) bool {
	switch {
	case !input && progress[name] != "":
		e.PSN, e.HasPSN, e.Op = psn.New(uint32(n)), true, progress[name]
	case name == "qpn" || name == "conn":
		e.Flow = fmt.Sprintf("QP %x", n)
	case name == "opcode":
		e.Op = opName(ib.Opcode(n))
	case name == "syndrome" && n == 0:
		return true // of a record without an answer, most of the time
	case name == "syndrome":
		s := ib.Syndrome(n)
		e.Syndrome = s.String()
		switch s.Kind() {
		case ib.KindNAK:
			e.Kind = NAK
		case ib.KindRNR:
			e.Kind = RNR
		}
	case input && (name == "psn" || name == "psn_a"):
		e.PSN, e.HasPSN = psn.New(uint32(n)), true
	default:
		return false
	}
	return true
}

// packet is what a packet says.
func (r *runner) packet(e *Event, rec *sim.Record) {
	link := r.links[rec.Cause]
	if port := r.rep.Ports[rec.Port]; port.Input {
		if link = wire.LinkIB; port.UserBits > 0 {
			link = wire.Link(rec.User & 1)
		}
		r.links[rec.Seq] = link
	}
	var w wire.Packet
	wire.Decode(link, rec.Data, &w)
	e.Text = fmt.Sprintf("%d bytes", len(rec.Data))
	if user := r.rep.User(r.rep.Ports[rec.Port].Name, rec.User); user != "" {
		e.Text += ", " + user
	}
	if w.BTH() == nil {
		return
	}
	e.Op, e.PSN, e.HasPSN = opName(w.BTH().Opcode()), w.BTH().PSN(), true
	e.Flow = fmt.Sprintf("QP %x", w.BTH().DestQP())
	if a := w.AETH(); a != nil {
		e.Syndrome = a.Syndrome().String()
	}
	e.Text += ", " + vectors.Summary(&w)
}
