package flow

import (
	"cmp"
	"slices"

	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// door is what the endpoint's port and queue pair are to a packet that comes (ADM-1 to ADM-6).
type door struct {
	port  roce.Port
	qp    roce.Destination
	known bool // of the queue pair, by the sidecar; else only the port is known
	head  roce.Heading
}

// openDoor takes from the sidecar what there is of the endpoint's own end.
func (c *Checker) openDoor() {
	d := &c.door
	d.port.Own[0], d.port.PKeys[0] = roce.Address(c.own), roce.DefaultPKey
	s := c.opt.Sidecar
	if s == nil || c.side == "" {
		return
	}
	own, peer := s.end(c.side), s.end(otherSide(c.side))
	if own.PKey != nil {
		d.port.PKeys[0] = *own.PKey
	}
	d.known = true
	d.qp = roce.Destination{Number: own.QPN, Service: services[s.QPType], State: own.state(),
		Peer: roce.Address(peer.addr()), Global: true}
}

// admit decides whether a packet reaches the endpoint's queue pair. Where nobody told of it, any that fits the packet
// is there.
func (c *Checker) admit(w *wire.Packet, icrc wire.ICRCStatus) roce.Rule {
	d := &c.door
	d.head = roce.Heading{Src: roce.Address(c.src), Dst: roce.Address(c.dst), Global: w.Encap != wire.EncapIBLocal,
		WellFormed: wellFormed(w.Bad.Reason), ICRCGood: icrc != wire.ICRCBad}
	if bth := w.BTH(); bth != nil {
		d.head.TVer, d.head.Op, d.head.DestQP, d.head.PKey = bth.TVer(), bth.Opcode(), bth.DestQP(), bth.PKey()
	}
	qp := d.qp
	// every port has those of management
	if w.Op != nil && (!d.known || d.head.DestQP <= gsiQP && w.Op.Transport == ib.UD) {
		qp = roce.Destination{Number: d.head.DestQP, State: roce.RTR, Peer: d.head.Src, Service: w.Op.Transport}
	} else if !d.known {
		qp = roce.Destination{Number: d.head.DestQP, State: roce.RTR, Peer: d.head.Src}
	}
	if !d.known {
		d.qp = qp
		d.port.PKeys[0] = c.partition(d.head.PKey)
	}
	return d.port.Admit(&qp, &d.head)
}

// partitions are the P_Keys that one host sent to another with.
type partitions map[[2]addr][]uint16

func (p partitions) note(src, dst addr, key uint16) {
	ends := [2]addr{src, dst}
	known, ok := p[ends]
	if len(known) < roce.MaxPKeys && (ok || len(p) < maxScanned) && !slices.Contains(known, key) {
		p[ends] = append(known, key)
	}
}

// partition is the entry of the port's table that a packet with a P_Key is held against where nobody told of it: what
// the endpoint itself sends its peer has the entries of its queue pairs (ADM-5).
func (c *Checker) partition(sent uint16) uint16 {
	ends := [2]addr{c.own, c.src}
	all := [][]uint16{c.spoken[ends], nil}
	if c.opt.Scan != nil {
		all[1] = c.opt.Scan.partitions[ends]
	}
	entry, same := uint16(roce.DefaultPKey), uint16(0)
	for _, list := range all {
		for _, key := range list {
			if entry = key; (key^sent)&^roce.PKeyFull == 0 {
				same = max(same, key) // the full member's, where there are both
			}
		}
	}
	return cmp.Or(same, entry)
}

// wellFormed: what is wrong with the opcode, or with a payload for its opcode, is not the form's.
func wellFormed(r wire.Reason) bool {
	switch r {
	case wire.WellFormed, wire.Trailer, wire.UnknownOpcode, wire.PayloadLength, wire.Unaligned:
		return true
	}
	return false
}

// turnedAway gives the verdict on a packet that came to the endpoint and does not reach its queue pair. taken: a
// transport takes its form.
func (c *Checker) turnedAway(f *vectors.Frame, w *wire.Packet, icrc wire.ICRCStatus, taken bool) (Verdict, bool) {
	rule := c.admit(w, icrc)
	if icrc == wire.ICRCBad {
		c.refuse(f, w, icrcRule(w.Encap), c.awayText(w, rule))
		v := Verdict{Class: BadICRC}
		if rule != "ADM-6" {
			v.Text = notAdmitted[rule]
		}
		return v, true
	}
	if why := c.misdirected(w); why != "" {
		c.refuse(f, w, "ADM-1", "which is "+why+"; it must be dropped")
		return said(NotTaken, why), true
	}
	if taken && !w.Op.Response && rule != "ADM-4" {
		c.askers.add(c.src)
	}
	switch {
	case taken && w.Op.Transport == ib.CNP: // of no queue pair's service: it is for the rate and moves no state
		return Verdict{}, false
	case rule == "" && taken:
		return Verdict{}, false
	case !taken && rule != "ADM-1":
		c.refuse(f, w, c.refusalRule(w, rule), c.awayText(w, orRule(rule, "ADM-2")))
		c.odd(f, "", "malformed: "+w.Bad.String())
		return said(Malformed, w.Bad.String()), true
	case rule == "ADM-3" && c.door.known && c.isDestination():
		c.countOnly(f, w)
	}
	c.refuse(f, w, rule, c.awayText(w, rule))
	return said(NotTaken, notAdmitted[rule]), true
}

// refusalRule is the rule that keeps a malformed packet out.
func (c *Checker) refusalRule(w *wire.Packet, rule roce.Rule) roce.Rule {
	if rule != "" && rule != "ADM-6" {
		return rule
	}
	return malformedRule(w.Bad.Reason)
}

func orRule(rule, otherwise roce.Rule) roce.Rule {
	if rule == "" {
		return otherwise
	}
	return rule
}

// notAdmitted says in words why a packet did not reach its queue pair.
var notAdmitted = map[roce.Rule]string{
	"ADM-1": "ADM-1, for an address that is not this port's",
	"ADM-2": "ADM-2, malformed",
	"ADM-3": "ADM-3, no such queue pair, or one of another service or in a state that does not receive",
	"ADM-4": "ADM-4, not from the queue pair's peer",
	"ADM-5": "ADM-5, of another partition",
	"ADM-6": "ADM-6, bad ICRC",
}

// misdirected says why a frame that came does not even reach the transport: destination MAC and IPv4 header checksum
// are looked at below it.
func (c *Checker) misdirected(w *wire.Packet) string {
	if e := w.Ethernet(); e != nil && c.hasMAC && [6]byte(e.Dst()) != c.mac && e.Dst()[0]&1 == 0 {
		return "for another MAC"
	}
	if h := w.IPv4(); h != nil && !h.ChecksumGood() {
		return "wrong IPv4 header checksum"
	}
	return ""
}

// isDestination reports whether the packet is for the queue pair itself, which only its state kept it from.
func (c *Checker) isDestination() bool {
	h, qp := &c.door.head, &c.door.qp
	return h.DestQP == qp.Number && h.Src == qp.Peer && ib.Lookup(h.Op).Transport == qp.Service
}

// countOnly counts a packet that its queue pair was in no state to take.
func (c *Checker) countOnly(f *vectors.Frame, w *wire.Packet) {
	c.key = c.keyOf(w)
	h := c.half(f)
	if w.Op.Response {
		h.responses++
	} else {
		h.requests++
	}
}
