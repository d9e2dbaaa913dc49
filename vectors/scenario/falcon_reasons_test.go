package scenario

import (
	"fmt"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/falcon"
	"hcacosim/model/falcon/stage"
	"hcacosim/model/sim"
)

// falconSeen is what the test knows of a connection: its halves that are open, and the transmitter's windows.
type falconSeen struct {
	open  [2]bool
	anyRx bool
	base  [2]falcon.PSN
	next  [2]falcon.PSN
	acked [2]falcon.Bitmap
	twice bool                   // DuplicateByRx
	got   [2]map[falcon.PSN]bool // by the receiver
}

// reachReasons counts which reasons of an output came alone in a run of falcon-window-edges.
func reachReasons(t *testing.T, seed uint64) bins {
	s, err := Lookup("falcon-window-edges")
	require.NoError(t, err)
	spec, _ := stage.Lookup("falcon_window")
	model, conns, b := spec.New(sim.Settings{"NumConns": 16}), map[uint32]*falconSeen{}, bins{}
	each(t, s, seed, s.Count, func(_ uint64, c *Case) {
		q := stage.ParseWindowQuery(c.Frame)
		r := stage.ParseWindowResult(model.Advance(0, []sim.Record{{Data: c.Frame}}, nil)[0].Data)
		at := conns[q.Conn]
		if at == nil {
			at = &falconSeen{}
			conns[q.Conn] = at
		}
		for k := 4; k < 24 && r.Why == stage.WindowNoConn; k++ {
			if other := conns[q.Conn^1<<k]; other != nil && other.open[0] && q.Conn>>k == 1 {
				b.add("no connection of bit %d", k)
			}
		}
		b.addReasons(at, &q, &r)
	})
	return b
}

func (b bins) addReasons(at *falconSeen, q *stage.WindowQuery, r *stage.WindowResult) {
	switch q.Op {
	case stage.WindowReset:
		*at = falconSeen{}
	case stage.WindowSet:
		if r.Why != stage.WindowGood {
			b.addIllegal(q, r)
			break
		}
		if at.open[q.Select] = true; q.Select == 0 {
			at.anyRx, at.twice = q.Profile&stage.EACKOnAnyRx != 0, q.Profile&stage.DuplicateByRx != 0
			at.got = [2]map[falcon.PSN]bool{{}, {}}
		} else {
			at.base, at.acked = [2]falcon.PSN{q.A, q.B}, [2]falcon.Bitmap{}
			at.next = at.base
		}
	case stage.WindowPacket:
		if d := uint32(q.A - [2]falcon.PSN{r.RequestBase, r.DataBase}[q.Select]); d == 1<<31-1 || d == 1<<31 {
			b.add("window %d why %d at %08X", q.Select, r.Why, d)
		}
		if r.Why != stage.WindowOld && r.Why != stage.WindowBeyond {
			b.add("window %d, duplicates by what is received %v: again %v resync %v refuse %v why %d", q.Select, at.twice,
				at.got[q.Select][q.A], q.Resync, q.Refuse, r.Why)
		}
		if r.Why == stage.WindowGood {
			at.got[q.Select][q.A] = true
		}
		if r.RequestMoved+r.DataMoved == 1 {
			base := [2]falcon.PSN{r.RequestBase, r.DataBase}[q.Select]
			b.add("base %d turns bit %d", q.Select, bits.TrailingZeros32(uint32(base)))
		}
		if r.Why == stage.WindowDuplicate {
			base := [2]falcon.PSN{r.RequestBase, r.DataBase}[q.Select]
			b.add("window %d: %d is a duplicate", q.Select, q.A.From(base))
		}
	case stage.WindowAcknowledge:
		if r.Why == stage.WindowGood && r.DataMoved == 0 {
			b.add("the ULP acknowledges %d", q.A.From(r.DataBase))
		}
	case stage.WindowTake:
		if r.Why == stage.WindowGood {
			b.addTake(at, r)
		}
	case stage.WindowSend:
		if r.Why == stage.WindowGood && r.PSN != at.base[q.Select] {
			b.add("next %d turns bit %d", q.Select, bits.TrailingZeros32(uint32(r.PSN)))
		}
		if r.Why == stage.WindowGood {
			at.next[q.Select] = r.PSN + 1
		}
	default:
		b.addAck(at, q, r)
	}
	if r.Why == stage.WindowNoConn {
		b.add("op %d of a half that is closed, the other open %v", q.Op, at.open[0] || at.open[1])
	}
}

// addIllegal counts a set with one size that no window has.
func (b bins) addIllegal(q *stage.WindowQuery, r *stage.WindowResult) {
	if r.Why == stage.WindowIllegal && q.DataSize >= 1 && q.DataSize <= 128 {
		b.add("no request window of %d", q.RequestSize)
	} else if r.Why == stage.WindowIllegal && q.RequestSize >= 1 && q.RequestSize <= 64 {
		b.add("no data window of %d", q.DataSize)
	}
}

