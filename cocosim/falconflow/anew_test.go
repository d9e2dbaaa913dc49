package falconflow

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	falconwire "hcacosim/model/falcon/wire"

	"hcacosim/model/falcon"
)

// A connection identifier is used again behind a pause, from the same PSNs on, from near ones or from where the old
// ones ended: of two right connections nothing is certain at either end, whatever the link did to the first.
func TestIdentifierUsedAgain(t *testing.T) {
	packets, began := 0, 0
	for seed := range uint64(*walkWorlds) {
		m := walkModes[seed%2]
		rnd := rand.New(rand.NewPCG(seed, 142))
		one := newWalkFrom(rnd, m, walkStart{})
		one.run(1 + rnd.IntN(1<<rnd.IntN(11)))
		start := walkStart{}
		for i := range start {
			for k := range start[i] {
				switch seed / 2 % 4 {
				case 1:
					start[i][k] = falcon.PSN(rnd.IntN(1<<17)) - 1<<16
				case 2:
					start[i][k] = falcon.PSN(rnd.IntN(600)) - 300
				case 3:
					start[i][k] = one.ends[i].tx.Window([]falcon.Window{falcon.Requests, falcon.Data}[k]).Next
				}
			}
		}
		two := newWalkFrom(rnd, m, start)
		two.run(1000)
		pause := anewNs + rnd.Int64N(1<<30)
		for i := range one.ends {
			seen := one.seen[i]
			for _, x := range two.seen[i] {
				x.atNs += one.nowNs - 1_000_000 + pause
				seen = append(seen, x)
			}
			r := one.check(t, seen, Options{Own: walkAddr[i], Complete: true})
			for _, f := range r.Findings {
				require.False(t, f.Certain, "seed %d, mode %s, end %d of %d, packet %d: %s %s", seed, m.Name, i, len(one.seen[i]),
					f.Packet, f.Rule, f.Text)
			}
			packets += len(seen)
			began += len(r.Unsure)
		}
	}
	t.Logf("%d packets, %d began anew or may have", packets, began)
	require.NotZero(t, began)
}

// A connection that goes on behind a silence is the same: what is wrong in its first packet is certain.
func TestSilenceOfTheSameConnection(t *testing.T) {
	push := func(psn, rsn int) seenPacket {
		return sent(0, falconwire.Packet{Type: falconwire.PushData, PSN: falconwire.PSN(psn), RSN: falconwire.RSN(rsn)})
	}
	list := append(pushes(0, 20), back(20))
	n := len(list)
	for _, x := range []struct {
		what string
		own  int
		more []seenPacket
		want []string
	}{
		{"nothing", 0, pushes(20, 22), nil},
		{"a PSN is skipped, the RSN goes on", 0, []seenPacket{push(21, 20)}, []string{"22 FAL-D10 true"}},
		{"another RSN", 0, []seenPacket{push(20, 20), push(19, 300)}, []string{"23 FAL-D20 true"}},
		{"the base goes back behind a packet that goes on", 1, append(pushes(20, 21), back(3)), []string{"23 FAL-D2 true"}},
		{"all jumps", 0, []seenPacket{push(0, 900), push(2, 901)}, []string{"23 FAL-D10 false"}},
		{"all jumps, seen by a base", 1, []seenPacket{back(1), back(9)}, nil},
	} {
		all := append(list[:n:n], x.more...)
		require.Equal(t, x.want, found(reportedLater(t, x.own, all, n), all, x.own), x.what)
	}
}

// reportedLater is reported, with a pause behind a packet.
func reportedLater(t *testing.T, own int, list []seenPacket, behind int) *Report {
	for n := range list {
		list[n].atNs = int64(n+1) * 5000
		if n >= behind {
			list[n].atNs += anewNs
		}
	}
	w := walk{m: walkModes[0]}
	return w.check(t, list, Options{Own: walkAddr[own], Complete: true})
}

// Nothing tells a connection that has hardly begun from one that begins anew: what is found behind the silence is
// possible, until a packet goes on.
func TestSilenceOfAConnectionThatHasHardlyBegun(t *testing.T) {
	other := sent(0, falconwire.Packet{Type: falconwire.PushData, Payload: []byte{1}, RequestLength: 1})
	list := []seenPacket{pushes(0, 1)[0], back(1), other, back(1)}
	r := reportedLater(t, 0, list, 2)
	require.Equal(t, []string{"3 FAL-D20 false"}, found(r, list, 0))
	require.Equal(t, "[{10.0.0.1 10.0.0.2 3 behind a silence nothing tells whether the connection goes on}]",
		fmt.Sprint(r.Unsure))
	list = append(list[:2:2], append(pushes(1, 2), other)...)
	require.Equal(t, []string{"4 FAL-D20 true"}, found(reportedLater(t, 0, list, 2), list, 0), "it went on")
	list = append(pushes(0, 1), append(pushes(0, 1), back(0), other, back(0))...)
	require.Equal(t, []string{"4 FAL-D20 true"}, found(reportedLater(t, 0, list, 1), list, 0), "no matter")
}
