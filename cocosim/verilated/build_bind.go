package verilated

import (
	"bytes"
	"fmt"
	"strings"
	"text/template"

	"hcacosim/cocosim/manifest"
	"hcacosim/verilator"
)

// bindData is what the template of the pin binding is filled with.
type bindData struct {
	Name, Prefix, Clock, ResetPin string
	LivesBefore                   bool // it takes noise before its reset
	ResetLow                      bool
	ResetCycles                   int
	Ports                         []bindPort
	Clocks                        []bindClock
	Half                          int  // steps in half a tick; 1 without other clocks
	PortClocks                    bool // some port belongs to another clock than the first
	Resets                        []manifest.ResetPin
	Config                        []bindConfig
}

// bindClock is one of several clocks: it is high in the first half of its period. All rise together in the middle of
// the first tick.
type bindClock struct {
	Pin    string
	Period int // steps
}

type bindPort struct {
	Index               int
	Name                string
	Input               bool
	Type, Init          string // the C++ type of the port's pins, and what it is made from
	Kind                int
	UserBits, WidthBits int
	Period              int // steps of a cycle of its clock
}

type bindConfig struct {
	Pin   string
	Width int
	Value uint64
}

var bindTemplate = template.Must(template.New("bind").Parse(verilator.BindTemplate))

// bindSource is the C++ that binds the pins of a resolved manifest.
func bindSource(m *manifest.Manifest) ([]byte, error) {
	d := bindData{Name: m.Name, Prefix: verilatedPrefix, Clock: m.Clock, ResetPin: m.Reset.Pin,
		ResetLow: m.Reset.Active == "low", ResetCycles: m.Reset.Cycles,
		LivesBefore: m.Reset.Pin != "" && m.Reset.MidTraffic}
	for _, c := range m.Config {
		d.Config = append(d.Config, bindConfig{c.Pin, c.Width.Bits, c.Value})
	}
	d.Resets = m.Resets
	d.bindClocks(m)
	var out bytes.Buffer
	err := bindTemplate.Execute(&out, d)
	return out.Bytes(), err
}

// bindClocks makes steps so short that each clock's half is some, and all steps of a tick fall in two halves.
func (d *bindData) bindClocks(m *manifest.Manifest) {
	ticks := m.CycleTicks()
	half := ticks // steps in half a cycle of the first clock
	for _, c := range m.Clocks {
		half = half / gcd(half, c.Times) * c.Times
	}
	d.Half, d.PortClocks = half/ticks, m.HasPortClocks()
	if len(m.Clocks) > 0 {
		d.Clocks = append(d.Clocks, bindClock{m.Clock, 2 * half})
	}
	for _, c := range m.Clocks {
		d.Clocks = append(d.Clocks, bindClock{c.Pin, 2 * half / c.Times * c.Every})
	}
	slowest := 1
	for i := range m.Ports {
		p := &m.Ports[i]
		d.Ports = append(d.Ports, newBindPort(i, p))
		d.Ports[i].Period = 2 * d.Half * m.PortTicks(p)
		slowest = max(slowest, m.PortTicks(p))
	}
	d.ResetCycles *= slowest
}

func newBindPort(i int, p *manifest.Port) bindPort {
	b := bindPort{Index: i, Name: p.Name, Input: p.Dir == manifest.DirIn, UserBits: p.UserWidth.Bits,
		WidthBits: widthBits(p)}
	class := map[bool]string{true: "In", false: "Out"}[b.Input]
	if p.Kind == manifest.KindRecord {
		b.Kind = 1
		b.Type, b.Init = recordPins(class, p)
		return b
	}
	types, inits := pinLists(p.Pins.Data, p.Pins.Keep, p.Pins.Last, p.Pins.User, p.Pins.Valid, p.Pins.Ready)
	b.Type = fmt.Sprintf("hca::Axis%s<%d, %d, %s>", class, p.Width.Bits/8, p.UserWidth.Bits, types)
	if p.UserOnLast.On {
		b.Type = fmt.Sprintf("hca::UserOnLast<%s>", b.Type)
	}
	b.Init = "{" + inits + "}"
	return b
}

func recordPins(class string, p *manifest.Port) (typ, init string) {
	var fieldTypes, fields []string
	bit := 0
	for _, f := range p.Layout {
		t := fmt.Sprintf("hca::Field<%d, %d, decltype(Top::%s)>", bit, f.Width.Bits, f.Pin)
		fieldTypes = append(fieldTypes, t)
		fields = append(fields, fmt.Sprintf("%s{top->%s}", t, f.Pin))
		bit += f.Width.Bits
	}
	types, inits := pinLists(p.Pins.Valid, p.Pins.Ready)
	if p.Dir == manifest.DirOut {
		types = fmt.Sprintf("%v, %s", p.Withdrawable, types)
	}
	typ = fmt.Sprintf("hca::Fields%s<%d, %s, %s>", class, (bit+7)/8, types, strings.Join(fieldTypes, ", "))
	return typ, fmt.Sprintf("{%s, std::make_tuple(%s)}", inits, strings.Join(fields, ", "))
}

// pinLists are the types and the values of pins; an empty name is a pin that the device does not have.
func pinLists(names ...string) (types, values string) {
	var t, v []string
	for _, name := range names {
		if name == "" {
			t, v = append(t, "hca::NoPin"), append(v, "hca::NoPin{}")
		} else {
			t, v = append(t, "decltype(Top::"+name+")"), append(v, "top->"+name)
		}
	}
	return strings.Join(t, ", "), strings.Join(v, ", ")
}

// widthBits is the data width of an axis port, the record size of a record port.
func widthBits(p *manifest.Port) int {
	if p.Kind == manifest.KindRecord {
		return p.RecordBits()
	}
	return p.Width.Bits
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
