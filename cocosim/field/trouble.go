package field

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"hcacosim/model/ib"
)

// Trouble is one thing that is not as it should be, whether or not a rule is broken.
type Trouble struct {
	Kind string `json:"kind"`
	Flow string `json:"flow,omitempty"` // "A to B QP 3Fh"; empty: of the capture
	Text string `json:"text"`
	// Facts are the numbers of the text that were counted.
	Facts  map[string]uint64 `json:"facts,omitempty"`
	weight float64
}

// What is named as a trouble, and from where on.
const (
	slowAckNS     = 1_000_000 // median of ACK turn-round
	slowReadNS    = 1_000_000 // median of READ response
	fewSamples    = 8         // no median is talked of below this many
	shallowReads  = 16        // READs one at a time are named from this many on
	smallPMTU     = 1024      // a PMTU below this is named, if messages are longer
	someMiddles   = 16        // packets in the middle of messages that make messages long
	windowStalls  = 3         // times that a sender stood at the same window
	leastWindow   = 16        // packets of it
	creditStalls  = 1         // ACKs without credits
	maxOfOneKind  = 3         // flows that are named for one kind of trouble
	percentOfSame = 100
)

// name is what a host is called.
func (o *Observer) name(a netip.Addr) string {
	if n := o.opt.Names[a]; n != "" {
		return n
	}
	return a.String()
}

// FlowName names a direction for people.
func (o *Observer) FlowName(c *Conn) string {
	return fmt.Sprintf("%s to %s QP %Xh", o.name(c.Src), o.name(c.Dst), c.QPN)
}

// goes is the verb for what a host does, seen from the capture point: "sends", or "is seen to send" elsewhere.
func (o *Observer) seenAt(a netip.Addr) bool { return !o.atEnd || o.opt.Own == a }

// Weight orders directions by trouble: the most first. A connection that died weighs more than any resend.
func (c *Conn) Weight() float64 {
	w := float64(c.Again) + 4*float64(c.RNRs) + float64(c.SequenceNAKs) + 8*float64(c.Cause[Timeout].Times) +
		float64(c.CE) + float64(c.CNPs)
	if c.FatalNAKs > 0 {
		w += 1e6
	}
	if c.unanswered() {
		w += 1e5
	}
	return w
}

// unanswered reports whether nothing ever came back although answers were asked for.
func (c *Conn) unanswered() bool {
	return reliable(c.Service) && c.Responses == 0 && c.Unanswered > 0 && c.Again > 0 && c.hosts != nil &&
		!c.hosts.unpaired
}

// Troubles names what is not as it should be, the worst first.
func (o *Observer) Troubles() []Trouble {
	var list []Trouble
	add := func(t Trouble) {
		if t.Text != "" {
			list = append(list, t)
		}
	}
	o.each(func(c *Conn) {
		for _, f := range []func(*Conn) Trouble{o.fatalTrouble, o.deafTrouble, o.resendTrouble, o.notReadyTrouble,
			o.shallowTrouble,
			o.creditTrouble, o.windowTrouble, o.pmtuTrouble} {
			t := f(c)
			t.Flow = o.FlowName(c)
			add(t)
		}
	})
	o.lossTroubles(add)
	add(o.icrcTrouble())
	add(o.shortTrouble())
	o.Hosts(func(h *Host) { add(o.strangerTrouble(h)) })
	add(o.congestionTrouble())
	add(o.pauseTrouble())
	add(o.slowTrouble("slow ACKs", AckTurn, slowAckNS, "an ACK takes"))
	add(o.slowTrouble("slow READs", ReadTime, slowReadNS, "a READ or atomic is answered after"))
	slices.SortStableFunc(list, func(a, b Trouble) int { return cmp.Compare(b.weight, a.weight) })
	return few(list)
}

// few keeps the first of each kind and says how many more there are.
func few(list []Trouble) (out []Trouble) {
	count := map[string]int{}
	for _, t := range list {
		count[t.Kind]++
		if count[t.Kind] <= maxOfOneKind {
			out = append(out, t)
		}
	}
	for i := range out {
		if n := count[out[i].Kind]; n > maxOfOneKind {
			out[i].Text += fmt.Sprintf(" (and %s)", plural(uint64(n-1), "other flow"))
			count[out[i].Kind] = 0
		}
	}
	return out
}

