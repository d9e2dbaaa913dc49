package swift

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/falcon/mode"
	"hcacosim/model/falcon/rue"
)

// both runs an event with the peer's mode, and with the peer's but for a change.
func both(t *testing.T, c func(*Config), change func(*mode.Mode), now uint32, e rue.Event) (plain, changed rue.Result) {
	m := mode.Peer
	change(&m)
	require.NotEqual(t, mode.Peer, m)
	var s State
	plain = engine(t, mode.Peer, c).Process(now, &e, &s)
	s = State{}
	changed = engine(t, m, c).Process(now, &e, &s)
	return plain, changed
}

// FAL-C6
func TestModeAlphaNoReciprocals(t *testing.T) {
	c := Default()
	alpha, beta := c.FlowScaling(false)
	require.Equal(t, []float64{246.14668652026936, -15.384167907516835}, []float64{alpha, beta})
	alpha, beta = c.FlowScaling(true)
	require.InDelta(t, 763/(0.31622776601683794-16), alpha, 1e-12)
	require.Negative(t, alpha)
	require.Positive(t, beta)
	m := mode.Peer
	m.AlphaNoReciprocals = true
	e := ack(4, 0, 0)
	require.EqualValues(t, 247, engine(t, mode.Peer, nil).TargetDelay(4, &e))
	require.EqualValues(t, 140, engine(t, m, nil).TargetDelay(4, &e), "a small window adds nothing")
}

// FAL-C7, FAL-C9
func TestModeTargetStrict(t *testing.T) {
	e := ack(4, 247, 800)
	e.RxBuffer = 15
	peer, spec := both(t, nil, func(m *mode.Mode) { m.TargetStrict = false }, 101000, e)
	require.Equal(t, ToFixed(4), peer.Fcwnd, "a decrease by nothing")
	require.Equal(t, ToFixed(4.75), spec.Fcwnd)
	require.EqualValues(t, []uint16{100, 101}, []uint16{peer.Ncwnd, spec.Ncwnd})
}

// FAL-C3
func TestModeEWMA(t *testing.T) {
	old, sample := both(t, nil, func(m *mode.Mode) { m.EWMA = mode.EWMANew }, 101000, ack(4, 440, 800))
	require.EqualValues(t, []uint32{950, 850}, []uint32{old.RTTState, sample.RTTState})
	require.EqualValues(t, []uint32{440, 150}, []uint32{old.DelayState, sample.DelayState})
}

// FAL-C10
func TestModeIPG(t *testing.T) {
	e := ack(0.5, 1400, 1000)
	e.FcwndMarker, e.IPG = 100900, 100
	peer, over := both(t, nil, func(m *mode.Mode) { m.IPG = mode.IPGRTTOver }, 101000, e)
	require.EqualValues(t, []uint32{256, 512}, []uint32{peer.IPG, over.IPG})
	_, itself := both(t, nil, func(m *mode.Mode) { m.IPG = mode.IPGOverItself }, 101000, e)
	require.EqualValues(t, 200, itself.IPG)
}

// FAL-C10
func TestModeNoGapAtOne(t *testing.T) {
	e := ack(1, 1400, 1000)
	e.FcwndMarker = 100900
	for gap, has := range map[bool]uint32{true: 0, false: 256} {
		m := mode.Peer
		m.IPG, m.NoGapAtOne = mode.IPGRTTOver, gap
		var s State
		require.Equal(t, has, engine(t, m, nil).Process(101000, &e, &s).IPG)
	}
}

// FAL-C9
func TestModeNicDecreaseScaled(t *testing.T) {
	e := ack(4, 100, 800)
	e.RxBuffer = 20
	peer, spec := both(t, nil, func(m *mode.Mode) { m.NicDecreaseScaled = false }, 101000, e)
	require.EqualValues(t, []uint16{80, 75}, []uint16{peer.Ncwnd, spec.Ncwnd})
}

// FAL-C8
func TestModeRetxLimitGuarded(t *testing.T) {
	e, _ := retx(3, 0)
	peer, spec := both(t, nil, func(m *mode.Mode) { m.RetxLimitGuarded = false }, 5100, e)
	require.Equal(t, ToFixed(2.75), peer.Fcwnd)
	require.Equal(t, ToFixed(0.01), spec.Fcwnd)
}

// FAL-C11
func TestModeRTOEveryEvent(t *testing.T) {
	e, now := retx(2, 10300)
	peer, spec := both(t, nil, func(m *mode.Mode) { m.RTOEveryEvent = false }, now, e)
	require.EqualValues(t, []uint32{2400, 1000}, []uint32{peer.RTO, spec.RTO})
	e.RetxCount = 3
	peer, spec = both(t, nil, func(m *mode.Mode) { m.RTOEveryEvent = false }, now, e)
	require.Equal(t, peer.RTO, spec.RTO)
	require.Greater(t, spec.RTO, uint32(2400))
}

// FAL-C9
func TestModeNcwndFraction(t *testing.T) {
	e := ack(4, 100, 800)
	e.RxBuffer, e.Ncwnd = 17, 10
	for keeps, want := range map[bool]State{true: {NcwndFraction: 60}, false: {}} {
		m := mode.Peer
		m.NcwndFraction = keeps
		var s State
		r := engine(t, m, nil).Process(101000, &e, &s)
		require.EqualValues(t, 9, r.Ncwnd, "10 x (1 - 0.8 x 2/17) is 9.06")
		require.Equal(t, want, s)
	}
}

// FAL-C12
func TestModeMarkerOnIncreaseOnly(t *testing.T) {
	e, now := retx(2, 10300)
	peer, text := both(t, nil, func(m *mode.Mode) { m.MarkerOnIncreaseOnly = true }, now, e)
	require.EqualValues(t, []uint32{9100, 5000}, []uint32{peer.FcwndMarker, text.FcwndMarker})
	peer, text = both(t, nil, func(m *mode.Mode) { m.MarkerOnIncreaseOnly = true }, 100400, ack(8, 153, 315))
	require.Equal(t, peer.FcwndMarker, text.FcwndMarker, "an increase")
}

// FAL-C12
func TestModeNicGuardByFabricMarker(t *testing.T) {
	e := ack(4, 100, 800)
	e.RxBuffer, e.FcwndMarker = 20, 100900
	peer, text := both(t, nil, func(m *mode.Mode) { m.NicGuardByFabricMarker = true }, 101000, e)
	require.EqualValues(t, []uint16{80, 100}, []uint16{peer.Ncwnd, text.Ncwnd})
}

// FAL-C14
func TestModeOccupancyFromZero(t *testing.T) {
	m := mode.Peer
	m.OccupancyFromZero = true
	a, b := Occupancy{Shift: 1}, Occupancy{Shift: 1}
	a.Sample(25, &mode.Peer)
	b.Sample(25, &m)
	require.Equal(t, []float64{25, 12.5}, []float64{a.Average, b.Average})
	b.Sample(25, &m)
	require.Equal(t, 18.75, b.Average)
}
