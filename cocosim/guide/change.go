package guide

import (
	"bytes"
	"slices"
)

// aim is what a change is for: an open bin's group, and the field that was changed.
type aim struct {
	group int
	field int // of the drawer's, or one of the other ways
}

// change is a copy of a segment with a field changed of the step that met a neighbour of an open bin, or of one before
// it. What comes behind that step is left out, unless it is needed to leave the device tidy. other is a record that
// met a bin which has something else in common with the open one.
func (d *drawer) change(s *Segment, at, group int, other *Step, whole bool) (*Segment, aim) {
	c := &Segment{Scenario: s.Scenario, Seed: s.Seed, From: s.From, Changed: true}
	c.Steps = slices.Clone(s.Steps)
	at = min(at, len(s.Steps)-1)
	if !whole {
		c.Steps = c.Steps[:at+1]
	}
	of := aim{group: group}
	for n := 1 + d.rand.Below(2); n > 0; n-- {
		i := d.near(at)
		if of.field = d.field(group, &c.Steps[i]); of.field < 0 {
			c.Steps = d.reorder(c.Steps, i, other, of.field)
			continue
		}
		c.Steps[i].Data = bytes.Clone(c.Steps[i].Data)
		from := other
		if from == nil || from.Port != c.Steps[i].Port || d.rand.OneIn(4) {
			from = &s.Steps[d.rand.Below(len(s.Steps))]
		}
		d.changeField(&c.Steps[i], from, d.fields[of.field])
	}
	return c, of
}

// combine is a copy of a segment with something of a lent record: the whole record, one that speaks of what the records
// beside it speak of, or a field.
func (d *drawer) combine(s *Segment, lent *Step, group int) *Segment {
	i := d.rand.Below(len(s.Steps))
	if d.rand.OneIn(2) {
		c, _ := d.change(s, i, group, lent, true)
		return c
	}
	c := &Segment{Scenario: s.Scenario, Seed: s.Seed, From: s.From, Changed: true, Steps: slices.Clone(s.Steps)}
	more := *lent
	more.Data, more.NotBefore = bytes.Clone(lent.Data), c.Steps[i].NotBefore
	if to, from := d.key(&more), d.key(&c.Steps[i]); to != nil && from != nil && !d.rand.OneIn(4) {
		key := bitsOf(c.Steps[i].Data, from.Low, from.High)
		for k := to.Low; k <= to.High; k++ {
			put(more.Data, k, int(key>>(k-to.Low)&1))
		}
	}
	if d.rand.OneIn(3) {
		c.Steps[i] = more
	} else {
		c.Steps = slices.Insert(c.Steps, i+d.rand.Below(2), more)
	}
	return c
}

// keys are names of fields that say what the state that a record meets is kept by.
var keys = []string{"qpn", "conn", "rkey"}

// key is that field of a record, nil where it has none.
func (d *drawer) key(s *Step) *field {
	for k := range d.fields {
		if f := &d.fields[k]; f.port == s.Port && slices.Contains(keys, f.Name) {
			return f
		}
	}
	return nil
}

// near is a place at a step or before it, most often shortly before.
func (d *drawer) near(at int) int {
	if d.rand.OneIn(8) {
		return d.rand.Below(at + 1)
	}
	return max(0, at-d.rand.Below(2)*d.rand.Below(4))
}

// What a change changes where it is no field of a record.
const (
	thePlace    = -1 - iota // of the record against what the device holds, or when it comes
	aPause                  // before it
	anExchange              // with another record
	aRecordMore             // the same once more, or a lent one
	ways        = iota
)

// longestPause bounds, as a power of two, for how long a change holds records back.
const longestPause = 8

// reorder changes which records come, and when.
func (d *drawer) reorder(steps []Step, i int, other *Step, way int) []Step {
	r := &d.rand
	switch way {
	case thePlace:
		d.displace(&steps[i])
	case aPause:
		wait := uint64(1) << r.Below(longestPause+1)
		for k := i; k < len(steps); k++ {
			steps[k].NotBefore = max(uint64(k), steps[k].NotBefore) + wait
		}
	case anExchange:
		k := r.Below(len(steps))
		steps[i], steps[k] = steps[k], steps[i]
		steps[i].NotBefore, steps[k].NotBefore = steps[k].NotBefore, steps[i].NotBefore
	case aRecordMore:
		more := steps[i]
		if other != nil && r.OneIn(2) {
			more = *other
			more.NotBefore = steps[i].NotBefore
		}
		steps = slices.Insert(steps, i, more)
	}
	return steps
}

