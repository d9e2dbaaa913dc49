package falconflow

import (
	"fmt"

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

// way is one direction of a connection: from src to the connection cid at dst.
type way struct {
	key  flowKey
	pair *pair
	side int // of pair
	*track
	doubt  *doubt // whether the connection goes on behind a silence; nil where there was none
	lastNs int64  // when its last packet was captured
	other  *track // of another connection with the same identifier; nil where none was seen
}

// sentPSNs are what was sent in a window.
type sentPSNs struct {
	any   bool
	first falconwire.PSN
	high  falconwire.PSN // the highest
	// highAt is the packet of the highest.
	highAt uint64
	// lag is the last PSN before one that skipped some, if those may follow; before is the window's base then.
	lag     falconwire.PSN
	lagAt   uint64 // that one
	lagging bool
	wrongAt uint64 // a packet that had the PSN of one before
	before  falcon.PSN
	kept    []sentPacket // by PSN; nil until one was sent
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
	// resyncAt is the packet of the first Resync.
	resyncAt uint64
	mixed    bool // it left as packets of several types
	said     saidOf
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

// follower follows the connections of a capture.
type follower struct {
	opt    *Options
	ways   map[flowKey]*way
	pairs  map[hosts]*pair
	others int    // ways of which two connections are kept
	more   uint64 // packets of ways beyond those
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
	blamed func(packet uint64, of aspect) bool
	since  uint64 // what is said rests on a packet, and on what of it
	of     aspect
	fill   uint64 // the packet has one of the PSNs that this one skipped
}

// after holds the packet against one before, in an aspect of that.
func (h *hearing) after(packet uint64, of aspect) *hearing {
	g := *h
	g.since, g.of = packet, of
	return &g
}

// say notes what is wrong.
func (h *hearing) say(rule sim.Rule, format string, args ...any) {
	h.wrong(claim{rule: rule, text: fmt.Sprintf(format, args...), way: h.w, since: h.since, of: h.of})
}

// maybe notes what may be wrong.
func (h *hearing) maybe(rule sim.Rule, format string, args ...any) {
	h.wrong(claim{rule: rule, text: fmt.Sprintf(format, args...), way: h.w, ours: true, since: h.since,
		of: h.of})
}

// unlessGap notes what is wrong if nothing is missing.
func (h *hearing) unlessGap(rule sim.Rule, format string, args ...any) {
	if !h.gap() {
		h.say(rule, format, args...)
	}
}

// own reports whether the capture was taken at the end that sent the packet.
func (h *hearing) own() bool { return h.f.opt.Own.IsValid() && h.f.opt.Own == h.w.key.src }

// strayedFrom notes what may be wrong in the only packet of a track.
func (h *hearing) strayedFrom(t *track, rule sim.Rule, format string, args ...any) {
	h.wrong(claim{rule: rule, text: fmt.Sprintf(format, args...), way: h.w, ours: true, packet: t.first,
		atNs: t.firstNs})
}

// gap reports whether a packet came by between the two hosts of which it is not known what it said: it may be the one
// that is missed.
func (h *hearing) gap() bool { return h.w.pair.gap }

// complete reports whether everything between the two hosts that came by so far is known.
func (h *hearing) complete() bool { return h.f.opt.Complete && !h.gap() }

// take follows a packet that was read and calls wrong with what is wrong in what it means.
func (f *follower) take(p *Packet, number uint64, nowNs int64, blamed func(uint64, aspect) bool, wrong func(claim)) {
	k, m := &p.Falcon, f.opt.Mode
	byItself(k, m, func(x claim) {
		x.alone = true
		wrong(x)
	})
	if p.Damaged && p.Dst == f.opt.Own && p.Src != p.Dst {
		return // dropped there
	}
	w := f.wayOf(p, number)
	if w == nil {
		f.more++
		return
	}
	h := hearing{f: f, k: k, w: w, back: w.back(), m: m, number: number, nowNs: nowNs, wrong: wrong, blamed: blamed,
		cut: k.Flaws.Has(falconwire.Cut)}
	h.resumes()
	h.place()
	w.packets++
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
