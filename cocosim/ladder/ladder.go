// Package ladder is what a page draws of an exchange of packets: who sent what when, what was lost or doubled on the
// way, what should have come and what came in its place. It holds the events packed, so that a hundred thousand of them
// are a few megabytes of JSON.
package ladder

import "hcacosim/model/psn"

// Kind is what an event is, to draw it and to filter by it.
type Kind uint8

// The kinds of event.
const (
	Request Kind = iota
	Response
	Again     // a request that was sent before; its Cause says why
	Duplicate // a request or response that came before
	Lost      // PSNs that are missing in front of a packet
	NAK
	RNR
	Broken // a violation of a rule, or an answer that is not the expected one
	Damaged
	Other
	kinds
)

// Kinds are the names of the kinds, by number.
var Kinds = [kinds]string{"request", "response", "retransmission", "duplicate", "lost or late", "NAK", "RNR NAK",
	"violation",
	"bad ICRC or malformed", "other"}

// plain reports whether an event of this kind may be left out where there are too many.
func (k Kind) plain() bool { return k == Request || k == Response || k == Other }

// Event is a packet or a record: a rung of the ladder.
type Event struct {
	Number   uint64 // in the capture or on the port, from 1
	At       int64  // ns or cycles, as Diagram.Unit says
	Flow     string
	Kind     Kind
	Back     bool // from the responder, or out of the device
	Op       string
	PSN      psn.PSN
	HasPSN   bool
	Syndrome string // of an answer that has one
	Cause    string // why it was sent again
	Text     string // what there is to say of it
	// Want is the expected answer in place of this one, in the words of Text; only of an answer that is not it.
	Want string
}

// Diagram is a list of events.
type Diagram struct {
	Name  string
	Unit  string    // "ns" or "cycles"
	Lanes [3]string // from left to right
	// Sides: the middle lane gives, the left one says what was expected, the right one what came. Else requests run from
	// the left lane to the right one and responses back, and the middle is the way between them.
	Sides bool
	// LeftOut counts events that were not kept because there were too many.
	LeftOut uint64

	cols  columns
	flows table
	texts table
	bytes int // of texts
}

// Bounds of a diagram: behind the first, only events that are not plain are kept; behind the second none.
const (
	mostEvents  = 100_000
	mostSpecial = 120_000
	mostText    = 1 << 20 // bytes of different texts; beyond, events have none
)

// columns are the events, each property apart: a list of small numbers packs better than a list of objects.
type columns struct {
	number, at         []int64 // less the one before
	flow, op, syndrome []int
	cause, text, want  []int
	kind               []int
	psn                []int // -1: none
	back               []byte
	lastNumber, lastAt int64
}

// table numbers strings by the order in which they come; "" is 0.
type table struct {
	list []string
	at   map[string]int
}

func (t *table) of(s string) int {
	if t.at == nil {
		t.list, t.at = []string{""}, map[string]int{"": 0}
	}
	n, ok := t.at[s]
	if !ok {
		n = len(t.list)
		t.list, t.at[s] = append(t.list, s), n
	}
	return n
}

// Len is how many events are kept.
func (d *Diagram) Len() int { return len(d.cols.kind) }

// Add takes an event, in the order of time.
func (d *Diagram) Add(e Event) {
	if n := d.Len(); n >= mostSpecial || n >= mostEvents && e.Kind.plain() {
		d.LeftOut++
		return
	}
	c := &d.cols
	c.number, c.lastNumber = append(c.number, int64(e.Number)-c.lastNumber), int64(e.Number)
	c.at, c.lastAt = append(c.at, e.At-c.lastAt), e.At
	c.flow, c.kind = append(c.flow, d.flows.of(e.Flow)), append(c.kind, int(e.Kind))
	c.op, c.syndrome = append(c.op, d.word(e.Op)), append(c.syndrome, d.word(e.Syndrome))
	c.cause, c.text, c.want = append(c.cause, d.word(e.Cause)), append(c.text, d.word(e.Text)), append(c.want,
		d.word(e.Want))
	back := byte('0')
	if e.Back {
		back = '1'
	}
	c.back = append(c.back, back)
	n := -1
	if e.HasPSN {
		n = int(e.PSN)
	}
	c.psn = append(c.psn, n)
}

// mostWord is the longest text of an event.
const mostWord = 400

// word is the number of a text, 0 where there is no more room.
func (d *Diagram) word(s string) int {
	if len(s) > mostWord {
		s = s[:mostWord] + " ..."
	}
	if _, known := d.texts.at[s]; !known {
		if d.bytes+len(s) > mostText {
			return 0
		}
		d.bytes += len(s)
	}
	return d.texts.of(s)
}

// Packed is a diagram as the script of the page takes it. Lists that are all 0 are left out.
type Packed struct {
	Name    string    `json:"name"`
	Unit    string    `json:"unit"`
	Lanes   [3]string `json:"lanes"`
	Sides   bool      `json:"sides,omitempty"`
	LeftOut uint64    `json:"left_out,omitempty"`
	Kinds   []string  `json:"kinds"`
	Flows   []string  `json:"flows"`
	Texts   []string  `json:"texts"`

	Number   []int64 `json:"n"`
	At       []int64 `json:"t"`
	Flow     []int   `json:"f,omitempty"`
	Kind     []int   `json:"k"`
	Op       []int   `json:"o,omitempty"`
	PSN      []int   `json:"p"`
	Syndrome []int   `json:"s,omitempty"`
	Cause    []int   `json:"c,omitempty"`
	Text     []int   `json:"x,omitempty"`
	Want     []int   `json:"w,omitempty"`
	Back     string  `json:"b"`
}

// Packed packs the diagram.
func (d *Diagram) Packed() *Packed {
	d.flows.of("")
	d.texts.of("")
	c := &d.cols
	return &Packed{Name: d.Name, Unit: d.Unit, Lanes: d.Lanes, Sides: d.Sides, LeftOut: d.LeftOut, Kinds: Kinds[:],
		Flows: d.flows.list, Texts: d.texts.list, Number: c.number, At: c.at, Flow: orNil(c.flow), Kind: c.kind,
		Op: orNil(c.op), PSN: c.psn, Syndrome: orNil(c.syndrome), Cause: orNil(c.cause), Text: orNil(c.text),
		Want: orNil(c.want), Back: string(c.back)}
}

func orNil(list []int) []int {
	for _, n := range list {
		if n != 0 {
			return list
		}
	}
	return nil
}
