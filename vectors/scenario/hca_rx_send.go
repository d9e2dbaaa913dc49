package scenario

import (
	"bytes"
	"slices"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
)

func (d *hcaRxPeer) step() {
	r := d.r
	if d.g.oneIn(r, rxMix) {
		d.anyFrame()
		return
	}
	p := d.pick()
	if d.before != nil && r.OneIn(3) && d.serves(d.before) { // right behind its own
		p = d.before
	}
	d.before = p
	if d.g.oneIn(r, rxOthers) {
		d.noRequest(p, "no request")
		return
	}
	if !p.ud && p.shut == 0 && r.OneIn(9) {
		d.misdirected(p)
		return
	}
	if p.lastN >= 0 && d.g.oneIn(r, rxRepeat) {
		d.send(p.last, p.lastN, "duplicate")
		return
	}
	if p.ud {
		d.datagram(p)
		return
	}
	if p.shut > 0 {
		p.shut--
		d.again(p)
		return
	}
	if p.keptN > 0 && r.OneIn(7) {
		d.again(p)
		return
	}
	if p.back != nil && r.OneIn(2) {
		*p = *p.back
	}
	before := *p
	s, n, granted := d.ask(p)
	switch {
	case d.g.oneIn(r, rxLose): // on the way
		p.lose(&before)
	case d.errs(p) && (d.g.oneIn(r, rxSpoil) || s.FlushPLT != 0 && r.OneIn(3)):
		d.spoil(p, &s, &n)
		d.send(s, n, "request: something wrong")
		p.lose(&before)
	case !d.send(s, n, "request") || !granted && d.errs(p) || !d.errs(p) && !d.took(p):
		p.lose(&before)
	default:
		if p.last, p.lastN = s, n; p.gave && d.errs(p) && r.OneIn(2) {
			d.useWhatIsGone(p)
		}
	}
}

// anyFrame sends a frame of mix. An episode has its time: of a long one it makes one of as many bytes as may pass, or
// some more, which icrc_gate drops, whatever it is.
func (d *hcaRxPeer) anyFrame() {
	makeMix(d.g, d.r.Uint64()%20000, d.r, &d.other)
	if d.other.seal(); len(d.other.Frame) < 3000 {
		d.frame(d.other.Link, bytes.Clone(d.other.Frame), "a frame of mix")
		return
	}
	frame := bytes.Clone(d.other.Frame[:min(len(d.other.Frame), hca.GateMaxBytes)])
	more := hca.GateMaxBytes - len(frame) + d.r.Below(8)
	d.frame(d.other.Link, append(frame, d.g.random[:more]...), "a frame about as long as may pass")
}

// useWhatIsGone writes through the window that the last SEND took away, or takes it away again, right behind it: while
// that one's verdict is not there yet.
func (d *hcaRxPeer) useWhatIsGone(p *hcaRxQP) {
	before, s, n := *p, p.spec, 1+d.r.Below(4)
	s.PSN, s.AckReq, s.Opcode = p.next, d.r.OneIn(3), ib.Join(p.service(), ib.WriteOnly)
	s.VA, s.RKey, s.DMALen = p.va+uint64(d.r.Below(64)), p.window, uint32(n)
	if d.r.OneIn(3) {
		s.Opcode, s.InvRKey = ib.Join(p.service(), ib.SendOnlyInv), p.window
		d.hasWQE(p)
	}
	p.next, p.gave = p.next.Add(1), false
	d.send(s, n, "uses the window that the SEND before it gave back")
	p.lose(&before)
}

// Kinds of bursts.
const (
	hcaRxStrays   = iota // to no QP, with a byte or none
	hcaRxCNPs            // and responses: no requests
	hcaRxEmpty           // SENDs and WRITEs without payload
	hcaRxPayloads        // and with some; so all above
)

// burst sends small frames back to back, more than any queue holds.
func (d *hcaRxPeer) burst(kind int) {
	r := d.r
	for range r.Between(50, 200) {
		if !d.more() {
			return
		}
		d.tiny(d.used[r.Below(len(d.used))], kind)
	}
}

// tiny sends a smallest frame of a kind of burst.
func (d *hcaRxPeer) tiny(p *hcaRxQP, kind int) {
	r, s, n := d.r, p.spec, 0
	switch {
	case kind == hcaRxStrays:
		s.DestQP ^= 1 << 20
		s.Opcode, n = ib.Join(ib.RC, ib.SendOnly), r.Below(2)
	case kind == hcaRxCNPs || p.sends || p.failed:
		d.noRequest(p, "burst")
		return
	case kind >= hcaRxPayloads && !p.uc && p.reads > 0 && d.mayRead(p) && r.OneIn(6):
		if s, n = d.read(p, d.kind(p, 8)); !d.affords(&s) {
			p.next = s.PSN
			return
		}
	default:
		if kind >= hcaRxPayloads {
			n = 1 + r.Below(4)
		}
		s = d.small(p, [...]ib.Operation{ib.SendOnly, ib.WriteOnly}[r.Below(2)], n)
	}
	d.frame(s.Encap.Link(), s.Append(nil, d.g.random[:n]), "burst")
	if p.back != nil && r.OneIn(2) {
		*p = *p.back
	}
}

