package scenario

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/stages"
)

// TestCodeWords holds the scenarios' layouts to docs/ecc.md and to the documents of the blocks (ECC-1, ECC-2).
func TestCodeWords(t *testing.T) {
	require.Equal(t, [][2]int{{0, 64}, {64, 71}, {71, 72}, {72, 127}, {127, 133}, {133, 134}}, respCodeWord.parts)
	for bits, w := range map[int]*codeWord{185: msgCodeWord, 241: classifyCodeWord, 288: mrCodeWord, 392: reqCodeWord,
		12: rqCodeWords[hca.RQOfQueue], 4: rqCodeWords[hca.RQOfQP], 72: rqCodeWords[hca.RQOfSlot],
		247: replayCodeWords[0], 220: replayCodeWords[1], 476: hcaRxKeptCodeWords[0]} {
		require.Equal(t, bits, w.parts[len(w.parts)-1][1])
	}
}

// wornCase is what a record of a scenario came to.
type wornCase struct {
	bits   []int // that were ordered to turn
	lost   bool
	usable bool // the word said something
	counts []uint32
}

// TestWornScenariosReach: a run turns more than half of the bits of the code word, loses words, corrects many, and sees
// words that say something after all (ECC-4 to ECC-6).
func TestWornScenariosReach(t *testing.T) {
	for name, c := range map[string]struct {
		word *codeWord
		read func(in, out []byte) wornCase
	}{
		"mr-lookup-ecc": {mrCodeWord, readWornKey}, "msg-tracker-ecc": {msgCodeWord, readWornMessage},
		"rx-classify-ecc": {classifyCodeWord, readWornQP}, "req-ack-check-ecc": {reqCodeWord, readWornRequester},
		"rq-head-ecc": {rqCodeWords[hca.RQOfSlot], readWornQueue}, "replay-fifo-ecc": {replayCodeWords[1], readWornReplay},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Lookup(name)
			require.NoError(t, err)
			spec, ok := stages.Lookup(s.Stages[0])
			require.True(t, ok)
			stage := spec.New(sim.Settings{"Ecc": 1, "NumQps": 64})
			stage.Reset()
			bits, lost, usable, most := map[int]bool{}, 0, 0, [2]uint32{}
			each(t, s, 1, s.Count, func(_ uint64, k *Case) {
				w := c.read(k.Frame, advance(t, stage, k, 0).Data)
				for _, b := range w.bits {
					bits[b] = true
				}
				for i, n := range w.counts {
					most[i] = max(most[i], n)
				}
				lost += one(w.lost)
				usable += one(w.usable)
			})
			t.Log(len(bits), lost, usable, most)
			all := c.word.parts[len(c.word.parts)-1][1]
			require.Greater(t, len(bits), all*11/20)
			require.Greater(t, usable, 250)
			require.Greater(t, most[0], uint32(100)) // corrected
			require.Greater(t, most[1], uint32(20))
			if s.Stages[0] != "mr_lookup" { // a key that was lost is one that is not there
				require.Greater(t, lost, 20)
			}
		})
	}
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

func low(v uint64) []int { return []int{int(v & 0xFFFF), int(v >> 16 & 0xFFFF)} }

func readWornKey(in, out []byte) (w wornCase) {
	q, r := hca.ParseMRQuery(in), hca.ParseMRResult(out)
	switch {
	case q.Op == hca.MRInject && r.OK:
		w.bits = low(q.VA)
	case q.Op == hca.MRCounts:
		w.counts = []uint32{uint32(r.Address & 0xFFFF), uint32(r.Address >> 16 & 0xFFFF)}
	default:
		w.usable = r.OK && q.Op == hca.MRCheck
	}
	return w
}

func readWornMessage(in, out []byte) (w wornCase) {
	q, r := hca.ParseMsgQuery(in), hca.ParseMsgResult(out)
	switch {
	case q.Op == hca.MsgInject && r.Found:
		w.bits = low(q.VA)
	case q.Op == hca.MsgCounts:
		w.counts = []uint32{r.Offset, r.Left}
	default:
		w.lost, w.usable = r.Lost(), r.Found && !q.First
	}
	return w
}

func readWornQP(in, out []byte) (w wornCase) {
	q, r := hca.ParseClassifyQuery(in), hca.ParseClassifyResult(out)
	switch {
	case q.Op == hca.ClassifyInject && r.Class == hca.ClassDone:
		w.bits = low(uint64(binary.BigEndian.Uint32(q.Src[12:])))
	case q.Op == hca.ClassifyCounts:
		w.counts = []uint32{uint32(r.PKey & 0xFF), uint32(r.PKey >> 8)}
	default:
		w.lost, w.usable = r.Why == hca.ClassifyLost, q.Op == hca.ClassifyPacket && r.Class == hca.ClassRequest
	}
	return w
}

