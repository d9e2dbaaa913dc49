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

// Local work waits for its turn as a packet does, and so for the pace of the packet before it: until then it is not
// missing.
func TestLocalWorkBehindAPacketWithAPaceIsNotMissing(t *testing.T) {
	j := newHcaTxJudge(sim.Settings{})
	j.frames.paces.operate(&RateQuery{Op: RateSet, QPN: 2, Pace: 60_000}, 0)
	j.frames.paces.next(&FrameRecord{QPN: 2, Bytes: 4096}, 10)
	j.note(hcaTxKey{HcaTxLocalWork, 2}, hcaTxCause{cycle: 10}, (&HcaTxLocal{QPN: 2}).Append(nil))
	free := j.frames.paces.free(2)
	require.Greater(t, free, uint64(60_000)) // clocks of 4096 bytes
	missing := func(cycle uint64) (n int) {
		j.Overdue(cycle, func(sim.Checked) { n++ })
		return n
	}
	require.Zero(t, missing(free+hcaTxPatience))
	require.Equal(t, 1, missing(free+hcaTxPatience+hcaTxEach+1))
}
