package scenario

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

// TestHcaTxLongReachesEverything: packets of messages of more than 128 KiB leave, go again from there on, by READs up
// to 512 KiB, and writes fail by the dozen.
func TestHcaTxLongReachesEverything(t *testing.T) {
	s, err := Lookup("hca-tx-long")
	require.NoError(t, err)
	model, again, sent, failed := hca.NewHcaTxBlocks(sim.Settings{"NumQps": 32}), map[int]int{}, map[roce.Verb]int{}, 0
	each(t, s, 1, s.Count, func(_ uint64, c *Case) {
		if string(c.Why) == "written: error" {
			failed++
		}
		model.Take(&sim.Record{Port: c.Port, Data: c.Frame})
		for model.Deepen() {
			continue
		}
		for i := range model.Sent {
			p := &model.Sent[i]
			model.Left(p.QPN, p.PSN)
			if offset := p.Packet().Offset; offset >= 1<<17 {
				sent[p.WQE.Verb]++
				if p.Again {
					again[int(offset)>>17]++
				}
			}
		}
		model.Clear()
	})
	t.Log(again, sent, failed)
	require.Equal(t, 3*hcaTxLongUnderWay, failed)
	require.Positive(t, sent[roce.Send]+sent[roce.Write])
	require.Positive(t, sent[roce.Read])
	for _, least := range [...]int{1, 2, 4} { // 128, 256 and 512 KiB
		require.Positive(t, again[least], "%d KiB", 128*least)
	}
}

// TestHcaRxLongReachesEverything: memory fails READs whose PSNs carry into each bit from the eighth on, and out of the
// last one; each round writes more behind an atomic than memory has tags; and what comes again across a carry is
// answered, what has the PSN of another operation is silent, and a WRITE that is too long for its region is refused.
func TestHcaRxLongReachesEverything(t *testing.T) {
	s, err := Lookup("hca-rx-long")
	require.NoError(t, err)
	model, carries, behind := hca.NewHcaRxBlocks(sim.Settings{}), map[int]int{}, 0
	again, other, longest := 0, 0, 0
	var f hca.HcaRxFrame
	each(t, s, 1, s.Count, func(_ uint64, c *Case) {
		switch c.Port {
		case 0:
			model.Play(&f, c.Link, c.Frame)
			switch string(c.Why) {
			case "a READ again, behind one that ends where PSNs carry":
				require.True(t, !f.Executed() && f.Asked.IsRead)
				again++
			case "the other of the two, of the same PSN":
				require.False(t, f.Executed() || f.Asked.Does || f.Asked.IsRead)
				other++
			case "a WRITE that begins in its region, the longest":
				if f.Result.ToError { // but in a region that has room for it
					longest++
				}
			case "a READ that memory fails where PSNs carry":
				require.True(t, f.Executed())
				require.Greater(t, f.Asked.Read.Bytes, uint32(128)<<f.Asked.Read.PMTU, "one response")
				carries[bits.TrailingZeros32(uint32(f.Asked.Read.PSN)+1)]++
			case "a write that overtakes an atomic":
				require.True(t, f.Placed())
				behind++
			}
		case 1:
			model.Operate(c.Frame)
		}
	})
	t.Log(carries, behind)
	for carry := hcaRxLongCarry; carry <= 24; carry++ {
		require.Positive(t, carries[carry], "bit %d", carry)
	}
	require.Equal(t, 14*hcaRxLongWrites, behind)
	t.Log(again, other, longest)
	require.True(t, again > 14 && other > 7 && longest > 3)
}

// TestHcaRxVastReachesEverything: messages of 1 MiB are executed, some a packet longer; a READ of 64 KiB is, and silent
// when it comes again; and one is executed whose last response has a PSN 256 behind its first.
func TestHcaRxVastReachesEverything(t *testing.T) {
	const rounds = 7
	s, err := Lookup("hca-rx-vast")
	require.NoError(t, err)
	model, seen := hca.NewHcaRxBlocks(sim.Settings{}), map[string]int{}
	var f hca.HcaRxFrame
	each(t, s, 1, s.Count, func(_ uint64, c *Case) {
		switch c.Port {
		case 0:
			model.Play(&f, c.Link, c.Frame)
			switch why := string(c.Why); why {
			case "a READ of 64 KiB again, its key is closed":
				require.False(t, f.Executed() || f.Asked.IsRead)
				seen[why]++
			case "a message of 1 MiB and more", "a READ of 64 KiB, of a PSN for each piece",
				"behind a READ of 64 KiB that came again", "a READ that memory fails behind 256 responses":
				require.True(t, f.Executed(), why)
				seen[why]++
			}
		case 1:
			model.Operate(c.Frame)
		}
	})
	packets := seen["a message of 1 MiB and more"]
	require.True(t, packets > rounds*(hcaRxVastPackets-2) && packets < rounds*hcaRxVastPackets, packets)
	for _, why := range [...]string{"a READ of 64 KiB, of a PSN for each piece",
		"a READ of 64 KiB again, its key is closed", "behind a READ of 64 KiB that came again",
		"a READ that memory fails behind 256 responses"} {
		require.Equal(t, rounds, seen[why], why)
	}
}

