// Package manifest reads the description of a device: docs/manifest.md.
package manifest

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"hcacosim/cocosim"
	"hcacosim/model/sim"
	"hcacosim/rtl"
)

// Manifest describes a device in RTL: where its sources are, what its pins mean, and which stage of the golden model it is
// held against. Our own blocks have no other way in than a user's.
type Manifest struct {
	Name    string `yaml:"name"`
	Summary string `yaml:"summary"`
	Top     string `yaml:"top"`
	// Filelist is relative to the manifest, its paths are relative to the list; Sources and Include are relative to
	// the manifest.
	Filelist   string         `yaml:"filelist"`
	Sources    []string       `yaml:"sources"`
	Include    []string       `yaml:"include"`
	Parameters map[string]int `yaml:"parameters"`
	// Sizes are the parameter values that a regression runs beside the defaults.
	Sizes []map[string]int `yaml:"sizes"`
	Clock string           `yaml:"clock"`
	Reset ResetPin         `yaml:"reset"`
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
}

// Port is a port of the device: an AXI-Stream, or a record of one beat.
type Port struct {
	Name string `yaml:"name"`
	Dir  string `yaml:"dir"`  // in or out
	Kind string `yaml:"kind"` // axis or record
	// Width of the data of an axis port in bits.
	Width     Width   `yaml:"width"`
	UserWidth Width   `yaml:"user_width"`
	Pins      Pins    `yaml:"pins"`
	Layout    []Field `yaml:"layout"`
	// Window is when an output may come: cycles from the last beat of its input to its own last beat, unstalled.
	Window *cocosim.Window `yaml:"window"`
	// Withdrawable: valid of an output record may fall before its handshake, when something newer overtakes it.
	Withdrawable bool `yaml:"withdrawable"`
	// Rate of an input: "full" promises a beat in every cycle while nothing holds the outputs up; "" promises nothing.
	Rate string `yaml:"rate"`
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
}

// ConfigPin is a configuration input: constant from reset on.
type ConfigPin struct {
	Pin   string `yaml:"pin"`
	Width Width  `yaml:"width"`
	Value uint64 `yaml:"value"`
}

// Width is a number of bits: a number, or the name of a parameter that Resolve puts in.
type Width struct {
	Bits  int
	Param string
	line  int
}

// UnmarshalYAML takes a number or a name.
func (w *Width) UnmarshalYAML(n *yaml.Node) error {
	w.line = n.Line
	if n.Kind != yaml.ScalarNode {
		return fmt.Errorf("line %d: a width is a number of bits or the name of a parameter", n.Line)
	}
	if bits, err := strconv.Atoi(n.Value); err == nil {
		w.Bits = bits
		return nil
	}
	w.Param = n.Value
	return nil
}

