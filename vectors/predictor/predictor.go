// Package predictor is the golden model for a bench of one's own: the bench pushes what its device took, and takes from
// the predictor what must come out, or has it judge what came. cmd/libhcacosim is its C face.
package predictor

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"hcacosim/model/sim"
	"hcacosim/model/stages"
)

// MaxRecordBytes is the largest record that is taken.
const MaxRecordBytes = 256 << 10

// Predictor follows one device. It is not for several goroutines at once.
type Predictor struct {
	ports  []sim.PortSpec
	stage  sim.Stage   // nil where there is a judge
	judge  sim.Checker // of a stage whose order or time is the device's choice
	cycle  uint64      // of the last record of either side
	taken  []uint64    // by port: records so far
	owed   []owed      // by port
	in     [1]sim.Record
	out    []sim.Record
	beats  []beats // by port: the record whose last beat has not come
	wrong  uint64
	missed []string // what never came, a line each
	ended  bool
}

// owed is what must come out of a port, in order.
type owed struct {
	records []sim.Record
	head    int
	given   uint64 // that the device gave
}

// beats gathers a record that goes over its port in several cycles.
type beats struct {
	data []byte
	open bool
}

// Open makes a predictor of a stage (see `vecgen list`) with the parameters and configuration inputs of its device.
func Open(stage string, settings sim.Settings) (*Predictor, error) {
	spec, ok := stages.Lookup(stage)
	if !ok {
		var known []string
		for _, s := range stages.All() {
			known = append(known, s.Name)
		}
		return nil, fmt.Errorf("stage %q is unknown (known: %s)", stage, strings.Join(known, ", "))
	}
	if err := spec.Check(settings); err != nil {
		return nil, err
	}
	spec = spec.At(settings)
	p := &Predictor{ports: spec.Ports, taken: make([]uint64, len(spec.Ports)), owed: make([]owed, len(spec.Ports)),
		beats: make([]beats, len(spec.Ports))}
	if spec.Checker != nil {
		p.judge = spec.Checker(settings)
		return p, nil
	}
	p.stage = spec.New(settings)
	p.stage.Reset()
	return p, nil
}

// Port is the number of a port by its name.
func (p *Predictor) Port(name string) (sim.Port, error) {
	var known []string
	for i, s := range p.ports {
		if s.Name == name {
			return sim.Port(i), nil
		}
		known = append(known, s.Name)
	}
	return 0, fmt.Errorf("no port %q (it has %s)", name, strings.Join(known, ", "))
}

// PortAt is the port of a number.
func (p *Predictor) PortAt(n int) (sim.Port, error) {
	if n < 0 || n >= len(p.ports) {
		return 0, fmt.Errorf("there is no port %d: the stage has %d", n, len(p.ports))
	}
	return sim.Port(n), nil
}

// check holds a call against the ports and the clock.
func (p *Predictor) check(port sim.Port, input bool, cycle uint64, size int) error {
	switch {
	case p.ended:
		return fmt.Errorf("the run was ended: open another")
	case int(port) >= len(p.ports):
		return fmt.Errorf("there is no port %d: the stage has %d", port, len(p.ports))
	case p.ports[port].Input != input:
		return fmt.Errorf("%s is not an %s", p.ports[port].Name, map[bool]string{true: "input", false: "output"}[input])
	case cycle < p.cycle:
		return fmt.Errorf("%s: cycle %d after cycle %d: records come in the order of their last beats",
			p.ports[port].Name, cycle, p.cycle)
	case size > MaxRecordBytes:
		return fmt.Errorf("%s: a record of %d bytes; at most %d", p.ports[port].Name, size, MaxRecordBytes)
	}
	return nil
}

// checkInput holds a record that the device took against its port.
func (p *Predictor) checkInput(port sim.Port, user uint32, size int) error {
	s := &p.ports[port]
	switch {
	case s.Kind == sim.Axis && size == 0:
		return fmt.Errorf("%s: a packet of no bytes", s.Name)
	case s.Kind == sim.Fields && size != recordBytes(s):
		return fmt.Errorf("%s: a record of %d bytes: it has %d bits, so %d bytes", s.Name, size, s.Bits, recordBytes(s))
	case user != 0 && s.UserBits == 0:
		return fmt.Errorf("%s: user %xh: the port has no sideband", s.Name, user)
	case uint64(user) >= 1<<s.UserBits:
		return fmt.Errorf("%s: user %xh: the sideband has %d bits", s.Name, user, s.UserBits)
	}
	return nil
}

