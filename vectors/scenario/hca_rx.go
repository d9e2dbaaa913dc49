package scenario

import (
	"slices"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// An episode of hca-rx is a round: a device is set up, and its peers send. Operations and frames come by two ports:
// frames begin when every operation is through, and a new round when every frame is, as the pace of the run has it.
// Operations that no frame of the round depends on come beside them: a QP of the next round, what is set already.
const (
	hcaRxLength   = 400
	hcaRxBytes    = 128_000 // of a round; what comes then is small
	hcaRxSettling = 1500    // clocks for what a device does behind its last beat
	hcaRxSetUp    = 60      // operations at most
	hcaRxPD       = 5       // the manifest's pd_i
)

// hcaRxQPs are the numbers of the QPs of a round, and behind them of those that every other round has: no bit away from
// another one.
var hcaRxQPs = [...]uint32{1, 2, 17, 62, 44, 43}

// hcaRxFixed is how many QPs every round sets.
const hcaRxFixed = 4

// hcaRxTimes are the first clocks of a round: of its operations, and of its frames.
func hcaRxTimes(p Pace, round uint64) (operations, frames uint64) {
	setUp := p.Cycles(hcaRxSetUp) + hcaRxSettling
	through := p.Cycles(p.Beats(hcaRxBytes, 2*hcaRxLength)) + hcaRxSettling // frames, and their answers
	first := uint64(p.Words) + hcaRxSettling + p.Cycles(p.Beats(p.Before, p.Before/100))
	operations = first + round*(setUp+through)
	return operations, operations + setUp
}

// makeHcaRx makes requests to QPs of hca_rx as peers send them, and what goes wrong on the way: lost, doubled, damaged,
// for others, against every rule that hca_rx knows. Every fifth frame is one of mix.
func makeHcaRx(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, hcaRxLength, func(r *Rand, e *Episode) {
		d := hcaRxPeer{g: g, r: r, e: e}
		operations, frames := hcaRxTimes(g.pace, e.Number)
		d.start = operations
		d.setUp()
		d.start, d.now = frames, frames
		dense := r.OneIn(5)
		for e.Len() < hcaRxLength {
			switch {
			case dense:
				d.burst(hcaRxPayloads)
			case d.bytes > hcaRxBytes || r.OneIn(160):
				d.burst(r.Below(hcaRxPayloads + 2))
			default:
				d.step()
			}
		}
	})
	c.Link = wire.LinkEthernet
	if c.Port == 0 && len(c.Frame) > 0 && c.Frame[len(c.Frame)-1] == 1 {
		c.Link = wire.LinkIB
	}
	if c.Port == 0 { // the last byte is the link's
		c.Frame = c.Frame[:len(c.Frame)-1]
	}
}

// hcaRxPeer sends to the QPs of an episode.
type hcaRxPeer struct {
	g     *Generator
	r     *Rand
	e     *Episode
	start uint64 // of frames
	now   uint64 // the clock in which they are taken, if nothing holds them back
	bytes int    // of them so far
	qps   [len(hcaRxQPs)]hcaRxQP
	used  []*hcaRxQP // in this round
	other Case       // a frame of mix

	beside []hca.HcaRxOp // operations to come, beside frames
}

// hcaRxQP is a QP with what its peer sent so far.
type hcaRxQP struct {
	key   uint32
	spec  wire.Spec // of its packets: the way, P_Key, DestQP
	pmtu  int
	next  psn.PSN
	open  bool
	verb  ib.Operation // of the open message its First
	left  int          // and bytes
	last  wire.Spec    // sent last, with lastN bytes
	lastN int
	uc    bool
	back  *hcaRxQP // as it was before a packet that was lost: the peer goes back there, sooner or later
}

// op adds an operation, not before a clock.
func (d *hcaRxPeer) op(notBefore uint64, o hca.HcaRxOp) {
	d.e.Add(sim.Port(1), notBefore, o.Append(nil), o.Why)
}

