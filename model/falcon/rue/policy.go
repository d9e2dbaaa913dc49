package rue

import "hcacosim/model/falcon/mode"

// Decides FAL-C4, FAL-C5.

// MaxAcked is where the count of acknowledged packets of an event saturates.
const MaxAcked = 1023

// mask24 is what times are modulo of.
const mask24 = 1<<24 - 1

// QueueConfig are the thresholds of an event queue, in entries, and those of the predicates (FAL-C4).
type QueueConfig struct {
	T1, T2, T3, Size int
	MinTime          uint32 // P1: time since the connection's last event, 131.072 ns; the peer has 1024
	MinAcked         uint16 // P2: packets acknowledged since; the peer has 512
}

// Queue is the occupancy of an event queue. The entries are the caller's.
type Queue struct {
	Config    QueueConfig
	Mode      *mode.Mode
	Occupancy int
}

// Conn is what the policy keeps for a connection.
type Conn struct {
	Last        uint32 // when its last event was put into the queue
	Acked       uint16 // packets acknowledged since, those of events left out too; saturates
	Outstanding int    // events in the queue or the engine
	started     bool
}

// Offer counts acked packets for the connection and reports whether its event at time now goes into the queue. If it
// does, numAcked is what the event says, and the queue holds one more.
func (q *Queue) Offer(c *Conn, now uint32, acked int) (numAcked uint16, ok bool) {
	c.Acked = uint16(min(int(c.Acked)+acked, MaxAcked))
	if !q.takes(c, now) {
		return 0, false
	}
	numAcked = c.Acked
	c.Acked, c.Last, c.started = 0, now&mask24, true
	c.Outstanding++
	q.Occupancy++
	return numAcked, true
}

// Taken tells that the engine took an event out of the queue.
func (q *Queue) Taken() { q.Occupancy-- }

// Done tells that the result of one of the connection's events came back.
func (c *Conn) Done() { c.Outstanding-- }

// takes: FAL-C4, FAL-C5. A connection that never had an event has waited long enough.
func (q *Queue) takes(c *Conn, now uint32) bool {
	f := &q.Config
	if q.Mode.OneOutstandingEvent && c.Outstanding > 0 {
		return false
	}
	p1 := !c.started || (now-c.Last)&mask24 >= f.MinTime
	p2 := c.Acked >= f.MinAcked
	switch n := q.Occupancy; {
	case n >= f.Size:
		return false
	case n >= f.T3:
		return p1 && p2
	case n >= f.T2:
		return p1
	case n >= f.T1:
		return p1 || p2
	}
	return true
}
