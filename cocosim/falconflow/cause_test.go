package falconflow

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	falconwire "hcacosim/model/falcon/wire"
)

// oneWrong are ways to make one packet of an end wrong.
var oneWrong = []struct {
	what string
	make func(k *falconwire.Packet) bool
}{
	{"PSN + 1", func(k *falconwire.Packet) bool { k.PSN++; return k.Type.Reliable() }},
	{"PSN + 5", func(k *falconwire.Packet) bool { k.PSN += 5; return k.Type.Reliable() }},
	{"PSN + 300", func(k *falconwire.Packet) bool { k.PSN += 300; return k.Type.Reliable() }},
	{"PSN - 1", func(k *falconwire.Packet) bool { k.PSN--; return k.Type.Reliable() }},
	{"RSN + 1", func(k *falconwire.Packet) bool { k.RSN++; return isRequest(k) }},
	{"RSN + 77", func(k *falconwire.Packet) bool { k.RSN += 77; return isRequest(k) }},
	{"RSN - 1", func(k *falconwire.Packet) bool { k.RSN--; return isRequest(k) }},
	{"data base + 1", func(k *falconwire.Packet) bool { k.DataBase++; return true }},
	{"data base + 20", func(k *falconwire.Packet) bool { k.DataBase += 20; return true }},
	{"data base - 3", func(k *falconwire.Packet) bool { k.DataBase -= 3; return true }},
	{"request base + 1", func(k *falconwire.Packet) bool { k.RequestBase++; return true }},
	{"request base - 3", func(k *falconwire.Packet) bool { k.RequestBase -= 3; return true }},
	{"bitmap bit 5", func(k *falconwire.Packet) bool {
		k.DataRx.Lo ^= 32
		return k.Type == falconwire.EACK && k.DataAck.Lo&32 == 0
	}},
	{"payload", func(k *falconwire.Packet) bool {
		k.Payload = append([]byte{0xEE}, k.Payload...)[:len(k.Payload)]
		return len(k.Payload) > 0
	}},
}

// madeWrong makes a packet of an end wrong; 0: there is none of its kind behind a random place.
func madeWrong(w *walk, seen []seenPacket, from int, wrong func(*falconwire.Packet) bool) (packet uint64) {
	n := w.rnd.IntN(len(seen))
	for n < len(seen) && seen[n].from != from {
		n++
	}
	if n == len(seen) || !wrong(&seen[n].p) {
		return 0
	}
	return uint64(n + 1)
}

// One wrong packet of a right end is one finding, as good as always: what follows from it is folded.
func TestOneCauseIsOneFinding(t *testing.T) {
	cases, several, found := 0, 0, 0
	for seed := range uint64(*walkWorlds) {
		w := newWalk(seed, walkModes[seed%2])
		w.run(800)
		for i := range w.ends {
			opt := Options{Own: walkAddr[i], Complete: true}
			right := w.check(t, w.seen[i], opt).Findings
			for _, x := range oneWrong {
				seen := slices.Clone(w.seen[i])
				packet := madeWrong(w, seen, i, x.make)
				if packet == 0 {
					continue
				}
				left := slices.DeleteFunc(w.check(t, seen, opt).Findings, func(f Finding) bool {
					return seen[f.Packet-1].from != i || slices.ContainsFunc(right, func(g Finding) bool {
						return f.Packet == g.Packet && f.Rule == g.Rule
					})
				})
				cases++
				found += min(1, len(left))
				several += max(0, min(1, len(left)-1))
				if len(left) > 1 {
					t.Log(seed, w.m.Name, x.what, "in packet", packet, left)
				}
			}
		}
	}
	t.Logf("%d packets made wrong, %d found, %d with several findings", cases, found, several)
	require.Less(t, several*100, found)
	require.Greater(t, found*10, cases*8)
}

// What a finding follows from is named, the first packet; if the consequence has no excuse, nor has the cause.
func TestCauseOfWhatFollows(t *testing.T) {
	push := func(psn, rsn int) seenPacket {
		return sent(0, falconwire.Packet{Type: falconwire.PushData, PSN: falconwire.PSN(psn), RSN: falconwire.RSN(rsn)})
	}
	list := append(pushes(0, 3), back(3), push(3, 77))
	require.Equal(t, []string{"5 FAL-T1 false"}, blamedFor(t, 0, list...), "alone it may be a choice of the device")
	for n := 4; n < 80; n++ {
		list = append(list, push(n, n-1), back(falconwire.PSN(n+1)))
	}
	require.Equal(t, []string{"5 FAL-T1 true"}, blamedFor(t, 0, list...))
	list = append(pushes(0, 3), back(3), push(300, 77))
	for n := 3; n < 79; n++ {
		list = append(list, push(n, n), back(falconwire.PSN(n+1)))
	}
	require.Equal(t, []string{"5 FAL-D11 true"}, blamedFor(t, 0, list...))
}

// However many are possible, a certain finding is listed, and the first of each rule and way; all are counted by rule.
func TestBoundKeepsWhatIsCertain(t *testing.T) {
	var list []seenPacket
	for n := range 20_000 {
		list = append(list, pushes(2*n, 2*n+1)...)
	}
	list = append(list, sent(1, falconwire.Packet{Type: falconwire.EACK, DataBase: 39_999}),
		sent(1, falconwire.Packet{Type: falconwire.BACK, DataBase: 39_999, OWNData: true}))
	r := reported(t, 1, list, nil)
	require.Len(t, r.Findings, maxFindings)
	require.Equal(t, []string{"20001 FAL-D7 false", "20002 FAL-D7 true"}, found(r, list, 1))
	require.Equal(t, []RuleCount{{"FAL-D10", 0, 19_999}, {"FAL-D7", 1, 1}}, r.ByRule)
	require.EqualValues(t, []uint64{1, 20_000}, []uint64{r.Certain, r.Possible})
	list = nil
	for n := range 20_000 { // they become certain at the end only
		list = append(list, pushes(2*n, 2*n+1)[0], back(falconwire.PSN(2*n+1)))
	}
	r = reported(t, 0, list, nil)
	require.Len(t, r.Findings, maxFindings)
	require.EqualValues(t, 19_999, r.Certain)
}
