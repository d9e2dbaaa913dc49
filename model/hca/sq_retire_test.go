package hca

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// sendHost is a block of 4 QPs with what it has completed, as "wqe:status".
type sendHost struct {
	t *testing.T
	s SendQueues
}

func newSendHost(t *testing.T, depth uint64, width uint) *sendHost {
	h := &sendHost{t: t, s: NewSendQueues(4, depth, width)}
	require.Equal(t, SQNoQP, h.run(SQRecord{Op: SQLook}).Why, "closed behind reset")
	return h
}

func (h *sendHost) run(r SQRecord) SQAnswer { return h.s.Step(&r) }

// ends gives the block a record and lists its completions, WQE and status in turn.
func (h *sendHost) ends(r SQRecord) (all []uint32) {
	h.run(r)
	for _, e := range h.s.ends {
		if e.completes {
			all = append(all, e.cqe.WQE, uint32(e.cqe.Status))
		}
	}
	return all
}

func (h *sendHost) post(n uint32, flags SQFlags) SQAnswer {
	return h.run(SQRecord{Op: SQPost, SendWQE: SendWQE{WQE: n, Verb: roce.Send, Flags: flags, Length: 100 * n}})
}

func begun(slot uint8, first, last psn.PSN) SQRecord {
	return SQRecord{Op: SQBegun, Slot: slot, First: first, Last: last}
}

func acked(una psn.PSN) SQRecord { return SQRecord{Op: SQVerdict, Una: una, Progress: true} }

// TestSendQueueEnds: WQEs end in order, by una alone, those that are signaled complete (REQ-1, REQ-2, REQ-11); PSNs
// turn over between them.
func TestSendQueueEnds(t *testing.T) {
	h := newSendHost(t, 4, 24)
	require.Equal(t, SQAnswer{Op: SQClear}, h.run(SQRecord{Op: SQClear, Una: 0xFFFFFE}))
	for n := range uint32(4) {
		require.Equal(t, SQAnswer{Slot: uint8(n), Count: uint8(n + 1)}, h.post(n+1, SQFlags(n)&SQSignaled))
	}
	require.Equal(t, SQAnswer{Why: SQFull, Count: 4}, h.post(5, 0))
	require.Equal(t, SQNotTurn, h.run(begun(1, 0xFFFFFE, 0xFFFFFE)).Why)
	require.Equal(t, SQTaken, h.run(begun(0, 0xFFFFFE, 0)).Why)
	require.Equal(t, SQNotTurn, h.run(begun(0, 1, 1)).Why, "once")
	h.run(begun(1, 1, 1))
	h.run(begun(2, 2, 9))
	require.Empty(t, h.ends(acked(0)), "one packet of the first is open")
	require.Empty(t, h.ends(SQRecord{Op: SQVerdict, Una: 10}), "no progress")
	require.Equal(t, []uint32{2, 0}, h.ends(acked(2)), "1 and 2 end, 2 is signaled")
	require.Equal(t, SQAnswer{Op: SQLook, Slot: 2, Present: true, Begun: true, First: 2, Last: 9, Count: 2,
		SendWQE: SendWQE{WQE: 3, Verb: roce.Send, Length: 300}}, h.run(SQRecord{Op: SQLook, Slot: 2}))
	require.Equal(t, SQAnswer{Op: SQLook, Slot: 1, Count: 2}, h.run(SQRecord{Op: SQLook, Slot: 1}))
	require.Equal(t, SQAnswer{Slot: 0, Count: 3}, h.post(5, 0), "the ring goes round")
	require.Equal(t, SQAnswer{Op: SQVerdict, Ended: 1, Count: 2}, h.run(acked(10)))
	require.Equal(t, SQAnswer{Op: SQVerdict, Count: 2}, h.run(acked(500)), "what is not begun does not end")
}

// TestSendQueueFails: the oldest WQE has the status, those behind it are flushed, signaled or not, and so is what is
// posted until clear (RSP-15).
func TestSendQueueFails(t *testing.T) {
	h := newSendHost(t, 8, 24)
	h.run(SQRecord{Op: SQClear, Una: 10})
	for n := range uint32(4) {
		h.post(n+1, 0)
	}
	h.run(begun(0, 10, 10))
	h.run(begun(1, 11, 11))
	fail := acked(11)
	fail.Fail, fail.Status = true, roce.RemoteAccess
	require.Equal(t, []uint32{2, 2, 3, 6, 4, 6}, h.ends(fail), "1 ended with success, unsignaled")
	require.Equal(t, SQAnswer{Op: SQVerdict, Why: SQHasFailed}, h.run(fail))
	require.Equal(t, []uint32{9, 6}, h.ends(SQRecord{SendWQE: SendWQE{WQE: 9}}))
	require.Equal(t, SQAnswer{Why: SQHasFailed}, h.post(9, 0))
	require.Equal(t, SQTaken, h.run(SQRecord{Op: SQLook}).Why)
	h.run(SQRecord{Op: SQClear})
	require.Equal(t, SQAnswer{Count: 1}, h.post(1, 0))
	require.Equal(t, SQAnswer{Op: SQClear}, h.run(SQRecord{Op: SQClear}), "gone without a completion")
	require.Empty(t, h.s.ends)
	require.Equal(t, SQNoQP, h.run(SQRecord{Op: SQClear, QPN: 4}).Why)
	require.Equal(t, SQNoQP, h.run(SQRecord{Op: SQLocalDone + 1}).Why)
}

