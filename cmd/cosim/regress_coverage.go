package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"hcacosim/cocosim"
	"hcacosim/cocosim/strict"
	"hcacosim/cocosim/verilated"
	"hcacosim/rtl"
)

// excuse is an entry of rtl/coverage.yaml: why a line, or a way out of its decision, is not reached.
type excuse struct {
	File   string // as rtl/psn/psn_window.sv
	Text   string // of the line, without the blanks around it
	Reason string

	used bool
}

// readReasons reads a list of reasons why something is not reached, or never changes.
func readReasons[T any](file string) (list []*T, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, cocosim.Errorf(cocosim.BadInput, "%v", err)
	}
	if err := strict.Decode(text, &list); err != nil && err != io.EOF {
		return nil, cocosim.Errorf(cocosim.BadInput, "%s: %v", file, err)
	}
	return list, nil
}

// fileCoverage is what was reached of a source file.
type fileCoverage struct {
	name                string
	lines               map[int]bool // that can run: whether they did
	branches, branchHit int
	missed              []verilated.CoveragePoint
}

// byFile sorts the counts. Checkers of stream rules are no design: they are left out.
func byFile(all verilated.Coverages) (files []*fileCoverage) {
	at := map[string]*fileCoverage{}
	for p, count := range all {
		if strings.HasSuffix(p.File, "_rules.sv") {
			continue
		}
		f := at[p.File]
		if f == nil {
			f = &fileCoverage{name: p.File, lines: map[int]bool{}}
			at[p.File] = f
		}
		p.EachLine(func(line int) { f.lines[line] = f.lines[line] || count > 0 })
		if p.Branch() {
			f.branches++
			if count > 0 {
				f.branchHit++
			}
		}
		if count == 0 {
			f.missed = append(f.missed, p)
		}
	}
	files = slices.SortedFunc(maps.Values(at), func(a, b *fileCoverage) int { return strings.Compare(a.name, b.name) })
	for _, f := range files {
		slices.SortFunc(f.missed, func(a, b verilated.CoveragePoint) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
	}
	return files
}

func (f *fileCoverage) lineHit() (n int) {
	for _, hit := range f.lines {
		if hit {
			n++
		}
	}
	return n
}

// printCoverage writes docs/coverage.md and returns how many points have neither been reached nor a reason.
func printCoverage(w io.Writer, devices []string, all verilated.Coverages, excuses []*excuse) (unexplained int) {
	fmt.Fprint(w, "# Line and branch coverage of the RTL\n\n"+
		"Written by `make coverage`: the default regression, packets cut to 3,000 a run, under one seed; each block at "+
		"each of its sizes, the\n"+
		"counts of all instances and sizes together.\n"+
		"Verilator 5.006 counts procedural code: blocks of lines and the ways out of if and case. Continuous assignments "+
		"and the two sides of a `?:` are\n"+
		"not counted. Reasons stand in `rtl/coverage.yaml`, by the text of the line.\n\n"+
		"Devices: "+strings.Join(devices, ", ")+".\n\n"+
		"| file | lines | hit | branches | hit | not hit, without a reason |\n|---|---|---|---|---|---|\n")
	var missed bytes.Buffer
	for _, f := range byFile(all) {
		open := 0
		for _, p := range f.missed {
			text := sourceLine(p.File, p.Line)
			reason := excuseFor(excuses, p.File, text)
			if reason == "" {
				open++
				reason = "**none**"
			}
			fmt.Fprintf(&missed, "| %s:%d | %s | `%s` | %s |\n", p.File, p.Line, p.Kind, strings.ReplaceAll(text, "|", "\\|"),
				reason)
		}
		unexplained += open
		fmt.Fprintf(w, "| %s | %d | %s | %d | %s | %d |\n", f.name, len(f.lines), percent(f.lineHit(), len(f.lines)),
			f.branches, percent(f.branchHit, f.branches), open)
	}
	fmt.Fprintf(w, "\n## What is not hit\n\n")
	if missed.Len() == 0 {
		fmt.Fprintln(w, "Nothing.")
		return unexplained
	}
	fmt.Fprintf(w, "An `else` that the source does not spell out is the case in which its `if` does not hold.\n\n"+
		"| place | what | line | reason |\n|---|---|---|---|\n%s", &missed)
	return unexplained
}

func excuseFor(excuses []*excuse, file, text string) string {
	for _, e := range excuses {
		if e.File == file && e.Text == text {
			e.used = true
			return e.Reason
		}
	}
	return ""
}

func percent(part, whole int) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(whole))
}

// sourceLine is a line of our own RTL.
func sourceLine(file string, line int) string {
	text, err := fs.ReadFile(rtl.FS, strings.TrimPrefix(file, "rtl/"))
	lines := strings.Split(string(text), "\n")
	if err != nil || line > len(lines) {
		return "?"
	}
	return strings.TrimSpace(lines[line-1])
}
