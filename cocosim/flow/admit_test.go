package flow_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/flow"
	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// pkey sets the P_Key of a packet.
func pkey(key uint16) func(w *wire.Packet) {
	return func(w *wire.Packet) { w.BTH()[2], w.BTH()[3] = byte(key>>8), byte(key) }
}

// strangers are packets that do not reach their queue pair, each with a right ICRC.
var strangers = []struct {
	name string
	do   func(w *wire.Packet)
	key  uint16 // of the queue pair's end, and of every other packet
	text string
}{
	{"forged source", func(w *wire.Packet) { setAddress(w, 12) }, 0xFFFF, "ADM-4"},
	{"TVer 1", func(w *wire.Packet) { w.BTH()[1] |= 1 }, 0xFFFF, ""},
	{"limited to limited", pkey(0x7FFF), 0x7FFF, "ADM-5"},
	{"another partition", pkey(0x8001), 0xFFFF, "ADM-5"},
	{"no such queue pair", func(w *wire.Packet) { w.BTH()[7] ^= 0x40 }, 0xFFFF, "ADM-3"},
	{"of another service", func(w *wire.Packet) { w.BTH()[0] = byte(ib.Join(ib.UC, w.Op.Operation)) }, 0xFFFF, "ADM-3"},
	{"for another address", func(w *wire.Packet) { setAddress(w, 16) }, 0xFFFF, "ADM-1"},
}

// verdicts runs the checker over frames and keeps what it says of each.
func verdicts(t testing.TB, list []vectors.Frame, opt flow.Options) (all []flow.Verdict, r *flow.Report) {
	c, err := flow.New(opt)
	require.NoError(t, err)
	var p wire.Packet
	for i := range list {
		list[i].Number = uint64(i + 1)
		wire.DecodeCut(list[i].Link, list[i].Data, list[i].OrigLen, &p)
		all = append(all, c.Take(&list[i], &p, p.ICRC()))
	}
	return all, c.Finish()
}

// What is not admitted moves no state, in every profile: inserted in front of the packet that it copies it changes
// nothing, and a device that answers it in that packet's place is wrong.
func TestStrangersMoveNothing(t *testing.T) {
	path := capturePath(t, "rc_send_sizes.b")
	list := frames(t, path)
	for _, profile := range []roce.Profile{roce.Spec, roce.Rxe} {
		for _, s := range strangers {
			opt := options(t, path, profile, false)
			opt.Sidecar.B.PKey = &s.key
			clean, before := verdicts(t, list, opt)
			require.Empty(t, before.Violations)
			for i := range list {
				var w wire.Packet
				wire.Decode(list[i].Link, list[i].Data, &w)
				if !isRequest(&w) {
					continue
				}
				odd := edit(list, i, s.do)
				all, r := verdicts(t, slices.Insert(slices.Clone(list), i, odd[i]), opt)
				require.Empty(t, r.Violations, "%s before packet %d", s.name, i+1)
				require.Equal(t, clean, slices.Delete(slices.Clone(all), i, i+1), "%s before packet %d", s.name, i+1)
				if s.text != "" {
					require.Equal(t, flow.NotTaken, all[i].Class)
					require.Contains(t, all[i].Comment(), "not taken: "+s.text)
				} else {
					require.Equal(t, flow.Malformed, all[i].Class)
				}
				_, r = verdicts(t, odd, opt)
				require.NotZero(t, r.Certain, "%s in place of packet %d", s.name, i+1)
			}
		}
	}
}

// ADM-6 comes last: a frame that the way damaged is a bad ICRC, and the text says what else would have kept it out.
func TestDamagedStranger(t *testing.T) {
	path := capturePath(t, "rc_send_sizes.b")
	list := frames(t, path)
	opt := options(t, path, roce.Rxe, false)
	list = edit(list, 0, func(*wire.Packet) {})
	list[0].Data[len(list[0].Data)-1] ^= 1
	all, _ := verdicts(t, list, opt)
	require.Equal(t, flow.Verdict{Class: flow.BadICRC}, all[0])
	list = edit(list, 0, func(w *wire.Packet) { setAddress(w, 12) })
	list[0].Data[len(list[0].Data)-1] ^= 1
	all, _ = verdicts(t, list, opt)
	require.Equal(t, flow.BadICRC, all[0].Class)
	require.Contains(t, all[0].Comment(), "bad ICRC: ADM-4")
}

