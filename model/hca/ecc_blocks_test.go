package hca

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

var eccSettings = sim.Settings{"Ecc": 1, "NumQps": 64}

// TestECCKeyIsLost: one bit of a key's word is corrected, with two the key is not there, and can be set again (ECC-6).
func TestECCKeyIsLost(t *testing.T) {
	k := &Keys{numKeys: 64, ecc: eccOf(eccSettings, mrContextBits)}
	set := MRQuery{Op: MRSet, RKey: 0x712, PD: 7, VA: 0x1000, Length: 16, Need: 1, Base: 0x9000}
	check := MRQuery{RKey: 0x712, PD: 7, VA: 0x1008, Length: 8, Need: 1}
	require.True(t, k.run(set).OK)
	for _, bits := range []uint64{3 | 3<<16, 287 | 287<<16, 0 | 72<<16} { // one bit, or one of each of two pieces
		require.True(t, k.run(MRQuery{Op: MRInject, RKey: 0x700, VA: bits}).OK)
		for range 3 {
			require.EqualValues(t, 0x9008, k.run(check).Address)
		}
	}
	require.Equal(t, MRNoSuch, k.run(MRQuery{Op: MRInject, RKey: 0x700, VA: 288}).Why)
	require.True(t, k.run(MRQuery{Op: MRInject, RKey: 0x700, VA: 216 | 287<<16}).OK)
	require.True(t, k.run(check).OK) // writes it
	require.Equal(t, MRResult{RKey: 0x712, Why: MRNoKey}, k.run(check))
	require.Equal(t, MRNoKey, k.run(check).Why)
	require.EqualValues(t, 3|1<<16|7<<32|7<<48, k.run(MRQuery{Op: MRCounts}).Address)
	require.True(t, k.run(set).OK)
	require.True(t, k.run(check).OK)
}

// TestECCMessageStops: a QP whose open message was lost stops for every packet until it is cleared (ECC-6).
func TestECCMessageStops(t *testing.T) {
	m := &Messages{numQPs: 64, ecc: eccOf(eccSettings, msgContextBits)}
	run := func(q MsgQuery) MsgResult { return m.Step(&q) }
	first := MsgQuery{Op: MsgCommit, QPN: 5, Verb: MsgSend, First: true, Payload: 256}
	last := MsgQuery{QPN: 5, Verb: MsgSend, Last: true}
	require.True(t, run(MsgQuery{Op: MsgInject, QPN: 5, VA: 144 | 184<<16}).Found)
	require.False(t, run(MsgQuery{Op: MsgInject, QPN: 5, VA: 185 << 16}).Found)
	require.False(t, run(MsgQuery{Op: MsgInject, QPN: 64}).Found)
	require.True(t, run(first).Found) // writes the word
	for _, q := range []MsgQuery{last, first, {QPN: 5, Verb: MsgWrite, First: true}, {QPN: 5}, last} {
		r := run(q)
		require.True(t, r.Lost())
		require.Equal(t, MsgResult{QPN: 5, Op: q.Op, MsgPlace: MsgPlace{Left: 1}}, r)
	}
	counts := MsgResult{Op: MsgCounts, Found: true, MsgPlace: MsgPlace{VA: 5, Left: 1}}
	require.Equal(t, counts, run(MsgQuery{Op: MsgCounts}))
	require.True(t, run(MsgQuery{Op: MsgClear, QPN: 5}).Found)
	require.False(t, run(last).Found)
	require.True(t, run(first).Found)
	require.EqualValues(t, 256, run(last).Offset)
}

// TestECCQPIsLost: a QP of the port whose word was lost is not there; one that is not for the port is dropped for that
// (ECC-6).
func TestECCQPIsLost(t *testing.T) {
	c, packet := classifyWorld(t)
	c.ecc = eccOf(eccSettings, classifyContextBits)
	turn := ClassifyQuery{Op: ClassifyInject, DestQP: packet.DestQP}
	turn.Src[14], turn.Src[15], turn.Src[13] = 1, 273-256, 216 // both in the last piece, which begins at bit 216
	require.Equal(t, ClassDone, c.Step(&turn).Class)
	require.Equal(t, ClassRequest, c.Step(&packet).Class) // writes the word
	stray := packet
	stray.Dst[15] ^= 1
	require.Equal(t, ClassifyLost, c.Step(&packet).Why)
	require.Equal(t, ClassifyNoQP, c.Step(&packet).Why)
	require.Equal(t, ClassDone, c.Step(&turn).Class)
	require.Equal(t, ClassifyNoQP, c.Step(&packet).Why) // writes the word of a QP that is not there
	require.Equal(t, ClassifyNotAddressed, c.Step(&stray).Why)
	counts := c.Step(&ClassifyQuery{Op: ClassifyCounts})
	require.Equal(t, uint16(2<<8), counts.PKey)
	require.EqualValues(t, packet.DestQP%c.numQPs, counts.PD)
	turn.Src[15] = 274 - 256
	require.Equal(t, ClassifyNoSuch, c.Step(&turn).Why)
}