// small makes a SEND or WRITE of n bytes, a message of its own.
func (d *hcaRxPeer) small(p *hcaRxQP, op ib.Operation, n int) wire.Spec {
	r, before, s := d.r, *p, p.spec
	if p.ud {
		op = ib.SendOnly
	}
	s.PSN, s.AckReq, s.Opcode = p.next, r.OneIn(3), ib.Join(p.service(), op)
	s.VA, s.RKey, s.DMALen = p.va+uint64(r.Below(4096)), p.key, uint32(n)
	p.next = p.next.Add(1)
	if s.Opcode.Shape().SeeksReceive() && !d.hasWQE(p) {
		p.lose(&before)
	}
	return s
}

// hcaRxPile is how many SENDs of a QP a pile begins with: each waits for the verdict on the one before it.
const hcaRxPile = 9

// pile has SENDs wait for one another, and sends smallest frames behind them, more than any queue holds.
func (d *hcaRxPeer) pile() {
	own := func(p *hcaRxQP) bool { return !p.ud && !p.receive.Shared && !p.sends && p.back == nil }
	i := slices.IndexFunc(d.used, own)
	if i < 0 {
		return
	}
	for range hcaRxPile {
		if !d.more() {
			return
		}
		s := d.small(d.used[i], ib.SendOnly, 0)
		d.frame(s.Encap.Link(), s.Append(nil, nil), "a SEND that the next waits for")
	}
	for range 10 {
		d.burst(d.r.Below(hcaRxCNPs + 1))
	}
}

// atOnce gives the next operations beside frames, one behind the other, in a clock or later.
func (d *hcaRxPeer) atOnce(clock uint64, n int) {
	for range min(n, len(d.beside)) {
		if !d.more() {
			return
		}
		d.op(clock, d.beside[0])
		d.beside = d.beside[1:]
	}
}

// noRequest sends a CNP or a response, marked or not: to a responder they are nothing but marks.
func (d *hcaRxPeer) noRequest(p *hcaRxQP, why string) {
	r, s, n := d.r, p.spec, 0
	s.Opcode = ib.OpcodeCNP
	switch r.Below(4) {
	case 0:
		s.Opcode, s.PSN, s.MSN = ib.Join(ib.RC, ib.Ack), p.next, uint32(r.Below(1<<24))
	case 1:
		s.Opcode, s.PSN, n = ib.Join(ib.RC, ib.ReadResponseOnly), p.next, r.Below(5)
	}
	s.TClass |= uint8(r.Below(4)) // ECN
	d.frame(s.Encap.Link(), s.Append(nil, d.g.random[r.Below(1000):][:n]), why)
}

func (p *hcaRxQP) service() ib.Transport {
	switch {
	case p.uc:
		return ib.UC
	case p.ud:
		return ib.UD
	}
	return ib.RC
}

// request makes the next packet of a SEND or WRITE. granted is false where it will be refused, as the peer could know.
func (d *hcaRxPeer) request(p *hcaRxQP) (s wire.Spec, n int, granted bool) { return d.requestOf(p, 0) }

