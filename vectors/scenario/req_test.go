package scenario

import (
	"fmt"
	"math/bits"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/stages"
)

// reachReq counts what a run of req-ack-check leads to.
func reachReq(t *testing.T, seed uint64, settings sim.Settings) bins {
	s, err := Lookup("req-ack-check")
	require.NoError(t, err)
	stage, ok := stages.Lookup("req_ack_check")
	require.True(t, ok)
	b, model := bins{}, stage.New(settings)
	waited := map[uint32]bool{}
	each(t, s, seed, s.Count, func(_ uint64, c *Case) {
		a := hca.ParseReqAnswer(advance(t, model, c, 0).Data)
		b.add("op %d why %d", a.Op, a.Why)
		if a.Action == roce.ReqBadResponse {
			b.add("bad why %d progress %v", a.Why, a.Progress)
		}
		if a.Op == hca.ReqResponse && a.Why == roce.ReqSyndrome && a.Action == roce.ReqNone {
			b.add("reserved syndrome ignored")
		}
		if a.Op == hca.ReqResponse && waited[a.QPN] && (a.Progress || !a.Waiting) {
			b.add("wait, progress %v, why %d action %d", a.Progress, a.Why, a.Action)
		}
		if waited[a.QPN] = a.Waiting; a.Why == roce.ReqTaken && strings.HasPrefix(string(c.Why), "sent: half") {
			b.add("half the PSNs, READ %v", a.Reads > 0)
		}
		if a.Progress && a.High.From(a.UnaBefore) == psn.Half {
			b.add("half the PSNs, una moves by %d", min(2, a.Una.From(a.UnaBefore)))
		}
		b.add("action %d", a.Action)
		b.add("region %d", a.Region)
		b.add("reads %d", a.Reads)
		b.add("QPN of %d bits open %v", bits.Len32(a.QPN), a.Why != roce.ReqNoQP)
		if a.Action == roce.ReqRNR {
			b.add("RNR code %d", a.Syndrome.Code())
		}
		if a.Action == roce.ReqFatal {
			b.add("fatal %v", min(a.Syndrome, ib.NAKInvalidRD+1))
		}
		for name, flag := range map[string]bool{"progress": a.Progress, "idle": a.Idle, "data": a.Data, "ended": a.Ended,
			"credits": a.Credits, "unlimited": a.Unlimited, "waiting": a.Waiting, "retrying": a.Retrying} {
			b.add("%s %v", name, flag)
		}
		if a.High.Diff(a.Una) < 0 {
			b.add("window full")
		}
		if a.Una > a.High {
			b.add("window over the turn")
		}
	})
	return b
}

// TestReqAckCheckReachesWhatItPromises: under any seed every answer of the document is met, with every RNR code.
func TestReqAckCheckReachesWhatItPromises(t *testing.T) {
	want := []string{"window full", "window over the turn", "op 7 why 0"}
	for why := range roce.ReqSyndrome + 1 {
		want = append(want, fmt.Sprintf("op 0 why %d", why))
	}
	for why := roce.ReqWrongKind; why <= roce.ReqReserved; why++ {
		want = append(want, fmt.Sprintf("op 0 why %d", why))
	}
	for _, why := range []roce.ReqReason{0, 1, 15, 16, 17, 18, 19, 20, 22} {
		want = append(want, fmt.Sprintf("op 1 why %d", why))
	}
	for _, why := range []roce.ReqReason{0, 1, 21, 22} {
		want = append(want, fmt.Sprintf("op 2 why %d", why))
	}
	for why := roce.ReqSyndrome; why <= roce.ReqLength; why++ {
		want = append(want, fmt.Sprintf("bad why %d progress true", why), fmt.Sprintf("bad why %d progress false", why))
	}
	for action := roce.ReqNone; action <= roce.ReqBadResponse; action++ {
		if action != roce.ReqTimer && action != roce.ReqGoesOn {
			want = append(want, fmt.Sprintf("wait, progress true, why %d action %d", badWhy(action), action))
		}
	}
	want = append(want, "wait, progress false, why 0 action 1", "wait, progress false, why 0 action 3",
		"wait, progress false, why 6 action 0",
		"wait, progress false, why 7 action 0", "wait, progress false, why 14 action 0", "reserved syndrome ignored",
		"half the PSNs, READ true", "half the PSNs, READ false", "half the PSNs, una moves by 1",
		"half the PSNs, una moves by 2")
	for op := hca.ReqClose; op <= hca.ReqLook; op++ {
		want = append(want, fmt.Sprintf("op %d why 0", op), fmt.Sprintf("op %d why 1", op))
	}
	want = append(want, "op 4 why 23", "op 5 why 23")
	for action := roce.ReqNone; action <= roce.ReqBadResponse; action++ {
		want = append(want, fmt.Sprintf("action %d", action))
	}
	for n := range 5 {
		want = append(want, fmt.Sprintf("reads %d", n), fmt.Sprintf("region %d", n%4),
			fmt.Sprint("fatal ", ib.NAKSequence+1+ib.Syndrome(n)))
	}
	for code := range 32 {
		want = append(want, fmt.Sprintf("RNR code %d", code))
	}
	for _, name := range []string{"progress", "idle", "data", "ended", "credits", "unlimited", "waiting", "retrying"} {
		want = append(want, name+" true", name+" false")
	}
	for seed := range uint64(3) {
		require.Empty(t, reachReq(t, seed, nil).missing(want), "seed %d", seed)
	}
}

// badWhy is the reason of an action that is looked for.
func badWhy(action roce.ReqAction) roce.ReqReason {
	if action == roce.ReqBadResponse {
		return roce.ReqSyndrome
	}
	return roce.ReqTaken
}

// TestReqAckCheckReachesLargeSizes: with the largest parameters all their READs and the highest QPs are used.
func TestReqAckCheckReachesLargeSizes(t *testing.T) {
	want := []string{"QPN of 16 bits open true", "QPN of 16 bits open false", "QPN of 17 bits open false"}
	for n := range 17 {
		want = append(want, fmt.Sprintf("reads %d", n))
	}
	require.Empty(t, reachReq(t, 1, sim.Settings{"NumQps": 65536, "Reads": 16}).missing(want))
}
