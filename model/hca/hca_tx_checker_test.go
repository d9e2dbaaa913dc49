package hca

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
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

// What any QP owes at the end is missing, the first one's and the last one's too.
func TestWhatAnyQPOwesIsMissing(t *testing.T) {
	for _, numQPs := range []uint64{32, 4096} {
		for _, qpn := range []uint32{0, 1, 30, 31, uint32(numQPs) - 2, uint32(numQPs) - 1} {
			j := newHcaTxJudge(sim.Settings{"NumQps": numQPs})
			j.note(hcaTxKey{HcaTxCompletions, qpn}, hcaTxCause{}, (&SQCQE{QPN: qpn}).Append(nil))
			j.note(hcaTxKey{HcaTxLocalWork, qpn}, hcaTxCause{}, (&HcaTxLocal{QPN: qpn}).Append(nil))
			var rules []sim.Rule
			j.Overdue(never, func(v sim.Checked) { rules = append(rules, v.Rule) })
			require.Equal(t, []sim.Rule{"MISSING", "MISSING"}, rules, "QP %d of %d", qpn, numQPs)
			require.Zero(t, j.owed())
		}
	}
}

// A frame waits for completions that do: of a memory that owes an acknowledgement at the end of a run nothing is known.
func TestFrameBehindACompletionIsNotMissing(t *testing.T) {
	for _, completes := range []bool{false, true} {
		j := newHcaTxJudge(sim.Settings{})
		j.frames.ways[3] = &FrameWay{WayBack: WayBack{Encap: wire.EncapRoCEv1}}
		j.frames.note(FrameRecord{QPN: 3, Opcode: ib.Join(ib.UC, ib.SendOnly)}, false, hcaTxCause{cycle: 10})
		if completes {
			j.note(hcaTxKey{HcaTxCompletions, 2}, hcaTxCause{cycle: 10}, (&SQCQE{QPN: 2}).Append(nil))
		}
		var rules []sim.Rule
		missing := func() []sim.Rule {
			j.Overdue(j.Latest()+1, func(v sim.Checked) { rules = append(rules, v.Rule) })
			return rules
		}
		j.writes = 1
		if completes {
			require.Empty(t, missing())
			j.Input(&sim.Record{Port: HcaTxAcks, Data: []byte{0, 0}, End: 20})
			require.Len(t, missing(), 2)
		}
		require.Contains(t, missing(), sim.Rule("MISSING"))
	}
}

