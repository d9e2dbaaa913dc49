package falcon

import "hcacosim/model/falcon/wire"

// Decides FAL-D1.

// PSN is a packet sequence number: 32 bits, counted modulo 2^32 (FAL-D1).
type PSN uint32

// Add is p + n modulo 2^32.
func (p PSN) Add(n uint32) PSN { return p + PSN(n) }

// From is how far p lies ahead of q, modulo 2^32.
func (p PSN) From(q PSN) uint32 { return uint32(p - q) }

// Before reports whether p lies before q, by their signed difference: FFFFFFFFh is before 0 (FAL-D1).
func (p PSN) Before(q PSN) bool { return int32(p-q) < 0 }

// Window is one of the two windows of a direction.
type Window uint8

const (
	Requests Window = iota // Pull Request
	Data                   // Push Data and Pull Data
	windows
)

// Sizes of a receiver's windows in PSNs (FAL-D1).
const (
	RequestPSNs = 64
	DataPSNs    = 128
)

// String is what messages call a window.
func (w Window) String() string { return [...]string{"request window", "data window"}[w&1] }

// Kind is what a reliable packet carries. The numbers are the packet types of the wire.
type Kind wire.Type

const (
	PullRequest = Kind(wire.PullRequest)
	PullData    = Kind(wire.PullData)
	PushData    = Kind(wire.PushData)
	Resync      = Kind(wire.Resync)
)

// Window is the one that a kind belongs to; a Resync belongs to that of the packet whose place it takes.
func (k Kind) Window() Window {
	if k == PullRequest {
		return Requests
	}
	return Data
}

// Request reports whether a kind begins a transaction: those are limited by ncwnd (FAL-D11).
func (k Kind) Request() bool { return k == PullRequest || k == PushData }

// Packet is a reliable packet on its way, as far as its delivery goes.
type Packet struct {
	Kind Kind
	// Of is the type of the packet whose place a Resync takes; of others their own.
	Of   Kind
	Code wire.ResyncCode // of a Resync
	AR   bool            // asks for an ACK
	PSN  PSN
	RSN  uint32
	// Bases of the receiver at the end that sends it (FAL-D8).
	RequestBase, DataBase PSN
	T1                    uint32 // when it left, 131.072 ns; taken in hardware
}

// Window is the one that the packet belongs to.
func (p *Packet) Window() Window { return p.Of.Window() }

// resyncFor is the code of the Resync that follows from a NACK, 0 where none does (FAL-D22).
func resyncFor(c wire.NackCode) wire.ResyncCode {
	switch c {
	case wire.NackXlr:
		return wire.ResyncRemoteXlr
	case wire.NackCIE:
		return wire.ResyncCIE
	case wire.NackNRE:
		return wire.ResyncNRE
	case wire.NackInvalidCID:
		return wire.ResyncInvalidCID
	}
	return 0
}

// Ack is what a BACK or an EACK says. Of a BACK bitmaps and OWNs are zero.
type Ack struct {
	EACK                  bool
	RequestBase, DataBase PSN
	RequestOWN, DataOWN   bool
	Request               Bitmap // received and acknowledged, bit 0 the request base
	DataAck, DataRx       Bitmap // bit 0 the data base
	T1, T2                uint32 // of the packet that came last, 131.072 ns
}

// Nack is what a NACK says.
type Nack struct {
	RequestBase, DataBase PSN
	Window                Window
	PSN                   PSN
	Code                  wire.NackCode
	ULPCode               uint8
	RNRTimeoutNs          int64 // of RNR
	T1, T2                uint32
}
