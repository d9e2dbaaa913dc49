package scenario

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

// TestHcaRxWritesReachesEverything: behind the READs that wait, so many writes come that how far their acknowledgements
// are ahead has each length in bits up to 14.
func TestHcaRxWritesReachesEverything(t *testing.T) {
	s, err := Lookup("hca-rx-writes")
	require.NoError(t, err)
	model, written, asked := hca.NewHcaRxBlocks(sim.Settings{}), 0, []int{}
	var f hca.HcaRxFrame
	each(t, s, 1, s.Count, func(_ uint64, c *Case) {
		switch c.Port {
		case 0:
			model.Play(&f, c.Link, c.Frame)
			switch {
			case string(c.Why) == "a write that overtakes an atomic":
				require.True(t, f.Placed())
				written++
			case f.Asks() && f.Asked.IsRead && written < hcaRxWritesBehind:
				asked = append(asked, written)
			}
		case 1:
			model.Operate(c.Frame)
		}
	})
	lengths := map[int]bool{}
	for _, at := range asked {
		lengths[bits.Len(uint(written-at))] = true
	}
	t.Log(written, asked)
	for n := hcaRxWritesFirst + 1; n <= 14; n++ {
		require.True(t, lengths[n], "%d bits", n)
	}
}

// TestHcaTxJamsReachesEverything: QPs fail behind more ACKs than find room, RNR NAKs have each code, what was missing
// in a gap comes to a QP that has failed by it, READs of nothing end in a crowd, and who closed in a jam is
// acknowledged.
func TestHcaTxJamsReachesEverything(t *testing.T) {
	s, err := Lookup("hca-tx-jams")
	require.NoError(t, err)
	model, failed, codes := hca.NewHcaTxBlocks(sim.Settings{"NumQps": 32}), 0, map[uint8]bool{}
	shut, ended := map[string]int{}, 0
	each(t, s, 1, s.Count, func(_ uint64, c *Case) {
		why := string(c.Why)
		switch why {
		case "a response of a READ that ends at a gap", "an ACK behind a close in a jam":
			if !model.State(hca.ParseHcaTxResponse(c.Frame).QPN).Open {
				shut[why]++
			}
		case "a READ of nothing ends":
			if s := model.State(hca.ParseHcaTxResponse(c.Frame).QPN); s.Open && s.High != s.Una {
				ended++
			}
		}
		if why == "no WQE, for each time" {
			codes[hca.ParseHcaTxResponse(c.Frame).Syndrome.Code()] = true
		}
		model.Take(&sim.Record{Port: c.Port, Data: c.Frame})
		for model.Deepen() {
			continue
		}
		if why == "a NAK that may find no room" {
			a := hca.ParseHcaTxResponse(c.Frame)
			if !model.State(a.QPN).Open {
				failed++
			}
		}
		model.Clear()
	})
	require.Equal(t, 17*len(hcaTxJamsFail), failed)
	require.Len(t, codes, 32)
	require.Equal(t, map[string]int{"a response of a READ that ends at a gap": 17 * 2,
		"an ACK behind a close in a jam": 17}, shut)
	require.Equal(t, 17*2*(len(hcaTxJamsGo)-len(hcaTxOthers)), ended)
}