// TestECCRequesterCloses: a requester's QP whose word was lost is closed, and can be configured (ECC-6).
func TestECCRequesterCloses(t *testing.T) {
	stage := reqAckCheckSpec.New(eccSettings)
	stage.Reset()
	ask := func(r ReqRecord) ReqAnswer {
		r.QPN = 9
		return ParseReqAnswer(stage.Advance(1<<40, []sim.Record{{Data: r.Append(nil)}}, nil)[0].Data)
	}
	open := ReqRecord{Op: ReqConfigure, PSN: 100, PMTU: 3, MaxReads: 1}
	require.Equal(t, roce.ReqTaken, ask(open).Why)
	require.Equal(t, roce.ReqIllegal, ask(ReqRecord{Op: ReqMaintain, Kind: ReqInject, Count: 392}).Why)
	require.Equal(t, ReqAnswer{QPN: 9, Op: ReqMaintain}, ask(ReqRecord{Op: ReqMaintain, Kind: ReqInject, Count: 391,
		Number: 360}))
	require.Equal(t, psn.PSN(100), ask(ReqRecord{Op: ReqLook}).Una) // writes the word
	require.Equal(t, ReqAnswer{QPN: 9, Op: ReqRetry, Why: roce.ReqLost}, ask(ReqRecord{Op: ReqRetry}))
	require.Equal(t, roce.ReqNoQP, ask(ReqRecord{Op: ReqLook}).Why)
	require.Equal(t, ReqAnswer{QPN: 9, Op: ReqMaintain, Una: 1, LSN: 9}, ask(ReqRecord{Op: ReqMaintain, Kind: ReqCounts}))
	require.Equal(t, roce.ReqTaken, ask(open).Why)
}

var lostWQE = ReceiveWQE{Bytes: 1}

// turn orders an injection in a memory of rq_head: a and b are bits.
func (s *ReceiveQueues) turn(memory RQMemory, at, slot uint32, a, b uint32) bool {
	return s.run(RQQuery{Op: RQInject, QPN: at, Queue: at,
		ReceiveWQE: ReceiveWQE{Bytes: a | b<<16, WQE: slot<<2 | uint32(memory)}}).Present
}

func eccQueues() *ReceiveQueues {
	s := newReceiveQueues(eccSettings, 64, 8)
	return &s
}

// TestECCQueueIsLost: of a queue whose head was lost nothing is given and nothing stored until it is cleared; a bit is
// corrected (ECC-7).
func TestECCQueueIsLost(t *testing.T) {
	s := eccQueues()
	post := func(n uint32) bool {
		return s.run(RQQuery{Op: RQPost, Queue: 5, ReceiveWQE: ReceiveWQE{n, n}}).Present
	}
	look := RQQuery{QPN: 5, Queue: 5, Complete: true}
	take := RQQuery{Op: RQTake, QPN: 5, Queue: 5, Complete: true}
	require.True(t, post(10))
	require.True(t, post(11))
	require.True(t, s.turn(RQOfQueue, 5, 0, 11, 11))
	require.False(t, s.turn(RQOfQueue, 5, 0, 12, 0)) // 7 data bits, 4 check bits, a parity
	require.EqualValues(t, 10, s.run(look).WQE)      // writes it
	require.EqualValues(t, 10, s.run(take).WQE)      // corrected
	require.True(t, s.turn(RQOfQueue, 5, 0, 0, 11))
	require.EqualValues(t, 11, s.run(look).WQE) // writes it
	for range 2 {
		require.Equal(t, RQResult{QPN: 5, ReceiveWQE: lostWQE}, s.run(look))
		require.Equal(t, RQResult{QPN: 5, Op: RQTake, ReceiveWQE: lostWQE}, s.run(take))
		require.False(t, post(12))
	}
	counts := RQResult{Op: RQCounts, Present: true, ReceiveWQE: ReceiveWQE{Bytes: 1 | 6<<16, WQE: 5 | 5<<16}}
	require.Equal(t, counts, s.run(RQQuery{Op: RQCounts}))
	require.True(t, s.run(RQQuery{Op: RQClear, Queue: 5}).Present)
	require.False(t, s.run(look).Lost())
	require.True(t, post(13))
	require.EqualValues(t, 13, s.run(look).WQE)
}

