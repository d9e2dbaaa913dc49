package flow_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/flow"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
)

// A new connection may begin among the PSNs of the one before: with other bytes, and at the end that sends, nobody is
// blamed; with the same bytes nothing is certain, since a retry would look so.
func TestAnewWithinThePSNs(t *testing.T) {
	for _, c := range []struct {
		first, start uint32
		seed         byte
		pause        time.Duration
	}{{6, 101, 2, 1200 * time.Millisecond}, {60, 131, 1, 3 * time.Second}, {300, 101, 1, 3 * time.Second}} {
		var d hosts
		d.converse(conversation{0x100, 0x1100, 100, 0, 10 * time.Microsecond, int(c.first), 1}, -1)
		// the same bytes as those of its PSN before, but for the seed
		p := psn.PSN(c.start)
		for n := range c.first {
			at := c.pause + time.Duration(n)*10*time.Microsecond
			d.say('A', at, 0x1100, wire.Spec{Opcode: ib.Join(ib.RC, ib.SendOnly), PSN: p, AckReq: true},
				[]byte{c.seed, byte(p - 100), 3, 4})
			d.say('B', at+time.Microsecond, 0x100, wire.Spec{Opcode: ib.Join(ib.RC, ib.Ack), PSN: p, Syndrome: 31,
				MSN: n + 1}, nil)
			p = p.Add(1)
		}
		for _, at := range places {
			r := judgeAt(t, d.sorted(), at, true)
			require.Zero(t, r.Certain, "%+v at %q: %v", c, at, r.Violations)
			if c.seed != 1 || at == "10.1.0.1" || c.first == 300 {
				require.Empty(t, r.Violations, "%+v at %q", c, at)
			}
		}
	}
}

// What was acknowledged and never came, and comes late, is no sign of a new connection: the ACK of what was missing is
// its responder's for certain.
func TestLateIsNotAnew(t *testing.T) {
	var d hosts
	d.converse(conversation{0x100, 0x1100, 100, 0, 10 * time.Microsecond, 3, 1}, -1)
	send := func(at time.Duration, p psn.PSN) {
		d.say('A', at, 0x1100, wire.Spec{Opcode: ib.Join(ib.RC, ib.SendOnly), PSN: p, AckReq: true}, []byte("1234"))
	}
	send(40*time.Microsecond, 104)
	d.say('B', 10*time.Millisecond, 0x100, wire.Spec{Opcode: ib.Join(ib.RC, ib.Ack), PSN: 104, Syndrome: 31, MSN: 5}, nil)
	send(10*time.Millisecond+time.Microsecond, 103)
	d.say('B', 11*time.Millisecond, 0x100, wire.Spec{Opcode: ib.Join(ib.RC, ib.Ack), PSN: 104, Syndrome: 31, MSN: 5}, nil)
	r := judgeAt(t, d.sorted(), "10.1.0.2", true)
	require.NotEmpty(t, r.Violations)
	require.EqualValues(t, len(r.Violations), r.Certain, "%v", r.Violations)
}

// The first request of another connection between the same queue pairs is told from what is sent again: also where the
// connection manager alone tells.
func TestRenewedIsTold(t *testing.T) {
	for _, managed := range []bool{true, false} {
		var d hosts
		for round, start := range []uint32{100, 80} {
			at := time.Duration(round) * 40 * time.Millisecond
			if managed {
				id := uint32(round)
				d.manage('A', at, 2*round, request(1+id, 0x100, 77))
				d.manage('B', at+time.Millisecond, round, reply(9+id, 1+id, 0x1100, start))
			}
			d.converse(conversation{0x100, 0x1100, start, at + 4*time.Millisecond, 100 * time.Microsecond, 30, byte(round)}, -1)
		}
		for _, at := range places {
			opt := flow.Options{Profile: roce.Spec, At: at}
			if !managed {
				opt.Scan = flow.ScanFrames(d.sorted())
			}
			c, err := flow.New(opt)
			require.NoError(t, err)
			var renewed []psn.PSN
			for _, f := range d.sorted() {
				var w wire.Packet
				wire.Decode(f.Link, f.Data, &w)
				if v := c.Take(&f, &w, w.ICRC()); v.Renewed {
					renewed = append(renewed, w.BTH().PSN())
				}
			}
			require.Equal(t, []psn.PSN{80}, renewed, "managed %t, at %q", managed, at)
		}
	}
}