func recordBytes(s *sim.PortSpec) int { return (s.Bits + 7) / 8 }

// CheckBits holds the width of a vector against the port that it goes over.
func (p *Predictor) CheckBits(port sim.Port, bits int) error {
	switch s := &p.ports[port]; {
	case s.Kind == sim.Fields && bits != s.Bits:
		return fmt.Errorf("%s: a record of %d bits: it has %d", s.Name, bits, s.Bits)
	case s.Kind == sim.Axis && bits%8 != 0:
		return fmt.Errorf("%s: a packet of %d bits: they are no whole bytes", s.Name, bits)
	}
	return nil
}

// Push tells that the device took a record, its last beat in a cycle. Data is valid until the call returns. Within a
// cycle inputs come before outputs.
func (p *Predictor) Push(port sim.Port, cycle uint64, user uint32, data []byte) error {
	if err := p.check(port, true, cycle, len(data)); err != nil {
		return err
	}
	if err := p.checkInput(port, user, len(data)); err != nil {
		return err
	}
	p.cycle = cycle
	p.in[0] = sim.Record{Start: cycle, End: cycle, Seq: p.taken[port], User: user, Port: port, Data: data}
	p.taken[port]++
	if p.judge != nil {
		p.overdue(cycle)
		p.judge.Input(&p.in[0])
		return nil
	}
	p.out = p.stage.Advance(cycle, p.in[:], p.out[:0])
	p.owe()
	return nil
}

// owe keeps what the stage gave.
func (p *Predictor) owe() {
	for _, r := range p.out {
		r.Data = bytes.Clone(r.Data)
		o := &p.owed[r.Port]
		if o.head > len(o.records)/2 { // what was given makes room, also where something is always owed
			o.records, o.head = append(o.records[:0], o.records[o.head:]...), 0
		}
		o.records = append(o.records, r)
	}
}

// Expect takes the next record that must come out of a port; ok is false while there is none.
func (p *Predictor) Expect(port sim.Port) (r sim.Record, ok bool, err error) {
	if err := p.check(port, false, p.cycle, 0); err != nil {
		return r, false, err
	}
	if p.judge != nil {
		return r, false, fmt.Errorf("%s: order or time is the device's choice: hand over what came, it is judged",
			p.ports[port].Name)
	}
	o := &p.owed[port]
	if o.head == len(o.records) {
		return r, false, nil
	}
	r = o.records[o.head]
	o.records[o.head].Data = nil
	o.head++
	o.given++
	return r, true, nil
}

// Got judges a record that the device gave, its last beat in a cycle: "" if it was due, else what is wrong, one line.
func (p *Predictor) Got(port sim.Port, cycle uint64, user uint32, data []byte) (wrong string, err error) {
	if err := p.check(port, false, cycle, len(data)); err != nil {
		return "", err
	}
	p.cycle = cycle
	if p.judge != nil {
		return p.judged(port, cycle, user, data), nil
	}
	n := p.owed[port].given
	want, ok, _ := p.Expect(port)
	if !ok {
		p.owed[port].given++
		return p.fail("%s record %d: EXTRA: nothing is due, got %s", p.ports[port].Name, n, short(data)), nil
	}
	at := fmt.Sprintf("%s record %d, of input %d", p.ports[port].Name, n, want.Cause)
	switch {
	case !bytes.Equal(want.Data, data):
		return p.fail("%s: DATA: %s", at, difference(want.Data, data)), nil
	case want.User != user:
		return p.fail("%s: USER: want %xh, got %xh", at, want.User, user), nil
	}
	return "", nil
}

func (p *Predictor) judged(port sim.Port, cycle uint64, user uint32, data []byte) string {
	p.overdue(cycle)
	n := p.owed[port].given
	p.owed[port].given++
	if s := &p.ports[port]; s.Kind == sim.Fields && len(data) != recordBytes(s) {
		return p.fail("%s record %d: DATA: want %d bytes, got %d: %s", s.Name, n, recordBytes(s), len(data), short(data))
	}
	r := sim.Record{Start: cycle, End: cycle, Seq: n, User: user, Port: port, Data: data}
	if v := p.judge.Output(&r); !v.Allowed() {
		return p.fail("%s record %d: %s: %s", p.ports[port].Name, n, v.Rule, v.Text)
	}
	return ""
}

