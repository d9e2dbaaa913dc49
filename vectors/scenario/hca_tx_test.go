package scenario

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/sim"
)

// hcaTxLeast is how often hca-tx has what, at least.
var hcaTxLeast = map[string]int{"again": 1000, "RTS": 20, "SQD": 20, "a ghost": 30, "an ACK again": 20,
	"a NAK behind an expiry": 20, "PMTU code 1": 200, "PMTU code 2": 200, "PMTU code 3": 200, "PMTU code 4": 10,
	"PMTU code 5":           10,
	"response beside posts": 500, "response, doubled": 40, "an ACK of all, beside time": 20, "time passes": 150,
	"CNP": 100, "memory gives: error": 8, "memory gives less": 8, "post with a list": 15, "post behind what fails": 15,
	"payload, late": 400, "an ACK again, while wakes wait": 500, "time passes, and nobody answers": 120,
	"written": 1200, "written: error": 10, "response of what is missing": 200,
	"a response of another length": 10, "a response in the middle with a pad": 10,
	"a response in the middle of another length": 4, "a last response with a pad": 10,
	"a last response of another length": 4, "no WQE, again": 30, "post behind the end": 30,
	"an ACK that brings few credits": 20, "anything as an answer": 60, "RTS, in a moment": 100,
	"time passes behind a wait that ended": 15, "post of UC": 60, "a NAK that acknowledges": 15,
	"a response with a bad syndrome": 10,
	"a response with another opcode": 15, "a response with the opcode of a request": 3, "foreign: close": 30,
	"foreign: set up": 60, "foreign: post": 60, "foreign: what is posted is flushed": 10,
	"foreign: SQD or RTS": 10, "foreign: remove": 10, "foreign: pace": 20, "foreign: CNP": 10,
	"foreign: response": 60, "an ACK behind responses": 80, "CNP while paces are asked": 30,
	"the one CNP of its QP, beside others": 30, "CNP beside others": 300,
	"an ACK behind what is foreign": 40, "an ACK of one of several": 60, "response of a long READ": 60,
	"a response that a failure waits for": 15, "an ACK behind a close": 12, "local work is done, of many": 1000,
	"long turns": 90, "time passes, and an old timer expires": 8,
	"post while WQEs end, and others wait for their pace": 90, "close behind an ACK that waits": 30,
	"local work is done, of no turn": 200, "time passes, as much as a number holds": 15,
	"post of UC beside QPs that fail": 20, "response in a jam": 12,
	"an ACK behind a jam": 60, "an ACK beside QPs that failed": 100, "the first response of a READ, its write fails": 60,
	"time passes behind a write that failed": 40, "an ACK that calls for a READ again and brings credits": 20,
	"RTS in a crowd": 30, "post in a crowd": 35, "time passes, and six waits end": 30, "RTS, and a WQE fails": 30,
	"clear that waits for memory": 15, "post of a READ of 2 GiB": 40, "a READ of nothing ends a wait": 60,
	"no WQE, behind one that is acknowledged": 25, "post of UC by a way that was set late": 40,
	"SQD while others send": 400, "a way of no encapsulation": 60, "response of a long READ again": 15,
	"a response that acknowledges what is before its READ": 40, "flushed behind a READ that ended": 40}

// TestHcaTxReachesEverything plays hca-tx to the model: every packet that there is leaves, first and again, and every
// end that a WQE can come to occurs (REQ-1, REQ-5, REQ-11, TMR-3, TMR-4).
func TestHcaTxReachesEverything(t *testing.T) {
	s, err := Lookup("hca-tx")
	require.NoError(t, err)
	model := hca.NewHcaTxBlocks(sim.Settings{"NumQps": 256})
	statuses, opcodes, seen := map[string]int{}, map[string]int{}, map[string]int{}
	each(t, s, 1, s.Count, func(_ uint64, c *Case) {
		seen[string(c.Why)]++
		if hca.HcaTxTargetOf(c.Frame) == hca.ToCheck && c.Port == hca.HcaTxOps {
			q := hca.ParseReqRecord(hca.HcaTxRecordOf(c.Frame))
			if q.Op == hca.ReqConfigure {
				seen["PMTU code "+strconv.Itoa(int(q.PMTU))]++
			}
		}
		if string(c.Why) == "an ACK behind a close" { // it would end something if the QP were open
			a := hca.ParseHcaTxResponse(c.Frame)
			require.Equal(t, model.State(a.QPN).Next.Add(-1), a.PSN)
		}
		model.Take(&sim.Record{Port: c.Port, Data: c.Frame})
		for i := range model.Sent {
			model.Left(model.Sent[i].QPN, model.Sent[i].PSN)
		}
		for _, e := range model.Ends {
			statuses[e.Status.String()]++
		}
		for _, p := range model.Sent {
			opcodes[ib.Lookup(p.Opcode).Name]++
			if p.Again {
				seen["again"]++
			}
		}
		model.Clear()
	})
	t.Log(statuses, opcodes, seen)
	require.Len(t, opcodes, 33)
	for name, n := range opcodes {
		require.Greater(t, n, 20, name)
	}
	for status, least := range map[string]int{"success": 800, "flushed": 80, "retry exceeded": 8, "RNR retry exceeded": 3,
		"bad response": 3, "remote invalid request": 1, "remote access error": 1, "remote operation error": 1,
		"memory error": 8, "local length error": 8} {
		require.GreaterOrEqual(t, statuses[status], least, status)
	}
	for why, least := range hcaTxLeast {
		require.GreaterOrEqual(t, seen[why], least, why)
	}
}

