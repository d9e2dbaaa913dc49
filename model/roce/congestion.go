package roce

import "hcacosim/model/ib"

// Decides CNP-1, CNP-2, CNP-3 and CNP-4.

// congestionExperienced are the ECN bits of TOS or TClass that a switch sets.
const congestionExperienced = 3

// Marked is a packet that was admitted (ADM-1 to ADM-6), as far as congestion notification looks at it.
type Marked struct {
	TClass  uint8 // or TOS
	RoCEv2  bool
	Op      ib.Opcode
	SrcQP   uint32 // of the DETH
	Service ib.Transport
}

// NotifyWhy is what keeps a packet from giving a CNP.
type NotifyWhy uint8

// The reasons, the first that holds.
const (
	NotifySends     NotifyWhy = iota
	NotifyNotMarked           // CNP-1
	NotifyNotRoCEv2           // CNP-1
	NotifyIsCNP               // CNP-4
	NotifyNoQP                // the queue pair is not there
	NotifyTooSoon             // CNP-2
)

// Notifier is a queue pair that gives CNPs: whom it talks to, and when it gave the last one.
type Notifier struct {
	Peer uint32 // QPN
	sent bool
	last uint64
}

// Notify decides on a packet that came to the queue pair at a time: nil where there is no such queue pair. Time and
// period have one unit, and the time never turns over. A CNP that is given starts the period anew (CNP-2).
func (n *Notifier) Notify(p *Marked, now, period uint64) NotifyWhy {
	switch {
	case p.TClass&congestionExperienced != congestionExperienced:
		return NotifyNotMarked
	case !p.RoCEv2:
		return NotifyNotRoCEv2
	case p.Op == ib.OpcodeCNP:
		return NotifyIsCNP
	case n == nil:
		return NotifyNoQP
	case n.sent && now-n.last < period:
		return NotifyTooSoon
	}
	n.sent, n.last = true, now
	return NotifySends
}

// CNP is the opcode of a packet's CNP and the queue pair that it goes to (CNP-3): the peer, of UD the sender that the
// packet names.
func (n *Notifier) CNP(p *Marked) (ib.Opcode, uint32) {
	if p.Service == ib.UD {
		return ib.OpcodeCNP, p.SrcQP
	}
	return ib.OpcodeCNP, n.Peer
}
