// Command synth reads netlists that Yosys wrote after synth_xilinx and tells what they cost: LUTs, registers, and the
// longest path between registers in LUT levels. synth.sh makes the netlists and calls it.
//
// Yosys's own ltp counts cells of every kind and stops at no register of this family, so the paths are walked here.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"text/tabwriter"
)

const (
	docPath    = "docs/synth.md"
	stagesOf   = "icrc_check"
	stageWidth = 512
)

func main() {
	write := flag.Bool("w", false, "write "+docPath)
	flag.Parse()
	if err := run(flag.Args(), *write); err != nil {
		fmt.Fprintln(os.Stderr, "synth:", err)
		os.Exit(1)
	}
}

func run(files []string, write bool) error {
	var blocks []figures
	var stages []stage
	for _, file := range files {
		n, err := readNetlist(file)
		if err != nil {
			return err
		}
		f, s := n.measure()
		f.top, f.width, err = splitName(file)
		if err != nil {
			return err
		}
		blocks = append(blocks, f)
		if f.top == stagesOf && f.width == stageWidth {
			stages = s
		}
	}
	sort.Slice(blocks, func(i, j int) bool {
		if blocks[i].top != blocks[j].top {
			return blocks[i].top < blocks[j].top
		}
		return blocks[i].width < blocks[j].width
	})
	printTable(blocks, committed())
	if write {
		return os.WriteFile(docPath, document(blocks, stages), 0o644)
	}
	return nil
}

// splitName takes "DIR/icrc_check-512.json" apart.
func splitName(file string) (top string, width int, err error) {
	top, bits, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".json"), "-")
	width, err = strconv.Atoi(bits)
	return top, width, err
}

func printTable(blocks []figures, before map[string]string) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	defer w.Flush()
	fmt.Fprintln(w, "block\tbits\tLUTs\tshift LUTs\tregisters\tLUT levels\tcells\tlongest path ends in\tin "+docPath)
	for _, b := range blocks {
		was := before[b.key()]
		switch was {
		case "":
			was = "new"
		case b.numbers():
			was = "same"
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%s\n", b.top, b.width, b.luts, b.shiftLUTs, b.registers, b.levels, b.cells, b.worst, was)
	}
}

var docRow = regexp.MustCompile(`(?m)^\| (\w+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|`)

// committed reads the numbers of the document by block and width; none if there is no document yet.
func committed() map[string]string {
	text, _ := os.ReadFile(docPath)
	rows := map[string]string{}
	for _, m := range docRow.FindAllStringSubmatch(string(text), -1) {
		rows[m[1]+"-"+m[2]] = strings.Join(m[3:8], " ")
	}
	return rows
}

func document(blocks []figures, stages []stage) []byte {
	var b bytes.Buffer
	fmt.Fprintln(&b, `# What the blocks cost

Written by `+"`rtl/synth/synth.sh -w`"+`; `+"`make synth`"+` prints the figures of today beside these. Yosys 0.23, `+"`synth_xilinx -family xcup -flatten`"+`,
no pads and no clock buffer. Shift LUTs are the delay lines (SRL16E, SRLC32E). LUT levels: the most LUTs that a path between two
registers (or a pin) passes; cells: the most cells of any kind, with the carry and wide-multiplexer cells that lie inside a
slice. Nothing was placed or routed: these figures compare versions, they are no clock frequency. LUTs move by a few percent when
only other files change, since the mapper's choices depend on cell names.

| block | bits | LUTs | shift LUTs | registers | LUT levels | cells | longest path ends in |
|---|---|---|---|---|---|---|---|`)
	for _, f := range blocks {
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d | %d | `%s` |\n", f.top, f.width, f.luts, f.shiftLUTs, f.registers, f.levels, f.cells, f.worst)
	}
	fmt.Fprintf(&b, "\n## Stages of %s at %d bits\nA stage is named by where its registers are: the instance, and the stage's number within it.\n\n", stagesOf, stageWidth)
	fmt.Fprintln(&b, "| registers of | LUT levels before them | cells |\n|---|---|---|")
	for _, s := range stages {
		fmt.Fprintf(&b, "| %s | %d | %d |\n", s.name, s.levels, s.cells)
	}
	return b.Bytes()
}
