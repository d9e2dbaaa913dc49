package hca

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/sim"
)

// TestTxJudgeLateTurn: a frame that is longer than its queue comes whole behind the one that had no turn before it. It
// is told with the next frame that leaves, or at the end. One that came later than the other had no claim.
func TestTxJudgeLateTurn(t *testing.T) {
	frame := func(port sim.Port, start, end uint64) *sim.Record {
		return &sim.Record{Port: port, Start: start, End: end, Data: make([]byte, 8*(end-start+1)), Seq: start}
	}
	leave := func(j *txJudge, port sim.Port, start, end uint64) sim.Checked {
		r := frame(txOut, start, end)
		r.User = TxUser(port, 0)
		return j.Output(r)
	}
	play := func(first uint64) (j *txJudge) {
		j = &txJudge{beatBytes: 8, userBits: 1}
		j.Input(frame(2, 1, 4))
		require.Empty(t, leave(j, 2, 3, 6).Rule)
		j.Input(frame(0, first, first+9))
		return j
	}
	j := play(1)
	require.Equal(t, sim.Rule("TURN"), leave(j, 0, 7, 16).Rule)
	require.Empty(t, j.late)

	var given []string
	note := func(v sim.Checked) { given = append(given, string(v.Rule)) }
	j = play(1)
	j.Overdue(20, note)
	j.Overdue(21, note)
	require.Equal(t, []string{"TURN"}, given)

	j = play(2)
	require.Empty(t, leave(j, 0, 7, 16).Rule)
}

// TestTxJudgeTies: of two frames that begin to come in one cycle that leaves first whose input is first in the order
// behind the last one; behind reset in the order from input 0.
func TestTxJudgeTies(t *testing.T) {
	for last := -1; last < TxInputs; last++ { // the input of the frame that left before; -1: none
		for a := range TxInputs {
			for b := range TxInputs {
				if a == b {
					continue
				}
				j := &txJudge{beatBytes: 8, userBits: 1}
				from := uint64(1)
				leave := func(port int) sim.Rule {
					v := j.Output(&sim.Record{Port: txOut, Start: from + 2, End: from + 2, Data: make([]byte, 8),
						User: TxUser(sim.Port(port), 0)})
					return v.Rule
				}
				if last >= 0 {
					j.Input(&sim.Record{Port: sim.Port(last), Start: 1, End: 1, Data: make([]byte, 8)})
					require.Empty(t, leave(last))
					from = 10
				}
				for _, port := range []int{a, b} {
					j.Input(&sim.Record{Port: sim.Port(port), Start: from, End: from, Data: make([]byte, 8)})
				}
				wrong := (b-last-1+TxInputs)%TxInputs < (a-last-1+TxInputs)%TxInputs
				require.Equal(t, wrong, leave(a) == "TURN", "%d behind %d, %d waits", a, last, b)
			}
		}
	}
}

// TestTxJudgeSideband: each bit of a sideband counts, also of one that is wider than any size of ours has.
func TestTxJudgeSideband(t *testing.T) {
	const userBits = 16
	for bit := range userBits + 2 {
		for _, wrong := range []uint32{0, 1 << bit} {
			j := &txJudge{beatBytes: 8, userBits: userBits}
			in := &sim.Record{Port: 2, Start: 1, End: 1, Data: make([]byte, 8), User: 0x155}
			j.Input(in)
			out := &sim.Record{Port: txOut, Start: 3, End: 3, Data: in.Data, User: txUser(2, in.User, userBits) ^ wrong}
			require.Equal(t, wrong != 0, j.Output(out).Rule != "", "bit %d", bit)
		}
	}
}
