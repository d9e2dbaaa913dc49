package mutate

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"hcacosim/cocosim/session"
)

// Summary is a qualification in figures.
type Summary struct {
	Dut      string         `json:"dut"`
	Seed     uint64         `json:"seed"`
	Sites    int            `json:"sites"`
	Constant int            `json:"constant_sites"`
	There    int            `json:"mutants_there"` // of which those below were drawn
	Drawn    int            `json:"mutants"`
	Classes  map[Class]int  `json:"classes"`
	Open     int            `json:"open"` // survived, timed out, not run, proved to a bound only, or an assertion only
	Unknown  int            `json:"open_without_reason"`
	Never    int            `json:"never_active"` // of the open ones, of a netlist
	Masked   int            `json:"masked"`
	Score    float64        `json:"score"`            // killed and crashed of those built and not proved equivalent
	Settled  float64        `json:"killed_or_proved"` // killed, crashed and proved equivalent of those that were built
	Late     int            `json:"late"`             // killed, but not by the default scenario
	Rules    map[string]int `json:"rules"`
	Runs     []RunScore     `json:"runs"`
	Seconds  float64        `json:"seconds"`
	Median   uint64         `json:"median_records"` // needed by the killed ones
	Outcomes []Outcome      `json:"outcomes"`
}

// RunScore is what a run is good for.
type RunScore struct {
	Line  string `json:"line"`
	First int    `json:"first"`          // mutants that it found first
	Kills int    `json:"kills"`          // that it found; with a matrix only
	Alone int    `json:"alone"`          // that no other run found; with a matrix only
	Spec  any    `json:"spec,omitempty"` // the run
}

// name is what a command calls the device: its name, or the path of its manifest.
func (d *Design) name() string {
	if d.Manifest.Embedded() {
		return d.Manifest.Name
	}
	return d.Manifest.Path()
}

// Summarize counts outcomes.
func Summarize(d *Design, runs []session.Spec, out []Outcome) *Summary {
	s := &Summary{Dut: d.Manifest.Name, Sites: d.Sites, Constant: d.Constant, There: len(d.Mutants), Drawn: len(out),
		Classes: map[Class]int{}, Rules: map[string]int{}, Outcomes: out}
	for _, r := range runs {
		r.Dut = d.name()
		s.Runs = append(s.Runs, RunScore{Line: r.Line()})
	}
	var needed []uint64
	for i := range out {
		x := &out[i]
		s.Classes[x.Class]++
		switch x.Class {
		case Survived, TimedOut, Bounded, Asserted, NotRun:
			s.Open++
			if x.Reason == "" {
				s.Unknown++
			}
			s.activity(x)
		case Killed:
			s.Rules[x.Rule]++
			needed = append(needed, x.Records)
		}
		if x.Run >= 0 {
			s.Runs[x.Run].First++
		}
		if x.Run >= 0 && runs[x.Run].Scenario != runs[0].Scenario {
			s.Late++
		}
		s.matrix(x)
	}
	if slices.Sort(needed); len(needed) > 0 {
		s.Median = needed[len(needed)/2]
	}
	built, caught := len(out)-s.Classes[NotBuilt], s.Classes[Killed]+s.Classes[Crashed]
	if live := built - s.Classes[Equivalent]; live > 0 {
		s.Score = float64(caught) / float64(live)
	}
	if built > 0 {
		s.Settled = float64(caught+s.Classes[Equivalent]) / float64(built)
	}
	return s
}

// activity counts an open mutant of a netlist by whether it was ever active. That it never was is known of one only
// that was in all runs.
func (s *Summary) activity(x *Outcome) {
	if x.Activity == Never && !x.played {
		x.Activity = ""
	}
	switch x.Activity {
	case Never:
		s.Never++
	case Masked:
		s.Masked++
		x.ActiveIn = s.Runs[x.activeRun].Line
	}
}

func (s *Summary) matrix(x *Outcome) {
	last, n := 0, 0
	for i, found := range x.Killers {
		if found {
			s.Runs[i].Kills++
			last, n = i, n+1
		}
	}
	if n == 1 {
		s.Runs[last].Alone++
	}
}

func (x *Outcome) isOpen() bool {
	return x.Class == Survived || x.Class == TimedOut || x.Class == Bounded || x.Class == Asserted ||
		x.Class == NotRun
}

// Print prints a summary: counts, what found how many, and each mutant that is open.
func (s *Summary) Print(w io.Writer) {
	fmt.Fprintf(w, "cosim qualify %s: %d sites (%d in functions of constants left out), %d mutants there, %d drawn with "+
		"seed %d\n", s.Dut, s.Sites,
		s.Constant, s.There, s.Drawn, s.Seed)
	for _, c := range []Class{Killed, Crashed, TimedOut, NotBuilt, Equivalent, Bounded, Asserted, Survived, NotRun} {
		fmt.Fprintf(w, "  %-12s %d\n", c, s.Classes[c])
	}
	fmt.Fprintf(w, "  score        %.2f %% killed of those that are built and not proved equivalent\n", 100*s.Score)
	fmt.Fprintf(w, "  settled      %.2f %% killed or proved of those that are built; %d open, %d of them without a "+
		"reason\n",
		100*s.Settled, s.Open, s.Unknown)
	if s.Never+s.Masked > 0 {
		fmt.Fprintf(w, "  open         %d never active in any run, %d active and masked\n", s.Never, s.Masked)
	}
	fmt.Fprintf(w, "  needed       median %d records; %.0f s\n", s.Median, s.Seconds)
	for _, r := range s.Runs {
		if r.First > 0 || r.Kills > 0 {
			fmt.Fprintf(w, "  %5d first", r.First)
			if r.Kills > 0 {
				fmt.Fprintf(w, ", %5d in all, %3d alone", r.Kills, r.Alone)
			}
			fmt.Fprintf(w, "  %s\n", r.Line)
		}
	}
	for _, x := range s.Outcomes {
		if x.isOpen() {
			fmt.Fprintf(w, "  %s %d %s:%d %s: %s -> %s %s\n", x.Class, x.ID, x.File, x.Line, x.Operator, x.Old, x.New,
				cmp.Or(x.Error, x.How))
			switch x.Activity {
			case Never:
				fmt.Fprintf(w, "    never active: in no run has the pin another value\n")
			case Masked:
				fmt.Fprintf(w, "    masked: active, and not seen, first in %s\n", x.ActiveIn)
			}
			if x.Reason != "" {
				fmt.Fprintf(w, "    because %s\n", x.Reason)
			}
			for _, line := range x.Stimulus {
				fmt.Fprintf(w, "    %s\n", line)
			}
		}
	}
}
