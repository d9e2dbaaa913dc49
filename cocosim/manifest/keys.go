package manifest

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// ClockPin is a clock beside the one that the ports belong to. It rises Times times in Every cycles of that one, first
// with its cycle 0.
type ClockPin struct {
	Pin   string `yaml:"pin"`
	Times int    `yaml:"times"` // 0 is 1
	Every int    `yaml:"every"` // 0 is 1
}

// Setup is what happens behind reset and before traffic: registers are written, and read to check.
type Setup struct {
	Bus   string `yaml:"bus"`   // axi-lite or plain
	Width int    `yaml:"width"` // bits of a register; 0 is 32
	// Address is the width of the addresses in bits; 0 is what the last address needs, and at least 12.
	Address int               `yaml:"address"`
	Pins    map[string]string `yaml:"pins"` // role to pin
	Steps   []SetupStep       `yaml:"steps"`
}

// SetupStep writes a register, reads one, or waits.
type SetupStep struct {
	Write *uint64 `yaml:"write"` // address
	Read  *uint64 `yaml:"read"`  // address
	Value uint64  `yaml:"value"` // to write, or that must be read
	Mask  *uint64 `yaml:"mask"`  // of a read: the bits that count
	Wait  int     `yaml:"wait"`  // cycles
}

// The values of Setup.Bus.
const (
	BusAXILite = "axi-lite"
	BusPlain   = "plain"
)

// Compare says which part of an output is held against the model. The zero value is all.
type Compare struct {
	User *uint64  `yaml:"user"` // mask of the bits of the sideband
	Not  []string `yaml:"not"`  // fields of a record
	Data *bool    `yaml:"data"` // of an axis port; false leaves the bytes out
}

// Length says where the length of a packet stands on a port without last.
type Length struct {
	In    string `yaml:"in"`    // data: in front of the packet; user: on the user pin, with every beat
	Bytes int    `yaml:"bytes"` // of data
	Order string `yaml:"order"` // of data: little (also "") or big
}

// Accepts says which packets or records the device can take. All others are left out of every stimulus. The zero value
// takes all.
type Accepts struct {
	Encapsulations []string `yaml:"encapsulations"` // of Encapsulations
	VLAN           *int     `yaml:"vlan"`           // at most so many tags
	IPOptions      *bool    `yaml:"ip_options"`     // false: none
	Fragments      *bool    `yaml:"fragments"`
	Trailer        *bool    `yaml:"trailer"` // bytes behind the packet
	Malformed      *bool    `yaml:"malformed"`
	Sizes          *Range   `yaml:"sizes"`         // bytes of the frame
	PayloadAlign   int      `yaml:"payload_align"` // bytes
	// Fields of a record port, by the model's names.
	Fields map[string]Values `yaml:"fields"`
}

// Encapsulations are the names that Accepts takes, by the model's number.
var Encapsulations = []string{"none", "rocev1", "rocev2-ipv4", "rocev2-ipv6", "ib-local", "ib-global", "ib-raw"}

// Range is a run of numbers, both ends included. A zero Max has no end.
type Range struct {
	Min int `yaml:"min"`
	Max int `yaml:"max"`
}

// Values are the values that a field may have: a number, or a list.
type Values []uint64

// UnmarshalYAML takes a number or a list of numbers.
func (v *Values) UnmarshalYAML(n *yaml.Node) error {
	var one uint64
	if n.Kind == yaml.ScalarNode {
		if err := n.Decode(&one); err != nil {
			return err
		}
		*v = Values{one}
		return nil
	}
	var list []uint64
	err := n.Decode(&list)
	*v = list
	return err
}

// Is is a condition on the fields of what a stage gives: "icrc=good and reason=0", "class=4|5", "icrc!=bad".
type Is struct {
	Terms []Term
	Text  string
}

// Term is a field and the values that it must have, or must not.
type Term struct {
	Field  string
	Not    bool
	Values []string // numbers or names
}

var isTerm = regexp.MustCompile(`^(\w+)\s*(!?=)\s*(.+)$`)

// ParseIs reads a condition.
func ParseIs(text string) (is Is, err error) {
	is.Text = text
	for _, part := range strings.Split(text, " and ") {
		m := isTerm.FindStringSubmatch(strings.TrimSpace(part))
		if m == nil {
			return is, fmt.Errorf("%q is no condition: write field=value, field!=value, field=a|b, and join them by and", part)
		}
		t := Term{Field: m[1], Not: m[2] == "!="}
		for _, v := range strings.Split(m[3], "|") {
			t.Values = append(t.Values, strings.TrimSpace(v))
		}
		is.Terms = append(is.Terms, t)
	}
	return is, nil
}

// Holds reports whether a condition holds for fields. An unknown field or name of a value is an error.
func (is Is) Holds(get func(field string) (uint64, error), number func(field, name string) (uint64, error)) (bool,
	error) {
	for _, t := range is.Terms {
		have, err := get(t.Field)
		if err != nil {
			return false, err
		}
		any := false
		for _, name := range t.Values {
			want, err := strconv.ParseUint(name, 0, 64)
			if err != nil {
				if want, err = number(t.Field, name); err != nil {
					return false, err
				}
			}
			any = any || want == have
		}
		if any == t.Not {
			return false, nil
		}
	}
	return true, nil
}