func (o *Observer) fatalTrouble(c *Conn) (t Trouble) {
	if c.FatalNAKs == 0 {
		return t
	}
	if c.Fatal.Kind() != ib.KindNAK {
		return Trouble{Kind: "reserved syndrome", weight: 1e6, Facts: map[string]uint64{"packet": c.FatalPacket},
			Text: fmt.Sprintf("%s answers %s at QP %Xh with a %v in packet %d", o.name(c.Dst), o.name(c.Src), c.QPN, c.Fatal,
				c.FatalPacket)}
	}
	return Trouble{Kind: "fatal NAK", weight: 1e6, Facts: map[string]uint64{"packet": c.FatalPacket, "naks": c.FatalNAKs},
		Text: fmt.Sprintf("%s refuses what %s asks of QP %Xh: %v in packet %d, which ends the connection", o.name(c.Dst),
			o.name(c.Src), c.QPN,
			c.Fatal, c.FatalPacket)}
}

func (o *Observer) deafTrouble(c *Conn) (t Trouble) {
	if !c.unanswered() {
		return t
	}
	text := fmt.Sprintf("%s never answers %s: QP %Xh was sent %s in %v, %d of them again", o.name(c.Dst), o.name(c.Src),
		c.QPN,
		plural(c.Requests, "request"), span(c.LastNS-c.FirstNS), c.Again)
	if o.atEnd && o.opt.Own == c.Dst {
		text += "; the requests came to this end"
	}
	return Trouble{Kind: "no answer", weight: 1e5 + float64(c.Requests), Text: text,
		Facts: map[string]uint64{"requests": c.Requests, "again": c.Again}}
}

// resendTrouble says how much is sent again, and why.
func (o *Observer) resendTrouble(c *Conn) (t Trouble) {
	if c.Again == 0 || c.unanswered() {
		return t
	}
	verb := "sends to"
	if !o.seenAt(c.Src) {
		verb = "is seen here to send to"
	}
	t = Trouble{Kind: "resends", weight: float64(c.Again), Facts: map[string]uint64{"requests": c.Requests,
		"again": c.Again}}
	if share := c.Again * 1000 / c.Requests; share >= 500 {
		t.Kind, t.weight = "retransmission storm", 100*float64(c.Again)
	}
	t.Text = fmt.Sprintf("%s of what %s %s QP %Xh is sent again (%d of %d)", percent(c.Again, c.Requests), o.name(c.Src),
		verb, c.QPN, c.Again,
		c.Requests)
	var why []string
	for _, x := range [...]struct {
		cause cause
		text  string
		fact  string
	}{{SequenceNAK, "go-back-N after sequence NAKs", "nak"}, {Timeout, "timeouts", "timeout"}, {RNRNAK, "RNR NAKs", "rnr"},
		{ImpliedNAK, "implied NAKs", "implied"}, {Unexplained, "no cause seen", "unexplained"}} {
		s := c.Cause[x.cause]
		if s.Packets == 0 {
			continue
		}
		t.Facts[x.fact], t.Facts[x.fact+"_times"] = s.Packets, s.Times
		text := fmt.Sprintf("%s, %s", x.text, times(s.Times))
		if s.Times > 0 && s.Packets != s.Times {
			text += fmt.Sprintf(", about %s each", plural((s.Packets+s.Times/2)/s.Times, "packet"))
		}
		why = append(why, text)
	}
	if len(why) > 0 {
		t.Text += ": " + strings.Join(why, "; ")
	}
	return t
}

func (o *Observer) notReadyTrouble(c *Conn) (t Trouble) {
	if c.RNRs == 0 {
		return t
	}
	t = Trouble{Kind: "RNR", weight: float64(c.RNRs), Facts: map[string]uint64{"rnr_naks": c.RNRs, "requests": c.Requests}}
	if c.RNRs*10 >= c.Requests {
		t.Kind, t.weight = "RNR storm", 50*float64(c.RNRs)
	}
	t.Text = fmt.Sprintf("%s posts no receive WQE in time on QP %Xh: %s to %s, which ask for %v", o.name(c.Dst), c.QPN,
		plural(c.RNRs, "RNR NAK"), plural(c.Requests, "request"), time.Duration(ib.RNRTimerNs(c.RNRCode)))
	return t
}

