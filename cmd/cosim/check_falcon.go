package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"hcacosim/cocosim/falconflow"
	"hcacosim/cocosim/flow"
)

// falconFlow names one way of a connection.
func falconFlow(f *falconflow.Flow) string { return falconflow.FlowName(f.Src, f.Dst, f.CID) }

// falconFlows are the ways that are shown. None is of a queue pair.
func (s *selection) falconFlows(all []falconflow.Flow) []falconflow.Flow {
	return slices.DeleteFunc(slices.Clone(all), func(f falconflow.Flow) bool {
		return s.hasQP || !strings.Contains(falconFlow(&f), s.flow)
	})
}

// falconFindings are those that are shown.
func (s *selection) falconFindings(t *tally) []falconflow.Finding {
	return s.falconOf(t, t.Falcon.Findings)
}

func (s *selection) falconOf(t *tally, all []falconflow.Finding) []falconflow.Finding {
	return slices.DeleteFunc(slices.Clone(all), func(x falconflow.Finding) bool {
		after := time.Duration(x.AtNs - t.watched.FirstNS)
		return s.hasQP || !s.takesPacket(x.Packet) || s.rule != "" && string(x.Rule) != s.rule ||
			after < s.after || after > s.til || !strings.Contains(x.Flow, s.flow)
	})
}

// join lists Falcon's findings among those of RoCE, in the same shape: who reads them does not care which it is.
func (t *tally) join() {
	if t.Falcon == nil {
		return
	}
	for _, x := range t.Falcon.Findings {
		f := flow.Finding{Packet: x.Packet, Verdict: x.Verdict, Flow: x.Flow, Folded: x.Folded}
		if f.Certain() {
			t.Violation = append(t.Violation, f)
		} else {
			t.Possible = append(t.Possible, f)
		}
		if len(t.marks) < maxMarks {
			t.marks[x.Packet] = mark{afterNS: x.AtNs - t.watched.FirstNS, flow: x.Flow}
		}
	}
	for _, list := range [][]flow.Finding{t.Violation, t.Possible} {
		slices.SortStableFunc(list, func(a, b flow.Finding) int { return cmp.Compare(a.Packet, b.Packet) })
	}
}

// falconHeadline says of a capture of Falcon only what an engineer would say.
func (t *tally) falconHeadline() []string {
	r := t.Falcon
	ways := countOf(uint64(len(r.Flows)), "way of a connection", "ways of connections")
	return []string{fmt.Sprintf("%s, %s; %s", countOf(r.Packets, "Falcon packet", "Falcon packets"), ways, t.verdict())}
}

// falconLive prints at once what the last Falcon packet brought.
func (p *printer) falconLive(t *tally) {
	for _, x := range t.falcon.Fresh() {
		if p.w == io.Discard || len(p.sel.falconOf(t, []falconflow.Finding{x})) == 0 {
			continue
		}
		word := "possible"
		if x.Certain {
			word = "certain "
		}
		after := time.Duration(x.AtNs - t.watched.FirstNS)
		fmt.Fprintf(p.w, "%s  packet %-7d %-12s %-7s %s\n", word, x.Packet, fmt.Sprintf("+%.6fs", after.Seconds()), x.Rule,
			x.Text)
	}
}

// placeDoubts says why the capture may have been taken elsewhere than at the end that it is judged at. Falcon packets
// tell, too, which end that is.
func (t *tally) placeDoubts(in *checkInput) {
	t.doubts = t.report.Doubts
	switch own, r := in.own(), t.Falcon; {
	case r == nil || !own.IsValid() || t.watched.Seen(own):
	case r.AtOwn:
		t.doubts = nil
	case t.RoCE+t.IB == 0:
		t.doubts = []string{fmt.Sprintf("no Falcon packet is from or to %v: is --at right?", own)}
	}
}

