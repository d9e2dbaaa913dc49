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
	turn.Src[15], turn.Src[13] = 240, 216 // both in the last piece, which begins at bit 216
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
	turn.Src[15] = 241
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
