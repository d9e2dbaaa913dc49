package scenario

import (
	"cmp"
	"slices"

	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

// hcaRxNumQPs is how many QPs the model has that says which frames write: as many as the smallest device. It says the
// same of any larger one: no number and no key of the scenario is beyond.
const hcaRxNumQPs = 64

// hcaRxLatest is how many clocks memory takes at most.
const hcaRxLatest = 600

// hcaRxEngine is how many clocks an atomic takes at most, beside memory: docs/blocks/atomic_engine.md.
const hcaRxEngine = 50

// hcaRxMemory is the host's memory: it acknowledges what the model says is written.
type hcaRxMemory struct {
	late, jitter int     // of this part
	slow         float64 // clocks for one of memory's
	now          int     // in memory's clocks: a beat of 64 bytes each
	writes       int     // of the round so far
	acks         []hcaRxAck
	latest       int            // of this part: by then all are acknowledged but the last plan.overtakes
	slowest      int            // and by then all
	last         map[uint32]int // of each QP in this part: the acknowledgement of its last request, or -1

	gave            uint64            // for READs so far: its last clock
	pieces, atomics int               // asked for in the round so far
	words           map[uint64]uint64 // what atomics left, by address
}

// hcaRxAck is an acknowledgement to come.
type hcaRxAck struct {
	hca.DMAAck
	at   int // in memory's clocks, whatever the pace of the run: so the order is the same at each
	move int // the frame that writes: its place in the part
}

// hcaRxMemoryPace is how many clocks one of memory's has: more where the data path is narrow.
func hcaRxMemoryPace(p Pace) float64 { return 1 + max(0, 64/float64(p.BeatBytes)-1)/4 }

// begin draws how slow memory is in this part.
func (m *hcaRxMemory) begin(d *hcaRxPeer) {
	const per = 1 << 20
	m.slow = float64(d.g.pace.Cycles(per)) / per * hcaRxMemoryPace(d.g.pace)
	m.now, m.latest, m.slowest = 0, 0, 0
	m.late, m.jitter = [...]int{0, 6, 60, 300}[d.r.Below(4)], [...]int{1, 8, 40, 300}[d.r.Below(4)]
	m.last = map[uint32]int{}
}

// hear takes note of the frame that was played last.
func (m *hcaRxMemory) hear(d *hcaRxPeer, bytes int) {
	m.now += 1 + bytes/64
	f := &d.told
	if d.plan.overtakes > 0 && f.IsRequest() { // tags come round: none is acknowledged long before its write
		m.now += hcaRxWaits - 1
		if f.Asks() { // it waits for every write before it, and what is behind waits too
			m.now = max(m.now, m.slowest) + hcaRxEngine
		}
	}
	if !f.IsRequest() {
		return
	}
	m.last[f.Class.QPN] = -1
	if !f.Placed() {
		return
	}
	m.last[f.Class.QPN] = len(m.acks)
	tag := (int(d.e.Number)*d.plan.writes + m.writes) % hca.DMATags
	behind := hcaRxSettling/4 + m.late + d.r.Below(m.jitter) // the way through the device, and memory
	if d.r.OneIn(20) {
		behind = d.r.Below(hcaRxLatest)
	}
	at := m.now + min(behind, hcaRxLatest)
	if n, most := len(m.acks), d.plan.overtakes; most > 0 && n >= most {
		m.latest = max(m.latest, m.acks[n-most].at)
		at = max(at, m.latest)
	}
	m.slowest = max(m.slowest, at)
	m.acks = append(m.acks, hcaRxAck{hca.DMAAck{Tag: uint8(tag)}, at, len(d.moves) - 1})
	m.writes++
}

// end adds the acknowledgements of a part in the order of their times. Now and then the last write of a QP fails: of
// one whose peer sends nothing behind it, for what is executed behind it nobody says (docs/blocks/hca_rx.md, Order).
func (m *hcaRxMemory) end(d *hcaRxPeer) {
	for _, p := range d.used {
		if i, sent := m.last[p.spec.DestQP]; sent && i >= 0 && d.r.OneIn(d.plan.failsIn()) && p.narrow != hcaRxBegun {
			m.acks[i].Error = true
			p.failed = true
			d.model.Fail(p.spec.DestQP)
		}
	}
	slices.SortStableFunc(m.acks, func(a, b hcaRxAck) int { return cmp.Compare(a.at, b.at) })
	var moves []hcaRxMove
	for i := range m.acks {
		why := "acknowledged"
		if m.acks[i].Error {
			why = "acknowledged: error"
		}
		port := sim.Port(2)
		if d.top != nil {
			port = hcaTopAcks
		}
		at := d.start + uint64(float64(m.acks[i].at)*m.ackPace(d))
		moves = append(moves, hcaRxMove{port, at, m.acks[i].Append(nil), why, -1})
	}
	d.moves = m.ahead(d, moves)
	m.acks = m.acks[:0]
}

// ackPace is how many clocks one of memory's has for acknowledgements. In a round of four they come as if nothing were
// held back: in a run that is, before many of their writes. Where tags come round none does, and none of what is
// filled.
func (m *hcaRxMemory) ackPace(d *hcaRxPeer) float64 {
	if d.e.Number%4 == 1 && d.plan.overtakes == 0 && !d.full {
		return hcaRxMemoryPace(d.g.pace)
	}
	return m.slow
}

// ahead puts acknowledgements in front of the frames that write, so that the run may be cut anywhere: in front of all;
// where tags come round, each in front of its own, as rx_dma holds one back whose tag was acknowledged already.
func (m *hcaRxMemory) ahead(d *hcaRxPeer, acks []hcaRxMove) []hcaRxMove {
	if d.plan.overtakes == 0 {
		return append(acks, d.moves...)
	}
	last := map[int]int{} // by the place of a frame, how many are to come before it
	for i := range m.acks {
		last[m.acks[i].move] = i + 1
	}
	var all []hcaRxMove
	given := 0
	for i := range d.moves {
		for ; given < last[i]; given++ {
			all = append(all, acks[given])
		}
		all = append(all, d.moves[i])
	}
	return all
}
