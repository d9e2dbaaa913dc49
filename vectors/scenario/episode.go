package scenario

import (
	"hash/fnv"

	"hcacosim/model/sim"
)

// Episode is a run of cases of which each may depend on those before it: the life of a queue pair. It is made as a
// whole, and any case of it can still be had by itself.
type Episode struct {
	// Number counts the episodes of a scenario from 0: a schedule in absolute cycles may build on it.
	Number uint64

	of    *Generator
	moves []move
	bytes []byte // frames, one behind the other

	scratch []byte // for a record on its way to Add
}

// move is a case of an episode.
type move struct {
	notBefore uint64
	from, to  int // in bytes
	why       string
	user      uint32 // the sideband, where hasUser
	port      sim.Port
	hasUser   bool
}

// Add appends a case: a record that enters by port, not before a cycle (0: as soon as possible), and its reason.
func (e *Episode) Add(port sim.Port, notBefore uint64, frame []byte, why string) {
	from := len(e.bytes)
	e.bytes = append(e.bytes, frame...)
	e.moves = append(e.moves, move{notBefore: notBefore, from: from, to: len(e.bytes), why: why, port: port})
}

// AddUser appends a case as Add does, with a sideband.
func (e *Episode) AddUser(port sim.Port, notBefore uint64, user uint32, frame []byte, why string) {
	e.Add(port, notBefore, frame, why)
	m := &e.moves[len(e.moves)-1]
	m.user, m.hasUser = user, true
}

// Len is how many cases the episode has so far.
func (e *Episode) Len() int { return len(e.moves) }

// EpisodeLen is how many cases the episode has that the case is of; 1 where the cases of its scenario stand alone.
func (c *Case) EpisodeLen() int { return max(1, len(c.series.moves)) }

// episode makes case index of a scenario whose cases come in episodes of length. fill appends exactly that many, drawn
// from r alone; the last episode made is kept in c, so that going through them in order makes each once.
func (c *Case) episode(g *Generator, index uint64, length int, fill func(r *Rand, e *Episode)) {
	e := &c.series
	if number := index / uint64(length); e.of != g || e.Number != number || len(e.moves) == 0 {
		*e = Episode{Number: number, of: g, moves: e.moves[:0], bytes: e.bytes[:0], scratch: e.scratch[:0]}
		r := NewRand(mix64(g.seed^nameHash(g.scenario.Name)), number)
		fill(&r, e)
		if len(e.moves) != length {
			panic("an episode of " + g.scenario.Name + " has not its length")
		}
	}
	m := &e.moves[index%uint64(length)]
	c.Port, c.NotBefore, c.Truth = m.port, m.notBefore, Truth{}
	c.User, c.HasUser = m.user, m.hasUser
	c.Frame = append(c.Frame[:0], e.bytes[m.from:m.to]...)
	c.Why = c.Why[:0]
	c.say(m.why)
}

// nameHash keeps the episodes of two scenarios under one seed apart.
func nameHash(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}