// frame adds a frame, its link behind it; now and then an operation beside it.
func (d *hcaRxPeer) frame(link wire.Link, frame []byte, why string) {
	if len(d.beside) > 0 && d.e.Len() < hcaRxLength && d.r.OneIn(4) {
		d.op(d.now, d.beside[0])
		d.beside = d.beside[1:]
	}
	if d.e.Len() < hcaRxLength {
		d.bytes += len(frame)
		d.now += uint64(d.g.pace.Beats(len(frame), 1))
		d.e.Add(sim.Port(0), d.start, append(frame, byte(link)), why)
	}
}

// setUp sets what is the same in all rounds, and the QPs of this one.
func (d *hcaRxPeer) setUp() {
	r := d.r
	common := hcaRxCommon(r)
	all := common
	for i := range hcaRxFixed {
		all = append(all, d.qps[i].set(r, i)...)
		d.used = append(d.used, &d.qps[i])
	}
	for _, o := range all {
		d.op(d.start, o)
	}
	if d.e.Number > 0 { // set while the last round ran
		spare := &d.qps[hcaRxFixed+d.e.Number%2]
		hcaRxSpare(d.g, d.e.Number, hcaRxVersions-1, spare)
		d.used = append(d.used, spare)
	}
	for i := range uint64(hcaRxVersions) {
		d.beside = slices.Concat(d.beside, common, hcaRxSpare(d.g, d.e.Number+1, i, new(hcaRxQP)))
	}
}

// hcaRxVersions is how often a spare QP is set: differently each time, so that none of the last operations may be lost.
const hcaRxVersions = 3

// hcaRxSpare sets p to a version of the QP that a round has beside its others, and returns its operations.
func hcaRxSpare(g *Generator, round, version uint64, p *hcaRxQP) []hca.HcaRxOp {
	r := NewRand(mix64(g.seed^nameHash("spare")), round*hcaRxVersions+version)
	return p.set(&r, hcaRxFixed+int(round%2))
}

// hcaRxCommon are addresses and P_Keys.
func hcaRxCommon(r *Rand) []hca.HcaRxOp {
	mac := hca.AckQuery{Op: hca.AckOwn}
	r.Fill(mac.MAC[:])
	list := []hca.HcaRxOp{{To: hca.ToAnswers, Record: mac.Append(nil), Why: "own MAC"}}
	own := [...]roce.Address{roce.Address(wire.FromIPv4(10, 0, 0, 2)), {0: 0xFD, 15: 2}, {15: 2}, {0: 0xFE, 15: 2}}
	for i, a := range own {
		q := hca.ClassifyQuery{Op: hca.ClassifyAddress, Entry: uint8(i), Src: a}
		list = append(list, hca.HcaRxOp{To: hca.ToClassify, Record: q.Append(nil), Why: "own address"})
	}
	q := hca.ClassifyQuery{Op: hca.ClassifyPKey, Entry: 3, PKey: 0xFFFF}
	return append(list, hca.HcaRxOp{To: hca.ToClassify, Record: q.Append(nil), Why: "P_Key"})
}

