// Package flow runs the golden model beside the traffic of a capture: it finds the connections, reads or infers what
// their queue pairs were given, offers each packet to the machines and followers of model/roce, and gives it a verdict.
// The rules are model/roce's; where a packet was seen, and so what can be said about it with certainty, is decided
// here.
package flow

import (
	"fmt"
	"net"
	"net/netip"
	"slices"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/roce/onwire"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// maxFindings is how many violations and oddities are kept with their text; the rest are counted.
const maxFindings = 1000

// Options say what is known before the first packet.
type Options struct {
	Profile roce.Profile
	Sidecar *Sidecar // nil: everything is inferred
	// At is where the capture was taken: "A" or "B" of the sidecar, an address, or "" for the wire.
	At string
	// Scan is what a first look at the capture told; nil without one.
	Scan *Scan
	// Complete: the capture misses no frame and has them in order.
	Complete bool
	// BehindNs is how long before it left a request of the endpoint may have been decided: 0 is DefaultBehindNs, NoBehind
	// as far back as the one before it.
	BehindNs uint64
	// PMTUBytes is the path MTU of every connection; 0: not known.
	PMTUBytes uint32
	// MAC is that of the end that At names; zero: the first look tells.
	MAC [6]byte
}

// DefaultBehindNs is what a device's pipeline and its queue to the wire may take where nobody said how long they do.
// NoBehind is next to nothing: what came before the request before it the device knew.
const (
	DefaultBehindNs = 5000
	NoBehind        = 1
)

// Checker judges the packets of one capture in order. Its memory has a bound.
type Checker struct {
	opt       Options
	wireful   roce.Profile // the profile with what nobody told left open
	doubted   []string     // what of the sidecar both ends contradict
	table     table
	pairs     pairing
	atEnd     bool // the capture was taken at an endpoint
	own       addr
	side      string // of the sidecar, if atEnd
	mac       [6]byte
	hasMAC    bool
	door      door
	spoken    partitions // that the endpoint sent in, where nobody told of its own
	askers    askers
	offers    offers
	senders   map[sender]psn.Count // of datagrams
	damaged   uint64               // frames with a bad ICRC that the endpoint sent
	connected uint64               // connections that the connection manager told of
	outlives  int                  // connections behind the one that the sidecar describes
	ev        evidence
	order     order
	ownMAC    [6]byte // by the sidecar
	drops     uint64
	hasDrops  bool
	refused   refusals
	makers    makers
	form      form
	tallied   tallied
	timeNS    int64
	last      uint64 // number of the packet
	cutAt     uint64 // number of the first that the snap length cut; 0: none
	cut       bool   // this one was cut behind its headers
	renewed   bool   // this one is the first request of another connection
	started   bool
	excuse    string  // what would explain the finding that is being noted
	malformed Verdict // of this packet: a field that is not as the endpoint must fill it
	back      uint64  // timestamps that went back
	clockOff  bool    // the times of the capture are not those of the sidecar
	skew      skew    // how far they may lie apart

	violations findings
	oddities   findings // of what an endpoint received
	bugs       []Bug

	now      *half // that the packet is of
	src, dst addr
	pkt      roce.Packet
	key      key
}

// findings keeps the first of many.
type findings struct {
	list    []Finding
	total   uint64
	certain uint64
}

func (f *findings) add(x Finding) {
	f.total++
	if x.Certain() {
		f.certain++
	}
	if len(f.list) < maxFindings {
		f.list = append(f.list, x)
	}
}

// New makes a checker for one capture.
func New(opt Options) (*Checker, error) {
	if opt.BehindNs == 0 {
		opt.BehindNs = DefaultBehindNs
	}
	c := &Checker{table: newTable(), spoken: partitions{}}
	opt.Sidecar, c.doubted = Reconcile(opt.Sidecar, opt.Scan)
	c.opt = opt
	switch {
	case opt.At == "" || opt.At == "wire":
	case (opt.At == "A" || opt.At == "B") && opt.Sidecar != nil:
		c.atEnd, c.side, c.own = true, opt.At, opt.Sidecar.end(opt.At).addr()
	case opt.At == "A" && opt.Scan != nil && opt.Scan.hasFirst:
		c.atEnd, c.own = true, opt.Scan.firstSrc
	case opt.At == "B" && opt.Scan != nil && opt.Scan.hasFirst:
		c.atEnd, c.own = true, opt.Scan.firstDst
	default:
		a, err := netip.ParseAddr(opt.At)
		if err != nil {
			return nil, fmt.Errorf("--at %s: not A, B, wire or an address", opt.At)
		}
		c.atEnd, c.own = true, a.As16()
	}
	if c.atEnd && opt.Scan != nil {
		c.mac, c.hasMAC = opt.Scan.macOf(c.own)
	}
	if c.atEnd && opt.MAC != [6]byte{} {
		c.mac, c.hasMAC = opt.MAC, true
	}
	c.ownMAC = c.mac
	if c.side != "" {
		if mac, err := net.ParseMAC(opt.Sidecar.end(c.side).MAC); err == nil {
			copy(c.ownMAC[:], mac)
		}
	}
	c.openDoor()
	c.order.stepNS = opt.Scan.StampGrainNS()
	c.wireful = opt.Profile
	c.wireful.RetryForever7 = true
	return c, nil
}

// Take judges the next packet. icrc is what was found about its ICRC.
func (c *Checker) Take(f *vectors.Frame, w *wire.Packet, icrc wire.ICRCStatus) Verdict {
	if c.started && f.TimeNS < c.timeNS {
		c.back++
	}
	c.timeNS, c.started, c.last = f.TimeNS, true, f.Number
	if c.atEnd {
		c.countFrame(w)
	}
	cut := cutBehindHeaders(w)
	if c.cutAt == 0 && w.Undecided() && !cut {
		c.cutAt = f.Number
	}
	if w.Encap == wire.EncapNone || w.Encap == wire.EncapRaw {
		return Verdict{Class: Other}
	}
	if c.cutAt != 0 { // what follows would be judged as if the cut frame had not been
		c.tallied.cut++
		return said(Other, "not judged: the snap length cut this frame or one before")
	}
	if cut {
		was := w.Bad
		if w.Bad.Reason == wire.Cut {
			w.Bad = wire.Malformed{}
		}
		defer func() { w.Bad = was }()
		c.tallied.headers++
	}
	c.cut = cut
	c.src, c.dst = addresses(w)
	sent := c.atEnd && c.src == c.own
	c.malformed = Verdict{}
	c.order.stamped(f.TimeNS, sent)
	if c.atEnd && c.witness(f, w, sent) {
		return said(Duplicate, "the capture has it twice")
	}
	if icrc == wire.ICRCBad && w.Bad.Reason == wire.Truncated {
		return said(Malformed, w.Bad.String()) // the frame ends before its ICRC
	}
	if v, wrong := c.lookAtICRC(f, w, icrc, sent); wrong {
		return v
	}
	taken := onwire.Take(w, &c.pkt)
	if cut {
		c.pkt.Len = payloadBytes(w)
	}
	if sent {
		if w.BTH() != nil && !c.door.known && icrc != wire.ICRCBad {
			c.spoken.note(c.src, c.dst, w.BTH().PKey())
		}
		if v, wrong := c.wellMade(f, w); wrong {
			c.malformed = v
		}
	}
	if c.atEnd && !sent && !(taken && c.forged(w)) {
		if v, away := c.turnedAway(f, w, icrc, taken); away {
			return v
		}
	}
	return c.decide(f, w, icrc, sent, taken)
}

// lookAtICRC counts the ICRC of a packet. A bad one can show who made the packet, and that it was made wrong.
func (c *Checker) lookAtICRC(f *vectors.Frame, w *wire.Packet, icrc wire.ICRCStatus, sent bool) (v Verdict,
	wrong bool) {
	m, mistake := c.countICRC(f, w, icrc)
	if icrc != wire.ICRCBad {
		return v, false
	}
	if sent {
		c.damaged++
	}
	return c.wrongMaker(f, w, m, mistake, sent)
}

// decide judges a packet of which nothing is left but what it says.
func (c *Checker) decide(f *vectors.Frame, w *wire.Packet, icrc wire.ICRCStatus, sent, taken bool) Verdict {
	switch {
	case icrc == wire.ICRCBad:
		return Verdict{Class: BadICRC}
	case c.atEnd && c.src == c.own && c.dst == c.own:
		c.tallied.itself++
		return said(Other, "not judged: to itself")
	case !taken:
		c.tallied.judged++
		return c.notTaken(f, w)
	}
	if w.Op.Transport == ib.UD && w.BTH().DestQP() == gsiQP {
		c.exchange(w)
	}
	c.renewed = false
	v := c.transport(f, w, sent)
	v.Renewed = c.renewed
	c.countJudged(&v)
	if c.malformed.Rule != "" && v.Class != Broken {
		v.Class, v.Verdict = c.malformed.Class, c.malformed.Verdict
	}
	return v
}

func icrcRule(e wire.Encap) roce.Rule {
	return [...]roce.Rule{wire.EncapRoCEv1: "ICRC-3", wire.EncapRoCEv2IPv4: "ICRC-4", wire.EncapRoCEv2IPv6: "ICRC-5",
		wire.EncapIBLocal: "ICRC-1", wire.EncapIBGlobal: "ICRC-2", wire.EncapRaw: "ICRC-1"}[e]
}

// notTaken is a packet with a good ICRC that no transport takes: its sender made it so.
func (c *Checker) notTaken(f *vectors.Frame, w *wire.Packet) Verdict {
	rule := malformedRule(w.Bad.Reason)
	if text := "sent a malformed packet: " + w.Bad.String(); c.atEnd {
		defer c.unread(w)
		return c.broken(f, true, rule, text)
	}
	return c.broken(f, false, rule, "malformed: "+w.Bad.String())
}

// unread puts the machines out of step behind a malformed packet that the endpoint sent: it stands for a request or a
// response that they have not had.
func (c *Checker) unread(w *wire.Packet) {
	bth := w.BTH()
	if c.src != c.own || bth == nil {
		return
	}
	op := ib.Lookup(bth.Opcode())
	if op == nil || op.Transport != ib.RC && op.Transport != ib.UC {
		return
	}
	h := c.table.find(&key{src: c.src, dst: c.dst, qpn: bth.DestQP(), service: op.Transport}, &c.pairs)
	if op.Response {
		h = h.pair
	}
	if h == nil || h.m == nil || h.m.step == nil || h.m.step.lost {
		return
	}
	if op.Response {
		c.outOfStep(h.m.step, bth.PSN())
		c.again(h)
		return
	}
	c.giveUp(h.m, bth.PSN().Add(-1)) // it may be sent again as it should be
}

// malformedRule is the rule that a malformed packet breaks.
func malformedRule(r wire.Reason) roce.Rule {
	switch r {
	case wire.UnknownOpcode:
		return "OPC-1"
	case wire.HeaderCut:
		return "OPC-2"
	case wire.PadTooLong:
		return "LEN-1"
	case wire.TVer:
		return "ADM-2"
	}
	return "END-1"
}

// forged tells a packet that the endpoint sent to its peer from another address than its own: the MAC is the
// endpoint's.
func (c *Checker) forged(w *wire.Packet) bool {
	e, s := w.Ethernet(), c.opt.Sidecar
	if e == nil || s == nil || !c.hasMAC || [6]byte(e.Src()) != c.mac || [6]byte(e.Dst()) == c.mac {
		return false
	}
	peer := s.end(otherSide(c.side)).addr()
	return c.dst == peer && c.src != peer && w.BTH().DestQP() == s.dest(c.side)
}

// strayed tells a response to the peer's queue pair at an address that never sent a request.
func (c *Checker) strayed() bool {
	s := c.opt.Sidecar
	return ib.Lookup(c.pkt.Op).Response && c.key.service == services[s.QPType] && c.key.qpn == s.dest(c.side) &&
		!c.askers.has(c.dst)
}

// askers are the addresses that requests came from; when there are many, anybody may be one.
type askers []addr

const maxAskers = 64

func (a askers) has(x addr) bool { return len(a) == maxAskers || slices.Contains(a, x) }

func (a *askers) add(x addr) {
	if len(*a) == 0 || (*a)[len(*a)-1] != x && !a.has(x) {
		*a = append(*a, x)
	}
}

// transport judges a packet that a transport takes.
func (c *Checker) transport(f *vectors.Frame, w *wire.Packet, sent bool) Verdict {
	info := w.Op
	if info.Transport == ib.CNP {
		c.tallied.judged++ // its form is all that there is
		if sent {
			return c.sentCNP(f, w)
		}
		return Verdict{Class: Expected}
	}
	c.key, c.now = c.keyOf(w), nil
	if s := c.opt.Sidecar; s != nil && c.atEnd {
		if v, known := c.known(f, sent); !known {
			return v
		}
	}
	h := c.half(f)
	if h.requests+h.responses == 0 {
		if v, wrong := c.another(f, h); wrong {
			h.requests++
			return v
		}
	}
	switch info.Transport {
	case ib.RC, ib.UC, ib.UD:
	default:
		h.requests++ // decoded and counted only
		return Verdict{Class: Expected}
	}
	if !info.Response {
		return c.request(f, w, h, sent)
	}
	if h.pair == nil {
		c.pairUp(h)
	}
	return c.response(f, w, h, sent)
}

// keyOf is the direction that a packet runs in.
func (c *Checker) keyOf(w *wire.Packet) key {
	k := key{src: c.src, dst: c.dst, qpn: w.BTH().DestQP(), service: w.Op.Transport}
	if k.service == ib.UD {
		k.sqp = c.pkt.SrcQP
	}
	return k
}

// half finds what is known of the packet's direction.
func (c *Checker) half(f *vectors.Frame) *half {
	h := c.table.find(&c.key, &c.pairs)
	c.now = h
	if h.firstNS == 0 {
		h.firstNS = f.TimeNS
	}
	h.lastNS = f.TimeNS
	return h
}

// known holds addresses and queue pair of what was sent against the sidecar.
func (c *Checker) known(f *vectors.Frame, sent bool) (Verdict, bool) {
	s := c.opt.Sidecar
	peer := s.end(otherSide(c.side))
	switch {
	case sent && c.dst != peer.addr() && c.strayed():
		return c.broken(f, true, "RSP-14", fmt.Sprintf("a response sent to %v, which has asked for nothing", c.dst)), false
	case sent && (c.dst != peer.addr() || c.key.qpn != s.dest(c.side)):
		if c.dst != peer.addr() || services[s.QPType] != c.key.service || c.key.service == ib.UD {
			return Verdict{Class: Other}, false // of another connection
		}
		return c.broken(f, true, "RSP-14", fmt.Sprintf("sent to QP %06Xh, the peer is %06Xh", c.key.qpn, s.dest(c.side))),
			false
	case !sent && c.src != c.own && c.dst == peer.addr():
		return c.broken(f, true, "RSP-14", fmt.Sprintf("sent from %v, the end's address is %v", c.src, c.own)), false
	}
	return Verdict{}, true
}

// odd notes what the peer, or the way, did to what an endpoint received.
func (c *Checker) odd(f *vectors.Frame, rule roce.Rule, text string) {
	c.oddities.add(found(f.Number, false, rule, text))
}

// broken notes a violation of what the sender of this packet sent.
func (c *Checker) broken(f *vectors.Frame, certain bool, rule roce.Rule, text string) Verdict {
	x := found(f.Number, certain && (c.atEnd || !c.cut), rule, text)
	c.violations.add(x)
	return Verdict{Class: Broken, Verdict: x.Verdict}
}
