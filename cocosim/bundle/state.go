package bundle

import (
	"encoding/json"
	"os"
	"path/filepath"

	"hcacosim/cocosim"
	"hcacosim/cocosim/html"
	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/report"
	"hcacosim/cocosim/session"
	"hcacosim/model/sim"
)

// flowState is the state of a flow as far as the records of the device tell it: the last answer about the flow on which
// both sides agreed, and what each side says at the first mismatch. Ports without fields tell nothing.
type flowState struct {
	Flow     string            `json:"flow,omitempty"` // qpn=2h
	Port     string            `json:"port,omitempty"`
	Input    map[string]string `json:"input,omitempty"` // the record that the mismatch is about
	Agreed   map[string]string `json:"agreed,omitempty"`
	Cycle    uint64            `json:"agreed_cycle,omitempty"`
	Expected map[string]string `json:"expected,omitempty"`
	Actual   map[string]string `json:"actual,omitempty"`
	order    []string
}

// flowFields name the flow of a record.
var flowFields = []string{"qpn", "conn"}

// state writes the state of the flow of the first mismatch.
func (w *writer) state() error {
	if len(w.report.Result.Violations) == 0 {
		return nil
	}
	w.flow = flowOf(w.report, w.report.Result.Violations[0], w.given.Records)
	if w.flow.Expected == nil && w.flow.Actual == nil {
		return nil
	}
	return writeJSON(filepath.Join(w.dir, StateFile), w.flow)
}

func flowOf(rep *report.Report, v *cocosim.Violation, given []sim.Record) (s flowState) {
	s.Port = v.Port
	if v.Input != nil {
		s.Input, _ = named(rep.Fields(rep.Ports[v.Input.Port].Name, v.Input.Data))
	}
	if v.Want != nil {
		s.Expected, s.order = named(rep.Fields(v.Port, v.Want.Data))
	}
	if v.Got != nil {
		s.Actual, s.order = named(rep.Fields(v.Port, v.Got.Data))
	}
	key := ""
	for _, f := range flowFields {
		if n, ok := s.Input[f]; ok {
			key, s.Flow = f, f+"="+n
		}
	}
	for i := range given {
		r := &given[i]
		if rep.Ports[r.Port].Name != v.Port || r.End >= v.Cycle || v.Got != nil && r.Seq >= v.Got.Seq {
			continue
		}
		fields, _ := named(rep.Fields(v.Port, r.Data))
		if _, has := fields[key]; fields != nil && (!has || fields[key] == s.Input[key]) {
			s.Agreed, s.Cycle = fields, r.End
		}
	}
	return s
}

func named(list []report.Field) (all map[string]string, order []string) {
	for _, f := range list {
		if all == nil {
			all = map[string]string{}
		}
		all[f.Name] = f.Value
		order = append(order, f.Name)
	}
	return all, order
}

// stateRows is the state as a table.
func stateRows(s flowState) (rows []html.StateRow) {
	for _, name := range s.order {
		rows = append(rows, html.StateRow{Name: name, Before: s.Agreed[name], Want: s.Expected[name], Got: s.Actual[name]})
	}
	return rows
}

// heldUp are the cycles in which an output was not ready on purpose, each a first and a last one.
type heldUp struct {
	Port   string      `json:"port"`
	Share  float64     `json:"share"`
	Cycles [][2]uint64 `json:"cycles"`
}

// stalls writes the backpressure as it was, up to a little behind the first mismatch.
func (w *writer) stalls() error {
	if w.spec.Backpressure == 0 {
		return nil
	}
	m, err := manifest.Find(w.spec.Dut)
	if err != nil {
		return err
	}
	var all []heldUp
	for i, p := range m.Ports {
		if only := w.spec.StallOnly; p.Dir == manifest.DirIn || p.Pins.Ready == "" || only != "" && only != p.Name {
			continue
		}
		stalls := cocosim.StallsOf(cocosim.Config{Seed: w.spec.Seed, Backpressure: w.spec.Backpressure}, i)
		h := heldUp{Port: p.Name, Share: w.spec.Backpressure}
		for cycle := range w.out.Cycle + marginCycles {
			n := len(h.Cycles)
			switch {
			case !stalls.Holds(cycle):
			case n > 0 && h.Cycles[n-1][1]+1 == cycle:
				h.Cycles[n-1][1] = cycle
			case n < mostStalls:
				h.Cycles = append(h.Cycles, [2]uint64{cycle, cycle})
			}
		}
		all = append(all, h)
	}
	b, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(w.dir, StallsFile), append(b, '\n'), 0o666)
}

// Bounds of stalls.json, and of the records of scenario.yaml.
const (
	mostStalls  = 200_000
	mostSpelled = 256
)

// scenario writes a small run as one file, ready to be kept as a test: its records spelled out, on the device that
// failed.
func (w *writer) scenario() error {
	list := w.records
	if len(list) == 0 || len(list) > mostSpelled {
		return nil
	}
	stage, settings, err := session.Settled(w.spec)
	if err != nil || w.hasOtherLives(stage.Name) {
		return err
	}
	spec := w.spec.WithoutStimulus()
	if w.spec.Vectors != "" {
		if spec.Params, spec.Config, err = split(w.spec.Dut, settings); err != nil {
			return err
		}
	}
	if spec.Records, err = session.Spell(w.spec, list); err != nil {
		return err
	}
	spec.Flavour, spec.LimitCycles, spec.Timeout = "", 0, 0
	return writeSpec(filepath.Join(w.dir, ScenarioFile), &spec)
}

// split tells the parameters and the configuration inputs that differ from the manifest's apart: a vector set has both
// in one list.
func split(dut string, settings sim.Settings) (params map[string]int, config map[string]uint64, err error) {
	m, err := manifest.Find(dut)
	if err != nil {
		return nil, nil, err
	}
	if m, err = m.Resolve(nil); err != nil {
		return nil, nil, err
	}
	own, err := m.Settings(nil)
	if err != nil {
		return nil, nil, err
	}
	params, config = map[string]int{}, map[string]uint64{}
	for name, n := range settings {
		_, isParam := m.Parameters[name]
		switch {
		case own[name] == n:
		case isParam || m.IsNumber(name):
			params[name] = int(n)
		default:
			config[name] = n
		}
	}
	return params, config, nil
}
