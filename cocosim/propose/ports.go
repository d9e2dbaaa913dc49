package propose

import (
	"fmt"
	"slices"
	"strings"

	"hcacosim/cocosim/design"
	"hcacosim/cocosim/manifest"
	"hcacosim/model/sim"
)

// group gathers the pins of streams: same stem, same direction of the data.
func (p *proposer) group() {
	type key struct {
		stem  string
		input bool
	}
	found := map[key]map[role]design.Pin{}
	var order []key
	for _, pin := range p.in.Top.Pins {
		stem, r := classify(pin.Name)
		if r == "" || p.taken[pin.Name] {
			continue
		}
		k := key{stem, (pin.Dir == "input") != (r == ready)}
		if found[k] == nil {
			found[k] = map[role]design.Pin{}
			order = append(order, k)
		}
		if _, twice := found[k][r]; !twice {
			found[k][r] = pin
		}
	}
	for _, k := range order {
		pins := found[k]
		v, ok := pins[valid]
		if !ok {
			continue // no stream: its pins are looked at again as fields and configuration
		}
		if n := v.Bits; n > 1 {
			p.packed(k.stem, k.input, n, pins)
			continue
		}
		p.stream(k.stem, k.input, pins)
	}
}

// stream makes a port of the pins of one.
func (p *proposer) stream(stem string, input bool, pins map[role]design.Pin) {
	o := &port{stem: stem, input: input, pins: map[role]string{}, bits: map[role]int{}}
	label := stem
	if label == "" {
		label = map[bool]string{true: "the input stream", false: "the output stream"}[input]
	}
	o.name = label
	for _, r := range []role{data, keep, last, user, valid, ready} {
		if pin, ok := pins[r]; ok {
			o.pins[r], o.bits[r] = pin.Name, pin.Bits
			p.taken[pin.Name] = true
		}
	}
	p.ports = append(p.ports, o)
	if o.pins[ready] == "" {
		p.note("%s: there is no ready: every beat counts as taken", label)
	}
	if o.pins[data] == "" {
		return
	}
	p.judgeStream(label, o, pins)
}

// judgeStream says what a stream has that is odd, or lacks.
func (p *proposer) judgeStream(label string, o *port, pins map[role]design.Pin) {
	w := o.bits[data]
	if k := o.bits[keep]; k != 0 && (w%8 != 0 || k != w/8) {
		p.note("%s: %s has %d bits for %d bits of data: it is no keep of bytes, and left out", label, o.pins[keep], k, w)
		p.taken[o.pins[keep]] = false
		delete(o.pins, keep)
	}
	if o.pins[keep] == "" && w > 8 {
		p.note("%s: there is no keep: only packets of whole beats (%d bytes) can be carried; the others are left out of "+
			"every stimulus", label, w/8)
	}
	if l, ok := pins[length]; ok && o.pins[last] == "" && o.pins[user] == "" && (l.Dir == "input") == o.input {
		o.pins[user], o.bits[user] = l.Name, l.Bits
		o.lines = append(o.lines, "length: {in: user}")
		p.taken[l.Name] = true
		p.note("%s: there is no last, but %s: taken as the length of the packet in bytes, with every beat", label, l.Name)
	} else if o.pins[last] == "" {
		p.note("%s: there is no last: how a packet ends is not to be told; a packet is a beat unless you say length: {in: "+
			"data, bytes: 2} or {in: user}", label)
	}
	if s, ok := pins[start]; ok {
		p.note("%s: %s looks like a start of packet, which is not driven as one: it is left to config, or not looked at",
			label, s.Name)
	}
	if e, ok := pins[empty]; ok {
		p.note("%s: %s looks like a count of empty bytes (Avalon-ST, whose first byte is in the highest lane): keep and "+
			"bytes: reversed are what can be driven",
			label, e.Name)
	}
	if o.pins[user] != "" && o.bits[user] > 32 {
		p.note("%s: %s has %d bits; at most 32 can be driven: it is left out", label, o.pins[user], o.bits[user])
		p.taken[o.pins[user]] = false
		delete(o.pins, user)
	}
}