// addTake counts an ACK by what calls for an EACK.
func (b bins) addTake(at *falconSeen, r *stage.WindowResult) {
	if !r.EACK {
		if !r.Idle {
			b.add("BACK while packets wait")
		}
		return
	}
	hole, rx := r.MoreData.Hole(), r.MoreData
	if at.anyRx {
		if !hole && !r.DataBits.Any() && r.RequestBits == 0 && !r.RequestOWN && !r.DataOWN {
			b.add("EACK by any packet alone")
		}
		return
	}
	behind := rx.Has(0) // the reason has received packets beside it that are none
	b.add("EACK requests %v acknowledged %v hole %v OWN %v %v, base received %v", r.RequestBits != 0, r.DataBits.Any(),
		hole, r.RequestOWN, r.DataOWN, behind)
	if r.RequestOWN || r.DataOWN {
		return
	}
	switch {
	case r.RequestBits == 0 && !r.DataBits.Any() && behind:
		if gaps := (falcon.Bitmap{Hi: rx.Hi >> 1, Lo: rx.Lo>>1 | rx.Hi<<63}).Without(rx); gaps.Count() == 1 {
			b.add("EACK by hole %d alone", gaps.First())
		}
	case r.RequestBits == 0 && r.DataBits.Count() == 1 && !hole:
		b.add("EACK by data %d alone", r.DataBits.First())
	case bits.OnesCount64(r.RequestBits) == 1 && !rx.Any():
		b.add("EACK by request %d alone", bits.TrailingZeros64(r.RequestBits))
	}
}

// addAck counts a BACK or an EACK: refused by one power of two in one window, or with what is not missing by one
// reason.
func (b bins) addAck(at *falconSeen, q *stage.WindowQuery, r *stage.WindowResult) {
	to := [2]falcon.PSN{q.A, q.B}
	if r.Why != stage.WindowGood {
		for i := range to {
			off := uint32(to[i] - at.base[i])
			b.addGhost(at, i, off, r)
			if at.open[1] && to[1-i] == at.base[1-i] && bits.OnesCount32(off) == 1 {
				b.add("why %d window %d ahead by bit %d", r.Why, i, bits.TrailingZeros32(off))
			} else if at.open[1] && to[1-i] == at.base[1-i] && bits.OnesCount32(-off) == 1 {
				b.add("why %d window %d behind by bit %d", r.Why, i, bits.TrailingZeros32(-off))
			}
		}
		return
	}
	b.addLast(at, r)
	newly, missing := [2]falcon.Bitmap{{Lo: r.MoreRequest}, r.MoreData}, [2]falcon.Bitmap{{Lo: r.RequestBits}, r.DataBits}
	named, own := [2]falcon.Bitmap{{Lo: q.Request}, q.DataRx}, [2]bool{q.RequestOWN, q.DataOWN}
	for i, moved := range []uint32{uint32(r.RequestMoved), uint32(r.DataMoved)} {
		before := at.acked[i]
		before.Shift(moved)
		newly[i].Shift(moved)
		at.base[i], at.acked[i] = to[i], before.Or(newly[i])
		if q.Op != stage.WindowEACK || !own[i] && !missing[i].Any() {
			continue
		}
		if now := newly[i].Without(named[i]); now.Count() == 1 {
			b.add("window %d: %d is not missing, as it is acknowledged now, OWN %v", i, now.First(), own[i])
		}
		if old := before.Without(named[i]); old.Count() == 1 && !newly[i].Any() && own[i] && moved > 0 {
			b.add("window %d: %d is not missing behind a base that moved", i, old.First())
		}
		if moved > 0 && before.Without(named[i]).Any() && missing[i].Any() &&
			(!own[i] || missing[i].Highest() > named[i].Highest()) {
			b.add("window %d: missing behind a base that moves by %d, OWN %v", i, moved, own[i])
		}
	}
}

// addGhost counts an ACK that is refused by one window, by what was sent of that.
func (b bins) addGhost(at *falconSeen, i int, off uint32, r *stage.WindowResult) {
	sent := uint32(at.next[i] - at.base[i])
	if sent == 0 && bits.OnesCount32(off) == 1 {
		b.add("why %d window %d, of which nothing was sent, ahead by bit %d", r.Why, i, bits.TrailingZeros32(off))
	}
	if sent > 0 && off == sent+1 {
		b.add("why %d window %d one ahead of what was sent", r.Why, i)
	}
	if sent > 0 && off == 1<<31-1 {
		b.add("why %d window %d as far ahead as a PSN can be", r.Why, i)
	}
}

