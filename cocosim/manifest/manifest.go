// Package manifest reads the description of a device: docs/manifest.md.
package manifest

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"hcacosim/cocosim"
	"hcacosim/cocosim/strict"
	"hcacosim/model/sim"
	"hcacosim/rtl"
)

// Manifest describes a device in RTL: where its sources are, what its pins mean, and which stage of the golden model it
// is held against. Our own blocks have no other way in than a user's.
type Manifest struct {
	Name    string `yaml:"name"`
	Summary string `yaml:"summary"`
	Top     string `yaml:"top"`
	// Filelist is relative to the manifest, its paths are relative to the list; Sources and Include are relative to
	// the manifest.
	Filelist string   `yaml:"filelist"`
	Sources  []string `yaml:"sources"`
	Include  []string `yaml:"include"`
	// VHDL files go through GHDL to Verilog; the parameters are then generics of the entity Top.
	VHDL []string `yaml:"vhdl"`
	// Defines, Verilator and CSources are for the build; Data are files that the design opens by these names, in the
	// directory that its simulator runs in; Plusargs are what $test$plusargs and $value$plusargs see, without the plus.
	Defines    map[string]string `yaml:"defines"`
	Verilator  []string          `yaml:"verilator"`
	CSources   []string          `yaml:"c_sources"`
	Data       []string          `yaml:"data"`
	Plusargs   []string          `yaml:"plusargs"`
	Parameters map[string]int    `yaml:"parameters"`
	// Sizes are the parameter values that a regression runs beside the defaults.
	Sizes []map[string]int `yaml:"sizes"`
	// Synthesized are parameter values that lint and synthesis look at beside those, and no regression runs.
	Synthesized []map[string]int `yaml:"synthesized"`
	Clock       string           `yaml:"clock"`
	Reset       ResetPin         `yaml:"reset"`
	// Clocks and Resets are those beside Clock and Reset. All resets are held for as long.
	Clocks []ClockPin `yaml:"clocks"`
	Resets []ResetPin `yaml:"resets"`
	Setup  *Setup     `yaml:"setup"`
	// Drain is how many cycles the device gets after its last input; 0 is cocosim.DefaultDrain.
	Drain   uint64   `yaml:"drain"`
	Accepts *Accepts `yaml:"accepts"`
	// Without are outputs of the stage that the device does not have. They are not compared.
	Without []string `yaml:"without"`
	// Model is the name of the stage in the model's registry.
	Model  string      `yaml:"model"`
	Ports  []Port      `yaml:"ports"`
	Config []ConfigPin `yaml:"config"`

	path string                            // for messages
	dir  string                            // what paths are relative to
	read func(name string) ([]byte, error) // reads a file of the manifest's world: the disk, or the embedded RTL
	list func(dir string) ([]fs.DirEntry, error)
	root *yaml.Node // for the line numbers of messages
}

// ResetPin is the reset input, and for how many cycles it is held. A device without one has no pin here.
type ResetPin struct {
	Pin    string `yaml:"pin"`
	Active string `yaml:"active"` // low or high
	Cycles int    `yaml:"cycles"`
	// MidTraffic: before its reset the device takes noise on all inputs, and the reset comes in the middle of the noise.
	// Nothing of that life may show after the reset.
	MidTraffic bool `yaml:"mid_traffic"`
}

