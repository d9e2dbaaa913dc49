package cocosim

import (
	"hcacosim/model/sim"
	"math"
)

// Stalls are the cycles in which the bridge holds an output up: docs/bridge.md, drawn from seed, port and cycle.
type Stalls struct {
	key, threshold uint64
	input          bool
}

// StallsOf is what a run's configuration does to a port.
func StallsOf(cfg Config, port int) Stalls {
	s := Stalls{key: finalize(cfg.Seed + uint64(port+1)*golden64), threshold: Threshold(cfg.Backpressure)}
	if cfg.StallOnly != 0 && cfg.StallOnly != port+1 {
		s.threshold = 0
	}
	return s
}

// Threshold turns a share of cycles into what a draw has to be below.
func Threshold(share float64) uint64 {
	switch {
	case !(share > 0):
		return 0
	case share >= 1:
		return math.MaxUint64
	}
	return uint64(share * (1 << 63) * 2)
}

const golden64 = 0x9E3779B97F4A7C15

// finalize is the finalizer of SplitMix64.
func finalize(z uint64) uint64 {
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// IdlesOf is when a run's configuration holds an input's next beat back.
func IdlesOf(cfg Config, port int) Stalls {
	return Stalls{key: finalize(cfg.Seed + uint64(port+1)*golden64), threshold: Threshold(cfg.Idle), input: true}
}

// silenceKey makes the draws of the silences others.
const silenceKey = 0x7369_6C65_6E63_6521 // "silence!"

// draw is the port's draw of a number.
func draw(key, n uint64) uint64 { return finalize(key + (n+1)*golden64) }

// Holds reports whether the port is held up in a cycle: docs/bridge.md has the kinds of periods.
func (s Stalls) Holds(cycle uint64) bool {
	if s.threshold == 0 {
		return false
	}
	if s.silent(cycle) {
		return true
	}
	switch kind := draw(^s.key, cycle>>8) >> 60; {
	case kind < 8:
		return draw(s.key, cycle) < s.threshold
	case kind < 10:
		return false
	case kind < 12:
		return draw(s.key, cycle) < 15<<60
	case kind < 14 || kind == 14 && s.input:
		return draw(s.key, ^(cycle>>5)) < s.threshold
	default:
		return kind == 14 || cycle%2 == 1
	}
}

// silent reports whether a cycle lies in one of the port's silences. Of any two in turn one has 1,024 cycles or more.
func (s Stalls) silent(cycle uint64) bool {
	four := cycle >> 14
	d := draw(s.key^silenceKey, four)
	if cycle>>12%4 != d%4 {
		return false
	}
	shortest := uint64(256) << [...]int{2, 0, 3, 1}[(four+s.key)%4]
	return cycle%4096 < shortest+(d>>8)%shortest
}

// ideal is an output port of a block that loses no cycle: each record leaves as soon as its bytes are there, the
// records before it are out and the port is not held up. The prediction starts from the cycles in which the device took
// its inputs: a full buffer that held an input up does not count as late a second time. The prediction goes on from its
// own outputs, not from the device's: a device that loses a cycle with every record is 1 cycle late with the first, 2
// with the second, 100 with the hundredth.
type ideal struct {
	stalls    Stalls
	beatBytes int    // a beat of a stream; 0 where a record is a beat
	beatTicks uint64 // cycles of the run in a cycle of the port's clock
	free      uint64 // the first cycle that earlier records leave
}

func newIdeals(ports []sim.PortSpec, policies []Policy) []ideal {
	all := make([]ideal, len(ports))
	for i, p := range ports {
		all[i].stalls, all[i].beatTicks = policies[i].Stalls, uint64(max(1, policies[i].BeatTicks))
		if p.Kind == sim.Axis {
			all[i].beatBytes = policies[i].BeatBytes
		}
	}
	return all
}

// end predicts the last beat of a record of n bytes that an unstalled block would give from start to end.
func (p *ideal) end(start, end uint64, n int) uint64 {
	beats := uint64(1)
	if p.beatBytes > 0 {
		beats = uint64(max(1, (n+p.beatBytes-1)/p.beatBytes))
	}
	c := max(start, p.free)
	if p.stalls.threshold == 0 {
		ticks := max(1, p.beatTicks)
		c = max(c+(beats-1)*ticks, end)
		p.free = c + ticks
		return c
	}
	for ; ; c++ {
		if p.stalls.Holds(c) {
			continue
		}
		if beats--; beats == 0 {
			break
		}
	}
	for c = max(c, end); p.stalls.Holds(c); c++ {
	}
	p.free = c + 1
	return c
}
