package falconflow

import (
	"fmt"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	falconwire "hcacosim/model/falcon/wire"

	"hcacosim/model/falcon/mode"
	"hcacosim/model/falcon/psp"
)

// reported judges packets, 5 us apart, in the capture of an end that misses nothing. change makes of a packet what the
// decoder would have made of its frame.
func reported(t *testing.T, own int, list []seenPacket, change func(n int, p *Packet)) *Report {
	c := NewChecker(Options{Own: walkAddr[own], Complete: true})
	for n, x := range list {
		c.p = Packet{State: Read, Src: walkAddr[x.from], Dst: walkAddr[1-x.from], HasCID: true, Authentic: true}
		require.NoError(t, falconwire.Parse(x.p.Append(nil, &mode.Spec), &mode.Spec, &c.p.Falcon))
		if change != nil {
			change(n+1, &c.p)
		}
		c.judge(uint64(n+1), int64(n+1)*5000)
	}
	return c.Finish()
}

// found are the findings of a report in the packets of an end: packet, rule and whether it is certain.
func found(r *Report, list []seenPacket, from int) (said []string) {
	for _, f := range r.Findings {
		if list[f.Packet-1].from == from {
			said = append(said, fmt.Sprintf("%d %s %v", f.Packet, f.Rule, f.Certain))
		}
	}
	return said
}

func pushes(from, to int) (list []seenPacket) {
	for n := from; n < to; n++ {
		list = append(list, sent(0, falconwire.Packet{Type: falconwire.PushData, PSN: falconwire.PSN(n),
			RSN: falconwire.RSN(n)}))
	}
	return list
}

func back(base falconwire.PSN) seenPacket {
	return sent(1, falconwire.Packet{Type: falconwire.BACK, DataBase: base})
}

// What a packet said that was not judged nobody knows: from it on nothing is certain of what its hosts send. Where its
// connection is not known either, nothing before it.
func TestNothingIsCertainBehindWhatIsNotJudged(t *testing.T) {
	list := append(pushes(0, 2), back(2))
	list = append(list, pushes(3, 5)...)                      // 4: PSN 2 skipped
	list = append(list, pushes(5, 7)...)                      // 6 is not judged
	list = append(list, pushes(8, 9)...)                      // 8: PSN 7 skipped
	list = append(list, back(9), back(20), pushes(10, 11)[0]) // 10: never sent
	r := reported(t, 0, list, nil)
	require.Equal(t, []string{"4 FAL-D10 true", "8 FAL-D10 true", "11 FAL-D10 true"}, found(r, list, 0))
	require.Empty(t, r.Unsure)
	for state, why := range map[State]error{NotJudged: psp.NoKey, Unauthentic: psp.BadICV, Malformed: badLength} {
		for _, known := range []bool{true, false} {
			r := reported(t, 0, list, func(n int, p *Packet) {
				if n == 6 {
					p.State, p.Why, p.HasCID = state, why, known
				}
			})
			require.Equal(t, fmt.Sprintf("4 FAL-D10 %v", known), found(r, list, 0)[0])
			require.EqualValues(t, map[bool]int{true: 1}[known], r.Certain, "%v %v: %v", state, known, r.Findings)
			require.Len(t, r.Unsure, 1)
			require.EqualValues(t, map[bool]int{true: 6, false: 1}[known], r.Unsure[0].From)
		}
	}
}

// What came, or left, and was not judged is not missed.
func TestWhatIsNotJudgedIsNotMissed(t *testing.T) {
	list := append(pushes(0, 4), back(4), pushes(4, 5)[0])
	six := func(n int, p *Packet) {
		if n == 6 {
			p.State, p.Why = NotJudged, cut
		}
	}
	eack := sent(1, falconwire.Packet{Type: falconwire.EACK, DataBase: 4, DataRx: falconwire.Bitmap{Lo: 0b111},
		DataAck: falconwire.Bitmap{Lo: 0b110}})
	nack := sent(1, falconwire.Packet{Type: falconwire.NACK, DataBase: 4, NackPSN: 4, NackCode: falconwire.NackResources})
	data := sent(1, falconwire.Packet{Type: falconwire.PullData, DataBase: 4, RSN: 4})
	for rule, more := range map[string][]seenPacket{"7 FAL-D2 true": {back(5)}, "8 FAL-D4 true": {pushes(5, 6)[0], eack},
		"7 FAL-D9 true": {nack}, "7 FAL-T1 true": {data}, "7 FAL-D10 true": pushes(5, 6), "7 FAL-D4 true": {eack}} {
		all := append(list[:6:6], more...)
		require.Empty(t, reported(t, all[len(all)-1].from, all, six).Findings, rule)
		if rule[0] == '8' || more[0].from == 0 {
			continue
		}
		all = append(list[:5:5], more...)
		r := reported(t, 1, all, nil)
		require.Contains(t, found(r, all, 1), "6"+rule[1:], "it never came")
	}
	acks := func(n int, p *Packet) {
		if n > 6 && p.Src == walkAddr[1] {
			p.State, p.Why = NotJudged, cut
		}
	}
	for n := 5; n < 300; n++ {
		list = append(list, append(pushes(n, n+1), back(falconwire.PSN(n+1)))...)
	}
	require.Empty(t, reported(t, 0, list, acks).Findings, "FAL-D11")
}