// falcon prints what was found in Falcon packets.
func (p *printer) falcon(t *tally) {
	r := t.Falcon
	if r == nil {
		return
	}
	fmt.Fprintf(p.w, "  Falcon: %d packets, %d read, %d bad ICV, %d malformed, %d PSP of others\n", r.Packets, r.Read,
		r.ICVBad, r.Malformed, r.OtherPSP)
	for _, why := range slices.Sorted(maps.Keys(r.NotJudged)) {
		fmt.Fprintf(p.w, "    not judged: %d: %s\n", r.NotJudged[why], why)
	}
	if r.Unpaired > 0 {
		fmt.Fprintf(p.w, "    %d ways of connections: which two belong together no packet tells; not held against each "+
			"other\n",
			r.Unpaired)
	}
	if r.Unfollowed > 0 {
		fmt.Fprintf(p.w, "    %d packets of more connections than can be followed: judged by themselves only\n", r.Unfollowed)
	}
	for i, x := range r.Unsure {
		if i == maxUnsure {
			fmt.Fprintf(p.w, "    and %d more of these (--json has them)\n", len(r.Unsure)-i)
			break
		}
		fmt.Fprintf(p.w, "    nothing is certain between %s and %s from packet %d on: %s\n", x.A, x.B, x.From, x.Why)
	}
	p.falconFlows(r)
	switch {
	case r.Certain+r.Possible > 0:
		p.falconFindings(t)
	case r.Unfollowed > 0:
		fmt.Fprintln(p.w, "  Falcon: no violation in what was followed")
	case r.Judged() == 0:
		fmt.Fprintln(p.w, "  Falcon: NOT JUDGED: nothing here could be held against the rules")
	default:
		fmt.Fprintln(p.w, "  Falcon: no violation")
	}
}

// maxUnsure is how many pairs of hosts are shown of which nothing is certain.
const maxUnsure = 4

// falconFindings lists the findings that are selected, and where to look.
func (p *printer) falconFindings(t *tally) {
	r := t.Falcon
	fmt.Fprintf(p.w, "  Falcon violations: %d certain, %d possible\n", r.Certain, r.Possible)
	list := p.sel.falconFindings(t)
	if n := len(r.Findings) - len(list); n > 0 {
		fmt.Fprintf(p.w, "    %d of them not selected\n", n)
	}
	var said []string
	for i, x := range list {
		if i == p.sel.show {
			fmt.Fprintf(p.w, "    and %d more (--show %d, or --json, which lists up to 1000)\n", len(list)-i, len(list))
			break
		}
		word := "certain "
		if !x.Certain {
			word = "possible"
		}
		fmt.Fprintf(p.w, "    %s  packet %-7d %-7s %s\n", word, x.Packet, x.Rule, x.Text)
		if x.Folded > 0 {
			fmt.Fprintf(p.w, "              and %d packets folded under it\n", x.Folded)
		}
		if !slices.Contains(said, string(x.Rule)) && len(said) < maxHints {
			said = append(said, string(x.Rule))
		}
	}
	if n := r.Certain + r.Possible - uint64(len(r.Findings)); n > 0 {
		fmt.Fprintf(p.w, "    and %d beyond the 1000 that are kept: the certain ones first, and the first of each rule and "+
			"way\n", n)
	}
	if len(r.ByRule) > 0 && r.Certain+r.Possible > 1 {
		fmt.Fprint(p.w, "  by rule:")
		for _, x := range r.ByRule {
			fmt.Fprintf(p.w, " %s %d", x.Rule, x.Certain+x.Possible)
		}
		fmt.Fprintln(p.w)
	}
	if len(said) == 0 {
		return
	}
	fmt.Fprintln(p.w, "  look at (`cosim explain RULE` says more)")
	for _, rule := range said {
		fmt.Fprintf(p.w, "    %-7s %s", rule, strings.TrimLeft(lookAt[rule], " "))
	}
}

func (p *printer) falconFlows(r *falconflow.Report) {
	list := p.sel.falconFlows(r.Flows)
	w := tabwriter.NewWriter(p.w, 0, 0, 2, ' ', 0)
	for _, f := range list[:min(maxFlowRows, len(list))] {
		var types []string
		for _, name := range slices.Sorted(maps.Keys(f.Types)) {
			types = append(types, fmt.Sprintf("%d %s", f.Types[name], name))
		}
		fmt.Fprintf(w, "    %s\tto %s\tCID %06Xh\t%d packets\t%s\n", f.Src, f.Dst, f.CID, f.Packets,
			strings.Join(types, ", "))
	}
	w.Flush()
	if n := len(list) - maxFlowRows; n > 0 {
		fmt.Fprintf(p.w, "    and %d more ways of connections (--json has them)\n", n)
	}
	if r.More > 0 {
		fmt.Fprintf(p.w, "    and %d packets of further ways, which are not listed\n", r.More)
	}
}
