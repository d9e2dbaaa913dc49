package hca

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPacerByHand: two cuts, fast recovery, increase, and what is forgotten, at a static pace of 64.
func TestPacerByHand(t *testing.T) {
	law := pacingLaw{period: 100, forget: 1000, cut: 128, raise: 64}
	p := pacer{static: 64}
	require.True(t, p.cut(10, &law))
	require.Equal(t, uint16(128), p.paceAt(10, &law))
	require.False(t, p.cut(109, &law))
	require.True(t, p.cut(110, &law))
	require.Equal(t, uint16(256), p.paceAt(110, &law), "target 128")
	// 128 + 64, 32, 16 .. 1, 0; then the target comes down by a quarter and 1: 95.
	for n, want := range []uint16{192, 160, 144, 136, 132, 130, 129, 128, 111, 103, 99, 97, 96, 95} {
		at := 210 + 100*uint64(n)
		p.maySend(at-1, &law)
		require.True(t, p.maySend(at, &law))
		require.Equal(t, want, p.paceAt(at, &law), "step %d", n)
	}
	require.Equal(t, uint16(95), p.paceAt(1510+999, &law))
	require.Equal(t, uint16(64), p.paceAt(1510+1000, &law))
	law.forget = 0
	require.True(t, p.cut(3000, &law))
	require.Equal(t, uint16(64), p.paceAt(3000, &law), "the zero law slows none")
}

// TestPacerSlowest: a cut goes as far as the slowest pace of the law, and never has a QP send faster.
func TestPacerSlowest(t *testing.T) {
	law := pacingLaw{period: 100, forget: 1000, cut: 128, slowest: 200}
	p := pacer{static: 64}
	for at, want := range []uint16{128, 200, 200} {
		require.True(t, p.cut(10+100*uint64(at), &law))
		require.Equal(t, want, p.pace, "cut %d", at)
	}
	p = pacer{static: 300}
	require.True(t, p.cut(1000, &law))
	require.Equal(t, uint16(300), p.pace, "slower than that by itself")
	law.slowest = 0
	p = pacer{static: 40_000}
	require.True(t, p.cut(1000, &law))
	require.Equal(t, uint16(0xFFFF), p.pace)
}

// TestPacerNeverFaster: what leaves when it may is never more than the pace lets through, counted from the first
// packet.
func TestPacerNeverFaster(t *testing.T) {
	for _, pace := range []uint16{1, 63, 64, 65, 100, 65535} {
		p, law, now, sent := pacer{static: pace}, pacingLaw{}, uint64(0), uint64(0)
		for n := range 300 {
			for !p.maySend(now, &law) {
				now++
			}
			require.LessOrEqual(t, sent*uint64(pace), now*4096)
			bytes := 1 + n*37%4200
			require.True(t, p.sent(now, &law, bytes, 1<<23-1))
			sent += uint64(bytes)
			now = max(now, p.next-min(p.next, 3))
		}
	}
}
