package guide

import (
	"math/bits"
	"slices"

	"hcacosim/cocosim/cover"
	"hcacosim/model/sim"
)

// Target is what a search is for.
type Target struct {
	Spec     sim.StageSpec
	Settings sim.Settings
}

// Step is a record of a segment. Its start is counted from that of the segment's first record.
type Step struct {
	sim.Offer
	place place // of a field that is kept as a distance
}

// Segment is records that belong together and where they come from.
type Segment struct {
	Scenario string
	Seed     uint64 // of the generator
	From     uint64 // index of its first case
	Changed  bool   // some fields are not the generator's
	Steps    []Step
}

// Set is a set of bins, by their place in Sheet.Waited, or of points of RTL.
type Set []uint64

func newSet(n int) Set { return make(Set, (n+63)/64) }

func (s Set) add(i int) { s[i/64] |= 1 << (i % 64) }

// NewSet is an empty set for members 0 to n-1.
func NewSet(n int) Set { return newSet(n) }

// Add adds a member.
func (s Set) Add(i int) { s.add(i) }

func (s Set) has(i int) bool { return s[i/64]>>(i%64)&1 != 0 }

// Len is how many bins are in the set.
func (s Set) Len() (n int) {
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// Join adds the bins of another set.
func (s Set) Join(o Set) {
	for i, w := range o {
		s[i] |= w
	}
}

// beyond is how many bins are in s and not in o.
func (s Set) beyond(o Set) (n int) {
	for i, w := range s {
		n += bits.OnesCount64(w &^ o[i])
	}
	return n
}

// common is how many bins are in both.
func (s Set) common(o Set) (n int) {
	for i, w := range s {
		n += bits.OnesCount64(w & o[i])
	}
	return n
}

// without is what is in s and not in o.
func (s Set) without(o Set) Set {
	r := make(Set, len(s))
	for i, w := range s {
		r[i] = w &^ o[i]
	}
	return r
}

// holds reports whether every bin of o is in s.
func (s Set) holds(o Set) bool { return o.beyond(s) == 0 }

// player plays records on the golden model, one a cycle, and counts.
type player struct {
	target Target
	stage  sim.Stage
	cover  *cover.Observer
	bins   []*cover.Bin
	at     []where  // of each bin
	lie    relative // nil where no field is kept as a distance
	last   []byte   // data of the record that was played last
	out    []sim.Record
	one    [1]sim.Record
	cycle  uint64
	seqs   []uint64
	played uint64
	gave   int // records that came out
}

func newPlayer(t Target) *player {
	p := &player{target: t, stage: t.Spec.New(t.Settings), cover: cover.New(&t.Spec, t.Settings),
		seqs: make([]uint64, len(t.Spec.Ports)), lie: relatives.of(t.Spec.Name)}
	p.cover.Unjudged()
	p.cover.NeverWaits()
	p.bins = p.cover.Waited()
	for g, group := range p.cover.Groups {
		for i := range group.Bins {
			if b := &group.Bins[i]; b.Counts() {
				p.at = append(p.at, where{g, i})
			}
		}
	}
	return p
}

// where is the place of a bin in its sheet.
type where struct{ group, bin int }

// restart begins with a device that was just reset and nothing met.
func (p *player) restart() {
	p.stage.Reset()
	p.cover.Restart()
	p.lie.reset()
	p.cycle, p.played, p.gave = firstCycle, 0, 0
	clear(p.seqs)
}

// firstCycle is when the first record comes: a device may have memories to clear.
const firstCycle = 8256

// play plays steps behind what was played before.
func (p *player) play(steps []Step) {
	base := p.base(steps)
	for i := range steps {
		p.step(&steps[i], base)
	}
}

// phase is the cycles after which a device that counts them does the same again: segments that say when their records
// come keep their place in it.
const phase = 64

// base is the cycle that steps count from.
func (p *player) base(steps []Step) uint64 {
	if timed(steps) {
		p.cycle = (p.cycle + phase - 1) / phase * phase
	}
	return p.cycle
}

// timed reports whether steps say when they come.
func timed(steps []Step) bool {
	return slices.ContainsFunc(steps, func(s Step) bool { return s.NotBefore > 0 })
}

func (p *player) step(s *Step, base uint64) {
	o := s.Offer
	p.last = append(p.last[:0], o.Data...)
	o.Data = p.last
	p.lie.lower(o.Data, s.place)
	p.take(&o, base)
}

// take plays an offer as it is.
func (p *player) take(o *sim.Offer, base uint64) {
	p.cycle = max(p.cycle+1, base+o.NotBefore)
	o.Seq = p.seqs[o.Port]
	p.seqs[o.Port]++
	p.one[0] = o.Accepted(p.cycle, p.cycle)
	p.one[0].Key = uint32(p.played)
	p.cover.Taken(&p.one[0])
	p.out = p.stage.Advance(p.cycle, p.one[:], p.out[:0])
	for i := range p.out {
		p.lie.learn(o.Data, &p.out[i])
		p.cover.Tap(&p.out[i])
	}
	p.played++
	p.gave += len(p.out)
}

// met are the bins that were met since restart.
func (p *player) met() Set {
	s := newSet(len(p.bins))
	for i, b := range p.bins {
		if b.Hits > 0 {
			s.add(i)
		}
	}
	return s
}

// measure is what segments meet on a device that was just reset.
func (p *player) measure(segments ...*Segment) Set {
	p.restart()
	for _, s := range segments {
		p.play(s.Steps)
	}
	return p.met()
}
