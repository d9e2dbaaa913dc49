package falcon

import (
	"hcacosim/model/falcon/mode"
	"hcacosim/model/falcon/wire"
)

// Decides FAL-D10, FAL-D12, FAL-D13 and FAL-D14.

// CwndOne is a congestion window of one packet: fcwnd has 10 bits behind the point.
const CwndOne = 1 << 10

// GapNs is a unit of the gap between packets (FAL-D14).
const GapNs = 512

// Probe says which packet a tail loss probe sends again (FAL-D19).
type Probe uint8

const (
	NoProbe Probe = iota
	FirstUnreceived
	LastUnreceived
)

// TransmitterConfig is what a connection's transmitter is set up with.
type TransmitterConfig struct {
	Mode                      *mode.Mode
	RequestBase, DataBase     PSN
	RequestWindow, DataWindow uint8 // PSNs; 0: 64 and 128, the most
	Fcwnd                     uint32
	Ncwnd                     uint16 // packets
	OOOThreshold              uint8  // out-of-order distance, PSNs
	MaxRetransmits            uint8
	AckReqFcwnd               uint32 // AR in every packet at or below this fcwnd
	AckReqPercent             uint8
	RTONs, ULPTimeoutNs       int64

	RACK         bool
	RACKWindowNs int64 // the least reordering window
	TLP          Probe
	TLPPerWindow bool
	AckTimeoutNs int64 // of the other end's coalescing, for the probe
}

// txEntry is a packet that waits for its acknowledgement.
type txEntry struct {
	sentNs, endNs int64 // when it left last, when its timer ends
	rsn           uint32
	kind, of      Kind
	code          wire.ResyncCode
	retries       uint8
	rnr           bool // its timer is that of an RNR NACK
	early         bool // it is due by early retransmission
}

// txHalf is what a transmitter keeps of a window.
type txHalf struct {
	TxWindow
	due, again      Bitmap // to be sent again; counted in retransmitted. Bit 0 is the base
	ring            []txEntry
	requests        uint16 // RORC, DORC (FAL-D12)
	retransmitted   uint16 // RORRC, DORRC
	paused          bool   // first transmissions wait (FAL-D17)
	bypassed        bool   // the bypass of this RTO period is used up
	bypassEndNs     int64
	scanEnd, lowest PSN // where the last EACK-OWN scan ended and began
	scanned         bool
	eackBase        PSN // highest of an EACK (FAL-D18)
}

// Transmitter is the packet delivery of a connection's sending direction. All times are ns of one clock of the caller.
type Transmitter struct {
	cfg          *TransmitterConfig
	w            [windows]txHalf
	fcwnd        uint32
	ncwnd        uint16
	arPercent    uint8
	dead         bool
	rttKnown     bool
	rack         rack
	probed       bool  // since the last ACK
	probeNs      int64 // when a probe is due; never where there is none
	gapNs, rtoNs int64
	nextNs       int64 // nothing leaves before
	rttNs        int64 // smoothed
	firstEndNs   int64 // no timer ends before
}

const never = int64(1)<<62 - 1

// NewTransmitter is a transmitter with nothing sent. It is the only one that allocates.
func NewTransmitter(cfg *TransmitterConfig) *Transmitter {
	t := &Transmitter{cfg: cfg, fcwnd: cfg.Fcwnd, ncwnd: cfg.Ncwnd, rtoNs: cfg.RTONs, firstEndNs: never, probeNs: never}
	t.w[Requests] = newTxHalf(cfg.RequestBase, cfg.RequestWindow, RequestPSNs)
	t.w[Data] = newTxHalf(cfg.DataBase, cfg.DataWindow, DataPSNs)
	return t
}

func newTxHalf(base PSN, size, most uint8) txHalf {
	if size == 0 {
		size = most
	}
	places := 1
	for places < int(size) {
		places *= 2
	}
	return txHalf{TxWindow: NewTxWindow(base, size), ring: make([]txEntry, places), eackBase: base}
}

// at is the entry of a PSN.
func (h *txHalf) at(p PSN) *txEntry { return &h.ring[uint32(p)&uint32(len(h.ring)-1)] }

// Sent is a packet that leaves.
type Sent struct {
	Packet
	Retransmission bool
	Early          bool  // sent again by an EACK, a Resync or a probe; else by a timer
	Retries        uint8 // timeouts so far
}

// Send gives a packet its PSN and lets it leave for the first time, unless a gate holds it (FAL-D10, FAL-D11).
func (t *Transmitter) Send(kind Kind, rsn uint32, nowNs int64) (s Sent, g Gate) {
	h := &t.w[kind.Window()]
	if g = t.MaySend(kind, nowNs); g != Open {
		return s, g
	}
	p := h.Next
	h.Next = p.Add(1)
	if kind.Request() {
		h.requests++
	}
	e := h.at(p)
	*e = txEntry{rsn: rsn, kind: kind, of: kind}
	return Sent{Packet: t.leave(e, p, nowNs)}, Open
}

