package swift

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/falcon/mode"
	"hcacosim/model/falcon/rue"
)

// FuzzProcess: any event, in either mode and at the ends of the configuration, is answered within all bounds (FAL-C15).
func FuzzProcess(f *testing.F) {
	f.Add([]byte{1, 2, 3}, uint32(7), uint8(15), true)
	f.Add(make([]byte, rue.FormatBytes), uint32(0), uint8(0), false)
	f.Fuzz(func(t *testing.T, raw []byte, now uint32, level uint8, peer bool) {
		c := Default()
		c.TargetLevel, c.RandomizePath, c.BaseDelay, c.PerHop = level&31, level&32 != 0, uint32(level>>6)*100, uint32(level&8)
		m := mode.Spec
		if peer {
			m = mode.Peer
		}
		g, err := New(c, m)
		require.NoError(t, err)
		var in, out [rue.FormatBytes]byte
		copy(in[:], raw)
		var e rue.Event
		e.Unpack(&in)
		s := State{PLB: UnpackPLB(now), NcwndFraction: uint16(now & 1023)}
		r := g.Process(now, &e, &s)
		require.LessOrEqual(t, r.Fcwnd, ToFixed(c.MaxFcwnd))
		require.GreaterOrEqual(t, r.Fcwnd, ToFixed(c.MinFcwnd))
		if e.Type != rue.Retransmit {
			require.LessOrEqual(t, r.Ncwnd, uint16(c.MaxNcwnd))
			require.GreaterOrEqual(t, r.Ncwnd, uint16(c.MinNcwnd))
		}
		require.Less(t, r.IPG, uint32(1)<<c.IPGBits)
		if peer {
			require.GreaterOrEqual(t, r.RTO, c.MinRTO)
		}
		r.Pack(&out, &m)
		var back rue.Result
		back.Unpack(&out, &m)
		require.Equal(t, r, back, "every value fits its field")
	})
}

// FAL-C7, FAL-C9: a target of 0 that is met exactly takes nothing away.
func TestTargetOfZero(t *testing.T) {
	g := engine(t, mode.Peer, func(c *Config) { c.TargetLevel, c.BaseDelay, c.PerHop, c.MaxFlowScaling = 0, 0, 0, 0 })
	var s State
	e := ack(8, 0, 100)
	e.RxBuffer = 0
	r := g.Process(100400, &e, &s)
	require.Equal(t, ToFixed(8), r.Fcwnd)
	require.EqualValues(t, 100, r.Ncwnd)
}
