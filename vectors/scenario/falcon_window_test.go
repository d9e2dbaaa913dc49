package scenario

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/falcon/stage"
	"hcacosim/model/stages"
)

// reachWindow counts what a run of falcon-window leads to.
func reachWindow(t *testing.T, seed uint64) bins {
	s, err := Lookup("falcon-window")
	require.NoError(t, err)
	spec, ok := stages.Lookup("falcon_window")
	require.True(t, ok)
	model := spec.New(nil)
	b := bins{}
	last := uint32(0)
	each(t, s, seed, s.Count, func(_ uint64, c *Case) {
		out := stage.ParseWindowResult(advance(t, model, c, 0).Data)
		in := stage.ParseWindowQuery(c.Frame)
		b.add("op %d why %d", in.Op, out.Why)
		b.addWindow(&in, &out)
		if last == in.Conn {
			b.add("same connection again")
		}
		last = in.Conn
	})
	return b
}

// addWindow counts what came of a record that was done.
func (b bins) addWindow(in *stage.WindowQuery, out *stage.WindowResult) {
	if out.Why != stage.WindowGood {
		return
	}
	if out.DataBase < stage128 && out.DataMoved > uint8(out.DataBase) {
		b.add("op %d the data base wraps", in.Op)
	}
	switch in.Op {
	case stage.WindowPacket, stage.WindowAcknowledge:
		b.add("op %d window %d moves %d", in.Op, in.Select, min(out.DataMoved|out.RequestMoved, 3))
	case stage.WindowTake:
		b.add("take EACK %v OWN %v %v", out.EACK, out.RequestOWN, out.DataOWN)
	case stage.WindowBACK, stage.WindowEACK:
		b.add("op %d frees requests %v data %v", in.Op, out.MoreRequest != 0, out.MoreData.Any())
		b.add("op %d missing requests %v by OWN %v", in.Op, out.RequestBits != 0, in.RequestOWN && in.Op == stage.WindowEACK)
		b.add("op %d missing data %v by OWN %v", in.Op, out.DataBits.Any(), in.DataOWN && in.Op == stage.WindowEACK)
	}
	b.add("op %d idle %v", in.Op, out.Idle)
}

const stage128 = 128

// Every operation, every why that it can have, both kinds of ACK with every OWN, both kinds of missing packets, the
// wrap. FAL-D1 to FAL-D5, FAL-D7, FAL-D15 to FAL-D17.
func TestFalconWindowReaches(t *testing.T) {
	b := reachWindow(t, 1)
	whys := map[stage.WindowOp][]int{stage.WindowPacket: {0, 1, 2, 3, 4, 5, 12}, stage.WindowAcknowledge: {0, 5, 6},
		stage.WindowTake: {0, 5}, stage.WindowSend: {0, 5, 7}, stage.WindowBACK: {0, 5, 8, 9}, stage.WindowEACK: {0, 5, 8, 9},
		stage.WindowSet: {0, 5, 10, 11}, stage.WindowReset: {0, 5}}
	for op, list := range whys {
		for _, why := range list {
			require.Positive(t, b[fmt.Sprintf("op %d why %d", op, why)], "op %d why %d", op, why)
		}
	}
	for _, name := range []string{"take EACK false OWN false false", "take EACK true OWN false false",
		"take EACK true OWN true false",
		"take EACK true OWN false true", "take EACK true OWN true true", "op 5 missing data true by OWN true",
		"op 5 missing data true by OWN false", "op 5 missing requests true by OWN true",
		"op 5 missing requests true by OWN false",
		"op 5 frees requests true data true", "op 4 frees requests true data true", "op 0 the data base wraps",
		"op 1 the data base wraps",
		"op 4 the data base wraps", "op 0 window 0 moves 3", "op 0 window 1 moves 3", "op 1 window 1 moves 3",
		"op 0 idle true", "op 0 idle false",
		"op 4 idle true", "op 4 idle false", "same connection again"} {
		require.Positive(t, b[name], name)
	}
}