// requestOf makes that packet: of a SEND of so many bytes, if it is the first one and fills is not 0.
func (d *hcaRxPeer) requestOf(p *hcaRxQP, fills int) (s wire.Spec, n int, granted bool) {
	r := d.r
	s = p.spec
	s.PSN, s.AckReq, s.SE = p.next, r.OneIn(3), r.OneIn(8)
	s.VA, s.RKey, s.Immediate = p.va+uint64(r.Below(4096)), p.key, uint32(r.Uint64())
	p.next = p.next.Add(1)
	op := ib.SendOnly
	switch {
	case p.sends && p.left > p.pmtu:
		op, n = p.verb+1, p.pmtu
		p.left -= n
	case p.sends:
		op, n = d.last(p), p.left
		p.sends, s.AckReq = false, true
	case fills > p.pmtu:
		p.sends, p.verb, p.left = true, ib.SendFirst, fills-p.pmtu
		op, n = p.verb, p.pmtu
	case fills > 0:
		ops := [...]ib.Operation{ib.SendOnly, ib.SendOnlyImm, ib.SendOnlyInv}
		if p.uc || !p.open {
			ops[2] = ib.SendOnly
		}
		op, n, s.AckReq = ops[r.Below(3)], fills, !r.OneIn(4)
	case r.OneIn(2):
		p.sends, p.verb = true, [...]ib.Operation{ib.SendFirst, ib.WriteFirst}[r.Below(2)]
		op, n = p.verb, p.pmtu
		s.DMALen = uint32(p.pmtu + 1 + r.Below(3*p.pmtu))
		p.left = int(s.DMALen) - n
	default:
		ops := [...]ib.Operation{ib.SendOnly, ib.SendOnlyImm, ib.WriteOnly, ib.WriteOnlyImm, ib.WriteOnly, ib.WriteOnly}
		if !p.uc && (p.open || d.errs(p) && r.OneIn(6)) {
			ops[4], ops[5] = ib.SendOnlyInv, ib.SendOnlyInv
		}
		op = ops[r.Below(len(ops))]
		n = [...]int{0, 1, 4, 63, 64, p.pmtu, r.Below(p.pmtu)}[r.Below(7)]
		s.DMALen, s.AckReq = uint32(n), !r.OneIn(4)
	}
	d.aim(p, &s, op)
	s.Opcode = ib.Join(p.service(), op)
	return s, n, d.granted(p, &s)
}

// last is how the open message ends.
func (d *hcaRxPeer) last(p *hcaRxQP) ib.Operation {
	switch r := d.r; {
	case ib.Join(ib.RC, p.verb).Shape().Verb == roce.Send && !p.uc && p.open && r.OneIn(2):
		return ib.SendLastInv
	case r.OneIn(2):
		return p.verb + 3
	}
	return p.verb + 2
}

// aim sends a WRITE to the window, or over the end of its region, now and then, and a SEND with invalidate at the
// window.
func (d *hcaRxPeer) aim(p *hcaRxQP, s *wire.Spec, op ib.Operation) {
	r := d.r
	switch shape := ib.Join(p.service(), op).Shape(); {
	case shape.Verb == roce.Write && shape.First:
		if d.errs(p) && (p.open && r.OneIn(3) || p.gave && r.OneIn(2)) || p.open && p.opened&1 != 0 && r.OneIn(3) {
			s.RKey = p.window
		}
		p.gave = false
		if !d.errs(p) {
			return
		}
		// Its last packets leave the region, or a byte of one.
		if r.OneIn(40) || !shape.Last && r.OneIn(12) || p.pmtu == 4096 && r.OneIn(4) {
			s.VA = p.va + p.length - uint64(r.Between(1, max(1, int(s.DMALen))))
		} else if !shape.Last && r.OneIn(12) { // it says that more comes than does, and than there may be room for
			s.DMALen |= 1 << d.turn(hcaRxTurnMore, 32)
		}
	case shape.Inv:
		s.InvRKey = p.window
	}
}

// granted is whether the peer expects a request to be executed: as far as windows and receive WQEs go.
func (d *hcaRxPeer) granted(p *hcaRxQP, s *wire.Spec) bool {
	granted, shape := true, s.Opcode.Shape()
	if shape.SeeksReceive() {
		granted = d.hasWQE(p)
	}
	if shape.Inv {
		granted = granted && p.open
		p.open, p.gave = false, true
	}
	return granted
}

// datagram sends a SEND of UD from anybody, now and then with another Q_Key or more than a packet holds: nobody hears
// of what is dropped.
func (d *hcaRxPeer) datagram(p *hcaRxQP) {
	r, s, why := d.r, p.spec, "datagram"
	n := [...]int{0, 1, 4, 63, 64, 216, 217, p.pmtu - 40, p.pmtu, r.Below(p.pmtu)}[r.Below(10)]
	if d.plan.receives {
		if n = d.fittingDatagram(p, n); r.OneIn(3) { // marked
			s.TClass |= 3
		}
	}
	s.PSN, s.SrcQP, s.AckReq, s.SE = drawPSN(r), uint32(r.Below(1<<24)), r.OneIn(4), r.OneIn(8)
	s.Opcode, s.Immediate = ib.Join(ib.UD, [...]ib.Operation{ib.SendOnly, ib.SendOnlyImm}[r.Below(2)]), uint32(r.Uint64())
	switch {
	case r.OneIn(5):
		bit := d.turn(hcaRxTurnQKey, 32)
		if r.OneIn(3) { // privileged software's
			bit = 31
		}
		s.QKey, why = s.QKey^1<<bit, "datagram: another Q_Key"
	case r.OneIn(9):
		n, why = p.pmtu+r.Between(1, 8), "datagram: more than a packet holds"
	case r.OneIn(12):
		if d.spoil(p, &s, &n); s.DestQP == p.spec.DestQP {
			why = "datagram: something wrong"
		}
	default:
		d.hasWQE(p)
	}
	d.send(s, n, why)
}

