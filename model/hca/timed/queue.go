package timed

// never is later than any clock.
const never = ^uint64(0)

// entry is something in a queue: of a frame or an operation, and from which clock on it is offered.
type entry struct {
	at   uint64
	what *token
	last bool // the last beat of a frame; true for a record
	// commit says that a block is told of a request, not asked.
	commit bool
}

// queue is a bounded queue with a latency, in RTL a FIFO or a pipeline that never stands still with a queue behind it.
// An entry that is put in in clock c is offered in clock c + latency or one clock behind the entry before it, whichever
// is later. Entries put in and not taken are never more than depth.
//
// Example: latency 4, depth 8, nothing taken: of records put in in every clock from 0 on the eighth comes in clock 7,
// and room is false from clock 8 on.
//
// A clock reads a queue as it stood when the clock began: put and take belong to the end of the clock, and in whichever
// order they are called the queue is the same.
type queue struct {
	ring       []entry // a power of two
	head, tail uint64
	depth      uint64
	latency    uint64
	readers    partSet // which look at its head first: while it is empty they have nothing to do
}

func newQueue(latency, depth int) queue {
	size := 1
	for size < depth {
		size *= 2
	}
	return queue{ring: make([]entry, size), depth: uint64(depth), latency: uint64(latency)}
}

// room reports whether an entry can be put in.
func (q *queue) room() bool { return q.tail-q.head < q.depth }

// offers reports whether the entry at the head is offered.
func (q *queue) offers(now uint64) bool { return q.head != q.tail && q.at(q.head).at <= now }

func (q *queue) at(i uint64) *entry { return &q.ring[i&uint64(len(q.ring)-1)] }

// first is the entry at the head; there is one.
func (q *queue) first() *entry { return q.at(q.head) }

// put puts a record or beat in.
func (q *queue) put(p *Pipeline, what *token, last bool) { q.add(p, what, last, false) }

// pass puts in what another queue gave.
func (q *queue) pass(p *Pipeline, e *entry) { q.add(p, e.what, e.last, e.commit) }

func (q *queue) add(p *Pipeline, what *token, last, commit bool) {
	e := q.at(q.tail)
	e.at, e.what, e.last, e.commit = p.now+q.latency, what, last, commit
	q.tail++
	p.ready |= q.readers
}

// isTold reports whether an entry is an operation or a commit.
func (e *entry) isTold() bool { return e.commit || e.what.op != nil }

// tell puts a commit in.
func (q *queue) tell(p *Pipeline, what *token) { q.add(p, what, true, true) }

func (q *queue) take(p *Pipeline) {
	if q.head++; q.head == q.tail {
		p.ready &^= q.readers
	}
}

// arrived is how many entries have come to the end of the latency and were not taken.
func (q *queue) arrived(now uint64) uint64 {
	end := q.tail
	for end != q.head && q.at(end-1).at > now {
		end--
	}
	return end - q.head
}

// next is the first clock from now on in which the queue can offer; never for an empty one.
func (q *queue) next(now uint64) uint64 {
	if q.head == q.tail {
		return never
	}
	return max(now, q.first().at)
}

// push is a beat on its way into a store, and what becomes of the beats so far.
type push struct {
	at         uint64
	what       *token
	store      bool // the beat counts; else it is taken and forgotten
	keep, drop bool
	last       bool // the last beat that is stored of its frame
}

// store holds the beats of a frame back until its last one says whether they count. In clock c they are kept, in c + 2
// the first of them is offered. The beat that is offered stands in a register of its own. The input is closed while
// there is room for spare beats or fewer.
type store struct {
	ring             []entry
	head, kept, tail uint64
	pending          []push // a ring: beats on their way
	pHead, pTail     uint64
	depth, spare     uint64
	latency          uint64 // of the caller: until a beat arrives here
	closed           bool   // the input, in this clock
	plannedHead      uint64
	plannedPush      bool
}

func newStore(depth, spare, latency int) store {
	size, pending := 1, 1
	for size < depth {
		size *= 2
	}
	for pending < latency+2 {
		pending *= 2
	}
	return store{ring: make([]entry, size), pending: make([]push, pending), depth: uint64(depth), spare: uint64(spare),
		latency: uint64(latency)}
}

func (s *store) at(i uint64) *entry { return &s.ring[i&uint64(len(s.ring)-1)] }

func (s *store) offers(now uint64) bool { return s.head != s.kept && s.at(s.head).at <= now }

func (s *store) first() *entry { return s.at(s.head) }

func (s *store) take() { s.head++ }

// schedule puts a beat on its way. Beats arrive in the order in which they are scheduled.
func (s *store) schedule(p push) {
	s.pending[s.pTail&uint64(len(s.pending)-1)] = p
	s.pTail++
}

// moves reports whether read may: a beat is on its way here, or the input is closed.
func (s *store) moves() bool { return s.pHead != s.pTail || s.closed }

// read sees what the clock does: which beat arrives, and which beats have left the memory.
func (s *store) read(now uint64) bool {
	s.plannedPush = s.pHead != s.pTail && s.pending[s.pHead&uint64(len(s.pending)-1)].at == now
	s.plannedHead = s.head
	if s.offers(now) {
		s.plannedHead++
	}
	return s.plannedPush || s.closed != (s.tail-s.plannedHead >= s.depth-s.spare)
}

// commit lets the beat arrive. It does not touch head, which take moves.
func (s *store) commit(now uint64) {
	if s.plannedPush {
		p := &s.pending[s.pHead&uint64(len(s.pending)-1)]
		s.pHead++
		s.arrive(now, p)
	}
	s.closed = s.tail-s.plannedHead >= s.depth-s.spare
}

func (s *store) arrive(now uint64, p *push) {
	if p.store {
		*s.at(s.tail) = entry{what: p.what, last: p.last}
		s.tail++
	}
	switch {
	case p.keep:
		for i := s.kept; i != s.tail; i++ {
			s.at(i).at = now + 2
		}
		s.kept = s.tail
	case p.drop:
		s.tail = s.kept
	}
}

// next is the first clock from now on in which something happens here.
func (s *store) next(now uint64) uint64 {
	t := uint64(never)
	if s.pHead != s.pTail {
		t = max(now, s.pending[s.pHead&uint64(len(s.pending)-1)].at)
	}
	if s.head != s.kept {
		t = min(t, max(now, s.first().at))
	}
	return t
}
