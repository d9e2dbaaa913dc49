package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"hcacosim/cocosim/field"
)

// checks are what a mismatch names in place of a rule: what it says, and where to look.
var checks = map[string][2]string{
	"DATA": {"A record came in the place of another: its bytes are wrong.",
		"The field under \"differs\"; of a packet, the header around the first difference."},
	"USER": {"The bytes of a packet are right, the sideband of its last beat is not: the verdict, or a tag.",
		"What writes the sideband, and whether it is that of the packet before or behind."},
	"MISSING": {"A record that is owed never came.",
		"Where a record can be lost: a queue that is full, a stall in its last beat, a drop that is not meant."},
	"EXTRA": {"A record came that nothing asked for, or the last one a second time.",
		"Whether valid falls behind a taken beat, and whether a discarded packet leaves something behind."},
	"EARLY": {"What is due came before what it follows from, or before its time.",
		"What the output waits for: the last beat and the verdict of its input; of a timer, its code and tick (TMR-6)."},
	"ORDER": {"A record left in another order than it must: behind an input that had to wait for it, or before one that " +
		"is owed first.", "What holds the input, or the later record, until the earlier one has left."},
	"WINDOW": {"A right record came outside of the cycles that the manifest's window allows.",
		"The latency under the stalls of the run; whether the window counts from the input or from the model."},
	"RATE": {"An input that is promised a beat a cycle (rate: full) paused although nothing held the output up, or an " +
		"output did within a packet; or an input was offered in vain for longer than the manifest's waits or holds allow.",
		"Ready behind the last beat of a packet, and the credits of the queue behind the port."},
	"HUNG": {"Nothing goes on, or a port takes no input while others move.",
		"The ready of the port that is named; polarity of the reset; a queue that waits for itself."},
	"SILENT": {"The device takes inputs and gives nothing: it owes more than any design holds.",
		"The way from the input to the output: a valid that is never set, an output that is not connected."},
	"TURN": {"An input of an arbiter was passed over: another one went in its turn, or more than once while it waited.",
		"The pointer of the turn: when it moves, and from which input it goes on."},
	"BOUND": {"A timer that is due has not expired by the bound of its block's document.",
		"The scan: how many clocks it takes for all queue pairs, and what holds it up."},
	"LOST": {"A timer that was due has not expired by the end of the run.",
		"What an operation does to the word of a timer that is just being looked at."},
	"TWICE": {"A timer expired a second time.", "Whether the expiry, once taken, is noted in the timer's word."},
	"STALE": {"An expiry came of a timer that an operation has ended.",
		"Whether the operation also withdraws an expiry that waits at the port."},
	"ASSERT": {"An assertion of the design failed, or it called $error or $fatal.", "The file and line that it names."},
	"STOP":   {"The design called $stop.", "The file and line that it names."},
	"BRIDGE": {"The simulator reports a break of the bridge's own rules.", "docs/bridge.md."},
	"AXIS-VALID": {"Rule 1 of an output: valid fell before ready.",
		"What drives valid: it must not depend on ready. A record port may be withdrawable in the manifest."},
	"AXIS-STABLE": {"Rule 2 of an output: data, keep, last or sideband changed while valid waited for ready.",
		"The register in front of the port: what loads it while it is stalled."},
	"AXIS-KEEP": {"Rule 3 of an output: a hole in tkeep, tkeep zero, or not all ones before the last beat.",
		"How tkeep is made of the length of the last beat."},
	"AXIS-LAST":  {"Rule 4 of an output: no tlast within the longest record.", "What sets tlast, and when."},
	"AXIS-RESET": {"Rule 5 of an output: valid is high in the last cycle of the reset.", "The reset of valid's register."},
	"SIDECAR": {"What was sent for the first time is not what the sidecar says was posted.",
		"The list of operations in the sidecar, the memory that was sent from, DMA addresses and lengths."},
	"FORM": {"A field that has one value only has another: the IPv4 header checksum, or a reserved bit of the BTH.",
		"The header builder: what fills the bits that no field has, and when the checksum is taken."},
}

// axisRules are the rules of the output ports, as docs/bridge.md numbers them.
var axisRules = []string{"AXIS-VALID", "AXIS-STABLE", "AXIS-KEEP", "AXIS-LAST", "AXIS-RESET"}

func checkNames() []string { return slices.Sorted(maps.Keys(checks)) }

// explainCheck says what a check is; it reports whether the name is one's. AXIS-3 is the third rule of a port, AXIS and
// AXIS-N are all of them.
func explainCheck(w io.Writer, name string) bool {
	names := []string{name}
	if number, ok := strings.CutPrefix(name, "AXIS"); ok && checks[name] == [2]string{} {
		number = strings.TrimPrefix(number, "-")
		names = axisRules
		if number != "" && number != "N" {
			if len(number) != 1 || number < "1" || number > "5" {
				return false
			}
			names = axisRules[number[0]-'1':][:1]
		}
	}
	for i, name := range names {
		text, ok := checks[name]
		if !ok {
			return false
		}
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s\n\n", name)
		paragraph(w, text[0])
		fmt.Fprint(w, "\nLook at\n")
		paragraph(w, text[1])
	}
	return true
}

// mostNear is how many names are suggested for one that is not known.
const mostNear = 5

// near are the names that a misspelt one is most like, the likest first. One of which more than a third of
// the letters differ is not near.
func near(word string, names []string) []string {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	names = slices.DeleteFunc(names, func(s string) bool { return field.Distance(word, s) > (len(word)+2)/3 })
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Compare(field.Distance(word, a), field.Distance(word, b))
	})
	return names[:min(mostNear, len(names))]
}