func (o *Observer) shallowTrouble(c *Conn) (t Trouble) {
	n := uint64(c.Verbs[ib.VerbRead])
	if n < shallowReads || c.MaxReads != 1 {
		return t
	}
	return Trouble{Kind: "READ depth", weight: 2, Facts: map[string]uint64{"reads": n},
		Text: fmt.Sprintf("%s asks QP %Xh for one READ at a time (%d): a round trip each", o.name(c.Src), c.QPN, n)}
}

func (o *Observer) creditTrouble(c *Conn) (t Trouble) {
	if c.ZeroCredits < creditStalls {
		return t
	}
	return Trouble{Kind: "credits", weight: 3 * float64(c.ZeroCredits),
		Facts: map[string]uint64{"zero_credit_acks": c.ZeroCredits},
		Text: fmt.Sprintf("%s gives %s no credits in %s: SENDs to QP %Xh wait", o.name(c.Dst), o.name(c.Src),
			plural(c.ZeroCredits, "ACK"), c.QPN)}
}

func (o *Observer) windowTrouble(c *Conn) (t Trouble) {
	if c.AtWindow < windowStalls || c.MaxWindow < leastWindow || c.Requests < 2*uint64(c.MaxWindow) {
		return t
	}
	return Trouble{Kind: "window", weight: 1, Facts: map[string]uint64{"window": uint64(c.MaxWindow), "times": c.AtWindow},
		Text: fmt.Sprintf("%s stands at %d unacknowledged packets to QP %Xh, %s: a window that ACKs do not open fast enough",
			o.name(c.Src),
			c.MaxWindow, c.QPN, times(c.AtWindow))}
}

func (o *Observer) pmtuTrouble(c *Conn) (t Trouble) {
	n, middles := c.PMTUBytes, c.Middles
	if c.back != nil && c.back.PMTUBytes > 0 {
		n, middles = max(n, c.back.PMTUBytes), middles+uint64(c.back.Middles)
	}
	if n == 0 || n >= smallPMTU || middles < someMiddles {
		return t
	}
	return Trouble{Kind: "small PMTU", weight: 1, Facts: map[string]uint64{"pmtu": uint64(n)},
		Text: fmt.Sprintf("PMTU %d between %s and %s cuts messages into many packets (QP %Xh)", n, o.name(c.Src),
			o.name(c.Dst), c.QPN)}
}

// Loss is how many requests from one host to another did not come to the capture point whole, at least.
type Loss struct {
	Src, Dst   netip.Addr
	Lost, Came uint64
}

// Losses are the holes in what hosts sent. At an end its own sendings have none unless the capture missed them.
func (o *Observer) Losses() (list []Loss) {
	sums := map[[2]addr]*Loss{}
	o.each(func(c *Conn) {
		if c.Holes.Missing == 0 {
			return
		}
		k := [2]addr{c.key.src, c.key.dst}
		if sums[k] == nil {
			sums[k] = &Loss{Src: c.Src, Dst: c.Dst}
		}
		sums[k].Lost += c.Holes.Missing
		sums[k].Came += c.Requests
	})
	for _, l := range sums {
		list = append(list, *l)
	}
	slices.SortFunc(list, func(a, b Loss) int {
		return cmp.Or(cmp.Compare(b.Lost, a.Lost), a.Src.Compare(b.Src), a.Dst.Compare(b.Dst))
	})
	return list
}

func (o *Observer) lossTroubles(add func(Trouble)) {
	for _, l := range o.Losses() {
		text := fmt.Sprintf("at least %s of the requests from %s to %s did not come to the capture point whole (%d beside "+
			"%d that came)",
			percent(l.Lost, l.Lost+l.Came), o.name(l.Src), o.name(l.Dst), l.Lost, l.Came)
		if o.atEnd && o.opt.Own == l.Src {
			text = fmt.Sprintf("the capture itself misses at least %s that %s sent to %s", plural(l.Lost, "request"),
				o.name(l.Src), o.name(l.Dst))
		}
		add(Trouble{Kind: "loss", weight: 40 * float64(l.Lost), Facts: map[string]uint64{"lost": l.Lost, "came": l.Came},
			Text: text})
	}
}

