package guide

import (
	"bytes"
	"slices"

	"hcacosim/model/sim"
	"hcacosim/vectors/scenario"
)

// tidy says whether a segment leaves a device as its scenario's episodes do, and makes it. Behind one that does not,
// what comes next meets less than it does on a device that was just reset.
type tidy struct {
	player  *player
	steps   []Step
	want    [][]byte // what they make a device give that was just reset
	least   int      // bytes of it that they make it give behind whatever episode
	op, key field
	ends    int // the operation that ends what the records of a key began, -1: there is none
}

// tidySamples is how many episodes are tried to learn what an episode leaves.
const tidySamples = 4

// newTidy is nil where segments need no end: where records stand alone, know how to begin afresh or enter by several
// ports, and where half an episode leaves what a whole one leaves.
func newTidy(d *drawer) *tidy {
	sc := scenario.Default(d.target.Spec.Name)
	n := d.length[sc.Name]
	if n == packetsDrawn || len(d.fields) == 0 || d.inputs > 1 {
		return nil
	}
	t := &tidy{player: newPlayer(d.target), ends: -1}
	t.player.restart()
	t.steps = lifted(t.player, sc, 1, 0, n)
	if t.player.lie.fresh(t.steps[0].Data) != nil {
		return nil
	}
	t.player.restart()
	t.gives(func(r *sim.Record) { t.want = append(t.want, bytes.Clone(r.Data)) })
	var whole, half [][]Step
	for k := range uint64(tidySamples) {
		t.player.restart()
		steps := lifted(t.player, sc, 2+k, k*n, n)
		whole, half = append(whole, steps), append(half, steps[:n/2])
	}
	raw := slices.Min(t.scores(half))
	t.learnEnd(d, half)
	if t.least = slices.Min(t.scores(whole)); raw >= t.least {
		return nil
	}
	return t
}

// learnEnd finds the operation behind which a device gives most as after a reset.
func (t *tidy) learnEnd(d *drawer, samples [][]Step) {
	op := slices.IndexFunc(d.fields, func(f field) bool { return f.Name == "op" })
	key := slices.IndexFunc(d.fields, func(f field) bool { return slices.Contains(keys, f.Name) })
	if op < 0 || key < 0 {
		return
	}
	t.op, t.key = d.fields[op], d.fields[key]
	best, ends := sum(t.scores(samples)), -1
	for t.ends = range 1 << (t.op.High - t.op.Low + 1) {
		if n := sum(t.scores(samples)); n > best {
			best, ends = n, t.ends
		}
	}
	t.ends = ends
}

func sum(all []int) (n int) {
	for _, k := range all {
		n += k
	}
	return n
}

func (t *tidy) scores(all [][]Step) (scores []int) {
	for _, steps := range all {
		scores = append(scores, t.same(t.ended(steps)))
	}
	return scores
}

// ended puts behind steps what ends what they began: the last record of each key once more, with that operation.
func (t *tidy) ended(steps []Step) []Step {
	if t == nil || t.ends < 0 {
		return steps
	}
	all, seen := slices.Clone(steps), map[uint64]bool{}
	for i := len(steps) - 1; i >= 0; i-- {
		key := bitsOf(steps[i].Data, t.key.Low, t.key.High)
		if seen[key] {
			continue
		}
		seen[key] = true
		last := steps[i]
		last.Data = bytes.Clone(last.Data)
		for k := t.op.Low; k <= t.op.High; k++ {
			put(last.Data, k, t.ends>>(k-t.op.Low)&1)
		}
		all = append(all, last)
	}
	return all
}

// gives plays the episode behind what was played before.
func (t *tidy) gives(see func(r *sim.Record)) {
	base := t.player.base(t.steps)
	for i := range t.steps {
		t.player.step(&t.steps[i], base)
		for k := range t.player.out {
			see(&t.player.out[k])
		}
	}
}

// same is how many bytes the episode makes a device give behind steps as on one that was just reset.
func (t *tidy) same(steps []Step) (n int) {
	t.player.restart()
	t.player.play(steps)
	at := 0
	t.gives(func(r *sim.Record) {
		for i := 0; at < len(t.want) && i < min(len(r.Data), len(t.want[at])); i++ {
			if r.Data[i] == t.want[at][i] {
				n++
			}
		}
		at++
	})
	return n
}

// left reports whether steps, ended, leave the device as an episode does.
func (t *tidy) left(steps []Step) bool { return t == nil || t.same(t.ended(steps)) >= t.least }

// leaves reports whether steps as they are do.
func (t *tidy) leaves(steps []Step) bool { return t == nil || t.same(steps) >= t.least }