// TestECCHeldIsLost: a QP of which is not known whether it holds a WQE, or which, stops until it releases; queues and
// other QPs go on (ECC-7).
func TestECCHeldIsLost(t *testing.T) {
	for _, memory := range []RQMemory{RQOfQP, RQOfHeld} {
		s := eccQueues()
		for n := range uint32(3) {
			s.run(RQQuery{Op: RQPost, Queue: 50, ReceiveWQE: ReceiveWQE{n, n}})
		}
		look := RQQuery{QPN: 5, Queue: 50, Shared: true}
		take, other := look, look
		take.Op, other.QPN = RQTake, 6
		require.True(t, s.turn(memory, 5, 0, 0, 3))
		require.True(t, s.run(take).Present) // binds, and writes both
		require.True(t, s.run(look).Lost())
		require.EqualValues(t, 1, s.run(other).WQE)
		release := s.run(RQQuery{Op: RQRelease, QPN: 5})
		require.True(t, release.Lost())
		require.EqualValues(t, 1, s.run(look).WQE)
	}
}

// TestECCWQEIsLost: a WQE that was lost stays at the head, and goes with a take, which says so; who binds it holds one
// that is lost (ECC-7).
func TestECCWQEIsLost(t *testing.T) {
	s := eccQueues()
	require.True(t, s.turn(RQOfSlot, 50, 1, 70, 2))
	for n := range uint32(3) {
		s.run(RQQuery{Op: RQPost, Queue: 50, ReceiveWQE: ReceiveWQE{n, n}})
	}
	look := RQQuery{QPN: 5, Queue: 50, Shared: true}
	take, last := look, look
	take.Op, last.Op, last.Complete = RQTake, RQTake, true
	require.True(t, s.run(last).Present)
	for range 2 {
		require.True(t, s.run(look).Lost())
	}
	require.True(t, s.run(take).Lost()) // binds it
	other := look
	other.QPN = 6
	require.EqualValues(t, 2, s.run(other).WQE)
	require.True(t, s.run(look).Lost())
	require.True(t, s.run(last).Lost())
	require.EqualValues(t, 2, s.run(look).WQE)
}

// TestECCKeptIsLost: of a QP whose word was lost nothing is kept or found until it is set; a slot that was lost is told
// to its duplicate, until another request is kept there (ECC-7).
func TestECCKeptIsLost(t *testing.T) {
	r := newReplays(eccSettings, 64, 4)
	run := func(q ReplayQuery) ReplayAnswer {
		q.QPN = 9
		return r.Step(&q)
	}
	set := ReplayQuery{Op: ReplaySet, PMTU: 1, Depth: 2}
	atomic := ReplayQuery{PSN: 100, Kind: ReplayAtomic, Last: 100}
	again, result := atomic, atomic
	again.Op, result.Op, result.Original = ReplayLookUp, ReplayResult, 77
	lost := ReplayAnswer{QPN: 9, Op: ReplayLookUp, Known: true}
	require.True(t, run(set).Found)
	require.False(t, run(ReplayQuery{Op: ReplayInject, VA: 247}).Found)
	require.False(t, run(ReplayQuery{Op: ReplayInject, Kind: 1, VA: 220}).Found)
	require.True(t, run(ReplayQuery{Op: ReplayInject, Kind: 1, Depth: 0, VA: 5 | 65<<16}).Found)
	require.True(t, run(atomic).Found) // writes it
	require.True(t, run(result).Lost())
	require.Equal(t, lost, run(again))
	next := atomic
	next.PSN = 101
	require.EqualValues(t, 1, run(next).Slot)
	next.PSN = 102
	require.EqualValues(t, 0, run(next).Slot) // in its place
	next.Op = ReplayLookUp
	require.True(t, run(next).Found)
	require.True(t, run(ReplayQuery{Op: ReplayInject, VA: 246 | 220<<16}).Found)
	require.True(t, run(next).Found) // writes it
	require.Equal(t, lost, run(next))
	require.True(t, run(atomic).Lost())
	require.True(t, run(ReplayQuery{Op: ReplaySet}).Lost()) // not done: no PMTU
	counts := ReplayAnswer{QPN: 9, Op: ReplayCounts, Found: true, Original: 3<<16 | 9<<48}
	require.Equal(t, counts, run(ReplayQuery{Op: ReplayCounts}))
	require.True(t, run(set).Found)
	require.True(t, run(atomic).Found)
	require.False(t, run(again).Lost())
}
