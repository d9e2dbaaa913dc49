package roce_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

// REQ-1, REQ-2: seen on the wire, an ACK or a READ response answers everything up to its PSN; a NAK or RNR NAK only
// what is before it.
func TestWhatAResponseAnswersOnTheWire(t *testing.T) {
	for _, c := range []struct {
		op       ib.Opcode
		syndrome ib.Syndrome
		leaves   bool // its own PSN without an answer
	}{
		{0x11, ib.AckSyndrome(0), false}, {0x11, ib.AckSyndrome(31), false}, {0x10, ib.AckSyndrome(31), false},
		{0x11, ib.RNRSyndrome(0), true}, {0x11, ib.RNRSyndrome(31), true}, {0x11, ib.NAKSequence, true},
		{0x11, ib.NAKInvalidRequest, true}, {0x11, ib.NAKRemoteAccess, true}, {0x11, ib.NAKRemoteOp, true},
	} {
		f := roce.FollowWire(256, true)
		for at := range psn.PSN(3) {
			a := in(0x04, 100+at, asks)
			if c.op == 0x10 {
				a = in(0x0C, 100+at, dma(4, 64))
			}
			require.Zero(t, f.Passed(&a.packet))
		}
		a := in(c.op, 101, syn(c.syndrome), msn(1))
		f.Answered(&a.packet)
		require.Equal(t, []bool{false, c.leaves, true},
			[]bool{f.Unanswered(100), f.Unanswered(101), f.Unanswered(102)}, "%02Xh with %02Xh", c.op, c.syndrome)
	}
}

// Where a count falls to what came past since the response before, the queue pairs may have been connected anew: that
// is possible, and said once. Where it falls to more than that it is wrong (RSP-11).
func TestCountThatBeginsAnew(t *testing.T) {
	for by, repeated := range map[uint32]bool{20: false, 2: true} {
		f := roce.FollowWire(256, true)
		var found []roce.Verdict
		for n := range uint32(30) {
			a := in(0x04, psn.New(100+n), asks)
			f.Passed(&a.packet)
			count := n + 1
			if n >= 20 {
				count -= by
			}
			b := out("", 0x11, psn.New(100+n), msn(count))
			if v := f.Answered(&b.packet); !v.Allowed() {
				found = append(found, v)
			}
		}
		require.NotEmpty(t, found)
		require.Equal(t, repeated, found[0].Certainty == sim.Repeated, "%v", found[0])
		require.Equal(t, repeated, len(found) > 1)
	}
}

// A count that is too high from one response on is said once; one that was right again in between is said again
// (RSP-11).
func TestCountThatStaysTooHigh(t *testing.T) {
	for _, c := range []struct{ wrong, times int }{{0, 0}, {1, 1}, {2, 2}} {
		f := roce.FollowWire(256, true)
		found := 0
		for n := range uint32(30) {
			a := in(0x04, psn.New(100+n), asks)
			f.Passed(&a.packet)
			count := n + 1
			if c.wrong == 1 && n >= 10 || c.wrong == 2 && (n >= 10 && n < 15 || n >= 20) {
				count++
			}
			b := out("", 0x11, psn.New(100+n), msn(count))
			if v := f.Answered(&b.packet); !v.Allowed() {
				require.EqualValues(t, "RSP-11", v.Rule)
				found++
			}
		}
		require.Equal(t, c.times, found, "%d", c.wrong)
	}
}
