package loop

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/link"
)

// slowPort sends a frame at its start, if it has one, and takes what reaches it so much later.
type slowPort struct {
	inbox
	sends []byte
	lagNs uint64
	dueNs []uint64
}

func (s *slowPort) Receive(nowNs uint64, frame []byte) {
	s.put(nowNs/cycleNs, frame)
	s.dueNs = append(s.dueNs, nowNs+s.lagNs)
}

func (s *slowPort) Next(uint64, []byte) ([]byte, bool) {
	frame := s.sends
	s.sends = nil
	return frame, frame != nil
}

func (s *slowPort) NextTimer() (uint64, bool) {
	if len(s.dueNs) == 0 {
		return 0, false
	}
	return s.dueNs[0], true
}

func (s *slowPort) Expire(nowNs uint64) {
	s.dueNs = s.dueNs[1:]
	s.take(nowNs / cycleNs)
}

func (s *slowPort) Hears(taken func(frame []byte)) { s.taken = taken }

func (s *slowPort) HeldNs() uint64 { return s.longestC * cycleNs }

// waitsFor is a host that is done when its end has heard a frame.
type waitsFor struct{ heard *bool }

func (waitsFor) Turn(uint64) uint64 { return 0 }

func (w waitsFor) Done() bool { return *w.heard }

// An end that says itself when it has taken a frame is held to that: those who look see the frame then, and not when it
// reached the end.
func TestHeardWhenTaken(t *testing.T) {
	const lagNs, delayNs = 3000, 1000
	var atNs, sentNs uint64
	heard := false
	from, to := &slowPort{sends: make([]byte, 100)}, &slowPort{lagNs: lagNs}
	res := Run(context.Background(), &Config{Link: link.Config{Gbps: 100, DelayNs: delayNs}, Ends: [2]End{from, to},
		Hosts: [2]Host{nil, waitsFor{&heard}}, LimitNs: 1_000_000,
		Seen: [2]Seen{func(nowNs uint64, _ []byte, _ bool) { sentNs = nowNs },
			func(nowNs uint64, frame []byte, sent bool) {
				require.False(t, sent)
				require.Len(t, frame, 100)
				require.False(t, heard, "it is heard once")
				atNs, heard = nowNs, true
			}}})
	require.Empty(t, res.Stuck)
	require.GreaterOrEqual(t, atNs-sentNs, uint64(delayNs+lagNs))
	require.Less(t, atNs-sentNs, uint64(delayNs+lagNs+100))
	require.InDelta(t, lagNs, to.HeldNs(), cycleNs)
}
