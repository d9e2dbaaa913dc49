package vectors

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hcacosim/model/hca"
	"hcacosim/model/sim"
	"hcacosim/model/stages"
	"hcacosim/vectors/capture"
)

// SetFormat is the version of the vector set's format, as docs/vectors.md has it.
const SetFormat = 2

// Names of the files of a vector set.
const (
	manifestFile = "manifest.json"
	stimulusFile = "stimulus.pcapng"
	expectFile   = "expect.pcapng"
	recordsFile  = "records.jsonl"
)

// Manifest is manifest.json: what a vector set is and how it came about.
type Manifest struct {
	Format          int               `json:"format"`
	Name            string            `json:"name"`
	Dut             string            `json:"dut"` // stage of the golden model that the expected records come from
	Scenario        string            `json:"scenario,omitempty"`
	Generator       int               `json:"generator,omitempty"` // GeneratorVersion
	Seed            uint64            `json:"seed"`
	Weights         string            `json:"weights,omitempty"` // the file of --weights, as text
	Source          string            `json:"source,omitempty"`  // the capture that an imported set came from
	Command         string            `json:"command"`           // that makes the set again
	Configuration   map[string]uint64 `json:"configuration"`     // parameters and inputs of the device by name
	Inputs          map[string]uint64 `json:"inputs,omitempty"`  // that a bench drives: all that the stage knows
	Flavour         Flavour           `json:"flavour"`
	Slack           uint64            `json:"slack"` // cycles that a record may come later than the model gives it
	Ports           []ManifestPort    `json:"ports"`
	StimulusRecords uint64            `json:"stimulus_records"`
	ExpectRecords   uint64            `json:"expect_records"`
	ReadmemhBits    int               `json:"readmemh_bits,omitempty"`
	Files           Files             `json:"files"`
}

// ManifestPort is a port of the device; its index is the port of a record.
type ManifestPort struct {
	Name     string `json:"name"`
	Input    bool   `json:"input"`
	Kind     string `json:"kind"` // axis or fields
	UserBits int    `json:"user_bits"`
	Keyed    bool   `json:"keyed,omitempty"` // records of different key come in no order
}

// Flavour says how much of a device's freedom the expected records leave.
type Flavour string

const (
	// Strict sets expect what one device gives that is allowed: every record must come.
	Strict Flavour = "strict"
	// Lenient sets expect what any device that keeps to the rules gives: where they leave a choice, a record may come, or
	// one of a group.
	Lenient Flavour = "lenient"
)

// DefaultSlack is how many cycles a record may come later than the model gives it where nothing else is said.
const DefaultSlack = 1000

// views are stages for vector sets that are no blocks.
var views = []sim.StageSpec{hca.RespAnswersSpec, hca.RespFramesSpec, hca.TxFramesSpec}

// IsView reports whether a name is that of a view: sets are made for it, and no device runs against it.
func IsView(name string) bool {
	return slices.ContainsFunc(views, func(v sim.StageSpec) bool { return v.Name == name })
}

// Stages lists what a set can be made for: the stages of the model, and views of them.
func Stages() []sim.StageSpec { return slices.Concat(stages.All(), views) }

// Lookup finds one of Stages by name.
func Lookup(name string) (sim.StageSpec, bool) {
	if i := slices.IndexFunc(views, func(v sim.StageSpec) bool { return v.Name == name }); i >= 0 {
		return views[i], true
	}
	return stages.Lookup(name)
}

// Files are the files of a set by name.
type Files map[string]FileInfo

// MarshalJSON gives a $readmemh file its lines where it has none, too.
func (f Files) MarshalJSON() ([]byte, error) {
	type words struct {
		FileInfo
		Lines uint64 `json:"lines"`
	}
	all := map[string]any{}
	for name, info := range f {
		if all[name] = info; strings.HasSuffix(name, ".memh") {
			all[name] = words{info, info.Lines}
		}
	}
	return json.Marshal(all)
}

