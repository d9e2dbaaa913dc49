package loop

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/link"
	"hcacosim/model/roce"
)

var seeds = flag.Uint64("seeds", 1, "seeds of every pair")

// harm are links that do harm of one kind, and of all.
var harm = []link.Config{{}, {Loss: 0.05}, {Double: 0.03}, {Reorder: 0.03}, {Corrupt: 0.03},
	{Loss: 0.03, Double: 0.02, Reorder: 0.02, Corrupt: 0.01}, {Loss: 0.1}}

func pairOf(seed uint64, harm link.Config, profile roce.Profile) *Pair {
	harm.Gbps, harm.DelayNs, harm.HoldNs, harm.Seed = 100, 2000, 3000, seed
	t := Traffic{QPs: 3, Packets: 5000, PMTU: 1024, Depth: 16, Receives: 8, Seed: seed, Late: 0.1}
	return &Pair{Traffic: t,
		Link: harm, Window: 64, LimitNs: 60e9, Profile: profile}
}

// Every message is executed exactly once, memories are as the messages leave them, nothing is stuck, and no end is
// found to break a rule, whatever the link does. -seeds 40 takes minutes.
func TestPair(t *testing.T) {
	for seed := uint64(1); seed <= *seeds; seed++ {
		for name, profile := range map[string]roce.Profile{"spec": roce.Spec, "rxe": roce.Rxe} {
			for i, h := range harm {
				p := pairOf(seed, h, profile)
				require.NoError(t, p.Check())
				o, err := p.Run(context.Background())
				require.NoError(t, err)
				what := fmt.Sprintf("seed %d, %s, harm %d: %s %v %v %v", seed, name, i, o.Result.Stuck, o.Wrong,
					o.Judged[0].First, o.Judged[1].First)
				require.True(t, o.Good(), what)
				require.NotZero(t, o.Judged[0].Packets)
				require.Equal(t, o.Ends[0].Messages > 0, o.Ends[1].Received > 0)
			}
		}
	}
}

// Each of these showed a contradiction of machine and judge once (decision 14).
func TestPairsThatOnceDisagreed(t *testing.T) {
	for _, c := range []struct {
		seed uint64
		rxe  bool
		harm int
	}{{2, false, 5}, {1, false, 1}, {15, false, 3}, {21, false, 5}, {37, false, 3}, {1, true, 5}, {2, true, 5},
		{16, true, 2}, {21, true, 5}, {30, true, 5}, {32, true, 5}} {
		profile := roce.Spec
		if c.rxe {
			profile = roce.Rxe
		}
		o, err := pairOf(c.seed, harm[c.harm], profile).Run(context.Background())
		require.NoError(t, err)
		require.True(t, o.Good(), "%+v: %v %v %v", c, o.Wrong, o.Judged[0].First, o.Judged[1].First)
	}
}

// The same seed gives the same frames at the same times.
func TestPairRepeats(t *testing.T) {
	var all [2]bytes.Buffer
	for i := range all {
		p := pairOf(7, harm[5], roce.Spec)
		var check func() error
		p.Capture[0], check = WriteCapture(&all[i], Epoch)
		_, err := p.Run(context.Background())
		require.NoError(t, err)
		require.NoError(t, check())
	}
	require.True(t, bytes.Equal(all[0].Bytes(), all[1].Bytes()))
	require.Greater(t, all[0].Len(), 1<<20)
}

// What a peer does wrong ends as it must: with the right completion status and the QP in error, or well; never stuck.
// -seeds 40 takes more seeds, and links that do harm.
func TestRogues(t *testing.T) {
	links := harm[:1]
	if *seeds > 1 {
		links = harm
	}
	for _, r := range Rogues() {
		for seed := uint64(1); seed <= *seeds; seed++ {
			for i, h := range links {
				p := pairOf(seed, h, roce.Spec)
				p.Traffic.Packets, p.Traffic.Late, p.Rogue = 1500, 0, &r
				o, err := p.Run(context.Background())
				require.NoError(t, err)
				what := fmt.Sprintf("%s, seed %d, harm %d: %s; %v", r.Name, seed, i, o.Rogue, o.Ends[0].Failed)
				require.True(t, o.Good(), what)
				if i == 0 && strings.HasPrefix(r.Name, "reset") || slices.Contains([]string{"silent", "wrong-psn"}, r.Name) {
					require.Equal(t, p.Traffic.QPs, o.Ends[0].InError, what)
				}
				if slices.Contains([]string{"nak-storm", "unsolicited", "wrong-msn"}, r.Name) {
					require.NotZero(t, o.Judged[1].Certain, what) // one that is wrong from its first answer on is not known
				}
			}
		}
	}
}