// A second way that is seen only in packets that are not judged is one, too.
func TestWayThatIsNotJudged(t *testing.T) {
	list := append(pushes(0, 2), back(2), pushes(3, 4)[0], pushes(4, 5)[0])
	r := reported(t, 0, list, func(n int, p *Packet) {
		if n == 5 {
			p.State, p.Why, p.Falcon.CID = NotJudged, psp.NoKey, 0xB0
		}
	})
	require.Equal(t, []string{"4 FAL-D10 false"}, found(r, list, 0))
	require.EqualValues(t, 2, r.Unpaired)
}

// eackOfFive names PSNs 5 to the given one: 5 waits for the ULP.
func eackOfFive(top int, own bool) seenPacket {
	rx := falconwire.Bitmap{Lo: 1<<(top-4) - 1}
	return sent(1, falconwire.Packet{Type: falconwire.EACK, DataBase: 5, DataRx: rx,
		DataAck: falconwire.Bitmap{Lo: rx.Lo &^ 1}, OWNData: own})
}

// One PSN far away, which the receiver drops and tells of with OWN, says nothing against the receiver. Its sender may
// be wrong.
func TestStrayPSN(t *testing.T) {
	wild := pushes(0x4000_0000, 0x4000_0001)[0]
	list := append(append(pushes(0, 10), wild), pushes(10, 11)...)
	for _, all := range [][]seenPacket{append(list, eackOfFive(10, true)), append(list[:11:11], eackOfFive(9, true))} {
		r := reported(t, 1, all, nil)
		require.Empty(t, found(r, all, 1))
		require.Zero(t, r.Certain)
	}
	require.Equal(t, []string{"11 FAL-D11 false"}, found(reported(t, 0, list, nil), list, 0))
	list = append(list, back(11), pushes(12, 13)[0])
	require.Contains(t, found(reported(t, 0, list, nil), list, 0), "14 FAL-D10 false", "it may be of a new connection")
}

// A late packet of the connection that had the identifier before changes nothing of the one that has it now.
func TestLatePacketOfTheConnectionBefore(t *testing.T) {
	list := append(pushes(0x5000_0000, 0x5000_0005), back(0x5000_0005))
	list = append(list, pushes(0, 10)...)
	late := pushes(0x5000_0002, 0x5000_0003)[0]
	for _, all := range [][]seenPacket{append(append(list, late), append(pushes(10, 11), eackOfFive(10, true))...),
		append(list, late, eackOfFive(9, true))} {
		r := reported(t, 1, all, nil)
		require.Empty(t, found(r, all, 1))
		require.Zero(t, r.Certain)
	}
}

// A packet whose UDP checksum is wrong is dropped by whom it is for; nothing is certain behind it, for devices may
// take it. What an end sends with a checksum that its NIC fills in is as it says.
func TestDamagedPacket(t *testing.T) {
	list := append(append(pushes(0, 10), pushes(10+0x4000, 11+0x4000)...), pushes(10, 11)...)
	list = append(list, eackOfFive(10, false), back(3))
	damaged := func(n int, p *Packet) {
		if n == 11 {
			p.Authentic, p.Damaged = false, true
		}
	}
	r := reported(t, 1, list, damaged)
	require.Equal(t, []string{"14 FAL-D2 false"}, found(r, list, 1))
	require.Equal(t, "its UDP checksum is wrong", r.Unsure[0].Why)
	require.Empty(t, found(r, list, 0))
	unfilled := func(n int, p *Packet) { p.Authentic, p.Damaged = p.Src != walkAddr[0], p.Src == walkAddr[0] }
	right := append(pushes(0, 10), back(10), pushes(11, 12)[0])
	require.Equal(t, []string{"12 FAL-D10 false"}, found(reported(t, 0, right, unfilled), right, 0))
}

