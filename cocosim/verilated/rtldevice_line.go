package verilated

import (
	"math"

	"hcacosim/cocosim"
)

// lineShift is how many bits of a line's cost are behind the point.
const lineShift = 24

// HoldsLines reports whether the simulator can put lines behind outputs.
func (d *RTL) HoldsLines() bool { return d.lined }

// checkLines says why lines cannot be had.
func (d *RTL) checkLines(lines []cocosim.Line) error {
	seen := map[int]bool{}
	for _, l := range lines {
		port := int(l.Port)
		switch {
		case !d.lined:
			return cocosim.Errorf(cocosim.BadInput, "the simulator of %s puts no line behind an output", d.image.Manifest.Name)
		case port >= len(d.ports) || d.ports[port].Input || seen[port]:
			return cocosim.Errorf(cocosim.BadInput, "port %d of %s: a line is behind an output, one at most", port,
				d.image.Manifest.Name)
		case !(l.CyclesPerByte > 0 && l.CyclesPerByte <= cocosim.SlowestLine):
			return cocosim.Errorf(cocosim.BadInput, "a line takes more than 0 and at most %d cycles for a byte, not %g",
				cocosim.SlowestLine, l.CyclesPerByte)
		}
		seen[port] = true
	}
	return nil
}

// lines are the last part of RESET. A line is never faster than what was asked for.
func (d *RTL) lines(lines []cocosim.Line) {
	if !d.lined {
		return
	}
	d.w.u32(uint32(len(lines)))
	d.w.u32(0)
	for _, l := range lines {
		d.w.u32(uint32(l.Port))
		d.w.u32(l.Overhead)
		d.w.u64(uint64(math.Ceil(math.Ldexp(l.CyclesPerByte, lineShift))))
	}
}
