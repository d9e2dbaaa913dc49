package loop

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/link"
)

// lateEnd has something to tell its host behind the end of all work, and is silent from then on.
type lateEnd struct {
	busyNs uint64 // until then it is busy
	atNs   uint64
}

func (*lateEnd) Receive(uint64, []byte) {}

func (*lateEnd) Next(_ uint64, dst []byte) ([]byte, bool) { return dst, false }

func (e *lateEnd) NextTimer() (uint64, bool) { return e.atNs + 100, e.busy() }

func (e *lateEnd) Expire(nowNs uint64) { e.atNs = nowNs }

func (e *lateEnd) busy() bool { return e.atNs < e.busyNs }

// lateHost is done before its end is silent.
type lateHost struct {
	end  *lateEnd
	told bool
}

func (h *lateHost) Turn(uint64) uint64 {
	h.told = !h.end.busy()
	return 0
}

func (*lateHost) Done() bool { return true }

// TestLoopWaitsForSilence: an ACK may leave a device before the completion that goes with it, so the loop ends when
// devices are silent; its time is when the work was done. A device that never is ends it too.
func TestLoopWaitsForSilence(t *testing.T) {
	for name, c := range map[string]struct {
		busyNs, limitNs uint64
		told            bool
	}{
		"late":             {busyNs: 5_000, told: true},
		"never":            {busyNs: 1 << 60},
		"behind the limit": {busyNs: 5_000, limitNs: 1_000},
	} {
		t.Run(name, func(t *testing.T) {
			late, other := &lateEnd{busyNs: c.busyNs}, &lateEnd{}
			h := &lateHost{end: late}
			res := Run(t.Context(), &Config{Link: link.Config{Gbps: 100}, Ends: [2]End{late, other}, Hosts: [2]Host{h, nil},
				LimitNs: c.limitNs})
			require.Empty(t, res.Stuck)
			require.Zero(t, res.Ns)
			require.Equal(t, c.told, h.told)
		})
	}
}
