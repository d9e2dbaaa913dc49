package hca

import (
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/sim"
)

// hazardRequest is a request with all that is asked about it ahead of its verdict, and whether it will be executed.
type hazardRequest struct {
	msg        MsgQuery
	rq         RQQuery
	key        uint32 // that is checked, and taken away by a SEND with invalidate
	invalidate bool
	executed   bool
}

// hazardAnswers is what the three blocks say of a request.
type hazardAnswers struct {
	msg MsgResult
	rq  RQResult
	mr  MRResult
}

// hazardBlocks are the three blocks that are asked before the verdict and changed after it.
type hazardBlocks struct {
	messages Messages
	queues   ReceiveQueues
	keys     Keys
}

const (
	hazardQPs    = 4
	hazardLength = 4000
	hazardShared = 9 // the queue that QPs 2 and 3 share
)

// newHazardBlocks has WQEs enough that none runs out, and 256 windows for each QP.
func newHazardBlocks() *hazardBlocks {
	b := &hazardBlocks{messages: Messages{numQPs: 16}, queues: ReceiveQueues{numQPs: 16, depth: hazardLength},
		keys: Keys{numKeys: hazardQPs << 8}}
	for n := range uint32(hazardLength) {
		for _, queue := range []uint32{0, 1, hazardShared} {
			b.queues.run(RQQuery{Op: RQPost, Queue: queue, ReceiveWQE: ReceiveWQE{Bytes: 4096, WQE: queue<<16 + n}})
		}
	}
	for n := range uint32(hazardQPs << 8) {
		b.keys.run(MRQuery{Op: MRSet, RKey: n << 8, Length: 1, Window: true})
	}
	return b
}

// lookUp asks all three. Of what rq_head says a request that looks for no WQE uses the credits.
func (b *hazardBlocks) lookUp(r *hazardRequest) (a hazardAnswers) {
	a.msg = b.messages.Step(&r.msg)
	if a.rq = b.queues.Step(&r.rq); !r.looks() {
		a.rq = RQResult{Credits: a.rq.Credits}
	}
	a.mr = b.keys.run(MRQuery{Op: MRCheck, RKey: r.key})
	return a
}

// looks reports whether a request looks for a receive WQE.
func (r *hazardRequest) looks() bool { return r.msg.Verb == MsgSend || r.rq.Complete }

// commit tells the blocks of a verdict.
func (b *hazardBlocks) commit(r *hazardRequest) {
	if !r.executed {
		return
	}
	msg, rq := r.msg, r.rq
	msg.Op, rq.Op = MsgCommit, RQTake
	b.messages.Step(&msg)
	if r.looks() {
		b.queues.Step(&rq)
	}
	if r.invalidate {
		b.keys.run(MRQuery{Op: MRInvalidate, RKey: r.key})
	}
}

// drawHazards draws requests of QPs of which two share a queue: messages of a packet to three, some not executed. A QP
// goes over to its next window some time behind the SEND that takes one away.
func drawHazards(seed int64) []hazardRequest {
	r := rand.New(rand.NewSource(seed))
	var open [hazardQPs]struct {
		verb MsgVerb
		left int
		key  uint32
	}
	all := make([]hazardRequest, hazardLength)
	for i := range all {
		qpn := r.Intn(hazardQPs)
		m := &open[qpn]
		first := m.left == 0
		if first {
			m.verb, m.left = MsgVerb(1+r.Intn(2)), 1+r.Intn(3)
		}
		m.left--
		last, immediate := m.left == 0, r.Intn(3) == 0
		q := &all[i]
		q.msg = MsgQuery{QPN: uint32(qpn), Verb: m.verb, First: first, Last: last, Payload: 1024, VA: uint64(r.Intn(1 << 30)),
			RKey: r.Uint32(), DMALength: 4096}
		q.rq = RQQuery{QPN: uint32(qpn), Queue: uint32(qpn), Complete: last && (m.verb == MsgSend || immediate)}
		if qpn >= 2 {
			q.rq.Queue, q.rq.Shared = hazardShared, true
		}
		q.key = uint32(qpn)<<16 | m.key<<8
		q.invalidate = m.verb == MsgSend && last && r.Intn(4) == 0
		if q.invalidate && r.Intn(2) == 0 {
			m.key = (m.key + 1) % 256
		}
		q.executed = r.Intn(10) > 0
	}
	return all
}

