package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"hcacosim/cocosim/falconflow"
)

// falcon prints what was found in Falcon packets.
func (p *printer) falcon(r *falconflow.Report) {
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
	p.falconFlows(r)
	if r.Certain+r.Possible == 0 {
		fmt.Fprintln(p.w, "  Falcon: no violation")
		return
	}
	fmt.Fprintf(p.w, "  Falcon violations: %d certain, %d possible\n", r.Certain, r.Possible)
	var said []string
	for i, x := range r.Findings {
		if i == shown {
			fmt.Fprintf(p.w, "    and more (--json lists up to 1000)\n")
			break
		}
		word := "certain "
		if !x.Certain {
			word = "possible"
		}
		fmt.Fprintf(p.w, "    %s  packet %-7d %-7s %s\n", word, x.Packet, x.Rule, x.Text)
		if !slices.Contains(said, string(x.Rule)) && len(said) < maxHints {
			said = append(said, string(x.Rule))
		}
	}
	fmt.Fprintln(p.w, "  look at (`cosim explain RULE` says more)")
	for _, rule := range said {
		fmt.Fprintf(p.w, "    %-7s %s", rule, strings.TrimLeft(lookAt[rule], " "))
	}
}

func (p *printer) falconFlows(r *falconflow.Report) {
	w := tabwriter.NewWriter(p.w, 0, 0, 2, ' ', 0)
	for i, f := range r.Flows {
		if i == maxFlowRows {
			break
		}
		var types []string
		for _, name := range slices.Sorted(maps.Keys(f.Types)) {
			types = append(types, fmt.Sprintf("%d %s", f.Types[name], name))
		}
		fmt.Fprintf(w, "    %s\tto %s\tCID %06Xh\t%d packets\t%s\n", f.Src, f.Dst, f.CID, f.Packets,
			strings.Join(types, ", "))
	}
	w.Flush()
	if n := len(r.Flows) - maxFlowRows; n > 0 {
		fmt.Fprintf(p.w, "    and %d more connections (--json has all)\n", n)
	}
}