func (o *Observer) shortTrouble() (t Trouble) {
	if o.Short == 0 {
		return t
	}
	return Trouble{Kind: "short frames", weight: 30 * float64(o.Short), Facts: map[string]uint64{"short": o.Short,
		"roce": o.RoCE}, Text: fmt.Sprintf("%s of the RoCE frames end before their length fields say (%d of %d)",
		percent(o.Short, o.RoCE), o.Short, o.RoCE)}
}

func (o *Observer) icrcTrouble() (t Trouble) {
	if o.BadICRC == 0 {
		return t
	}
	return Trouble{Kind: "bad ICRC", weight: 30 * float64(o.BadICRC), Facts: map[string]uint64{"bad_icrc": o.BadICRC,
		"roce": o.RoCE},
		Text: fmt.Sprintf("%s of the RoCE packets have a bad ICRC (%d of %d)", percent(o.BadICRC, o.RoCE), o.BadICRC, o.RoCE)}
}

// strangerTrouble tells of packets that no queue pair takes.
func (o *Observer) strangerTrouble(h *Host) (t Trouble) {
	if h.NotTaken == 0 {
		return t
	}
	text := fmt.Sprintf("%s came to %s and to none of its queue pairs, or to one in a state that takes none",
		plural(h.NotTaken, "packet"), o.name(h.IP))
	facts := map[string]uint64{"not_taken": h.NotTaken}
	if n := h.OtherPartition; n > 0 {
		text += fmt.Sprintf("; the P_Key of %d of them is of another partition (ADM-5)", n)
		facts["other_partition"] = n
	}
	return Trouble{Kind: "not taken", weight: 60 * float64(h.NotTaken), Facts: facts, Text: text}
}

func (o *Observer) congestionTrouble() (t Trouble) {
	var marks, cnps uint64
	o.each(func(c *Conn) { marks, cnps = marks+c.CE, cnps+c.CNPs })
	for _, d := range o.backs {
		marks += d.Marked
	}
	if marks+cnps == 0 {
		return t
	}
	text := fmt.Sprintf("congestion: %s marked by ECN, %s", plural(marks, "packet"), plural(cnps, "CNP"))
	if q := &o.Latency[CNPSpacing]; q.Count > 0 {
		text += fmt.Sprintf(", %v apart (median)", span(q.At(0.5)))
	}
	return Trouble{Kind: "congestion", weight: float64(marks + cnps), Text: text, Facts: map[string]uint64{"ecn": marks,
		"cnps": cnps}}
}

func (o *Observer) pauseTrouble() (t Trouble) {
	if o.PFCFrames == 0 {
		return t
	}
	var which []string
	for p, x := range o.PFC {
		if x.Pauses > 0 {
			which = append(which, fmt.Sprintf("priority %d %s", p, times(x.Pauses)))
		}
	}
	text := plural(o.PFCFrames, "PFC frame")
	if len(which) > 0 {
		text += ": " + strings.Join(which, ", ") + " paused"
	}
	return Trouble{Kind: "PFC", weight: 10 * float64(o.PFCFrames), Text: text,
		Facts: map[string]uint64{"pfc_frames": o.PFCFrames}}
}

func (o *Observer) slowTrouble(kind string, which int, from int64, words string) (t Trouble) {
	q := &o.Latency[which]
	if q.Count < fewSamples || q.At(0.5) < from {
		return t
	}
	where := "seen from the capture point"
	if o.atEnd {
		where = "seen from this end"
	}
	return Trouble{Kind: kind, weight: 1, Facts: map[string]uint64{"count": q.Count},
		Text: fmt.Sprintf("%s %v (median of %d, most %v, %s)", words, span(q.At(0.5)), q.Count, span(q.Most), where)}
}

func percent(n, of uint64) string {
	if of == 0 {
		return "0 %"
	}
	switch x := float64(n) * percentOfSame / float64(of); {
	case x < 0.1:
		return fmt.Sprintf("%.3f %%", x)
	case x < 10:
		return fmt.Sprintf("%.1f %%", x)
	default:
		return fmt.Sprintf("%.0f %%", x)
	}
}

func times(n uint64) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func plural(n uint64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// span is a time for people: three digits are enough.
func span(ns int64) time.Duration {
	unit := int64(1)
	for ns/unit >= 1000 {
		unit *= 10
	}
	return time.Duration((ns + unit/2) / unit * unit)
}
