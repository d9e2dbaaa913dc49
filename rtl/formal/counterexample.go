package main

import (
	"fmt"
	"math/big"
	"os"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"text/tabwriter"
)

// shownCycles is how many cycles of a counterexample are printed, the last ones.
const shownCycles = 8

// tellCounterexample makes a few lines of what the solver printed last: the assertions that fail, and the signals that
// the harness names over the cycles before.
func tellCounterexample(log []byte, harness string) string {
	var b strings.Builder
	switch {
	case strings.Contains(string(log), baseFailed):
		fmt.Fprintln(&b, "    a run from reset fails:")
	case strings.Contains(string(log), "proof failed"):
		fmt.Fprintln(&b, "    no run from reset fails, but these cycles, from a state that may not be reached, show why "+
			"induction does not close:")
	default:
		return "    the solver gave no answer:\n" + lastLines(log, 5) + "\n"
	}
	text, err := os.ReadFile(harness)
	if err != nil {
		return err.Error() + "\n"
	}
	t := readTrace(string(log))
	for _, where := range t.failing() {
		fmt.Fprintf(&b, "    %s\n", where)
	}
	t.printSignals(&b, string(text))
	return b.String()
}

// trace is the value of every signal, in binary, by cycle from 1 up.
type trace struct {
	values map[string]map[int]string
	last   int
}

func readTrace(log string) trace {
	t := trace{values: map[string]map[int]string{}}
	for _, line := range strings.Split(log[max(0, strings.LastIndex(log, "Time Signal Name")):], "\n") {
		f := strings.Fields(line)
		if len(f) != 5 {
			continue
		}
		cycle, err := strconv.Atoi(f[0])
		if err != nil {
			continue // the headline, and the registers before cycle 1
		}
		if t.values[f[1]] == nil {
			t.values[f[1]] = map[int]string{}
		}
		t.values[f[1]][cycle] = f[4]
		t.last = max(t.last, cycle)
	}
	return t
}

var checkWire = regexp.MustCompile(`^(.*\$formal\$(.*):(\d+)\$\d+)_CHECK$`)

// failing tells the assertions that do not hold at the end, with file, line and text.
func (t trace) failing() (where []string) {
	for name, v := range t.values {
		m := checkWire.FindStringSubmatch(name)
		if m == nil || v[t.last] != "0" || t.values[m[1]+"_EN"][t.last] != "1" {
			continue
		}
		where = append(where, m[2]+":"+m[3]+": "+sourceLine(m[2], m[3]))
	}
	sort.Strings(where)
	return where
}

func sourceLine(file, number string) string {
	text, _ := os.ReadFile(file)
	n, _ := strconv.Atoi(number)
	lines := strings.Split(string(text), "\n")
	if n < 1 || n > len(lines) {
		return ""
	}
	return strings.TrimSpace(lines[n-1])
}

// printSignals leaves out the last cycle: an assertion in a clocked block speaks of the cycle before its result.
func (t trace) printSignals(b *strings.Builder, harness string) {
	var names []string
	for name := range t.values {
		plain := strings.TrimPrefix(name, `\`)
		if plain != name && plain != "clk_i" && regexp.MustCompile(`\b`+regexp.QuoteMeta(plain)+`\b`).MatchString(harness) {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	first := max(1, t.last-shownCycles)
	w := tabwriter.NewWriter(b, 0, 0, 1, ' ', 0)
	defer w.Flush()
	for _, name := range names {
		var row []string
		zero := true
		for c := first; c < t.last; c++ {
			row = append(row, hex(t.values[name][c]))
			zero = zero && strings.Trim(row[len(row)-1], "0x") == ""
		}
		if !zero {
			fmt.Fprintf(w, "    %s\t%s\n", strings.TrimPrefix(name, `\`), strings.Join(row, "\t"))
		}
	}
}

// hex shortens a binary number; one with unknown bits stays as it is.
func hex(binary string) string {
	n, ok := new(big.Int).SetString(binary, 2)
	if !ok {
		return binary
	}
	return fmt.Sprintf("%0*x", (len(binary)+3)/4, n)
}