// addLast counts an ACK that moves a base and acknowledges for the first time the packet that was sent last.
func (b bins) addLast(at *falconSeen, r *stage.WindowResult) {
	base, newly := [2]falcon.PSN{r.RequestBase, r.DataBase}, [2]falcon.Bitmap{{Lo: r.MoreRequest}, r.MoreData}
	for i, moved := range []uint32{uint32(r.RequestMoved), uint32(r.DataMoved)} {
		last := at.next[i].From(base[i]) + moved - 1 // of newly, which begins at the old base
		if moved > 0 && last < 128 && last >= moved && newly[i].Has(last) {
			b.add("window %d moves by %d and the last one is named", i, moved)
		}
	}
}

// falconWanted lists the reasons, but what falconAgain has.
func falconWanted() []string {
	var want []string
	list := func(from, to int, format string, args ...any) {
		for n := from; n <= to; n++ {
			want = append(want, fmt.Sprintf(format, append(args, n)...))
		}
	}
	list(1, 126, "EACK by hole %d alone")
	list(1, 127, "EACK by data %d alone")
	list(1, 63, "EACK by request %d alone")
	list(1, 63, "window 0: %d is a duplicate")
	list(1, 127, "window 1: %d is a duplicate")
	list(1, 127, "the ULP acknowledges %d")
	list(0, 126, "window 1: %d is not missing behind a base that moved")
	list(0, 62, "window 0: %d is not missing behind a base that moved")
	for mask := 1; mask < 32; mask++ {
		want = append(want, fmt.Sprintf("EACK requests %v acknowledged %v hole %v OWN %v %v, base received true", mask&1 != 0,
			mask&2 != 0, mask&4 != 0, mask&8 != 0, mask&16 != 0))
	}
	for n := range 127 {
		want = append(want, fmt.Sprintf("window 1: %d is not missing, as it is acknowledged now, OWN %v", n, n%2 == 0))
	}
	for window := range 2 {
		list(2, 30, "why 9 window %d ahead by bit %d", window)
		list(2, 30, "why 8 window %d behind by bit %d", window)
		list(31, 31, "why 8 window %d ahead by bit %d", window)
		list(0, 32, "base %d turns bit %d", window)
		list(0, 32, "next %d turns bit %d", window)
		for k := range 5 {
			list(1<<k, 1<<k, "window %d: missing behind a base that moves by %d, OWN true", window)
			list(1<<k, 1<<k, "window %d: missing behind a base that moves by %d, OWN false", window)
		}
	}
	for k := range 7 {
		if list(128+1<<k, 128+1<<k, "no data window of %d"); k < 6 {
			list(64+1<<k, 64+1<<k, "no request window of %d")
		}
	}
	for window := range 2 {
		list(0, 30, "why 9 window %d, of which nothing was sent, ahead by bit %d", window)
		list(31, 31, "why 8 window %d, of which nothing was sent, ahead by bit %d", window)
		want = append(want, fmt.Sprintf("why 9 window %d one ahead of what was sent", window),
			fmt.Sprintf("why 9 window %d as far ahead as a PSN can be", window))
		for k := range 6 + window {
			list(1<<k, 1<<k, "window %d moves by %d and the last one is named", window)
		}
	}
	for window := range 2 {
		want = append(want, fmt.Sprintf("window %d why %d at 7FFFFFFF", window, stage.WindowBeyond),
			fmt.Sprintf("window %d why %d at 80000000", window, stage.WindowOld))
	}
	list(4, 23, "no connection of bit %d")
	list(0, 0, "no request window of %d")
	list(0, 0, "no data window of %d")
	list(0, 5, "op %d of a half that is closed, the other open true")
	return append(want, falconAgain()...)
}

// TestFalconReasonsAreInEveryRun: whatever the seed, each reason of an EACK, each of its bits, each reason why a packet
// is not missing, each distance at which an ACK is refused and each place of a duplicate comes alone.
func TestFalconReasonsAreInEveryRun(t *testing.T) {
	want := falconWanted()
	for _, seed := range []uint64{1, 2, 3, 4, 5, 77} {
		b := reachReasons(t, seed)
		require.Empty(t, b.missing(append(want, "EACK by any packet alone")), seed)
		require.GreaterOrEqual(t, b["BACK while packets wait"], 128, "of each length")
	}
}

// falconAgain lists what becomes of a packet that comes for the first time, and again before the ULP acknowledged it.
func falconAgain() (want []string) {
	for n := range 16 {
		twice, resync, refuse, again := n&1 != 0, n&2 != 0, n&4 != 0, n&8 != 0
		why := stage.WindowGood
		switch {
		case again && twice && !resync:
			why = stage.WindowDuplicate
		case refuse:
			why = stage.WindowRefused
		case again:
			why = stage.WindowAgain
		}
		for window := range 2 {
			why := why
			if window == 0 && again { // a request waits for no ULP
				why = stage.WindowDuplicate
			}
			want = append(want, fmt.Sprintf("window %d, duplicates by what is received %v: again %v resync %v refuse %v why %d",
				window, twice, again, resync, refuse, why))
		}
	}
	return want
}