// The values of Kind and Dir of a port.
const (
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
		if err != nil || d.IsDir() || path.Ext(name) != ".yaml" {
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
	return strings.ContainsAny(nameOrPath, "/\\") || strings.HasSuffix(nameOrPath, ".yaml") || strings.HasSuffix(nameOrPath, ".yml")
}

// Path says where the manifest came from.
func (m *Manifest) Path() string { return m.path }

func (m *Manifest) parse(text []byte) error {
	dec := yaml.NewDecoder(strings.NewReader(string(text)))
	dec.KnownFields(true)
	if err := dec.Decode(m); err != nil {
		return m.yamlError(err)
	}
	m.root = new(yaml.Node)
	if err := yaml.Unmarshal(text, m.root); err != nil {
		return m.yamlError(err)
	}
	return m.check()
}

var (
	yamlLine    = regexp.MustCompile(`line (\d+): `)
	yamlUnknown = regexp.MustCompile(`field (\S+) not found in type (?:cocosim|manifest)\.(\w+)`)
	yamlType    = regexp.MustCompile("cannot unmarshal !!(\\w+) (?:`(.*)` )?into (\\S+)")
)

// yamlError turns the first complaint of the YAML package into one line with its place.
func (m *Manifest) yamlError(err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	var many *yaml.TypeError
	if errors.As(err, &many) {
		text = many.Errors[0]
	}
	line := 1
	if at := yamlLine.FindStringSubmatch(text); at != nil {
		line, _ = strconv.Atoi(at[1])
		text = strings.Replace(text, at[0], "", 1)
	}
	if strings.HasPrefix(text, "did not find expected") { // the YAML parser, unlike its scanner, counts lines from 0
		line++
	}
	if u := yamlUnknown.FindStringSubmatch(text); u != nil {
		return m.ErrorAt(line, "use only "+strings.Join(keysOf(u[2]), ", "), "unknown key %q", u[1])
	}
	if t := yamlType.FindStringSubmatch(text); t != nil {
		return m.ErrorAt(line, "", "expected %s, found %s %q", plainType(t[3]), t[1], t[2])
	}
	if text == "EOF" {
		return m.ErrorAt(1, "start from one of the manifests under rtl/", "the manifest is empty")
	}
	return m.ErrorAt(line, "", "%s", text)
}

// keysOf lists the keys that a type of the manifest takes.
func keysOf(name string) []string {
	var keys []string
	for _, v := range []any{Manifest{}, ResetPin{}, Port{}, Pins{}, Field{}, ConfigPin{}, cocosim.Window{}} {
		t := reflect.TypeOf(v)
		for i := 0; t.Name() == name && i < t.NumField(); i++ {
			if key := t.Field(i).Tag.Get("yaml"); key != "" {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

func plainType(t string) string {
	switch {
	case strings.HasPrefix(t, "int"), strings.HasPrefix(t, "uint"):
		return "a number"
	case t == "bool":
		return "true or false"
	case t == "string":
		return "a text"
	case strings.HasPrefix(t, "[]"):
		return "a list"
	}
	return "a group of keys"
}

// ErrorAt is an error at a line of the manifest.
func (m *Manifest) ErrorAt(line int, do, format string, args ...any) error {
	return &cocosim.Error{Exit: cocosim.BadInput, What: fmt.Sprintf("%s:%d: ", m.path, line) + fmt.Sprintf(format, args...), Do: do}
}

// Line finds where a value stands: keys are strings, list items ints. Of a path that does not exist, the part that does.
func (m *Manifest) Line(at ...any) int {
	if m.root == nil || len(m.root.Content) == 0 {
		return 1
	}
	n, line := m.root.Content[0], 1
	for _, step := range at {
		next := nodeAt(n, step)
		if next == nil {
			return line
		}
		n, line = next, next.Line
	}
	return line
}

func nodeAt(n *yaml.Node, step any) *yaml.Node {
	switch s := step.(type) {
	case int:
		if n.Kind == yaml.SequenceNode && s < len(n.Content) {
			return n.Content[s]
		}
	case string:
		for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == s {
				return n.Content[i+1]
			}
		}
	}
	return nil
}

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_$]*$`)

// check holds the manifest against what a device needs. It reports the first thing that is wrong.
func (m *Manifest) check() error {
	for _, f := range []struct{ key, value string }{{"name", m.Name}, {"top", m.Top}, {"clock", m.Clock}} {
		if !identifier.MatchString(f.value) {
			return m.ErrorAt(m.Line(f.key), "", "%s is missing or not a name: %q", f.key, f.value)
		}
	}
	if (m.Filelist == "") == (len(m.Sources) == 0) {
		return m.ErrorAt(m.Line("filelist"), "give filelist: FILE.f, or sources: [FILE, ...]", "one of filelist and sources is needed")
	}
	for i, size := range m.Sizes {
		for _, name := range slices.Sorted(maps.Keys(size)) {
			if _, ok := m.Parameters[name]; !ok {
				return m.ErrorAt(m.Line("sizes", i, name), "", "%q is not one of the parameters", name)
			}
		}
	}
	if err := m.checkReset(); err != nil {
		return err
	}
	if len(m.Ports) == 0 {
		return m.ErrorAt(m.Line("ports"), "", "a device needs ports")
	}
	seen := map[string]bool{}
	for i := range m.Ports {
		p := &m.Ports[i]
		if !identifier.MatchString(p.Name) || seen[p.Name] {
			return m.ErrorAt(m.Line("ports", i, "name"), "", "port name %q is missing, not a name, or used twice", p.Name)
		}
		seen[p.Name] = true
		if err := m.checkPort(i, p); err != nil {
			return err
		}
	}
	return m.checkConfig()
}

func (m *Manifest) checkReset() error {
	r := m.Reset
	if r == (ResetPin{}) {
		return nil
	}
	if !identifier.MatchString(r.Pin) {
		return m.ErrorAt(m.Line("reset", "pin"), "", "reset pin %q is not a name", r.Pin)
	}
	if r.Active != "low" && r.Active != "high" {
		return m.ErrorAt(m.Line("reset", "active"), "", "reset is active low or high, not %q", r.Active)
	}
	if r.Cycles < 1 || r.Cycles > 1e6 {
		return m.ErrorAt(m.Line("reset", "cycles"), "", "reset lasts 1 to 1000000 cycles, not %d", r.Cycles)
	}
	return nil
}

func (m *Manifest) checkPort(i int, p *Port) error {
	at := func(keys ...any) int { return m.Line(append([]any{"ports", i}, keys...)...) }
	if p.Dir != DirIn && p.Dir != DirOut {
		return m.ErrorAt(at("dir"), "", "port %s: dir is in or out, not %q", p.Name, p.Dir)
	}
	if !identifier.MatchString(p.Pins.Valid) {
		return m.ErrorAt(at("pins", "valid"), "", "port %s: a valid pin is needed", p.Name)
	}
	if p.Window != nil && (p.Dir == DirIn || p.Window.Min > p.Window.Max) {
		return m.ErrorAt(at("window"), "", "port %s: a window belongs to an output, and its min is not above its max", p.Name)
	}
	if p.Window != nil && p.Window.From != "" && p.Window.From != cocosim.FromModel {
		return m.ErrorAt(at("window", "from"), "", "port %s: a window counts from the model's cycle (from: model), or from the input (without from)", p.Name)
	}
	if p.Rate != "" && (p.Rate != rateFull || p.Dir != DirIn) {
		return m.ErrorAt(at("rate"), "", "port %s: rate belongs to an input, and is full or left out", p.Name)
	}
	if p.Withdrawable && (p.Dir != DirOut || p.Kind != KindRecord) {
		return m.ErrorAt(at("withdrawable"), "", "port %s: only an output record can be withdrawable", p.Name)
	}
	switch p.Kind {
	case KindAxis:
		if len(p.Layout) > 0 {
			return m.ErrorAt(at("layout"), "", "port %s: an axis port has no layout", p.Name)
		}
		if p.Pins.Data == "" {
			return m.ErrorAt(at("pins"), "", "port %s: an axis port needs a data pin", p.Name)
		}
		if (p.Pins.User == "") != (p.UserWidth == Width{line: p.UserWidth.line}) {
			return m.ErrorAt(at("pins", "user"), "", "port %s: a user pin and user_width belong together", p.Name)
		}
		return m.checkWidth(p.Width, at("width"))
	case KindRecord:
		if p.Pins != (Pins{Valid: p.Pins.Valid, Ready: p.Pins.Ready}) {
			return m.ErrorAt(at("pins"), "put the rest into layout", "port %s: a record port has the pins valid and ready only", p.Name)
		}
		if p.Width != (Width{}) || p.UserWidth != (Width{}) {
			return m.ErrorAt(at("width"), "", "port %s: a record port has its widths in its layout", p.Name)
		}
		return m.checkLayout(i, p)
	}
	return m.ErrorAt(at("kind"), "", "port %s: kind is axis or record, not %q", p.Name, p.Kind)
}

func (m *Manifest) checkLayout(i int, p *Port) error {
	if len(p.Layout) == 0 {
		return m.ErrorAt(m.Line("ports", i), "", "port %s: a record port needs a layout", p.Name)
	}
	for k, f := range p.Layout {
		if f.Name == "" || !identifier.MatchString(f.Pin) {
			return m.ErrorAt(m.Line("ports", i, "layout", k), "", "port %s: a field needs a name, a pin and a width", p.Name)
		}
		if err := m.checkWidth(f.Width, m.Line("ports", i, "layout", k, "width")); err != nil {
			return err
		}
	}
	return nil
}

func (m *Manifest) checkConfig() error {
	for i, c := range m.Config {
		if !identifier.MatchString(c.Pin) {
			return m.ErrorAt(m.Line("config", i, "pin"), "", "a configuration input needs a pin")
		}
		if err := m.checkWidth(c.Width, m.Line("config", i, "width")); err != nil {
			return err
		}
	}
	return nil
}

func (m *Manifest) checkWidth(w Width, line int) error {
	if w.Param == "" && w.Bits < 1 {
		return m.ErrorAt(line, "", "a width of at least 1 bit is needed")
	}
	if _, ok := m.Parameters[w.Param]; w.Param != "" && !ok {
		return m.ErrorAt(line, "", "width %q is neither a number nor one of the parameters", w.Param)
	}
	return nil
}

// Resolve returns the manifest with parameters overridden and every width a number.
func (m *Manifest) Resolve(overrides map[string]int) (*Manifest, error) {
	r := *m
	r.Parameters = maps.Clone(m.Parameters)
	for _, name := range slices.Sorted(maps.Keys(overrides)) {
		if _, ok := m.Parameters[name]; !ok {
			return nil, &cocosim.Error{Exit: cocosim.BadInput, What: fmt.Sprintf("%s has no parameter %q", m.Name, name),
				Do: "it has " + strings.Join(slices.Sorted(maps.Keys(m.Parameters)), ", ")}
		}
		r.Parameters[name] = overrides[name]
	}
	r.Ports = slices.Clone(m.Ports)
	for i := range r.Ports {
		p := &r.Ports[i]
		p.Width, p.UserWidth = r.put(p.Width), r.put(p.UserWidth)
		p.Layout = slices.Clone(p.Layout)
		for k := range p.Layout {
			p.Layout[k].Width = r.put(p.Layout[k].Width)
		}
	}
	r.Config = slices.Clone(m.Config)
	for i := range r.Config {
		r.Config[i].Width = r.put(r.Config[i].Width)
	}
	return &r, r.checkResolved()
}

func (m *Manifest) put(w Width) Width {
	if w.Param == "" {
		return w
	}
	return Width{Bits: m.Parameters[w.Param], line: w.line}
}

func (m *Manifest) checkResolved() error {
	for _, p := range m.Ports {
		if b := p.Width.Bits; p.Kind == KindAxis && (b < 8 || b > 1024 || b%8 != 0 || (b > 512 && b%256 != 0)) {
			return m.ErrorAt(p.Width.line, "", "port %s: data of %d bits; 8 to 512 in bytes, 768 and 1024 can be driven", p.Name, b)
		}
		if b := p.UserWidth.Bits; b < 0 || b > 32 {
			return m.ErrorAt(p.UserWidth.line, "", "port %s: user of %d bits; at most 32 can be driven", p.Name, b)
		}
		for _, f := range p.Layout {
			if f.Width.Bits < 1 || f.Width.Bits > 4096 {
				return m.ErrorAt(f.Width.line, "", "port %s: field %s of %d bits; 1 to 4096 can be driven", p.Name, f.Name, f.Width.Bits)
			}
		}
	}
	for _, c := range m.Config {
		if b := c.Width.Bits; b < 1 || b > 64 || !fits(c.Value, b) {
			return m.ErrorAt(c.Width.line, "", "configuration input %s: %d does not fit %d bits (at most 64)", c.Pin, c.Value, b)
		}
	}
	return nil
}

// Settings are the parameters and configuration inputs of a resolved manifest by name, inputs overridden.
func (m *Manifest) Settings(inputs map[string]uint64) (sim.Settings, error) {
	s := sim.Settings{}
	for name, v := range m.Parameters {
		s[name] = uint64(v)
	}
	pins := map[string]bool{}
	for _, c := range m.Config {
		pins[c.Pin] = true
		s[c.Pin] = c.Value
		if over, ok := inputs[c.Pin]; ok {
			s[c.Pin] = over
		}
		if !fits(s[c.Pin], c.Width.Bits) {
			return nil, cocosim.Errorf(cocosim.BadInput, "configuration input %s: %d does not fit %d bits", c.Pin, s[c.Pin], c.Width.Bits)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(inputs)) {
		if !pins[name] {
			return nil, &cocosim.Error{Exit: cocosim.BadInput, What: fmt.Sprintf("%s has no configuration input %q", m.Name, name),
				Do: "it has: " + cmp.Or(strings.Join(slices.Sorted(maps.Keys(pins)), ", "), "none")}
		}
	}
	return s, nil
}

func fits(value uint64, bits int) bool { return value&^Ones(bits) == 0 }

// ones are the lowest bits of a word.

// RecordBits is the size of a record of a record port.
func (p *Port) RecordBits() int {
	bits := 0
	for _, f := range p.Layout {
		bits += f.Width.Bits
	}
	return bits
}

// PortSpecs is the port table as the harness knows it, in the order of the manifest. Only a resolved manifest has it.
func (m *Manifest) PortSpecs() []sim.PortSpec {
	var specs []sim.PortSpec
	for _, p := range m.Ports {
		kind := sim.Axis
		if p.Kind == KindRecord {
			kind = sim.Fields
		}
		specs = append(specs, sim.PortSpec{Name: p.Name, Input: p.Dir == DirIn, Kind: kind, UserBits: p.UserWidth.Bits})
	}
	return specs
}

// Source is a file of the design: where it is, and what stands in it.
type Source struct {
	Path string // as the manifest's world calls it
	Text []byte
}

// ReadSources reads the design's files, in order, and its include directories.
func (m *Manifest) ReadSources() (files []Source, include []string, err error) {
	for _, dir := range m.Include {
		include = append(include, m.resolve(m.dir, dir))
	}
	if m.Filelist == "" {
		for i, name := range m.Sources {
			if files, err = m.addSource(files, m.resolve(m.dir, name), fmt.Sprintf("%s:%d", m.path, m.Line("sources", i))); err != nil {
				return nil, nil, err
			}
		}
		return files, include, nil
	}
	list := m.resolve(m.dir, m.Filelist)
	text, err := m.read(list)
	if err != nil {
		return nil, nil, m.ErrorAt(m.Line("filelist"), "", "cannot read file list %s: %v", list, cocosim.Cause(err))
	}
	dir := path.Dir(list)
	for n, line := range strings.Split(string(text), "\n") {
		line, _, _ = strings.Cut(line, "//")
		line, _, _ = strings.Cut(line, "#")
		line = strings.TrimSpace(line)
		where := fmt.Sprintf("%s:%d", list, n+1)
		switch {
		case line == "":
		case strings.HasPrefix(line, "+incdir+"):
			for _, d := range strings.Split(strings.TrimPrefix(line, "+incdir+"), "+") {
				include = append(include, m.resolve(dir, d))
			}
		case strings.HasPrefix(line, "-") || strings.HasPrefix(line, "+"):
			return nil, nil, &cocosim.Error{Exit: cocosim.BadInput, What: where + ": " + line + " is not understood", Do: "a file list has file names and +incdir+DIR"}
		default:
			if files, err = m.addSource(files, m.resolve(dir, line), where); err != nil {
				return nil, nil, err
			}
		}
	}
	return files, include, nil
}

func (m *Manifest) addSource(files []Source, name, where string) ([]Source, error) {
	text, err := m.read(name)
	if err != nil {
		return nil, &cocosim.Error{Exit: cocosim.BadInput, What: fmt.Sprintf("%s: cannot read %s", where, name), Err: cocosim.Cause(err)}
	}
	return append(files, Source{name, text}), nil
}

func (m *Manifest) resolve(dir, name string) string {
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(dir, name)
}

// BeatBytes is what a port moves in a cycle: the width of an AXI-Stream, a whole record elsewhere. Only a resolved
// manifest has it.
func (p *Port) BeatBytes() int {
	if p.Kind == KindAxis {
		return p.Width.Bits / 8
	}
	return (p.RecordBits() + 7) / 8
}

// FullRate tells that the port is an input which promises to take a beat in every cycle.
func (p *Port) FullRate() bool { return p.Rate == rateFull }

// ReadIncluded reads what `include can find: the files of the include directories.
func (m *Manifest) ReadIncluded(dirs []string) ([]Source, error) {
	var files []Source
	for _, dir := range dirs {
		entries, err := m.list(dir)
		if err != nil {
			return nil, &cocosim.Error{Exit: cocosim.BadInput, What: fmt.Sprintf("%s: cannot read include directory %s", m.path, dir), Err: cocosim.Cause(err)}
		}
		for _, e := range entries {
			if !e.Type().IsRegular() {
				continue
			}
			if files, err = m.addSource(files, path.Join(dir, e.Name()), m.path); err != nil {
				return nil, err
			}
		}
	}
	return files, nil
}

// Embedded reports whether the sources have to be written out before a tool can read them.
func (m *Manifest) Embedded() bool { return !path.IsAbs(m.dir) }

// Hash names the device's interface: the resolved ports and configuration inputs, and what the sides of the bridge
// must agree on.
func (m *Manifest) Hash() string {
	h := sha256.New()
	fmt.Fprintf(h, "%s %s %s %v\n", m.Name, m.Top, m.Clock, m.Reset)
	for _, p := range m.Ports {
		fmt.Fprintf(h, "port %s %s %s %d %d %v", p.Name, p.Dir, p.Kind, p.Width.Bits, p.UserWidth.Bits, p.Pins)
		if p.Withdrawable {
			fmt.Fprint(h, " withdrawable")
		}
		for _, f := range p.Layout {
			fmt.Fprintf(h, " %s %s %d", f.Name, f.Pin, f.Width.Bits)
		}
		fmt.Fprintln(h)
	}
	for _, c := range m.Config {
		fmt.Fprintf(h, "config %s %d\n", c.Pin, c.Width.Bits)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Ones is the greatest number of so many bits.
func Ones(bits int) uint64 { return 1<<bits - 1 }
