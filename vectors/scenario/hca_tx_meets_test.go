package scenario

import (
	"math/bits"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

// hcaTxMeetsSeen is what a run of hca-tx-meets has.
type hcaTxMeetsSeen struct {
	why                map[string]int
	lengths            map[roce.Verb]map[int]bool // which bits are the highest
	marks, waits       map[uint64]bool            // clocks from a post to a CNP, and to a set
	posted             map[uint32]uint64          // when each last posted
	first              map[hca.HcaTxTarget]int    // what came first beside a failure
	failing            bool
	transports         map[ib.Opcode]bool
	credits, shut, own int
	waiting, expiring  int            // ACKs again of who waits, ends of READs where others expire
	ends               map[string]int // packets that leave by what is at an end; READs of half of all PSNs
}

// TestHcaTxMeetsReachesEverything: lengths have each bit, CNPs and sets come each number of clocks behind a post,
// another operation is the first beside a failure, and each thing of which many come is many.
func TestHcaTxMeetsReachesEverything(t *testing.T) {
	s, err := Lookup("hca-tx-meets")
	require.NoError(t, err)
	m := hcaTxMeetsSeen{why: map[string]int{}, lengths: map[roce.Verb]map[int]bool{}, marks: map[uint64]bool{},
		waits: map[uint64]bool{}, posted: map[uint32]uint64{}, first: map[hca.HcaTxTarget]int{},
		transports: map[ib.Opcode]bool{}, ends: map[string]int{}}
	model := hca.NewHcaTxBlocks(sim.Settings{"NumQps": 256})
	each(t, s, 1, s.Count, func(_ uint64, c *Case) {
		m.see(c, model)
		model.Take(&sim.Record{Port: c.Port, Data: c.Frame})
		for model.Deepen() {
			continue
		}
		m.hear(string(c.Why), model)
		for i := range model.Sent {
			model.Left(model.Sent[i].QPN, model.Sent[i].PSN)
		}
		model.Clear()
	})
	t.Log(m.why, m.first, m.waits)
	for _, verb := range [...]roce.Verb{roce.Write, roce.Flush, roce.Read} {
		require.Len(t, m.lengths[verb], 32-hcaTxMeetsLowest, verb)
	}
	require.Len(t, m.marks, hcaTxMeetsDelays)
	require.GreaterOrEqual(t, len(m.waits), 14)
	require.Len(t, m.transports, 7*4)
	require.Len(t, m.first, 7)
	require.Equal(t, 6, m.credits)
	require.Equal(t, 6*2, m.shut)
	require.Equal(t, 6*2, m.own)
	for _, why := range hcaTxMeetsEnds {
		require.Equal(t, 6*hcaTxEndsPackets, m.ends[why], why)
	}
	require.Equal(t, 6, m.ends["a READ of half of all PSNs"])
	require.GreaterOrEqual(t, m.waiting, 6*hcaTxMeetsWaits*hcaTxMeetsAgain*2/3)
	require.Equal(t, 6*(hcaTxMeetsReads*(len(hcaTxJamsGo)-len(hcaTxOthers))+2*hcaTxMeetsSixteens), m.expiring)
	for why, least := range hcaTxMeetsLeast {
		require.GreaterOrEqual(t, m.why[why], least, why)
	}
}

// hcaTxMeetsEnds are what has all packets of a trial leave.
var hcaTxMeetsEnds = [...]string{"post of a byte or some at a pace", "time passes, and all goes again at a pace",
	"post behind credits for half of all numbers"}

// hcaTxMeetsLeast is how often hca-tx-meets has what, at least.
var hcaTxMeetsLeast = map[string]int{"CNP while turns end": 6 * 240, "a wake of one that is closed, among CNPs": 6 * 15,
	"post beside an ACK of a twin": 6 * hcaTxTwinPairs, "an ACK of who is closed": 6,
	"RTS of who is closed":           hcaTxMeetsMany,
	"an ACK again, of who is closed": hcaTxMeetsMany, "RTS of who was not in SQD": 2 * hcaTxMeetsMany,
	"foreign: SQD or RTS": 2 * hcaTxMeetsMany, "post where there is no room": 2 * hcaTxMeetsMany,
	"post where the queue has failed": 2 * hcaTxMeetsMany, "foreign: post": 2 * hcaTxMeetsMany,
	"local work is done, not in its turn": 2 * hcaTxMeetsMany}

// see takes note of a record before the model has it.
func (m *hcaTxMeetsSeen) see(c *Case, model *hca.HcaTxBlocks) {
	why := string(c.Why)
	m.why[why]++
	switch c.Port {
	case hca.HcaTxResponses:
		m.response(why, hca.ParseHcaTxResponse(c.Frame), model)
	case hca.HcaTxCNPs:
		if why == "the one CNP of its QP, a packet of which leaves" {
			m.marks[c.NotBefore-m.posted[uint32(c.Frame[0])|uint32(c.Frame[1])<<8|uint32(c.Frame[2])<<16]] = true
		}
	case hca.HcaTxOps:
		m.operation(why, c)
	}
}

func (m *hcaTxMeetsSeen) operation(why string, c *Case) {
	to, record := hca.HcaTxTargetOf(c.Frame), hca.HcaTxRecordOf(c.Frame)
	switch q := hca.ParseSQRecord(record); {
	case to == hca.ToTurns && why == "set while it is woken":
		m.waits[c.NotBefore-m.posted[hca.ParseSchedRecord(record).QPN]] = true
	case to == hca.ToSendQueues && q.Op == hca.SQPost:
		m.posted[q.QPN] = c.NotBefore
		if why == "post of a WRITE of one length or another" || why == "post of a FLUSH and a READ of that length" {
			if m.lengths[q.Verb] == nil {
				m.lengths[q.Verb] = map[int]bool{}
			}
			m.lengths[q.Verb][bits.Len32(q.Length)] = true
		}
	}
	if why == "set up beside a failure" && m.failing {
		m.first[to]++
	}
	m.failing = why == "post of what fails before operations"
}

func (m *hcaTxMeetsSeen) response(why string, a hca.HcaTxResponse, model *hca.HcaTxBlocks) {
	s := model.State(a.QPN)
	switch why {
	case "a READ response of another transport":
		m.transports[a.Opcode] = true
	case "the last response of twins whose writes failed":
		if !s.Open {
			m.shut++
		}
	case "an ACK again, of who waits":
		if s.Open && a.PSN == s.Una.Add(-1) {
			m.waiting++
		}
	case "a response of half of all PSNs":
		if s.Open && uint32(s.High-s.Una)&0xFFFFFF == hcaTxEndsHalf {
			m.ends["a READ of half of all PSNs"]++
		}
	case "a READ of nothing ends":
		if s.Open && s.High != s.Una {
			m.expiring++
		}
	}
}

// hear takes note of what the model made of it.
func (m *hcaTxMeetsSeen) hear(why string, model *hca.HcaTxBlocks) {
	if slices.Contains(hcaTxMeetsEnds[:], why) {
		m.ends[why] += len(model.Sent)
	}
	switch why {
	case "an ACK that brings credits behind a timer":
		m.credits += min(1, len(model.Sent))
	case "time passes behind what its own ticks ended":
		m.own += min(1, len(model.Sent))
	}
}

// TestHcaTxTwins: the numbers of a QP and its twin differ in one bit alone, which the smallest device has not, and no
// two QPs have one number.
func TestHcaTxTwins(t *testing.T) {
	s, err := Lookup("hca-tx-meets")
	require.NoError(t, err)
	for _, words := range []int{256, 512, 2048, 65536} {
		for seed := range uint64(5) {
			g := NewGenerator(s, seed)
			g.SetPace(Pace{BeatBytes: 8, Words: words})
			h := hcaTxHost{g: g, twins: true}
			n, _ := h.numberBits()
			seen := map[uint32]bool{}
			for small := range uint32(1 << hcaTxSmallBits) {
				seen[h.twinned(small, n-hcaTxSmallBits)] = true
			}
			require.Len(t, seen, 1<<hcaTxSmallBits)
			for _, qpn := range hcaTxTwins {
				differs := h.twinned(qpn, n-hcaTxSmallBits) ^ h.twinned(qpn|1, n-hcaTxSmallBits)
				require.Equal(t, 1, bits.OnesCount32(differs))
				require.GreaterOrEqual(t, bits.Len32(differs), hcaTxSmallBits+1)
			}
		}
	}
}

// TestHcaTxFarReachesEverything: the READ goes again from more than 1, 2, 4, 8 and 16 MiB on.
func TestHcaTxFarReachesEverything(t *testing.T) {
	s, err := Lookup("hca-tx-far")
	require.NoError(t, err)
	model, from := hca.NewHcaTxBlocks(sim.Settings{}), map[int]int{}
	each(t, s, 1, s.Count, func(_ uint64, c *Case) {
		model.Take(&sim.Record{Port: c.Port, Data: c.Frame})
		for i := range model.Sent {
			if p := &model.Sent[i]; p.Again {
				from[bits.Len32(p.Offset)]++
			}
		}
		model.Clear()
	})
	require.Equal(t, map[int]int{21: 1, 22: 1, 23: 1, 24: 1, 25: 1}, from)
}