// Port is a port of the device: an AXI-Stream, or a record of one beat.
type Port struct {
	Name string `yaml:"name"`
	Dir  string `yaml:"dir"`  // in or out
	Kind string `yaml:"kind"` // axis or record
	// Clock is the pin of the clock that the port belongs to, one of Clocks; "" is the manifest's Clock.
	Clock string `yaml:"clock"`
	// Width of the data of an axis port in bits.
	Width     Width   `yaml:"width"`
	UserWidth Width   `yaml:"user_width"`
	Pins      Pins    `yaml:"pins"`
	Layout    []Field `yaml:"layout"`
	// Window is when an output may come: cycles from the last beat of the input that caused it to the last beat of the
	// output, with no port stalled.
	Window *cocosim.Window `yaml:"window"`
	// Withdrawable: valid of an output record may fall before its handshake, when something newer overtakes it.
	Withdrawable bool `yaml:"withdrawable"`
	// UserOnLast: the sideband of an axis input counts on the last beat only; beats before it carry other bits.
	UserOnLast Switch `yaml:"user_on_last"`
	// Rate: "full" promises a beat in every cycle while nothing holds the outputs up, of an output within each packet; ""
	// promises nothing.
	Rate string `yaml:"rate"`
	// Waits of an input is how many cycles a beat is offered in vain at most, whatever the outputs do, from the second
	// record behind a reset on; nil promises nothing.
	Waits *int `yaml:"waits"`
	// Holds of an input is with how many records inside it may be offered in vain, from the second record behind a reset
	// on, where each gives one at the device's only output; nil promises nothing.
	Holds *int `yaml:"holds"`
	// Compare is the part of an output that counts; nil is all of it.
	Compare *Compare `yaml:"compare"`
	// Ignores are fields of the model's input record that the device has no pin for and does not need.
	Ignores []string `yaml:"ignores"`
	// Bytes is "reversed" where byte 0 of a packet is in the highest lane.
	Bytes string `yaml:"bytes"`
	// Ethernet is "stripped" where packets have no Ethernet header: they begin with their IP header or GRH.
	Ethernet string `yaml:"ethernet"`
	// ICRC is "absent" on an input whose packets come without the four bytes that the ICRC is to stand in.
	ICRC string `yaml:"icrc"`
	// Length is where the length of a packet stands on a port without last.
	Length *Length `yaml:"length"`
	// Passes is the condition on which a packet comes out at all; others are dropped.
	Passes string `yaml:"passes"`
	// VerdictOf is the axis output of the stage whose sideband this record port carries.
	VerdictOf string `yaml:"verdict_of"`
	// Sideband are the fields of the user pin of an output from bit 0 up, where they are not the stage's. They have no
	// pins.
	Sideband []Field `yaml:"sideband"`
}

// Pins are the names of a port's pins. A record has valid and ready only.
type Pins struct {
	Data  string `yaml:"data"`
	Keep  string `yaml:"keep"`
	Last  string `yaml:"last"`
	User  string `yaml:"user"`
	Valid string `yaml:"valid"`
	Ready string `yaml:"ready"`
}

// Field is one pin of a record port. Fields are packed in their order from bit 0 of byte 0 up.
type Field struct {
	Name  string `yaml:"name"`
	Pin   string `yaml:"pin"`
	Width Width  `yaml:"width"`
	// From is the model's name of the field; "" is Name. Is is a condition in place of a field: 1 where it holds. Value is
	// what a field of an input has that the model does not know. Values are the device's codes by the model's.
	From   string            `yaml:"from"`
	Is     string            `yaml:"is"`
	Value  *uint64           `yaml:"value"`
	Values map[uint64]uint64 `yaml:"values"`
}

// ConfigPin is a configuration input: constant from reset on.
type ConfigPin struct {
	Pin   string `yaml:"pin"`
	Width Width  `yaml:"width"`
	Value uint64 `yaml:"value"`
}

// Width is a number of bits: a number, or the name of a parameter that Resolve puts in, with a number of bits more.
type Width struct {
	Bits  int
	Param string
	More  int
	line  int
}

// Switch is on or off, or as a parameter that Resolve puts in says: off where it is 0.
type Switch struct {
	On    bool
	Param string
}

// UnmarshalYAML takes true, false or a name.
func (s *Switch) UnmarshalYAML(n *yaml.Node) error {
	if n.Decode(&s.On) == nil || n.Decode(&s.Param) == nil {
		return nil
	}
	return fmt.Errorf("line %d: a switch is true, false or the name of a parameter", n.Line)
}

// UnmarshalYAML takes a number, a name, or a name and a number: NAME+2.
func (w *Width) UnmarshalYAML(n *yaml.Node) error {
	w.line = n.Line
	if n.Kind != yaml.ScalarNode {
		return fmt.Errorf("line %d: a width is a number of bits or the name of a parameter", n.Line)
	}
	bits, err := strconv.Atoi(n.Value)
	if err == nil {
		w.Bits = bits
		return nil
	}
	name, more, plus := strings.Cut(n.Value, "+")
	if w.Param = name; plus {
		if w.More, err = strconv.Atoi(more); err != nil || w.More < 0 {
			return fmt.Errorf("line %d: a width is a number of bits, the name of a parameter, or NAME+BITS", n.Line)
		}
	}
	return nil
}