// TestSendQueueLocal: local work ends with what is before it, and what could not be done fails the QP then (REQ-11).
func TestSendQueueLocal(t *testing.T) {
	h := newSendHost(t, 8, 24)
	h.run(SQRecord{Op: SQClear, Una: 10})
	for n := range uint32(5) {
		h.post(n+1, SQSignaled)
	}
	require.Equal(t, []uint32{1, 0}, h.ends(SQRecord{Op: SQLocalDone}), "at once")
	h.run(begun(1, 10, 12))
	require.Empty(t, h.ends(SQRecord{Op: SQLocalDone, Slot: 2}))
	a := h.run(SQRecord{Op: SQLook, Slot: 2})
	require.Equal(t, []psn.PSN{13, 12}, []psn.PSN{a.First, a.Last})
	a = h.run(SQRecord{Op: SQLook, Slot: 5, Progress: true})
	require.Equal(t, []any{uint8(1), uint32(2)}, []any{a.Slot, a.WQE}, "the oldest, wherever it stands")
	require.Empty(t, h.ends(acked(12)))
	require.Equal(t, []uint32{2, 0, 3, 0}, h.ends(acked(13)))
	h.run(begun(3, 13, 13))
	require.Equal(t, SQAnswer{Op: SQLocalDone, Slot: 4, Count: 2},
		h.run(SQRecord{Op: SQLocalDone, Slot: 4, Fail: true, Status: roce.LocalError}))
	h.post(6, 0)
	require.Equal(t, SQNotTurn, h.run(begun(5, 14, 14)).Why, "nothing begins behind it")
	require.Equal(t, []uint32{4, 0, 5, 7, 6, 6}, h.ends(acked(14)))
}

// TestSendQueueShowsNoneBehindLocalWork: a look finds nothing behind local work that is not done, or that could not be
// (REQ-14).
func TestSendQueueShowsNoneBehindLocalWork(t *testing.T) {
	h := newSendHost(t, 4, 24)
	h.run(SQRecord{Op: SQClear, Una: 10})
	for n := range uint32(4) {
		h.post(n+1, 0)
	}
	shown := func() (all []bool) {
		for slot := range uint8(4) {
			all = append(all, h.run(SQRecord{Op: SQLook, Slot: slot}).Present)
		}
		return all
	}
	require.Equal(t, []bool{true, false, false, false}, shown())
	h.run(begun(0, 10, 12))
	require.Equal(t, []bool{true, true, false, false}, shown(), "1 may be local work that is under way")
	h.run(SQRecord{Op: SQLocalDone, Slot: 1})
	require.Equal(t, []bool{true, true, true, false}, shown())
	h.run(SQRecord{Op: SQLocalDone, Slot: 2, Fail: true})
	require.Equal(t, []bool{true, true, true, false}, shown(), "3 never begins")
}

// TestSendQueueNarrow: with 4 bits of PSN 18 is 2.
func TestSendQueueNarrow(t *testing.T) {
	h := newSendHost(t, 2, 4)
	h.run(SQRecord{Op: SQClear, Una: 14 + 0xABCD0})
	h.post(1, SQSignaled)
	h.run(begun(0, 14+0x10, 1+0x20))
	require.Equal(t, psn.PSN(1), h.run(SQRecord{Op: SQLook}).Last)
	require.Empty(t, h.ends(acked(1+0x50)))
	require.Equal(t, []uint32{1, 0}, h.ends(acked(2)))
}

// retirePair is a QP twice: the transport machine, which ends its WQEs itself, and sq_retire, which hears of what
// begins and the verdicts of retry_ctl.
type retirePair struct {
	retryPair
	h      *sendHost
	posted map[uint64]uint8 // slots of WQEs that were not begun
	number uint64           // of WQEs
	ended  []uint32         // by the machine: WQE and status in turn
	told   []uint32         // by the block
	fates  map[uint32]int   // completions by status
}

func (p *retirePair) open() {
	p.retryPair.open()
	p.h.run(SQRecord{Op: SQClear, Una: p.cfg.StartPSN})
	p.posted, p.stale = map[uint64]uint8{}, nil
}

