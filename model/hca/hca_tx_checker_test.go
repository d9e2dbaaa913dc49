package hca

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/sim"
)

// A completion waits for every write that was told before its verdict, those of other QPs too (DMA-1): while memory
// owes an acknowledgement, as where a run ends between two steps, none is missing.
func TestCompletionBehindAWriteIsNotMissing(t *testing.T) {
	j := newHcaTxJudge(sim.Settings{})
	j.note(hcaTxKey{HcaTxCompletions, 2}, hcaTxCause{cycle: 10}, (&SQCQE{QPN: 2}).Append(nil))
	missing := func() (n int) {
		j.Overdue(j.Latest()+1, func(sim.Checked) { n++ })
		return n
	}
	j.writes = 1
	require.Zero(t, missing())
	j.Input(&sim.Record{Port: HcaTxAcks, Data: []byte{0, 0}, End: 20})
	require.Equal(t, 1, missing())
}
