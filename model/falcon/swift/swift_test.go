package swift

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/falcon/mode"
	"hcacosim/model/falcon/rue"
	"hcacosim/model/falcon/wire"
)

func engine(t testing.TB, m mode.Mode, change func(*Config)) *Engine {
	c := Default()
	c.BaseDelay = 100
	if change != nil {
		change(&c)
	}
	g, err := New(c, m)
	require.NoError(t, err)
	return g
}

// ack is an ACK that took rtt, delay of it forward.
func ack(fcwnd float64, delay, rtt uint32) rue.Event {
	return rue.Event{T1: 100000, T2: 100000 + delay, T3: 100000 + delay, T4: 100000 + rtt, Hops: 5,
		DelaySelect: rue.Forward, Fcwnd: ToFixed(fcwnd), NumAcked: 3, FcwndMarker: 99999, NcwndMarker: 99999, Ncwnd: 100,
		RTTState: 1000, DelayState: 150, CCOpaque: 3, RTO: 1000, RxBuffer: 10}
}

// FAL-C6, FAL-C7, FAL-C11, FAL-C12: a case of the peer's own tests.
func TestSwiftProcessAckMd150p(t *testing.T) {
	g, s := engine(t, mode.Peer, nil), State{}
	e := ack(4, 440, 800)
	e.RTTState = 710
	require.EqualValues(t, 247, g.TargetDelay(4, &e))
	r := g.Process(101000, &e, &s)
	require.EqualValues(t, 2659, r.Fcwnd)
	require.EqualValues(t, 732, r.RTTState)
	require.EqualValues(t, 440, r.DelayState)
	require.EqualValues(t, 1907, r.RTO)
	require.EqualValues(t, 101000, r.FcwndMarker)
	require.Zero(t, r.IPG)
	require.EqualValues(t, 3, r.CCOpaque)
	require.Equal(t, rue.Forward, r.DelaySelect)
}

// FAL-C7, FAL-C12: a case of the peer's own tests.
func TestSwiftProcessAckAiOverCwnd(t *testing.T) {
	g, s := engine(t, mode.Peer, nil), State{}
	e := ack(8, 153, 315)
	r := g.Process(100400, &e, &s)
	require.EqualValues(t, 8576, r.Fcwnd)
	require.EqualValues(t, 100085, r.FcwndMarker)
	require.EqualValues(t, 1907, r.RTO)
}

// FAL-C7, FAL-C11: a case of the peer's own tests.
func TestSwiftProcessAckMaxMd(t *testing.T) {
	g, s := engine(t, mode.Peer, nil), State{}
	e := ack(2.75, 879, 1200)
	r := g.Process(102000, &e, &s)
	require.EqualValues(t, 1408, r.Fcwnd)
	require.EqualValues(t, 1050, r.RTTState)
	require.EqualValues(t, 2100, r.RTO)
	require.EqualValues(t, 102000, r.FcwndMarker)
}

// FAL-C7: an increase of a window below one packet is not divided by it; a decrease within an RTT of the last waits.
func TestSwiftProcessAck(t *testing.T) {
	g, s := engine(t, mode.Peer, nil), State{}
	e := ack(0.5, 10, 100)
	r := g.Process(100101, &e, &s)
	require.Equal(t, ToFixed(3.5), r.Fcwnd)
	e = ack(4, 440, 800)
	e.FcwndMarker = 100500
	r = g.Process(101299, &e, &s)
	require.Equal(t, ToFixed(4), r.Fcwnd)
	require.EqualValues(t, 100500, r.FcwndMarker)
	r = g.Process(101300, &e, &s)
	require.EqualValues(t, 2659, r.Fcwnd)
	e = ack(255.9, 10, 100)
	e.NumAcked = 1000
	r = g.Process(100101, &e, &s)
	require.Equal(t, ToFixed(256), r.Fcwnd, "the most")
}

