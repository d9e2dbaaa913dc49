package field

import (
	"cmp"

	"hcacosim/cocosim/flow"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
)

// farPSNs is more than can be outstanding: a request so far away is of a new connection. renewNS is a pause after which
// the first PSN again is one too.
const (
	farPSNs  = 1 << 16
	renewNS  = 1_000_000_000
	leastGap = 8192 // of a timeout, in ns: the shortest that TMR-1 has
)

// reliable reports whether a service acknowledges.
func reliable(t ib.Transport) bool { return t == ib.RC || t == ib.XRC }

// request takes a request, or a datagram.
func (o *Observer) request(c *Conn, w *wire.Packet, id ident, v *flow.Verdict) {
	p := &o.pkt
	shape := p.Op.Shape()
	if c.isCopy(p.PSN, id) {
		c.Copies++
		if reliable(c.Service) {
			o.arrive(c, p.PSN, p.PSN, shape)
		}
		return
	}
	c.Requests++
	if v.Renewed {
		c.renew()
	}
	if w.Op.Length == ib.WholePMTU {
		c.whole(p.Len)
	}
	if !shape.First && !shape.Last {
		c.Middles++
	}
	if shape.First && c.at2 != nil {
		c.at2.begins(shape.Verb)
	}
	if !reliable(c.Service) {
		o.datagram(c, shape, id)
		return
	}
	if c.Requests == 1 {
		c.hosts.asks(c)
	}
	if c.back == nil {
		o.asked.note(c, p.PSN)
	}
	end := c.end(o)
	if o.strays(c, shape, v) {
		c.Strays++
		o.arrive(c, p.PSN, end, shape)
		return
	}
	late := c.Holes.take(c, p.PSN, end, id)
	again := c.started && !p.PSN.After(c.top)
	if again && late && o.times.find(c.at, p.PSN) == nil {
		again = false // the first of its PSN, behind others
		c.Bytes += uint64(p.Len)
	} else if again {
		o.again(c, late, v)
	} else {
		o.fresh(c, shape, end)
	}
	o.outstanding(c, shape, again, end)
	o.arrive(c, p.PSN, end, shape)
	o.stamp(c, again, shape)
	if c.lastNS = o.now; !late {
		c.last = end
	}
}

// whole takes the payload of a First or Middle.
func (c *Conn) whole(n uint32) {
	c.PMTUBytes = max(c.PMTUBytes, n)
	if ib.ValidPMTU(int(n)) {
		c.pmtu = max(c.pmtu, n)
	}
}

// isCopy reports whether the way made the frame of one that came before: the identification and the PSN are the same.
func (c *Conn) isCopy(p psn.PSN, id ident) bool {
	if !id.has || id.id == 0 {
		return false
	}
	x := uint32(id.id)<<16 ^ uint32(p)*0x9E3779B1 | 1
	for _, y := range c.copies {
		if x == y {
			return true
		}
	}
	c.copies[c.copied%uint8(len(c.copies))] = x
	c.copied++
	return false
}

// datagram takes a request that nobody acknowledges.
func (o *Observer) datagram(c *Conn, shape *ib.Shape, id ident) {
	if c.at2 != nil {
		c.at2.Unreliable++
	}
	if c.Service == ib.UC {
		c.Holes.take(c, o.pkt.PSN, o.pkt.PSN, id)
	}
	c.Bytes += uint64(o.pkt.Len)
	if shape.First {
		c.Verbs[shape.Verb]++
	}
	if shape.Last && shape.Verb == ib.VerbSend && c.from != nil {
		c.from.Sends++
	}
}

// pathMTU is the PMTU as far as it is known; 0: it is not.
func (c *Conn) pathMTU(o *Observer) uint32 {
	n := cmp.Or(o.opt.PMTUBytes, c.pmtu, o.opt.Scan.PMTU(c.key.src, c.key.dst, c.QPN, c.Service, o.now))
	if n == 0 && c.back != nil {
		n = cmp.Or(o.opt.Scan.PMTU(c.key.dst, c.key.src, c.back.key.qpn, c.Service, o.now), c.back.PMTUBytes)
	}
	return cmp.Or(n, c.PMTUBytes)
}

