package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"hcacosim/cocosim/flow"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// printer writes what people read: the first findings of form, the counts, a table of flows, the violations.
type printer struct {
	w    io.Writer
	left int
	held []string // findings of form, below the counts
	sel  selection
	card *ruleCard
}

// finding keeps what is wrong with a packet's form.
func (p *printer) finding(f *vectors.Frame, pkt *wire.Packet, text string) {
	if p.w == io.Discard || !p.sel.takesPacket(f.Number) {
		return
	}
	if p.left--; p.left < 0 {
		return
	}
	p.held = append(p.held, fmt.Sprintf("    packet %d, %s: %s", f.Number, pkt.Encap, text))
}

// maxFlowRows is how many flows are shown.
const maxFlowRows = 40

func (p *printer) capture(t *tally) {
	if p.w == io.Discard {
		return
	}
	fmt.Fprintf(p.w, "%s: %s, profile %s\n", t.File, where(t), t.Profile)
	p.headline(t)
	fmt.Fprintf(p.w, "  %d packets, %d RoCE, %d IB, %d bad ICRC, %d malformed, %d undecided\n", t.Packets, t.RoCE, t.IB,
		t.ICRCBad,
		t.Malformed, t.Undecided)
	for _, line := range p.held {
		fmt.Fprintln(p.w, line)
	}
	p.held = nil
	if r := t.report; r != nil && r.CutAt != 0 {
		fmt.Fprintf(p.w, "  not judged from packet %d on: the snap length cut it (capture whole frames)\n", r.CutAt)
	}
	p.falcon(t)
	if r := t.report; r != nil && (t.Falcon == nil || t.RoCE+t.IB > 0) {
		p.flows(t, r)
		p.latencies(t)
		p.inferred(r)
		p.odd(t, r)
		p.violations(t, r)
		p.counters(t)
	}
	fmt.Fprintln(p.w)
}

func where(t *tally) string {
	if t.Where == "wire" {
		return "seen on the wire"
	}
	return "taken " + t.Where
}

func (p *printer) flows(t *tally, r *flow.Report) {
	list := p.sel.flowsOf(r.Flows)
	if len(list) == 0 {
		return
	}
	w := tabwriter.NewWriter(p.w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "responder\tfrom\t\tpackets\tMB/s\tlosses\tagain\tnak\ttimeout\trnr\timplied\t?\t"+
		"NAKs\tRNRs\tcredits\tanswers\tforeseen\t")
	for i := range list[:min(maxFlowRows, len(list))] {
		f := &list[i]
		flowRow(w, end(f.IP, f.QPN), end(f.PeerIP, f.PeerQPN), f.Credit, fmt.Sprintf("%.1f", f.GoodputMBs), f)
	}
	if len(list) > 1 {
		sum := totalFlow(list)
		flowRow(w, fmt.Sprintf("%d flows", len(list)), "", "", "", &sum)
	}
	w.Flush()
	if n := len(list) - maxFlowRows; n > 0 {
		fmt.Fprintf(p.w, "  and %d more flows (--json has all)\n", n)
	}
	if r.More > 0 {
		fmt.Fprintf(p.w, "  and %d directions that were counted and given up, so that memory stays bounded\n", r.More)
	}
	if r.Unfollowed > 0 {
		fmt.Fprintf(p.w, "  %d packets of more flows than can be followed at a time were counted and not judged\n",
			r.Unfollowed)
	}
	for i := range list[:min(maxTimerRows, len(list))] {
		p.timer(&list[i], "timeout", &list[i].Timer)
		p.timer(&list[i], "RNR wait", &list[i].RNRTimer)
	}
	if r.Backward > 0 {
		fmt.Fprintf(p.w, "  time goes back at %d packets: gaps are not to be trusted\n", r.Backward)
	}
}

func end(ip string, qpn uint32) string {
	if qpn == 0 {
		return ip
	}
	return fmt.Sprintf("%s:%Xh", ip, qpn)
}

// timer shows gaps against their window; the excess is the device's and the machine's it ran on.
func (p *printer) timer(f *flow.Flow, name string, t *flow.Timer) {
	if t.Count == 0 {
		return
	}
	fmt.Fprintf(p.w, "  %s of %s: %d, least %v, median %v, most %v", name, end(f.PeerIP, f.PeerQPN), t.Count, ms(t.Least),
		ms(t.Median), ms(t.Most))
	if t.Bound > 0 {
		fmt.Fprintf(p.w, "; window from %v, median %v above", ms(t.Bound), ms(t.Median-t.Bound))
	}
	fmt.Fprintln(p.w)
}

func ms(ns int64) time.Duration { return time.Duration(ns).Round(time.Microsecond) }

// maxInferred is how many flows are shown with what was inferred.
const maxInferred = 3