// FAL-C7: with the option on, an EACK that tells of drops and a NACK of the window take half, at most once an RTT.
func TestSwiftMaxDecrease(t *testing.T) {
	g, s := engine(t, mode.Peer, func(c *Config) { c.MaxDecreaseOnEACKNack = true }), State{}
	e := ack(8, 153, 315)
	for _, x := range []struct {
		change func(*rue.Event)
		want   rue.Fixed
	}{
		{func(e *rue.Event) { e.EACK, e.EACKDrop = true, true }, 4096},
		{func(e *rue.Event) { e.EACK, e.EACKDrop, e.FcwndMarker = true, true, 100399 }, 8192},
		{func(e *rue.Event) { e.EACK = true }, 8576},
		{func(e *rue.Event) { e.Type, e.NackCode = rue.Nack, uint8(wire.NackPeerWindow) }, 4096},
		{func(e *rue.Event) { e.Type, e.NackCode = rue.Nack, uint8(wire.NackRNR) }, 8576},
	} {
		e := e
		x.change(&e)
		r := g.Process(100400, &e, &s)
		require.Equal(t, x.want, r.Fcwnd)
	}
	e.EACK, e.EACKDrop = true, true
	r := engine(t, mode.Peer, nil).Process(100400, &e, &s)
	require.EqualValues(t, 8576, r.Fcwnd, "the option is off")
}

func retx(count uint8, now uint32) (rue.Event, uint32) {
	return rue.Event{Type: rue.Retransmit, RetxCount: count, Fcwnd: ToFixed(2.75), FcwndMarker: 5000, RTTState: 1200,
		DelayState: 150, Hops: 5, Ncwnd: 7, NcwndMarker: 4000, RTO: 1000}, now
}

// FAL-C10, FAL-C12: with the option on, gap and markers go by the smoothed round trip, and the guards by the event's.
func TestSwiftRTTSmooth(t *testing.T) {
	for smooth, rtt := range map[bool]uint32{false: 800, true: 950} {
		g, s := engine(t, mode.Peer, func(c *Config) { c.RTTSmooth = smooth }), State{}
		e := ack(0.5, 1400, 800)
		e.FcwndMarker = 100000
		r := g.Process(100850, &e, &s)
		require.Equal(t, ToFixed(0.25), r.Fcwnd, "850 is more than the event's 800")
		require.EqualValues(t, map[uint32]int{800: 614, 950: 730}[rtt], r.IPG, "three round trips x 0.256")
		e = ack(8, 153, 800)
		e.FcwndMarker = 90000
		require.EqualValues(t, 101000-rtt, g.Process(101000, &e, &s).FcwndMarker)
	}
}

// FAL-C8, FAL-C12: a case of the peer's own tests, with the first and the last retransmission beside it.
func TestSwiftProcessRetransmitSecond(t *testing.T) {
	g, s := engine(t, mode.Peer, nil), State{}
	e, now := retx(2, 10300)
	r := g.Process(now, &e, &s)
	require.Equal(t, ToFixed(2.75), r.Fcwnd)
	require.EqualValues(t, 9100, r.FcwndMarker)
	require.EqualValues(t, 1200, r.RTTState)
	require.EqualValues(t, 150, r.DelayState)
	require.EqualValues(t, 7, r.Ncwnd)
	require.EqualValues(t, 4000, r.NcwndMarker)

	e, now = retx(1, 10300)
	r = g.Process(now, &e, &s)
	require.Equal(t, ToFixed(1.375), r.Fcwnd)
	require.EqualValues(t, 10300, r.FcwndMarker)
	e.FcwndMarker = 9101
	require.Equal(t, ToFixed(2.75), g.Process(now, &e, &s).Fcwnd, "within an RTT of the last decrease")
	e, now = retx(3, 10300)
	r = g.Process(now, &e, &s)
	require.Equal(t, ToFixed(0.01), r.Fcwnd)
	require.EqualValues(t, 30413, r.IPG, "(1200/0.01 - 1200) x 0.256")
}

