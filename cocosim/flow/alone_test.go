package flow_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/flow"
	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
)

// What is wrong in the length or the pad of one packet alone is certain at the end that sent it, with nothing told
// (LEN-1): identifications say that a frame is missing, and nobody says that the capture is whole. It is one finding,
// if the packet is sent again as it should be too.
func TestWrongLengthAlone(t *testing.T) {
	whole := func(s *wire.Spec) { s.DMALen, s.AckReq = 764, false }
	for _, c := range []struct {
		what string
		more int // bytes behind the pad of the packet that is wrong
		at   uint64
		list []said
	}{
		{"no pad", 1, 4, []said{{'A', ib.SendOnly, 2, 500, nil}, {}, {'A', ib.SendOnly, 2, 501, nil},
			{'B', ib.Ack, 2, 0, aeth(31, 3)}, {'A', ib.SendOnly, 3, 8, nil}}},
		{"a Last of nothing", 0, 5, []said{{'A', ib.SendFirst, 2, 256, inside}, {'A', ib.SendLast, 3, 0, nil}, {},
			{'A', ib.SendFirst, 2, 256, inside}, {'A', ib.SendLast, 3, 8, nil}, {'B', ib.Ack, 3, 0, aeth(31, 3)}}},
		{"a Middle with a pad", 0, 5, []said{{'A', ib.WriteFirst, 2, 256, whole}, {'A', ib.WriteMiddle, 3, 255, inside},
			{'A', ib.WriteLast, 4, 253, nil}}},
		{"an ATOMIC WRITE of 16 bytes", 0, 4, []said{{'A', ib.AtomicWrite, 2, 16, dmaLen(16)},
			{'B', ib.ReadResponseOnly, 2, 0, msn(3)}}},
		{"a READ of too much", 0, 4, []said{{'A', ib.ReadRequest, 2, 0, dmaLen(1<<31 + 1)}, {},
			{'A', ib.ReadRequest, 2, 0, dmaLen(1<<31 + 1)}, {'A', ib.ReadRequest, 2, 0, dmaLen(8)},
			{'A', ib.SendOnly, 3, 8, nil}, {'A', ib.SendOnly, 4, 8, nil}}},
	} {
		var d dialog
		at := time.Duration(0)
		say := func(x said) {
			if at += 10 * time.Microsecond; x.from == 0 {
				at += 20 * time.Millisecond
				return
			}
			d.sayIt(at, x)
		}
		say(said{'A', ib.SendOnly, 0, 8, nil})
		d.id += 7
		say(said{'A', ib.SendOnly, 1, 8, nil})
		say(said{'B', ib.Ack, 1, 0, aeth(31, 2)})
		for _, x := range c.list {
			say(x)
			if c.more > 0 && x.from != 0 && uint64(len(d.list)) == c.at {
				var w wire.Packet
				wire.Decode(wire.LinkEthernet, d.list[c.at-1].Data, &w)
				d.list = resize(d.list, int(c.at-1), &w, w.End-4, c.more)
			}
		}
		r := judge(t, d.list, flow.Options{Profile: roce.Spec, At: "10.1.0.1", PMTUBytes: 256})
		require.Len(t, r.Violations, 1, "%s: %v", c.what, r.Violations)
		require.EqualValues(t, "LEN-1", r.Violations[0].Rule, "%s: %v", c.what, r.Violations)
		require.Equal(t, c.at, r.Violations[0].Packet, c.what)
		require.True(t, r.Violations[0].Certain(), "%s: %v", c.what, r.Violations)
	}
}