// changeField changes a field of a record: by a bit, by a power of two, to its ends, to another record's, to anything.
func (d *drawer) changeField(s, other *Step, f field) {
	r := &d.rand
	width := f.High - f.Low + 1
	switch kind := r.Below(6); kind {
	case 5:
		add(s.Data, f.Low, f.High, r.Below(width), r.OneIn(2))
	case 0:
		flip(s.Data, f.Low+r.Below(width))
	case 1, 2, 3:
		for i := range width {
			put(s.Data, f.Low+i, [...]int{1: 0, 2: 1, 3: r.Below(2)}[kind])
		}
	case 4:
		if other.Port == s.Port {
			copyBits(s.Data, other.Data, f.Low, f.High)
		}
	}
}

// displace changes the place of a record, or when it comes.
func (d *drawer) displace(s *Step) {
	r := &d.rand
	switch {
	case s.NotBefore > 0 && (s.place.kind == 0 || r.OneIn(2)):
		s.NotBefore = uint64(max(1, int64(s.NotBefore)+int64(r.Between(-8, 8))))
	case s.place.kind != 0:
		s.place.diff = [...]int32{0, 1, -1, s.place.diff + 1, s.place.diff - 1, -s.place.diff, 1 << r.Below(24),
			-(1 << r.Below(24))}[r.Below(8)]
	}
}

// field draws a field of a step to change for a bin of a group, or another way of changing it, which is negative: one
// that has brought bins of the group more often.
func (d *drawer) field(group int, s *Step) int {
	w := d.weights(group)
	total := 0
	for k := range w {
		if d.belongs(k-ways, s) {
			total += w[k]
		}
	}
	at := d.rand.Below(total)
	for k := range w {
		if !d.belongs(k-ways, s) {
			continue
		}
		if at -= w[k]; at < 0 {
			return k - ways
		}
	}
	return aPause
}

// belongs reports whether a step has a field, or what else is changed.
func (d *drawer) belongs(field int, s *Step) bool {
	switch {
	case field == thePlace:
		return s.place.kind != 0 || s.NotBefore > 0
	case field < 0:
		return true
	}
	return d.fields[field].port == s.Port
}

// weights are of a group's other ways, then of its fields.
func (d *drawer) weights(group int) []int {
	if d.worth[group] == nil {
		d.worth[group] = make([]int, ways+len(d.fields))
		for k := range d.worth[group] {
			d.worth[group][k] = 4
		}
		for _, k := range []int{aPause, anExchange, aRecordMore} {
			d.worth[group][ways+k] = 1
		}
	}
	return d.worth[group]
}

// mostWorth bounds how much more often a field is changed than others.
const mostWorth = 256

// credit notes whether a change brought something.
func (d *drawer) credit(of aim, kept bool) {
	if w := d.weights(of.group); kept {
		w[ways+of.field] = min(mostWorth, w[ways+of.field]+16)
	}
}

func flip(b []byte, bit int) { b[bit/8] ^= 1 << (bit % 8) }

func put(b []byte, bit, v int) { b[bit/8] = b[bit/8]&^(1<<(bit%8)) | byte(v)<<(bit%8) }

// add adds a power of two to a field, or takes it away, modulo the field's width.
func add(b []byte, low, high, power int, minus bool) {
	for i := low + power; i <= high; i++ {
		old := b[i/8] >> (i % 8) & 1
		flip(b, i)
		if (old == 0) != minus { // no carry, no borrow
			return
		}
	}
}

func copyBits(to, from []byte, low, high int) {
	for i := low; i <= high && i/8 < min(len(from), len(to)); i++ {
		put(to, i, int(from[i/8]>>(i%8)&1))
	}
}

// bitsOf is a field of up to 64 bits.
func bitsOf(b []byte, low, high int) (v uint64) {
	for i := high; i >= low && i/8 < len(b); i-- {
		v = v<<1 | uint64(b[i/8]>>(i%8)&1)
	}
	return v
}
