package falcon

import (
	"hcacosim/model/falcon/mode"
	"hcacosim/model/falcon/wire"
)

// Decides FAL-D6, FAL-D8 and FAL-D9.

// ReceiverConfig is what a connection's receiver is set up with.
type ReceiverConfig struct {
	Mode                      *mode.Mode
	RequestBase, DataBase     PSN
	RequestWindow, DataWindow uint8  // PSNs; 0: 64 and 128
	AckCount                  uint16 // packets until an ACK leaves (mode.AckByCount)
	AckTimeoutNs              int64
	RACK                      bool // the other end uses it: FAL-D7
}

// Receiver is the packet delivery of a connection's receiving direction. All times are ns of one clock of the caller.
type Receiver struct {
	cfg     *ReceiverConfig
	w       [windows]RxWindow
	ask     Bitmap // Push Data with AR that waits for the ULP, bit 0 the data base (FAL-D6)
	count   uint16 // halves of packets since the last ACK
	running bool   // the coalescing timer
	dead    bool
	endNs   int64  // of the timer
	t1, t2  uint32 // of the packet that came last
}

// Facts is what the receiver is told about a packet: whether it can be taken.
type Facts struct {
	Refuse wire.NackCode // NackResources, NackXlr; 0: it can
	T2     uint32        // when it came, 131.072 ns
}

// RxResult is what followed from a packet, an acknowledgement or the timer. An Ack or a Nack in it leaves at once.
type RxResult struct {
	Arrival Arrival
	HasAck  bool
	HasNack bool
	Ack     Ack
	Nack    Nack
}

// NewReceiver is a receiver with nothing received.
func NewReceiver(cfg *ReceiverConfig) Receiver {
	or := func(n, most uint8) uint8 {
		if n == 0 {
			return most
		}
		return n
	}
	return Receiver{cfg: cfg, w: [windows]RxWindow{
		NewRxWindow(cfg.RequestBase, or(cfg.RequestWindow, RequestPSNs)), NewRxWindow(cfg.DataBase, or(cfg.DataWindow,
			DataPSNs))}}
}

// Halves of a packet, as coalescing counts them (FAL-D6).
const (
	half  = 1
	whole = 2
)

// Receive takes a reliable packet (FAL-D3). Its bases are not looked at: they are for the transmitter of the other
// direction.
func (r *Receiver) Receive(p *Packet, f Facts, nowNs int64, out *RxResult) {
	out.HasAck, out.HasNack = false, false
	if r.dead {
		out.Arrival = Dead
		return
	}
	w := p.Window()
	h := &r.w[w]
	resync, deferred := p.Kind == Resync, p.Kind == PushData
	a, bit := h.Place(r.cfg.Mode, p.PSN, resync)
	r.t1, r.t2 = p.T1, f.T2
	if a.Taken() && f.Refuse != 0 {
		out.Arrival = Refused
		r.Refuse(w, p.PSN, f.Refuse, 0, 0, out)
		return
	}
	base := h.Base
	if a.Taken() && deferred && p.AR {
		r.ask.Set(bit)
	}
	out.Arrival = h.Receive(r.cfg.Mode, p.PSN, deferred, resync)
	if w == Data {
		r.ask.Shift(h.Base.From(base))
	}
	r.coalesce(a, deferred, p.AR, nowNs, out)
	if a == Beyond && r.cfg.Mode.WindowNack {
		r.Refuse(w, p.PSN, wire.NackPeerWindow, 0, 0, out)
	}
}

// coalesce counts a packet that came (FAL-D6).
func (r *Receiver) coalesce(a Arrival, deferred, ar bool, nowNs int64, out *RxResult) {
	m := r.cfg.Mode
	switch {
	case a.Taken() && deferred:
		r.trigger(half, false, nowNs, out)
	case a.Taken():
		r.trigger(whole, ar, nowNs, out)
	case !m.DiscardedStartsNone || a == Duplicate && ar && m.DuplicateHonoursAR:
		r.trigger(whole, ar && m.DuplicateHonoursAR && a != Beyond, nowNs, out)
	}
}

// Acknowledge takes the ULP's acknowledgement of Push Data (FAL-D4).
func (r *Receiver) Acknowledge(p PSN, nowNs int64, out *RxResult) {
	out.HasAck, out.HasNack = false, false
	if r.dead {
		return
	}
	h := &r.w[Data]
	base := h.Base
	ar := r.ask.Has(p.From(base))
	if !h.Acknowledge(r.cfg.Mode, p) {
		return
	}
	r.ask.Clear(p.From(base))
	r.ask.Shift(h.Base.From(base))
	r.trigger(half, ar, nowNs, out)
}

// trigger counts n halves of a packet; ask has an ACK leave at once (FAL-D6).
func (r *Receiver) trigger(n uint16, ask bool, nowNs int64, out *RxResult) {
	m := r.cfg.Mode
	r.count += n
	waits := m.ARIgnoredWhileOWN && (r.w[Requests].OWN || r.w[Data].OWN)
	switch {
	case ask && !waits, m.AckByCount && r.count >= whole*r.cfg.AckCount:
		r.TakeAck(out)
	case !r.running:
		r.running, r.endNs = true, nowNs+r.cfg.AckTimeoutNs
	}
}

// TakeAck makes an ACK now: when one is called for, or whenever the caller likes.
func (r *Receiver) TakeAck(out *RxResult) {
	r.running, r.count = false, 0
	out.HasAck = true
	out.Ack = Snapshot(&r.w[Requests], &r.w[Data], r.cfg.RACK || r.cfg.Mode.EACKOnAnyRx)
	out.Ack.T1, out.Ack.T2 = r.t1, r.t2
}

// TimerNs is when the coalescing timer ends, and whether it runs.
func (r *Receiver) TimerNs() (int64, bool) { return r.endNs, r.running }

// Expire takes the time: an ACK leaves when the coalescing timer has ended.
func (r *Receiver) Expire(nowNs int64, out *RxResult) {
	out.HasAck, out.HasNack = false, false
	if r.running && nowNs >= r.endNs && !r.dead {
		r.TakeAck(out)
	}
}

// Piggyback puts both bases into a packet that leaves in the other direction (FAL-D8).
func (r *Receiver) Piggyback(p *Packet) {
	p.RequestBase, p.DataBase = r.w[Requests].Base, r.w[Data].Base
	if r.w[Requests].Idle() && r.w[Data].Idle() {
		r.running, r.count = false, 0
	}
}

// Refuse makes the NACK of a packet that the ULP, or the receiver, refuses (FAL-D9). timeoutNs is that of RNR.
func (r *Receiver) Refuse(w Window, p PSN, code wire.NackCode, ulpCode uint8, timeoutNs int64, out *RxResult) {
	if r.dead {
		return
	}
	out.HasNack = true
	out.Nack = Nack{RequestBase: r.w[Requests].Base, DataBase: r.w[Data].Base, Window: w, PSN: p, Code: code,
		ULPCode:      ulpCode,
		RNRTimeoutNs: timeoutNs, T1: r.t1, T2: r.t2}
}

// Kill ends the connection: nothing is taken any more (FAL-D3).
func (r *Receiver) Kill() { r.dead, r.running = true, false }

// Window is what the receiver has of a window.
func (r *Receiver) Window(w Window) RxWindow { return r.w[w] }