// request is what rx_issue is told: docs/blocks/rx_issue.md says what each flag means.
func (r *hazardRequest) request() IssueRequest {
	return IssueRequest{QPN: r.msg.QPN, Queue: r.rq.Queue, NeedsMessage: !r.msg.First,
		NeedsWQE: r.looks() || !r.rq.Shared, UsesWQE: r.looks(), Invalidates: r.invalidate}
}

// inOrder looks up and commits one request behind the other.
func inOrder(all []hazardRequest) (answers []hazardAnswers) {
	b := newHazardBlocks()
	for i := range all {
		answers = append(answers, b.lookUp(&all[i]))
		b.commit(&all[i])
	}
	return answers
}

// pipelined has a request a clock come to rx_issue, looked up when it leaves, and decided some clocks later: then it is
// committed, and the verdict accepted in that clock. change spoils what rx_issue is told.
func pipelined(all []hazardRequest, clocks uint64, change func(*IssueRequest)) (answers []hazardAnswers,
	cycles uint64) {
	b, stage := newHazardBlocks(), &rxIssue{depth: 32}
	var left []sim.Record
	decided := 0
	for c := uint64(0); decided < len(all); c++ {
		if decided < len(left) && left[decided].End+clocks == c {
			b.commit(&all[decided])
			d := IssueDone{QPN: all[decided].msg.QPN}
			in := []sim.Record{{End: c, Port: issuePortDone, Data: d.Append(nil)}}
			left = stage.Advance(c, in, left)
			decided++
		}
		for n := len(answers); n < len(left) && left[n].End == c; n++ {
			answers = append(answers, b.lookUp(&all[n]))
		}
		if c < uint64(len(all)) {
			q := all[c].request()
			change(&q)
			in := []sim.Record{{End: c, Port: issuePortRequest, Data: q.Append(nil)}}
			left = stage.Advance(c, in, left)
		}
		cycles = c
	}
	return answers, cycles
}

// TestIssueHazards: what is asked ahead of verdicts is answered as if every request were decided before the next one
// came, for any time that a verdict takes; and each flag, and the number of the queue, is needed for that.
func TestIssueHazards(t *testing.T) {
	all := drawHazards(1)
	want := inOrder(all)
	for _, clocks := range []uint64{1, 2, 5, 20, 37} {
		got, cycles := pipelined(all, clocks, func(*IssueRequest) {})
		require.Equal(t, -1, firstOther(want, got), "%d clocks", clocks)
		require.Less(t, cycles, hazardLength*(clocks+3), "%d clocks", clocks)
	}
	for name, change := range map[string]func(*IssueRequest){
		"needs_message": func(q *IssueRequest) { q.NeedsMessage = false },
		"needs_wqe":     func(q *IssueRequest) { q.NeedsWQE = false },
		"uses_wqe":      func(q *IssueRequest) { q.UsesWQE = false },
		"invalidates":   func(q *IssueRequest) { q.Invalidates = false },
		"queue":         func(q *IssueRequest) { q.Queue = q.QPN },
	} {
		got, _ := pipelined(all, 20, change)
		require.NotEqual(t, -1, firstOther(want, got), "without %s", name)
	}
}

// firstOther is the first request that is answered differently, -1 for none.
func firstOther(want, got []hazardAnswers) int {
	for i := range want {
		if i >= len(got) || want[i] != got[i] {
			return i
		}
	}
	return -1
}