// FAL-C9: a case of the peer's own tests, and the guard around it.
func TestSwiftNicCongestionWindowIncrease(t *testing.T) {
	g, s := engine(t, mode.Peer, nil), State{}
	e := ack(8, 153, 315)
	e.RxBuffer, e.NcwndDirection = 7, rue.Decrease
	r := g.Process(100400, &e, &s)
	require.EqualValues(t, 101, r.Ncwnd)
	require.EqualValues(t, rue.Increase, r.NcwndDirection)
	require.EqualValues(t, 100400, r.NcwndMarker)

	e.NcwndDirection = rue.Increase
	require.EqualValues(t, 101, g.Process(100400, &e, &s).Ncwnd, "an RTT has passed")
	e.NcwndMarker = 100100
	r = g.Process(100400, &e, &s)
	require.EqualValues(t, 100, r.Ncwnd, "twice in one direction within an RTT")
	require.EqualValues(t, 100100, r.NcwndMarker)
	e.NcwndDirection = rue.Decrease
	require.EqualValues(t, 101, g.Process(100400, &e, &s).Ncwnd, "the last change was a decrease")
	e.RxBuffer = 20
	require.EqualValues(t, 100, g.Process(100400, &e, &s).Ncwnd, "no decrease within an RTT")
	e.Ncwnd, e.RxBuffer = 256, 7
	require.EqualValues(t, 256, g.Process(100400, &e, &s).Ncwnd, "the most")
}

// FAL-C9: a case of the peer's own tests.
func TestSwiftNicCongestionWindowFractionalDecrease(t *testing.T) {
	g, s := engine(t, mode.Peer, func(c *Config) { c.MinNcwnd = 0.01 }), State{}
	e := ack(8, 153, 315)
	e.RxBuffer, e.Ncwnd = 17, 1
	r := g.Process(100400, &e, &s)
	require.Zero(t, r.Ncwnd)
	require.EqualValues(t, 928, s.NcwndFraction)
	require.EqualValues(t, rue.Decrease, r.NcwndDirection)
}

// FAL-C9: a NACK for resources halves ncwnd if it grew before or an RTT has passed.
func TestSwiftNicResourceNack(t *testing.T) {
	g, s := engine(t, mode.Peer, nil), State{}
	e := ack(8, 153, 315)
	e.Type, e.NackCode, e.NcwndMarker, e.NcwndDirection = rue.Nack, uint8(wire.NackResources), 100300, rue.Increase
	r := g.Process(100400, &e, &s)
	require.EqualValues(t, 50, r.Ncwnd)
	require.EqualValues(t, rue.Decrease, r.NcwndDirection)
	require.EqualValues(t, 8576, r.Fcwnd, "fcwnd follows the delay")
	e.NcwndDirection = rue.Decrease
	require.EqualValues(t, 100, g.Process(100400, &e, &s).Ncwnd)
	e.NcwndMarker = 99999
	require.EqualValues(t, 50, g.Process(100400, &e, &s).Ncwnd)
}

// FAL-C11: cases of the peer's own tests.
func TestSwiftGetRetransmitTimeout(t *testing.T) {
	require.EqualValues(t, 32, RetransmitTimeout(0, 10, 3, 5, 2.0))
	require.EqualValues(t, 100, RetransmitTimeout(100, 10, 3, 5, 2.0))
	require.EqualValues(t, 16777215, RetransmitTimeout(0, 10, 3, 1<<24-1, 0.5))
}

