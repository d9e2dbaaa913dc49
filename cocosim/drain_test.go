package cocosim

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/sim"
)

// sluggish gives one output in three quarters of DefaultDrain, and of those that it has some not at all.
type sluggish struct {
	Device
	held []sim.Record
	next uint64
	lost int // so many at the end
}

func (s *sluggish) Advance(ctx context.Context, to uint64, in []sim.Offer, out *sim.Batch) error {
	if err := s.Device.Advance(ctx, to, in, out); err != nil {
		return err
	}
	var kept []sim.Record
	for _, r := range out.Records {
		if r.Port == 0 {
			kept = append(kept, r)
			continue
		}
		r.Data = slices.Clone(r.Data)
		s.held = append(s.held, r)
	}
	for ; to != WhileFed && len(s.held) > s.lost && s.next <= to; s.next += DefaultDrain * 3 / 4 {
		r := s.held[0]
		r.Start, r.End, s.held = s.next, s.next, s.held[1:]
		kept = append(kept, r)
	}
	out.Records = kept
	return nil
}

// TestASlowDeviceHasItsTime: a run does not end while outputs that are owed come, however far apart; it does when none
// comes any more.
func TestASlowDeviceHasItsTime(t *testing.T) {
	for lost, want := range map[int]Exit{0: Agreed, 2: Mismatch} {
		d := &sluggish{Device: NewGolden(echoSpec, nil, 64), next: DefaultDrain, lost: lost}
		res, err := Run(context.Background(), RunConfig{Device: d, Stimulus: &counted{n: 12}, Keep: 9,
			Checker: NewStageChecker(echoSpec, nil, []Policy{{BeatBytes: 64}, {BeatBytes: 64}})})
		require.NoError(t, err)
		require.Equal(t, want, res.Exit(), "%d lost", lost)
		require.Equal(t, uint64(12-lost), res.Agreed)
	}
}
