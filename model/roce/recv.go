package roce

// MaxReceives is how many receive WQEs a queue holds.
const MaxReceives = 128

// Receive is a receive WQE as far as the transport cares.
type Receive struct {
	ID  uint64
	Len uint32 // bytes of its scatter list
}

// receiveQueue is a ring of posted receive WQEs. The one at the head is in use by the message being received, if any,
// and leaves the queue when that message completes.
type receiveQueue struct {
	ring        [MaxReceives]Receive
	head, count uint16
}

func (q *receiveQueue) post(w Receive) bool {
	if q.count == MaxReceives {
		return false
	}
	q.ring[(q.head+q.count)%MaxReceives] = w
	q.count++
	return true
}

func (q *receiveQueue) first() *Receive { return &q.ring[q.head] }

// pop clears what it takes, so that equal queues are equal structs.
func (q *receiveQueue) pop() Receive {
	w := q.ring[q.head]
	q.ring[q.head] = Receive{}
	q.head = (q.head + 1) % MaxReceives
	if q.count--; q.count == 0 {
		q.head = 0
	}
	return w
}
