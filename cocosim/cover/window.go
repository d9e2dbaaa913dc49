package cover

import (
	"math/bits"

	"hcacosim/model/falcon/stage"
	"hcacosim/model/sim"
)

func init() { declarations["falcon_window"] = declareWindow }

var windowOps = Axis{"packet", "acknowledge", "take", "send", "BACK", "EACK", "set", "reset"}

var windowWhys = Axis{"good", "again", "old", "duplicate", "beyond", "no connection", "not waited for", "full", "stale",
	"ghost", "illegal", "is open", "refused"}

// windowMayBe are the reasons that each operation can have.
var windowMayBe = [...][]int{{0, 1, 2, 3, 4, 5, 12}, {0, 5, 6}, {0, 5}, {0, 5, 7}, {0, 5, 8, 9}, {0, 5, 8, 9},
	{0, 5, 10, 11}, {0, 5}}

// declareWindow has what falcon_window does with every operation.
func declareWindow(o *Observer, _ sim.Settings) {
	type track struct {
		lastEnd uint64
		base    [2]uint32
	}
	conns := map[uint32]*track{}
	whys := o.cross("rule: operation x reason", func(at []int, b *Bin) {
		b.Rules = [][]string{{"FAL-D3", "FAL-D5"}, {"FAL-D4"}, {"FAL-D2"}, {"FAL-D10", "FAL-D11"}, {"FAL-D15"},
			{"FAL-D15", "FAL-D16"}, {"FAL-D1"}, {"FAL-D1"}}[at[0]]
		for _, why := range windowMayBe[at[0]] {
			if why == at[1] {
				return
			}
		}
		b.Illegal = "the document has no such reason"
	}, windowOps, windowWhys)
	moved := o.cross("window x how far a base moved", nil, Axis{"request", "data"}, Axis{"0", "1", "2 to 3", "4 to 7",
		"8 to 15", "16 to 31", "32 to 63", "64", "65 to 127", "128"})
	for i := range moved.Bins[:10] {
		if i >= 8 {
			moved.Bins[i].Ignored = "the request window has 64 PSNs"
		}
	}
	eack := o.cross("take: the answer", nil, Axis{"BACK", "EACK"})
	near := o.cross("cycles since the connection's last record", nil, distancesInTime)
	wrap := o.cross("base: the highest bit that a step turned", nil, Axis{"request", "data"}, bitNames(32))
	o.restart = append(o.restart, func() { clear(conns) })
	o.pair = func(in, out *sim.Record) {
		q, a := stage.ParseWindowQuery(in.Data), stage.ParseWindowResult(out.Data)
		o.hit(whys, int(q.Op), int(a.Why))
		o.hit(moved, 0, movedOf(int(a.RequestMoved)))
		o.hit(moved, 1, movedOf(int(a.DataMoved)))
		if q.Op == stage.WindowTake {
			o.hit(eack, bit(a.EACK))
		}
		t := conns[q.Conn]
		if t == nil {
			t = &track{}
			conns[q.Conn] = t
		} else {
			o.hit(near, gapOf(in.Start-t.lastEnd-1))
			for i, base := range []uint32{uint32(a.RequestBase), uint32(a.DataBase)} {
				if turned := base ^ t.base[i]; turned != 0 {
					o.hit(wrap, i, bits.Len32(turned)-1)
				}
			}
		}
		t.lastEnd, t.base = in.End, [2]uint32{uint32(a.RequestBase), uint32(a.DataBase)}
	}
}

func movedOf(n int) int {
	switch {
	case n < 2:
		return n
	case n < 64:
		return bits.Len(uint(n))
	case n == 64:
		return 7
	case n < 128:
		return 8
	}
	return 9
}
