package cocosim

import "hcacosim/model/sim"

// owed is a record that a device must give; causeEnd and causeUser are of the last input that it needs.
type owed struct {
	sim.Record
	causeEnd  uint64
	causeUser uint32
}

// queue is a first-in first-out of owed records that owns their Data. Each slot keeps its buffer, so a steady stream
// allocates nothing.
type queue struct {
	slots []owed
	head  int
	n     int
}

func (q *queue) len() int { return q.n }

// at returns the i-th record from the front.
func (q *queue) at(i int) *owed { return &q.slots[(q.head+i)%len(q.slots)] }

func (q *queue) push(r, cause *sim.Record) {
	if q.n == len(q.slots) {
		q.grow()
	}
	s := &q.slots[(q.head+q.n)%len(q.slots)]
	buf := append(s.Data[:0], r.Data...)
	*s = owed{*r, cause.End, cause.User}
	s.Data = buf
	q.n++
}

// pop drops the front record; its Data stays intact until the slot is used again.
func (q *queue) pop() {
	q.head = (q.head + 1) % len(q.slots)
	q.n--
}

func (q *queue) grow() {
	slots := make([]owed, max(16, 2*len(q.slots)))
	for i := range q.n {
		slots[i] = *q.at(i)
	}
	q.slots, q.head = slots, 0
}
