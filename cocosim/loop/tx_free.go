package loop

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
)

// A free device's timers are told the time by an operation, every so many nanoseconds: its own ticks are as long as
// they can be. It is told when it has made what it can of what it was given, or else so much later: a timer shall not
// expire because the device is slow.
const (
	toldEveryNs  = 20_000_000
	toldLatestNs = 200_000_000
	longestTick  = 65_535
	settled      = 256 // cycles without anything in or out
)

// cyclesPerTick is how long a tick of the device's own is.
func (t *txEnd) cyclesPerTick() uint64 {
	if t.free {
		return longestTick
	}
	return cyclesPerTick
}

// freely runs a free device by a step, if nothing of its waits to leave.
func (t *txEnd) freely(nowNs uint64) {
	if t.tell(nowNs); len(t.frames) == 0 {
		t.clocked.catchUp(nowNs)
	}
	t.atNs = nowNs
}

// tell tells the device's timers the time, where any may run.
func (t *txEnd) tell(nowNs uint64) {
	if t.open == 0 {
		t.timeNs = nowNs
		return
	}
	busy := len(t.offers.Offers) > 0 || t.cycle < t.activeC+settled
	if since := nowNs - t.timeNs; since < toldEveryNs || busy && since < toldLatestNs {
		return
	}
	ticks := (nowNs - t.timeNs) / ib.TickNs
	t.timeNs += ticks * ib.TickNs
	t.tellTicks(uint32(ticks))
}

// tellTicks has ticks pass at once.
func (t *txEnd) tellTicks(ticks uint32) {
	if t.software != nil {
		t.offer("s_time", 0, hca.HcaTopTime(ticks))
		return
	}
	t.offer("s_op", 0, hca.HcaTxLapse(ticks))
}

// waits is a time, or when the device has to run next.
func (t *txEnd) waits(atNs uint64, ok bool) (uint64, bool) {
	if told := t.timeNs + toldEveryNs; t.free && t.open > 0 && (!ok || told < atNs) {
		atNs, ok = told, true
	}
	return t.sooner(atNs, ok)
}
