package loop

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"hcacosim/cocosim"
	"hcacosim/model/sim"
)

// Time of a device: a cycle, and how many of them it runs at most before what it sends is looked at.
const (
	cycleNs         = 4
	stepCycles      = 64
	quietCycles     = 4096    // without anything in or out; then its clock stands still until something comes
	freeQuietCycles = 1024    // of one that is free: longer than memory takes
	settingCycles   = 1 << 16 // at most, to be set up
	clearingCycles  = 1 << 15 // at least: behind a reset 4,096 queue pairs' queues of 8 are made zero, a word a clock
	settlingCycles  = 1 << 13 // of them at a time
)

// clocked is a device whose clock follows the loop's time, or, if it is free, runs as fast as it can.
type clocked struct {
	device  cocosim.Device
	ctx     context.Context // of the loop; Device asks for one, End has none
	ports   map[string]sim.Port
	seq     map[sim.Port]uint64
	given   uint64 // records that it was given, and those of them that it took
	took    uint64
	offers  sim.Offers // for the next step
	out     sim.Batch
	taken   func(rec *sim.Record) // is given each record of the device
	cycle   uint64                // of the device's clock
	atNs    uint64                // the time of that cycle
	grain   uint64                // in so many cycles its clock follows: each step is a round trip to the simulator
	behindC uint64                // so many cycles, fewer than grain, the loop is ahead of it
	activeC uint64                // the cycle in which something came or went last
	quiet   uint64                // for so many cycles without anything in or out its clock runs on
	free    bool
	line    []cocosim.Line // behind an output; then the clock stands still for no frame
	lapse   lapse
	failed  error
}

func newClocked(ctx context.Context, d cocosim.Device, free bool, taken func(rec *sim.Record)) *clocked {
	c := &clocked{device: d, ctx: ctx, ports: map[string]sim.Port{}, seq: map[sim.Port]uint64{}, taken: taken, free: free,
		quiet: quietCycles, grain: stepCycles}
	if free {
		c.quiet = freeQuietCycles
	}
	for i, p := range d.Ports() {
		c.ports[p.Name] = sim.Port(i)
	}
	return c
}

// reset resets the device, with these values of configuration inputs.
func (c *clocked) reset(inputs map[string]uint64) error {
	return c.device.Reset(c.ctx, cocosim.Config{Seed: 1, StateSeed: 1, Unpaced: true, Inputs: inputs,
		Lines: c.line})
}

// leavesOn puts the link behind an output of the device, if that can have it and its clock follows the loop's time.
func (c *clocked) leavesOn(port string, gbps float64) {
	if d, ok := c.device.(cocosim.LineHolder); ok && d.HoldsLines() && !c.free && gbps > 0 {
		c.line = []cocosim.Line{{Port: c.ports[port], Overhead: frameOverhead, CyclesPerByte: 8 / gbps / cycleNs}}
	}
}

// failure is what the device ended with.
func (c *clocked) failure() error { return c.failed }

// sooner is a time, or when the next step of a busy device ends: one that is free has it at once.
func (c *clocked) sooner(atNs uint64, ok bool) (uint64, bool) {
	step := c.atNs
	if !c.free {
		step += c.stepC() * cycleNs
	}
	if c.busy() && (!ok || step < atNs) {
		return step, true
	}
	return atNs, ok
}

// busy reports whether the device may have something to say without being given anything.
func (c *clocked) busy() bool {
	return c.failed == nil && (c.cycle+c.lapse.passedC < c.activeC+c.quiet || len(c.offers.Offers) > 0)
}

// catchUp runs the device's clock up to now, but for less than a step; one that is free runs a step. One that is quiet
// does not run: its clock stands still.
func (c *clocked) catchUp(nowNs uint64) {
	if c.free {
		if c.busy() {
			c.advance(stepCycles)
		}
		c.atNs = nowNs
		return
	}
	cycles := (nowNs - c.atNs) / cycleNs
	switch {
	case !c.busy():
		c.atNs, c.behindC = nowNs, 0
	case cycles < c.grain:
		c.behindC = cycles
	case c.lapses():
		c.pass(cycles)
		c.atNs += cycles * cycleNs
	default:
		c.advance(cycles)
		c.atNs += cycles * cycleNs
	}
}

// settle runs the device until it has taken what it was set up with, and nothing has come or gone for a while.
func (c *clocked) settle() {
	for range settingCycles / settlingCycles {
		if c.took == c.given && c.activeC+quietCycles <= c.cycle && c.cycle > clearingCycles {
			return
		}
		c.advance(settlingCycles)
	}
}

// advance runs the device and has what comes out taken.
func (c *clocked) advance(cycles uint64) {
	if c.failed != nil {
		return
	}
	slices.SortStableFunc(c.offers.Offers, before)
	c.out.Reset()
	if len(c.offers.Offers) > 0 {
		c.activeC, c.lapse.passedC = c.cycle, 0
	}
	c.failed = c.device.Advance(c.ctx, c.cycle+cycles, c.offers.Offers, &c.out)
	c.offers.Reset()
	c.cycle += cycles
	c.behindC = 0
	for i := range c.out.Records {
		c.activeC, c.lapse.passedC = max(c.activeC, c.out.Records[i].End), 0
		if c.device.Ports()[c.out.Records[i].Port].Input {
			c.took++
		}
		c.taken(&c.out.Records[i])
	}
}

// before is the order in which a device wants offers.
func before(a, b sim.Offer) int {
	return cmp.Or(cmp.Compare(a.NotBefore, b.NotBefore), cmp.Compare(a.Port, b.Port))
}

// offer gives the device a record now.
func (c *clocked) offer(port string, user uint32, data []byte) {
	c.offerAt(c.cycle+c.behindC, port, user, data)
}

func (c *clocked) offerAt(cycle uint64, port string, user uint32, data []byte) {
	p, ok := c.ports[port]
	if !ok {
		c.failed = fmt.Errorf("the device has no port %s", port)
		return
	}
	c.offers.Append(sim.Offer{NotBefore: cycle, Seq: c.seq[p], Port: p, User: user, Data: data})
	c.seq[p]++
	c.given++
}
