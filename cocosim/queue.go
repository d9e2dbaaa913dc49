package cocosim

import "hcacosim/model/sim"

// owed is a record that a device must give.
type owed struct {
	sim.Record
	cause sim.Record // the last input that it needs; without its bytes, unless it is a record of fields
	ideal uint64     // when a block that loses no cycle gives it
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

func (q *queue) push(r, cause *sim.Record, withCause bool, ideal uint64) {
	if q.n == len(q.slots) {
		q.grow()
	}
	s := &q.slots[(q.head+q.n)%len(q.slots)]
	buf, causeBuf := append(s.Data[:0], r.Data...), s.cause.Data[:0]
	if withCause {
		causeBuf = append(causeBuf, cause.Data...)
	}
	*s = owed{*r, *cause, ideal}
	s.Data, s.cause.Data = buf, causeBuf
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
