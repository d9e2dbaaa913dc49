package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"regexp"
	"strconv"
	"strings"
)

const docPath = "docs/formal.md"

const docHead = `# Proofs

` + "`make formal`" + ` proves properties of the RTL with Yosys' SAT solver and prints this table, two at a time. "Unbounded,
induction over k": no run of k cycles from reset fails, and k good cycles are followed by a good one, so it holds for ever, for all inputs,
stalls and resets, also in the middle. "To depth N": no run of N cycles from reset fails; induction does not close. Every harness
assumes that the first cycle is a reset; what else one assumes is said below.

A proof that cannot fail is a bug. So every property names a fault; it is planted into a copy of the source and must be
rejected by this property alone, in a run from reset. ` + "`make formal`" + ` fails when one is not. A property that is not proved is printed with its
assertion and the cycles that break it.

Seconds are a core's, for the proof; "with it": with the row above, in one run of the solver. The rejections of the faults come on top. The
proofs of the table add up to %.0f minutes of one core.

| block | property | proved | seconds | planted fault, rejected |
|---|---|---|---|---|
`

const docNotesMark = "\n## What is assumed, and at which size\n"

var docRow = regexp.MustCompile(`(?m)^\| (\w+) \| (.*?) \| .* \|$`)

// secondsOf reads them out of a row.
func secondsOf(line string) float64 {
	cells := strings.Split(line, " | ")
	seconds, _ := strconv.ParseFloat(cells[len(cells)-2], 64)
	return seconds
}

// writeDocument puts a row into the table of the document.
func writeDocument(r row) error {
	old, err := os.ReadFile(docPath)
	if err != nil {
		return err
	}
	line := fmt.Sprintf("| %s | %s | %s | %s | %s |", r.block, r.says, r.proved, r.time(), r.why)
	return os.WriteFile(docPath, document(old, map[string]string{r.block + ": " + r.says: line}), 0o666)
}

// document is the old one with rows, each by its block and property: one for every property that is registered. Those
// not given stay as they were, and say so where there was none; the notes under the table are written by hand.
func document(old []byte, rows map[string]string) []byte {
	known := map[string]string{}
	for _, m := range docRow.FindAllSubmatch(old, -1) {
		known[string(m[1])+": "+string(m[2])] = string(m[0])
	}
	maps.Copy(known, rows)
	var lines []string
	seconds := 0.0
	for _, p := range proofs {
		for _, prop := range p.properties {
			line, ok := known[p.block+": "+prop.says]
			if !ok {
				line = fmt.Sprintf("| %s | %s | not run yet | - | %s |", p.block, prop.says, prop.fault.why)
			}
			lines = append(lines, line+"\n")
			seconds += secondsOf(line)
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, docHead, seconds/60)
	b.WriteString(strings.Join(lines, ""))
	if _, notes, ok := strings.Cut(string(old), docNotesMark); ok {
		b.WriteString(docNotesMark + notes)
	}
	return b.Bytes()
}