// end is the last PSN that the request names or asks for.
func (c *Conn) end(o *Observer) psn.PSN {
	p := &o.pkt
	c.isRead, c.Holes.unsure = false, 0
	if p.Op.Shape().Verb != ib.VerbRead {
		return p.PSN
	}
	pmtu := c.pathMTU(o)
	if pmtu == 0 {
		pmtu, c.isRead = ib.MaxPMTU, true
	}
	n := psn.OfRead(p.DMALen, pmtu)
	if c.isRead {
		c.Holes.unsure = int32(min(psn.OfRead(p.DMALen, ib.MinPMTU)-n, psn.Half))
	}
	if n > psn.Half/2 {
		n = 1
	}
	c.reach = max(c.reach, int32(min(p.DMALen/256, 1<<22)))
	return p.PSN.Add(int32(n) - 1)
}

// starts begins a direction at its first PSN, where that is known.
func (o *Observer) starts(c *Conn) bool {
	if o.opt.StartPSN == nil || c.Renewed > 0 {
		return false
	}
	start, known := o.opt.StartPSN(c.Src, c.Dst, c.QPN)
	if known {
		p := psn.New(start)
		c.started, c.first, c.expected, c.una, c.top, c.last = true, p, p, p, p.Add(-1), p.Add(-1)
	}
	return known
}

// renew starts everything anew: the same queue pairs have another connection.
func (c *Conn) renew() {
	c.Renewed++
	c.started, c.acked, c.inGap, c.dead, c.reads = false, false, false, false, 0
	c.nak, c.rnr, c.implied = pending{}, pending{}, false
	c.Holes.started, c.pmtu = false, 0
}

// strays reports whether a request has a PSN where none can be outstanding. Two in a row that belong together are of a
// new connection of the same queue pairs, and so is the first PSN again after a pause, or another that the checker
// takes for no retry: then everything starts anew, as it does where the checker has told.
func (o *Observer) strays(c *Conn, shape *ib.Shape, v *flow.Verdict) bool {
	if !c.started && !o.starts(c) {
		return false
	}
	p := o.pkt.PSN
	far := !p.Within(c.top, farPSNs+c.reach)
	if far && !(c.farAt == c.Requests-1 && c.farAt > 0 && p.Within(c.far, 64)) {
		c.far, c.farAt = p, c.Requests
		return true
	}
	again := p == c.first || v.Class == flow.Expected && !p.After(c.top)
	if far || again && shape.First && o.now-c.lastNS > renewNS && c.acked && !c.una.Before(c.top) {
		c.renew()
	}
	return false
}

// again counts a request that was sent before. What comes late belongs to a retry that was counted.
func (o *Observer) again(c *Conn, late bool, v *flow.Verdict) {
	p := o.pkt.PSN
	c.Again++
	back := !p.After(c.last) || c.cause == Unexplained && c.Cause == [numCauses]ResendSum{}
	if c.nak.is && p == c.nak.psn || c.rnr.is && p == c.rnr.psn {
		back = true
	}
	if back && !late {
		c.cause = o.causeOf(c)
	}
	if v.Class == flow.Again {
		c.cause = causeOfRule(v.Cause, c.cause)
	}
	if back && !late {
		c.Cause[c.cause].Times++
		if h := c.from; h != nil {
			h.resumed(c.cause)
		}
	}
	c.Cause[c.cause].Packets++
}

// causeOfRule is the cause that the checker found, by the rule that it names; otherwise if it found none.
func causeOfRule(rule roce.Rule, otherwise cause) cause {
	switch rule {
	case "REQ-4":
		return SequenceNAK
	case "TMR-1":
		return Timeout
	case "TMR-4":
		return RNRNAK
	case "REQ-3":
		return ImpliedNAK
	}
	return otherwise
}

