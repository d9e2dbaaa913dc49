package flow

import (
	"slices"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/roce/onwire"
	"hcacosim/model/wire"
)

// talked is what the first look has of the packets from one host to another, and of what came back to the requests
// among them: enough to tell a configuration that is another connection's.
type talked struct {
	packets uint64
	service unanimous[ib.Transport]
	qpn     unanimous[uint32]

	requests uint64
	first    psn.PSN // of the requests
	high     psn.PSN // the highest of them
	begins   bool    // the first begins a message
	below    bool    // a request came, or was answered, from before the first
	again    bool    // a request came again
	leaps    bool    // one lies further ahead than any that can be lost
	ended    uint32  // messages that were sent to their end
	pmtu     unanimous[uint32]
	wholeAt  psn.PSN // of the first request that fills a packet
	over     [5]uint64
	reads    [16]readTook

	taken   uint64  // answers that refuse nothing
	upTo    psn.PSN // the highest that one of them names
	counts  bool    // one of them counts messages
	counted bool    // and the first that does, none from before the first request
	refused bool    // before the first a request was refused, or one was for good
}

// unanimous is a value that all have, or that not all have.
type unanimous[T comparable] struct {
	of         T
	has, mixed bool
}

func (v *unanimous[T]) add(x T) {
	v.mixed = v.mixed || v.has && v.of != x
	if !v.has {
		v.of, v.has = x, true
	}
}

// isNot reports whether all have one value that is not x.
func (v *unanimous[T]) isNot(x T) bool { return v.has && !v.mixed && v.of != x }

// readTook is how many PSNs the requester left to a READ: the next new request tells.
type readTook struct {
	psn       psn.PSN
	len, psns uint32
}

// hear notes a packet of the first look.
func (s *Scan) hear(w *wire.Packet, src, dst addr, timeNS int64) {
	var p roce.Packet
	if w.Bad.Reason == wire.Cut { // behind its headers
		was := w.Bad
		w.Bad = wire.Malformed{}
		defer func() { w.Bad = was }()
	}
	if w.Op.Transport == ib.CNP || w.BTH().DestQP() <= gsiQP || !onwire.Take(w, &p) {
		return
	}
	if w.Op.Transport == ib.RC && w.Op.Response {
		s.lives.answers(src, dst, w.BTH().DestQP(), &p)
	} else if w.Op.Transport == ib.RC {
		s.lives.asks(key{src: src, dst: dst, qpn: w.BTH().DestQP(), service: ib.RC}, timeNS, &p)
	}
	x := s.talkedOf(src, dst)
	if x == nil {
		return
	}
	x.packets++
	x.service.add(w.Op.Transport)
	x.qpn.add(w.BTH().DestQP())
	whole := w.Op.Length == ib.WholePMTU
	n := payloadBytes(w)
	asked := x
	if w.Op.Response {
		if asked = s.talkedOf(dst, src); asked == nil {
			return
		}
		asked.answered(&p)
	} else {
		x.asks(&p, whole)
	}
	switch {
	case whole:
		asked.pmtu.add(n)
	default:
		for i, size := range pmtus {
			if n > size {
				asked.over[i]++
			}
		}
	}
}

// pmtus are those that there are.
var pmtus = [5]uint32{256, 512, 1024, 2048, 4096}

func (s *Scan) talkedOf(src, dst addr) *talked {
	x := s.talks[[2]addr{src, dst}]
	if x == nil && len(s.talks) < maxScanned {
		x = new(talked)
		s.talks[[2]addr{src, dst}] = x
	}
	return x
}

// asks notes a request.
func (x *talked) asks(p *roce.Packet, whole bool) {
	shape := p.Op.Shape()
	if x.requests++; x.requests == 1 {
		x.first, x.begins, x.high = p.PSN, shape.First, p.PSN.Add(-1)
	}
	if whole && !x.pmtu.has {
		x.wholeAt = p.PSN
	}
	x.below = x.below || p.PSN.Before(x.first)
	if !p.PSN.After(x.high) {
		x.again = true
		return
	}
	last := &x.reads[(x.ended+15)%16]
	read := x.ended > 0 && last.len > 0
	if read && last.psns == 0 {
		last.psns = uint32(p.PSN.From(last.psn))
	}
	x.leaps = x.leaps || !read && !p.PSN.Within(x.high, farPSNs)
	x.high = p.PSN
	if !shape.Last {
		return
	}
	x.reads[x.ended%16] = readTook{psn: p.PSN}
	if shape.Verb == roce.Read {
		x.reads[x.ended%16].len = p.DMALen
	}
	x.ended++
}

// answered notes what came back.
func (x *talked) answered(p *roce.Packet) {
	switch kind := p.Answer(); {
	case kind == roce.RNRAnswer:
	case kind == roce.SequenceAnswer:
		x.refused = x.refused || x.taken == 0
	case kind.NAK() || kind == roce.ReservedAnswer:
		x.refused = true
	default:
		if x.taken++; x.taken == 1 {
			x.upTo = p.PSN
		}
		if !x.counts && ib.Lookup(p.Op).Headers.Has(ib.AETH) {
			x.counts, x.counted = true, p.MSN <= x.ended
		}
		x.below = x.below || x.requests == 0 || p.PSN.Before(x.first)
		x.upTo = psnMax(x.upTo, p.PSN)
	}
}

// begun reports whether the peer took the requests from the first on, and knows of none before it.
func (x *talked) begun() bool {
	return x != nil && x.requests > 1 && x.begins && x.taken > 0 && x.counted && !x.below && !x.leaps && !x.refused
}

// fit reports whether the requester left each READ as many PSNs as its data take at a PMTU.
func (x *talked) fit(pmtu uint32) bool {
	return !slices.ContainsFunc(x.reads[:], func(r readTook) bool {
		return r.psns != 0 && r.psns != psn.OfRead(r.len, pmtu)
	})
}

// agreed is the PMTU that both ends have: First and Middle packets have it, the peer took them, and READs leave room
// for as many. 0: nothing tells.
func (x *talked) agreed() uint32 {
	if x == nil || !x.pmtu.has || x.pmtu.mixed || x.refused || !ib.ValidPMTU(int(x.pmtu.of)) || !x.fit(x.pmtu.of) {
		return 0
	}
	if x.service.of == ib.UC || x.taken > 0 && !x.upTo.Before(x.wholeAt) {
		return x.pmtu.of
	}
	return 0
}

// wholly reports whether there are messages longer than a PMTU, taken, and all of them are whole.
func (x *talked) wholly(pmtu uint32) bool {
	i := slices.Index(pmtus[:], pmtu)
	return x != nil && i >= 0 && !x.pmtu.has && !x.refused && x.over[i] >= surePackets &&
		(x.service.of == ib.UC || x.taken >= surePackets)
}

// surePackets are so many that no one packet that was changed stands for them.
const surePackets = 3
