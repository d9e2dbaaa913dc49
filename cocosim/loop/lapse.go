package loop

import (
	"slices"

	"hcacosim/model/sim"
)

// lapse has time pass faster than the clock of a device that only waits for its timers: of so many cycles it runs one,
// and its timers are told the ticks of the others.
type lapse struct {
	of      uint64             // a cycle of so many runs; 0 or 1: all do
	tell    func(ticks uint32) // offers the device the time
	port    string             // where it does
	owedC   uint64             // cycles that the timers have not been told, less than a tick
	toldC   uint64             // the device's cycle in which they were told last
	passedC uint64             // since something came or went
	allC    uint64
}

// mostLapse bounds it: a step is 64 cycles of the device, of so many more of time.
const mostLapse = 64

// lapses reports whether the device waits for its timers alone: its memory has answered all it asked for, too.
func (c *clocked) lapses() bool {
	return c.lapse.of > 1 && c.lapse.tell != nil && !c.free && len(c.offers.Offers) == 0 && c.quiet > quietCycles &&
		c.cycle+c.lapse.passedC > c.activeC+waitingCycles
}

// stepC is how many cycles of the loop's time a step of it has.
func (c *clocked) stepC() uint64 {
	if c.lapses() {
		return stepCycles * c.lapse.of
	}
	return stepCycles
}

// pass has so many cycles pass, of which the device runs some.
func (c *clocked) pass(cycles uint64) {
	l, active := c.lapse, c.activeC
	run := max(1, cycles/l.of)
	l.owedC, l.passedC, l.allC = l.owedC+cycles-run, l.passedC+cycles-run, l.allC+cycles-run
	if l.owedC >= cyclesPerTick {
		l.owedC += partOfTick(c.cycle - l.toldC)
		l.toldC = c.cycle
		l.tell(uint32(l.owedC / cyclesPerTick))
		l.owedC %= cyclesPerTick
	}
	c.advance(run)
	told := c.ports[l.port]
	came := func(r sim.Record) bool { return r.Port != told }
	if len(c.offers.Offers) > 0 || slices.ContainsFunc(c.out.Records, came) {
		l.passedC = 0
	} else {
		c.activeC = active
	}
	c.lapse = l
}

// partOfTick is what a device loses that is told the time so many cycles after the last: its own tick begins anew. Some
// cycles are less, where it may just have ended: no timer shall expire early.
func partOfTick(cycles uint64) uint64 {
	const takenWithin = 16
	if cycles < cyclesPerTick-takenWithin {
		return cycles
	}
	part := cycles % cyclesPerTick
	return part - min(part, takenWithin)
}

// PassedNs is how much of the time the device's clock did not run for that.
func (c *clocked) PassedNs() uint64 { return c.lapse.allC * cycleNs }

// PassedNs is that of the requester: the other half has no timers.
func (w *wholeEnd) PassedNs() uint64 { return w.tx.PassedNs() }
