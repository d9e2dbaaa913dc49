package loop

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// Print writes what came of a pair: the headline, a row an end, retries by cause, what was found wrong.
func (o *Outcome) Print(w io.Writer, p *Pair, took time.Duration) {
	fmt.Fprintf(w, "%s  %d QPs, %d messages, %s of link time in %s, goodput %.1f Gb/s\n", o.Verdict(), p.Traffic.QPs,
		o.Ends[0].Messages+o.Ends[1].Messages, time.Duration(o.Result.Ns).Round(time.Microsecond),
		took.Round(time.Millisecond), o.Goodput)
	if o.Result.Stuck != "" {
		fmt.Fprintf(w, "  %s\n", o.Result.Stuck)
	}
	if o.Rogue != "" {
		fmt.Fprintf(w, "  not as it must be with such a peer: %s\n", o.Rogue)
	}
	if o.Worn != "" {
		fmt.Fprintf(w, "  %s\n", o.Worn)
	}
	for _, line := range o.Wrong {
		fmt.Fprintf(w, "  %s\n", line)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "  end\tframes\tlost\tmessages\tMB\treceived\tretries by cause\tcertain\tpossible")
	for i := range o.Ends {
		e, j := &o.Ends[i], &o.Judged[i]
		fmt.Fprintf(t, "  %s\t%d\t%d\t%d\t%.1f\t%d\t%s\t%d\t%d\n", Names[i], e.Frames, o.Result.Lost[i], e.Messages,
			float64(e.Bytes)/1e6, e.Received, counts(e.again()), j.Certain, j.Possible)
	}
	t.Flush()
	for i := range o.Ends {
		o.Ends[i].printRecovery(w, Names[i])
		if e := &o.Ends[i]; e.Marks+e.CNPs > 0 {
			fmt.Fprintf(w, "  %s received %d packets with a mark, and %d CNPs\n", Names[i], e.Marks, e.CNPs)
		}
		if failed := o.Ends[i].Failed; len(failed) > 0 {
			fmt.Fprintf(w, "  %s ended with: %s\n", Names[i], counts(failed))
		}
		for _, line := range o.Judged[i].First {
			fmt.Fprintf(w, "  %s: %s\n", Names[i], line)
		}
	}
}

// again is retries by cause: the machine's, or where RTL does not say why it goes back, the judge's.
func (s *Side) again() map[string]uint64 {
	if _, silent := s.Again[goingBack]; silent {
		return s.Causes
	}
	return s.Again
}

func (s *Side) printRecovery(w io.Writer, name string) {
	if r := &s.Recovery; r.Count > 0 {
		us := func(ns uint64) float64 { return float64(ns) / 1000 }
		fmt.Fprintf(w, "  %s recovered %d times, from the loss to the next new PSN %.1f us (mean), %.1f us (median), "+
			"%.1f us (most)\n", name, r.Count, us(r.MeanNs), us(r.HalfNs), us(r.MostNs))
	}
	if s.HeldNs > 0 {
		fmt.Fprintf(w, "  %s: a frame waited for the device to take it for %.1f us at most\n", name, float64(s.HeldNs)/1000)
	}
	if s.PassedNs > 0 {
		fmt.Fprintf(w, "  %s: while it only waited for its timers its clock did not run for %.1f us in all (--lapse)\n", name,
			float64(s.PassedNs)/1000)
	}
	if len(s.Crossed) > 0 {
		fmt.Fprintf(w, "  %s received as its transport timer ran out: %s\n", name, counts(s.Crossed))
	}
}

// counts prints what was counted by name.
func counts(all map[string]uint64) string {
	if len(all) == 0 {
		return "none"
	}
	var words []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		words = append(words, fmt.Sprintf("%s %d", name, all[name]))
	}
	return strings.Join(words, ", ")
}
