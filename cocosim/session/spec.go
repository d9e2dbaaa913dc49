// Package session makes a run a value: a Spec says all that decides what a run does, Open resolves it, Run runs it. A
// Spec can be written down and read again, so that any run can be had again, byte for byte, on any machine.
package session

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"hcacosim/cocosim"
	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/strict"
	"hcacosim/cocosim/verilated"
)

// The kinds of device that a Spec may name.
const (
	RTL       = "rtl"       // built by Verilator, behind the bridge
	Model     = "model"     // the golden model itself
	Recording = "recording" // what a vector set expects
)

// Spec is all that decides what a run does. The zero value of a field is its default.
type Spec struct {
	Dut    string            `yaml:"dut"`              // a device that comes along, or the path of a manifest
	Params map[string]int    `yaml:"params,omitempty"` // parameters that differ from the manifest's
	Config map[string]uint64 `yaml:"config,omitempty"` // configuration inputs that differ from the manifest's

	// Stimulus, played in this order; without any the default scenario of the device.
	Vectors  string   `yaml:"vectors,omitempty"`  // directory of a vector set
	Known    bool     `yaml:"known,omitempty"`    // the real packets that come along
	Captures []string `yaml:"captures,omitempty"` // pcap and pcapng files
	// For hca_rx: what an end of the captures received, set up by the sidecar beside each, or PeerConfig, and the end At
	// that the capture was taken at, else told by its name; under a Profile, else the specification.
	PeerConfig string `yaml:"peer-config,omitempty"`
	At         string `yaml:"at,omitempty"`
	Profile    string `yaml:"profile,omitempty"`

	Scenario string `yaml:"scenario,omitempty"`
	Weights  string `yaml:"weights,omitempty"` // of the scenario: a file
	Count    uint64 `yaml:"count,omitempty"`   // records of the scenario; 0: all that it promises
	// Records are played behind the vector set; only a Spec in a file has any.
	Records []Given `yaml:"records,omitempty"`
	Seed    uint64  `yaml:"seed"` // of the scenario, backpressure and idle beats

	Backpressure float64 `yaml:"backpressure,omitempty"` // share of cycles in which an output is not ready
	StallOnly    string  `yaml:"stall-only,omitempty"`   // the one output that Backpressure is for; all where empty
	Idle         float64 `yaml:"idle,omitempty"`         // share of cycles in which an input holds back its next beat
	// Resets is how many times the design is reset in mid-traffic before the run: see lives. RTL that can take it only.
	Resets int `yaml:"resets,omitempty"`

	Device      string            `yaml:"device,omitempty"`  // RTL where empty
	Flavour     verilated.Flavour `yaml:"flavour,omitempty"` // how RTL is built; Fast where empty
	Coverage    string            `yaml:"coverage,omitempty"`
	Batch       int               `yaml:"batch,omitempty"` // records a call; never shows in a result
	LimitCycles uint64            `yaml:"limit-cycles,omitempty"`
	Timeout     time.Duration     `yaml:"timeout,omitempty"`
	// MaxMismatches stops the run; 0 is cocosim.DefaultMaxMismatches.
	MaxMismatches uint64 `yaml:"max-mismatches,omitempty"`
	// MaxMemory bounds the simulator in MiB; 0 is verilated.DefaultMemoryLimit.
	MaxMemory uint64 `yaml:"max-memory,omitempty"`
	// Drain is how many cycles follow the last input; 0 is the manifest's, or cocosim.DefaultDrain
	Drain     uint64   `yaml:"drain,omitempty"`
	Plusargs  []string `yaml:"plusargs,omitempty"`   // over the manifest's
	StateSeed uint64   `yaml:"state-seed,omitempty"` // of what no reset reaches; 0 is one made of Seed
	// States is under how many other state seeds a run that agreed is repeated: one that then does not agree is the
	// result.
	States   int  `yaml:"states,omitempty"`
	Warnings bool `yaml:"warnings,omitempty"` // a warning of a tool fails the build
	Show     int  `yaml:"show"`               // mismatches kept in full

	file string // that a Spec with Records was read from
}

// WithoutStimulus is the Spec without what it plays, for records that are named in another way.
func (s Spec) WithoutStimulus() Spec {
	s.Vectors, s.Known, s.Captures, s.PeerConfig, s.At, s.Profile = "", false, nil, "", "", ""
	s.Scenario, s.Weights, s.Count, s.Records, s.file = "", "", 0, nil, ""
	return s
}

// device is the kind of device, the default spelled out.
func (s *Spec) device() string {
	if s.Device == "" {
		return RTL
	}
	return s.Device
}

// mostMemory is the most of MaxMemory: 1 PiB.
const mostMemory = 1 << 30

// check says what no run can have.
func (s *Spec) check() error {
	for name, v := range map[string]float64{"backpressure": s.Backpressure, "idle": s.Idle} {
		if !(v >= 0 && v <= 0.99) { // NaN is none either
			return cocosim.Errorf(cocosim.BadInput, "--%s is a share of cycles from 0 to 0.99, not %v", name, v)
		}
	}
	if s.Batch < 0 || s.Show < 0 || s.States < 0 || s.Resets < 0 {
		return cocosim.Errorf(cocosim.BadInput, "--batch, --resets, --show and --states are not below 0")
	}
	if s.MaxMemory > mostMemory {
		return cocosim.Errorf(cocosim.BadInput, "--max-memory %d: in MiB, and at most %d", s.MaxMemory, mostMemory)
	}
	if d := s.device(); d != RTL && d != Model && d != Recording {
		return cocosim.Errorf(cocosim.BadInput, "--device is rtl, model or recording, not %q", d)
	}
	return nil
}

