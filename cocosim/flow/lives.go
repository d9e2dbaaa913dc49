package flow

import (
	"slices"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// The first look tells where queue pairs were connected anew without the connection manager: the count of messages
// begins at 0 again with a First or Only, and what is answered from there on counts on from it.

// life follows the requests of one direction, and the count of messages that the answers have.
type life struct {
	key   key
	back  uint32 // the queue pair that answers are for
	known bool   // it is

	sent    lifeSent
	acked   psn.PSN // the highest that was answered
	fatal   bool    // a NAK has ended the connection
	base    uint32  // what a count is above the number of messages
	based   bool
	maybe   birth    // a request with which another connection may begin
	was     lifeSent // before it
	at      birth    // of the connection, where one was found
	before  uint32   // base, before that
	checked bool     // a second answer has agreed
}

// lifeSent is what was sent.
type lifeSent struct {
	any    bool
	timeNS int64
	high   psn.PSN // the highest request
	next   psn.PSN // behind it; a READ's end is not known
	read   bool
	rest   readRest // of the last request
	ended  uint32   // messages, and their last PSNs by that number
	ends   [lifeEnds]psn.PSN
}

const lifeEnds = 64

// readRest is what a READ asks for, and so does one for the rest of it: its end.
type readRest struct {
	rkey, len uint32
	end       uint64
}

// birth is a request with which a connection may begin.
type birth struct {
	key    key
	timeNS int64
	psn    psn.PSN
	open   bool
	ended  uint32 // messages before it
}

// begun is what the first look tells of a request with which a connection may begin.
type begun uint8

const (
	begunUntold begun = iota
	begunAnew
	begunFirst // it is the first that was seen, and the peer takes it for the first
	begunNot   // what answers it goes on with the connection before
)

// maxLives bounds the directions that are followed between two hosts.
const maxLives = 64

// lives are those of the first look, by who asks and who answers.
type lives struct {
	of    map[[2]addr][]*life
	begun map[birth]begun

	followed int
}

// asks notes a request.
func (l *lives) asks(k key, timeNS int64, p *roce.Packet) {
	list := l.of[[2]addr{k.src, k.dst}]
	i := slices.IndexFunc(list, func(x *life) bool { return x.key == k })
	if i < 0 {
		if l.followed++; len(list) == maxLives || l.followed > maxScanned {
			return
		}
		list, i = append(list, &life{key: k}), len(list)
		l.of[[2]addr{k.src, k.dst}] = list
	}
	list[i].asks(timeNS, p)
}

func (x *life) asks(timeNS int64, p *roce.Packet) {
	s, shape := &x.sent, p.Op.Shape()
	quiet := !x.acked.Before(s.high)
	jumps := p.PSN.After(s.high) && p.PSN != s.next && !s.read
	read, rest := shape.Verb == roce.Read, readRest{p.RKey, p.DMALen, p.VA + uint64(p.DMALen)}
	if was := s.rest; read && s.read && p.PSN.After(s.high) && rest.len < was.len && rest.rkey == was.rkey &&
		rest.end == was.end {
		return // the rest of the READ before, again
	}
	anew := s.any && shape.First && (quiet || jumps || x.fatal)
	switch {
	case !s.any:
		x.acked = p.PSN.Add(-1)
		x.maybe = birth{key: x.key, timeNS: timeNS, psn: p.PSN, open: shape.First}
	case anew:
		x.maybe = birth{key: x.key, timeNS: timeNS, psn: p.PSN, open: true, ended: s.ended}
		x.was, x.acked, x.fatal = *s, p.PSN.Add(-1), false
	case !p.PSN.After(s.high):
		return
	}
	s.any, s.timeNS, s.high, s.next, s.read, s.rest = true, timeNS, p.PSN, p.PSN.Add(1), read, rest
	if shape.Last {
		s.ends[s.ended%lifeEnds] = p.PSN
		s.ended++
	}
}

// answers notes a response, which says how many messages were counted.
func (l *lives) answers(src, dst addr, qpn uint32, p *roce.Packet) {
	var x *life
	for _, y := range l.of[[2]addr{dst, src}] {
		switch {
		case y.known && y.back != qpn || !y.sent.any, p.PSN.After(y.sent.high) && !y.sent.read,
			p.PSN.Before(y.sent.high.Add(-farPSNs)):
			continue
		case x != nil && x.known:
			continue
		case x != nil && !y.known:
			return // nobody knows whose it is
		}
		x = y
	}
	if x == nil {
		return
	}
	x.back, x.known = qpn, true
	x.counts(l, p)
}

// counts holds what a response counts against what the connection before would.
func (x *life) counts(l *lives, p *roce.Packet) {
	kind := p.Answer()
	upTo := p.PSN
	if kind.NAK() {
		upTo = upTo.Add(-1)
	} else if !p.PSN.Before(x.acked) {
		x.acked = p.PSN
	}
	x.fatal = x.fatal || kind == roce.FatalAnswer
	if x.maybe.open && kind == roce.SequenceAnswer && p.PSN.Before(x.maybe.psn) {
		x.settle(l, begunNot)
		return
	}
	if !ib.Lookup(p.Op).Headers.Has(ib.AETH) {
		return
	}
	least, told := x.endedUpTo(upTo)
	if !told || x.maybe.open && p.PSN.Before(x.maybe.psn) && (kind.NAK() || least <= x.maybe.ended) {
		return // it answers what was before
	}
	all := least == x.sent.ended
	if kind == roce.DataAnswer && least > 0 {
		least-- // it may count once it is all there
	}
	within := func(base uint32) bool {
		n := (p.MSN - base) & psnMask
		return least <= n && n <= x.sent.ended
	}
	switch {
	case x.maybe.open && x.based:
		anew := -x.maybe.ended & psnMask
		if within(anew) && !within(x.base) && !x.sameAgain(p) && !x.oneLess() {
			x.at, x.before, x.checked = x.maybe, x.base, false
			x.base = anew
			x.settle(l, begunAnew)
		} else {
			x.settle(l, begunNot)
		}
	case x.maybe.open && within(0):
		x.base, x.based = 0, true
		x.settle(l, begunFirst)
	case x.maybe.open:
		x.settle(l, begunNot)
	case x.at.open && !x.checked:
		if x.checked = true; within(x.before) && !within(x.base) {
			l.begun[x.at.untimed()] = begunNot // the one before counted wrong
			x.base, x.at.open = x.before, false
		}
	case !x.maybe.open && all:
		x.base, x.based = (p.MSN-x.sent.ended)&psnMask, true
	}
}

// sameAgain reports whether a count is the one before, and what may begin a connection was sent before: it may have
// been sent again.
func (x *life) sameAgain(p *roce.Packet) bool {
	return !x.maybe.psn.After(x.was.high) && (p.MSN-x.base)&psnMask == x.was.ended
}

// oneLess reports whether a request that goes on at once with the next PSN was counted one too few, rather than as the
// first of a connection: there was one message before.
func (x *life) oneLess() bool {
	return x.maybe.ended == 1 && x.maybe.psn == x.was.next && x.maybe.timeNS-x.was.timeNS <= endNs
}

const psnMask = 1<<psn.Bits - 1

// settle notes what was found of a request with which a connection may begin.
func (x *life) settle(l *lives, is begun) {
	if len(l.begun) < maxScanned {
		l.begun[x.maybe.untimed()] = is
	}
	if is == begunNot && x.was.any && !x.maybe.psn.After(x.was.high) {
		x.sent = x.was // it was sent again
	}
	x.maybe.open = false
}

// untimed is a birth as it is looked up.
func (b birth) untimed() birth { return birth{key: b.key, timeNS: b.timeNS, psn: b.psn} }

// endedUpTo is how many messages end up to a PSN; told is false where that is long ago.
func (x *life) endedUpTo(p psn.PSN) (n uint32, told bool) {
	for i := x.sent.ended; i > 0 && x.sent.ended-i < lifeEnds; i-- {
		if (!x.maybe.open || i > x.maybe.ended) && x.sent.ends[(i-1)%lifeEnds].After(p) {
			continue
		}
		return i, true
	}
	return 0, x.sent.ended < lifeEnds
}

// begunAt is what the first look tells of a request with which a connection may begin.
func (s *Scan) begunAt(k *key, timeNS int64, p psn.PSN) begun {
	if s == nil {
		return begunUntold
	}
	return s.lives.begun[birth{key: *k, timeNS: timeNS, psn: p}]
}