// An answer that goes to the address of a forged request is wrong: nobody there has asked.
func TestAnswerToAForger(t *testing.T) {
	path := capturePath(t, "rc_send_sizes.b")
	list := frames(t, path)
	opt := options(t, path, roce.Rxe, false)
	answer := -1
	others(list, func(i int, w *wire.Packet) {
		if isResponse(w) && answer < 0 {
			answer = i
		}
	})
	forged := list
	for i := range answer { // so that the address of the forger has never asked lawfully
		forged = edit(forged, i, func(w *wire.Packet) { setAddress(w, 12) })
	}
	_, r := verdicts(t, edit(forged, answer, func(w *wire.Packet) { setAddress(w, 16) }), opt)
	first := slices.MinFunc(r.Violations, func(a, b flow.Finding) int { return int(a.Packet) - int(b.Packet) })
	require.EqualValues(t, "RSP-14", first.Rule)
	require.EqualValues(t, answer+1, first.Packet)
}

// What the sidecar says of access is the region's: a WRITE that the region does not allow is answered 62h, one that the
// queue pair does not allow 61h.
func TestAccessIsTheRegions(t *testing.T) {
	path := capturePath(t, "err_write_badrkey.b")
	list := frames(t, path)
	var key uint32
	others(list, func(_ int, w *wire.Packet) {
		if isRequest(w) && w.RETH() != nil {
			key = w.RETH().RKey()
		}
	})
	for _, profile := range []roce.Profile{roce.Spec, roce.Rxe} {
		opt := options(t, path, profile, false)
		for range 2 { // the key opens nothing; then a region that is not for remote writes
			require.Empty(t, judge(t, list, opt).Violations)
			opt.Sidecar.B.RKey, opt.Sidecar.B.Access = key, uint16(roce.LocalWrite|roce.RemoteRead)
		}
		opt.Sidecar.B.QPAccess = &opt.Sidecar.B.Access
		r := judge(t, list, opt)
		require.NotEmpty(t, r.Violations)
		require.Contains(t, r.Violations[0].Text, "NAK remote access error in place of NAK invalid request")
	}
}

// The low 15 bits of the P_Key in what an end sends are those of its queue pair (ADM-5): one wrong bit, any of them, is
// certain at once.
func TestEachBitOfThePKeySent(t *testing.T) {
	var d dialog
	d.say('A', 0, wire.Spec{Opcode: ib.Join(ib.RC, ib.SendOnly), PSN: builtPSN, AckReq: true}, []byte("1234"))
	d.say('B', time.Millisecond, wire.Spec{Opcode: ib.Join(ib.RC, ib.Ack), PSN: builtPSN, Syndrome: 31, MSN: 1}, nil)
	opt := flow.Options{Profile: roce.Spec, Sidecar: builtSidecar(), At: "B"}
	opt.Sidecar.Recvs = nil
	require.Empty(t, judge(t, d.list, opt).Violations)
	for bit := range 15 {
		r := judge(t, edit(d.list, 1, pkey(0xFFFF^1<<bit)), opt)
		require.Len(t, r.Violations, 1, "bit %d", bit)
		require.Equal(t, roce.Rule("ADM-5"), r.Violations[0].Rule)
		require.True(t, r.Violations[0].Certain(), "bit %d", bit)
	}
}

// ADM-5: where nobody told of a P_Key the endpoint's own packets do, to each peer. What is of no partition that it
// sends that peer in is dropped.
func TestPartitionOfTheEndpointsOwnPackets(t *testing.T) {
	build := func(mine, theirs, stray uint16) []vectors.Frame {
		var k talk
		for n := range int32(3) {
			k.say('A', ib.SendOnly, n, asks)
			k.say('B', ib.Ack, n, counts(uint32(n+1)))
		}
		return rewritten(k.list, everyFrame, func(w *wire.Packet) {
			switch {
			case w.IPv4().Src()[3] == 2:
				pkey(mine)(w)
			case w.BTH().PSN() == builtPSN+1:
				pkey(stray)(w)
			default:
				pkey(theirs)(w)
			}
		})
	}
	for _, c := range []struct {
		mine, theirs, stray uint16
		away                int
	}{
		{0xFFFF, 0xFFFF, 0xFFFF, 0}, {0x8001, 0x8001, 0x8001, 0},
		{0x0001, 0x8001, 0x8001, 0}, {0x8001, 0x0001, 0x8001, 0},
		{0x8001, 0x8001, 0xFFFF, 1}, {0xFFFF, 0xFFFF, 0x8001, 1}, {0x0001, 0x8001, 0x0001, 1},
	} {
		list := build(c.mine, c.theirs, c.stray)
		opt := flow.Options{Profile: roce.Spec, At: "10.1.0.2", Complete: true, PMTUBytes: 256}
		opt.Scan = flow.ScanFrames(list)
		all, r := verdicts(t, list, opt)
		away := 0
		for i := range all {
			if all[i].OfAnotherPartition() {
				away++
			}
		}
		require.Equal(t, c.away, away, "%04X", c)
		require.Equal(t, c.away > 0, r.Certain > 0, "%04X: its answer is wrong, and nothing else: %v", c, r.Violations)
	}
}