// causeOf is why the requester goes back: what it was told, or that nothing came.
func (o *Observer) causeOf(c *Conn) cause {
	p := o.pkt.PSN
	if c.back == nil && (c.hosts == nil || c.hosts.unpaired) {
		return Unexplained // what came back is not known to be of this one
	}
	switch s := o.times.find(c.at, p); {
	case c.rnr.is && !p.After(c.rnr.psn):
		o.Latency[RNRGap].addBound(o.now-c.rnr.timeNS, c.rnr.bound, o.opt.Scan.StampGrainNS())
		c.rnr.is = false
		return RNRNAK
	case c.nak.is && !p.After(c.nak.psn):
		o.Latency[ResendGap].add(o.now - c.nak.timeNS)
		c.nak.is = false
		return SequenceNAK
	case c.implied:
		c.implied = false
		return ImpliedNAK
	case s != nil && o.now-s.timeNS > leastGap:
		o.Latency[TimeoutGap].addBound(o.now-s.timeNS, o.opt.TimeoutNS[c.Src], o.opt.Scan.StampGrainNS())
		return Timeout
	case s == nil && o.now-c.lastNS > leastGap:
		return Timeout
	}
	return Unexplained
}

// fresh counts a request that is sent for the first time.
func (o *Observer) fresh(c *Conn, shape *ib.Shape, end psn.PSN) {
	p := &o.pkt
	if !c.started {
		c.started, c.first, c.expected, c.una = true, p.PSN, p.PSN, p.PSN
		c.last = p.PSN.Add(-1)
	}
	c.top = end
	c.Bytes += uint64(p.Len)
	if shape.First && int(shape.Verb) < verbs {
		c.Verbs[shape.Verb]++
	}
	if shape.Last && shape.Verb == ib.VerbSend {
		c.sends++
	}
}

// outstanding follows how many packets and READs wait for answers.
func (o *Observer) outstanding(c *Conn, shape *ib.Shape, again bool, end psn.PSN) {
	if n := end.Diff(c.una) + 1; c.acked && n > 0 && shape.Verb != ib.VerbRead {
		if n > c.MaxWindow {
			c.MaxWindow, c.AtWindow = n, 0
		}
		if n == c.MaxWindow {
			c.AtWindow++
		}
	}
	if shape.Verb.Replayed() && !again {
		if int(c.reads) < len(c.readEnd) {
			c.readEnd[c.reads] = end
		}
		c.reads++
		c.MaxReads = max(c.MaxReads, c.reads)
	}
	if o.pkt.AckReq || shape.Verb.Replayed() {
		if c.Unanswered == 0 {
			c.UnansweredNS = o.now
		}
		c.Unanswered++
	}
}

// arrive follows in which order requests come to the capture point, which at an end is the order in which they reach
// it.
func (o *Observer) arrive(c *Conn, p, end psn.PSN, shape *ib.Shape) {
	switch d := p.Diff(c.expected); {
	case c.dead:
	case d == 0:
		c.inGap = false
		c.expected = end.Add(1)
		if shape.Completes() {
			c.takes++
		}
	case d > 0:
		c.Ahead++
		if !c.inGap {
			c.inGap, c.gapNS = true, o.now
		}
		if c.at2 != nil {
			c.at2.OutOfSequence++
		}
	default:
		if c.at2 != nil {
			c.at2.Duplicates++
		}
	}
}

func (o *Observer) stamp(c *Conn, again bool, shape *ib.Shape) {
	s := stamp{conn: c.at, psn: o.pkt.PSN, timeNS: o.now, again: again, valid: true, asks: o.pkt.AckReq ||
		shape.Verb.Replayed(), send: shape.Verb == ib.VerbSend,
		sends: uint32(c.sends), takes: uint32(c.takes)}
	if again {
		if before := o.times.find(c.at, o.pkt.PSN); before != nil {
			s.sends = before.sends
		} else {
			s.sends = 0
		}
	}
	o.times.put(s)
}

// congestion takes a CNP.
func (o *Observer) congestion(c *Conn) {
	if c.CNPs > 0 {
		o.Latency[CNPSpacing].add(o.now - c.cnpNS)
	}
	c.CNPs++
	c.cnpNS = o.now
	if c.from != nil {
		c.from.CNPSent++
	}
	if c.at2 != nil {
		c.at2.CNPReceived++
	}
}
