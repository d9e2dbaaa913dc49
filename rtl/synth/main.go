// Command synth has Yosys map every block to a family of FPGAs and tells what it costs: LUTs, registers, memories, and
// the longest path between registers in LUT levels, beside the figures that docs/synth.md has. Exit 1: a path is too
// long, a netlist breaks a rule of docs/rtl.md, or a block does not synthesize.
//
// Yosys's own ltp counts cells of every kind and stops at no register of this family, so the paths are walked here.
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"text/tabwriter"
)

// maxLevels is how many LUTs a path between two registers may pass.
const maxLevels = 12

// variant is a block with its parameters set, as "NumQps 4096, Reads 4".
type variant struct{ top, parameters string }

func (v variant) String() string {
	return strings.TrimSpace(v.top + " " + strings.ReplaceAll(strings.ReplaceAll(v.parameters, ",", ""), " ", "="))
}

func main() {
	write := flag.Bool("w", false, "write the rows of what was run into "+docPath)
	only := flag.String("run", "", "only variants that match, as `BLOCK PARAMETER=VALUE`")
	flag.IntVar(&atOnce, "at-once", atOnce, "`N` Yosys side by side")
	flag.Parse()
	pattern, err := regexp.Compile(*only)
	if atOnce < 1 {
		err = fmt.Errorf("-at-once %d: one at least", atOnce)
	}
	if err == nil {
		err = run(pattern, *write)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "synth:", err)
		os.Exit(1)
	}
}

func run(only *regexp.Regexp, write bool) error {
	blocks, err := allBlocks()
	if err != nil {
		return err
	}
	var variants []variant
	for _, b := range blocks {
		for _, v := range b.variants {
			if only.MatchString(v.String()) {
				variants = append(variants, v)
			}
		}
	}
	if len(variants) == 0 && !write { // with -w the document alone is written anew
		return fmt.Errorf("no variant matches %q; they are named as %s", only, blocks[0].main)
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
		if err := doc.write(blocks, all); err != nil {
			return err
		}
	}
	for _, v := range variants {
		if f := all[v]; f.Levels > maxLevels {
			return fmt.Errorf("%s: the path to %s passes %d LUTs; %d are allowed", v, f.Worst, f.Levels, maxLevels)
		}
		if f := all[v]; len(f.Broken) > 0 {
			return fmt.Errorf("%s: %s (docs/rtl.md)", v, strings.Join(f.Broken, "; "))
		}
	}
	return nil
}

func printTable(variants []variant, all map[variant]figures, doc *document) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	defer w.Flush()
	fmt.Fprintln(w, "variant\tLUTs\tshift LUTs\tRAM LUTs\tregisters\tRAMB36\tRAMB18\tURAM\tLUT "+
		"levels\tcells\tenable\tinput reach\tlongest path ends in\tin "+docPath)
	for _, v := range variants {
		f := all[v]
		was := doc.numbers[v]
		switch was {
		case "":
			was = "new"
		case f.numbers():
			was = "same"
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%s\n", v, f.LUTs, f.ShiftLUTs, f.RAMLUTs,
			f.Registers,
			f.RAMB36, f.RAMB18, f.URAM, f.Levels, f.Cells, f.Enable, f.Reach, f.Worst, was)
	}
}