// TestHcaRxMeetsReachesEverything: READs are executed while writes of other queue pairs are placed that memory fails;
// and what memory gives ahead of its question has the tag that it failed before.
func TestHcaRxMeetsReachesEverything(t *testing.T) {
	const rounds = 11
	s, err := Lookup("hca-rx-meets")
	require.NoError(t, err)
	model, seen, why, failed := hca.NewHcaRxBlocks(sim.Settings{}), map[string]int{}, "", uint32(0)
	refused := map[string]map[roce.RespReason]int{}
	var f hca.HcaRxFrame
	each(t, s, 1, s.Count, func(_ uint64, c *Case) {
		switch c.Port {
		case 0:
			model.Play(&f, c.Link, c.Frame)
			if why = string(c.Why); f.Executed() {
				seen[why]++
			} else if f.IsRequest() {
				if refused[why] == nil {
					refused[why] = map[roce.RespReason]int{}
				}
				refused[why][f.Result.Why]++
			}
		case 1:
			model.Operate(c.Frame)
		case hcaRxPortRead:
			switch tag := c.User % hca.ReadPieces; why {
			case "a READ of one piece that memory fails":
				failed = tag
			case "a READ for which memory gives before it is asked, by a tag that it failed":
				require.Equal(t, failed, tag)
			}
		}
	})
	t.Log(seen)
	require.Equal(t, rounds*2*5, seen["a WRITE that fails while READs are answered"])
	require.GreaterOrEqual(t, seen["a WRITE that fails, of as many as may wait to be told of"], rounds*2)
	require.Equal(t, rounds*2, seen["a READ of one piece that memory fails"])
	require.Equal(t, rounds*2, seen["a READ for which memory gives before it is asked, by a tag that it failed"])
	require.Greater(t, seen["a READ that is answered while writes fail"], rounds*2*4)
	require.Greater(t, seen["a READ, of as many as may be in flight"], rounds*2*3)
	taken := seen["takes a window away, and nothing else waits"]
	require.GreaterOrEqual(t, taken, rounds/2)
	require.Equal(t, map[roce.RespReason]int{roce.RespNoAccess: taken},
		refused["writes through the window that is taken away"])
	lengths := refused["an ATOMIC WRITE of another length"]
	require.Len(t, lengths, 2, "outside its region, and of another length inside")
	require.GreaterOrEqual(t, min(lengths[roce.RespNoAccess], lengths[roce.RespBadLength]), rounds/2, lengths)
}

// TestHcaTopClosesReachesEverything: many queue pairs close while a READ waits, and accesses beside that are reads one
// behind the other, or writes.
func TestHcaTopClosesReachesEverything(t *testing.T) {
	s, err := Lookup("hca-top-closes")
	require.NoError(t, err)
	seen := map[string]int{}
	each(t, s, 1, s.Count, func(_ uint64, c *Case) { seen[string(c.Why)]++ })
	t.Log(seen)
	require.Equal(t, 6*hcaTopCloses.pieces, seen["memory gives"])
	crowd := 0
	for _, why := range hcaTopCrowdWhys {
		require.Greater(t, seen[why], 140, why)
		crowd += seen[why]
	}
	require.GreaterOrEqual(t, crowd, 5600)
	for why, least := range map[string]int{"command: FREE, too early": 140,
		"read: ID, while a QP closes": 1200, "write: ARG7, while a QP closes": 1200, "command: RTR": 80} {
		require.GreaterOrEqual(t, seen[why], least, why)
	}
}

// TestHcaTxJudgeTakesMoreWrites: a device that hands over all writes of an episode as soon as it can, more than
// read_place has room for before memory acknowledges one, owes none of them wrongly: how many it holds is its choice.
func TestHcaTxJudgeTakesMoreWrites(t *testing.T) {
	s, err := Lookup("hca-tx-long")
	require.NoError(t, err)
	spec, ok := hca.Lookup("hca_tx")
	require.True(t, ok)
	settings := sim.Settings{"NumQps": 32, "Reads": 2, "SqDepth": 8, "DataWidth": 64}
	judge, device, underWay, most := spec.Checker(settings), hca.NewHcaTxBlocks(settings), 0, 0
	g, c := NewGenerator(s, 1), Case{}
	for i := range uint64(hcaTxLongLength) { // of the third episode, that of manyWait
		g.Make(2*hcaTxLongLength+i, &c)
		in := sim.Record{Start: c.NotBefore, End: c.NotBefore, Seq: i, Port: c.Port, User: c.User, Data: c.Frame}
		if c.Port == hca.HcaTxAcks {
			underWay--
		}
		judge.Input(&in)
		device.Take(&sim.Record{Port: c.Port, Data: c.Frame})
		for device.Deepen() {
			continue
		}
		for k := range device.Moved {
			out := device.Moved[k]
			if out.Port == hca.HcaTxWrites {
				underWay++
			}
			out.Start, out.End = c.NotBefore, c.NotBefore
			require.Empty(t, judge.Output(&out).Rule, "record %d: %s", i, c.Why)
		}
		most = max(most, underWay)
		device.Clear()
		if string(c.Why) == "post of a READ while six waits end" { // what is under way has been
			break
		}
	}
	require.Equal(t, hcaTxLongWaiting, most)
}