// FileInfo is what a file of the set must be.
type FileInfo struct {
	XXH3    string `json:"xxh3"` // 128 bits in hex
	Bytes   int64  `json:"bytes"`
	Records uint64 `json:"records"`
	// Lines are the words of a $readmemh file: the beats of an axis port, the records of another.
	Lines uint64 `json:"lines,omitempty"`
}

var kindNames = map[sim.Kind]string{sim.Axis: "axis", sim.Fields: "fields"}

func manifestPorts(stage sim.StageSpec) (ports []ManifestPort) {
	for _, p := range stage.Ports {
		ports = append(ports, ManifestPort{p.Name, p.Input, kindNames[p.Kind], p.UserBits, p.Keyed})
	}
	return ports
}

// inputNamed is the name of an input by its number among the inputs.
func inputNamed(ports []sim.PortSpec, number uint8) string {
	for _, p := range ports {
		if !p.Input {
			continue
		}
		if number == 0 {
			return p.Name
		}
		number--
	}
	return ""
}

// inputOf is the number of a port among the inputs; false where it is none.
func (m *Manifest) inputOf(port sim.Port) (number uint8, ok bool) {
	if int(port) >= len(m.Ports) || !m.Ports[port].Input {
		return 0, false
	}
	for _, p := range m.Ports[:port] {
		if p.Input {
			number++
		}
	}
	return number, true
}

// inputs is how many inputs there are.
func (m *Manifest) inputs() (n int) {
	for _, p := range m.Ports {
		if p.Input {
			n++
		}
	}
	return n
}

// port finds a port by name.
func (m *Manifest) port(name string) (sim.Port, *ManifestPort) {
	for i := range m.Ports {
		if m.Ports[i].Name == name {
			return sim.Port(i), &m.Ports[i]
		}
	}
	return 0, nil
}

// Set is a vector set on disk.
type Set struct {
	Dir string
	Manifest
}

const maxManifestBytes = 1 << 20

// OpenSet reads the manifest of a vector set. It does not look at the other files yet.
func OpenSet(dir string) (*Set, error) {
	path := filepath.Join(dir, manifestFile)
	f, err := os.Open(path)
	if err != nil {
		if _, statErr := os.Stat(dir); errors.Is(statErr, fs.ErrNotExist) {
			return nil, &capture.Error{File: dir, Offset: -1, What: "no such directory", Err: err}
		}
		return nil, &capture.Error{File: dir, Offset: -1, What: "not a vector set: it has no manifest.json", Err: err}
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxManifestBytes))
	if err != nil {
		return nil, capture.OpenError(path, err)
	}
	s := &Set{Dir: dir}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&s.Manifest); err != nil {
		return nil, &capture.Error{File: path, Offset: -1, What: "not a manifest of a vector set: " + err.Error(), Err: err}
	}
	if s.Format != SetFormat {
		return nil, &capture.Error{File: path, Offset: -1, What: fmt.Sprintf("vector set of format %d; this program reads %d",
			s.Format, SetFormat)}
	}
	return s, nil
}

// Stage is the stage of the golden model that the set was made for, if this program has it with the same ports.
func (s *Set) Stage() (sim.StageSpec, error) {
	stage, ok := Lookup(s.Dut)
	if !ok {
		return stage, &capture.Error{File: s.Dir, Offset: -1,
			What: fmt.Sprintf("made for %q, which the golden model does not have", s.Dut)}
	}
	ports := manifestPorts(stage)
	same := len(ports) == len(s.Ports) && (s.Flavour == Strict || s.Flavour == Lenient && stage.Lenient != nil)
	for i := 0; same && i < len(ports); i++ {
		same = ports[i] == s.Ports[i]
	}
	if !same {
		return stage, &capture.Error{File: s.Dir, Offset: -1, What: "the ports of " + s.Dut +
			", or the choices that it leaves, have changed since the set was made", Do: "make it again: " + s.Command}
	}
	return stage, nil
}