// inferred says what was taken from the packets, where nobody told.
func (p *printer) inferred(r *flow.Report) {
	n := 0
	for i := range r.Flows {
		x := &r.Flows[i].Inferred
		if !x.Any {
			continue
		}
		if n++; n > maxInferred {
			continue
		}
		pmtu := "no PMTU seen"
		if x.PMTUSeen {
			pmtu = fmt.Sprintf("PMTU %d", x.PMTUBytes)
		}
		mixed := ""
		if x.Mixed {
			mixed = "; another connection has the same PSNs: not judged"
		}
		if x.CM {
			fmt.Fprintf(p.w, "  told by the connection manager for %s: from QP %06Xh, start PSN %06Xh, %s; REQ proposes "+
				"timeout code %d, %d retries\n", end(r.Flows[i].IP, r.Flows[i].QPN), r.Flows[i].PeerQPN,
				uint32(x.StartPSN), pmtu, x.Timeout, x.Retries)
			continue
		}
		fmt.Fprintf(p.w, "  inferred for %s: start PSN %06Xh, %s%s\n", end(r.Flows[i].IP, r.Flows[i].QPN), uint32(x.StartPSN),
			pmtu, mixed)
	}
	if n > 0 {
		fmt.Fprintln(p.w, "  not known: timeouts, keys, memory, receive WQEs (--config FILE tells them)")
	}
}

// maxOdd is how many odd packets are shown.
const maxOdd = 5

// odd lists what an endpoint received that no peer should have sent.
func (p *printer) odd(t *tally, r *flow.Report) {
	if r.Odd == 0 {
		return
	}
	fmt.Fprintf(p.w, "  received, not this end's fault: %d\n", r.Odd)
	for _, x := range r.Oddities[:min(maxOdd, len(r.Oddities))] {
		fmt.Fprintf(p.w, "    packet %-7d %s%-7s %s\n", x.Packet, t.when(x.Packet), x.Rule, x.Text)
	}
}

// shown is how many violations are listed without --show.
const shown = 20

func (p *printer) violations(t *tally, r *flow.Report) {
	for _, b := range r.Bugs {
		place := ""
		if b.Packet > 0 {
			place = fmt.Sprintf(", packet %d", b.Packet)
		}
		fmt.Fprintf(p.w, "  known bug (%s)%s: %s: %s\n", b.Field, place, b.Name, b.Text)
	}
	for _, n := range r.ICRC {
		fmt.Fprintf(p.w, "  %s\n", n.Text)
	}
	for _, why := range r.NotJudged {
		fmt.Fprintf(p.w, "  not judged: %s\n", why)
	}
	switch {
	case len(r.Violations) > 0:
	case r.Judged == 0:
		fmt.Fprintln(p.w, "  NOT JUDGED: nothing here could be held against the rules")
		return
	default:
		fmt.Fprintf(p.w, "  no violation in %d packets that were judged\n", r.Judged)
		return
	}
	fmt.Fprintf(p.w, "  violations: %d certain, %d possible\n", r.Certain, r.Possible)
	list := p.sel.findings(t, r.Violations)
	if n := len(r.Violations) - len(list); n > 0 {
		fmt.Fprintf(p.w, "    %d of them not selected\n", n)
	}
	for i, x := range list {
		if i == p.sel.show {
			fmt.Fprintf(p.w, "    and %d more (--show %d, or --json, which lists up to 1000)\n", len(list)-i, len(list))
			break
		}
		word := "certain "
		if !x.Certain() {
			word = "possible"
		}
		fmt.Fprintf(p.w, "    %s  packet %-7d %s%-7s %s\n", word, x.Packet, t.when(x.Packet), x.Rule, x.Text)
		if x.Folded > 0 {
			fmt.Fprintf(p.w, "              and %d packets folded under it\n", x.Folded)
		}
		if x.Evidence != "" {
			fmt.Fprintf(p.w, "              (%s)\n", x.Evidence)
		}
	}
	p.byRule(r)
	p.hints(r)
}

// byRule counts the findings of each rule.
func (p *printer) byRule(r *flow.Report) {
	var order []roce.Rule
	count := map[roce.Rule]int{}
	for i := range r.Violations {
		rule := r.Violations[i].Rule
		if count[rule]++; count[rule] == 1 {
			order = append(order, rule)
		}
	}
	if len(r.Violations) < 2 {
		return
	}
	fmt.Fprint(p.w, "  by rule:")
	for _, rule := range order {
		fmt.Fprintf(p.w, " %s %d", rule, count[rule])
	}
	fmt.Fprintln(p.w)
}

// maxHints is how many rules are shown with where to look.
const maxHints = 4

// hints say where to look for the rules that were broken, the most severe first.
func (p *printer) hints(r *flow.Report) {
	fmt.Fprintln(p.w, "  look at (`cosim explain RULE` says more)")
	var said []roce.Rule
	for i := range r.Violations {
		rule := r.Violations[i].Rule
		if slices.Contains(said, rule) || len(said) == maxHints {
			continue
		}
		said = append(said, rule)
		fmt.Fprintf(p.w, "    %-7s %s", rule, strings.TrimLeft(lookAt[string(rule)], " "))
	}
}

func (p *printer) total(t *tally) {
	fmt.Fprintf(p.w, "%s: %d packets, %d RoCE, %d IB, %d bad ICRC, %d malformed, %d undecided\n", t.File, t.Packets,
		t.RoCE, t.IB, t.ICRCBad,
		t.Malformed, t.Undecided)
}
