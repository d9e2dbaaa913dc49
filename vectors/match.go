package vectors

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"

	"hcacosim/model/sim"
)

// Matcher holds a device against the expected records of a set, as far as they bind it: which must come, which may,
// which stand for others, and by when. Memory grows with what is owed, not with the set.
type Matcher struct {
	set      *Set
	expected *Records
	next     *wanted // read and not yet due: its cause did not go in
	ends     map[uint64]uint64
	inputs   uint64 // records that went in
	ports    [][]wanted
	soonest  []uint64 // by port: no deadline of what is owed lies before
	got      []uint64 // by port: records that came
	wrong    uint64
	timed    bool
}

// wanted is an expected record that has not come.
type wanted struct {
	record sim.Record
	latest uint64 // cycle; 0 where it is not known
}

// Match starts to hold a device against the set. timed tells that its outputs are not stalled on purpose, so that
// deadlines can be told. The set has one input port.
func (s *Set) Match(timed bool) (*Matcher, error) {
	expected, err := s.Expected()
	if err != nil {
		return nil, err
	}
	return &Matcher{set: s, expected: expected, ends: map[uint64]uint64{}, timed: timed,
		ports: make([][]wanted, len(s.Ports)), got: make([]uint64, len(s.Ports)),
		soonest: slices.Repeat([]uint64{math.MaxUint64}, len(s.Ports))}, nil
}

// Close closes the set's files.
func (m *Matcher) Close() error { return m.expected.Close() }

// Wrong is how much was wrong so far.
func (m *Matcher) Wrong() uint64 { return m.wrong }

// Input tells that the device took its next input, the last beat in a cycle. What was due before and has not come goes
// to wrong, a line each.
func (m *Matcher) Input(cycle uint64, wrong func(string)) error {
	m.expire(cycle, wrong)
	m.ends[m.inputs] = cycle
	m.inputs++
	for {
		if m.next == nil {
			w, err := m.read()
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			m.next = w
		}
		cause := m.next.record.Cause
		if cause >= m.inputs {
			return nil
		}
		if by := m.next.latest; by != 0 {
			m.next.latest = m.ends[cause] + by
		}
		port := m.next.record.Port
		m.ports[port] = append(m.ports[port], *m.next)
		m.wait(port, m.next.latest)
		m.next = nil
		delete(m.ends, m.inputs-min(m.inputs, endsKept))
	}
}

// endsKept is how many inputs back a cause may lie: as far as the writer looks.
const endsKept = 1 << 16

// read reads an expected record; latest is still relative.
func (m *Matcher) read() (*wanted, error) {
	w := new(wanted)
	if err := m.expected.Next(&w.record); err != nil {
		return nil, err
	}
	w.record.Data = bytes.Clone(w.record.Data)
	w.latest = m.expected.By()
	return w, nil
}

// Output judges a record that the device gave, its last beat in a cycle.
func (m *Matcher) Output(port sim.Port, cycle uint64, user uint32, data []byte, wrong func(string)) {
	m.expire(cycle, wrong)
	n := m.got[port]
	m.got[port]++
	keys := map[uint32]*skipped{}
	for i := range m.ports[port] {
		w := &m.ports[port][i]
		key := m.keyOf(port, w)
		k := keys[key]
		if k == nil {
			k = &skipped{}
			keys[key] = k
		}
		if k.blocked {
			continue
		}
		if w.is(user, data) && k.covers(&w.record) {
			m.repeats(port, i)
			m.settle(port, i)
			return
		}
		k.skip(&w.record)
	}
	m.fail(wrong, "%s record %d, cycle %d: not due: user %xh, %x", m.set.Ports[port].Name, n, cycle, user, data)
}

// keyOf is what groups the records of a port; 0 where it has one order.
func (m *Matcher) keyOf(port sim.Port, w *wanted) uint32 {
	if m.set.Ports[port].Keyed {
		return w.record.Key
	}
	return 0
}

