package manifest

import (
	"hcacosim/cocosim"
	"maps"
	"regexp"
	"slices"
)

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_$]*$`)

// check holds the manifest against what a device needs. It reports the first thing that is wrong.
func (m *Manifest) check() error {
	for _, f := range []struct{ key, value string }{{"name", m.Name}, {"top", m.Top}, {"clock", m.Clock}} {
		if !identifier.MatchString(f.value) {
			return m.ErrorAt(m.Line(f.key), "", "%s is missing or not a name: %q", f.key, f.value)
		}
	}
	if len(m.VHDL) == 0 && (m.Filelist == "") == (len(m.Sources) == 0) {
		return m.ErrorAt(m.Line("filelist"), "give filelist: FILE.f, or sources: [FILE, ...]",
			"one of filelist and sources is needed")
	}
	if m.Filelist != "" && len(m.Sources) > 0 {
		return m.ErrorAt(m.Line("filelist"), "", "filelist and sources exclude each other")
	}
	if err := m.checkSizes(); err != nil {
		return err
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
	for _, check := range []func() error{m.checkConfig, m.checkClocks, m.checkSetup, m.checkAccepts} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// checkSizes holds every size to the names of parameters.
func (m *Manifest) checkSizes() error {
	for _, list := range []struct {
		key   string
		sizes []map[string]int
	}{{"sizes", m.Sizes}, {"synthesized", m.Synthesized}} {
		for i, size := range list.sizes {
			for _, name := range slices.Sorted(maps.Keys(size)) {
				if _, ok := m.Parameters[name]; !ok {
					return m.ErrorAt(m.Line(list.key, i, name), "", "%q is not one of the parameters", name)
				}
			}
		}
	}
	return nil
}

func (m *Manifest) checkReset() error {
	r := m.Reset
	if r == (ResetPin{}) {
		if len(m.Resets) > 0 {
			return m.ErrorAt(m.Line("resets"), "name one of them under reset", "resets are those beside reset")
		}
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
	if p.Kind != KindAxis && p.Kind != KindRecord {
		return m.ErrorAt(at("kind"), "", "port %s: kind is axis or record, not %q", p.Name, p.Kind)
	}
	if !isPin(p.Pins.Valid) {
		return m.ErrorAt(at("pins", "valid"), "", "port %s: a valid pin is needed", p.Name)
	}
	if p.Window != nil && (p.Dir == DirIn || p.Window.Min > p.Window.Max) {
		return m.ErrorAt(at("window"), "", "port %s: a window belongs to an output, and its min is not above its max", p.Name)
	}
	if p.Window != nil && p.Window.From != "" && p.Window.From != cocosim.FromModel {
		return m.ErrorAt(at("window", "from"), "", "port %s: a window counts from the model's cycle (from: model), or from "+
			"the input (without from)", p.Name)
	}
	if p.Window != nil && p.Window.Stalled && (p.Window.From == "" || p.Pins.Ready == "" || m.HasPortClocks()) {
		return m.ErrorAt(at("window", "stalled"), "", "port %s: a stalled window counts from the model's cycle (from: "+
			"model), of a port that can be stalled and has the device's clock", p.Name)
	}
	if err := m.checkInput(i, p); err != nil {
		return err
	}
	if p.Withdrawable && (p.Dir != DirOut || p.Kind != KindRecord) {
		return m.ErrorAt(at("withdrawable"), "", "port %s: only an output record can be withdrawable", p.Name)
	}
	if err := m.checkPins(i, p); err != nil {
		return err
	}
	if err := m.checkAdapters(i, p); err != nil {
		return err
	}
	if p.Kind == KindRecord {
		if p.Pins != (Pins{Valid: p.Pins.Valid, Ready: p.Pins.Ready}) {
			return m.ErrorAt(at("pins"), "put the rest into layout", "port %s: a record port has the pins valid and ready only",
				p.Name)
		}
		if p.Width != (Width{}) || p.UserWidth != (Width{}) {
			return m.ErrorAt(at("width"), "", "port %s: a record port has its widths in its layout", p.Name)
		}
		return m.checkLayout(i, p)
	}
	if len(p.Layout) > 0 {
		return m.ErrorAt(at("layout"), "", "port %s: an axis port has no layout", p.Name)
	}
	if p.Pins.Data == "" {
		return m.ErrorAt(at("pins"), "", "port %s: an axis port needs a data pin", p.Name)
	}
	if (p.Pins.User == "") != (p.UserWidth == Width{line: p.UserWidth.line}) {
		return m.ErrorAt(at("pins", "user"), "", "port %s: a user pin and user_width belong together", p.Name)
	}
	if p.Pins.User != "" {
		if err := m.checkWidth(p.UserWidth, at("user_width")); err != nil {
			return err
		}
	}
	return m.checkWidth(p.Width, at("width"))
}

// checkInput checks what an input alone may have.
func (m *Manifest) checkInput(i int, p *Port) error {
	at := func(key string) int { return m.Line("ports", i, key) }
	if p.Rate != "" && (p.Rate != rateFull || p.Dir != DirIn && p.Kind != KindAxis) {
		return m.ErrorAt(at("rate"), "", "port %s: rate belongs to an input or an axis output, and is full or left out",
			p.Name)
	}
	if p.Waits != nil && (p.Dir != DirIn || *p.Waits < 0 || m.HasPortClocks()) {
		return m.ErrorAt(at("waits"), "", "port %s: waits belongs to an input of the device's clock, and is 0 or more",
			p.Name)
	}
	alone := len(m.Ports) == 2 && p.Dir == DirIn && p.Kind == KindRecord && !m.HasPortClocks()
	if p.Holds != nil && (!alone || *p.Holds < 1) {
		return m.ErrorAt(at("holds"), "", "port %s: holds belongs to the only input of records, beside the only output, and "+
			"is 1 or more", p.Name)
	}
	on := p.UserOnLast
	if on != (Switch{}) && (p.Dir != DirIn || p.Pins.User == "") {
		return m.ErrorAt(at("user_on_last"), "", "port %s: only an input with a user pin can have user_on_last", p.Name)
	}
	if _, ok := m.Parameters[on.Param]; on.Param != "" && !ok {
		return m.ErrorAt(at("user_on_last"), "", "user_on_last %q is neither true nor false nor one of the parameters",
			on.Param)
	}
	return nil
}

func (m *Manifest) checkLayout(i int, p *Port) error {
	if len(p.Layout) == 0 {
		return m.ErrorAt(m.Line("ports", i), "", "port %s: a record port needs a layout", p.Name)
	}
	for k, f := range p.Layout {
		if f.Name == "" || !isPin(f.Pin) {
			return m.ErrorAt(m.Line("ports", i, "layout", k), "", "port %s: a field needs a name, a pin and a width", p.Name)
		}
		if err := m.checkWidth(f.Width, m.Line("ports", i, "layout", k, "width")); err != nil {
			return err
		}
		if err := m.checkField(i, k, p, &f); err != nil {
			return err
		}
	}
	return nil
}

func (m *Manifest) checkConfig() error {
	for i, c := range m.Config {
		if !isPin(c.Pin) {
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