// TestHcaTopMeetsReachesEverything: what memory says of a READ response and of a WRITE comes in one clock, and is of
// one tag; of these responses some fail. Local work is done where time passes.
func TestHcaTopMeetsReachesEverything(t *testing.T) {
	s, err := Lookup("hca-top-meets")
	require.NoError(t, err)
	type said struct {
		at  uint64
		tag uint8
	}
	const episodes = 8
	stored, both, fails, done, passed := map[said]bool{}, 0, 0, map[uint64]int{}, map[uint64]bool{}
	var placed []said
	strange, beside := 0, map[string]int{}
	each(t, s, 1, s.Count, func(_ uint64, c *Case) {
		if string(c.Why) == "a syndrome of no kind" {
			strange++
		}
		beside[string(c.Why)]++
		switch c.Port {
		case hcaTopAcks:
			stored[said{c.NotBefore, c.Frame[0]}] = true
		case hcaTopWritten:
			placed = append(placed, said{c.NotBefore, c.Frame[0]})
			if string(c.Why) == "written: error" {
				fails++
			}
		case hcaTopTime:
			passed[c.NotBefore] = true
		case hcaTopPost:
			if string(c.Why) == "local work is done beside time" {
				done[c.NotBefore]++
			}
		}
	})
	for _, p := range placed {
		if stored[p] {
			both++
		}
	}
	require.Equal(t, episodes*4, strange)
	for why, n := range map[string]int{"local work is done beside a command, of no turn": hcaTopMeetsDone,
		"no time passes beside a command": hcaTopMeetsDone, "post of local work with a fence": 2,
		"a request: SEND, behind a jam": 2, "post in a jam": 3 * hcaTopMeetsJamPosts, "command: FREE, in a jam": 2} {
		require.Equal(t, episodes*n, beside[why], why)
	}
	require.Equal(t, episodes*hcaTopMeetsPairs, both)
	require.Equal(t, episodes*(hcaTopMeetsPairs/hcaTopMeetsEvery), fails)
	require.Len(t, done, episodes*hcaTopMeetsRounds)
	for at, n := range done {
		require.True(t, passed[at])
		require.Equal(t, len(hcaTxQPs), n)
	}
}

// TestHcaRxAtomicComesAgainInFront: in each round of hca-rx-full an atomic that is kept comes again, to a queue pair
// that answers it, in front of the READs that use up all places.
func TestHcaRxAtomicComesAgainInFront(t *testing.T) {
	s, err := Lookup("hca-rx-full")
	require.NoError(t, err)
	model, again := hca.NewHcaRxBlocks(sim.Settings{}), 0
	var f hca.HcaRxFrame
	each(t, s, 1, 7*hcaRxFullLength, func(_ uint64, c *Case) {
		switch c.Port {
		case 0:
			model.Play(&f, c.Link, c.Frame)
			const why = "an atomic again, in front of READs: it takes no place"
			if string(c.Why) == why && f.Result.Answer == roce.RespAtomicAck {
				again++
			}
		case 1:
			model.Operate(c.Frame)
		}
	})
	require.Equal(t, 7, again)
}

// TestHcaTopMeetsReachesTheEnds: values at the ends of what is joined. Lists have 2, 4, 8 and 16 pieces, and one more;
// a READ response has each power of two of bytes up to the longest; fields of posts are at their ends; those that
// nobody answers have more lapses than retries (TMR-4).
func TestHcaTopMeetsReachesTheEnds(t *testing.T) {
	s, err := Lookup("hca-top-meets")
	require.NoError(t, err)
	const episodes = 8
	for seed := range uint64(3) {
		lists, lengths, fields := map[uint8]int{}, map[uint32]int{}, map[uint32]int{}
		lapses, unanswered, vast := 0, 0, 0
		each(t, s, seed, s.Count, func(_ uint64, c *Case) {
			switch string(c.Why) {
			case "post with a list of a power of two":
				lists[hca.ParseHcaTopPost(c.Frame).Entries]++
			case "post of a READ whose tag meets another's":
				lengths[hca.ParseHcaTopPost(c.Frame).Length]++
			case "post whose fields are at their ends":
				fields[hca.ParseHcaTopPost(c.Frame).Imm]++
			case "post that nobody answers":
				unanswered++
			case "time passes, and nobody answers":
				lapses++
			case "time passes, as much as a number holds":
				vast++
			}
		})
		require.Equal(t, episodes*hcaTopMeetsSilent, unanswered)
		require.Equal(t, 2*episodes*hcaTxUnending, lapses)
		require.Equal(t, episodes, vast)
		for k := 1; k <= hcaTopMeetsLists; k++ {
			require.Equal(t, episodes/2, lists[1<<k], "a list of %d", 1<<k)
			require.Equal(t, episodes/2, lists[1<<k+1], "a list of %d", 1<<k+1)
		}
		for k := range 13 {
			require.GreaterOrEqual(t, lengths[1<<k], episodes, "READs of %d bytes", 1<<k)
		}
		require.Positive(t, fields[0])
		require.Positive(t, fields[1<<32-1])
	}
}
