package falconflow

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
)

// No packet names both identifiers of a connection: which two ways belong together the hosts tell, where only one way
// runs from either to the other. So what is known of the packets between two hosts decides what is certain of them.

// hosts are two addresses, the lesser first.
type hosts struct{ a, b netip.Addr }

// pair is what is known of the packets between two hosts.
type pair struct {
	hosts
	ways [2][]*way // by source, in the order of hosts
	// crowded: a way between the hosts found no room.
	crowded bool
	// mixed: a packet may be of another connection than those that are followed, or of one that began again. Then
	// nothing is certain, what lies before it neither.
	mixed note
	// unsure is the first packet of which it is not known what it said to whom it was for. From it on nothing is certain.
	unsure note
	// gap: there was such a packet and it was not followed. From it on the capture is not whole.
	gap bool
}

// note is a packet and what is to be said of it; the zero note is none.
type note struct {
	packet uint64
	why    string
}

// set keeps the first.
func (n *note) set(packet uint64, why string) {
	if n.packet == 0 {
		*n = note{packet, why}
	}
}

// maxPairs bounds the pairs of hosts.
const maxPairs = 1 << 16

// pairOf finds the pair of two hosts and the side of the source; nil where there is no room.
func (f *follower) pairOf(src, dst netip.Addr) (p *pair, side int) {
	at := hosts{src, dst}
	if dst.Less(src) {
		at, side = hosts{dst, src}, 1
	}
	if p = f.pairs[at]; p == nil && len(f.pairs) < maxPairs {
		if f.pairs == nil {
			f.pairs = map[hosts]*pair{}
		}
		p = &pair{hosts: at}
		f.pairs[at] = p
	}
	return p, side
}

// wayOf finds one direction; nil where there is no room.
func (f *follower) wayOf(p *Packet, number uint64) *way {
	key := flowKey{p.Src, p.Dst, p.Falcon.CID}
	if w := f.ways[key]; w != nil {
		return w
	}
	at, side := f.pairOf(p.Src, p.Dst)
	if at == nil || len(f.ways) >= maxWays {
		if at != nil {
			at.crowded = true
		}
		return nil
	}
	if f.ways == nil {
		f.ways = map[flowKey]*way{}
	}
	w := &way{key: key, pair: at, side: side, track: &track{first: number}}
	f.ways[key] = w
	at.ways[side] = append(at.ways[side], w)
	return w
}

// back is the other direction of a connection: the only one that runs the other way between the two hosts, where this
// is the only one too. On a loopback every way runs both ways.
func (w *way) back() *way {
	here, there := w.pair.ways[w.side], w.pair.ways[1-w.side]
	if w.pair.crowded || w.pair.a == w.pair.b || len(here) != 1 || len(there) != 1 {
		return nil
	}
	return there[0]
}

// unanswered reports whether nothing that is followed came to where the way begins.
func (w *way) unanswered() bool {
	return !w.pair.crowded && w.pair.a != w.pair.b && len(w.pair.ways[1-w.side]) == 0
}

// pass notes a packet of which it is not known what it said, or whether it was taken.
func (f *follower) pass(p *Packet, number uint64, why string, followed bool) {
	at, _ := f.pairOf(p.Src, p.Dst)
	if at == nil {
		return
	}
	at.unsure.set(number, why)
	at.gap = at.gap || !followed
	if p.State == NotJudged && p.HasCID {
		f.wayOf(p, number)
	} else if !p.HasCID || f.ways[flowKey{p.Src, p.Dst, p.Falcon.CID}] == nil {
		at.mixed.set(number, why+", and its connection is not known")
	}
}

// certain reports whether a finding in a packet of the way may become certain, as far as is known by then.
func (w *way) certain() bool { return w.pair.unsure.packet == 0 && w.pair.mixed.packet == 0 }

// Unsure tells why nothing is certain of what two hosts send each other, from a packet on.
type Unsure struct {
	A    string `json:"a"`
	B    string `json:"b"`
	From uint64 `json:"from"` // packet; 1: all
	Why  string `json:"why"`
}

// maxUnsure bounds the list of a report.
const maxUnsure = 16

// unsure lists what keeps findings at an end from being certain.
func (f *follower) unsure() (list []Unsure) {
	for _, p := range f.pairs {
		n := p.unsure
		if d := p.inDoubt(); d != nil && (n.packet == 0 || d.packet < n.packet) {
			n = note{d.packet, "behind a silence nothing tells whether the connection goes on"}
		}
		x := Unsure{A: p.a.String(), B: p.b.String(), From: 1}
		switch {
		case !f.opt.Complete || f.opt.Own != p.a && f.opt.Own != p.b || len(p.ways[0])+len(p.ways[1]) == 0:
			continue
		case p.crowded:
			x.Why = "not all of their connections are followed"
		case p.mixed.packet != 0:
			x.Why = fmt.Sprintf("packet %d: %s", p.mixed.packet, p.mixed.why)
		case n.packet != 0:
			x.From, x.Why = n.packet, n.why
		default:
			continue
		}
		list = append(list, x)
	}
	slices.SortFunc(list, func(a, b Unsure) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B))
	})
	return list[:min(maxUnsure, len(list))]
}

// unpaired counts the ways of which it is not known which belong together.
func (f *follower) unpaired() (n uint64) {
	for _, p := range f.pairs {
		for _, list := range p.ways {
			if len(list) > 1 || p.crowded {
				n += uint64(len(list))
			}
		}
	}
	return n
}