// PinExpr is how a pin is named: all of it, some of its bits, the opposite of it.
type PinExpr struct {
	Name      string
	Inverted  bool
	Slice     bool
	High, Low int
}

var pinExpr = regexp.MustCompile(`^(~?)([A-Za-z_][A-Za-z0-9_$]*)(?:\[(\d+)(?::(\d+))?\])?$`)

// ParsePin reads the name of a pin: "s_data", "s_bus[63:0]", "s_valid[1]", "~s_wait".
func ParsePin(text string) (p PinExpr, ok bool) {
	m := pinExpr.FindStringSubmatch(text)
	if m == nil {
		return p, false
	}
	p = PinExpr{Name: m[2], Inverted: m[1] != "", Slice: m[3] != ""}
	p.High, _ = strconv.Atoi(m[3])
	p.Low = p.High
	if m[4] != "" {
		p.Low, _ = strconv.Atoi(m[4])
	}
	return p, p.High >= p.Low
}

// IsPlain reports whether a pin is named by its name alone.
func (p PinExpr) IsPlain() bool { return !p.Inverted && !p.Slice }

// PinUse is a pin expression and what it stands for.
type PinUse struct {
	Pin   string
	Input bool // of the design
	Bits  int  // 0: not stated
	At    []any
}

// PinUses are all pins that a resolved manifest names, in its order. Empty names are left out.
func (m *Manifest) PinUses() (uses []PinUse) {
	add := func(pin string, input bool, bits int, at ...any) {
		if pin != "" {
			uses = append(uses, PinUse{pin, input, bits, at})
		}
	}
	add(m.Clock, true, 1, "clock")
	for i, c := range m.Clocks {
		add(c.Pin, true, 1, "clocks", i, "pin")
	}
	add(m.Reset.Pin, true, 1, "reset", "pin")
	for i, r := range m.Resets {
		add(r.Pin, true, 1, "resets", i, "pin")
	}
	for i, c := range m.Config {
		add(c.Pin, true, c.Width.Bits, "config", i, "pin")
	}
	for i, p := range m.Ports {
		in := p.Dir == DirIn
		add(p.Pins.Data, in, p.Width.Bits, "ports", i, "pins", "data")
		add(p.Pins.Keep, in, p.Width.Bits/8, "ports", i, "pins", "keep")
		add(p.Pins.Last, in, 1, "ports", i, "pins", "last")
		add(p.Pins.User, in, p.UserWidth.Bits, "ports", i, "pins", "user")
		add(p.Pins.Valid, in, 1, "ports", i, "pins", "valid")
		add(p.Pins.Ready, !in, 1, "ports", i, "pins", "ready")
		for k, f := range p.Layout {
			add(f.Pin, in, f.Width.Bits, "ports", i, "layout", k, "pin")
		}
	}
	if m.Setup != nil {
		for _, r := range m.Setup.Roles() {
			add(m.Setup.Pins[r.Name], r.Input, m.setupBits(r.Bits), "setup", "pins", r.Name)
		}
	}
	return uses
}

// setupBits is the width of a pin of the setup bus: that of a register (-1), of an address (0: as the design has it),
// or a number.
func (m *Manifest) setupBits(bits int) int {
	switch bits {
	case -1:
		return m.Setup.RegisterBits()
	case -2:
		return m.Setup.RegisterBits() / 8
	}
	return bits
}

// Role is a pin of a register bus.
type Role struct {
	Name   string
	Input  bool // of the design
	Bits   int  // -1: a register; -2: its bytes; 0: an address, as wide as the design has it
	Needed bool
}

var axiLiteRoles = []Role{{"awaddr", true, 0, true}, {"awvalid", true, 1, true}, {"awready", false, 1, true},
	{"awprot", true, 3, false},
	{"wdata", true, -1, true}, {"wstrb", true, -2, false}, {"wvalid", true, 1, true}, {"wready", false, 1, true},
	{"bvalid", false, 1, true}, {"bready", true, 1, true}, {"bresp", false, 2, false},
	{"araddr", true, 0, false}, {"arvalid", true, 1, false}, {"arready", false, 1, false}, {"arprot", true, 3, false},
	{"rdata", false, -1, false}, {"rvalid", false, 1, false}, {"rready", true, 1, false}, {"rresp", false, 2, false}}

var plainRoles = []Role{{"address", true, 0, true}, {"write", true, 1, true}, {"wdata", true, -1, true},
	{"read", true, 1, false},
	{"rdata", false, -1, false}, {"ack", false, 1, false}}

// Roles are the pins that the bus may have.
func (s *Setup) Roles() []Role {
	if s.Bus == BusAXILite {
		return axiLiteRoles
	}
	return plainRoles
}

// RegisterBits is the width of a register.
func (s *Setup) RegisterBits() int {
	if s.Width == 0 {
		return 32
	}
	return s.Width
}

// Reads reports whether some step reads.
func (s *Setup) Reads() bool {
	return slices.ContainsFunc(s.Steps, func(st SetupStep) bool { return st.Read != nil })
}
