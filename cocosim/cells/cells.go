// Package cells has lists of closed loops, what came of each, and the page that shows them: docs/link.md, "Cells".
package cells

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"hcacosim/cocosim"
	"hcacosim/cocosim/loop"
	"hcacosim/cocosim/strict"
)

// List is what is to be run: groups of cells, and what the link does in all of them.
type List struct {
	Window  uint32  `yaml:"window"`
	Dup     float64 `yaml:"dup"`     // in percent
	Reorder float64 `yaml:"reorder"` // likewise
	Corrupt float64 `yaml:"corrupt"` // likewise
	Seed    uint64  `yaml:"seed"`
	Lapse   uint64  `yaml:"lapse"` // as --lapse; 0: none
	Groups  []Group `yaml:"groups"`
}

// Group is a cell for each loss and each number of queue pairs.
type Group struct {
	A      string    `yaml:"a"`
	B      string    `yaml:"b"`
	Losses []float64 `yaml:"losses"` // in percent
	QPs    []int     `yaml:"qps"`
	Count  uint64    `yaml:"count"` // new PSNs
}

// Cell is a closed loop.
type Cell struct {
	A, B  string
	Loss  float64
	QPs   int
	Count uint64
	list  *List
}

// Read reads a list.
func Read(file string) (*List, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", file, err)
	}
	l := &List{Window: 64, Seed: 1}
	if err := strict.Decode(raw, l); err != nil && err != io.EOF {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(l.Cells()) == 0 {
		return nil, fmt.Errorf("%s: no cells", file)
	}
	return l, nil
}

// Cells are those of all groups, in order.
func (l *List) Cells() (all []Cell) {
	for _, g := range l.Groups {
		for _, qps := range g.QPs {
			for _, loss := range g.Losses {
				all = append(all, Cell{A: g.A, B: g.B, Loss: loss, QPs: qps, Count: g.Count, list: l})
			}
		}
	}
	return all
}

// Args are what cosim is given to run the cell.
func (c *Cell) Args() []string {
	number := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
	l := c.list
	args := []string{"link", "--a", c.A, "--b", c.B, "--qps", fmt.Sprint(c.QPs), "--count", fmt.Sprint(c.Count),
		"--loss", number(c.Loss), "--dup", number(l.Dup), "--reorder", number(l.Reorder), "--corrupt", number(l.Corrupt),
		"--window", fmt.Sprint(l.Window), "--seed", fmt.Sprint(l.Seed)}
	if l.Lapse > 0 {
		args = append(args, "--lapse", fmt.Sprint(l.Lapse))
	}
	return args
}

// Lapse is --lapse of the cell.
func (c *Cell) Lapse() uint64 { return c.list.Lapse }

// Line is the command that runs the cell.
func (c *Cell) Line() string { return "cosim " + strings.Join(c.Args(), " ") }

// Result is what came of a cell.
type Result struct {
	Line    string        `json:"line"`
	Exit    int           `json:"exit"` // of cosim link
	Seconds float64       `json:"seconds"`
	Outcome *loop.Outcome `json:"outcome,omitempty"`
	// Captures are the exit codes of cosim check on what each end saw; 0 is clean.
	Captures [2]int `json:"captures"`
	Error    string `json:"error,omitempty"`
}

// Good reports whether the loop agreed and both captures are clean.
func (r *Result) Good() bool { return r.Verdict() == cocosim.Agreed }

// Verdict is what came of the loop and of both captures: a mismatch of any of them, else the first of them that did not
// agree. A loop that said nothing is inconclusive.
func (r *Result) Verdict() cocosim.Exit {
	exits := []int{r.Exit, r.Captures[0], r.Captures[1]}
	if slices.Contains(exits, int(cocosim.Mismatch)) {
		return cocosim.Mismatch
	}
	for _, exit := range exits {
		if exit != int(cocosim.Agreed) {
			return cocosim.Exit(exit)
		}
	}
	if r.Outcome == nil {
		return cocosim.Inconclusive
	}
	return cocosim.Agreed
}

// Results are those in a file of JSON lines, by the line of the cell; none where there is no such file.
func Results(file string) (map[string]*Result, error) {
	all := map[string]*Result{}
	raw, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", file, err)
	}
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		r := &Result{}
		if err := json.Unmarshal(lines.Bytes(), r); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", file, n, err)
		}
		all[r.Line] = r
	}
	return all, nil
}

// Keep adds a result to a file.
func Keep(file string, r *Result) (err error) {
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("a result: %w", err)
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", file, err)
	}
	_, err = f.Write(append(line, '\n'))
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("cannot write %s: %w", file, err)
	}
	return nil
}
