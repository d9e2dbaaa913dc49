package roce

import "hcacosim/model/psn"

// places are where messages stood before each request inside one that the device has not acknowledged: what an RNR NAK
// of that request falls back to. A device with a pipeline says it when more requests have come behind.
//
// For example a WRITE of three packets, the Last with immediate, and a SEND: no receive WQE is there for the Last. Its
// RNR NAK leaves when the SEND has come; the Last comes again and goes on with the WRITE.
type places struct {
	list []place // oldest first
	// forgot says that the list was too short for all: before its first request nothing is known.
	forgot bool
	// adrift says that the request that comes next goes on with a message of which nothing is known.
	adrift bool
}

type place struct {
	psn  psn.PSN
	open openMessage
	to   writeTarget
}

const maxPlaces = 128

// note keeps the place before a request. acked is the last PSN that the device acknowledged.
func (l *places) note(at place, acked psn.PSN) {
	gone := 0
	for gone < len(l.list) && l.list[gone].psn.Diff(acked) <= 0 {
		gone++
	}
	if gone == 0 && len(l.list) == maxPlaces {
		gone, l.forgot = maxPlaces/2, true
	}
	if gone > 0 {
		l.list = l.list[:copy(l.list, l.list[gone:])]
	}
	if at.open.verb != NoVerb {
		l.list = append(l.list, at)
	}
}

// back returns the place before a request, and forgets those behind it.
func (l *places) back(p psn.PSN) (at place) {
	for n := len(l.list); n > 0 && l.list[n-1].psn.Diff(p) > 0; n-- {
		l.list = l.list[:n-1]
	}
	n := len(l.list)
	if n > 0 && l.list[n-1].psn == p {
		at, l.list = l.list[n-1], l.list[:n-1]
	}
	l.adrift = n == 0 && l.forgot
	return at
}

// resume lets a request that goes on with a message of which nothing is known go on with any of its kind.
func (f *ResponderFollower) resume(p *Packet) {
	if s := p.Op.Shape(); f.places.adrift && !s.First {
		f.r.open = openMessage{verb: s.Verb, left: ^uint32(0)}
	}
	f.places.adrift = false
}

// Repeat prepares for being told again what came behind the request that the device has just refused: what is owed for
// that is forgotten. What came before the request has its answer, or needs none.
func (f *ResponderFollower) Repeat() {
	kept := replyQueue{nowNS: f.r.replies.nowNS}
	for i := range f.r.replies.count {
		if a := f.r.replies.at(i); !a.again && !a.optional {
			kept.push(*a)
		}
	}
	f.keepReplies(&kept)
	f.gap = gapTalk{}
}