// set draws a QP, number i of hcaRxQPs, over a way of its own, and returns the operations that set it in all blocks.
func (p *hcaRxQP) set(r *Rand, i int) []hca.HcaRxOp {
	number, code := hcaRxQPs[i], uint8(r.Between(1, 3))
	low := uint32(0x55)
	if i >= hcaRxFixed {
		low = 0xAA // set while frames come: no wrong bit of another key makes it
	}
	*p = hcaRxQP{key: uint32(i+1)<<8 | low, uc: r.OneIn(6), pmtu: 128 << code, next: drawPSN(r), lastN: -1}
	p.spec = wire.Spec{Encap: wire.Encap(r.Between(1, 5)), HopLimit: 64, TClass: uint8(r.Below(64)) << 2,
		SrcPort: uint16(r.Uint64()), SL: uint8(r.Below(16)), PKey: 0xFFFF, DestQP: number, IPFrag: 0x4000,
		VLANs: make([]wire.VLANTag, r.Below(3)), SLID: uint16(100 + i), DLID: 2}
	own, peer := wire.GID{0: 0xFD, 15: 2}, wire.GID{0: 0xFD, 14: uint8(i), 15: 9}
	switch p.spec.Encap {
	case wire.EncapRoCEv2IPv4:
		own, peer = wire.FromIPv4(10, 0, 0, 2), wire.FromIPv4(10, 0, uint8(i), 9)
	case wire.EncapIBLocal:
		own, peer = wire.GID{15: 2}, wire.GID{15: uint8(100 + i)}
	}
	p.spec.Dst, p.spec.Src = own, peer
	set := hca.ClassifyQuery{Op: hca.ClassifySet, DestQP: number, Entry: 3, Live: !r.OneIn(20), Src: roce.Address(peer)}
	reset := hca.RespQuery{Op: hca.RespReset, QPN: number}
	resp := hca.RespQuery{Op: hca.RespSet, QPN: number, PSN: p.next, PMTU: code, Enabled: hca.RespEnableWrite,
		RNRTimer: 12}
	if p.uc {
		set.Service, resp.Service = hca.RespUC, hca.RespUC
	}
	ready := resp
	ready.Op = hca.RespReady
	ack := hca.AckQuery{Op: hca.AckSet, QPN: number, PeerQPN: number ^ 0xABCDEF, HopLimit: 7,
		MAC: [6]byte{2, 1, 2, 3, 4, 5}}
	none := hca.MRQuery{Op: hca.MRRemove, RKey: p.key}
	key := hca.MRQuery{Op: hca.MRSet, RKey: p.key, PD: hcaRxPD, VA: 1 << 32, Length: 1 << 20, Need: 1}
	return []hca.HcaRxOp{
		{To: hca.ToKeys, Record: none.Append(nil), Why: "remove the key"},
		{To: hca.ToKeys, Record: key.Append(nil), Why: "key"},
		{To: hca.ToVerdict, Record: reset.Append(nil), Why: "reset"},
		{To: hca.ToClassify, Record: set.Append(nil), Why: "set a QP"},
		{To: hca.ToVerdict, Record: resp.Append(nil), Why: "set"},
		{To: hca.ToVerdict, Record: ready.Append(nil), Why: "ready"},
		{To: hca.ToAnswers, Record: ack.Append(nil), Why: "set its way back"},
	}
}

func (d *hcaRxPeer) step() {
	r := d.r
	if r.OneIn(5) {
		makeMix(d.g, r.Uint64()%20000, r, &d.other)
		d.other.seal()
		if len(d.other.Frame) < 3000 { // an episode has its time
			d.frame(d.other.Link, append([]byte(nil), d.other.Frame...), "a frame of mix")
		}
		return
	}
	p := d.used[r.Below(len(d.used))]
	if p.lastN >= 0 && r.OneIn(10) {
		d.send(p.last, p.lastN, "duplicate")
		return
	}
	if p.back != nil && r.OneIn(3) {
		*p = *p.back
	}
	before := *p
	s, n := d.request(p)
	switch {
	case r.OneIn(20): // on the way
		p.lose(&before)
	case r.OneIn(18):
		d.spoil(&s, &n)
		d.send(s, n, "request: something wrong")
		p.lose(&before)
	case !d.send(s, n, "request"):
		p.lose(&before)
	default:
		p.last, p.lastN = s, n
	}
}

// Kinds of bursts.
const (
	hcaRxStrays   = iota // to no QP, with a byte or none
	hcaRxCNPs            // no requests
	hcaRxEmpty           // SENDs without payload
	hcaRxPayloads        // and with some; so all above
)

