package manifest

// A tick is what a run counts in: the longest time of which the cycle of every port's clock is a multiple. Where all
// ports belong to Clock, and where the others' clocks are slower by a whole number, a tick is a cycle of Clock.
//
// For example, with ports at Clock and at {times: 2}, a cycle of Clock is two ticks.

// ratio is the clock of a pin: it rises Times times in Every cycles of Clock.
func (m *Manifest) ratio(pin string) (c ClockPin, ok bool) {
	if pin == "" || pin == m.Clock {
		return ClockPin{Pin: m.Clock, Times: 1, Every: 1}, true
	}
	for _, c := range m.Clocks {
		if c.Pin == pin {
			return ClockPin{pin, max(c.Times, 1), max(c.Every, 1)}, true
		}
	}
	return c, false
}

// CycleTicks is how many ticks a cycle of Clock has.
func (m *Manifest) CycleTicks() int {
	ticks := 1
	for i := range m.Ports {
		c, _ := m.ratio(m.Ports[i].Clock)
		ticks = lcm(ticks, c.Times)
	}
	return ticks
}

// PortTicks is how many ticks a cycle of a port's clock has.
func (m *Manifest) PortTicks(p *Port) int {
	c, _ := m.ratio(p.Clock)
	return m.CycleTicks() / c.Times * c.Every
}

// HasPortClocks reports whether some port belongs to another clock than Clock.
func (m *Manifest) HasPortClocks() bool {
	for _, p := range m.Ports {
		if p.Clock != "" && p.Clock != m.Clock {
			return true
		}
	}
	return false
}

func lcm(a, b int) int {
	x, y := a, b
	for y != 0 {
		x, y = y, x%y
	}
	return a / x * b
}
