package roce_test

import (
	"cmp"
	"maps"
	"slices"

	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// beside is a requester in a state and what a block knows that no requester does: which search it is in, or what was
// posted to it before all of it ended.
type beside[H comparable] struct {
	id   uint32
	here H
}

// tourist walks the requesters of a world, each from its beginning on, with what a block knows beside.
type tourist[H comparable] interface {
	// begin is what a block knows of a connection that begins, with the work of a channel.
	begin(c, epoch int) H
	// at sees a state once.
	at(here H, q *roce.Requester)
	// step sees a move, and says what the block knows behind it.
	step(here H, k move, before, after *roce.Requester, out roce.Batch) H
}

// walkRequesters shows every state and every move of the requesters of a world that a beginning leads to, breadth first
// and always in the same order. Those of the explorer's that no beginning leads to there are none.
func walkRequesters[H comparable](x *explorer, on tourist[H]) {
	moves := map[uint32][]move{}
	for _, k := range inOrder(x.q.memo) {
		moves[k.id] = append(moves[k.id], k)
	}
	seen := map[beside[H]]bool{}
	var queue []beside[H]
	add := func(b beside[H]) {
		if !seen[b] {
			seen[b], queue = true, append(queue, b)
		}
	}
	for _, b := range beginnings(x) {
		add(beside[H]{b.id, on.begin(b.channel, b.epoch)})
	}
	before, after := new(roce.Requester), new(roce.Requester)
	for ; len(queue) > 0; queue = queue[1:] {
		b := queue[0]
		x.q.load(b.id)
		*before = *x.q.machine
		on.at(b.here, before)
		for _, k := range moves[b.id] {
			o := x.q.memo[k]
			x.q.load(o.id)
			*after = *x.q.machine
			add(beside[H]{o.id, on.step(b.here, k, before, after, o.out)})
		}
	}
}

// beginning is a requester with everything posted and nothing sent.
type beginning struct {
	id             uint32
	channel, epoch int
	start          psn.PSN
}

// beginnings are those that a world has.
func beginnings(x *explorer) (all []beginning) {
	for c := range x.channels {
		for epoch, work := range x.work[c] {
			if work == nil {
				continue
			}
			for _, start := range slices.Sorted(maps.Keys(x.qcfgs)) {
				q := new(roce.Requester)
				*q = roce.NewRequester(x.qcfgs[start])
				var out roce.Batch
				for _, w := range work {
					q.Post(w, &out)
				}
				if id, is := x.q.find(q); is {
					all = append(all, beginning{id, c, epoch, start})
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b beginning) int { return cmp.Compare(a.epoch, b.epoch) })
	return all
}

// replaySlots is how many WQEs a QP has: more than any world posts, so that a slot is given once.
const replaySlots = 8

// slotOf is where the WQE with an ID stands: worlds number their work from 1.
func slotOf(id uint64) uint8 { return uint8((id - 1) % replaySlots) }

// shown reports whether a look shows the i-th WQE: it has begun, or its turn has come (REQ-14).
func shown(all []roce.Queued, i int) bool {
	return all[i].Begun || i == 0 || all[i-1].Begun && (all[i-1].Done || !all[i-1].Verb.Local())
}