// FAL-C15: a case of the peer's own tests.
func TestSwiftMinMaxBounds(t *testing.T) {
	c := Default()
	require.NoError(t, c.Check())
	for _, x := range []struct {
		field string
		good  func(*Config)
		bad   func(*Config)
	}{
		{"MaxFcwnd", func(c *Config) { c.MaxFcwnd = 2047.9990234375 }, func(c *Config) { c.MaxFcwnd = 2048 }},
		{"MinFcwnd", func(c *Config) { c.MinFcwnd = .0009765625 }, func(c *Config) { c.MinFcwnd = .0009 }},
		{"MaxNcwnd", func(c *Config) { c.MaxNcwnd = 2047 }, func(c *Config) { c.MaxNcwnd = 2047.5 }},
		{"TargetLevel", func(c *Config) { c.TargetLevel = 31 }, func(c *Config) { c.TargetLevel = 32 }},
		{"PerHop", func(c *Config) { c.PerHop = 4095 }, func(c *Config) { c.PerHop = 4096 }},
	} {
		c := Default()
		x.good(&c)
		require.NoError(t, c.Check(), x.field)
		x.bad(&c)
		_, err := New(c, mode.Peer)
		require.Equal(t, &InvalidConfig{x.field}, err)
		require.EqualError(t, err, "swift: "+x.field+" is out of range")
	}
	require.EqualValues(t, 1<<21-1, ToFixed(MaxFcwndLimit))
	require.EqualValues(t, 1, ToFixed(MinFcwndLimit))
}

// FAL-C12: a case of the peer's own tests.
func TestUtilWindowDelta(t *testing.T) {
	require.EqualValues(t, 1000, WindowDelta(1000, 0))
	require.EqualValues(t, 1100, WindowDelta(1000, 1<<24-100))
	require.EqualValues(t, 1<<24-100, WindowDelta(1000, 1100))
}

// FAL-C12: a case of the peer's own tests.
func TestUtilFabricWindowTimeMarker(t *testing.T) {
	require.EqualValues(t, 100000, FcwndMarker(100000, 50000, 40000, 601, 600, 500), "a decrease")
	require.EqualValues(t, 100000, FcwndMarker(100000, 50000, 40000, 500, 500, 500), "at the minimum")
	require.EqualValues(t, 60000, FcwndMarker(100000, 50000, 40000, 1000, 1000, 500))
	require.EqualValues(t, 50000, FcwndMarker(100000, 50000, 60000, 1000, 1000, 500), "within an RTT")
	require.EqualValues(t, 1<<24-15000, FcwndMarker(25000, 1<<24-25000, 40000, 1000, 1000, 500), "across the wrap")
}

// FAL-C12: the figure's example in which a guard that does not move ignores the last event: the clock wraps after 2^24,
// events come a fraction of that apart, and the last one is a decrease.
func TestSwiftWindowGuardAcrossWrap(t *testing.T) {
	const unit = 1 << 24 / 100
	rtt := uint32(30 * unit)
	marker := FcwndMarker(5*unit, 0, rtt, 2, 1.5, .01)
	require.EqualValues(t, 5*unit, marker)
	marker = FcwndMarker(40*unit, marker, rtt, 2, 2.5, .01)
	require.EqualValues(t, 10*unit, marker)
	marker = FcwndMarker(70*unit, marker, rtt, 2, 2.5, .01)
	require.EqualValues(t, 40*unit, marker)
	require.GreaterOrEqual(t, WindowDelta(110*unit&MaxTime, marker), rtt, "the last event may decrease")
	require.Less(t, WindowDelta(110*unit&MaxTime, 5*unit&MaxTime), rtt, "with a marker that stayed it may not")
}

// FAL-C1: a case of the peer's own tests.
func TestFixed(t *testing.T) {
	require.EqualValues(t, 1536, ToFixed(1.5))
	require.Equal(t, 1.5, rue.Fixed(1536).Packets())
	require.EqualValues(t, 3, ToFixed(2.5/1024), "halves away from zero")
}