func readWornRequester(in, out []byte) (w wornCase) {
	q, r := hca.ParseReqRecord(in), hca.ParseReqAnswer(out)
	switch {
	case q.Op == hca.ReqMaintain && q.Kind == hca.ReqInject:
		if r.Why == roce.ReqTaken {
			w.bits = []int{int(q.Count & 0xFFFF), int(q.Number & 0xFFFF)}
		}
	case q.Op == hca.ReqMaintain && q.Kind == hca.ReqCounts:
		w.counts = []uint32{uint32(r.UnaBefore), uint32(r.Una)}
	default:
		w.lost, w.usable = r.Why == roce.ReqLost, r.Progress
	}
	return w
}

// readWornQueue has the bits and counts of the WQEs in queues.
func readWornQueue(in, out []byte) (w wornCase) {
	q, r := hca.ParseRQQuery(in), hca.ParseRQResult(out)
	isSlot := hca.RQMemory(q.WQE&3) == hca.RQOfSlot
	switch {
	case q.Op == hca.RQInject && r.Present && isSlot:
		w.bits = low(uint64(q.Bytes))
	case q.Op == hca.RQCounts && isSlot:
		w.counts = []uint32{r.Bytes & 0xFFFF, r.Bytes >> 16}
	case q.Op < hca.RQInject:
		w.lost, w.usable = r.Lost(), r.Present && q.Op == hca.RQLookUp
	}
	return w
}

// readWornReplay has those of slots.
func readWornReplay(in, out []byte) (w wornCase) {
	q, r := hca.ParseReplayQuery(in), hca.ParseReplayAnswer(out)
	isSlot := q.Kind&1 == 1
	switch {
	case q.Op == hca.ReplayInject && r.Found && isSlot:
		w.bits = low(q.VA)
	case q.Op == hca.ReplayCounts && isSlot:
		w.counts = []uint32{uint32(r.Original & 0xFFFF), uint32(r.Original >> 16 & 0xFFFF)}
	case q.Op < hca.ReplayInject:
		w.lost, w.usable = r.Lost(), r.Found && q.Op == hca.ReplayLookUp
	}
	return w
}

// TestHcaRxECCReaches plays hca-rx-ecc to the model: packets dropped because of a lost word of rx_classify, of
// msg_tracker, of rq_head and of resp_psn_check, requests refused for a key, and READs and atomics that were lost; none
// of them answered but the refused (ECC-3, ECC-6, ECC-7). What rq_head has lost is seen where its injections are left
// out.
func TestHcaRxECCReaches(t *testing.T) {
	seen := playWornHcaRx(t, func([]byte) bool { return false })
	t.Log(seen, ib.NAKRemoteAccess)
	require.Greater(t, seen["QP"], 1)
	require.Greater(t, seen["bad context"], 8)
	require.Greater(t, seen["refused"], 20)
	require.Greater(t, seen["executed"], 500)
	require.Greater(t, seen["lost"], 3)
	without := playWornHcaRx(t, func(op []byte) bool {
		return hca.HcaRxTargetOf(op) == hca.ToReceiveQueues && hca.RQOp(op[0]>>4&7) == hca.RQInject
	})
	t.Log(without)
	require.Greater(t, seen["bad context"], without["bad context"]+20)
}

// playWornHcaRx plays hca-rx-ecc without some operations, and counts what became of its frames, READs and atomics.
func playWornHcaRx(t *testing.T, without func(op []byte) bool) map[string]int {
	s, err := Lookup("hca-rx-ecc")
	require.NoError(t, err)
	spec, ok := hca.Lookup("hca_rx")
	require.True(t, ok)
	stage, seen := spec.New(sim.Settings{"Ecc": 1, "NumQps": 64}), map[string]int{}
	for _, in := range recordsInTime(t, s, 1, 18*hcaRxLength) {
		if in.Port == 1 && without(in.Data) {
			continue
		}
		for _, r := range stage.Advance(in.Start, []sim.Record{in}, nil) {
			switch spec.Ports[r.Port].Name {
			case "m_rec":
				dropped, why := hca.ClassifyWhy(r.Data[6]>>3&15), roce.RespReason(r.Data[7]>>2&31)
				answer := r.Data[7]>>7 | r.Data[8]&3<<1
				if dropped == hca.ClassifyLost || why == roce.RespBadContext {
					require.Zero(t, answer)
				}
				seen["QP"] += one(dropped == hca.ClassifyLost)
				seen["bad context"] += one(why == roce.RespBadContext)
				seen["refused"] += one(why == roce.RespNoAccess)
				seen["executed"] += one(r.Data[6]&7 == 1 && r.Data[6]>>7|r.Data[7]&3<<1 == 0)
			case "m_end":
				if hca.HcaRxEnd(r.Data[9]&7) == hca.HcaRxLost {
					require.Zero(t, [3]byte(r.Data[6:9]), "responses left")
					seen["lost"]++
				}
			}
		}
	}
	return seen
}
