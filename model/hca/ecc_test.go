package hca

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

// TestECCPieces holds the layout of a code word against the tables of docs/ecc.md (ECC-1, ECC-2).
func TestECCPieces(t *testing.T) {
	m := newECCMemory(respContextBits)
	require.Equal(t, []int{72, 134}, m.ends)
	for bit, piece := range map[int]int{0: 0, 63: 0, 70: 0, 71: 0, 72: 1, 126: 1, 133: 1, 134: 2, 255: 2} {
		require.Equal(t, piece, m.piece(bit), bit)
	}
	// Widths of a known SECDED code: 8, 16, 32 and 64 data bits have 5, 6, 7 and 8 more.
	for k, all := range map[int]int{1: 4, 4: 8, 8: 13, 16: 22, 32: 39, 55: 62, 57: 64, 58: 66, 64: 72} {
		require.Equal(t, all, eccCodeBits(k), k)
	}
}

// eccQP is a QP of resp_psn_check with Ecc, ready, with PSN 100.
func eccQP(t *testing.T) (ask func(q RespQuery) RespResult) {
	stage := respPSNCheckSpec.New(sim.Settings{"Ecc": 1, "NumQps": 64})
	stage.Reset()
	ask = func(q RespQuery) RespResult {
		out := stage.Advance(1<<40, []sim.Record{{Data: q.Append(nil)}}, nil)
		require.Len(t, out, 1)
		return ParseRespResult(out[0].Data)
	}
	for _, op := range []RespOp{RespSet, RespReady} {
		require.Equal(t, roce.RespDone, ask(eccSet(op)).Verdict)
	}
	return ask
}

func eccSet(op RespOp) RespQuery {
	return RespQuery{Op: op, QPN: 7, PSN: 100, PMTU: 3, MaxReads: 1, Enabled: 7}
}

func eccSend(at uint32) RespQuery {
	return RespQuery{QPN: 7, PSN: psn.New(at), Opcode: ib.Join(ib.RC, ib.SendOnly), AckReq: true, WQEPresent: true,
		WQEBytes: 64, Payload: 8}
}

func eccTurn(a, b uint16) RespQuery { return RespQuery{Op: RespInject, QPN: 7, Payload: a | b<<8} }

// TestECCCorrects: one bit in a piece, or one in each, changes nothing, is counted once and is gone with the write of
// the record that saw it (ECC-3, ECC-4, ECC-5).
func TestECCCorrects(t *testing.T) {
	for _, bits := range [][2]uint16{{0, 0}, {71, 71}, {72, 72}, {133, 133}, {3, 130}} {
		ask := eccQP(t)
		require.Equal(t, roce.RespDone, ask(eccTurn(bits[0], bits[1])).Verdict)
		require.Equal(t, roce.RespAck, ask(eccSend(100)).Answer) // writes the word with its wrong bit
		require.Zero(t, ask(RespQuery{Op: RespCounts}).Before)
		require.Equal(t, roce.RespAck, ask(eccSend(101)).Answer) // sees it
		require.Equal(t, roce.RespAck, ask(eccSend(102)).Answer) // does not
		c := ask(RespQuery{Op: RespCounts})
		require.Equal(t, []uint32{1, 0, 7, 0}, []uint32{uint32(c.Before), uint32(c.After), uint32(c.PSN), c.MSN})
	}
}

// TestECCStops: two bits of a piece stop the QP, and it answers nothing until it is reset and set anew (ECC-3, ECC-5).
func TestECCStops(t *testing.T) {
	for _, bits := range [][2]uint16{{0, 1}, {0, 71}, {70, 71}, {72, 133}, {126, 127}} {
		ask := eccQP(t)
		ask(eccTurn(bits[0], bits[1]))
		require.Equal(t, roce.RespAck, ask(eccSend(100)).Answer)
		found := ask(eccSend(101))
		require.Equal(t, RespResult{QPN: 7, Verdict: roce.RespDropped, Why: roce.RespBadContext, ToError: true}, found)
		for _, at := range []uint32{101, 102, 100} {
			later := ask(eccSend(at))
			require.Equal(t, roce.RespDropped, later.Verdict)
			require.Equal(t, roce.RespNotReady, later.Why)
			require.Equal(t, roce.RespNoAnswer, later.Answer)
		}
		require.Equal(t, roce.RespIgnored, ask(eccSet(RespSet)).Verdict)
		for _, op := range []RespOp{RespReset, RespSet, RespReady} {
			require.Equal(t, roce.RespDone, ask(eccSet(op)).Verdict)
		}
		require.Equal(t, roce.RespAck, ask(eccSend(100)).Answer)
		c := ask(RespQuery{Op: RespCounts})
		require.Equal(t, []uint32{0, 1, 0, 7}, []uint32{uint32(c.Before), uint32(c.After), uint32(c.PSN), c.MSN})
	}
}

// TestECCInjection: an order waits for a write to its word, a second takes its place, and bits and QPs that are not
// there are refused (ECC-4).
func TestECCInjection(t *testing.T) {
	ask := eccQP(t)
	require.Equal(t, roce.RespNoSuch, ask(eccTurn(134, 0)).Why)
	require.Equal(t, roce.RespNoSuch, ask(eccTurn(0, 255)).Why)
	require.Equal(t, roce.RespNoQP, ask(RespQuery{Op: RespInject, QPN: 64}).Why)
	ask(eccTurn(0, 1))
	ask(RespQuery{Op: RespInject, QPN: 8}) // takes its place, and nobody speaks to QP 8
	for at := range uint32(3) {
		require.Equal(t, roce.RespAck, ask(eccSend(100+at)).Answer)
	}
	ask(eccTurn(0, 1))
	require.Equal(t, roce.RespDone, ask(RespQuery{Op: RespReset, QPN: 7}).Verdict) // writes it
	// What needs nothing of the word is done, and the next look-up finds the fresh one.
	require.Equal(t, RespResult{QPN: 7, Op: RespReset, Verdict: roce.RespDone}, ask(RespQuery{Op: RespReset, QPN: 7}))
	require.Equal(t, roce.RespDone, ask(eccSet(RespSet)).Verdict)
	require.EqualValues(t, 1, ask(RespQuery{Op: RespCounts}).After)
}
