package hca

import (
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// SendQueues is what sq_retire knows.
type SendQueues struct {
	numQPs, depth uint64
	width         uint // bits of a PSN
	qps           byIndex[sendQueue]
	ends          []sendEnd // of the last record
}

// NewSendQueues is a block of so many QPs with so many WQEs each behind its reset; width is the bits of a PSN.
func NewSendQueues(numQPs, depth uint64, width uint) SendQueues {
	return SendQueues{numQPs: numQPs, depth: depth, width: width}
}

// sendQueue is a QP that was cleared.
type sendQueue struct {
	failed bool
	una    psn.PSN
	oldest uint64      // WQEs that have ended before the oldest one that is left
	left   []postedWQE // the oldest first
}

// postedWQE is a WQE that has not ended.
type postedWQE struct {
	SendWQE
	begun   bool // or local and done
	first   psn.PSN
	behind  psn.PSN // one behind its last
	failed  bool    // local and could not be done
	because roce.Status
}

// acked reports whether a una acknowledges the WQE, by distance from the una before (REQ-1, PSN-7).
func (w *postedWQE) acked(before, una psn.PSN) bool {
	_, ok := w.behind.Among(before, una)
	return ok
}

// endsBefore reports whether a PSN is the one behind a WQE that was begun.
func (q *sendQueue) endsBefore(at psn.PSN) bool {
	for i := range q.left {
		if q.left[i].begun && q.left[i].behind == at {
			return true
		}
	}
	return false
}

// sendEnd is a WQE that ended.
type sendEnd struct {
	cqe       SQCQE
	completes bool
}

// in is a PSN of the port as it is kept: the width's bits on top, so that the arithmetic of 24 bits is that of these.
func (s *SendQueues) in(p psn.PSN) psn.PSN { return psn.New(uint32(p) * s.unit()) }

// out is a PSN as the port has it.
func (s *SendQueues) out(p psn.PSN) psn.PSN { return psn.New(uint32(p) / s.unit()) }

// unit is the distance of two PSNs that are kept and follow each other.
func (s *SendQueues) unit() uint32 { return uint32(roce.WidthOf(int(s.width))) }

// Step makes one record of one. What it ends stands in s.ends until the next.
func (s *SendQueues) Step(r *SQRecord) (a SQAnswer) {
	a.QPN, a.Op = r.QPN, r.Op
	s.ends = s.ends[:0]
	if r.Op == SQClear && uint64(r.QPN) < s.numQPs {
		s.clear(r)
		return a
	}
	q := s.qps.get(r.QPN)
	if q == nil || r.Op > SQLocalDone {
		a.Why = SQNoQP
		return a
	}
	switch {
	case r.Op == SQLook:
		s.look(q, r, &a)
	case q.failed:
		a.Why = SQHasFailed
		if r.Op == SQPost {
			s.end(&a, &r.SendWQE, roce.Flushed)
		}
		a.Ended = 0
	case r.Op == SQPost:
		s.post(q, r, &a)
	case r.Op == SQVerdict:
		s.judge(q, r, &a)
	default:
		s.begin(q, r, &a)
	}
	a.Count = uint8(len(q.left))
	return a
}

func (s *SendQueues) clear(r *SQRecord) {
	q := s.qps.get(r.QPN)
	if q == nil {
		s.qps.set(r.QPN, sendQueue{left: make([]postedWQE, 0, s.depth)})
		q = s.qps.get(r.QPN)
	}
	*q = sendQueue{una: s.in(r.Una), left: q.left[:0]}
}

func (s *SendQueues) post(q *sendQueue, r *SQRecord, a *SQAnswer) {
	if uint64(len(q.left)) == s.depth {
		a.Why = SQFull
		return
	}
	a.Slot = uint8((q.oldest + uint64(len(q.left))) % s.depth)
	q.left = append(q.left, postedWQE{SendWQE: r.SendWQE})
}

// at is the place of a slot among what is left, the oldest 0; it may lie behind the newest.
func (s *SendQueues) at(q *sendQueue, slot uint8) int {
	return int((uint64(slot) + s.depth - q.oldest%s.depth) % s.depth)
}

func (s *SendQueues) look(q *sendQueue, r *SQRecord, a *SQAnswer) {
	a.Slot = uint8(uint64(r.Slot) % s.depth)
	if r.Progress { // the oldest, wherever it stands
		a.Slot = uint8(q.oldest % s.depth)
	}
	i := s.at(q, a.Slot)
	if i >= len(q.left) || !q.left[i].begun && !q.turn(i) {
		return
	}
	w := &q.left[i]
	a.Present, a.Begun, a.SendWQE = true, w.begun, w.SendWQE
	if w.begun {
		a.First, a.Last = s.out(w.first), s.out(w.behind.Add(-int32(s.unit())))
	}
}

// turn reports whether everything before a WQE was begun, and done if it is local (REQ-14).
func (q *sendQueue) turn(i int) bool { return i == 0 || q.left[i-1].begun && !q.left[i-1].failed }

// begin gives a WQE its PSNs, or local work, which has none, its place among them.
func (s *SendQueues) begin(q *sendQueue, r *SQRecord, a *SQAnswer) {
	a.Slot = uint8(uint64(r.Slot) % s.depth)
	i := s.at(q, a.Slot)
	if i >= len(q.left) || q.left[i].begun || !q.turn(i) {
		a.Why = SQNotTurn
		return
	}
	w := &q.left[i]
	w.begun, w.first, w.behind = true, s.in(r.First), s.in(r.Last.Add(1))
	if r.Op == SQBegun {
		return
	}
	w.first = q.una
	if i > 0 {
		w.first = q.left[i-1].behind
	}
	w.behind, w.failed, w.because = w.first, r.Fail, r.Status
	if i == 0 {
		s.endLocal(q, a)
	}
}

// endLocal ends local work that is the oldest WQE.
func (s *SendQueues) endLocal(q *sendQueue, a *SQAnswer) {
	if q.left[0].failed {
		s.fail(q, q.left[0].because, a)
		return
	}
	s.endOldest(q, a, roce.Success)
}

// judge takes a verdict: what una acknowledges ends (REQ-1, REQ-2), and with fail everything.
func (s *SendQueues) judge(q *sendQueue, r *SQRecord, a *SQAnswer) {
	if r.Progress {
		before := q.una
		q.una = s.in(r.Una)
		for len(q.left) > 0 && q.left[0].begun && q.left[0].acked(before, q.una) {
			if q.left[0].failed {
				s.fail(q, q.left[0].because, a)
				return
			}
			s.endOldest(q, a, roce.Success)
		}
	}
	if r.Fail {
		s.fail(q, r.Status, a)
	}
}

// fail ends the oldest WQE with status and flushes the others.
func (s *SendQueues) fail(q *sendQueue, status roce.Status, a *SQAnswer) {
	for i := range q.left {
		s.end(a, &q.left[i].SendWQE, status)
		s.ends[len(s.ends)-1].completes = true
		status = roce.Flushed
	}
	q.left, q.failed, a.Failed = q.left[:0], true, true
}

func (s *SendQueues) endOldest(q *sendQueue, a *SQAnswer, status roce.Status) {
	s.end(a, &q.left[0].SendWQE, status)
	q.left = q.left[:copy(q.left, q.left[1:])]
	q.oldest++
}

// end ends a WQE. It completes if it was asked to or if it failed (REQ-11).
func (s *SendQueues) end(a *SQAnswer, w *SendWQE, status roce.Status) {
	a.Ended++
	s.ends = append(s.ends, sendEnd{completes: w.Flags&SQSignaled != 0 || status != roce.Success,
		cqe: SQCQE{QPN: a.QPN, WQE: w.WQE, Status: status, Verb: w.Verb, Length: w.Length}})
}
