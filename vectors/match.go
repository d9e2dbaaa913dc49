package vectors

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"

	"hcacosim/model/sim"
	"hcacosim/vectors/capture"
)

// Matcher holds a device against the expected records of a set, as far as they bind it: which must come, which may,
// which stand for others, and by when. Memory grows with what is owed and what never came, not with the set.
type Matcher struct {
	set      *Set
	expected *Records
	ended    bool // nothing is left to read
	inputs   []matchedInput
	order    []*wanted   // read and not yet owed, or behind one that is not: the order of the set
	ports    [][]*wanted // read and not settled, by port
	late     [][]*wanted // given up when their deadlines passed, and called wrong then; they may still come
	soonest  []uint64    // by port: no deadline of what is owed lies before
	got      []uint64    // by port: records that came
	wrong    uint64
	timed    bool
}

// matchedInput is an input of the device.
type matchedInput struct {
	went    uint64    // records that went in
	read    uint64    // of expected records that count on it all causes below were read
	waiting []*wanted // expected records whose cause did not go in
}

// wanted is an expected record that has not come.
type wanted struct {
	record  sim.Record
	owed    bool // its cause went in
	settled bool
	by      uint64 // cycles behind its cause; 0 for no deadline
	latest  uint64 // cycle; 0 where it is not known
}

// Match starts to hold a device against the set. timed tells that its outputs are not stalled on purpose, so that
// deadlines can be told.
func (s *Set) Match(timed bool) (*Matcher, error) {
	if stage, err := s.Stage(); err != nil {
		return nil, err
	} else if s.inputs() > 1 && stage.Lenient == nil {
		return nil, &capture.Error{File: s.Dir, Offset: -1, What: s.Dut + " has several inputs, and its records do not say " +
			"which of them their causes count on"}
	}
	expected, err := s.Expected()
	if err != nil {
		return nil, err
	}
	return &Matcher{set: s, expected: expected, timed: timed, inputs: make([]matchedInput, s.inputs()),
		ports: make([][]*wanted, len(s.Ports)), late: make([][]*wanted, len(s.Ports)), got: make([]uint64, len(s.Ports)),
		soonest: slices.Repeat([]uint64{math.MaxUint64}, len(s.Ports))}, nil
}

// Close closes the set's files.
func (m *Matcher) Close() error { return m.expected.Close() }

// Wrong is how much was wrong so far.
func (m *Matcher) Wrong() uint64 { return m.wrong }

// Input tells that the device took the next record of an input, its last beat in a cycle. What was due before and has
// not come goes to wrong, a line each.
func (m *Matcher) Input(port sim.Port, cycle uint64, wrong func(string)) error {
	m.expire(cycle, wrong)
	from, ok := m.set.inputOf(port)
	if !ok {
		return fmt.Errorf("%s: port %d is no input", m.set.Dir, port)
	}
	in := &m.inputs[from]
	in.went++
	if err := m.readOn(); err != nil {
		return err
	}
	for len(in.waiting) > 0 && in.waiting[0].record.Cause < in.went {
		in.waiting[0].owed = true
		in.waiting = in.waiting[1:]
	}
	m.bind(cycle)
	return nil
}

// matchAhead is how many records are read behind one that is not owed: an input may run ahead of another.
const matchAhead = 1 << 16

// readOn reads what is owed, and the first record of each input that is not.
func (m *Matcher) readOn() error {
	for !m.ended && m.behind() && len(m.order) < matchAhead {
		w := new(wanted)
		switch err := m.expected.Next(&w.record); {
		case err == io.EOF:
			m.ended = true
			return nil
		case err != nil:
			return err
		case int(w.record.From) >= len(m.inputs):
			return fmt.Errorf("%s: a record that counts on input %d", m.set.Dir, w.record.From)
		}
		w.record.Data, w.by = bytes.Clone(w.record.Data), m.expected.By()
		in := &m.inputs[w.record.From]
		in.read = max(in.read, w.record.Cause)
		if w.owed = w.record.Cause < in.went; !w.owed {
			in.waiting = append(in.waiting, w)
		}
		m.order = append(m.order, w)
		m.ports[w.record.Port] = append(m.ports[w.record.Port], w)
	}
	return nil
}

