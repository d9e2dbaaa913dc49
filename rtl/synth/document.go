package main

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strings"
)

const docPath = "docs/synth.md"

const docHead = `# What the blocks cost

Written by ` + "`rtl/synth/synth.sh -w`" + `; ` + "`make synth`" + ` prints the figures of today beside these, and fails when a path passes more than 12
LUTs, when a block does not synthesize, or when a latch came in. Figures are kept in the user's cache folder by the content of a
block's sources, so that only what changed is run again. Yosys 0.23, ` + "`synth_xilinx -family xcup -flatten`" + `, no pads and no clock buffer.

Shift LUTs are the delay lines (SRL16E, SRLC32E), RAM LUTs the small memories; RAMB36, RAMB18 and URAM are block memories. LUT levels: the
most LUTs that a path between two registers, memories or pins passes; cells: the most cells of any kind, with the carry and
wide-multiplexer cells that lie inside a slice. Nothing was placed or routed: these figures compare versions, they are no clock
frequency. A multiplier is a DSP48E2, which no column counts, and a path goes through it as through one cell and no LUT: rate_limiter alone has any,
two side by side.

Enable: the most registers that one clock-enable net moves; input reach: the most registers that follow one input pin in its clock, by enable
or data, those of the output among them. The netlists keep the rules of [rtl.md](rtl.md), or ` + "`make synth`" + ` fails.

The path of 11 LUTs in falcon_window goes from a connection's words through what a record does to them and back. A register in it would have the
next record of the same connection wait a clock, or work with words that are one record old: an operation a clock on one connection, which
the block's document states, is this loop in one clock. So it stays as it is.
Sizes with PSNs of fewer bits than 24 are for worlds and proofs; no device has them, and they are not measured.

| block | parameters | LUTs | shift LUTs | RAM LUTs | registers | RAMB36 | RAMB18 | URAM | LUT levels | cells | enable | input reach | longest path ends in |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
`

const stagesHead = `
## Stages
The longest path into each group of registers, of every block at one size. A group is named by where its registers are: the instance, and the
stage's number within it.

| block | registers of | LUT levels before them | cells |
|---|---|---|---|
`

const partsHead = `
## Joined devices
Of these every module was mapped by itself, once for each of its sizes, and all were put together behind that. Paths through several modules count, in the
table above and for its rules; what mapping did not see is what one module knows of its neighbours, as an input that is always 0, so flat they would
have fewer LUTs. What was mapped is kept in the cache folder by the module's sources and parameters, for all devices: a run that was stopped goes on
where it was. Parts are instances to the second level, what lies deeper counted to the one that it lies in.

| device | parameters | part | LUTs | shift LUTs | RAM LUTs | registers | RAMB36 | RAMB18 | URAM |
|---|---|---|---|---|---|---|---|---|---|
`

const openHead = `
## Not measured
Sizes that a manifest names and the table has not.

| block | sizes | why |
|---|---|---|
`

// document is docs/synth.md as it was, row by row.
type document struct {
	rows    map[variant]string
	numbers map[variant]string
	stages  map[string]string  // of a block, all its rows
	parts   map[variant]string // of a joined device, all its rows
}

var (
	docRow   = regexp.MustCompile(`(?m)^\| (\w+) \| ([^|]*?) ?\| ((?:\d+ \| ){10}\d+) \| .* \|$`)
	stageRow = regexp.MustCompile(`(?m)^\| (\w+) \| [^|]+ \| \d+ \| \d+ \|\n`)
	partRow  = regexp.MustCompile(`(?m)^\| (\w+) \| ([^|]*?) \| [^|]+ \| (?:\d+ \| ){6}\d+ \|\n`)
)

func readDocument() (*document, error) {
	text, err := os.ReadFile(docPath)
	if err != nil {
		return nil, err
	}
	d := &document{map[variant]string{}, map[variant]string{}, map[string]string{}, map[variant]string{}}
	table, stages, _ := strings.Cut(string(text), "\n## ")
	for _, m := range docRow.FindAllStringSubmatch(table, -1) {
		v := variant{m[1], m[2]}
		d.rows[v] = m[0]
		d.numbers[v] = strings.ReplaceAll(m[3], " | ", " ")
	}
	for _, m := range stageRow.FindAllStringSubmatch(stages, -1) {
		d.stages[m[1]] += m[0]
	}
	for _, m := range partRow.FindAllStringSubmatch(stages, -1) {
		d.parts[variant{m[1], m[2]}] += m[0]
	}
	return d, nil
}

// write puts new figures in; rows of variants that were not run stay as they were.
func (d *document) write(blocks []block, all map[variant]figures) error {
	return os.WriteFile(docPath, d.text(blocks, all), 0o644)
}

func (d *document) text(blocks []block, all map[variant]figures) []byte {
	var b bytes.Buffer
	b.WriteString(docHead)
	for v, f := range all {
		d.rows[v] = fmt.Sprintf("| %s | %s | %s | `%s` |", v.top, v.parameters, strings.ReplaceAll(f.numbers(), " ", " | "),
			f.Worst)
	}
	for _, block := range blocks {
		for _, v := range block.variants {
			if row := d.rows[v]; row != "" {
				fmt.Fprintln(&b, row)
			}
		}
	}
	d.writeStages(&b, blocks, all)
	d.writeParts(&b, blocks, all)
	b.WriteString(openHead)
	for _, block := range blocks {
		if sizes := d.open(block); sizes != "" {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", block.top, sizes, notMeasured[block.top])
		}
	}
	return b.Bytes()
}

// writeStages has those of every block that were measured at its main size.
func (d *document) writeStages(b *bytes.Buffer, blocks []block, all map[variant]figures) {
	b.WriteString(stagesHead)
	for _, block := range blocks {
		if f, ok := all[block.main]; ok && !joined[block.top] {
			d.stages[block.top] = ""
			for _, s := range f.Stages {
				d.stages[block.top] += fmt.Sprintf("| %s | %s | %d | %d |\n", block.top, s.Name, s.Levels, s.Cells)
			}
		}
		if d.rows[block.main] != "" {
			b.WriteString(d.stages[block.top])
		}
	}
}

// writeParts has those of every joined device and size that was measured.
func (d *document) writeParts(b *bytes.Buffer, blocks []block, all map[variant]figures) {
	b.WriteString(partsHead)
	for _, block := range blocks {
		for _, v := range block.variants {
			if f, ok := all[v]; ok && joined[v.top] {
				d.parts[v] = ""
				for _, p := range f.Parts {
					d.parts[v] += fmt.Sprintf("| %s | %s | %s | %s |\n", v.top, v.parameters, p.Name,
						strings.ReplaceAll(p.cost.String(), " ", " | "))
				}
			}
			b.WriteString(d.parts[v])
		}
	}
}