// packed makes n ports of streams whose pins lie side by side in vectors.
func (p *proposer) packed(stem string, input bool, n int, pins map[role]design.Pin) {
	for r, pin := range pins {
		if pin.Bits%n != 0 {
			p.note("%s: %s has %d bits, valid %d: they are no %d streams side by side; nothing is put in", stem, pin.Name,
				pin.Bits, n, n)
			_ = r
			return
		}
	}
	p.note("%s: valid has %d bits: taken as %d streams side by side, the first in the lowest bits", stem, n, n)
	for i := range n {
		o := &port{name: fmt.Sprintf("%s_%d", stem, i), stem: stem, input: input, pins: map[role]string{},
			bits: map[role]int{}}
		for _, r := range []role{data, keep, last, user, valid, ready} {
			pin, ok := pins[r]
			if !ok {
				continue
			}
			w := pin.Bits / n
			o.bits[r] = w
			o.pins[r] = fmt.Sprintf("%s[%d:%d]", pin.Name, i*w+w-1, i*w)
			if w == 1 {
				o.pins[r] = fmt.Sprintf("%s[%d]", pin.Name, i)
			}
			p.taken[pin.Name] = true
		}
		p.ports = append(p.ports, o)
		if o.pins[data] != "" {
			p.judgeStream(o.name, o, pins)
		}
	}
}

// records gives the pins that are left to the record ports whose stem theirs begins with: ports with a valid and no
// last, keep or user.
func (p *proposer) records() {
	for _, pin := range p.in.Top.Pins {
		if p.taken[pin.Name] {
			continue
		}
		list := words(pin.Name)
		text := strings.Join(list, "_")
		var best *port
		for _, o := range p.ports {
			open := o.pins[last] == "" && o.pins[keep] == "" && o.pins[user] == ""
			if open && o.input == (pin.Dir == "input") && (o.stem == "" || text == o.stem || strings.HasPrefix(text,
				o.stem+"_")) &&
				(best == nil || len(o.stem) > len(best.stem)) {
				best = o
			}
		}
		if best == nil {
			continue
		}
		name := strings.TrimPrefix(strings.TrimPrefix(text, best.stem), "_")
		if name == "" {
			name = "all"
		}
		best.fields = append(best.fields, pinField{name: name, pin: pin.Name, bits: pin.Bits})
		p.taken[pin.Name] = true
	}
	for _, o := range p.ports {
		if len(o.fields) > 0 && o.pins[data] != "" {
			o.fields = slices.Insert(o.fields, 0, pinField{name: "data", pin: o.pins[data], bits: o.bits[data]})
			delete(o.pins, data)
			p.note("%s: it has pins beside its data and no last: taken as records of one beat", o.name)
			p.notes = slices.DeleteFunc(p.notes, func(n string) bool {
				return strings.HasPrefix(n, o.name+": there is no last") || strings.HasPrefix(n, o.name+": there is no keep")
			})
		}
	}
	p.ports = slices.DeleteFunc(p.ports, func(o *port) bool {
		if o.axis() || len(o.fields) > 0 {
			return false
		}
		p.note("%s: %s is a valid without anything beside it: no port is made of it", o.name, o.pins[valid])
		p.taken[o.pins[valid]] = false
		if r := o.pins[ready]; r != "" {
			p.taken[r] = false
		}
		return true
	})
}

// stageFields are the fields of a stage's record ports, by port.
func stageFields(stage string) map[string][]manifest.Field {
	all, err := manifest.Embedded()
	if err != nil {
		return nil
	}
	out := map[string][]manifest.Field{}
	for _, m := range all {
		if m.Model != stage {
			continue
		}
		if r, err := m.Resolve(nil); err == nil {
			for _, p := range r.Ports {
				if len(p.Layout) > 0 {
					out[p.Name] = p.Layout
				}
			}
		}
		break
	}
	return out
}

