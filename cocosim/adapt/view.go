// Package adapt holds a device against a stage of the model although their ports differ: fields in another order or
// missing, packets
// without their Ethernet header, a verdict on a port of its own, as a drop, or masked. The manifest says how they
// differ; what a device
// cannot take is left out of its stimulus, and counted. docs/manifest.md has the keys.
package adapt

import (
	"fmt"
	"slices"
	"strings"

	"hcacosim/cocosim"
	"hcacosim/cocosim/manifest"
	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

// View is a stage as a device sees it.
type View struct {
	// Stage has the ports of the device. Its inputs are the records that the model's stage takes, its outputs are those
	// that the device
	// must give.
	Stage sim.StageSpec
	// IsPlain reports that device and stage have the same ports: nothing is translated.
	IsPlain bool

	manifest *manifest.Manifest
	inputs   []*input  // by port of the device; nil for an output
	outputs  []*output // by port of the device; nil for an input
	toStage  []sim.Port
	accepts  *acceptor
}

// New makes the view of a resolved manifest. An error is one line that says which port does not fit and what to write.
func New(m *manifest.Manifest, stage sim.StageSpec) (*View, error) {
	v := &View{Stage: stage, manifest: m, inputs: make([]*input, len(m.Ports)), outputs: make([]*output, len(m.Ports)),
		toStage: make([]sim.Port, len(m.Ports))}
	layouts, err := layoutsOf(stage, m)
	if err != nil {
		return nil, err
	}
	if v.accepts, err = newAcceptor(m, stage, layouts); err != nil {
		return nil, err
	}
	v.IsPlain = plain(m, stage, layouts)
	if v.IsPlain {
		for i := range v.toStage {
			v.toStage[i] = sim.Port(i)
		}
		return v, nil
	}
	if stage.Checker != nil {
		return nil, cocosim.Errorf(cocosim.BadInput,
			"%s: stage %s follows its device's choices, and takes exactly the ports of its manifest; "+
				"`cosim lint` says how they differ", m.Path(), stage.Name)
	}
	for i := range m.Ports {
		if err := v.addPort(i, layouts); err != nil {
			return nil, err
		}
	}
	if err := v.complete(); err != nil {
		return nil, err
	}
	v.Stage.Ports = m.PortSpecs()
	v.Stage.New = func(s sim.Settings) sim.Stage { return &adapted{view: v, inner: stage.New(s)} }
	v.Stage.Name, v.Stage.Behind = stage.Name, v.behind(stage.Behind)
	v.Stage.Waits = nil // of what a device gives one record may be several of its stage
	return v, v.carried(stage)
}

// plain reports whether the ports of a manifest are those of the stage, and nothing is left out of the comparison.
func plain(m *manifest.Manifest, stage sim.StageSpec, layouts map[string][]field) bool {
	same := func(device, stage sim.PortSpec) bool {
		device.Keyed, device.Bits = stage.Keyed, stage.Bits // no order is said by no manifest, bits by the layout
		return device == stage
	}
	if !slices.EqualFunc(m.PortSpecs(), stage.Ports, same) || len(m.Without) > 0 {
		return false
	}
	for i := range m.Ports {
		p := &m.Ports[i]
		if p.Compare != nil || p.Ethernet != "" || p.ICRC != "" || p.Length != nil || p.Passes != "" || p.VerdictOf != "" ||
			len(p.Sideband) > 0 {
			return false
		}
		if p.Kind == manifest.KindAxis && p.Dir == manifest.DirIn && (p.Pins.Last == "" || p.Pins.Keep == "" &&
			p.Width.Bits > 8) {
			return false
		}
		if p.Kind == manifest.KindRecord && !sameLayout(p, layouts[p.Name]) {
			return false
		}
	}
	return true
}

// sameLayout reports whether a port has the fields of the stage's in their order; without a reference it does.
func sameLayout(p *manifest.Port, want []field) bool {
	if want == nil {
		return true
	}
	if len(want) != len(p.Layout) {
		return false
	}
	for i, f := range p.Layout {
		if f.Name != want[i].name || f.Width.Bits != want[i].bits || f.From != "" || f.Is != "" || f.Value != nil ||
			len(f.Values) > 0 {
			return false
		}
	}
	return true
}

func (v *View) addPort(i int, layouts map[string][]field) (err error) {
	p := &v.manifest.Ports[i]
	name := p.Name
	if p.VerdictOf != "" {
		name = p.VerdictOf
	}
	at := slices.IndexFunc(v.Stage.Ports, func(s sim.PortSpec) bool { return s.Name == name })
	if at < 0 {
		return v.manifest.ErrorAt(v.manifest.Line("ports", i, "name"), "it has "+names(v.Stage.Ports),
			"stage %s has no port %s", v.Stage.Name, name)
	}
	spec := v.Stage.Ports[at]
	if kind := kindOf(p); p.VerdictOf == "" && kind != spec.Kind || spec.Input != (p.Dir == manifest.DirIn) {
		return v.manifest.ErrorAt(v.manifest.Line("ports", i), "", "port %s of stage %s is of another kind or direction",
			name, v.Stage.Name)
	}
	v.toStage[i] = sim.Port(at)
	if p.Dir == manifest.DirIn {
		v.inputs[i], err = newInput(v.manifest, i, spec, layouts[name])
	} else {
		v.outputs[i], err = newOutput(v.manifest, i, v.Stage.Name, spec, layouts[name])
	}
	return err
}

func kindOf(p *manifest.Port) sim.Kind {
	if p.Kind == manifest.KindRecord {
		return sim.Fields
	}
	return sim.Axis
}

func names(ports []sim.PortSpec) (text string) {
	for i, p := range ports {
		if i > 0 {
			text += ", "
		}
		text += p.Name
	}
	return text
}

// complete holds every port of the stage against the manifest: it is there, or named under without.
func (v *View) complete() error {
	m := v.manifest
	for k, s := range v.Stage.Ports {
		there := false
		for i, to := range v.toStage {
			there = there || to == sim.Port(k) && m.Ports[i].VerdictOf == ""
		}
		without := slices.Contains(m.Without, s.Name)
		switch {
		case s.Input && !there:
			return cocosim.Errorf(cocosim.BadInput, "%s: stage %s has an input %s, and no port here is it", m.Path(),
				v.Stage.Name, s.Name)
		case !there && !without:
			return &cocosim.Error{Exit: cocosim.BadInput, What: m.Path() + ": no port carries the output " + s.Name +
				" of stage " + v.Stage.Name,
				Do: "name it under without: [...] if the device has none; it is not compared then"}
		case there && without:
			return m.ErrorAt(m.Line("without"), "", "%s is named under without, and is among the ports", s.Name)
		}
	}
	return nil
}

// carried holds the sideband of every axis output of the stage against the manifest: some port of the device carries
// the sideband, or the manifest leaves it out by name.
func (v *View) carried(stage sim.StageSpec) error {
	for k, s := range stage.Ports {
		if s.Input || s.Kind != sim.Axis || s.UserBits == 0 || slices.Contains(v.manifest.Without, s.Name) {
			continue
		}
		ok := false
		for i := range v.manifest.Ports {
			p := &v.manifest.Ports[i]
			mine := v.outputs[i] != nil && v.toStage[i] == sim.Port(k)
			ok = ok || mine && (p.VerdictOf != "" || p.Passes != "" || p.UserWidth.Bits > 0 || p.Compare != nil &&
				p.Compare.User != nil)
		}
		if !ok {
			return &cocosim.Error{Exit: cocosim.BadInput, What: v.manifest.Path() + ": stage " + stage.Name +
				" gives a verdict beside the packets of " +
				s.Name + ", and no port here carries it", Do: "say sideband, passes, a port with verdict_of, or compare: {user: " +
				"0} to leave it out"}
		}
	}
	return nil
}

// behind is an order across ports of the stage as the device has it: nil where it lacks one of the ports, or leaves
// some of their records out.
func (v *View) behind(b *sim.Behind) *sim.Behind {
	if b == nil {
		return nil
	}
	of := make([]sim.Port, len(b.Of)+1)
	for i, port := range append([]sim.Port{b.Port}, b.Of...) {
		at := slices.Index(v.toStage, port)
		if at < 0 || v.outputs[at].passes != nil || v.outputs[at].port.VerdictOf != "" {
			return nil
		}
		of[i] = sim.Port(at)
	}
	return &sim.Behind{Port: of[0], Of: of[1:], Rule: b.Rule}
}

// adapted is a stage that gives what the device must give.
type adapted struct {
	view    *View
	inner   sim.Stage
	in, out []sim.Record

	withheld uint64
}

// Withheld is how many records of the stage the device must not give: a condition of its manifest lets them fall.
func (a *adapted) Withheld() uint64 { return a.withheld }

func (a *adapted) Reset() { a.inner.Reset() }

// Advance runs the model's stage and translates what it gives. Data of an output is valid until the next call.
func (a *adapted) Advance(to uint64, in, out []sim.Record) []sim.Record {
	a.in = append(a.in[:0], in...)
	for i := range a.in {
		a.in[i].Port = a.view.toStage[a.in[i].Port]
	}
	a.out = a.inner.Advance(to, a.in, a.out[:0])
	for i := range a.out {
		for port, o := range a.view.outputs {
			if o == nil || a.view.toStage[port] != a.out[i].Port {
				continue
			}
			r := a.out[i]
			r.Port = sim.Port(port)
			if !o.expect(&r) {
				a.withheld++
				continue
			}
			o.mask(&r)
			out = append(out, r)
		}
	}
	return out
}

// UserText says in words what the sideband of an output means.
func (v *View) UserText(port string, user uint32) string {
	for i, o := range v.outputs {
		if o == nil || v.manifest.Ports[i].Name != port {
			continue
		}
		if o.port.Kind == manifest.KindRecord || o.noUser {
			return ""
		}
		if o.fields == nil && o.user == ^uint32(0) {
			break
		}
		var parts []string
		for k, f := range o.fields {
			parts = append(parts, fmt.Sprintf("%s=%d", o.port.Sideband[k].Name, user>>f.at&uint32(manifest.Ones(f.bits))))
		}
		return strings.Join(parts, " ")
	}
	return hca.VerdictText(v.Stage.Name, user)
}