// Local work waits for its turn as a packet does, and so for the pace of the packet before it: until then it is not
// missing.
func TestLocalWorkBehindAPacketWithAPaceIsNotMissing(t *testing.T) {
	j := newHcaTxJudge(sim.Settings{})
	j.frames.paces.operate(&RateQuery{Op: RateSet, QPN: 2, Pace: 60_000}, 0)
	j.frames.paces.next(&FrameRecord{QPN: 2, Bytes: 4096}, 10, 10)
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

// Operations and CNPs have ports of their own. A CNP right behind an operation may be done before it, and then cuts the
// pace that was; a packet that waits may leave when its QP is slow no more.
func TestWhatAPaceAllowsIsCertain(t *testing.T) {
	const far = 2 * hcaTxPatience
	packet := &FrameRecord{QPN: 2, Bytes: 4096 - hcaTxHeadBytes}
	set := func(pace uint16) *hcaTxPaces {
		p := &hcaTxPaces{}
		p.operate(&RateQuery{Op: RateLaw, Period: 100_000, Forget: 200_000, Cut: 128}, 0)
		p.operate(&RateQuery{Op: RateSet, QPN: 2, Pace: pace}, far)
		return p
	}
	gap := func(p *hcaTxPaces, at uint64) uint64 {
		first, _ := p.next(packet, at, at)
		second, due := p.next(packet, at, at)
		require.Equal(t, at, first)
		require.GreaterOrEqual(t, due, second)
		return second - at
	}
	require.Zero(t, gap(set(1000), far+2), "the packet may leave before the set")
	require.EqualValues(t, 1000, gap(set(1000), 2*far))

	soon, later := set(1000), set(1000)
	soon.cut(2, far+2)
	require.EqualValues(t, 1000, gap(soon, 2*far), "the CNP may have met the pace before")
	later.cut(2, 2*far)
	require.EqualValues(t, 2000, gap(later, 2*far+hcaTxCNPClocks))
	require.EqualValues(t, 1000, gap(later, 2*far+100_000), "its period is over")

	end := set(1000)
	end.cut(2, 2*far)
	require.EqualValues(t, 1010, gap(end, 2*far+100_000-10), "the first one may leave in ten clocks, and slow no more")
	soon.cut(2, 2*far)
	require.EqualValues(t, 1000, gap(soon, 3*far), "the first CNP may have been one that cuts")
}

// A new law counts for a cut of before it: a CNP within its period behind that cuts nothing, and one behind it does.
func TestALawCountsForCutsBefore(t *testing.T) {
	const at, period = 3 * hcaTxPatience, 10 * hcaTxPatience
	packet := &FrameRecord{QPN: 2, Bytes: 4096 - hcaTxHeadBytes}
	for _, c := range []struct {
		again       uint64 // the second CNP
		least, most uint64 // of the pace then
	}{
		{period / 2, 1000, 1007}, // cut by the first law alone
		{period - hcaTxCNPClocks, 1000, 1007},
		{2 * period, 2000, 2014}, // by both
	} {
		p := &hcaTxPaces{}
		p.operate(&RateQuery{Op: RateLaw, Period: 10, Forget: 4 * period, Cut: 1}, 0)
		p.operate(&RateQuery{Op: RateSet, QPN: 2, Pace: 1000}, 0)
		p.cut(2, at)
		p.operate(&RateQuery{Op: RateLaw, Period: period, Forget: 4 * period, Cut: 128}, at+hcaTxCNPClocks)
		p.cut(2, at+c.again)
		p.next(packet, at+c.again+hcaTxCNPClocks, 0)
		next, _ := p.next(packet, at+c.again+hcaTxCNPClocks, 0)
		gap := next - (at + c.again + hcaTxCNPClocks)
		require.True(t, c.least <= gap && gap <= c.most, "%d clocks, %+v", gap, c)
	}
}

// A CNP behind a set that may not be done yet cuts or not, so does a second one, however short the law's period is.
func TestASecondCNPBehindASetIsAsUnsure(t *testing.T) {
	p := &hcaTxPaces{}
	p.operate(&RateQuery{Op: RateLaw, Period: 500, Forget: 1 << 20, Cut: 128}, 0)
	const set = 3 * hcaTxPatience
	p.operate(&RateQuery{Op: RateSet, QPN: 2, Pace: 1000}, set)
	p.cut(2, set+10)
	p.cut(2, set+600)
	packet := &FrameRecord{QPN: 2, Bytes: 4096 - hcaTxHeadBytes}
	for _, at := range []uint64{set + 700, set + hcaTxPatience - 1} {
		p.qps[2].next = 0
		require.Equal(t, at, p.qps[2].leave(packet, at))
		require.Equal(t, at, p.qps[2].next, "nothing is held back by a pace that may not count")
	}
}

// A QP that CNPs may have cut is held to no time of that when its packets have left.
func TestWhatLeftIsNotWaitedFor(t *testing.T) {
	p := &hcaTxPaces{}
	p.operate(&RateQuery{Op: RateLaw, Period: 10, Forget: 20, Cut: 255}, 0)
	p.operate(&RateQuery{Op: RateSet, QPN: 2, Pace: 60_000}, 0)
	for i := range uint64(20) {
		p.cut(2, 100*i)
	}
	packet := FrameRecord{QPN: 2, Bytes: 4096 - hcaTxHeadBytes}
	var flights []*hcaTxFlight
	for range 10 {
		x := &hcaTxFlight{FrameRecord: packet}
		x.earliest, x.due = p.next(&packet, 5000, 5000)
		flights = append(flights, x)
	}
	require.EqualValues(t, 5000+10*0xFFFF, p.free(2))
	for i := range flights {
		p.left(flights[i], flights[i+1:], 6000)
	}
	require.EqualValues(t, 6000+0xFFFF, p.free(2))
}
