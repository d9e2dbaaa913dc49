// Package bundle keeps a failing run as a directory that says what went wrong and runs again anywhere: the Spec, the
// vectors up to the failure, what the device gave, the report, and what Wireshark can show.
package bundle

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hcacosim/cocosim"
	"hcacosim/cocosim/bucket"
	"hcacosim/cocosim/report"
	"hcacosim/cocosim/session"
	"hcacosim/model/sim"
	"hcacosim/vectors"
	"hcacosim/vectors/scenario"
)

// Format is the version of a bundle's layout.
const Format = 1

// Names of the files of a bundle. About is written last: a directory without it is no bundle.
const (
	AboutFile  = "bundle.json"
	SpecFile   = "spec.yaml"   // the run that failed
	ReplayFile = "replay.yaml" // the same from the vectors beside it
	VectorsDir = "vectors"
	ReportFile = "report.txt"
	ObjectFile = "report.json"
	ActualFile = "actual.jsonl"  // what the device gave, and when it took its inputs
	SaidFile   = "simulator.log" // what the design printed and asserted, with cycles
)

// About says what is in a bundle.
type About struct {
	Format int    `json:"format"`
	Dut    string `json:"dut"`
	Build  string `json:"build"`
	// Tools are the versions of cosim, go, verilator, g++ and of a netlist yosys, as each names its own.
	Tools     map[string]string `json:"tools,omitempty"`
	Signature string            `json:"signature"`
	Rule      string            `json:"rule"`
	Port      string            `json:"port,omitempty"`
	Cycle     uint64            `json:"cycle"`
	Packets   int               `json:"packets"` // in vectors
	Digest    string            `json:"digest"`
	Reproduce string            `json:"reproduce"`
	// Input is the record that the violation is about, as the device took it; nil where that is not known.
	Input *Taken `json:"input,omitempty"`
	Trace string `json:"trace,omitempty"` // the file of waves; "none" where there is none
	// TraceCycles are the cycles in it.
	TraceCycles *Span `json:"trace_cycles,omitempty"`
	// Failure is what cosim buckets groups.
	Failure bucket.Failure `json:"failure"`
	// Minimal: no single packet can be left out (set by shrink).
	Minimal bool `json:"minimal"`
}

// Taken is an input record with the cycles in which the device took it.
type Taken struct {
	Port   string `json:"port"`
	Packet uint64 `json:"packet"` // its number on the port
	Start  uint64 `json:"start"`
	End    uint64 `json:"end"`
}

// MostRecords bounds the vectors of a bundle; what fails later is replayed from its Spec.
const MostRecords = 200_000

// mostBytes bounds what is kept of the device's records.
const mostBytes = 128 << 20

// marginRecords go in beyond those that the device had taken when it failed.
const marginRecords = 64

// Write runs a Spec that failed once more, with its outputs on record, and leaves a bundle in dir, which must not
// exist. The directory appears whole or not at all. failed is the report of the run that failed: the second run goes no
// further than it needs; nil runs it to its end. records are played in place of what the Spec names; nil plays that.
func Write(ctx context.Context, dir string, spec session.Spec, records []sim.Offer, failed *report.Report) (a *About,
	err error) {
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return nil, cocosim.Errorf(cocosim.BadInput, "%s is there already; name another directory for the bundle", dir)
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return nil, cocosim.Errorf(cocosim.BadInput, "bundle: %v", err)
	}
	forgetBroken(filepath.Dir(dir))
	temp, err := os.MkdirTemp(filepath.Dir(dir), tempPrefix)
	if err != nil {
		return nil, cocosim.Errorf(cocosim.BadInput, "bundle: %v", err)
	}
	defer os.RemoveAll(temp)
	if spec.States > 0 && failed != nil && failed.StateSeed != 0 { // the one of them that failed
		spec.StateSeed, spec.States = failed.StateSeed, 0
	}
	w := writer{dir: temp, place: dir, spec: absolute(spec), records: records, report: failed}
	w.named = w.spec
	for _, step := range []func(context.Context) error{w.replayed, w.vectors, w.texts, w.packets, w.extras, w.about} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	if err := os.Chmod(temp, 0o755); err != nil {
		return nil, err
	}
	if err := os.Rename(temp, dir); err != nil {
		return nil, cocosim.Errorf(cocosim.BadInput, "bundle: %v", err)
	}
	return &w.out, nil
}

// tempPrefix is of the directory in which a bundle is made.
const tempPrefix = ".bundle-"

