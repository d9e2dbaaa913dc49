package swift

import (
	"math"

	"hcacosim/model/falcon/rue"
)

// Decides FAL-C3.

// ToFixed rounds packets to 11.10 fixed point, halves away from zero.
func ToFixed(packets float64) rue.Fixed { return rue.Fixed(math.Round(packets * (1 << FractionBits))) }

// RTT is t4 - t1 of an event.
func RTT(e *rue.Event) uint32 { return (e.T4 - e.T1) & MaxTime }

// Delay is the delay that the event's connection is controlled by (FAL-C3).
func Delay(e *rue.Event) uint32 {
	switch e.DelaySelect {
	case rue.Fabric:
		return (e.T4 - e.T1 - (e.T3 - e.T2)) & MaxTime
	case rue.Forward:
		return (e.T2 - e.T1) & MaxTime
	case rue.Reverse:
		return (e.T4 - e.T3) & MaxTime
	}
	return RTT(e)
}

// WindowDelta is the time from marker to now, modulo 2^24 (FAL-C12).
func WindowDelta(now, marker uint32) uint32 { return (now - marker) & MaxTime }

// FcwndMarker is the fabric's time marker after an event that took fcwnd from old to next, packets before they are
// rounded to fixed point (FAL-C12): now after a decrease and at the minimum; else it is dragged along, at most an
// RTT behind.
func FcwndMarker(now, marker, rtt uint32, old, next, least float64) uint32 {
	return fcwndMarker(now, marker, rtt, old, next, least, false)
}

func fcwndMarker(now, marker, rtt uint32, old, next, least float64, onIncreaseOnly bool) uint32 {
	if onIncreaseOnly && next == old && next != least {
		return marker
	}
	return windowMarker(now, marker, rtt, next < old || next == least)
}

// windowMarker: FAL-C12.
func windowMarker(now, marker, rtt uint32, changed bool) uint32 {
	if changed {
		return now & MaxTime
	}
	if WindowDelta(now, marker) > rtt {
		return (now - rtt) & MaxTime
	}
	return marker
}