// match gives the ports the names of the stage's, in order by kind and direction, and says what is over or missing.
func (p *proposer) match() {
	fields := stageFields(p.model)
	used := map[*port]bool{}
	var missing []string
	var verdicts []string
	carried := false
	for _, spec := range p.stage.Ports {
		i := slices.IndexFunc(p.ports, func(o *port) bool {
			return !used[o] && o.input == spec.Input && o.axis() == (spec.Kind == sim.Axis)
		})
		if spec.UserBits > 0 && !spec.Input {
			verdicts = append(verdicts, spec.Name)
		}
		if i < 0 {
			if spec.Input {
				p.note("port %s: stage %s has this input, and none of the pins look like it", spec.Name, p.model)
			} else {
				missing = append(missing, spec.Name)
			}
			continue
		}
		o := p.ports[i]
		used[o] = true
		o.name = spec.Name
		p.sidebands(o, spec)
		if o.input && o.pins[user] == "" && spec.UserBits > 0 {
			p.note("port %s: no pin tells Ethernet frames from IB native packets: only Ethernet goes in", spec.Name)
		}
		carried = carried || !spec.Input && spec.UserBits > 0 && o.pins[user] != ""
		p.fieldNames(o, fields[spec.Name])
	}
	for _, o := range p.ports {
		if used[o] || o.input || o.axis() || len(verdicts) == 0 {
			continue
		}
		used[o], carried = true, true
		o.verdictOf = verdicts[0]
		p.verdict(o)
	}
	p.leaveOut(missing)
	if !carried && len(verdicts) > 0 && !slices.Contains(missing, verdicts[0]) {
		p.leaveVerdict(verdicts[0])
	}
	p.dropUnused(used)
	p.sortPorts()
}

// leaveOut says which outputs of the stage the device does not have.
func (p *proposer) leaveOut(missing []string) {
	for _, name := range missing {
		p.note("without: no pins look like the output %s of stage %s: it is not compared", name, p.model)
	}
	if len(missing) > 0 {
		p.top = append(p.top, "without: ["+strings.Join(missing, ", ")+"]")
	}
}

// dropUnused gives the pins back of ports that are none of the stage's.
func (p *proposer) dropUnused(used map[*port]bool) {
	p.ports = slices.DeleteFunc(p.ports, func(o *port) bool {
		if used[o] {
			return false
		}
		p.note("%s: stage %s has no port that it could be; its inputs are held at 0 and its outputs not looked at", o.name,
			p.model)
		for _, pin := range o.pins {
			if !strings.Contains(pin, "[") {
				p.taken[pin] = false
			}
		}
		for _, f := range o.fields {
			p.taken[f.pin] = false
		}
		return true
	})
}

// sortPorts puts the ports in the order of the stage's.
func (p *proposer) sortPorts() {
	slices.SortStableFunc(p.ports, func(a, b *port) int {
		at := func(o *port) int {
			i := slices.IndexFunc(p.stage.Ports, func(s sim.PortSpec) bool { return s.Name == o.name })
			if i < 0 {
				return len(p.stage.Ports)
			}
			return i
		}
		return at(a) - at(b)
	})
}

// leaveVerdict says that no pin carries the verdict.
func (p *proposer) leaveVerdict(name string) {
	for _, o := range p.ports {
		if o.name == name {
			o.lines = append(o.lines, "compare: {user: 0}")
		}
	}
	p.note("port %s: no pin looks like the verdict of stage %s, and only the packets are compared: say passes: "+
		"icrc=good if the design drops bad "+
		"packets, or name the pin", name, p.model)
}

