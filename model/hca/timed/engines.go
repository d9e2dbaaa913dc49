package timed

import "hcacosim/model/hca"

// engineState is what hca_rx_engines does with the answer that is due first.
type engineState uint8

const (
	engineIdle   engineState = iota
	engineKnows              // replay_fifo and the path MTU are awaited
	engineBegins             // the writes before it are, and room in the engine
	engineResult             // of an atomic
	engineKeeps              // replay_fifo is told of it
	engineTurns              // it waits for its turn
)

// engines is hca_rx_engines: answers that are due, one behind the other.
type engines struct {
	works, turns      queue
	replayIn, replays queue
	mtu               queue // the path MTU of the head
	state             engineState
	lookedAt          uint64 // from this clock on replay_fifo has spoken of the head
	acked             acked
	wrote             uint64 // writes that were decided
}

// acked counts how many of the first writes memory has acknowledged, without a gap.
type acked struct {
	from  [hca.DMATags]uint64 // by tag: its last acknowledgement counts from this clock on
	used  [hca.DMATags]uint64 // and was counted in this one
	count uint64
}

func (a *acked) there(now uint64) bool {
	tag := a.count % hca.DMATags
	return a.from[tag] <= now && a.from[tag] > a.used[tag]
}

func (p *Pipeline) readAcked() bool {
	return p.engines.acked.count != p.engines.wrote && p.engines.acked.there(p.now)
}

func (p *Pipeline) commitAcked() {
	a := &p.engines.acked
	a.used[a.count%hca.DMATags] = p.now
	a.count++
}

// replayFree reports whether replay_fifo's input takes what the engines ask.
func (p *Pipeline) replayFree() bool {
	return p.engines.replayIn.room() && p.now >= p.openAt && !p.opWaits(hca.ToReplay)
}

func (p *Pipeline) readEngines() bool {
	e := &p.engines
	if !e.works.offers(p.now) {
		return false
	}
	t, can := e.works.first().what, false
	switch e.state {
	case engineIdle:
		can = t.asks && p.replayFree() || !t.asks && e.turns.room()
	case engineKnows:
		can = e.mtu.offers(p.now) && (!t.due.Duplicate || e.lookedAt <= p.now)
	case engineBegins:
		to := &p.reads.commands
		if t.due.IsAtomic {
			to = &p.atomics.commands
		}
		can = e.acked.count >= t.writes && to.room()
	case engineResult:
		can = p.atomics.results.offers(p.now)
	case engineKeeps:
		can = p.replayFree()
	case engineTurns:
		can = e.turns.room()
	}
	return p.movesTo(partEngines, can)
}

func (p *Pipeline) commitEngines() {
	e := &p.engines
	t := e.works.first().what
	switch e.state {
	case engineIdle:
		if !t.asks {
			p.takesTurn(t)
			return
		}
		t.refs++
		p.serving++
		e.replayIn.put(p, t, true)
		e.mtu.put(p, t, true)
		e.state, e.lookedAt = engineKnows, never
	case engineKnows:
		e.mtu.take(p)
		if e.state = engineBegins; t.due.Silent || t.due.Duplicate && t.due.IsAtomic {
			e.state = engineTurns
		}
	case engineBegins:
		if e.state = engineTurns; t.due.IsAtomic {
			p.atomics.commands.put(p, t, true)
			e.state = engineResult
			return
		}
		p.reads.commands.put(p, t, true)
	case engineResult:
		p.atomics.results.take(p)
		e.state = engineKeeps
	case engineKeeps:
		t.refs++
		p.serving++
		e.replayIn.tell(p, t)
		e.state = engineTurns
	case engineTurns:
		p.takesTurn(t)
	}
}

func (p *Pipeline) takesTurn(t *token) {
	p.engines.works.take(p)
	p.engines.turns.put(p, t, true)
	p.engines.state = engineIdle
}

func (p *Pipeline) readReplay() bool {
	e := &p.engines
	return e.replayIn.offers(p.now) && p.movesTo(partReplay, e.replays.room() && p.now >= p.replayAt)
}

func (p *Pipeline) commitReplay() {
	e := *p.engines.replayIn.first()
	p.engines.replayIn.take(p)
	p.engines.replays.pass(p, &e)
	switch t := e.what; {
	case t.op != nil:
		p.blocks.Operate(t.op)
	case e.commit:
		p.blocks.KeepResult(&t.due)
	default:
		p.blocks.Keep(&t.due)
	}
}

// What replay_fifo says is taken at once. The engines wait for a look-up: what it says of a request that is kept comes
// when they look at the next one already.
func (p *Pipeline) readReplayed() bool { return p.engines.replays.offers(p.now) }

func (p *Pipeline) commitReplayed() {
	e := *p.engines.replays.first()
	p.engines.replays.take(p)
	if !e.isTold() && e.what.due.Duplicate {
		p.engines.lookedAt = p.now + 1
	}
	p.serving--
	p.leave(e.what)
}