// The values of Kind and Dir of a port.
const (
	reversed   = "reversed"
	stripped   = "stripped"
	absent     = "absent"
	KindAxis   = "axis"
	KindRecord = "record"
	DirIn      = "in"
	DirOut     = "out"
	rateFull   = "full"
)

// Load reads and checks a manifest on disk.
func Load(file string) (*Manifest, error) {
	abs, err := filepath.Abs(file)
	if err != nil {
		return nil, &cocosim.Error{Exit: cocosim.BadInput, What: file, Err: err}
	}
	text, err := os.ReadFile(abs)
	if err != nil {
		return nil, &cocosim.Error{Exit: cocosim.BadInput, What: "cannot read manifest " + file, Err: cocosim.Cause(err)}
	}
	m := &Manifest{path: file, dir: filepath.ToSlash(filepath.Dir(abs)), read: os.ReadFile, list: os.ReadDir}
	return m, m.parse(text)
}

// Embedded returns the manifests of our own blocks, by name.
func Embedded() ([]*Manifest, error) {
	var all []*Manifest
	err := fs.WalkDir(rtl.FS, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".yaml" || strings.HasSuffix(name, ".faults.yaml") ||
			strings.HasSuffix(name, ".open.yaml") || strings.HasSuffix(name, ".regs.yaml") {
			return err
		}
		text, err := rtl.FS.ReadFile(name)
		if err != nil {
			return err
		}
		m := &Manifest{path: "rtl/" + name, dir: path.Dir(name), read: rtl.FS.ReadFile, list: rtl.FS.ReadDir}
		all = append(all, m)
		return m.parse(text)
	})
	slices.SortFunc(all, func(a, b *Manifest) int { return strings.Compare(a.Name, b.Name) })
	return all, err
}

// Find finds a device by the name of one of our blocks or by the path of a manifest.
func Find(nameOrPath string) (*Manifest, error) {
	if IsPath(nameOrPath) {
		return Load(nameOrPath)
	}
	all, err := Embedded()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, m := range all {
		if m.Name == nameOrPath {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return nil, &cocosim.Error{Exit: cocosim.BadInput, What: fmt.Sprintf("no device named %q", nameOrPath),
		Do: "give one of " + strings.Join(names, ", ") + ", or the path of a manifest (.yaml)"}
}

// IsPath reports whether a device is named by the path of its manifest.
func IsPath(nameOrPath string) bool {
	return strings.ContainsAny(nameOrPath, "/\\") || strings.HasSuffix(nameOrPath, ".yaml") ||
		strings.HasSuffix(nameOrPath, ".yml")
}

// Path says where the manifest came from.
func (m *Manifest) Path() string { return m.path }

func (m *Manifest) parse(text []byte) error {
	dec := yaml.NewDecoder(strings.NewReader(string(text)))
	dec.KnownFields(true)
	if err := dec.Decode(m); err != nil {
		return m.yamlError(err)
	}
	if err := strict.OnlyOne(dec); err != nil {
		return m.yamlError(err)
	}
	m.root = new(yaml.Node)
	if err := yaml.Unmarshal(text, m.root); err != nil {
		return m.yamlError(err)
	}
	return m.check()
}

// RecordBits is the size of a record of a record port.
func (p *Port) RecordBits() int {
	bits := 0
	for _, f := range p.Layout {
		bits += f.Width.Bits
	}
	return bits
}

// PortNumber is the number of the port of a name, as its place in Ports; -1 where there is none.
func (m *Manifest) PortNumber(name string) int {
	return slices.IndexFunc(m.Ports, func(p Port) bool { return p.Name == name })
}

// PortSpecs is the port table as the harness knows it, in the order of the manifest. Only a resolved manifest has it.
func (m *Manifest) PortSpecs() []sim.PortSpec {
	var specs []sim.PortSpec
	for _, p := range m.Ports {
		kind := sim.Axis
		if p.Kind == KindRecord {
			kind = sim.Fields
		}
		spec := sim.PortSpec{Name: p.Name, Input: p.Dir == DirIn, Kind: kind, UserBits: p.UserWidth.Bits}
		for _, f := range p.Layout {
			spec.Bits += f.Width.Bits
		}
		specs = append(specs, spec)
	}
	return specs
}
