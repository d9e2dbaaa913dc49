package field

import (
	"net/netip"

	"hcacosim/model/ib"
	"hcacosim/model/roce"
)

// Host is what came from and to one address. At an end it is what that NIC sent and took; elsewhere what came past.
type Host struct {
	IP netip.Addr

	Sent, Received        uint64 // frames with a good ICRC that a transport takes
	BadICRC, Marked       uint64 // received: with a bad ICRC; with ECN "congestion experienced"
	NotTaken              uint64 // came to its port, and to none of its queue pairs
	OtherPartition        uint64 // of these: with the P_Key of another partition
	Responses             uint64 // received
	Duplicates            uint64 // requests received that came before
	OutOfSequence         uint64 // requests received while one before them was missing
	SequenceNAKsSent      uint64 //
	SequenceNAKsReceived  uint64 //
	SequenceNAKsMoved     uint64 // received, and acknowledged something new
	RNRSent, RNRReceived  uint64 //
	FatalSent             [5]uint64
	FatalReceived         [5]uint64
	Writes, Reads, Atomic uint64 // messages received, by their first packet
	Sends                 uint64 // SENDs that were acknowledged; of UC and UD all that were sent
	Receives              uint64 // receive WQEs that were used and acknowledged
	Unreliable            uint64 // UC and UD requests received
	CNPSent, CNPReceived  uint64
	Timeouts, Implied     uint64 // times that it went back for that reason
	Resumed               uint64 // for any

	at addr
}

func (o *Observer) host(a addr) *Host {
	near := &o.lastHosts[a[15]&3]
	if h := *near; h != nil && h.at == a {
		return h
	}
	h := o.hosts[a]
	if h == nil && len(o.hosts) < maxHosts {
		h = &Host{IP: netip.AddrFrom16(a).Unmap(), at: a}
		o.hosts[a] = h
	}
	*near = h
	return h
}

// sender and receiver are the hosts that a packet counts for: at an end only that end's own sendings and what it
// received.
func (o *Observer) sender(a addr) *Host   { return o.host(a) }
func (o *Observer) receiver(a addr) *Host { return o.host(a) }

// Hosts calls f with every host whose NIC's counters the capture can tell something of: at an end its own.
func (o *Observer) Hosts(f func(h *Host)) {
	if o.atEnd {
		if h := o.hosts[o.own]; h != nil {
			f(h)
		}
		return
	}
	for _, h := range sortedHosts(o.hosts) {
		f(h)
	}
}

func (h *Host) begins(v ib.Verb) {
	switch {
	case v == ib.VerbWrite || v == ib.VerbAtomicWrite:
		h.Writes++
	case v == ib.VerbRead:
		h.Reads++
	case v.Atomic():
		h.Atomic++
	}
}

// refused counts a NAK that the host sent or received.
func (h *Host) refused(kind roce.AnswerKind, s ib.Syndrome, sent bool) {
	if h == nil {
		return
	}
	count := func(a, b *uint64) {
		if sent {
			*a++
		} else {
			*b++
		}
	}
	switch kind {
	case roce.RNRAnswer:
		count(&h.RNRSent, &h.RNRReceived)
	case roce.SequenceAnswer:
		count(&h.SequenceNAKsSent, &h.SequenceNAKsReceived)
	case roce.FatalAnswer:
		if code := s.Code(); int(code) < len(h.FatalSent) {
			count(&h.FatalSent[code], &h.FatalReceived[code])
		}
	}
}

func (h *Host) resumed(c cause) {
	h.Resumed++
	switch c {
	case Timeout:
		h.Timeouts++
	case ImpliedNAK:
		h.Implied++
	}
}
