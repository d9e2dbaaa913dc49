package mutate

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"io"
	"slices"
	"strconv"

	"hcacosim/cocosim/session"
)

// Matrix says which scenario finds which mutant, whatever run of it.
type Matrix struct {
	Dut       string        `json:"dut"`
	Scenarios []string      `json:"scenarios"` // in the order of the runs
	Kills     []int         `json:"kills"`     // by scenario
	Alone     []int         `json:"alone"`     // by scenario: mutants that no other finds
	Redundant []string      `json:"redundant"` // scenarios that find nothing that others do not
	Mutants   []MatrixEntry `json:"mutants"`   // that were built
}

// MatrixEntry is a row of the matrix.
type MatrixEntry struct {
	ID       int    `json:"id"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	Operator string `json:"operator"`
	Class    Class  `json:"class"`
	Found    []bool `json:"found"` // by scenario
}

// NewMatrix sums up outcomes of a qualification with Options.Matrix. A timeout of a run counts as found, as in Killers.
func NewMatrix(d *Design, runs []session.Spec, out []Outcome) *Matrix {
	m := &Matrix{Dut: d.Manifest.Name}
	for _, r := range runs {
		if !slices.Contains(m.Scenarios, played(r)) {
			m.Scenarios = append(m.Scenarios, played(r))
		}
	}
	m.Kills, m.Alone = make([]int, len(m.Scenarios)), make([]int, len(m.Scenarios))
	for _, x := range out {
		if x.Class == NotBuilt {
			continue
		}
		e := MatrixEntry{x.ID, x.File, x.Line, x.Operator, x.Class, make([]bool, len(m.Scenarios))}
		for run, found := range x.Killers {
			if found {
				e.Found[slices.Index(m.Scenarios, played(runs[run]))] = true
			}
		}
		m.count(e.Found)
		m.Mutants = append(m.Mutants, e)
	}
	for i, name := range m.Scenarios {
		if m.Alone[i] == 0 {
			m.Redundant = append(m.Redundant, name)
		}
	}
	return m
}

func (m *Matrix) count(found []bool) {
	last, n := 0, 0
	for i, is := range found {
		if is {
			m.Kills[i]++
			last, n = i, n+1
		}
	}
	if n == 1 {
		m.Alone[last]++
	}
}

// WriteJSON writes the matrix as one object.
func (m *Matrix) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	return enc.Encode(m)
}

// WriteCSV writes a line a mutant: id, place, operator, class, then 1 or 0 for each scenario.
func (m *Matrix) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	c.Write(append([]string{"id", "file", "line", "operator", "class"}, m.Scenarios...))
	for _, e := range m.Mutants {
		row := []string{strconv.Itoa(e.ID), e.File, strconv.Itoa(e.Line), e.Operator, string(e.Class)}
		for _, found := range e.Found {
			row = append(row, map[bool]string{false: "0", true: "1"}[found])
		}
		c.Write(row)
	}
	c.Flush()
	return c.Error()
}

// played is what a run plays: a scenario, or the directory of a vector set.
func played(r session.Spec) string { return cmp.Or(r.Scenario, r.Vectors) }
