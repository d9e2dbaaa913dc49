package verilated

import (
	"fmt"
	"strings"

	"hcacosim/cocosim"
	"hcacosim/model/sim"
)

// Violations returns the broken stream rules and failed assertions that came since the last call.
func (d *RTL) Violations() []*cocosim.Violation {
	d.mu.Lock()
	defer d.mu.Unlock()
	v := d.violations
	d.violations = nil
	return v
}

// Prints returns what the design printed since the last call.
func (d *RTL) Prints() (lines []cocosim.Print, unkept uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	lines, unkept = d.prints, d.unkept
	d.prints, d.unkept = nil, 0
	return lines, unkept
}

// Stats is what the bridge counted. It is there once Close has succeeded.
func (d *RTL) Stats() []PortStats { return d.stats }

// next reads a frame within the time that a living simulator needs for a heartbeat.
func (d *RTL) next(alloc func(n int) []byte) (frame, error) {
	for {
		f, err := d.r.next(alloc)
		if err != nil {
			return f, err
		}
		switch f.typ {
		case frameHeartbeat:
			c := cursor{b: f.payload}
			d.cycle = c.u64()
		case frameViolation:
			d.violation(cursor{b: f.payload})
		case framePrint:
			d.print(cursor{b: f.payload})
		case frameError:
			return f, d.refusal(cursor{b: f.payload})
		default:
			return f, nil
		}
	}
}

func (d *RTL) refusal(c cursor) error {
	code, n := c.u32(), int(c.u32())
	text := string(c.bytes(min(n, len(c.b))))
	if code == faultSimulator {
		return cocosim.Errorf(cocosim.SimFailed, "simulator of %s failed %s: %s", d.image.Manifest.Name,
			d.when("after"), text)
	}
	return cocosim.Errorf(cocosim.BridgeFailed, "simulator of %s refused: %s", d.image.Manifest.Name, text)
}

// when says how far a simulator came, as far as it told.
func (d *RTL) when(behind string) string {
	switch {
	case !d.inReset:
		return fmt.Sprintf("%s cycle %d", behind, d.cycle)
	case d.image.Manifest.Reset.MidTraffic:
		return "in its reset or the life of noise before it"
	}
	return "in its reset"
}

func (d *RTL) violation(c cursor) {
	cycle, what := c.u64(), portRule{c.u16(), c.u16()}
	d.cycle = max(d.cycle, cycle)
	v := d.newViolation(cycle, what)
	n := int(c.u32())
	v.Text = string(c.bytes(min(n, len(c.b))))
	d.mu.Lock()
	defer d.mu.Unlock()
	d.violations = append(d.violations, v)
	d.violated[what]++
}

func (d *RTL) newViolation(cycle uint64, what portRule) *cocosim.Violation {
	v := &cocosim.Violation{Cycle: cycle}
	if v.Rule = sim.Rule(ruleNames[what.rule]); v.Rule == "" {
		v.Rule = sim.Rule(fmt.Sprintf("BRIDGE-%d", what.rule))
	}
	if int(what.port) < len(d.ports) {
		v.Port = d.ports[what.port].Name
	}
	return v
}

func (d *RTL) print(c cursor) {
	cycle, lines, n := c.u64(), c.u32(), int(c.u32())
	p := cocosim.Print{Cycle: cycle, Text: strings.ToValidUTF8(string(c.bytes(min(n, len(c.b)))), "?")}
	if cycle == noLimit {
		p.Cycle, p.InReset = 0, true
	}
	d.cycle = max(d.cycle, p.Cycle)
	d.mu.Lock()
	defer d.mu.Unlock()
	if p.Text == "" && lines > 1 || len(d.prints) >= maxPrints {
		d.unkept += uint64(lines)
		return
	}
	d.opts.Log.Info("the design prints", "device", d.image.Manifest.Name, "cycle", p.When(), "text", p.Text)
	d.prints = append(d.prints, p)
}

// maxPrints bounds what a simulator can make us keep, whatever it promised.
const maxPrints = 2000

// collect reads until DONE.
func (d *RTL) collect(out *sim.Batch) error {
	_, err := d.collectSome(out, noLimit)
	return err
}

// collectSome reads until DONE, or until it has read so many bytes of records: then there is more.
func (d *RTL) collectSome(out *sim.Batch, most uint64) (more bool, err error) {
	for bytes := uint64(0); ; {
		if bytes >= most {
			return true, nil
		}
		f, err := d.next(out.Bytes)
		if err != nil {
			return false, err
		}
		switch f.typ {
		case frameRecords:
			bytes += uint64(len(f.payload))
			if err := d.take(f.payload, out); err != nil {
				return false, err
			}
		case frameDone:
			return false, d.done(cursor{b: f.payload})
		default:
			return false, protocolError(fmt.Sprintf("frame type %d inside a batch", f.typ))
		}
	}
}

