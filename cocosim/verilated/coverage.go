package verilated

import (
	"bufio"
	"hcacosim/cocosim"
	"io"
	"os"
	"strconv"
	"strings"
)

// CoveragePoint is a place in the design that a build of the flavour Coverage counts: a block of lines, or a branch.
// The instances of a module, and its widths, share it.
type CoveragePoint struct {
	File         string // as the manifest's world calls it, under rtl/ for our own
	Line, Column int
	Kind         string // block, if, else, elsif, case
	Lines        string // those that run when the point is reached, as 12-14,17; may be empty
}

// Branch reports whether the point is one way of a decision.
func (p *CoveragePoint) Branch() bool { return p.Kind != "block" }

// EachLine calls f with the lines of the point.
func (p *CoveragePoint) EachLine(f func(line int)) {
	for _, part := range strings.Split(p.Lines, ",") {
		low, high, isRange := strings.Cut(part, "-")
		from, err := strconv.Atoi(low)
		to := from
		if isRange && err == nil {
			to, err = strconv.Atoi(high)
		}
		for line := from; err == nil && line <= to; line++ {
			f(line)
		}
	}
}

// Coverages counts how often each point was reached, over many runs.
type Coverages map[CoveragePoint]uint64

// ReadCoverage adds the counts of a file that a simulator wrote (Options.Coverage).
func (c Coverages) ReadCoverage(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return &cocosim.Error{Exit: cocosim.BadInput, What: "cannot read coverage " + file, Err: cocosim.Cause(err)}
	}
	defer f.Close()
	return c.read(f, file)
}

// read takes Verilator's own format. verilator_coverage is not asked: it counts some points twice and others not at
// all.
func (c Coverages) read(r io.Reader, name string) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		text := lines.Text()
		if strings.HasPrefix(text, "#") {
			continue
		}
		p, count, ok := parseCoverage(text)
		if !ok {
			return cocosim.Errorf(cocosim.BadInput, "%s:%d: not a coverage count: %q", name, n, text)
		}
		c[p] += count
	}
	return lines.Err()
}

// parseCoverage takes a line apart: C 'KEY VALUE ...' COUNT, each key behind a byte 1 and each value behind a byte 2.
func parseCoverage(text string) (p CoveragePoint, count uint64, ok bool) {
	body, found := strings.CutPrefix(text, "C '")
	end := strings.LastIndex(body, "' ")
	if !found || end < 0 {
		return p, 0, false
	}
	count, err := strconv.ParseUint(body[end+2:], 10, 64)
	for _, item := range strings.Split(body[:end], "\x01") {
		key, value, _ := strings.Cut(item, "\x02")
		switch key {
		case "f":
			p.File = value
		case "l":
			p.Line, _ = strconv.Atoi(value)
		case "n":
			p.Column, _ = strconv.Atoi(value)
		case "o":
			p.Kind = value
		case "S":
			p.Lines = value
		}
	}
	return p, count, err == nil && p.File != "" && p.Line > 0
}
