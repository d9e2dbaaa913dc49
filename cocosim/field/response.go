package field

import (
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// response takes a response that runs in d.
func (o *Observer) response(d *Back, ce bool) {
	c := o.asking(d)
	if ce {
		d.Marked++
	}
	if h := d.at2; h != nil {
		h.Responses++
	}
	p := &o.pkt
	kind := p.Answer()
	if shape := p.Op.Shape(); shape.Verb == ib.VerbRead && !shape.Last {
		d.PMTUBytes = max(d.PMTUBytes, p.Len)
		d.Middles++
	}
	if from, to := d.from, d.at2; kind != roce.DataAnswer && kind != roce.AckAnswer {
		from.refused(kind, p.Syndrome, true)
		to.refused(kind, p.Syndrome, false)
	}
	if c == nil {
		o.Unmatched++
		o.unpaired(&d.key)
		o.lastConn = nil
		return
	}
	c.Responses++
	o.use(c)
	if c.isRead && p.PSN.After(c.top) && p.PSN.Within(c.top, c.reach+1) {
		c.top = p.PSN
	}
	switch kind {
	case roce.RNRAnswer:
		o.notReady(c)
	case roce.SequenceAnswer:
		o.sequenceNAK(c, d)
	case roce.FatalAnswer, roce.ReservedAnswer:
		o.fatal(c)
	default:
		o.positive(c, kind)
	}
	c.Unanswered = 0
}

// fatal takes a NAK that ends the connection. The SEND that it refuses ends with an error.
func (o *Observer) fatal(c *Conn) {
	p := &o.pkt
	if c.FatalNAKs++; c.FatalNAKs == 1 {
		c.Fatal, c.FatalPacket = p.Syndrome, o.num
	}
	o.completed(c, p.PSN.Add(-1))
	if s := o.times.find(c.at, p.PSN); s != nil && s.send && !c.dead && c.from != nil {
		c.from.Sends++
	}
	c.dead = true
}

// asking is the direction whose requests the responses in d answer.
func (o *Observer) asking(d *Back) *Conn {
	if d.to != nil {
		return d.to
	}
	var c *Conn
	for _, n := range []int32{0, -1, 1} { // a sequence NAK names what is missing
		if c = o.asked.find(d.key.dst, d.key.src, o.pkt.PSN.Add(n)); c != nil || o.pkt.Answer() != roce.SequenceAnswer {
			break
		}
	}
	if back := o.pairs[[2]addr{d.key.dst, d.key.src}]; c == nil && back != nil {
		c = back.only
	}
	if c == nil || c.back != nil || c.Service != d.key.service {
		return nil
	}
	d.to, c.back = c, d
	c.PeerQPN = d.key.qpn
	return c
}

// notReady takes an RNR NAK.
func (o *Observer) notReady(c *Conn) {
	p := &o.pkt
	c.RNRs++
	c.RNRCode = p.Syndrome.Code()
	if !c.rnr.is {
		c.rnr = pending{psn: p.PSN, timeNS: o.now, bound: int64(ib.RNRTimerNs(p.Syndrome.Code())), is: true}
	}
	o.acknowledge(c, p.PSN.Add(-1))
	o.completed(c, p.PSN.Add(-1))
	c.expected, c.inGap, c.takes = p.PSN, true, c.takesDone
}

// completed counts what an acknowledgement of a PSN, and of all before it, ended: SENDs here, receive WQEs there.
func (o *Observer) completed(c *Conn, p psn.PSN) {
	s := o.times.find(c.at, p)
	if s == nil || c.dead {
		return
	}
	if n := uint64(s.sends); n > c.sendsDone {
		if c.from != nil {
			c.from.Sends += n - c.sendsDone
		}
		c.sendsDone = n
	}
	if n := uint64(s.takes); n > c.takesDone {
		if c.at2 != nil {
			c.at2.Receives += n - c.takesDone
		}
		c.takesDone = n
	}
}

// sequenceNAK takes a sequence NAK, which runs in d.
func (o *Observer) sequenceNAK(c *Conn, d *Back) {
	p := &o.pkt
	c.SequenceNAKs++
	if d.at2 != nil && p.PSN.After(c.una) && !p.PSN.After(c.top) && !c.rnr.is {
		d.at2.SequenceNAKsMoved++
	}
	switch {
	case c.inGap && c.expected == p.PSN:
		o.Latency[NAKGap].add(o.now - c.gapNS)
	case o.sent || !o.atEnd:
		// what is missing was lost behind the capture point, or never came
	default:
		if s := o.times.find(c.at, p.PSN.Add(1)); s != nil && !s.again {
			o.Latency[NAKGap].add(o.now - s.timeNS)
		}
	}
	if !c.nak.is || c.nak.psn != p.PSN {
		c.nak = pending{psn: p.PSN, timeNS: o.now, is: true}
	}
	o.acknowledge(c, p.PSN.Add(-1))
	o.completed(c, p.PSN.Add(-1))
	if p.PSN.Before(c.expected) && (o.sent || !o.atEnd) && o.times.find(c.at, p.PSN) == nil {
		c.expected, c.inGap, c.takes = p.PSN, true, c.takesDone // what was seen first was not the first
	}
}

// positive takes an ACK, or a READ or atomic response.
func (o *Observer) positive(c *Conn, kind roce.AnswerKind) {
	p := &o.pkt
	shape := p.Op.Shape()
	if code, has := p.CreditCode(); has && code == 0 {
		c.ZeroCredits++
	}
	if kind == roce.AckAnswer {
		c.Acks++
	} else if shape.Verb == ib.VerbRead {
		c.Bytes += uint64(p.Len)
	}
	if s := o.times.find(c.at, p.PSN); s != nil && s.asks && !s.again && s.valid {
		if kind == roce.AckAnswer {
			o.Latency[AckTurn].add(o.now - s.timeNS)
		} else {
			o.Latency[ReadTime].add(o.now - s.timeNS)
		}
		s.asks = false
	}
	if kind == roce.AckAnswer && c.expected.Before(p.PSN.Add(1)) && !p.PSN.After(c.top) {
		c.expected, c.inGap = p.PSN.Add(1), false // it reached the responder and not the capture
	}
	ends := kind == roce.AckAnswer || shape.Last || shape.Verb.Atomic()
	o.acknowledge(c, p.PSN)
	if ends {
		c.readsEnded(p.PSN)
	}
	o.completed(c, p.PSN)
	if c.rnr.is && p.PSN.After(c.rnr.psn) {
		c.rnr.is = false
	}
	if c.nak.is && !p.PSN.Before(c.nak.psn) {
		c.nak.is = false
	}
}

// acknowledge moves the oldest unacknowledged PSN.
func (o *Observer) acknowledge(c *Conn, p psn.PSN) {
	if p.Before(c.una.Add(-1)) || p.After(c.top) {
		return
	}
	c.una, c.acked = p.Add(1), true
}

// readsEnded takes READs and atomics off that ended at or before a PSN.
func (c *Conn) readsEnded(p psn.PSN) {
	n := min(int(c.reads), len(c.readEnd))
	done := 0
	for done < n && !c.readEnd[done].After(p) {
		done++
	}
	copy(c.readEnd[:], c.readEnd[done:n])
	c.reads -= int32(done)
}