// FAL-C13: ten packets of one round trip, then congested ones until another path is tried.
func TestSwiftPLB(t *testing.T) {
	c := Default()
	c.PLBAttemptThreshold = 2
	var p PLB
	require.False(t, p.acknowledged(&c, 4, true, 10))
	require.Equal(t, PLB{Congested: 4, Acked: 4}, p)
	require.False(t, p.acknowledged(&c, 6, false, 10), "4 of 10 is no congestion")
	require.Equal(t, PLB{}, p)
	require.False(t, p.acknowledged(&c, 10, true, 10))
	require.Equal(t, PLB{Attempts: 1}, p)
	require.False(t, p.acknowledged(&c, 5, true, 10))
	require.True(t, p.acknowledged(&c, 5, false, 10), "5 of 10 is")
	require.Equal(t, PLB{}, p)
	p.Attempts = 1
	require.False(t, p.acknowledged(&c, 10, false, 10))
	require.Equal(t, PLB{}, p, "a good round trip ends the row")
	q := PLB{Congested: 1023, Acked: 512, Attempts: 15}
	require.Equal(t, q, UnpackPLB(q.Pack()))

	g, s := engine(t, mode.Peer, func(c *Config) { c.RandomizePath, c.PLBAttemptThreshold = true, 1 }), State{}
	e := ack(3, 879, 1200)
	e.CCOpaque = 0
	require.True(t, g.Process(101300, &e, &s).RandomizePath)
	e.Type, e.NackCode = rue.Nack, uint8(wire.NackRNR)
	require.False(t, g.Process(101300, &e, &s).RandomizePath, "not on a NACK")
	e.CCOpaque = 1
	require.True(t, g.Process(101300, &e, &s).RandomizePath, "asked for")
	e = ack(30, 879, 1200)
	e.CCOpaque, e.Ncwnd, e.NumAcked = 0, 3, 3
	require.True(t, g.Process(101300, &e, &s).RandomizePath, "ncwnd is smaller, and that many are a round trip")
}

// FAL-C14: a case of the peer's own tests.
func TestNetworkRegionEMACalculation(t *testing.T) {
	buffers, packets := Occupancy{Shift: 1}, Occupancy{Shift: 1}
	thresholds, never := Thresholds{15, 30, 45}, Thresholds{}
	for i := range never {
		never[i] = math.Inf(1)
		if i > 2 {
			thresholds[i] = math.Inf(1)
		}
	}
	buffers.Sample(25, &mode.Peer)
	packets.Sample(1, &mode.Peer)
	require.Equal(t, []float64{25, 1}, []float64{buffers.Average, packets.Average})
	buffers.Sample(50, &mode.Peer)
	packets.Sample(2, &mode.Peer)
	require.Equal(t, []float64{37.5, 1.5}, []float64{buffers.Average, packets.Average})
	require.EqualValues(t, 2, thresholds.Level(37.5))
	require.EqualValues(t, 2, BufferLevel(&packets, &buffers, &never, &thresholds))
	require.EqualValues(t, 2, BufferLevel(&buffers, &packets, &thresholds, &never))
	require.EqualValues(t, 0, thresholds.Level(14.9))
	require.EqualValues(t, 1, thresholds.Level(15))
	require.EqualValues(t, 31, new(Thresholds).Level(0))
}

// FAL-C3: the four delays, modulo 2^24.
func TestDelays(t *testing.T) {
	e := rue.Event{T1: 1<<24 - 10, T2: 20, T3: 50, T4: 90}
	for sel, want := range map[rue.DelaySelect]uint32{rue.Full: 100, rue.Fabric: 70, rue.Forward: 30, rue.Reverse: 40} {
		e.DelaySelect = sel
		require.Equal(t, want, Delay(&e), "%d", sel)
	}
	g, s := engine(t, mode.Peer, func(c *Config) { c.DelayAlpha = 0.5 }), State{}
	e.DelaySelect, e.DelayState, e.RTTState, e.Fcwnd = rue.Forward, 70, 200, 2048
	r := g.Process(100, &e, &s)
	require.EqualValues(t, 50, r.DelayState)
	require.EqualValues(t, 175, r.RTTState, "alpha 0.75 weights the old")
}

// FAL-C6: a base delay in the event goes before the configured one.
func TestTargetDelayBase(t *testing.T) {
	g := engine(t, mode.Peer, nil)
	e := ack(4, 440, 800)
	e.BaseDelay = 200
	require.EqualValues(t, 347, g.TargetDelay(4, &e))
	require.EqualValues(t, 347+763-107, g.TargetDelay(0.001, &e), "the most for a small window")
}