// hear notes what the machine does, and tells the block what begins.
func (p *retirePair) hear(e *roce.Effect) {
	switch slot, waits := p.posted[e.ID]; {
	case e.Kind == roce.Complete:
		p.ended = append(p.ended, uint32(e.ID), uint32(e.Status))
		p.fates[uint32(e.Status)]++
	case e.Kind == roce.SendRequest && waits:
		delete(p.posted, e.ID)
		packets := (p.length(slot) + 255) / 256
		require.Equal(p.t, SQTaken, p.h.run(begun(slot, e.Packet.PSN, e.Packet.PSN.Add(int32(max(1, packets)-1)))).Why)
	}
}

func (p *retirePair) length(slot uint8) uint32 {
	return p.h.run(SQRecord{Op: SQLook, Slot: slot}).Length
}

func (p *retirePair) judge(a *RetryAnswer) {
	if a.Why != RetryNoQP {
		p.told = append(p.told, p.h.ends(SQRecord{Op: SQVerdict, Una: a.Una, Progress: a.Progress,
			Fail: a.Order == RetryFail, Status: a.Status})...)
	}
}

// same holds the completions of both against each other.
func (p *retirePair) same() {
	require.Equal(p.t, p.ended, p.told)
	p.ended, p.told = p.ended[:0], p.told[:0]
}

// post posts a WQE to both.
func (p *retirePair) post() {
	p.number++
	work := roce.Work{ID: p.number, Verb: roce.Send, Len: uint32(p.r.IntN(1500)), Signaled: p.r.IntN(2) == 0}
	switch p.r.IntN(6) {
	case 0, 1:
		work.Verb, work.Len = roce.Read, work.Len+1
	case 2:
		work.Verb = roce.LocalInvalidate
	}
	flags := SQFlags(0)
	if work.Signaled {
		flags = SQSignaled
	}
	a := p.h.run(SQRecord{SendWQE: SendWQE{WQE: uint32(work.ID), Verb: work.Verb, Flags: flags, Length: work.Len}})
	if a.Why == SQTaken {
		p.posted[work.ID] = a.Slot
		require.True(p.t, p.whole.Post(work, &p.out))
	}
}

// sends lets packets go out, and does local work whose turn it is. With nothing before it that may fail.
func (p *retirePair) sends() {
	for range 1 + p.r.IntN(6) {
		if !p.whole.Next(&p.out) {
			return
		}
		e := p.out[0]
		if e.Kind != roce.InvalidateKey {
			p.sent()
			continue
		}
		slot := p.posted[e.ID]
		alone := !p.whole.Outstanding()
		r := SQRecord{Op: SQLocalDone, Slot: slot, Fail: alone && p.r.IntN(8) == 0, Status: roce.LocalError}
		delete(p.posted, e.ID)
		p.out = p.out[:0]
		p.whole.Done(!r.Fail, &p.out)
		p.told = append(p.told, p.h.ends(r)...)
		for i := range p.out {
			p.hear(&p.out[i])
		}
		p.out = p.out[:0]
		if p.same(); r.Fail {
			p.step(RetryRecord{Op: RetryClose})
			p.check.step(&ReqRecord{Op: ReqClose})
			p.dead = true
			return
		}
	}
}

// TestSendQueueAgainstTheMachine: behind req_ack_check and retry_ctl sq_retire completes the WQEs that the requester of
// model/roce completes, in its order and with its statuses, READs and local work among them (REQ-1, REQ-2, REQ-11,
// RSP-15).
func TestSendQueueAgainstTheMachine(t *testing.T) {
	p := retirePair{h: newSendHost(t, 16, 24), fates: map[uint32]int{}, retryPair: retryPair{t: t,
		r: rand.New(rand.NewPCG(3, 4)), control: NewRetryControl(4, false), orders: map[RetryOrder]int{}}}
	p.verdict, p.effect = p.judge, p.hear
	for range 3000 {
		p.open()
		for steps := 0; steps < 80 && !p.dead; steps++ {
			switch p.r.IntN(5) {
			case 0:
				p.post()
			case 1, 2:
				p.sends()
			case 3:
				p.answers()
			default:
				if p.r.IntN(3) == 0 {
					p.expires()
				}
			}
			p.same()
		}
		if !p.dead {
			p.step(RetryRecord{Op: RetryClose})
		}
		p.out = p.out[:0]
	}
	for _, status := range []roce.Status{roce.Success, roce.RemoteAccess, roce.RetryExceeded, roce.RNRRetryExceeded,
		roce.Flushed, roce.LocalError, roce.BadResponse} {
		require.Greater(t, p.fates[uint32(status)], 3, status)
	}
}