// TestHcaTxEpisodesKeepTheirTime: no record of an episode comes when the next one has begun, at any pace.
func TestHcaTxEpisodesKeepTheirTime(t *testing.T) {
	for _, name := range []string{"hca-tx", "hca-tx-long", "hca-tx-jams", "hca-tx-meets", "hca-tx-far",
		"hca-top-sends", "hca-top-meets"} {
		s, err := Lookup(name)
		require.NoError(t, err)
		for _, p := range []Pace{{BeatBytes: 8, Words: 256}, {BeatBytes: 64, Words: 2048},
			{BeatBytes: 8, Words: 256, Idle: 0.35, Backpressure: 0.35},
			{BeatBytes: 64, Words: 2048, Idle: 0.35, Backpressure: 0.35}, {BeatBytes: 128, Words: 65536},
			{BeatBytes: 128, Words: 65536, Idle: 0.35, Backpressure: 0.35},
			{BeatBytes: 128, Words: 2048, Idle: 0.7, Backpressure: 0.7}} {
			for seed := range uint64(4) {
				g := NewGenerator(s, seed)
				g.SetPace(p)
				h, episodes := hcaTxHost{g: g, length: hcaTxLength}, 16
				switch name {
				case "hca-top-sends":
					h.top, h.length = &hcaTopSender{}, hcaTopSendsLength
				case "hca-top-meets":
					h.top, h.length = &hcaTopSender{}, hcaTopMeetsLength
					h.most = hcaTopMeetsMost
				case "hca-tx-long":
					h.long, h.length = true, hcaTxLongLength
					h.most.beats, h.most.bytes = hcaTxLongBeats, hcaTxLongBytes
				case "hca-tx-jams":
					h.long, h.length = true, hcaTxJamsLength
					h.most = hcaTxJamsMost
				case "hca-tx-meets":
					h.long, h.length = true, hcaTxMeetsLength
					h.most = hcaTxMeetsMost
				case "hca-tx-far":
					h.long, h.length = true, hcaTxFarLength
					h.most, episodes = hcaTxFarMostOf, 2 // each of 16 MiB
				}
				var c Case
				for i := range uint64(episodes * h.length) {
					g.Make(i, &c)
					number := i / uint64(h.length)
					if c.NotBefore < h.start(number) || c.NotBefore >= h.start(number+1) {
						t.Fatalf("%s %v, seed %d, record %d: cycle %d is not of episode %d", name, p, seed, i, c.NotBefore, number)
					}
				}
			}
		}
	}
}

// TestHcaTxIsTheSameForEver: whether seven retries are for ever or not, a device does the same with all queue pairs but
// one that is never answered (TMR-4): what goes again asks memory, which must know of it.
func TestHcaTxIsTheSameForEver(t *testing.T) {
	for _, name := range []string{"hca-tx", "hca-tx-long", "hca-tx-jams", "hca-tx-meets"} {
		s, err := Lookup(name)
		require.NoError(t, err)
		for seed := range uint64(24) {
			seven := hca.NewHcaTxBlocks(sim.Settings{"NumQps": 32, "Reads": 2})
			forEver := hca.NewHcaTxBlocks(sim.Settings{"NumQps": 32, "Reads": 2, "retry7_forever_i": 1})
			each(t, s, seed, 8000, func(i uint64, c *Case) {
				for _, b := range []*hca.HcaTxBlocks{seven, forEver} {
					b.Take(&sim.Record{Port: c.Port, Data: c.Frame})
					for b.Deepen() {
						continue
					}
					b.Clear()
				}
				for _, qpn := range hcaTxQPs {
					is, was := forEver.State(qpn), seven.State(qpn)
					require.Equal(t, was.Failed, is.Failed, "%s, seed %d, record %d, QP %d", name, seed, i, qpn)
				}
			})
		}
	}
}
