package swift

import (
	"math"

	"hcacosim/model/falcon/mode"
	"hcacosim/model/falcon/rue"
	"hcacosim/model/falcon/wire"
)

// Decides FAL-C6, FAL-C7, FAL-C8, FAL-C9, FAL-C10, FAL-C11, FAL-C12.

// Engine works out results. It does not change: one serves any number of connections.
type Engine struct {
	c           Config
	m           mode.Mode
	alpha, beta float64
}

// New returns an engine, or the *InvalidConfig of Config.Check.
func New(c Config, m mode.Mode) (*Engine, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	g := &Engine{c: c, m: m}
	g.alpha, g.beta = c.FlowScaling(m.AlphaNoReciprocals)
	return g, nil
}

// State is what the engine keeps for a connection beside the event and the result.
type State struct {
	PLB           PLB
	NcwndFraction uint16 // of ncwnd, in 1/1024 packets; with mode.NcwndFraction
}

// Process answers an event at time now.
func (g *Engine) Process(now uint32, e *rue.Event, s *State) rue.Result {
	now &= MaxTime
	r := rue.Result{CID: e.CID, EventQueue: e.EventQueue, DelaySelect: e.DelaySelect, BaseDelay: e.BaseDelay,
		CCOpaque: e.CCOpaque, Ncwnd: e.Ncwnd, NcwndMarker: e.NcwndMarker, NcwndDirection: e.NcwndDirection,
		RTTState: e.RTTState, DelayState: e.DelayState}
	old := max(e.Fcwnd.Packets(), MinFcwndLimit)
	rtt, fcwnd := e.RTTState, old
	target := g.TargetDelay(old, e)
	limit := false
	if e.Type == rue.Retransmit {
		fcwnd, limit = g.retransmitted(old, now, e)
	} else {
		r.RTTState = g.smooth(e.RTTState, RTT(e), g.c.RTTAlpha)
		r.DelayState = g.smooth(e.DelayState, Delay(e), g.c.DelayAlpha)
		if rtt = RTT(e); g.c.RTTSmooth {
			rtt = r.RTTState
		}
		fcwnd = g.acknowledged(old, r.DelayState, target, WindowDelta(now, e.FcwndMarker) >= RTT(e), e)
		ncwnd := g.nic(now, rtt, e, s, &r)
		if e.Type == rue.Ack && g.c.RandomizePath {
			size := min(old, ncwnd)
			congested := float64(r.DelayState) > float64(target)*g.c.PLBTargetMultiplier
			r.RandomizePath = s.PLB.acknowledged(&g.c, e.NumAcked, congested, size)
		}
	}
	if g.c.RandomizePath && e.CCOpaque&1 != 0 {
		r.RandomizePath = true
	}
	fcwnd = min(max(fcwnd, g.c.MinFcwnd), g.c.MaxFcwnd)
	r.Fcwnd = ToFixed(fcwnd)
	r.IPG = g.gap(fcwnd, rtt, e.IPG)
	r.RTO = e.RTO
	if limit || g.m.RTOEveryEvent {
		r.RTO = RetransmitTimeout(g.c.MinRTO, r.RTTState, g.c.RTOScalar, r.IPG, g.c.IPGScalar)
	}
	r.FcwndMarker = fcwndMarker(now, e.FcwndMarker, rtt, old, fcwnd, g.c.MinFcwnd, g.m.MarkerOnIncreaseOnly)
	return r
}

// TargetDelay is the delay that a window of size fcwnd aims at (FAL-C6).
func (g *Engine) TargetDelay(fcwnd float64, e *rue.Event) uint32 {
	base := e.BaseDelay
	if base == 0 {
		base = g.c.BaseDelay
	}
	scaling := math.Trunc(g.alpha/math.Sqrt(fcwnd) + g.beta)
	scaling = min(max(scaling, 0), float64(g.c.MaxFlowScaling))
	return min(base+uint32(scaling)+g.c.PerHop*uint32(e.Hops), MaxTime)
}

// smooth: FAL-C3.
func (g *Engine) smooth(old, sample uint32, alpha float64) uint32 {
	if g.m.EWMA == mode.EWMANew {
		alpha = 1 - alpha
	}
	// The conversions keep a compiler from fusing: every product is rounded, on every machine.
	return uint32(float64(float64(old)*alpha) + float64(float64(sample)*(1-alpha)))
}

// acknowledged is fcwnd after an ACK or NACK (FAL-C7). may: an RTT has passed since the last decrease.
func (g *Engine) acknowledged(fcwnd float64, delay, target uint32, may bool, e *rue.Event) float64 {
	if g.maxDecrease(e) {
		if may {
			fcwnd *= 1 - g.c.MaxFcwndDecrease
		}
		return fcwnd
	}
	if delay < target || delay == target && !g.m.TargetStrict {
		more := g.c.FcwndIncrease * float64(e.NumAcked)
		if fcwnd >= 1 {
			more /= fcwnd
		}
		return fcwnd + more
	}
	if !may {
		return fcwnd
	}
	less := excess(delay, target) * g.c.FcwndDecreaseFactor
	return fcwnd * (1 - min(g.c.MaxFcwndDecrease, less))
}