// burst sends small frames back to back, more than any queue holds.
func (d *hcaRxPeer) burst(kind int) {
	r := d.r
	for range r.Between(50, 200) {
		p := d.used[r.Below(len(d.used))]
		s, n := p.spec, 0
		switch {
		case kind == hcaRxStrays:
			s.DestQP ^= 1 << 20
			s.Opcode, n = ib.Join(ib.RC, ib.SendOnly), r.Below(2)
		case kind == hcaRxCNPs || p.open:
			s.Opcode = ib.OpcodeCNP
		default:
			s.PSN, s.AckReq, s.Opcode = p.next, r.OneIn(3), ib.Join(ib.RC, ib.SendOnly)
			if p.uc {
				s.Opcode = ib.Join(ib.UC, ib.SendOnly)
			}
			p.next = p.next.Add(1)
			if kind >= hcaRxPayloads {
				n = 1 + r.Below(4)
			}
		}
		d.frame(s.Encap.Link(), s.Append(nil, d.g.random[:n]), "burst")
	}
}

// request makes the next packet of a SEND or WRITE.
func (d *hcaRxPeer) request(p *hcaRxQP) (s wire.Spec, n int) {
	r := d.r
	s = p.spec
	s.PSN, s.AckReq, s.SE = p.next, r.OneIn(3), r.OneIn(8)
	s.VA, s.RKey, s.Immediate = 1<<32+uint64(r.Below(4096)), p.key, uint32(r.Uint64())
	p.next = p.next.Add(1)
	service, op := ib.RC, ib.SendOnly
	if p.uc {
		service = ib.UC
	}
	switch {
	case p.open && p.left > p.pmtu:
		op, n = p.verb+1, p.pmtu
		p.left -= n
	case p.open:
		op, n = p.verb+2+ib.Operation(r.Below(2)), p.left
		p.open, s.AckReq = false, true
	case r.OneIn(3):
		p.open, p.verb = true, [...]ib.Operation{ib.SendFirst, ib.WriteFirst}[r.Below(2)]
		op, n = p.verb, p.pmtu
		s.DMALen = uint32(p.pmtu + 1 + r.Below(2*p.pmtu))
		p.left = int(s.DMALen) - n
	default:
		op = [...]ib.Operation{ib.SendOnly, ib.SendOnlyImm, ib.WriteOnly, ib.WriteOnlyImm}[r.Below(4)]
		n = [...]int{0, 1, 4, 63, 64, p.pmtu, r.Below(p.pmtu)}[r.Below(7)]
		s.DMALen, s.AckReq = uint32(n), !r.OneIn(4)
	}
	s.Opcode = ib.Join(service, op)
	return s, n
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
	frame := s.Append(nil, d.g.random[r.Below(1000):][:n])
	damaged := r.OneIn(20)
	if damaged {
		frame[r.Below(len(frame))] ^= 1 << r.Below(8)
		why = "damaged"
	}
	d.frame(s.Encap.Link(), frame, why)
	return !damaged
}

// spoil makes one thing wrong.
func (d *hcaRxPeer) spoil(s *wire.Spec, n *int) {
	r := d.r
	switch r.Below(12) {
	case 10, 11:
		*n = max(0, *n+[...]int{-4, -1, 1, 4}[r.Below(4)])
	case 0:
		s.PSN = s.PSN.Add(int32(r.Between(-3, 3)))
	case 1:
		s.RKey ^= 1 << r.Below(12)
	case 2:
		s.VA ^= 1 << r.Below(64)
	case 3:
		s.DestQP ^= 1 << r.Below(24)
	case 4:
		s.PKey ^= 1 << r.Below(16)
	case 5:
		s.Src[15] ^= 1
		s.SLID ^= 1
	case 6:
		s.Dst[15] ^= 1
		s.DLID ^= 1
	case 7:
		s.Opcode = [...]ib.Opcode{s.Opcode ^ 1<<r.Below(8), s.Opcode ^ 1<<5, ib.Join(ib.RC, ib.SendOnlyInv)}[r.Below(3)]
	case 8:
		s.TVer = 1
	default:
		s.DMALen ^= 1 << r.Below(32)
	}
}
