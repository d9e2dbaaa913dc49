package hca

import "slices"

// How the scan of retx_timer lies in time: docs/blocks/retx_timer.md, "Scan".
const (
	retxSeenCycles    = 4 // after an operation was accepted until the scan reads what it did
	retxOfferedCycles = 1 // after its turn an expiry is offered
)

// retxGiven is an expiry that left in a cycle.
type retxGiven struct {
	timer retxTimerOf
	cycle uint64
}

// retxScan looks at a word of timers a clock and gives those that are due.
type retxScan struct {
	clock    retxClock
	lanes    uint64
	numWords uint64

	timers  []retxTimerOf // as the scan's memory has them
	nextDue []uint64      // by word: nothing in it is due before this cycle
	recent  []retxTimerOf // changes that the memory does not have yet, oldest first

	earliest uint64 // no timer that the memory has is due before this cycle
	look     uint64 // when to look again which is

	now  uint64        // the next clock to run
	read uint64        // when the word that is judged next was read
	word uint64        // that is judged next
	turn []retxTimerOf // due timers that wait for their turn, first first

	held    func(cycle uint64) bool // the expiry port is stalled; nil where it never is
	offered []retxGiven             // at most one: it waits for its handshake, and the scan with it
}

func newRetxScan(ops *retxOps) retxScan {
	s := retxScan{clock: ops.clock, lanes: ops.lanes, numWords: ops.numWords,
		timers: make([]retxTimerOf, ops.numWords*ops.lanes), nextDue: make([]uint64, ops.numWords),
		now: ops.numWords + 1, read: ops.numWords, earliest: never}
	for w := range s.nextDue {
		s.nextDue[w] = never
	}
	return s
}

const never = ^uint64(0)

// change tells of an operation that changed a timer, in the cycle in which it was accepted.
func (s *retxScan) change(t retxTimerOf) { s.recent = append(s.recent, t) }

// run runs through clock `to`, of which all operations are known.
func (s *retxScan) run(to uint64, give func(retxGiven)) {
	to = min(to, never-1)
	for s.now <= to {
		if s.remember(); s.skip(to) {
			continue
		}
		if !s.idle() && !s.frozen(give) {
			if s.takeTurn(give); len(s.turn) == 0 {
				s.judge()
			}
		}
		s.now++
	}
}

// idle reports whether nothing waits and the word that is judged has nothing due, and goes on to the next.
func (s *retxScan) idle() bool {
	if len(s.turn)+len(s.offered) > 0 || s.nextDue[s.word] <= s.now {
		return false
	}
	s.nextWord()
	return true
}

func (s *retxScan) nextWord() {
	s.read = s.now
	if s.word++; s.word == s.numWords {
		s.word = 0
	}
}

// frozen gives the expiry that is offered, unless the port is stalled in this clock.
func (s *retxScan) frozen(give func(retxGiven)) bool {
	if len(s.offered) == 0 {
		return false
	}
	g := s.offered[0]
	ended := s.endedBefore(g.timer, s.now)
	if s.held(s.now) && !ended {
		return true
	}
	s.offered = s.offered[:0]
	if !ended {
		give(retxGiven{g.timer, s.now})
	}
	return false
}

// skip goes over clocks in which no word has anything due and the memory gets nothing, if the next one is such.
func (s *retxScan) skip(to uint64) bool {
	if len(s.turn)+len(s.offered) > 0 {
		return false
	}
	if s.now >= s.earliest && s.now >= s.look {
		s.look = s.now + s.numWords
		s.earliest = slices.Min(s.nextDue)
	}
	next := min(s.earliest, to+1)
	if len(s.recent) > 0 {
		next = min(next, s.recent[0].accepted+retxSeenCycles)
	}
	if next <= s.now {
		return false
	}
	s.word = (s.word + next - s.now) % s.numWords
	s.now, s.read = next, next-1
	return true
}

// remember writes what operations did four clocks ago.
func (s *retxScan) remember() {
	if len(s.recent) == 0 || s.recent[0].accepted+retxSeenCycles > s.now {
		return
	}
	n := 0
	for n < len(s.recent) && s.recent[n].accepted+retxSeenCycles <= s.now {
		t := s.recent[n]
		q := uint64(t.expiry.QPN)
		s.timers[q] = t
		if t.armed {
			s.nextDue[q/s.lanes] = min(s.nextDue[q/s.lanes], t.due)
			s.earliest = min(s.earliest, t.due)
		}
		n++
	}
	s.recent = append(s.recent[:0], s.recent[n:]...)
}

// takeTurn gives the first timer that waits and that the memory still has; one that an operation has ended since
// wastes its turn.
func (s *retxScan) takeTurn(give func(retxGiven)) {
	for len(s.turn) > 0 {
		t := s.turn[0]
		s.turn = s.turn[1:]
		if s.timers[t.expiry.QPN].serial != t.serial {
			continue
		}
		if !s.endedBefore(t, s.now+1) {
			s.timers[t.expiry.QPN].armed = false
			g := retxGiven{t, s.now + retxOfferedCycles}
			if s.held == nil {
				give(g)
			} else {
				s.offered = append(s.offered, g)
			}
		}
		break
	}
	for len(s.turn) > 0 && s.timers[s.turn[0].expiry.QPN].serial != s.turn[0].serial {
		s.turn = s.turn[1:]
	}
}

// endedBefore reports whether an operation that was accepted before a cycle has changed a timer.
func (s *retxScan) endedBefore(t retxTimerOf, cycle uint64) bool {
	if s.timers[t.expiry.QPN].serial != t.serial {
		return true
	}
	for i := range s.recent {
		if s.recent[i].expiry.QPN == t.expiry.QPN && s.recent[i].accepted < cycle {
			return true
		}
	}
	return false
}

// judge lets the due timers of a word wait for their turn, RNR before transport.
func (s *retxScan) judge() {
	w, read := s.word, s.read
	s.nextWord()
	if s.nextDue[w] > s.now {
		return
	}
	s.nextDue[w] = never
	s.turn = s.turn[:0]
	for _, rnr := range []bool{true, false} {
		for q := w * s.lanes; q < (w+1)*s.lanes; q++ {
			t := s.timers[q]
			switch {
			case !t.armed || t.expiry.RNR != rnr:
			case t.due <= s.now && t.accepted+retxSeenCycles <= read:
				s.turn = append(s.turn, t)
			default:
				s.nextDue[w] = min(s.nextDue[w], t.due)
			}
		}
	}
}