// sidebands says what the user pin of a stream is to its stage.
func (p *proposer) sidebands(o *port, spec sim.PortSpec) {
	if o.pins[user] == "" || slices.ContainsFunc(o.lines, func(l string) bool { return strings.HasPrefix(l, "length") }) {
		return
	}
	b := o.bits[user]
	switch {
	case b == spec.UserBits:
	case o.input:
		p.note("port %s: %s has %d bits, and the stage's sideband %d: it is held at 0 under config", spec.Name, o.pins[user],
			b, spec.UserBits)
		p.taken[o.pins[user]] = false
		delete(o.pins, user)
	case b == 1 && spec.UserBits > 0:
		o.lines = append(o.lines, "sideband: [{name: bad, width: 1, is: "+verdictField(p.model)+"=bad}]")
		p.note("port %s: %s has one bit: taken as 1 for a bad CRC, as streams usually have it", spec.Name, o.pins[user])
	default:
		p.note("port %s: what the %d bits of %s say is not to be told: they are not compared; say sideband: [{name: N, "+
			"width: W, is: CONDITION}, ...]",
			spec.Name, b, o.pins[user])
		delete(o.pins, user)
	}
}

func verdictField(model string) string {
	if strings.HasPrefix(model, "vcrc") {
		return "vcrc"
	}
	return "icrc"
}

// verdict says what the fields of a port of its own are in the stage's verdict.
func (p *proposer) verdict(o *port) {
	o.name = strings.Trim(o.stem, "_")
	if o.name == "" {
		o.name = "verdict"
	}
	o.lines = append(o.lines, "verdict_of: "+o.verdictOf)
	for i := range o.fields {
		f := &o.fields[i]
		switch m := means(f.name); {
		case slices.Contains([]string{"icrc", "vcrc", "encap", "reason"}, f.name):
		case f.bits == 1 && m != "":
			f.extra = ", is: " + verdictField(p.model) + "=" + m
			p.note("port %s: %s is taken as 1 where the CRC is %s, by its name", o.name, f.pin, m)
		default:
			f.extra = ", is: " + verdictField(p.model) + "=good"
			p.note("port %s: which part of the verdict %s carries is not to be told: 1 for a good CRC is put in, and not "+
				"compared", o.name, f.pin)
			o.lines = append(o.lines, "compare: {not: ["+f.name+"]}")
		}
	}
}

// fieldNames gives the fields of a record port the model's names, and says which do not fit.
func (p *proposer) fieldNames(o *port, want []manifest.Field) {
	if len(want) == 0 {
		return
	}
	have := map[string]bool{}
	for i := range o.fields {
		f := &o.fields[i]
		k := slices.IndexFunc(want, func(w manifest.Field) bool {
			return w.Name == f.name || strings.ReplaceAll(w.Name, "_", "") == strings.ReplaceAll(f.name, "_", "")
		})
		switch {
		case k >= 0:
			f.name = want[k].Name
			have[f.name] = true
			if f.bits != want[k].Width.Bits {
				p.note("port %s: field %s has %d bits, the model's %d", o.name, f.name, f.bits, want[k].Width.Bits)
			}
		case o.input:
			f.extra = ", value: 0"
			p.note("port %s: the model has no field %s: it is held at 0; say from: NAME if the model calls it something else",
				o.name, f.name)
		default:
			f.extra = ", is: " + want[0].Name + "=0"
			o.lines = append(o.lines, "compare: {not: ["+f.name+"]}")
			p.note("port %s: the model has no field %s: it is not compared; say from: NAME or is: CONDITION", o.name, f.name)
		}
	}
	for _, w := range want {
		if !have[w.Name] && o.input {
			p.note("port %s: no pin looks like the model's field %s (%d bits): say from: %[2]s at a field, or accepts: "+
				"{fields: {%[2]s: N}}", o.name, w.Name, w.Width.Bits)
		} else if !have[w.Name] {
			p.note("port %s: no pin looks like the model's field %s: it is not compared", o.name, w.Name)
		}
	}
	merged := slices.DeleteFunc(slices.Clone(o.lines), func(l string) bool {
		return !strings.HasPrefix(l,
			"compare: {not: [")
	})
	if len(merged) > 1 {
		var list []string
		for _, l := range merged {
			list = append(list, strings.TrimSuffix(strings.TrimPrefix(l, "compare: {not: ["), "]}"))
		}
		o.lines = slices.DeleteFunc(o.lines, func(l string) bool { return strings.HasPrefix(l, "compare: {not: [") })
		o.lines = append(o.lines, "compare: {not: ["+strings.Join(list, ", ")+"]}")
	}
}
