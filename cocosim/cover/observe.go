package cover

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"hcacosim/docs"
	"hcacosim/model/sim"
)

// Observer fills a sheet from the records of a device.
type Observer struct {
	*Sheet
	spec    *sim.StageSpec
	numQPs  uint64
	paired  sim.Port                  // the output whose k-th record answers the k-th input
	silent  sim.Port                  // the input whose records get no answer; 0 is none
	asks    func(in *sim.Record) bool // reports whether an input is one that paired answers; nil: every one but silent's
	pending waitingInputs             // inputs whose answer has not come
	pair    func(in, out *sim.Record) // of the stage
	other   func(out *sim.Record)     // what comes on further outputs
	bits    map[sim.Port]*bitCounter
	inputs  []sim.Port
	pace    *Group
	conditions
	began   []func() // what a run counts when it begins
	lastEnd uint64
	seen    uint64

	// The golden model beside the device says which answers are wrong; nil where order or time is the device's choice.
	golden  sim.Stage
	restart []func() // forget what is known of the device's state
	want    []sim.Record
	blame   func(in *sim.Record, want []byte) string // the rule that a wrong answer breaks, "" where none is certain
	broken  map[string]uint64
}

// New makes the observer of a stage with its declared sheet.
func New(spec *sim.StageSpec, settings sim.Settings) *Observer {
	o := &Observer{Sheet: NewSheet(spec.Name), spec: spec, bits: map[sim.Port]*bitCounter{}, broken: map[string]uint64{},
		numQPs: settings.Get("NumQps", mostQPs)}
	if spec.Checker == nil {
		o.golden = spec.New(settings)
	}
	for i, p := range spec.Ports {
		if p.Input {
			o.inputs = append(o.inputs, sim.Port(i))
		} else if o.paired == 0 {
			o.paired = sim.Port(i)
		}
	}
	if declare := declarations[spec.Name]; declare != nil {
		declare(o, settings)
	}
	o.declarePace()
	o.declareConditions(settings)
	o.declareBits()
	return o
}

// mostQPs is how many QPs a device has where nothing else is said: no block has more.
const mostQPs = 65536

// declarations are the sheets of the stages that have more than pace and bits.
var declarations = map[string]func(*Observer, sim.Settings){}

// Taken takes an input as the device took it. It is what session.Options.Taken wants.
func (o *Observer) Taken(r *sim.Record) {
	o.countBits(r)
	o.countPace(r)
	if r.Port != 0 && r.Port == o.silent || o.asks != nil && !o.asks(r) {
		o.expect(r)
		return
	}
	o.pending.push(r)
	o.expect(r)
}

// Tap takes an output of the device; inputs it leaves to Taken. It is what session.Options.Tap wants.
func (o *Observer) Tap(r *sim.Record) { o.Answer(r, true) }

// Answer is Tap of a device whose ports are not those of the stage: r is what the model answers, and right says that
// the device gave that. The Observer is what adapt.View.Watch wants.
func (o *Observer) Answer(r *sim.Record, right bool) {
	if o.spec.Ports[r.Port].Input {
		return
	}
	o.countBits(r)
	o.countStall(r)
	switch {
	case r.Port == o.paired:
		in := o.pending.pop()
		if in == nil {
			if o.golden != nil {
				o.Extra()
			}
			return
		}
		o.compare(in, r, right)
		if o.record, o.from = in.Seq, in.Port; o.pair != nil {
			o.pair(in, r)
		}
	case o.other != nil:
		o.record, o.from = r.Cause, o.inputs[min(int(r.From), len(o.inputs)-1)]
		o.other(r)
	}
}

// Extra counts a record that nothing asked for: which input it is about nobody knows, and so no rule.
func (o *Observer) Extra() { o.broken[""]++ }

func (o *Observer) countBits(r *sim.Record) {
	if b := o.bits[r.Port]; b != nil {
		o.record, o.from = r.Seq, r.Port
		b.count(o.Sheet, r.Data)
	}
}

