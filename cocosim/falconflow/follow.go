package falconflow

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"

	falconwire "hcacosim/model/falcon/wire"

	"hcacosim/model/falcon"
	"hcacosim/model/falcon/mode"
	"hcacosim/model/sim"
)

// The follower holds the packets of a connection against each other: PSNs, bases and bitmaps, windows, RSNs. It knows
// what came past and not what was lost, so that a finding is certain only where everything is known: at the end of the
// one that is blamed, in a capture that misses nothing and has the packets in order (Options.Own and Options.Complete),
// and where the two ways of the connection are told without a doubt. What a packet shows by itself needs none of that.

// Windows of a connection, by which a packet or an acknowledgement counts.
const (
	dataWindow = iota
	requestWindow
	numWindows
)

// windowPSNs are the sizes of the receiver's windows (FAL-D1).
var windowPSNs = [numWindows]int32{falcon.DataPSNs, falcon.RequestPSNs}

var windowNames = [numWindows]string{"data", "request"}

// What is remembered of one way of a connection: keptWindows windows of PSNs, and so many RSNs.
const (
	keptWindows = 2
	keptRSNs    = 256
	maxWays     = 1 << 12
)

// way is one direction of a connection: from src to the connection cid at dst. Beside src stand the windows of
// model/falcon: tx of what it sends, rx of what comes to it.
type way struct {
	key     flowKey
	sent    [numWindows]sentPSNs
	tx      [numWindows]falcon.TxWindow
	rx      [numWindows]rxBeside
	base    [numWindows]falconwire.PSN // of what the other way sent, as this one says
	hasBase bool
	rsns    [keptRSNs]sentRSN // Pull Requests and Push Data, by RSN
	answers [keptRSNs]sentRSN // Pull Data, by RSN
	last    requestOrder
	first   uint64 // packet
}

// sentPSNs are what was sent in a window.
type sentPSNs struct {
	any   bool
	first falconwire.PSN
	high  falconwire.PSN // the highest
	kept  []sentPacket   // by PSN; nil until one was sent
}

// sentPacket is what is known of a PSN: its packet, and what the other end said of it.
type sentPacket struct {
	psn    falconwire.PSN
	rsn    falconwire.RSN
	kind   falconwire.Type // of a Resync that of the packet whose place it takes
	sum    uint32
	whole  bool   // sum is of the packet itself, uncut
	packet uint64 // the first of it
	valid  bool
	copies uint32 // how often it left
	lastNs int64  // when it left last
	resync falconwire.ResyncCode
	said   saidOf
}

// saidOf is what the receiver of a packet said of it.
type saidOf struct {
	acked, named, declined uint64 // packets that did; 0: none
	ackedNs                int64
	refused                uint32 // NACKs of what was not taken
	nacks                  uint32 // codes of NACKs, bit by bit
	called                 bool   // since it left an ACK came that does not name it: RACK asks no more
	rnrNs, rnrEndNs        int64
}

type sentRSN struct {
	packet uint64
	rsn    falconwire.RSN
	psn    falconwire.PSN
	length uint32 // of what a Pull Request asks for
	kind   falconwire.Type
	valid  bool
}

// hosts are the two ends of a way, in its order.
type hosts struct{ src, dst netip.Addr }

// follower follows the connections of a capture.
type follower struct {
	opt     *Options
	ways    map[flowKey]*way
	between map[hosts][]*way // by source and destination
	more    uint64           // packets of connections beyond those
}

// claim is something wrong in what a packet means, with what must be known for it to be certain.
type claim struct {
	rule  sim.Rule
	text  string
	alone bool // the packet shows it by itself
	ours  bool // the rule is our reading, an option of the device may allow it, or what came may not have been taken
	way   *way
}

// hearing is a packet of a way, with what it is held against.
type hearing struct {
	f      *follower
	k      *falconwire.Packet
	w      *way // of the packet
	back   *way // the other direction; nil where it is not known
	m      *mode.Mode
	number uint64
	nowNs  int64
	cut    bool // the capture has not all of it
	wrong  func(claim)
}

// say notes what is wrong.
func (h *hearing) say(rule sim.Rule, format string, args ...any) {
	h.wrong(claim{rule: rule, text: fmt.Sprintf(format, args...), way: h.w})
}

// maybe notes what may be wrong.
func (h *hearing) maybe(rule sim.Rule, format string, args ...any) {
	h.wrong(claim{rule: rule, text: fmt.Sprintf(format, args...), way: h.w, ours: true})
}