// take adds the records of a frame; their Data stays where it was read.
func (d *RTL) take(b []byte, out *sim.Batch) error {
	for len(b) > 0 {
		if len(b) < recordHeaderBytes {
			return protocolError("a record is cut off")
		}
		n := int(le.Uint32(b[24:]))
		port := le.Uint16(b[28:])
		echo := le.Uint16(b[30:])&recordEcho != 0
		if n > maxRecordBytes || len(b) < recordHeaderBytes+padded(n) {
			return protocolError("a record does not fit its frame")
		}
		if int(port) >= len(d.ports) || d.ports[port].Input != echo {
			return protocolError(fmt.Sprintf("a record on port %d, where there can be none", port))
		}
		whole := recordHeaderBytes + padded(n)
		r := sim.Record{Start: le.Uint64(b), End: le.Uint64(b[8:]), Seq: le.Uint64(b[16:]), Port: sim.Port(port),
			User: le.Uint32(b[32:])}
		if !echo {
			r.Data = b[recordHeaderBytes : recordHeaderBytes+n : recordHeaderBytes+n]
			d.outHash = foldHash(d.outHash, b[:whole])
		}
		d.records[port]++
		out.Records = append(out.Records, r)
		b = b[whole:]
	}
	return nil
}

func (d *RTL) done(c cursor) error {
	d.cycle = c.u64()
	idle, flags, port := c.u64(), c.u32(), c.u32()
	if c.bad {
		return protocolError("DONE is too short")
	}
	if flags&doneFinished != 0 {
		return cocosim.Errorf(cocosim.SimFailed, "%s called $finish after cycle %d at %s", d.image.Manifest.Name, d.cycle,
			c.b)
	}
	if flags&doneLimit != 0 {
		return d.limitError()
	}
	if flags&doneSlow != 0 {
		return d.slowError(idle, port)
	}
	if flags&(doneStalled|doneWaited) != 0 {
		hung := &cocosim.HungError{Cycle: d.cycle, Idle: idle, Others: flags&doneWaited != 0}
		if int(port) < len(d.ports) {
			hung.Port = d.ports[port].Name
		}
		return &cocosim.Error{Exit: cocosim.Mismatch, What: d.image.Manifest.Name, Err: hung}
	}
	return nil
}

// limitError is the end of a run at its limit of cycles. The bridge works on, but nobody is going to ask.
func (d *RTL) limitError() error {
	return cocosim.Errorf(cocosim.Inconclusive, "stopped at cycle %d by the limit of %d cycles", d.cycle, d.cycleLimit)
}

// slowError is the end of a run of which nobody knows when it would have ended by itself.
func (d *RTL) slowError(cycles uint64, port uint32) error {
	name := ""
	if int(port) < len(d.ports) {
		name = d.ports[port].Name
	}
	return &cocosim.Error{Exit: cocosim.Inconclusive, What: fmt.Sprintf("%s is slow: port %s waited %d cycles for each "+
		"beat on average; stopped at cycle %d, after %v of its simulator's time", d.image.Manifest.Name, name, cycles,
		d.cycle, slowAfter),
		Do: "fewer packets: --count; or as long as you like: --timeout, --limit-cycles"}
}

func (d *RTL) goodbye() error {
	d.w.begin(frameGoodbye)
	if err := d.w.end(0); err != nil {
		return err
	}
	f, err := d.next(nil)
	if err != nil {
		return err
	}
	if f.typ != frameGoodbye {
		return protocolError(fmt.Sprintf("frame type %d in answer to GOODBYE", f.typ))
	}
	c := cursor{b: f.payload}
	hash := c.u64()
	c.u64() // cycles
	violations, ports := c.u64(), c.u32()
	c.u32()
	if hash != d.outHash || int(ports) != len(d.ports) {
		return protocolError(fmt.Sprintf("what was sent has hash %016x, what arrived %016x", hash, d.outHash))
	}
	stats := make([]PortStats, len(d.ports))
	for i, p := range d.ports {
		stats[i] = PortStats{p.Name, c.u64(), c.u64(), c.u64(), c.u64()}
		if stats[i].Records != d.records[i] {
			return protocolError(fmt.Sprintf("port %s: %d records were sent, %d arrived", p.Name, stats[i].Records,
				d.records[i]))
		}
	}
	total := map[portRule]uint64{}
	if !d.watched {
		total[portRule{noPort, 0}] = violations - min(violations, d.reportedViolations())
	}
	if d.watched {
		n := c.u32()
		c.u32()
		for i := uint32(0); i < n && !c.bad; i++ {
			what := portRule{c.u16(), c.u16()}
			c.u32()
			total[what] = c.u64()
		}
	}
	if c.bad {
		return protocolError("GOODBYE is too short")
	}
	d.stats = stats
	d.countRest(total)
	return nil
}

func (d *RTL) reportedViolations() (n uint64) {
	for _, k := range d.violated {
		n += k
	}
	return n
}

// countRest makes one violation by rule and port of those that the bridge only counted.
func (d *RTL) countRest(total map[portRule]uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for what, n := range total {
		if rest := n - min(n, d.violated[what]); rest > 0 {
			v := d.newViolation(d.cycle, what)
			v.Text, v.Count = fmt.Sprintf("%d more violations, counted only", rest), rest
			d.violations = append(d.violations, v)
		}
	}
}
