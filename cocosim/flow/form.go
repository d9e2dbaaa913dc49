package flow

import (
	"fmt"
	"slices"

	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// badForm stands where a rule would: a field that the transport's rules do not speak of has not the one value that it
// can have.
const badForm = "FORM"

// form is what is known of the fields that an endpoint fills in the same way in every frame.
type form struct {
	sums, badSums uint64 // IPv4 header checksums; bad ones may be left to hardware behind the place of capture
	firstBad      uint64
	// Places of the findings in the list, behind which more are folded; 0: none yet.
	bits, pkey, payload, syndrome, event, cnp, cnpAsks int
	member                                             membership
}

// membership follows bit 15 of the P_Key in what an endpoint's queue pair sends.
type membership struct {
	seen    bool
	last    uint16
	changes uint64
	odd     uint64 // frames that have not the bit of the queue pair's entry
	first   uint64 // of those
}

// fullMember is bit 15 of a P_Key.
const fullMember = 0x8000

// sent takes the P_Key of a frame and that of the queue pair's entry.
func (m *membership) sent(number uint64, key, entry uint16) {
	if bit := key & fullMember; !m.seen || bit != m.last {
		if m.seen {
			m.changes++
		}
		m.seen, m.last = true, bit
	}
	if (key^entry)&fullMember != 0 {
		if m.odd++; m.odd == 1 {
			m.first = number
		}
	}
}

// memberships lists what an endpoint made of bit 15 (ADM-5): for certain where it changed and changed back. Where it is
// the same throughout, who told of the entry may be wrong.
func (c *Checker) memberships() {
	if m := &c.form.member; m.odd > 0 && m.changes > 0 {
		c.violations.add(found(m.first, m.changes >= 2, "ADM-5", fmt.Sprintf("%d frames sent with bit 15 of the P_Key other "+
			"than in the queue pair's %04Xh, this is the first; it changes %d times", m.odd, c.door.port.PKeys[0], m.changes)))
	}
}

// wellMade holds the fields of a frame that the endpoint sent against what they must be: the IPv4 header checksum,
// reserved bits, the P_Key of the queue pair; no payload and no refusal where the opcode has none; a solicited event
// where one may be. It returns a verdict where one is wrong. What a packet has too much is taken from it, so that the
// machines do not find it again.
func (c *Checker) wellMade(f *vectors.Frame, w *wire.Packet) (Verdict, bool) {
	if ip := w.IPv4(); ip != nil {
		if c.form.sums++; !ip.ChecksumGood() {
			if c.form.badSums++; c.form.badSums == 1 {
				c.form.firstBad = f.Number
			}
		}
	}
	bth := w.BTH()
	if bth == nil || w.Op == nil || w.Op.Transport == ib.CNP {
		return Verdict{}, false
	}
	if bth.Resv6() != 0 || bth.Resv7() != 0 {
		return c.once(f, &c.form.bits, badForm, fmt.Sprintf("reserved bits of the BTH are set: %02Xh in byte 4, %02Xh in "+
			"byte 8", bth.Resv6(), bth.Resv7())), true
	}
	if d := &c.door; d.known && c.dst == addr(d.qp.Peer) && (bth.PKey()^d.port.PKeys[0])&0x7FFF != 0 &&
		w.Op.Transport == d.qp.Service {
		return c.once(f, &c.form.pkey, "ADM-5", fmt.Sprintf("sent with P_Key %04Xh, the queue pair's is %04Xh", bth.PKey(),
			d.port.PKeys[0])), true
	}
	if d := &c.door; d.known && c.dst == addr(d.qp.Peer) && w.Op.Transport == d.qp.Service {
		c.form.member.sent(f.Number, bth.PKey(), d.port.PKeys[0])
	}
	switch {
	case noPayload(w):
		c.pkt.Len, c.pkt.Pad = 0, 0
		return c.once(f, &c.form.payload, "OPC-2", payloadText(w)), true
	case w.Op.Response && w.AETH() != nil && !roce.MayCarry(w.Op, w.AETH().Syndrome()):
		return c.once(f, &c.form.syndrome, "OPC-2", fmt.Sprintf("%s with syndrome %02Xh, which is no ACK", w.Op.Name,
			uint8(w.AETH().Syndrome()))), true
	case bth.SE() && !roce.MaySolicit(w.Op):
		c.pkt.SE = false
		return c.once(f, &c.form.event, "REQ-11", w.Op.Name+" with a solicited event, which only the end of a SEND or of a "+
			"WRITE with immediate may have"), true
	}
	return Verdict{}, false
}

// sentCNP holds the form of a CNP that the endpoint sent against CNP-3. That it has neither a PSN nor AckReq nothing at
// hand confirms but the rule.
func (c *Checker) sentCNP(f *vectors.Frame, w *wire.Packet) Verdict {
	bth, n := w.BTH(), payloadBytes(w)
	switch {
	case !bth.BECN():
		return c.once(f, &c.form.cnp, "CNP-3", "a CNP without BECN")
	case n != ib.CNPBytes:
		return c.once(f, &c.form.cnp, "CNP-3", fmt.Sprintf("a CNP with %d bytes behind the BTH, %d zeros are to be there", n,
			ib.CNPBytes))
	case slices.ContainsFunc(w.Payload, func(b byte) bool { return b != 0 }):
		return c.once(f, &c.form.cnp, "CNP-3", "a CNP whose bytes behind the BTH are not all zero")
	case bth.AckReq():
		return c.perhaps(f, &c.form.cnpAsks, "CNP-3", "a CNP with AckReq")
	case bth.PSN() != 0:
		return c.perhaps(f, &c.form.cnpAsks, "CNP-3", fmt.Sprintf("a CNP with PSN %06Xh, which has none", uint32(bth.PSN())))
	}
	return Verdict{Class: Expected}
}

// noPayload reports whether a packet has a payload that its opcode has no room for (OPC-2).
func noPayload(w *wire.Packet) bool { return w.Op != nil && !w.Op.HasPayload() && len(w.Payload) > 0 }

func payloadText(w *wire.Packet) string {
	return fmt.Sprintf("%s with a payload of %d bytes, which has none", w.Op.Name, len(w.Payload))
}

// once lists a finding the first time and folds it from then on.
func (c *Checker) once(f *vectors.Frame, place *int, rule roce.Rule, text string) Verdict {
	return c.folded(f, place, true, rule, text)
}

// perhaps is once of what is possible at most.
func (c *Checker) perhaps(f *vectors.Frame, place *int, rule roce.Rule, text string) Verdict {
	return c.folded(f, place, false, rule, text)
}

func (c *Checker) folded(f *vectors.Frame, place *int, certain bool, rule roce.Rule, text string) Verdict {
	if *place > 0 {
		c.violations.list[*place-1].Folded++
		v := said(Broken, text)
		v.Rule = rule
		return v
	}
	v := c.broken(f, certain, rule, text)
	if n := len(c.violations.list); c.violations.total == uint64(n) {
		*place = n
	}
	return v
}

// checksums says what the bad IPv4 header checksums of an endpoint are: where some are right it makes them itself.
func (c *Checker) checksums() {
	x := &c.form
	if x.badSums == 0 {
		return
	}
	if x.badSums == x.sums {
		c.violations.add(found(x.firstBad, false, badForm,
			fmt.Sprintf("all %d frames sent have a wrong IPv4 header checksum: hardware behind the "+
				"place of capture may make it", x.sums)))
		return
	}
	c.violations.add(found(x.firstBad, true, badForm,
		fmt.Sprintf("%d of %d frames sent have a wrong IPv4 header checksum, this is the first",
			x.badSums, x.sums)))
}