// own reports whether the capture was taken at the end that sent the packet.
func (h *hearing) own() bool { return h.f.opt.Own.IsValid() && h.f.opt.Own == h.w.key.src }

// wayOf finds one direction; nil where there is no room.
func (f *follower) wayOf(p *Packet, number uint64) *way {
	key := flowKey{p.Src, p.Dst, p.Falcon.CID}
	w := f.ways[key]
	if w == nil {
		if len(f.ways) >= maxWays {
			f.more++
			return nil
		}
		if f.ways == nil {
			f.ways, f.between = map[flowKey]*way{}, map[hosts][]*way{}
		}
		w = &way{key: key, first: number}
		f.ways[key] = w
		at := hosts{p.Src, p.Dst}
		f.between[at] = append(f.between[at], w)
	}
	return w
}

// back is the other direction of a connection: the only one that runs the other way between the two hosts, where this
// is the only one too. No packet names both connection identifiers.
func (f *follower) back(w *way) *way {
	here, there := f.between[hosts{w.key.src, w.key.dst}], f.between[hosts{w.key.dst, w.key.src}]
	if len(here) != 1 || len(there) != 1 {
		return nil
	}
	return there[0]
}

// take follows a packet that was read and calls wrong with what is wrong in what it means.
func (f *follower) take(p *Packet, number uint64, nowNs int64, wrong func(claim)) {
	k, m := &p.Falcon, f.opt.Mode
	byItself(k, m, func(x claim) {
		x.alone = true
		wrong(x)
	})
	w := f.wayOf(p, number)
	if w == nil {
		return
	}
	h := hearing{f: f, k: k, w: w, back: f.back(w), m: m, number: number, nowNs: nowNs, wrong: wrong,
		cut: k.Flaws.Has(falconwire.Cut)}
	if w.elsewhere(k) {
		*w = way{key: w.key, first: number}
		if h.back != nil {
			*h.back = way{key: h.back.key, first: number}
		}
	}
	if h.back != nil && k.Type == falconwire.PullData {
		h.pulled()
	}
	h.bases()
	switch {
	case k.Type == falconwire.NACK && h.back != nil:
		h.nacked()
	case k.Type.Reliable():
		h.reliable()
	}
}

// farPSNs is more than any window, or what may be lost without a word.
const farPSNs = 1 << 16

// elsewhere reports whether a packet's PSN or bases lie where those of the connection cannot: it is of a new one with
// the same identifier.
func (w *way) elsewhere(k *falconwire.Packet) bool {
	far := func(a, b falconwire.PSN) bool { return a.Diff(b) > farPSNs || b.Diff(a) > farPSNs }
	if w.hasBase && (far(k.DataBase, w.base[dataWindow]) || far(k.RequestBase, w.base[requestWindow])) {
		return true
	}
	s := &w.sent[windowOf(k)]
	return k.Type.Reliable() && s.any && far(k.PSN, s.high)
}

// follow judges what a packet means. verdict is the first thing that is wrong in it, "" if nothing is.
func (c *Checker) follow(number uint64, nowNs int64) (verdict string) {
	c.f.take(&c.p, number, nowNs, func(x claim) {
		settled := x.alone && !x.ours
		n := len(c.r.Findings)
		v := c.found(number, x.rule, x.text, settled)
		verdict = cmp.Or(verdict, v)
		if o := &c.d.opt; !settled && !x.ours && x.way != nil && c.p.Authentic && o.Complete && o.Own == c.p.Src &&
			n < len(c.r.Findings) {
			c.waiting = append(c.waiting, waits{n, x.way})
		}
	})
	return verdict
}

// waits is a finding that becomes certain if its connection stays the only one between its hosts.
type waits struct {
	finding int
	way     *way
}

// settle makes the findings certain for which everything is known.
func (c *Checker) settle() {
	for _, x := range c.waiting {
		f := &c.r.Findings[x.finding]
		if c.f.back(x.way) == nil || f.Certain {
			continue
		}
		f.Certain, f.Certainty = true, sim.Certain
		c.r.Certain, c.r.Possible = c.r.Certain+1, c.r.Possible-1
	}
	c.waiting = nil
	c.r.Unpaired = 0
	for _, list := range c.f.between {
		if len(list) > 1 {
			c.r.Unpaired += uint64(len(list))
		}
	}
	slices.SortStableFunc(c.r.Findings, func(a, b Finding) int { return cmp.Compare(a.Packet, b.Packet) })
}
