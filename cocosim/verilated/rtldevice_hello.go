package verilated

import (
	"fmt"
	"slices"

	"hcacosim/cocosim"
	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/shim"
	"hcacosim/model/sim"
)

// limits are what a record on a port must keep to.
type limits struct {
	least, most, unit int    // bytes
	noUser            uint32 // bits of the sideband that the port does not have
}

func newLimits(p *manifest.Port) limits {
	l := limits{1, maxRecordBytes, 1, ^uint32(manifest.Ones(p.UserWidth.Bits))}
	switch {
	case p.Dir != manifest.DirIn:
		l.most = -1
	case p.Kind == manifest.KindRecord:
		l.least = (p.RecordBits() + 7) / 8
		l.most = l.least
	case p.Length != nil: // the length is told first
	case p.Pins.Last == "": // a record is a beat
		l.most = p.Width.Bits / 8
		if p.Pins.Keep == "" {
			l.least = l.most
		}
	case p.Pins.Keep == "":
		l.unit = p.Width.Bits / 8
	}
	return l
}

func (d *RTL) limitOf(port sim.Port) limits {
	if int(port) < len(d.limits) {
		return d.limits[port]
	}
	return limits{most: -1, unit: 1}
}

func (l limits) hold(r *sim.Offer) bool {
	n := len(r.Data)
	return n >= l.least && n <= l.most && (l.unit == 1 || n%l.unit == 0) && r.User&l.noUser == 0
}

func (d *RTL) badInput(r *sim.Offer) error {
	l := d.limitOf(r.Port)
	if l.most < 0 {
		return cocosim.Errorf(cocosim.BadInput, "record %d is for port %d, which is no input of %s", r.Seq, r.Port,
			d.image.Manifest.Name)
	}
	name := d.ports[r.Port].Name
	if r.User&l.noUser != 0 {
		return cocosim.Errorf(cocosim.BadInput, "port %s: record %d: sideband %#x does not fit %d bits", name, r.Seq, r.User,
			d.ports[r.Port].UserBits)
	}
	steps := ""
	if l.unit > 1 {
		steps = fmt.Sprintf(" in steps of %d", l.unit)
	}
	return cocosim.Errorf(cocosim.BadInput, "port %s: record %d has %d bytes; %d to %d%s can be carried", name, r.Seq,
		len(r.Data), l.least, l.most, steps)
}

// hello agrees on versions, build and ports.
func (d *RTL) hello() error {
	m := d.image.Manifest
	d.w.begin(frameHello)
	d.w.u16(bridgeMajor)
	d.w.u16(bridgeMinor)
	d.w.u32(d.offered())
	d.w.u32(bridgeMaxFrame)
	d.w.u32(maxRecordBytes)
	d.w.text(d.image.BuildID)
	d.w.text(m.Hash())
	if err := d.w.end(0); err != nil {
		return err
	}
	f, err := d.next(nil)
	if err != nil {
		return err
	}
	if f.typ != frameHello {
		return protocolError(fmt.Sprintf("frame type %d in answer to HELLO", f.typ))
	}
	return d.checkHello(cursor{b: f.payload})
}

// offered are the features of this end.
func (d *RTL) offered() uint32 {
	all := uint32(featureWatch | featurePace | featureLives | featureLine | featureOnly)
	if d.child.mem != nil {
		all |= featureShared
	}
	return all
}

func (d *RTL) checkHello(c cursor) error {
	m := d.image.Manifest
	major := c.u16()
	c.u16()
	features := c.u32() & d.offered()
	if features&featureShared != 0 {
		d.w.mem, d.r.mem = d.child.mem, d.child.mem
	}
	d.watched, d.lives = features&featureWatch != 0, features&featureLives != 0
	d.only = features&featureOnly != 0
	d.paced = d.watched && features&featurePace != 0
	d.lined = d.paced && features&featureLine != 0
	maxFrame, maxRecord := c.u32(), c.u32()
	build, hash := c.text(), c.text()
	switch {
	case major != bridgeMajor:
		return protocolError(fmt.Sprintf("it speaks protocol %d, this is %d", major, bridgeMajor))
	case maxFrame < runFrameBytes+2*maxRecordBytes || maxRecord < maxRecordBytes:
		return protocolError(fmt.Sprintf("it takes frames of %d and records of %d bytes only", maxFrame, maxRecord))
	case build != d.image.BuildID || hash != m.Hash():
		return protocolError(fmt.Sprintf("it is build %s of manifest %s, not %s of %s", build, hash, d.image.BuildID,
			m.Hash()))
	}
	want := d.portTable()
	if got := slices.Clone(c.b); string(got) != string(want) {
		return protocolError("its port table is not the manifest's")
	}
	return nil
}

// portTable is the manifest's port table in the form of HELLO.
func (d *RTL) portTable() []byte {
	m := d.image.Manifest
	var f frameWriter
	f.u16(uint16(len(m.Ports)))
	for i := range m.Ports {
		p := newBindPort(i, &m.Ports[i])
		input := byte(0)
		if p.Input {
			input = 1
		}
		f.buf = append(f.buf, input, byte(p.Kind))
		f.u16(uint16(p.UserBits))
		f.u32(uint32(p.WidthBits))
		f.text(p.Name)
	}
	config := m.Config
	if shim.Needed(m) { // the bridge has the pins of the module in front of the design
		config = shim.Bound(m).Config
	}
	f.u16(uint16(len(config)))
	for _, c := range config {
		f.u32(uint32(c.Width.Bits))
		f.text(c.Pin)
	}
	return f.buf
}
