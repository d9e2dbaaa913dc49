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
func (c Coverages) ReadCoverage(file string) error { return readCounts(file, c.read) }

func (c Coverages) read(r io.Reader, name string) error {
	return eachCount(r, name, func(items string, count uint64) bool {
		p, ok := coveragePoint(items)
		c[p] += count
		return ok
	})
}

func readCounts(file string, read func(io.Reader, string) error) error {
	f, err := os.Open(file)
	if err != nil {
		return &cocosim.Error{Exit: cocosim.BadInput, What: "cannot read coverage " + file, Err: cocosim.Cause(err)}
	}
	defer f.Close()
	return read(f, file)
}

// eachCount takes Verilator's own format, a line a point: C 'KEY VALUE ...' COUNT. verilator_coverage is not asked: it
// counts some points twice and others not at all. A point that take does not know is an error.
func eachCount(r io.Reader, name string, take func(items string, count uint64) bool) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		text := lines.Text()
		if strings.HasPrefix(text, "#") {
			continue
		}
		body, found := strings.CutPrefix(text, "C '")
		end := strings.LastIndex(body, "' ")
		ok := found && end >= 0
		if ok {
			count, err := strconv.ParseUint(body[end+2:], 10, 64)
			ok = err == nil && take(body[:end], count)
		}
		if !ok {
			return cocosim.Errorf(cocosim.BadInput, "%s:%d: not a coverage count: %q", name, n, text)
		}
	}
	return lines.Err()
}

// eachItem calls f with the items of a point, each key behind a byte 1 and each value behind a byte 2.
func eachItem(items string, f func(key, value string)) {
	for _, item := range strings.Split(items, "\x01") {
		key, value, _ := strings.Cut(item, "\x02")
		f(key, value)
	}
}

func coveragePoint(items string) (p CoveragePoint, ok bool) {
	eachItem(items, func(key, value string) {
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
	})
	return p, p.File != "" && p.Line > 0
}
