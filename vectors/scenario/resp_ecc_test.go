package scenario

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/stages"
)

// TestRespECCReaches: a run of resp-ecc turns every bit of the code word, corrects and stops more often than the
// counts hold, stops QPs by a packet and by every operation, and sees them live again. A QP that stopped never
// answers before it is set anew (ECC-3, ECC-4, ECC-5).
func TestRespECCReaches(t *testing.T) {
	s, err := Lookup("resp-ecc")
	require.NoError(t, err)
	spec, ok := stages.Lookup("resp_psn_check")
	require.True(t, ok)
	stage := spec.New(sim.Settings{"Ecc": 1, "NumQps": 64})
	stage.Reset()
	bits, stopped, stops, counts := map[int]int{}, map[uint32]bool{}, map[hca.RespOp]int{}, [2]uint32{}
	lives, corrected, before := 0, 0, uint32(0)
	each(t, s, 1, s.Count, func(_ uint64, c *Case) {
		q, a := hca.ParseRespQuery(c.Frame), hca.ParseRespResult(advance(t, stage, c, 0).Data)
		switch {
		case q.Op == hca.RespInject && a.Verdict == roce.RespDone:
			bits[int(q.Payload&0xFF)]++
			bits[int(q.Payload>>8)]++
		case q.Op == hca.RespCounts:
			corrected += int(uint8(uint32(a.Before) - before))
			before = uint32(a.Before)
			counts = [2]uint32{max(counts[0], uint32(a.Before)), max(counts[1], uint32(a.After))}
		case a.Why == roce.RespBadContext:
			stops[q.Op]++
			stopped[q.QPN] = true
			require.Equal(t, roce.RespNoAnswer, a.Answer)
		case stopped[q.QPN] && q.Op == hca.RespSet && a.Verdict == roce.RespDone:
			delete(stopped, q.QPN)
			lives++
		case stopped[q.QPN]:
			require.Equal(t, roce.RespNoAnswer, a.Answer, c.Why)
		}
	})
	require.Len(t, bits, 134)
	require.Greater(t, corrected, 1000)
	require.Greater(t, counts[0], uint32(250)) // and then from 0 again
	require.Greater(t, counts[1], uint32(250))
	require.Greater(t, lives, 200)
	require.Greater(t, stops[hca.RespPacket], 300)
	for _, op := range []hca.RespOp{hca.RespSet, hca.RespReady, hca.RespError, hca.RespFreed} {
		require.Positive(t, stops[op], op)
	}
	require.Zero(t, stops[hca.RespReset])
}