func (p *Predictor) overdue(cycle uint64) {
	p.judge.Overdue(cycle, func(c sim.Checked) {
		p.missed = append(p.missed, p.fail("of input %d: %s: %s", c.Input, c.Rule, c.Text))
	})
}

func (p *Predictor) fail(format string, args ...any) string {
	p.wrong++
	return fmt.Sprintf(format, args...)
}

// Wrong is how many violations were found so far.
func (p *Predictor) Wrong() uint64 { return p.wrong }

// Latest is the cycle by which everything that is owed must have come, where the stage knows; else 0.
func (p *Predictor) Latest() uint64 {
	if p.judge != nil {
		return p.judge.Latest()
	}
	return 0
}

// maxMissing is how many missing records of a port End names.
const maxMissing = 20

// End ends the run and tells what never came, a line each. Wrong counts all of it.
func (p *Predictor) End() []string {
	if p.ended {
		return nil
	}
	p.unfinished()
	if p.judge != nil {
		p.overdue(math.MaxUint64)
		p.ended = true
		return p.missed
	}
	const drainCycles = 1 << 40 // longer than any latency
	p.out = p.stage.Advance(p.cycle+drainCycles, nil, p.out[:0])
	p.owe()
	for i := range p.owed {
		left := p.owed[i].records[p.owed[i].head:]
		p.wrong += uint64(len(left))
		for n, r := range left[:min(maxMissing, len(left))] {
			p.missed = append(p.missed, fmt.Sprintf("%s record %d, of input %d: MISSING: %s", p.ports[i].Name,
				p.owed[i].given+uint64(n), r.Cause, short(r.Data)))
		}
	}
	p.ended = true
	return p.missed
}

// unfinished counts the records that began and whose last beat never came.
func (p *Predictor) unfinished() {
	for i, b := range p.beats {
		if !b.open {
			continue
		}
		n, did := p.owed[i].given, "came"
		if p.ports[i].Input {
			n, did = p.taken[i], "went in"
		}
		p.missed = append(p.missed, p.fail("%s record %d: UNFINISHED: %d bytes %s, and no last beat: %s", p.ports[i].Name, n,
			len(b.data), did, short(b.data)))
	}
}

// Beat gathers a record that goes over a port in several cycles: data has a beat's bytes in order, keep says which
// count, as a mask with byte 0 in bit 0 of keep[0]. The record is whole with last.
func (p *Predictor) Beat(port sim.Port, input bool, data []byte, keep []uint32, last bool) (record []byte, whole bool,
	err error) {
	if err := p.check(port, input, p.cycle, 0); err != nil {
		return nil, false, err
	}
	b := &p.beats[port]
	if !b.open {
		b.data = b.data[:0]
	}
	n, contiguous := kept(keep, len(data))
	if n == 0 || !contiguous || !last && n < len(data) {
		return nil, false, fmt.Errorf("%s: a beat whose kept bytes are not the first ones, or not all before the last",
			p.ports[port].Name)
	}
	if len(b.data)+n > MaxRecordBytes {
		return nil, false, fmt.Errorf("%s: a record of more than %d bytes", p.ports[port].Name, MaxRecordBytes)
	}
	b.data = append(b.data, data[:n]...)
	b.open = !last
	return b.data, last, nil
}

// kept counts the bytes that a mask of so many bits keeps; contiguous reports whether they are the first ones.
func kept(keep []uint32, bytes int) (n int, contiguous bool) {
	contiguous = true
	for i := range bytes {
		if keep[i/32]>>(i%32)&1 != 0 {
			contiguous = contiguous && n == i
			n++
		}
	}
	return n, contiguous
}

// shortBytes is up to where a record is shown whole.
const shortBytes = 64

func short(b []byte) string {
	if len(b) <= shortBytes {
		return fmt.Sprintf("%x", b)
	}
	return fmt.Sprintf("%x... (%d bytes)", b[:shortBytes], len(b))
}

// difference names the first byte in which two records differ; bit 0 of byte 0 is the first of a layout.
func difference(want, got []byte) string {
	for i := range min(len(want), len(got)) {
		if want[i] != got[i] {
			return fmt.Sprintf("byte %d: want %02x, got %02x; want %s, got %s", i, want[i], got[i], short(want), short(got))
		}
	}
	return fmt.Sprintf("want %d bytes, got %d; want %s, got %s", len(want), len(got), short(want), short(got))
}