// is reports whether a record of the device has the bytes of the expected one.
func (w *wanted) is(user uint32, data []byte) bool {
	return w.record.User == user && bytes.Equal(w.record.Data, data)
}

// repeats looks for what the record at i says once more: of two ACKs with the same bytes that are due, one stands for
// both, and the second may still come. Nothing that must come lies between them.
func (m *Matcher) repeats(port sim.Port, i int) {
	list := m.ports[port]
	first, between := &list[i], &skipped{}
	if first.record.Need == sim.Must {
		return
	}
	for j := i + 1; j < len(list) && !between.blocked; j++ {
		w := &list[j]
		switch {
		case m.keyOf(port, w) != m.keyOf(port, first):
		case w.record.Need != sim.Must && w.is(first.record.User, first.record.Data) && between.covers(&w.record):
			for k := i + 1; k <= j; k++ {
				if said := &list[k]; m.keyOf(port, said) == m.keyOf(port, first) {
					said.record.Need, said.latest = sim.May, 0
				}
			}
			between = &skipped{}
		default:
			between.skip(&w.record)
		}
	}
}

// skipped is what of a key a record that comes would leave out.
type skipped struct {
	blocked bool // something that nothing else stands for
	some    bool // one of group
	group   uint32
}

// covers reports whether a record stands for all that was left out before it.
func (k *skipped) covers(r *sim.Record) bool { return !k.some || r.Group == k.group }

func (k *skipped) skip(r *sim.Record) {
	switch {
	case r.Need == sim.Must:
		k.blocked = true
	case r.Need == sim.OneOf && k.some && r.Group != k.group:
		k.blocked = true
	case r.Need == sim.OneOf:
		k.some, k.group = true, r.Group
	}
}

// settle takes the record at i off what is owed, and all of its key before it.
func (m *Matcher) settle(port sim.Port, i int) {
	list := m.ports[port]
	key, keyed := list[i].record.Key, m.set.Ports[port].Keyed
	kept := list[:0]
	for j := range list {
		if j > i || keyed && list[j].record.Key != key {
			kept = append(kept, list[j])
		}
	}
	clear(list[len(kept):])
	m.ports[port] = kept
}

// expire gives up what had to come before a cycle.
func (m *Matcher) expire(cycle uint64, wrong func(string)) {
	if !m.timed {
		return
	}
	for port, list := range m.ports {
		if m.soonest[port] >= cycle {
			continue
		}
		kept := list[:0]
		m.soonest[port] = math.MaxUint64
		for _, w := range list {
			if w.latest != 0 && w.latest < cycle {
				m.fail(wrong, "%s, of input %d: %v had to come by cycle %d, and has not: %x", m.set.Ports[port].Name,
					w.record.Cause, w.record.Need, w.latest, w.record.Data)
				continue
			}
			kept = append(kept, w)
			m.wait(sim.Port(port), w.latest)
		}
		clear(list[len(kept):])
		m.ports[port] = kept
	}
}

// wait notes a deadline of a port.
func (m *Matcher) wait(port sim.Port, latest uint64) {
	if latest != 0 {
		m.soonest[port] = min(m.soonest[port], latest)
	}
}

// End ends the run: what must have come and has not goes to wrong. complete tells that the device was given all of the
// set's input.
func (m *Matcher) End(complete bool, wrong func(string)) error {
	for port, list := range m.ports {
		for i := range list {
			if w := &list[i]; w.record.Need != sim.May {
				m.fail(wrong, "%s, of input %d: never came: %x", m.set.Ports[port].Name, w.record.Cause, w.record.Data)
			}
		}
		m.ports[port] = nil
	}
	if complete && m.inputs != m.set.StimulusRecords {
		return fmt.Errorf("%s: %d of %d inputs went in", m.set.Dir, m.inputs, m.set.StimulusRecords)
	}
	return nil
}

func (m *Matcher) fail(wrong func(string), format string, args ...any) {
	m.wrong++
	wrong(fmt.Sprintf(format, args...))
}
