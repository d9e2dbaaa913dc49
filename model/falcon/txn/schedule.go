package txn

import "hcacosim/model/falcon"

// Decides FAL-T10.

// Item is a packet that waits for its turn.
type Item struct {
	Kind   falcon.Kind
	RSN    uint32
	Length uint32 // bytes
}

// Scheduler gives the packets of a device their turn (FAL-T10). Queues grow as their connections' credits allow.
type Scheduler struct {
	three  bool
	queues [][3][]Item // by connection
	// Where the last turn was: the connection, and of it the queue; with three queues the queue, and of it the connection.
	conn  int
	queue []int // by connection; of three queues [0] only
	inRow [3]int
}

// NewScheduler is one for so many connections.
func NewScheduler(cfg *Config, connections int) *Scheduler {
	s := &Scheduler{three: cfg.Mode.ThreeQueues, queues: make([][3][]Item, connections), queue: make([]int, connections),
		conn: connections - 1}
	for n := range s.queue {
		s.queue[n] = 2
	}
	s.inRow = [3]int{connections - 1, connections - 1, connections - 1}
	return s
}

// queueOf is the queue of a packet.
func (s *Scheduler) queueOf(k falcon.Kind) int {
	switch {
	case k == falcon.PullData:
		return 1
	case k == falcon.PushData && s.three:
		return 2
	}
	return 0
}

// Add puts a packet behind the others of its queue.
func (s *Scheduler) Add(connection int, it Item) {
	q := &s.queues[connection][s.queueOf(it.Kind)]
	*q = append(*q, it)
}

// Next takes the packet whose turn it is. may says whether packet delivery lets the first of a queue leave.
func (s *Scheduler) Next(may func(connection int, it Item) bool) (connection int, it Item, ok bool) {
	if s.three {
		return s.nextOfThree(may)
	}
	for n := range s.queues {
		c := (s.conn + 1 + n) % len(s.queues)
		for m := range 3 {
			q := (s.queue[c] + 1 + m) % 3
			if it, ok = s.take(c, q, may); ok {
				s.conn, s.queue[c] = c, q
				return c, it, true
			}
		}
	}
	return 0, it, false
}

func (s *Scheduler) nextOfThree(may func(connection int, it Item) bool) (connection int, it Item, ok bool) {
	for m := range 3 {
		q := (s.queue[0] + 1 + m) % 3
		for n := range s.queues {
			c := (s.inRow[q] + 1 + n) % len(s.queues)
			if it, ok = s.take(c, q, may); ok {
				s.queue[0], s.inRow[q] = q, c
				return c, it, true
			}
		}
	}
	return 0, it, false
}

// take takes the first of a queue, if it may leave.
func (s *Scheduler) take(c, q int, may func(connection int, it Item) bool) (it Item, ok bool) {
	queue := s.queues[c][q]
	if len(queue) == 0 || !may(c, queue[0]) {
		return it, false
	}
	it = queue[0]
	copy(queue, queue[1:])
	s.queues[c][q] = queue[:len(queue)-1]
	return it, true
}

// Drop forgets the packets of a connection that is dead (FAL-T19).
func (s *Scheduler) Drop(connection int) { s.queues[connection] = [3][]Item{} }

// Waiting is how many packets of a connection wait.
func (s *Scheduler) Waiting(connection int) (n int) {
	for _, q := range s.queues[connection] {
		n += len(q)
	}
	return n
}

// Clone is a copy that shares nothing.
func (s *Scheduler) Clone() *Scheduler {
	c := *s
	c.queues, c.queue = append([][3][]Item(nil), s.queues...), append([]int(nil), s.queue...)
	for n := range c.queues {
		for q := range 3 {
			c.queues[n][q] = append([]Item(nil), s.queues[n][q]...)
		}
	}
	return &c
}