// Args are the arguments of `cosim` that repeat the run. Records that are spelled out stay in their file; what else the
// Spec has goes over it.
func (s *Spec) Args() []string {
	args, spelled := []string{"run", "--dut", s.Dut}, len(s.Records) > 0 && s.file != ""
	if spelled {
		args = []string{"run", "--spec", s.file, "--dut", s.Dut}
	}
	add := func(flag string, is bool, value any) {
		if is {
			args = append(args, "--"+flag, fmt.Sprint(value))
		}
	}
	for _, name := range sortedKeys(s.Params) {
		add("param", true, fmt.Sprintf("%s=%d", name, s.Params[name]))
	}
	for _, name := range sortedKeys(s.Config) {
		add("config", true, fmt.Sprintf("%s=%d", name, s.Config[name]))
	}
	add("vectors", s.Vectors != "", s.Vectors)
	if s.Known {
		args = append(args, "--known")
	}
	for _, file := range s.Captures {
		add("capture", true, file)
	}
	add("peer-config", s.PeerConfig != "", s.PeerConfig)
	add("at", s.At != "", s.At)
	add("profile", s.Profile != "", s.Profile)
	add("scenario", s.Scenario != "", s.Scenario)
	add("weights", s.Weights != "", s.Weights)
	add("seed", !spelled, s.Seed)
	add("count", s.Count != 0, s.Count)
	add("backpressure", s.Backpressure != 0, s.Backpressure)
	add("stall-only", s.StallOnly != "", s.StallOnly)
	add("idle", s.Idle != 0, s.Idle)
	add("resets", s.Resets != 0, s.Resets)
	add("device", s.device() != RTL, s.Device)
	add("flavour", s.Flavour != "" && s.Flavour != verilated.Fast, s.Flavour)
	add("coverage", s.Coverage != "", s.Coverage)
	add("batch", s.Batch != 0 && s.Batch != cocosim.DefaultBatch, s.Batch)
	add("limit-cycles", s.LimitCycles != 0, s.LimitCycles)
	add("timeout", s.Timeout != 0, s.Timeout)
	add("max-mismatches", s.MaxMismatches != 0, s.MaxMismatches)
	add("max-memory", s.MaxMemory != 0, s.MaxMemory)
	add("drain", s.Drain != 0, s.Drain)
	for _, arg := range s.Plusargs {
		add("plusarg", true, arg)
	}
	add("state-seed", s.StateSeed != 0, s.StateSeed)
	add("states", s.States != 0, s.States)
	if s.Warnings {
		args = append(args, "--warnings")
	}
	add("show", s.Show != DefaultShow, s.Show)
	return args
}

// DefaultShow is how many mismatches a run keeps in full unless it is told.
const DefaultShow = 3

// Line is Args as a line for a shell.
func (s *Spec) Line() string {
	words := []string{"cosim"}
	for _, a := range s.Args() {
		words = append(words, Quote(a))
	}
	return strings.Join(words, " ")
}

// Quote is a word as a shell takes it.
func Quote(s string) string {
	if strings.ContainsAny(s, " '\"$&|;<>*?") || s == "" {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}

// Write writes the Spec as YAML. Paths are written as they are, and Read takes them from the file's directory on: a
// Spec that is to be read elsewhere needs absolute ones.
func (s *Spec) Write(w io.Writer) error {
	enc := yaml.NewEncoder(w)
	if err := enc.Encode(s); err != nil {
		return err
	}
	return enc.Close()
}

// Read reads a Spec from a file. Paths in it are relative to the file's directory.
func Read(file string) (*Spec, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, cocosim.Errorf(cocosim.BadInput, "%v", err)
	}
	s := &Spec{Seed: 1, Show: DefaultShow}
	if err := strict.Decode(text, s); err != nil {
		return nil, cocosim.Errorf(cocosim.BadInput, "%s: %v", file, err)
	}
	s.anchor(filepath.Dir(file))
	if len(s.Records) > 0 {
		s.file = file
	}
	return s, nil
}

// anchor makes relative paths relative to a directory.
func (s *Spec) anchor(dir string) {
	at := func(path string) string {
		if path == "" || filepath.IsAbs(path) {
			return path
		}
		return filepath.Join(dir, path)
	}
	if manifest.IsPath(s.Dut) {
		s.Dut = at(s.Dut)
	}
	s.Vectors, s.Coverage, s.PeerConfig, s.Weights = at(s.Vectors), at(s.Coverage), at(s.PeerConfig), at(s.Weights)
	if strings.HasSuffix(s.Profile, ".yaml") || strings.HasSuffix(s.Profile, ".yml") {
		s.Profile = at(s.Profile)
	}
	s.Captures = slices.Clone(s.Captures)
	for i := range s.Captures {
		s.Captures[i] = at(s.Captures[i])
	}
}
