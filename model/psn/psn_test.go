package psn

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const space = 1 << 24

var (
	anyPSN   = rapid.Map(rapid.Uint32Range(0, space-1), New)
	cornerAt = []PSN{0, 1, 2, 0x7FFFFE, 0x7FFFFF, 0x800000, 0x800001, 0xFFFFFE, 0xFFFFFF, 0x123456}
)

// PSN-1: Diff is the signed 24-bit number whose sum leads back.
func TestDiffAndAdd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, q := anyPSN.Draw(t, "p"), anyPSN.Draw(t, "q")
		d := p.Diff(q)
		require.True(t, -(1<<23) <= d && d < 1<<23)
		require.Equal(t, p, q.Add(d))
		n := rapid.Int32().Draw(t, "n")
		require.Equal(t, ((int64(p)+int64(n))%space+space)%space, int64(p.Add(n)))
	})
	for _, c := range []struct {
		p, q PSN
		d    int32
	}{
		{0, 0, 0}, {0, 0xFFFFFF, 1}, {0xFFFFFF, 0, -1}, {0x7FFFFF, 0, 0x7FFFFF}, {0x800000, 0, -0x800000},
		{0, 0x800000, -0x800000},
		{0x800001, 0, -0x7FFFFF},
	} {
		require.Equal(t, c.d, c.p.Diff(c.q), "%06X - %06X", c.p, c.q)
	}
}

// PSN-7: From counts forward to 2^23, which Diff has behind.
func TestFrom(t *testing.T) {
	for _, c := range []struct {
		p, una PSN
		d      int32
	}{
		{0, 0, 0}, {0, 0xFFFFFF, 1}, {0xFFFFFF, 0, -1}, {0x7FFFFF, 0, 0x7FFFFF}, {0x800000, 0, 0x800000},
		{0, 0x800000, 0x800000},
		{0x800001, 0, -0x7FFFFF}, {0x100, 0x800100, 0x800000},
	} {
		require.Equal(t, c.d, c.p.From(c.una), "%06X from %06X", c.p, c.una)
	}
}

// walk goes once round all PSNs from start and expects runs of the same verdict of the given lengths.
func walk[V comparable](t *testing.T, start PSN, verdict func(PSN) V, runs ...any) {
	t.Helper()
	p := uint32(start)
	for i := 0; i < len(runs); i += 2 {
		for n := runs[i].(int); n > 0; n-- {
			if got := verdict(PSN(p)); got != runs[i+1].(V) {
				t.Fatalf("PSN %06X, walking from %06X: got %v, want %v", p, start, got, runs[i+1])
			}
			p = (p + 1) % space
		}
	}
	require.Equal(t, uint32(start), p, "the runs go once round")
}

// PSN-2, over every PSN.
func TestArrive(t *testing.T) {
	for _, e := range []PSN{0, 0x7FFFFF, 0xABCDEF} {
		walk(t, e, func(p PSN) Arrival { return Arrive(p, e) }, 1, Expected, 1<<23-1, OutOfSequence, 1<<23, Duplicate)
	}
}

// PSN-3, over every PSN: unacked [una, next - 1], then the ghosts, then the acknowledged [next - 2^23, una - 1].
func TestRespond(t *testing.T) {
	for _, una := range []PSN{0, 0xFFFFF0} {
		for _, n := range []int{0, 1, 100, 1<<23 - 1, 1 << 23} {
			next := PSN((int(una) + n) % space)
			walk(t, una, func(p PSN) Answer { return Respond(p, una, next) }, n, Unacked, 1<<23, Ghost, 1<<23-n, Stale)
		}
	}
}

func TestCorners(t *testing.T) {
	for _, e := range cornerAt {
		require.Equal(t, Duplicate, Arrive(e.Add(-1), e))
		require.Equal(t, OutOfSequence, Arrive(e.Add(1), e))
	}
}

// PSN-4
func TestOfRead(t *testing.T) {
	for _, c := range []struct{ length, pmtu, want uint32 }{
		{0, 256, 1}, {1, 256, 1}, {256, 256, 1}, {257, 256, 2}, {512, 256, 2}, {4097, 4096, 2}, {1 << 31, 256, 1 << 23},
		{1 << 31, 4096, 1 << 19},
		{0xFFFFFFFF, 4096, 1 << 20},
	} {
		require.Equal(t, c.want, OfRead(c.length, c.pmtu), "%d bytes, PMTU %d", c.length, c.pmtu)
	}
}
