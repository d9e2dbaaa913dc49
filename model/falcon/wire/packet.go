// Package wire builds and takes apart Falcon packets: what lies between the PSP header (or a link in clear) and the PSP
// trailer. Words are 32 bits, big-endian; bit 0 is a word's most significant one, as the specification draws it.
//
// A Packet is filled in and appended, or parsed; neither allocates. Names and places of fields are those of FAL-W1 and
// FAL-W3 to FAL-W7 in docs/rules.md.
package wire

// Version is the version of the protocol that this package knows.
const Version = 1

const (
	// BaseBytes is the base header's length: the least any packet has.
	BaseBytes = 24
	// RequestWindow and DataWindow are the receiver's windows in PSNs, and the bits of their bitmaps.
	RequestWindow = 64
	DataWindow    = 128
	// TimestampPs is the unit of t1 and t2 in an ACK or NACK in ps: 131.072 ns.
	TimestampPs = 131_072
)

// PSN is a packet sequence number, RSN a request sequence number: 32 bits, modulo 2^32. Compare by signed difference.
type (
	PSN uint32
	RSN uint32
)

// Diff is p - q as a signed number: p is d ahead of q.
func (p PSN) Diff(q PSN) int32 { return int32(p - q) }

// Diff is r - q as a signed number.
func (r RSN) Diff(q RSN) int32 { return int32(r - q) }

// Bitmap is 128 bits; bit n stands for base + n. A request bitmap uses the lower 64.
type Bitmap struct{ Hi, Lo uint64 }

// Bit reports whether bit n, 0 to 127, is set.
func (b Bitmap) Bit(n int) bool {
	if n >= 64 {
		return b.Hi>>(n-64)&1 != 0
	}
	return b.Lo>>n&1 != 0
}

// IsZero reports whether no bit is set.
func (b Bitmap) IsZero() bool { return b.Hi|b.Lo == 0 }

// Packet is everything that a packet of any type says; fields that its type does not have are 0. Values wider than
// their field are cut to it when the packet is built.
type Packet struct {
	Version uint8  // 4 bits; Version
	CID     uint32 // destination connection, 24 bits
	Type    Type

	// Base header: Pull Request, Pull Data, Push Data, Resync.
	Function uint32 // destination function, 24 bits
	Protocol Protocol
	AckReq   bool
	PSN      PSN
	RSN      RSN

	// Every type: the receiver's window bases of the sender of this packet.
	DataBase    PSN
	RequestBase PSN

	RequestLength uint16 // Pull Request, Push Data: bytes

	// Resync.
	ResyncCode ResyncCode
	ResyncType Type // of the packet whose place it takes
	Vendor     uint32

	// BACK, EACK, NACK.
	T1, T2      uint32 // units of TimestampPs
	HopCount    uint8  // 4 bits
	RxOccupancy uint8  // quantized buffer level, 5 bits
	ECNCount    uint16 // 14 bits
	RUEInfo     uint32 // 21 to 24 bits, see mode.RUEInfo

	// BACK, EACK.
	OWNRequest, OWNData bool // a packet beyond the window was dropped

	// EACK.
	DataAck Bitmap // acknowledged by the receiver
	DataRx  Bitmap // received
	Request uint64 // received in the request window

	// NACK.
	NackPSN       PSN
	NackCode      NackCode
	RNRTimeout    uint8 // code of 5 bits, see RNRTimeoutNs
	NackOfRequest bool  // W: NackPSN is in the request window
	ULPNack       uint8 // the ULP's own code

	// Payload is what follows the header: a view of the parsed bytes. For Append it is appended.
	Payload []byte
	// Flaws are what Parse found that a sender must not do, though the packet can be read.
	Flaws Flaws
}
