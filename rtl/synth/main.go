// Command synth has Yosys map every block to a family of FPGAs and tells what it costs: LUTs, registers, memories, and the longest path
// between registers in LUT levels, beside the figures that docs/synth.md has. Exit 1: a path is too long, or a block does not
// synthesize.
//
// Yosys's own ltp counts cells of every kind and stops at no register of this family, so the paths are walked here.
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"text/tabwriter"
)

// maxLevels is how many LUTs a path between two registers may pass.
const maxLevels = 12

// block is a top and the values of its parameter that are looked at, largest last. The stages of the main one go into the document.
type block struct {
	top, parameter string
	values         []int
	main           int
}

var (
	dataWidths = []int{64, 128, 256, 512, 1024}
	numQps     = []int{4096, 65536}
)

var blocks = []block{
	{"icrc_check", "DataWidth", dataWidths, 512},
	{"icrc_insert", "DataWidth", dataWidths, 512},
	{"vcrc_check", "DataWidth", dataWidths, 512},
	{"roce_parse", "DataWidth", dataWidths, 512},
	{"psn_window", "", []int{0}, 0},
	{"qp_context", "NumQps", numQps, 4096},
	{"resp_psn_check", "NumQps", numQps, 4096},
	{"req_ack_check", "Reads", []int{1, 4, 16}, 4},
	{"retx_timer", "NumQps", numQps, 65536},
	{"falcon_window", "NumConns", []int{16, 1024, 16384}, 1024},
}

// variant is a block with its parameter set.
type variant struct {
	top, parameter string
	value          int
}

func (v variant) String() string {
	if v.parameter == "" {
		return v.top
	}
	return fmt.Sprintf("%s %s=%d", v.top, v.parameter, v.value)
}

func main() {
	write := flag.Bool("w", false, "write the rows of what was run into "+docPath)
	only := flag.String("run", "", "only variants that match, as `BLOCK PARAMETER=VALUE`")
	flag.Parse()
	pattern, err := regexp.Compile(*only)
	if err == nil {
		err = run(pattern, *write)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "synth:", err)
		os.Exit(1)
	}
}

func run(only *regexp.Regexp, write bool) error {
	var variants []variant
	for _, b := range blocks {
		for _, value := range b.values {
			if v := (variant{b.top, b.parameter, value}); only.MatchString(v.String()) {
				variants = append(variants, v)
			}
		}
	}
	all, err := synthesize(variants)
	if err != nil {
		return err
	}
	doc, err := readDocument()
	if err != nil {
		return err
	}
	printTable(variants, all, doc)
	if write {
		if err := doc.write(all); err != nil {
			return err
		}
	}
	for _, v := range variants {
		if f := all[v]; f.Levels > maxLevels {
			return fmt.Errorf("%s: the path to %s passes %d LUTs; %d are allowed", v, f.Worst, f.Levels, maxLevels)
		}
	}
	return nil
}

func printTable(variants []variant, all map[variant]figures, doc *document) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	defer w.Flush()
	fmt.Fprintln(w, "variant\tLUTs\tshift LUTs\tRAM LUTs\tregisters\tRAMB36\tRAMB18\tURAM\tLUT levels\tcells\tlongest path ends in\tin "+docPath)
	for _, v := range variants {
		f := all[v]
		was := doc.numbers[v]
		switch was {
		case "":
			was = "new"
		case f.numbers():
			was = "same"
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%s\n", v, f.LUTs, f.ShiftLUTs, f.RAMLUTs, f.Registers,
			f.RAMB36, f.RAMB18, f.URAM, f.Levels, f.Cells, f.Worst, was)
	}
}
