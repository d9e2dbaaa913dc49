package falconflow

import (
	"cmp"
	"fmt"
	"hash/crc32"
	"math/bits"
	"net/netip"
	"slices"

	falconwire "hcacosim/model/falcon/wire"

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
var windowPSNs = [numWindows]int32{128, 64}

var windowNames = [numWindows]string{"data", "request"}

// keptPSNs and keptRSNs bound what is remembered of one way of a connection.
const (
	keptPSNs = 256
	keptRSNs = 256
	maxWays  = 1 << 12
)

// way is one direction of a connection: from src to the connection cid at dst.
type way struct {
	key     flowKey
	sent    [numWindows]sentPSNs
	base    [numWindows]falconwire.PSN // of what the other way sent, as this one says
	hasBase bool
	rsns    [keptRSNs]sentRSN // Pull Requests, by RSN
	answers [keptRSNs]sentRSN // Pull Data, by RSN
	first   uint64            // packet
}

// sentPSNs are what was sent in a window.
type sentPSNs struct {
	any  bool
	high falconwire.PSN // the highest
	kept [keptPSNs]sentPacket
}

type sentPacket struct {
	psn    falconwire.PSN
	rsn    falconwire.RSN
	kind   falconwire.Type
	sum    uint32
	packet uint64
	valid  bool
}

type sentRSN struct {
	rsn    falconwire.RSN
	psn    falconwire.PSN
	packet uint64
	valid  bool
}

// hosts are the two ends of a way, in its order.
type hosts struct{ src, dst netip.Addr }

// follower follows the connections of a capture.
type follower struct {
	ways    map[flowKey]*way
	between map[hosts][]*way // by source and destination
	more    uint64           // packets of connections beyond those
}

// claim is something wrong in what a packet means, with what must be known for it to be certain.
type claim struct {
	rule  sim.Rule
	text  string
	alone bool // the packet shows it by itself
	ours  bool // the rule is our reading, or an option of the device may allow it
	way   *way
}

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
func (f *follower) take(p *Packet, number uint64, m *mode.Mode, wrong func(claim)) {
	k := &p.Falcon
	byItself(k, m, func(x claim) {
		x.alone = true
		wrong(x)
	})
	w := f.wayOf(p, number)
	if w == nil {
		return
	}
	back := f.back(w)
	if w.elsewhere(k) {
		*w = way{key: w.key, first: number}
		if back != nil {
			*back = way{key: back.key, first: number}
		}
	}
	say := func(rule sim.Rule, format string, args ...any) {
		wrong(claim{rule: rule, text: fmt.Sprintf(format, args...), way: w})
	}
	w.bases(k, back, say)
	switch {
	case k.Type == falconwire.EACK && back != nil:
		named(k, back, say)
	case k.Type == falconwire.NACK && back != nil:
		nacked(k, back, say)
	case k.Type.Reliable():
		w.reliable(k, back, number, say)
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

// byItself finds what needs no other packet: an acknowledgement that contradicts itself (FAL-D2, FAL-D7).
func byItself(k *falconwire.Packet, m *mode.Mode, wrong func(claim)) {
	own := k.OWNData || k.OWNRequest
	switch k.Type {
	case falconwire.BACK:
		if own {
			wrong(claim{rule: "FAL-D7", text: "a BACK with OWN set: an EACK was due"})
		}
	case falconwire.EACK:
		if !m.BaseOverReceived && k.DataAck.Bit(0) {
			wrong(claim{rule: "FAL-D2", text: fmt.Sprintf("the data base %d is acknowledged, and a base is the oldest that "+
				"is not", uint32(k.DataBase))})
		}
		if k.Request&1 != 0 {
			wrong(claim{rule: "FAL-D2", text: fmt.Sprintf("the request base %d is acknowledged, and a base is the oldest "+
				"that is not", uint32(k.RequestBase))})
		}
		if !own && k.Request == 0 && k.DataAck.IsZero() && consecutive(k.DataRx) &&
			!(m.EACKOnAnyRx && !k.DataRx.IsZero()) {
			wrong(claim{rule: "FAL-D7", text: "an EACK that says no more than a BACK: a BACK was due", ours: !k.DataRx.IsZero()})
		}
	}
}

// consecutive reports whether the ones of a bitmap begin at bit 0 and have no hole.
func consecutive(b falconwire.Bitmap) bool {
	low := bits.TrailingZeros64(^b.Lo)
	if low < 64 {
		return b.Hi == 0 && b.Lo>>low == 0
	}
	high := bits.TrailingZeros64(^b.Hi)
	return high == 64 || b.Hi>>high == 0
}

// bases holds the bases that a packet says against those that the same end said before, and against what was sent.
func (w *way) bases(k *falconwire.Packet, back *way, say func(sim.Rule, string, ...any)) {
	now := [numWindows]falconwire.PSN{k.DataBase, k.RequestBase}
	for i := range now {
		if w.hasBase && now[i].Diff(w.base[i]) < 0 {
			say("FAL-D2", "the %s base goes back from %d to %d", windowNames[i], uint32(w.base[i]), uint32(now[i]))
			now[i] = w.base[i]
		}
		if back != nil && back.sent[i].any && now[i].Diff(back.sent[i].high) > 1 {
			say("FAL-D2", "the %s base is %d, and nothing beyond %d was sent", windowNames[i], uint32(now[i]),
				uint32(back.sent[i].high))
			now[i] = back.sent[i].high // the other end drops it (FAL-D15)
			if w.hasBase {
				now[i] = w.base[i]
			}
		}
	}
	w.base, w.hasBase = now, true
}

// named holds the PSNs that an EACK names as received against what was sent.
func named(k *falconwire.Packet, back *way, say func(sim.Rule, string, ...any)) {
	top := [numWindows]int{64 + bits.Len64(k.DataRx.Hi), bits.Len64(k.Request)}
	if k.DataRx.Hi == 0 {
		top[dataWindow] = bits.Len64(k.DataRx.Lo)
	}
	for i, base := range [numWindows]falconwire.PSN{k.DataBase, k.RequestBase} {
		if top[i] == 0 || !back.sent[i].any {
			continue
		}
		if last := base + falconwire.PSN(top[i]-1); last.Diff(back.sent[i].high) > 0 {
			say("FAL-D4", "names PSN %d of the %s window as received, and nothing beyond %d was sent", uint32(last),
				windowNames[i], uint32(back.sent[i].high))
		}
	}
}

// nacked holds the PSN of a NACK against what was sent.
func nacked(k *falconwire.Packet, back *way, say func(sim.Rule, string, ...any)) {
	i := dataWindow
	if k.NackOfRequest {
		i = requestWindow
	}
	if s := &back.sent[i]; s.any && k.NackPSN.Diff(s.high) > 0 {
		say("FAL-D9", "NACK of PSN %d of the %s window, and nothing beyond %d was sent", uint32(k.NackPSN), windowNames[i],
			uint32(s.high))
	}
}

// windowOf is the window that a packet with a PSN is in.
func windowOf(k *falconwire.Packet) int {
	if k.Type.RequestWindow() || k.Type == falconwire.Resync && k.ResyncType.RequestWindow() {
		return requestWindow
	}
	return dataWindow
}

// reliable follows a packet with a PSN.
func (w *way) reliable(k *falconwire.Packet, back *way, number uint64, say func(sim.Rule, string, ...any)) {
	i := windowOf(k)
	s := &w.sent[i]
	now := sentPacket{k.PSN, k.RSN, k.Type, crc32.ChecksumIEEE(k.Payload), number, true}
	fresh := !s.any || k.PSN.Diff(s.high) > 0
	if back != nil && back.hasBase {
		switch d := k.PSN.Diff(back.base[i]); {
		case d >= windowPSNs[i]:
			say("FAL-D11", "PSN %d lies %d beyond the %s base %d: the window has %d", uint32(k.PSN), d, windowNames[i],
				uint32(back.base[i]), windowPSNs[i])
		case d < 0 && !fresh:
			say("FAL-D15", "PSN %d of the %s window is sent again, and was acknowledged: the base is %d", uint32(k.PSN),
				windowNames[i], uint32(back.base[i]))
		}
	}
	at := &s.kept[uint32(k.PSN)%keptPSNs]
	switch {
	case fresh && s.any && k.PSN.Diff(s.high) > 1:
		say("FAL-D10", "PSN %d of the %s window follows %d: %d skipped", uint32(k.PSN), windowNames[i], uint32(s.high),
			k.PSN.Diff(s.high)-1)
	case !fresh && at.valid && at.psn == k.PSN && at.differs(&now):
		say("FAL-D20", "PSN %d is sent again and is not what it was in packet %d: %v, RSN %d", uint32(k.PSN), at.packet,
			at.kind, uint32(at.rsn))
	}
	if fresh {
		s.high, s.any = k.PSN, true
	}
	if !at.valid || at.psn != k.PSN {
		*at = now
	}
	w.pulls(k, back, number, say)
}

// differs reports whether two packets of one PSN are not the same; a Resync may take the place of any.
func (s *sentPacket) differs(x *sentPacket) bool {
	if s.kind == falconwire.Resync || x.kind == falconwire.Resync {
		return s.rsn != x.rsn
	}
	return s.rsn != x.rsn || s.kind != x.kind || s.sum != x.sum
}

// pulls pairs Pull Data with Pull Requests by their RSN (FAL-T1).
func (w *way) pulls(k *falconwire.Packet, back *way, number uint64, say func(sim.Rule, string, ...any)) {
	at := uint32(k.RSN) % keptRSNs
	now := sentRSN{k.RSN, k.PSN, number, true}
	switch k.Type {
	case falconwire.PullRequest:
		if o := &w.rsns[at]; o.valid && o.rsn == k.RSN && o.psn != k.PSN {
			say("FAL-T1", "RSN %d is of the Pull Request in packet %d too, which has another PSN", uint32(k.RSN), o.packet)
		}
		w.rsns[at] = now
	case falconwire.PullData:
		if back != nil {
			if o := &back.rsns[at]; !o.valid || o.rsn != k.RSN {
				say("FAL-T1", "Pull Data of RSN %d: no Pull Request has it", uint32(k.RSN))
			}
		}
		if o := &w.answers[at]; o.valid && o.rsn == k.RSN && o.psn != k.PSN {
			say("FAL-T1", "Pull Data of RSN %d again, in packet %d it had another PSN", uint32(k.RSN), o.packet)
		}
		w.answers[at] = now
	}
}

// follow judges what a packet means. verdict is the first thing that is wrong in it, "" if nothing is.
func (c *Checker) follow(number uint64) (verdict string) {
	c.f.take(&c.p, number, c.d.opt.Mode, func(x claim) {
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