// lose has the peer go back to where it was, if it does not go back further.
func (p *hcaRxQP) lose(before *hcaRxQP) {
	if p.back == nil {
		p.back = before
	}
}

// send adds a frame of n bytes; a bit of every twentieth is wrong, then it says false.
func (d *hcaRxPeer) send(s wire.Spec, n int, why string) bool {
	r := d.r
	if !d.affords(&s) {
		return false
	}
	if d.g.oneIn(r, rxECN) {
		s.TClass |= uint8(r.Between(1, 3)) // ECN
	}
	if d.marksMore() {
		s.TClass |= 3
	}
	frame := s.Append(nil, d.g.random[r.Below(1000):][:n])
	damaged := d.g.oneIn(r, rxDamage)
	if damaged {
		frame[r.Below(len(frame))] ^= 1 << r.Below(8)
		why = "damaged"
	}
	d.frame(s.Encap.Link(), frame, why)
	return !damaged
}

// spoil makes one thing wrong.
func (d *hcaRxPeer) spoil(p *hcaRxQP, s *wire.Spec, n *int) {
	r := d.r
	if s.FlushPLT != 0 && !r.OneIn(4) { // no such FLUSH
		i := r.Below(4)
		s.FlushPLT ^= [...]uint8{s.FlushPLT, 4 << r.Below(2), 0, 0}[i]
		s.FlushSEL ^= [...]uint8{0, 0, 2, 2}[i]
		return
	}
	switch r.Below(19) {
	case 10, 11, 14, 15:
		*n = max(0, *n+[...]int{-4, -1, 1, 4}[r.Below(4)])
	case 12: // another QP's
		s.RKey = d.used[r.Below(len(d.used))].key
	case 13:
		s.InvRKey = [...]uint32{p.key, p.window ^ 1<<r.Below(16), d.used[r.Below(len(d.used))].window}[r.Below(3)]
	case 0:
		if s.PSN = s.PSN.Add(int32(r.Between(-3, 3))); r.OneIn(2) {
			s.PSN = s.PSN.Add(1 << d.turn(hcaRxTurnPSN, 24))
		}
	case 1:
		s.RKey ^= 1 << d.turn(hcaRxTurnKey, 32)
	case 2, 9:
		s.VA ^= 1 << (63 - d.turn(hcaRxTurnVA, 54))
	case 3, 4, 5, 6:
		d.misdirect(s)
	case 7:
		s.Opcode = [...]ib.Opcode{s.Opcode ^ 1<<r.Below(8), s.Opcode ^ 1<<5, ib.Join(ib.RC, ib.SendOnlyInv)}[r.Below(3)]
	case 8, 16:
		s.TVer = 1
	default:
		s.DMALen ^= 1 << d.turn(hcaRxTurnLength, 32)
	}
}

// misdirect makes one bit wrong of where a packet goes to, comes from, whose partition or which version it is of.
func (d *hcaRxPeer) misdirect(s *wire.Spec) {
	switch d.r.Below(7) {
	case 0:
		s.DestQP ^= 1 << d.turn(hcaRxTurnQP, 24)
	case 1:
		s.PKey ^= 1 << d.turn(hcaRxTurnPKey, 16)
	case 2:
		s.PKey ^= fullMember
	case 3, 4:
		d.elsewhere(&s.Src, &s.SLID, s.Encap)
	case 5:
		s.TVer = uint8(1 << d.r.Below(4))
	default:
		d.elsewhere(&s.Dst, &s.DLID, s.Encap)
	}
}

// What spoil takes the bits of one by one.
const (
	hcaRxTurnPSN = iota
	hcaRxTurnKey
	hcaRxTurnVA
	hcaRxTurnQP
	hcaRxTurnPKey
	hcaRxTurnLength
	hcaRxTurnQKey
	hcaRxTurnKeptKey
	hcaRxTurnKeptLength
	hcaRxTurnMore
	hcaRxTurns
)

// turn is the next bit of n, each in turn: a round begins two further than the one before it.
func (d *hcaRxPeer) turn(what, n int) int {
	d.turns[what]++
	return (2*int(d.e.Number) + d.turns[what]) % n
}

// elsewhere makes where a packet comes from or goes to another that resembles it.
func (d *hcaRxPeer) elsewhere(gid *wire.GID, lid *uint16, encap wire.Encap) {
	*lid = near(d.r, *lid, 16)
	first := 0
	if encap == wire.EncapRoCEv2IPv4 {
		first = 12
	}
	nearGID(d.r, gid, first)
}