// excess is how far v is above target, as a part of v; 0 where both are 0.
func excess(v, target uint32) float64 {
	if v == target {
		return 0
	}
	return float64(v-target) / float64(v)
}

// maxDecrease reports whether the event takes away the most (FAL-C7), where that is configured.
func (g *Engine) maxDecrease(e *rue.Event) bool {
	if !g.c.MaxDecreaseOnEACKNack {
		return false
	}
	if e.Type == rue.Nack {
		return wire.NackCode(e.NackCode) == wire.NackPeerWindow
	}
	return e.EACK && e.EACKDrop
}

// retransmitted is fcwnd after a retransmission (FAL-C8); limit tells that it was at the limit.
func (g *Engine) retransmitted(fcwnd float64, now uint32, e *rue.Event) (_ float64, limit bool) {
	may := WindowDelta(now, e.FcwndMarker) >= e.RTTState
	limit = e.RetxCount >= g.c.RetxLimit
	switch {
	case e.RetxCount == 1 && may:
		fcwnd *= 1 - g.c.MaxFcwndDecrease
	case e.RetxCount == 1:
	case limit && (may || !g.m.RetxLimitGuarded):
		fcwnd = g.c.MinFcwnd
	}
	return fcwnd, limit
}

// nic fills in ncwnd, its direction and marker (FAL-C9), and returns ncwnd before the event. rtt is that of the marker.
func (g *Engine) nic(now, rtt uint32, e *rue.Event, s *State, r *rue.Result) float64 {
	old := float64(e.Ncwnd)
	if g.m.NcwndFraction {
		old += float64(s.NcwndFraction) / (1 << FractionBits)
	}
	guard := e.NcwndMarker
	if g.m.NicGuardByFabricMarker {
		guard = e.FcwndMarker
	}
	may := WindowDelta(now, guard) >= RTT(e)
	level, target := e.RxBuffer, g.c.TargetLevel
	n := old
	switch {
	case e.Type == rue.Nack && wire.NackCode(e.NackCode) == wire.NackResources:
		if may || e.NcwndDirection == rue.Increase {
			n *= 1 - g.c.MaxNcwndDecrease
		}
	case level < target || level == target && !g.m.TargetStrict:
		if may || e.NcwndDirection == rue.Decrease {
			n += g.c.NcwndIncrease
		}
	case may:
		less := excess(uint32(level), uint32(target))
		if g.m.NicDecreaseScaled {
			less *= g.c.NcwndDecreaseFactor
		}
		n *= 1 - min(g.c.MaxNcwndDecrease, less)
	}
	n = min(max(n, g.c.MinNcwnd), g.c.MaxNcwnd)
	if !g.m.NcwndFraction {
		n = math.Floor(n)
	}
	extreme := n == g.c.MinNcwnd || n == g.c.MaxNcwnd
	fixed := ToFixed(n)
	r.Ncwnd = uint16(fixed >> FractionBits)
	if g.m.NcwndFraction {
		s.NcwndFraction = uint16(fixed & (1<<FractionBits - 1))
	}
	switch {
	case n > old:
		r.NcwndDirection = rue.Increase
	case n < old:
		r.NcwndDirection = rue.Decrease
	}
	r.NcwndMarker = windowMarker(now, e.NcwndMarker, rtt, n != old || extreme)
	return old
}

// gap is the time between packets of a window below one packet (FAL-C10). last is the gap before the event.
func (g *Engine) gap(fcwnd float64, rtt, last uint32) uint32 {
	if fcwnd > 1 || fcwnd == 1 && g.m.NoGapAtOne {
		return 0
	}
	var gap float64
	switch g.m.IPG {
	case mode.IPGMinusRTT:
		gap = (float64(rtt)/fcwnd - float64(rtt)) * g.c.IPGScalar
	case mode.IPGRTTOver:
		gap = float64(rtt) / fcwnd * g.c.IPGScalar
	case mode.IPGOverItself:
		gap = float64(last) / fcwnd
	}
	return uint32(min(math.Round(gap), float64(uint32(1)<<g.c.IPGBits-1)))
}

// RetransmitTimeout is the timeout behind the gap (FAL-C11): rtt x scalar + gap/ipgScalar, saturated, at least least.
func RetransmitTimeout(least, rtt uint32, scalar float64, gap uint32, ipgScalar float64) uint32 {
	rto := math.Trunc(float64(rtt)*scalar) + float64(gap)/ipgScalar
	return max(uint32(min(rto, MaxTime)), least)
}