// On a loopback every way runs both ways: none is held against itself.
func TestLoopback(t *testing.T) {
	for _, cids := range []int{1, 2} {
		c := NewChecker(Options{Own: walkAddr[0], Complete: true})
		for n := range 6 {
			c.p = Packet{State: Read, Src: walkAddr[0], Dst: walkAddr[0], HasCID: true, Authentic: true}
			c.p.Falcon = falconwire.Packet{Type: falconwire.PushData, PSN: falconwire.PSN(n), RSN: falconwire.RSN(n),
				CID: uint32(n % cids), DataBase: 1000, RequestBase: 2000}
			if cids == 2 {
				c.p.Falcon.PSN, c.p.Falcon.RSN = falconwire.PSN(n/2), falconwire.RSN(n/2)
			}
			c.judge(uint64(n+1), 0)
		}
		require.Empty(t, c.Finish().Findings)
	}
}

// Two ways are not held against each other where others of their hosts found no room; what is not followed is counted.
func TestWaysThatFindNoRoom(t *testing.T) {
	list := []seenPacket{pushes(0, 1)[0], sent(1, falconwire.Packet{Type: falconwire.PushData, PSN: 500, DataBase: 7000}),
		pushes(7000, 7001)[0], sent(1, falconwire.Packet{Type: falconwire.BACK, DataBase: 7001})}
	c := NewChecker(Options{Own: walkAddr[1], Complete: true})
	for n := range maxWays - 2 {
		c.p = Packet{State: Read, Src: netip.AddrFrom4([4]byte{11, 0, byte(n >> 8), byte(n)}), Dst: walkAddr[1],
			HasCID: true, Authentic: true, Falcon: falconwire.Packet{Type: falconwire.PushData}}
		c.judge(uint64(n+1), 0)
	}
	for n, x := range list {
		c.p = Packet{State: Read, Src: walkAddr[x.from], Dst: walkAddr[1-x.from], HasCID: true, Authentic: true, Falcon: x.p}
		if n == 2 {
			c.p.Falcon.CID = 0xB1
		}
		c.judge(uint64(maxWays+n-1), 0)
	}
	r := c.Finish()
	require.Zero(t, r.Certain, r.Findings)
	require.EqualValues(t, 1, r.Unfollowed)
	require.EqualValues(t, 2, r.Unpaired)
	require.Equal(t, "not all of their connections are followed", r.Unsure[0].Why)
}

// Two connections between two hosts, of which no packet tells which ways belong together: no PSN is held against a base
// that is not known. Where nothing comes back at all the base cannot have moved.
func TestWindowOfUnpairedWays(t *testing.T) {
	var list []seenPacket
	var cids []uint32
	for n := range 300 {
		for _, cid := range []uint32{0, 2} {
			list, cids = append(list, pushes(n, n+1)[0]), append(cids, cid)
			if n%16 == 15 {
				list, cids = append(list, back(falconwire.PSN(n+1))), append(cids, cid)
			}
		}
	}
	r := reported(t, 0, list, func(n int, p *Packet) { p.Falcon.CID += cids[n-1] })
	require.Empty(t, r.Findings)
	require.EqualValues(t, 4, r.Unpaired)
	alone := pushes(0, 129)
	require.Equal(t, []string{"129 FAL-D11 false"}, found(reported(t, 0, alone, nil), alone, 0))
}

// What lay beyond the window before the receiver said its first base counts, too: an EACK may tell of it.
func TestBeyondBeforeTheFirstBase(t *testing.T) {
	own := sent(1, falconwire.Packet{Type: falconwire.EACK, DataBase: 128, OWNData: true})
	first := sent(1, falconwire.Packet{Type: falconwire.EACK, OWNData: true})
	list := append(pushes(0, 129), first)
	require.NotContains(t, found(reported(t, 1, list, nil), list, 1), "130 FAL-D5 true")
	list = append(list, own)
	require.Contains(t, found(reported(t, 1, list, nil), list, 1), "131 FAL-D5 true")
}

// A packet of another type under a PSN that left before is its sender's fault: its receiver may have taken either.
func TestPSNOfTwoTypes(t *testing.T) {
	pull := sent(0, falconwire.Packet{Type: falconwire.PullData, PSN: 1, RSN: 7})
	eack := sent(1, falconwire.Packet{Type: falconwire.EACK, DataRx: falconwire.Bitmap{Lo: 0b10}})
	nack := sent(1, falconwire.Packet{Type: falconwire.NACK, NackPSN: 1, NackCode: falconwire.NackRNR, RNRTimeout: 4})
	for _, x := range []struct {
		said seenPacket
		rule string
	}{{eack, "FAL-D4"}, {nack, "FAL-D9"}} {
		list := []seenPacket{pushes(0, 1)[0], back(0), pull, x.said}
		require.Equal(t, []string{"4 " + x.rule + " true"}, found(reported(t, 1, list, nil), list, 1))
		list = []seenPacket{pushes(0, 1)[0], back(0), pull, pushes(1, 2)[0], x.said}
		require.Empty(t, found(reported(t, 1, list, nil), list, 1))
	}
}