// forgetBroken removes what was left a day ago and more by a command that was killed while it wrote a bundle.
func forgetBroken(folder string) {
	left, _ := filepath.Glob(filepath.Join(folder, tempPrefix+"*"))
	for _, name := range left {
		if st, err := os.Stat(name); err == nil && time.Since(st.ModTime()) > 24*time.Hour {
			os.RemoveAll(name)
		}
	}
}

// absolute makes the paths of a Spec hold from anywhere.
func absolute(s session.Spec) session.Spec {
	if _, err := os.Stat(s.Dut); err == nil {
		s.Dut, _ = filepath.Abs(s.Dut)
	}
	if s.Vectors != "" {
		s.Vectors, _ = filepath.Abs(s.Vectors)
	}
	if s.PeerConfig != "" {
		s.PeerConfig, _ = filepath.Abs(s.PeerConfig)
	}
	if s.Weights != "" {
		s.Weights, _ = filepath.Abs(s.Weights)
	}
	if strings.HasSuffix(s.Profile, ".yaml") || strings.HasSuffix(s.Profile, ".yml") {
		s.Profile, _ = filepath.Abs(s.Profile)
	}
	s.Captures = append([]string(nil), s.Captures...)
	for i := range s.Captures {
		s.Captures[i], _ = filepath.Abs(s.Captures[i])
	}
	return s
}

// started says in which cycle a record began.
type started struct {
	port  sim.Port
	cycle uint64
}

// writer makes a bundle.
type writer struct {
	dir     string
	place   string // where dir comes to lie
	spec    session.Spec
	records []sim.Offer // what is played; nil: what the Spec names
	given   sim.Batch   // what the device gave until the first violation, and its inputs as it took them
	older   sim.Batch   // what came before that
	bytes   int         // in given
	starts  []started   // of all records
	inputs  uint64      // of given
	report  *report.Report
	again   *report.Report // of the run for the bundle
	named   session.Spec   // that SpecFile has
	flow    flowState
	out     About
}

// replayed runs the Spec again and keeps what it gives, up to the first violation and a little beyond.
func (w *writer) replayed(ctx context.Context) error {
	spec := w.spec
	spec.Show = max(spec.Show, 1)
	// A limit would end lives before a reset too, which may last longer than the run does up to its violation.
	if w.report != nil && len(w.report.Result.Violations) > 0 && spec.Resets == 0 {
		spec.LimitCycles = w.report.Result.Violations[0].Cycle + 2*marginCycles
	}
	rep, err := session.Run(ctx, spec, session.Options{Records: w.records, Tap: w.keep})
	if err != nil {
		return err
	}
	if ctx.Err() != nil || rep.Err != nil && len(rep.Result.Violations) == 0 {
		return cocosim.Errorf(cocosim.Inconclusive, "the run for the bundle did not get to its end: %v",
			errors.Join(context.Cause(ctx), rep.Err))
	}
	w.given.Records = append(w.older.Records, w.given.Records...)
	agreed := w.report != nil && w.report.Exit() == cocosim.Agreed && rep.Exit() == cocosim.Agreed
	if len(rep.Result.Violations) == 0 && !agreed {
		return cocosim.Errorf(cocosim.Inconclusive, "the run agreed when it was run again for the bundle: it does not "+
			"repeat (%s)", w.spec.Line())
	}
	w.again = rep
	if w.report == nil || len(w.report.Result.Violations) == 0 {
		w.report = rep
	}
	w.ofRun(w.report)
	return nil
}

// keep is told every record of the device. Of many the last are kept.
func (w *writer) keep(r *sim.Record) {
	if w.bytes += len(r.Data); w.bytes > mostBytes/2 {
		w.older, w.given, w.bytes = w.given, sim.Batch{}, len(r.Data)
	}
	w.given.Append(*r)
	w.starts = append(w.starts, started{r.Port, r.Start})
}

// ofRun says what was found: the first violation, or where a run ended that had none.
func (w *writer) ofRun(rep *report.Report) {
	first, signature := &cocosim.Violation{Cycle: rep.Result.Cycles - min(rep.Result.Cycles, 1)}, ""
	if len(rep.Result.Violations) > 0 {
		first = rep.Result.Violations[0]
		signature = rep.Signature(first)
	}
	for _, s := range w.starts {
		if rep.Ports[s.port].Input && s.cycle <= first.Cycle {
			w.inputs++
		}
	}
	w.out = About{Format: Format, Dut: rep.Dut, Build: rep.Build, Tools: toolsOf(rep), Signature: signature,
		Rule: string(first.Rule),
		Port: first.Port, Cycle: first.Cycle, Digest: fmt.Sprintf("%016x", rep.Result.Digest), Reproduce: rep.Reproduce,
		Input: w.taken(first), Trace: noTrace}
}

