package mutate

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"hcacosim/cocosim/manifest"
)

// A mutant of a netlist that no run finds was either never active, so that no pin ever had another value than in the
// design, or it was, and nothing showed it. The first calls for another stimulus or says that the design never comes
// there; the second says that what the pin feeds does not matter, or is not looked at.

// activeFile is the environment variable that names the file which a simulator makes when its mutant is active.
const activeFile = "HCACOSIM_MUTANT_ACTIVE"

// Activity is whether a mutant that is open was ever active; "" where nothing says so.
type Activity string

const (
	Never  Activity = "never active" // in all runs the pin had the design's value in every cycle outside reset
	Masked Activity = "masked"       // a pin had another value, and no check saw it
)

var (
	selectedWire = regexp.MustCompile(`(?m)^  assign (\S+) = ` + netlistSelect + ` == 16'h([0-9a-f]{4});$`)
	mutantChoice = regexp.MustCompile(`(?m)^  assign (.+) = (_\w+_) \? (.+) : (.+);$`)
)

// watched gives a netlist an eye on the chosen mutant: in each cycle outside reset, whether its pin has another value
// than the design's. It returns the numbers of the mutants that the eye sees: none without a clock.
func watched(netlist string, m *manifest.Manifest) (text string, seen map[int]bool) {
	if m.Clock == "" {
		return netlist, nil
	}
	chooses := map[string]int{}
	for _, at := range selectedWire.FindAllStringSubmatch(netlist, -1) {
		id, _ := strconv.ParseInt(at[2], 16, 32)
		chooses[at[1]] = int(id)
	}
	var differs []string
	seen = map[int]bool{}
	for _, at := range mutantChoice.FindAllStringSubmatch(netlist, -1) {
		if id := chooses[at[2]]; id != 0 {
			differs = append(differs, fmt.Sprintf("%s & (%s ^ (%s))", at[2], at[1], at[4]))
			seen[id] = true
		}
	}
	if len(differs) == 0 {
		return netlist, nil
	}
	live := "1'b1"
	if pin := m.Reset.Pin; pin != "" {
		if live = pin; m.Reset.Active == "high" {
			live = "!" + pin
		}
	}
	eye := fmt.Sprintf("  wire hca_mutant_active = |{%s};\n  always @(posedge %s) if (hca_mutant_active && %s) %s\n",
		strings.Join(differs, ", "), m.Clock, live, makeActiveFile)
	end := strings.LastIndex(netlist, "endmodule")
	return netlist[:end] + eye + netlist[end:], seen
}

// makeActiveFile makes the file that the environment names, once.
const makeActiveFile = `$c("{ static bool told = false; if (!told) { told = true; const char* name = std::getenv(\"` +
	activeFile + `\"); FILE* file = name ? std::fopen(name, \"w\") : nullptr; if (file) std::fclose(file); } }");`

// activeName is the file of a mutant.
func (q *batch) activeName(id int) string {
	return filepath.Join(filepath.Dir(q.path), "active."+strconv.Itoa(id))
}

// noteActive notes whether a run has made a mutant active, where its netlist has an eye on it.
func (q *batch) noteActive(x *Outcome, run int) {
	if !q.d.watched[x.ID] || x.Activity == Masked {
		return
	}
	x.Activity = Never
	if _, err := os.Stat(q.activeName(x.ID)); err == nil {
		x.Activity, x.activeRun = Masked, run
	}
}
