package bundle

import (
	"fmt"
	"strings"

	"hcacosim/cocosim/html"
	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/verilated"
	"hcacosim/cocosim/waves"
)

// What of the inside of a design goes into the folded groups of a view.
const (
	mostScopes       = 16
	mostScopeSignals = 100

	shownBefore, shownAfter       = 24, 12 // cycles
	picturedBefore, picturedAfter = 13, 6
)

// view groups the signals of the packet's way: the input that took it, the output that is wrong, then the others,
// folded.
func (t *tracer) view() *waves.View {
	a := t.about
	from, to := a.shown()
	v := &waves.View{Trace: TraceFile, Title: "cycle " + fmt.Sprint(a.Cycle) + ": " + a.Signature,
		From: max(t.file.From, from*verilated.CycleTime), To: min(t.file.To, to*verilated.CycleTime),
		// Right in front of the edge, where values are those of the beat.
		Marker: a.Cycle*verilated.CycleTime + verilated.CycleTime/2 - 1}
	if a.Signature == "" {
		v.Title = fmt.Sprintf("cycle %d", a.Cycle)
	}
	m := t.report.Manifest
	scope := t.scope(m)
	add := func(name string, closed bool, vars []waves.Var) {
		v.Groups = append(v.Groups, waves.Group{Name: name, Closed: closed, Vars: vars})
	}
	add("clock and reset", false, t.file.Find(scope, clockPins(m)...))
	onWay := func(p *manifest.Port) bool { return a.Input != nil && p.Name == a.Input.Port || p.Name == a.Port }
	for _, closed := range []bool{false, true} {
		for i := range m.Ports {
			if p := &m.Ports[i]; onWay(p) != closed {
				add(t.portTitle(p), closed, t.file.Find(scope, portPins(p)...))
			}
		}
	}
	if m.Setup != nil {
		add("registers", a.Port != "", t.file.Find(scope, setupPins(m)...))
	}
	var config []string
	for _, c := range m.Config {
		config = append(config, pinName(c.Pin))
	}
	add("configuration", true, t.file.Find(scope, config...))
	add("inside "+m.Top, true, t.file.In(scope, mostScopeSignals, v.Groups))
	for i, inner := range t.file.Scopes(scope) {
		if i < mostScopes {
			add("inside "+strings.TrimPrefix(inner, scope+"."), true, t.file.In(inner, mostScopeSignals, nil))
		}
	}
	return v
}

// shown are the cycles that a view shows first: the mismatch, and the input if it is near.
func (a *About) shown() (from, to uint64) {
	from = a.Cycle - min(a.Cycle, shownBefore)
	if in := a.Input; in != nil && in.Start < from && a.Cycle-in.Start < 4*shownBefore {
		from = in.Start - min(in.Start, 4)
	}
	return from, a.Cycle + shownAfter
}

// picturedCycles are those of a picture: fewer than a view shows, so that values can be read, but from the input on
// where a view shows it.
func (a *About) picturedCycles() (from, to uint64) {
	from = a.Cycle - min(a.Cycle, picturedBefore)
	if shown, _ := a.shown(); a.Input != nil && a.Input.Start < from && a.Input.Start >= shown {
		from = a.Input.Start - min(a.Input.Start, 1)
	}
	return from, a.Cycle + picturedAfter
}

// portTitle says what a port has to do with the mismatch.
func (t *tracer) portTitle(p *manifest.Port) string {
	title := p.Dir + " " + p.Name
	if in := t.about.Input; in != nil && in.Port == p.Name {
		title += fmt.Sprintf(": packet %d in cycles %d to %d", in.Packet, in.Start, in.End)
	}
	if t.about.Port == p.Name {
		title += fmt.Sprintf(": %s at cycle %d", t.about.Rule, t.about.Cycle)
	}
	return title
}

// scope is that of the design: where the most of its pins are, and of those the innermost.
func (t *tracer) scope(m *manifest.Manifest) (best string) {
	pins := clockPins(m)
	for i := range m.Ports {
		pins = append(pins, portPins(&m.Ports[i])...)
	}
	named := map[string]bool{}
	for _, p := range pins {
		named[p] = true
	}
	hits := map[string]int{}
	for _, v := range t.file.Vars {
		if _, name, _ := strings.Cut(v.Base(), v.Scope+"."); named[name] {
			hits[v.Scope]++
		}
	}
	for s, n := range hits {
		more, deeper := n-hits[best], strings.Count(s, ".")-strings.Count(best, ".")
		if more > 0 || more == 0 && (deeper > 0 || deeper == 0 && s < best) {
			best = s
		}
	}
	return best
}

func clockPins(m *manifest.Manifest) []string {
	pins := []string{m.Clock}
	for _, c := range m.Clocks {
		pins = append(pins, c.Pin)
	}
	pins = append(pins, m.Reset.Pin)
	for _, r := range m.Resets {
		pins = append(pins, r.Pin)
	}
	return pins
}

func setupPins(m *manifest.Manifest) (pins []string) {
	for _, r := range m.Setup.Roles() {
		pins = append(pins, pinName(m.Setup.Pins[r.Name]))
	}
	return pins
}

func portPins(p *manifest.Port) (pins []string) {
	for _, pin := range []string{p.Pins.Valid, p.Pins.Ready, p.Pins.Last, p.Pins.Data, p.Pins.Keep, p.Pins.User} {
		pins = append(pins, pinName(pin))
	}
	for _, f := range p.Layout {
		pins = append(pins, pinName(f.Pin))
	}
	return pins
}

// pinName is the name in a pin expression.
func pinName(expr string) string {
	pin, _ := manifest.ParsePin(expr)
	return pin.Name
}

// pictured bounds the signals of a picture.
const pictured = 48

// picture draws the open groups of a view; nil where their values cannot be read.
func (t *tracer) picture(v *waves.View) *html.Picture {
	from, to := t.about.picturedCycles()
	p := &html.Picture{From: max(v.From, from*verilated.CycleTime), To: min(v.To, to*verilated.CycleTime),
		Marker: v.Marker, Cycle: verilated.CycleTime}
	var vars []waves.Var
	var rows []int // of vars
	for _, g := range v.Groups {
		if g.Closed || len(g.Vars) == 0 || len(vars) == pictured {
			continue
		}
		p.Rows = append(p.Rows, html.PictureRow{Name: g.Name, Heading: true})
		for _, signal := range g.Vars[:min(len(g.Vars), pictured-len(vars))] {
			_, name, _ := strings.Cut(signal.Base(), signal.Scope+".")
			rows = append(rows, len(p.Rows))
			vars = append(vars, signal)
			p.Rows = append(p.Rows, html.PictureRow{Name: name, Bits: signal.Bits})
		}
	}
	values, err := t.file.Values(vars)
	if err != nil || len(vars) == 0 {
		return nil
	}
	for i, changes := range values {
		p.Rows[rows[i]].Changes = changes
	}
	return p
}