// taken is the input that a violation is about, among those that the device took; nil if it is not.
func (w *writer) taken(v *cocosim.Violation) *Taken {
	if !v.Known {
		return nil
	}
	for _, r := range w.given.Records {
		p := w.report.Ports[r.Port]
		concerned := v.Input == nil && p.Kind == sim.Axis || v.Input != nil && v.Input.Port == r.Port
		if p.Input && r.Seq == v.Packet && concerned {
			return &Taken{p.Name, r.Seq, r.Start, r.End}
		}
	}
	return nil
}

// vectors writes the set and the Spec that plays it.
func (w *writer) vectors(context.Context) error {
	n := w.inputs + marginRecords
	if n > MostRecords {
		return nil
	}
	list := w.records
	if list == nil {
		var more bool
		var err error
		if list, more, err = session.RecordsTaken(w.spec, n, MostRecords); err != nil || more {
			return err
		}
	}
	stage, settings, err := session.Settled(w.spec)
	if err != nil {
		return err
	}
	w.out.Packets = len(list)
	replay := w.spec.WithoutStimulus()
	if w.records != nil { // what the Spec names is not what was played
		w.named = replay
		if w.named.Vectors, err = filepath.Abs(filepath.Join(w.place, VectorsDir)); err != nil {
			return err
		}
		w.report.Reproduce = w.named.Line()
		w.out.Reproduce = w.report.Reproduce
	}
	_, err = vectors.WriteSet(filepath.Join(w.dir, VectorsDir), vectors.Manifest{Name: "bundle", Dut: stage.Name,
		Command: w.report.Reproduce}, newSource(list, len(stage.Ports)), vectors.SetOptions{Settings: settings})
	if err != nil || w.records == nil && w.hasOtherLives(stage.Name) {
		return err
	}
	replay.Vectors = VectorsDir
	return writeSpec(filepath.Join(w.dir, ReplayFile), &replay)
}

// hasOtherLives reports whether the lives before the run play another scenario than the stage's default. A Spec that
// names it plays it in the run too, so that no set of vectors can stand for such a run.
func (w *writer) hasOtherLives(stage string) bool {
	s := w.spec.Scenario
	return w.spec.Resets > 0 && s != "" && s != scenario.Default(stage).Name
}

func writeSpec(file string, s *session.Spec) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(s.Write(f), f.Close())
}

func (w *writer) texts(context.Context) error {
	if err := writeSpec(filepath.Join(w.dir, SpecFile), &w.named); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(w.dir, ReportFile))
	if err != nil {
		return err
	}
	w.report.Print(f)
	if err := f.Close(); err != nil {
		return err
	}
	if text := said(w.again, Span{0, ^uint64(0)}); text != "" {
		if err := os.WriteFile(filepath.Join(w.dir, SaidFile), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return writeJSON(filepath.Join(w.dir, ObjectFile), w.report.Object())
}

func (w *writer) about(context.Context) error {
	return writeJSON(filepath.Join(w.dir, AboutFile), &w.out)
}

func writeJSON(file string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(b, '\n'), 0o666)
}

// Open reads what is in a bundle, and the Spec that runs it again.
func Open(dir string) (*About, *session.Spec, error) {
	raw, err := os.ReadFile(filepath.Join(dir, AboutFile))
	if err != nil {
		return nil, nil, cocosim.Errorf(cocosim.BadInput, "%s is no bundle: it has no %s", dir, AboutFile)
	}
	var a About
	if err := json.Unmarshal(raw, &a); err != nil || a.Format != Format {
		return nil, nil, cocosim.Errorf(cocosim.BadInput, "%s: not the %s of a bundle of format %d", dir, AboutFile, Format)
	}
	file := filepath.Join(dir, ReplayFile)
	if _, err := os.Stat(file); err != nil {
		file = filepath.Join(dir, SpecFile)
	}
	spec, err := session.Read(file)
	return &a, spec, err
}

// SetMinimal notes in a bundle whether no single packet can be left out.
func SetMinimal(dir string, minimal bool) error {
	a, _, err := Open(dir)
	if err != nil {
		return err
	}
	a.Minimal = minimal
	return a.save(dir)
}

// save writes what is in a bundle anew, whole or not at all.
func (a *About) save(dir string) error {
	temp := filepath.Join(dir, "."+AboutFile)
	if err := writeJSON(temp, a); err != nil {
		os.Remove(temp)
		return cocosim.Errorf(cocosim.BadInput, "bundle: %v", err)
	}
	return os.Rename(temp, filepath.Join(dir, AboutFile))
}
