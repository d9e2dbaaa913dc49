package adapt

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"hcacosim/cocosim"
	"hcacosim/cocosim/manifest"
	"hcacosim/model/hca"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// acceptor says which records of the stage a device can take by its manifest's accepts.
type acceptor struct {
	accepts *manifest.Accepts // nil: all
	encaps  []bool            // by wire.Encap; nil: all
	ports   []sim.PortSpec
	fields  map[sim.Port][]acceptedField
	packet  wire.Packet
}

type acceptedField struct {
	field
	values []uint64
}

func newAcceptor(m *manifest.Manifest, stage sim.StageSpec, layouts map[string][]field) (*acceptor, error) {
	a := &acceptor{accepts: m.Accepts, ports: stage.Ports, fields: map[sim.Port][]acceptedField{}}
	if m.Accepts == nil {
		return a, nil
	}
	if len(m.Accepts.Encapsulations) > 0 {
		a.encaps = make([]bool, len(manifest.Encapsulations))
		for _, name := range m.Accepts.Encapsulations {
			a.encaps[slices.Index(manifest.Encapsulations, name)] = true
		}
	}
	for name, values := range m.Accepts.Fields {
		found := false
		for i, p := range stage.Ports {
			if f, err := find(layouts[p.Name], name); err == nil && p.Input {
				a.fields[sim.Port(i)] = append(a.fields[sim.Port(i)], acceptedField{f, values})
				found = true
			}
		}
		if !found {
			return nil, m.ErrorAt(m.Line("accepts", "fields", name), "", "no record that stage %s takes has a field %q",
				stage.Name, name)
		}
	}
	return a, nil
}

// reject says why a device cannot take a record of the stage; "" where it can.
func (a *acceptor) reject(r *sim.Offer) string {
	if a.accepts == nil {
		return ""
	}
	if a.ports[r.Port].Kind == sim.Axis {
		return a.rejectPacket(r)
	}
	for _, f := range a.fields[r.Port] {
		if v := get(r.Data, f.at, min(64, f.bits)); !slices.Contains(f.values, v) {
			return f.name + " is not one of those that the device takes"
		}
	}
	return ""
}

func (a *acceptor) rejectPacket(r *sim.Offer) string {
	link := hca.SidebandLink(a.ports[r.Port].UserBits, r.User)
	p := &a.packet
	wire.Decode(link, r.Data, p)
	no := func(allowed *bool, is bool) bool { return allowed != nil && !*allowed && is }
	c := a.accepts
	ip := p.IPv4()
	switch {
	case a.encaps != nil && !a.encaps[p.Encap]:
		return "encapsulation " + manifest.Encapsulations[p.Encap]
	case !within(c.Sizes, len(r.Data)):
		return "size of the frame"
	case c.VLAN != nil && int(p.VLANs) > *c.VLAN:
		return "number of VLAN tags"
	case no(c.IPOptions, ip != nil && len(ip.Options()) > 0):
		return "IP options"
	case no(c.Fragments, ip != nil && ip.IsFragment()):
		return "IP fragment"
	case no(c.Malformed, p.Bad.Reason != wire.WellFormed):
		return "malformed"
	case no(c.Trailer, p.Encap != wire.EncapNone && len(r.Data) > p.End+vcrc(link)):
		return "bytes behind the packet"
	case c.PayloadAlign > 1 && len(p.Payload)%c.PayloadAlign != 0:
		return "alignment of the payload"
	}
	return ""
}

func vcrc(link wire.Link) int {
	if link == wire.LinkIB {
		return 2
	}
	return 0
}

func within(r *manifest.Range, n int) bool {
	return r == nil || n >= r.Min && (r.Max == 0 || n <= r.Max)
}

// Filter is a stimulus without the records that a device cannot take.
type Filter struct {
	from   cocosim.Stimulus
	view   *View
	toPort []sim.Port // by port of the stage
	given  uint64

	mu      sync.Mutex // what follows is also read while a run that was stopped still generates
	left    uint64
	reasons map[string]uint64
	skipped []skip
}

// skip says that from record given on so many were left out before.
type skip struct{ given, left uint64 }

// Stimulus makes the device's stimulus of one for the stage. Its records keep what the model must see; Device
// translates them.
func (v *View) Stimulus(from cocosim.Stimulus) *Filter {
	f := &Filter{from: from, view: v, reasons: map[string]uint64{}}
	for i, to := range v.toStage {
		if v.manifest.Ports[i].Dir == manifest.DirIn {
			for len(f.toPort) <= int(to) {
				f.toPort = append(f.toPort, 0)
			}
			f.toPort[to] = sim.Port(i)
		}
	}
	return f
}

// Next gives the next record that the device can take.
func (f *Filter) Next(r *sim.Offer) error {
	for {
		if err := f.from.Next(r); err != nil {
			return err
		}
		if int(r.Port) >= len(f.toPort) { // no input: the run says so
			f.given++
			return nil
		}
		reason := f.view.accepts.reject(r)
		r.Port = f.toPort[r.Port]
		if in := f.view.inputs[r.Port]; reason == "" && in != nil {
			_, _, reason = in.translate(r)
		}
		if reason == "" {
			f.given++
			return nil
		}
		f.leave(reason)
	}
}

func (f *Filter) leave(reason string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.left++
	f.reasons[reason]++
	if n := len(f.skipped); n > 0 && f.skipped[n-1].given == f.given {
		f.skipped[n-1].left = f.left
	} else {
		f.skipped = append(f.skipped, skip{f.given, f.left})
	}
}

// Origin says where the i-th record that was given came from.
func (f *Filter) Origin(i uint64) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	at, found := slices.BinarySearchFunc(f.skipped, i, func(s skip, i uint64) int {
		switch {
		case s.given < i:
			return -1
		case s.given > i:
			return 1
		}
		return 0
	})
	if !found {
		at--
	}
	if at >= 0 {
		i += f.skipped[at].left
	}
	return f.from.Origin(i)
}

// LeftOut is how many records the device was not given, and why in words, the most frequent reason first; "" where
// there are none.
func (f *Filter) LeftOut() (n uint64, why string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var names []string
	for name := range f.reasons {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if d := int64(f.reasons[b]) - int64(f.reasons[a]); d != 0 {
			return int(d)
		}
		return strings.Compare(a, b)
	})
	var parts []string
	for i, name := range names {
		if i == 4 {
			parts = append(parts, "...")
			break
		}
		parts = append(parts, fmt.Sprintf("%d %s", f.reasons[name], name))
	}
	return f.left, strings.Join(parts, "; ")
}

func errNarrow(name string, bits, need int) error {
	return fmt.Errorf("field %s has %d bits, the model's has %d: what is above would not be compared (say is, or values)",
		name, bits, need)
}