// Resend lets the next packet leave that is due to be sent again, in RSN order (FAL-D10), unless a gate holds it. It
// says Nothing where none is due.
func (t *Transmitter) Resend(nowNs int64) (s Sent, g Gate) {
	first, second := Requests, Data
	switch {
	case !t.w[Requests].due.Any() && !t.w[Data].due.Any():
		return s, Nothing
	case !t.w[Requests].due.Any() || t.w[Data].due.Any() && int32(t.nextDue(Data).rsn-t.nextDue(Requests).rsn) < 0:
		first, second = Data, Requests
	}
	s, g = t.resend(first, nowNs)
	if g != Open && t.w[second].due.Any() {
		return t.resend(second, nowNs)
	}
	return s, g
}

func (t *Transmitter) nextDue(w Window) *txEntry {
	h := &t.w[w]
	return h.at(h.Base.Add(h.due.First()))
}

func (t *Transmitter) resend(w Window, nowNs int64) (s Sent, g Gate) {
	h := &t.w[w]
	bit := h.due.First()
	e := t.nextDue(w)
	if g = t.mayResend(h, bit, e.of, nowNs); g != Open {
		return s, g
	}
	h.due.Clear(bit)
	if e.of.Request() {
		h.retransmitted++
		h.again.Set(bit)
	}
	s.Retransmission, s.Early, s.Retries = true, e.early, e.retries
	e.early, e.rnr = false, false
	s.Packet = t.leave(e, h.Base.Add(bit), nowNs)
	return s, Open
}

// leave starts the timer of a packet and makes what goes out.
func (t *Transmitter) leave(e *txEntry, p PSN, nowNs int64) Packet {
	e.sentNs, e.endNs = nowNs, nowNs+t.rtoNs
	t.firstEndNs = min(t.firstEndNs, e.endNs)
	t.nextNs = nowNs + t.gapNs
	t.armProbe(nowNs)
	return Packet{Kind: e.kind, Of: e.of, Code: e.code, AR: t.askForAck(), PSN: p, RSN: e.rsn}
}

// askForAck says whether a packet has AR (FAL-D13).
func (t *Transmitter) askForAck() bool {
	if t.fcwnd <= t.cfg.AckReqFcwnd {
		return true
	}
	t.arPercent += t.cfg.AckReqPercent
	if t.arPercent < 100 {
		return false
	}
	t.arPercent -= 100
	return true
}

// makeDue lets a packet wait to be sent again (FAL-D12).
func (h *txHalf) makeDue(bit uint32, early bool) {
	h.due.Set(bit)
	h.at(h.Base.Add(bit)).early = early
	if h.again.Has(bit) {
		h.again.Clear(bit)
		h.retransmitted--
	}
}

// free forgets packets that are acknowledged; bit 0 of freed is the base (FAL-D12).
func (h *txHalf) free(freed Bitmap) {
	h.retransmitted -= uint16(freed.And(h.again).Count())
	h.again = h.again.Without(freed)
	h.due = h.due.Without(freed)
	for left := freed; left.Any(); {
		bit := left.First()
		left.Clear(bit)
		if h.at(h.Base.Add(bit)).of.Request() {
			h.requests--
		}
	}
}

// Apply takes the result of congestion control (FAL-D23): fcwnd of 10 bits behind the point, ncwnd in packets, the gap
// in units of GapNs, RTO in ns.
func (t *Transmitter) Apply(fcwnd uint32, ncwnd uint16, gap uint32, rtoNs int64) {
	t.fcwnd, t.ncwnd, t.gapNs, t.rtoNs = fcwnd, ncwnd, int64(gap)*GapNs, rtoNs
}

// Window is what a transmitter knows of a window.
func (t *Transmitter) Window(w Window) TxWindow { return t.w[w].TxWindow }

// Due is what waits to be sent again, bit 0 the base.
func (t *Transmitter) Due(w Window) Bitmap { return t.w[w].due }

// Requests are the outstanding requests of a window, and those of them that were sent again (FAL-D12).
func (t *Transmitter) Requests(w Window) (outstanding, retransmitted uint16) {
	return t.w[w].requests, t.w[w].retransmitted
}

// RSN is that of an outstanding PSN, or of one that was freed last.
func (t *Transmitter) RSN(w Window, p PSN) uint32 { return t.w[w].at(p).rsn }

// Dead reports whether the connection ended with a fatal error (FAL-D20).
func (t *Transmitter) Dead() bool { return t.dead }
