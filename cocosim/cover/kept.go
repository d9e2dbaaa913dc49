package cover

import (
	"fmt"
	"math/bits"

	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

// The sheets of what comes of READs and atomics: replay_fifo and atomic_engine.
func init() {
	declarations["replay_fifo"] = declareReplay
	declarations["atomic_engine"] = declareAtomics
}

var replayOps = Axis{"keep", "look up", "result", "set", "4", "5", "6", "7"}

var replayKinds = Axis{"READ", "atomic", "ATOMIC WRITE", "FLUSH"}

// replayKept is where a READ that is kept stands.
type replayKept struct {
	qpn  uint32
	slot uint8
}

// declareReplay has what is found of each kind, and which parts of READs.
func declareReplay(o *Observer, s sim.Settings) {
	coded := s.Get("Ecc", 0) != 0
	done := o.cross("operation x found or done", func(at []int, b *Bin) {
		if at[0] > 3 && at[1] == 1 && !(coded && at[0] > 5) {
			b.Illegal = "there is no such operation"
		}
	}, replayOps, Axis{"no", "yes"})
	kinds := o.cross("rule: look up: kind x what is found", func(at []int, b *Bin) {
		if b.Rules = []string{"RSP-8"}; at[0] == 0 {
			b.Rules = []string{"RSP-7"}
		}
		if at[0] == 0 && at[1] == 2 {
			b.Illegal = "a READ has no result that is kept: memory is read again"
		}
	}, replayKinds, Axis{"nothing", "a request", "a request and its result"})
	parts := o.cross("rule: READ found: PSNs behind its original's x what is asked for", func(at []int, b *Bin) {
		b.Rules = []string{"RSP-7", "PSN-4"}
		if at[0] > 0 && at[1] == 0 {
			b.Illegal = "behind its start there is no whole"
		} else if at[0] == 0 && at[1] == 1 {
			b.Illegal = "from the start to the end is the whole"
		}
	}, Axis{"0", "1", "2 to 15", "16 to 255", "more"}, Axis{"the whole", "up to its end", "less", "no byte"})
	slots := int(s.Get("Slots", 4))
	places := o.cross(fmt.Sprintf("slot of %d x operation", slots), nil, numbers(slots), replayOps[:3])
	lost := o.lost(coded, replayOps[:4], func(int) bool { return false })
	near := o.newSince("QP")
	kept := map[replayKept]hca.ReplayQuery{}
	o.restart = append(o.restart, func() { clear(kept) })
	o.blame = func(in *sim.Record, _ []byte) string {
		if q := hca.ParseReplayQuery(in.Data); q.Op == hca.ReplayLookUp && q.Kind == hca.ReplayRead {
			return "RSP-7"
		}
		return "RSP-8"
	}
	o.pair = func(in, out *sim.Record) {
		q, a := hca.ParseReplayQuery(in.Data), hca.ParseReplayAnswer(out.Data)
		o.hit(done, int(q.Op), bit(a.Found))
		near.count(in, uint64(q.QPN))
		if lost(int(q.Op), a.Lost()) {
			return
		}
		place := replayKept{q.QPN, a.Slot}
		if a.Found && q.Op < hca.ReplaySet {
			o.hit(places, int(a.Slot), int(q.Op))
		}
		switch {
		case q.Op == hca.ReplayKeep && a.Found:
			kept[place] = q
		case q.Op == hca.ReplayLookUp:
			o.hit(kinds, int(q.Kind), bit(a.Found)+bit(a.Known))
			if a.Found && q.Kind == hca.ReplayRead {
				o.hit(parts, replayPart(kept[place], q)...)
			}
		}
	}
}

// replayPart is how far behind the start of a READ another begins, and how much of it that asks for.
func replayPart(original, q hca.ReplayQuery) []int {
	ahead, _ := q.PSN.Among(original.PSN, original.Last)
	part := 2
	switch {
	case q.Bytes == original.Bytes:
		part = 0
	case q.Bytes == 0:
		part = 3
	case q.VA+uint64(q.Bytes) == original.VA+uint64(original.Bytes):
		part = 1
	}
	return []int{aheadOf(ahead), part}
}

func aheadOf(psns uint32) int {
	switch {
	case psns < 2:
		return int(psns)
	case psns < 16:
		return 2
	case psns < 256:
		return 3
	}
	return 4
}

var atomicKinds = Axis{"CMP & SWAP", "FETCH & ADD"}

// atomicPortResult is m_res of atomic_engine.
const atomicPortResult sim.Port = 5

// declareAtomics has what became of atomics, and which of them had to wait for which.
func declareAtomics(o *Observer, _ sim.Settings) {
	o.paired = atomicPortResult
	o.asks = func(in *sim.Record) bool { return in.Port == 0 }
	outcomes := o.cross("rule: kind x what became of it", func(at []int, b *Bin) {
		if b.Rules = []string{"RSP-12", "DMA-6"}; at[0] == 1 && at[1] == 1 {
			b.Illegal = "nothing is compared"
		}
	}, atomicKinds, Axis{"written", "compared in vain", "not read", "not written"})
	shared := o.cross("rule: what it shares with one under way when it comes", func(_ []int, b *Bin) {
		b.Rules = []string{"DMA-6"}
	}, Axis{"nothing", "address", "QP", "both"})
	turned := o.cross("sum: the highest bit that turned", nil, bitNames(64))
	near := o.newSince("QP")
	var before []atomicSeen
	o.restart = append(o.restart, func() { before = nil })
	o.blame = func(*sim.Record, []byte) string { return "DMA-6" }
	o.other = func(*sim.Record) {}
	o.pair = func(in, out *sim.Record) {
		c, a := hca.ParseAtomicCommand(in.Data), hca.ParseAtomicResult(out.Data)
		o.hit(outcomes, bit(c.Add), outcomeOf(&c, &a))
		near.count(in, uint64(c.QPN))
		shares := 0
		for i := range before {
			if b := &before[i]; b.end > in.End {
				shares |= bit(b.Address>>3 == c.Address>>3) | bit(b.QPN == c.QPN)<<1
			}
		}
		o.hit(shared, shares)
		if value, _ := c.Value(a.Original); c.Add && a.Status == hca.AtomicDone {
			o.hit(turned, bits.Len64(value^a.Original)-1)
		}
		if before = append(before, atomicSeen{c, out.End}); len(before) > hca.AtomicTags+8 {
			before = before[1:]
		}
	}
}

// atomicSeen is an atomic and when its result came.
type atomicSeen struct {
	hca.AtomicCommand
	end uint64
}

func outcomeOf(c *hca.AtomicCommand, a *hca.AtomicResult) int {
	if _, writes := c.Value(a.Original); a.Status == hca.AtomicDone {
		return bit(!writes)
	}
	return 1 + int(a.Status)
}
