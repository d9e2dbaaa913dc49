package html

import (
	"fmt"
	"strings"

	"hcacosim/cocosim"
	"hcacosim/cocosim/ladder"
	"hcacosim/cocosim/report"
	"hcacosim/model/sim"
)

// printsShown are how many lines of a design a page has.
const printsShown = 200

// FailureOf is the first mismatch of a run. given are the records of the run, as session.Options.Tap saw them; without
// them there is no ladder. ok is false where there is no mismatch.
func FailureOf(rep *report.Report, given []sim.Record) (f Failure, ok bool) {
	if rep.Result == nil || len(rep.Result.Violations) == 0 {
		return f, false
	}
	v := rep.Result.Violations[0]
	f = Failure{Title: rep.Signature(v), Dut: rep.Dut, Fields: rep.Differences(v), Hints: rep.Hints,
		Reproduce: []string{rep.Reproduce}, Facts: facts(rep, v)}
	if v.Want != nil {
		f.Want = rep.Fields(v.Port, v.Want.Data)
	}
	if v.Got != nil {
		f.Got = rep.Fields(v.Port, v.Got.Data)
	}
	if v.Want != nil && v.Got != nil && len(f.Fields) == 0 {
		f.Bytes = bytesOf(rep, v)
	}
	for _, p := range rep.Result.Prints[:min(printsShown, len(rep.Result.Prints))] {
		cycle := "in reset"
		if !p.InReset {
			cycle = fmt.Sprint(p.Cycle)
		}
		f.Prints = append(f.Prints, fmt.Sprintf("%10s  %s", cycle, p.Text))
	}
	if len(given) > 0 {
		f.Ladder = ladder.Run(rep, given)
	}
	return f, true
}

func facts(rep *report.Report, v *cocosim.Violation) []Pair {
	all := []Pair{{"rule", string(v.Rule)}, {"port", v.Port}, {"cycle", fmt.Sprint(v.Cycle)}, {"what", v.Text}}
	if v.Known {
		all = append(all, Pair{"packet", fmt.Sprint(v.Packet)}, Pair{"input", rep.Origin(v.Packet)})
	}
	return append(all, Pair{"mismatches", fmt.Sprint(rep.Result.Mismatched)}, Pair{"seed", fmt.Sprint(rep.Seed)},
		Pair{"build", rep.Build})
}

// bytesOf are 32 bytes around the first difference of two packets, and what is said beside them.
func bytesOf(rep *report.Report, v *cocosim.Violation) (all []Pair) {
	if v.Want.User != v.Got.User {
		all = append(all, Pair{"expected", rep.User(v.Port, v.Want.User)}, Pair{"actual", rep.User(v.Port, v.Got.User)})
	}
	at := cocosim.FirstDifference(v.Want.Data, v.Got.Data)
	if at == len(v.Want.Data) && at == len(v.Got.Data) {
		return all
	}
	from := at &^ 15
	part := func(b []byte) string { return fmt.Sprintf("% x", b[min(from, len(b)):min(from+32, len(b))]) }
	return append(all, Pair{"first at", fmt.Sprintf("byte %d", at)}, Pair{fmt.Sprintf("expected %d", from),
		part(v.Want.Data)},
		Pair{fmt.Sprintf("actual %d", from), part(v.Got.Data)})
}

// SummaryOf is the summary of a run.
func SummaryOf(rep *report.Report) []Pair {
	r := rep.Result
	all := []Pair{{"device", rep.Dut + paramText(rep.Params)}, {"kind", rep.Device}, {"build", rep.Build}, {"stimulus",
		rep.Source}, {"seed", fmt.Sprint(rep.Seed)}, {"records", fmt.Sprint(r.Packets)}, {"cycles", fmt.Sprint(r.Cycles)},
		{"agreed", fmt.Sprint(r.Agreed)}, {"mismatches", fmt.Sprint(r.Mismatched)}, {"seconds",
			fmt.Sprintf("%.2f", r.Elapsed.Seconds())}}
	for _, c := range r.Counts {
		all = append(all, Pair{string(c.Rule), fmt.Sprintf("%d on %s, first at cycle %d", c.N, c.Port, c.First)})
	}
	if rep.Err != nil {
		all = append(all, Pair{"stopped", rep.Err.Error()})
	}
	return all
}

func paramText(params map[string]int) string {
	if len(params) == 0 {
		return ""
	}
	return " " + strings.TrimPrefix(fmt.Sprint(params), "map")
}

// RunPage is the page of one run.
func RunPage(rep *report.Report, given []sim.Record) *Page {
	p := &Page{Title: "cosim run: " + rep.Dut, Verdict: rep.Verdict(), Good: rep.Exit() == cocosim.Agreed,
		Summary: SummaryOf(rep)}
	if f, ok := FailureOf(rep, given); ok {
		p.Failures = []Failure{f}
	} else {
		p.Failures = nil
		p.Summary = append(p.Summary, Pair{"reproduce", rep.Reproduce})
	}
	return p
}
