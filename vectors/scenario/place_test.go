package scenario

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca"
)

// placeTruth is a second reading of docs/blocks/read_place.md: the entries of a QP, as they were sent.
type placeTruth struct {
	pmtu uint8
	sent []hca.PlaceRecord
}

// TestReadPlaceIsPossible: what read-place gives keeps the contract of docs/blocks/read_place.md: each frame has the
// length that its record says, each write is acknowledged once, however many READs a device keeps and however many QPs
// it has. And it reaches what it promises.
func TestReadPlaceIsPossible(t *testing.T) {
	s, err := Lookup("read-place")
	require.NoError(t, err)
	for _, size := range []struct{ qps, reads int }{{4, 4}, {4096, 5}, {1 << 16, 16}} {
		n := placeCounts{most: size.qps, reads: size.reads, qps: map[uint32]*placeTruth{}}
		var owed []int // lengths of the frames to come
		acks, early, errors := 0, 0, 0
		each(t, s, 1, s.Count, func(i uint64, c *Case) {
			switch c.Port {
			case placePayload:
				require.NotEmpty(t, owed, "case %d: a frame without its record", i)
				require.Len(t, c.Frame, owed[0], "case %d", i)
				owed = owed[1:]
				return
			case placeAcks:
				if acks++; acks > n.writes {
					early++
				}
				errors += int(c.Frame[1] & 1)
				return
			}
			p := hca.ParsePlaceRecord(c.Frame)
			if p.Op == hca.PlaceTold && p.Bytes > 0 {
				owed = append(owed, int(p.Bytes))
			}
			n.record(t, &p)
		})
		require.Empty(t, owed)
		require.Equal(t, n.writes, acks, "every write is answered: %+v", size)
		require.Equal(t, n.writes, int(s.Count)/placeLength*placeWrites)
		for what, c := range map[string][2]int{"early answers": {early, n.writes / 2}, "errors": {errors, 50},
			"values": {n.values, 200}, "not taken": {n.strays, 1000}, "lists that are full": {n.full, 50}, "far": {n.far, 20}} {
			require.Greater(t, c[0], c[1], what)
		}
	}
}

// placeCounts are what the records of a run do, at a device of so many QPs and READs of each.
type placeCounts struct {
	most, reads                       int
	qps                               map[uint32]*placeTruth
	writes, values, strays, full, far int
}

func (n *placeCounts) record(t *testing.T, p *hca.PlaceRecord) {
	q := n.qps[p.QPN]
	if q == nil || p.Op == hca.PlaceClear {
		q = &placeTruth{pmtu: p.PMTU}
		n.qps[p.QPN] = q
	}
	switch {
	case int(p.QPN) >= n.most:
	case p.Op == hca.PlaceSent && len(q.sent) < n.reads:
		q.sent = append(q.sent, *p)
	case p.Op == hca.PlaceSent:
		n.full++
	case p.Op == hca.PlaceTold && !p.Data:
		n.strays++
	case p.Op == hca.PlaceTold && len(q.sent) > 0:
		head := q.sent[0]
		if head.Kind == hca.PlaceRead && p.Bytes > 0 {
			n.writes++
			require.LessOrEqual(t, int(p.Bytes), 128<<q.pmtu)
			if p.PSN.Ahead(head.PSN) > 1<<20 {
				n.far++
			}
		} else if head.Kind == hca.PlaceAtomic && p.Bytes == 0 {
			n.writes++
			n.values++
		}
		if p.Ended {
			q.sent = q.sent[1:]
		}
	}
}
