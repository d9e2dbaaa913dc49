package falcon

import "hcacosim/model/falcon/mode"

// Decides FAL-D2, FAL-D3, FAL-D4, FAL-D5 and FAL-D7.

// RxWindow is a window at the receiver. The receiver's machine holds two, the block falcon_window two for each
// connection. Its methods decide and change nothing else.
type RxWindow struct {
	Base PSN
	Rx   Bitmap // received
	Ack  Bitmap // acknowledged; of requests the same as Rx
	OWN  bool   // a packet beyond the window was dropped and no EACK has said so yet
	Size uint8  // PSNs: 64 or 128, fewer in small worlds
}

// Arrival is what becomes of a packet that reached its window. The numbers are those of docs/blocks/falcon_window.md.
type Arrival uint8

const (
	Received  Arrival = 0 // goes to the transaction sublayer
	Again     Arrival = 1 // was received and waits for the ULP: goes there once more
	Old       Arrival = 2 // PSN before the base
	Duplicate Arrival = 3
	Beyond    Arrival = 4 // of the window
	Refused   Arrival = 5 // the receiver cannot take it
	Dead      Arrival = 6 // connection
)

// Taken reports whether the packet goes to the transaction sublayer.
func (a Arrival) Taken() bool { return a <= Again }

// NewRxWindow is a window with nothing received.
func NewRxWindow(base PSN, size uint8) RxWindow { return RxWindow{Base: base, Size: size} }

// Place says what a packet would be, and where its bit is (FAL-D3). It changes nothing.
func (w *RxWindow) Place(m *mode.Mode, p PSN, resync bool) (a Arrival, bit uint32) {
	bit = p.From(w.Base)
	switch {
	case p.Before(w.Base):
		return Old, 0
	case bit >= uint32(w.Size):
		return Beyond, bit
	case w.Ack.Has(bit) || m.DuplicateByRx && !resync && w.Rx.Has(bit):
		return Duplicate, bit
	case w.Rx.Has(bit):
		return Again, bit
	}
	return Received, bit
}

// Receive takes a packet (FAL-D3). deferred is Push Data, which the ULP acknowledges; all others are acknowledged now
// (FAL-D4).
func (w *RxWindow) Receive(m *mode.Mode, p PSN, deferred, resync bool) Arrival {
	a, bit := w.Place(m, p, resync)
	switch {
	case a == Beyond && !(m.WindowInclusive && bit == uint32(w.Size)):
		w.OWN = true // FAL-D5
	case a.Taken():
		w.Rx.Set(bit)
		if !deferred {
			w.Ack.Set(bit)
		}
		w.advance(m)
	}
	return a
}

// Acknowledge takes the ULP's acknowledgement of a PSN and reports whether it was waited for (FAL-D4).
func (w *RxWindow) Acknowledge(m *mode.Mode, p PSN) bool {
	bit := p.From(w.Base)
	if bit >= uint32(w.Size) || !w.Rx.Has(bit) || w.Ack.Has(bit) {
		return false
	}
	w.Ack.Set(bit)
	w.advance(m)
	return true
}

// advance moves the base over what is acknowledged (FAL-D2).
func (w *RxWindow) advance(m *mode.Mode) {
	done := w.Ack
	if m.BaseOverReceived {
		done = w.Rx
	}
	n := done.FirstZero()
	w.Base = w.Base.Add(n)
	w.Rx.Shift(n)
	w.Ack.Shift(n)
}

// Idle reports whether an ACK would have nothing to say but the base (FAL-D8).
func (w *RxWindow) Idle() bool { return !w.Rx.Any() && !w.Ack.Any() && !w.OWN }

// NeedsEACK reports whether an ACK has to be an EACK for this window (FAL-D7).
func (w *RxWindow) NeedsEACK(anyRx bool) bool {
	return w.Ack.Any() || w.OWN || w.Rx.Hole() || anyRx && w.Rx.Any()
}

// Snapshot makes the ACK that two windows call for, and clears the OWNs that it carries (FAL-D5, FAL-D7).
func Snapshot(request, data *RxWindow, anyRx bool) (a Ack) {
	a.RequestBase, a.DataBase = request.Base, data.Base
	if !request.NeedsEACK(false) && !data.NeedsEACK(anyRx) {
		return a
	}
	a.EACK = true
	a.Request, a.DataAck, a.DataRx = request.Ack, data.Ack, data.Rx
	a.RequestOWN, a.DataOWN = request.OWN, data.OWN
	request.OWN, data.OWN = false, false
	return a
}
