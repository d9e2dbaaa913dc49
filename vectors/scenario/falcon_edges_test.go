package scenario

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/falcon/stage"
	"hcacosim/model/sim"
)

// TestFalconEdgesReaches: every reason of every operation, EACKs with and without OWN, full windows, bases that move
// over a whole window and over the turn of the PSNs, missing packets by distance and by OWN.
func TestFalconEdgesReaches(t *testing.T) {
	s, err := Lookup("falcon-window-edges")
	require.NoError(t, err)
	spec, _ := stage.Lookup("falcon_window")
	model := spec.New(nil)
	seen := map[string]int{}
	each(t, s, 4, s.Count, func(_ uint64, c *Case) {
		q := stage.ParseWindowQuery(c.Frame)
		r := stage.ParseWindowResult(model.Advance(0, []sim.Record{{Data: c.Frame}}, nil)[0].Data)
		seen[fmt.Sprintf("op %d why %d", q.Op, r.Why)]++
		note := func(on bool, what string) {
			if on {
				seen[what]++
			}
		}
		note(r.DataMoved == 128, "the whole data window moves")
		note(r.RequestMoved == 64, "the whole request window moves")
		note(r.DataMoved > 0 && uint32(r.DataBase) < uint32(r.DataMoved), "the data base turns")
		note(q.Op == stage.WindowTake && r.EACK && r.DataOWN && r.RequestOWN, "EACK with both OWNs")
		note(q.Op == stage.WindowTake && r.EACK && !r.DataOWN && !r.RequestOWN, "EACK without OWN")
		note(q.Op == stage.WindowTake && !r.EACK, "BACK")
		note(q.Op == stage.WindowEACK && !q.DataOWN && r.DataBits.Any(), "missing by distance")
		note(q.Op == stage.WindowEACK && q.DataOWN && r.DataBits.Any(), "missing by OWN")
		note(q.Op == stage.WindowEACK && !q.RequestOWN && r.RequestBits != 0, "requests missing by distance")
		note(q.Op == stage.WindowEACK && r.MoreData.Any() && r.DataMoved == 0, "acknowledged behind the base")
	})
	var want []string
	for op, whys := range map[stage.WindowOp][]int{0: {0, 1, 2, 3, 4, 5, 12}, 1: {0, 5, 6}, 2: {0, 5}, 3: {0, 5, 7},
		4: {0, 5, 8, 9}, 5: {0, 5, 8, 9}, 6: {0, 5, 10, 11}, 7: {0, 5}} {
		for _, why := range whys {
			want = append(want, fmt.Sprintf("op %d why %d", op, why))
		}
	}
	for _, w := range append(want, "the whole data window moves", "the whole request window moves", "the data base turns",
		"EACK with both OWNs",
		"EACK without OWN", "BACK", "missing by distance", "missing by OWN", "requests missing by distance",
		"acknowledged behind the base") {
		if seen[w] < 3 {
			t.Errorf("%s: %d times", w, seen[w])
		}
	}
	t.Log(seen)
}