// behind reports whether what an input led to may still have to be read.
func (m *Matcher) behind() bool {
	return slices.ContainsFunc(m.inputs, func(in matchedInput) bool { return in.read < in.went })
}

// bind gives deadlines to what is owed: they count from the cycle in which the last cause went in of a record and of
// all before it.
func (m *Matcher) bind(cycle uint64) {
	for len(m.order) > 0 && m.order[0].owed {
		if w := m.order[0]; w.by != 0 && !w.settled {
			w.latest = cycle + w.by
			m.wait(w.record.Port, w.latest)
		}
		m.order = m.order[1:]
	}
}

// Output judges a record that the device gave, its last beat in a cycle.
func (m *Matcher) Output(port sim.Port, cycle uint64, user uint32, data []byte, wrong func(string)) {
	m.expire(cycle, wrong)
	n := m.got[port]
	m.got[port]++
	keys := map[uint32]*skipped{}
	for i, w := range m.ports[port] {
		if w.settled {
			continue
		}
		key := m.keyOf(port, w)
		k := keys[key]
		if k == nil {
			k = &skipped{}
			keys[key] = k
		}
		if k.blocked {
			continue
		}
		if w.owed && w.is(user, data) && k.covers(&w.record) {
			m.repeats(port, i)
			m.settle(port, i)
			return
		}
		k.skip(&w.record)
	}
	if at := slices.IndexFunc(m.late[port], func(w *wanted) bool { return w.is(user, data) }); at >= 0 {
		m.late[port] = slices.Delete(m.late[port], at, at+1)
		return
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
	first, between := list[i], &skipped{}
	if first.record.Need == sim.Must {
		return
	}
	for j := i + 1; j < len(list) && !between.blocked; j++ {
		w := list[j]
		switch {
		case w.settled || m.keyOf(port, w) != m.keyOf(port, first):
		case w.owed && w.record.Need != sim.Must && w.is(first.record.User, first.record.Data) && between.covers(&w.record):
			for k := i + 1; k <= j; k++ {
				if said := list[k]; m.keyOf(port, said) == m.keyOf(port, first) {
					said.record.Need, said.by, said.latest = sim.May, 0, 0
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
	key := m.keyOf(port, list[i])
	for _, w := range list[:i+1] {
		if m.keyOf(port, w) == key {
			w.settled = true
		}
	}
	m.trim(port)
}

// trim forgets what is settled at the head of a port.
func (m *Matcher) trim(port sim.Port) {
	list := m.ports[port]
	for len(list) > 0 && list[0].settled {
		list[0], list = nil, list[1:]
	}
	m.ports[port] = list
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
		m.soonest[port] = math.MaxUint64
		for _, w := range list {
			switch {
			case w.settled || w.latest == 0:
			case w.latest < cycle:
				w.settled = true
				m.late[port] = append(m.late[port], w)
				m.fail(wrong, "%s, of input %d: %v had to come by cycle %d, and has not: %x", m.set.Ports[port].Name,
					w.record.Cause, w.record.Need, w.latest, w.record.Data)
			default:
				m.wait(sim.Port(port), w.latest)
			}
		}
		m.trim(sim.Port(port))
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
		for _, w := range list {
			if !w.settled && w.owed && w.record.Need != sim.May {
				m.fail(wrong, "%s, of input %d: never came: %x", m.set.Ports[port].Name, w.record.Cause, w.record.Data)
			}
		}
		m.ports[port] = nil
	}
	went := uint64(0)
	for _, in := range m.inputs {
		went += in.went
	}
	if complete && went != m.set.StimulusRecords {
		return fmt.Errorf("%s: %d of %d inputs went in", m.set.Dir, went, m.set.StimulusRecords)
	}
	return nil
}

func (m *Matcher) fail(wrong func(string), format string, args ...any) {
	m.wrong++
	wrong(fmt.Sprintf(format, args...))
}