// expect notes what the golden model answers an input with.
func (o *Observer) expect(in *sim.Record) {
	if o.golden == nil {
		return
	}
	for _, out := range o.golden.Advance(in.End, []sim.Record{*in}, nil) {
		if out.Port == o.paired {
			out.Data = bytes.Clone(out.Data)
			o.want = append(o.want, out)
		}
	}
}

// compare notes the rule that an answer breaks.
func (o *Observer) compare(in, got *sim.Record, right bool) {
	if len(o.want) == 0 {
		return
	}
	want := o.want[0]
	o.want = o.want[1:]
	if right && want.User == got.User && bytes.Equal(want.Data, got.Data) {
		return
	}
	rule := ""
	if o.blame != nil {
		rule = o.blame(in, want.Data)
	}
	o.broken[rule]++
}

// Broken counts wrong answers by the rule that they break; "" where none is certain.
func (o *Observer) Broken() map[string]uint64 { return o.broken }

// gaps are cycles between two records, or between two of one QP.
var gaps = Axis{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9 to 16", "17 to 64", "more"}

// distancesInTime are cycles from a record of a QP to its next: 1 is back to back.
var distancesInTime = Axis{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10 to 17", "18 to 65", "more"}

func gapOf(cycles uint64) int {
	switch {
	case cycles <= 8:
		return int(cycles)
	case cycles <= 16:
		return 9
	case cycles <= 64:
		return 10
	}
	return 11
}

// declarePace has how close behind one another records are taken, in idle cycles between them.
func (o *Observer) declarePace() { o.pace = o.cross("idle cycles before an input", nil, gaps) }

// NeverWaits says that the device of these runs takes an input in every cycle: no bin of pace is waited for.
func (o *Observer) NeverWaits() {
	for i := range o.pace.Bins[1:] {
		o.pace.Bins[i+1].Ignored = unwaited + "the golden model in place of the device never waits"
	}
	for _, at := range o.outputs {
		o.neverHeld(at, unwaited+"the golden model in place of the device never waits")
	}
}

func (o *Observer) countPace(r *sim.Record) {
	o.record, o.from = r.Seq, r.Port
	if o.seen++; o.seen > 1 && r.Start > o.lastEnd {
		o.hit(o.pace, gapOf(r.Start-o.lastEnd-1))
	}
	o.lastEnd = r.End
}

// declareBits has every bit of every record port at both values, named by the fields of the block's document.
func (o *Observer) declareBits() {
	fields := fieldsOf(o.Stage)
	for i, p := range o.spec.Ports {
		if p.Kind != sim.Fields || fields[p.Name] == nil {
			continue
		}
		var names Axis
		for _, f := range fields[p.Name] {
			for bit := f.Low; bit <= f.High; bit++ {
				names = append(names, fmt.Sprintf("%s[%d]", f.Name, bit-f.Low))
			}
		}
		g := o.cross("bits of "+p.Name, o.ignoreBits(p.Name, names), names, Axis{"0", "1"})
		o.bits[sim.Port(i)] = newBitCounter(g, len(names))
	}
}

// ignoreBits leaves out what no record can have.
func (o *Observer) ignoreBits(port string, names Axis) func([]int, *Bin) {
	stage := o.Stage
	return func(at []int, b *Bin) {
		n := names[at[0]]
		if stage == "hca_rx" {
			b.Ignored = ignoreReceive(port, n, at[1])
			return
		}
		if stage == "hca_tx" {
			b.Ignored = joinedIgnored(port, n, at[1])
			return
		}
		switch {
		case at[1] == 0:
		case strings.HasPrefix(n, "0[") || strings.HasPrefix(n, "reserved"):
			b.Ignored = "always 0 by the document"
		case stage == "qp_ctl":
			b.Ignored = ignoreRegisters(port, n)
		case stage == "replay_fifo" && n == "slot[4]":
			b.Ignored = "no QP keeps more than 16"
		case stage == "sq_retire" && port == "m_rec" && slices.Contains(beyondDepth8, n):
			b.Ignored = "deeper queues: at Depth 64 only"
		case port == "m_cqe" && len(n) == 7 && n >= "qpn[12]" && strings.HasPrefix(n, "qpn["):
			b.Ignored = "a completion is of a QP that is there, of 4096 by default"
		case port == "m_rec" && n == "syndrome[7]":
			b.Ignored = "a syndrome with bit 7 is never given (REQ-4, RSP-1)"
		case port == "m_hdr" && strings.HasPrefix(n, "vlan") && neverInTPID(n):
			b.Ignored = "the TPID is 8100h or 88A8h"
		case (stage == "rx_dma" || stage == "read_place" && port == "m_mem") &&
			(n == "bytes[13]" || n == "bytes[14]" || n == "bytes[15]"):
			b.Ignored = "a payload has 4096 bytes at most"
		case stage == "read_engine":
			b.Ignored = ignoreRead(n)
		case (port == "m_exp" || port == "m_turn") && strings.HasPrefix(n, "qpn["):
			b.Ignored = o.ignoreHighQPN(n)
		}
	}
}

// beyondDepth8 are bits of slots and numbers of WQEs that a queue of 8 has not.
var beyondDepth8 = []string{"slot[3]", "slot[4]", "slot[5]", "ended[4]", "ended[5]", "ended[6]", "count[4]", "count[5]",
	"count[6]"}

// neverInTPID reports whether a bit of a VLAN tag, "vlan0[17]", is 0 in both TPIDs.
func neverInTPID(name string) bool {
	var tag, at int
	if _, err := fmt.Sscanf(name, "vlan%d[%d]", &tag, &at); err != nil || at < 16 {
		return false
	}
	return (0x8100|0x88A8)>>(at-16)&1 == 0
}

// ignoreHighQPN: a timer that expires is of a QP that is there, as a turn is.
func (o *Observer) ignoreHighQPN(name string) string {
	bit := 0
	if _, err := fmt.Sscanf(name, "qpn[%d]", &bit); err == nil && 1<<bit >= o.numQPs {
		return fmt.Sprintf("the device has %d QPs", o.numQPs)
	}
	return ""
}

// fieldsOf are the fields of the record ports of a stage as its document has them, by port.
func fieldsOf(stage string) map[string][]docs.Field {
	all := map[string][]docs.Field{}
	for _, file := range docs.BlockFiles() {
		if file != "blocks/"+stage+".md" {
			continue
		}
		tables, err := docs.Tables(docs.Block(file))
		if err != nil {
			return nil
		}
		for _, t := range tables {
			if port := portOf(t.Before); port != "" && all[port] == nil {
				all[port] = t.Fields
			}
		}
	}
	return all
}

// headPort is the port in the head of its table.
var headPort = regexp.MustCompile("`([sm]_\\w+)` bits \\| field \\|[^\n]*\n$")

// portOf is the port that the head of a table names, or the last one that the text before it does.
func portOf(before string) (port string) {
	if m := headPort.FindStringSubmatch(before); m != nil {
		return m[1]
	}
	at := -1
	for _, name := range []string{"s_rec", "m_rec", "s_op", "m_op", "m_exp", "m_hdr", "m_gate", "s_bus",
		"s_event", "m_bus"} {
		if i := strings.LastIndex(before, "`"+name+"`"); i > at {
			at, port = i, name
		}
		if i := strings.LastIndex(before, name); i > at {
			at, port = i, name
		}
	}
	return port
}

// Add adds what another observer of the same stage counted. Bins that only one of the two declares, for their sizes
// differ, are kept apart by name.
func (o *Observer) Add(p *Observer) error {
	for rule, n := range p.broken {
		o.broken[rule] += n
	}
	return o.Merge(p.Sheet)
}
