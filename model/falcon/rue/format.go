// Package rue holds the interface of the rate update engine: the events that packet delivery puts into its queue, the
// results that come back, both bit for bit, and which events a full queue leaves out. What a result says is worked out
// by package swift. Times are in units of 131.072 ns, 24 bits, modulo 2^24.
package rue

// Decides FAL-C1, FAL-C2.

// EventType is what happened, 2 bits.
type EventType uint8

const (
	Ack        EventType = 0
	Nack       EventType = 1
	Retransmit EventType = 2
)

// DelaySelect is which delay a connection is controlled by, 2 bits (FAL-C3).
type DelaySelect uint8

const (
	Full    DelaySelect = 0 // t4 - t1
	Fabric  DelaySelect = 1 // (t4 - t1) - (t3 - t2)
	Forward DelaySelect = 2 // t2 - t1: clocks are synchronized
	Reverse DelaySelect = 3 // t4 - t3: likewise
)

// Fixed is a congestion window of the fabric: 11 bits of packets, 10 of fraction. 1024 is one packet.
type Fixed uint32

// Decrease and Increase are the values of NcwndDirection.
const (
	Decrease = 0
	Increase = 1
)

// FormatBytes is the length of an event and of a result.
const FormatBytes = 64

// Event is one entry of the event queue (FAL-C1). Values wider than their field are cut to it when it is packed.
type Event struct {
	CID            uint32 // 24 bits
	Type           EventType
	T1, T2, T3, T4 uint32
	RetxCount      uint8 // 3 bits: how often the packet was sent again
	EarlyRetx      bool  // retransmit reason: early, not a timeout
	NackCode       uint8
	Hops           uint8  // 4 bits
	RxBuffer       uint8  // 5 bits: quantized buffer level
	CCMetadata     uint32 // 24 bits; the peer has the OWN flags of an EACK in the lower two
	Fcwnd          Fixed
	IPG            uint32 // 20 bits
	Ncwnd          uint16 // 11 bits
	RTO            uint32
	NumAcked       uint16 // 10 bits, saturated
	EACKDrop       bool
	EACK           bool
	EventQueue     uint8 // 2 bits
	DelaySelect    DelaySelect
	FcwndMarker    uint32
	NcwndMarker    uint32
	NcwndDirection uint8 // Decrease or Increase
	BaseDelay      uint32
	DelayState     uint32
	RTTState       uint32
	CCOpaque       uint8  // 2 bits
	ECNCount       uint16 // 14 bits
	Generation     bool
}

// Result is one entry of the result queue (FAL-C2).
type Result struct {
	CID            uint32
	RandomizePath  bool
	CCMetadata     uint32
	Fcwnd          Fixed
	IPG            uint32
	Ncwnd          uint16
	RTO            uint32
	EventQueue     uint8
	DelaySelect    DelaySelect
	FcwndMarker    uint32
	NcwndMarker    uint32
	NcwndDirection uint8
	BaseDelay      uint32
	DelayState     uint32
	RTTState       uint32
	CCOpaque       uint8
}

// Packets is the window as a number of packets.
func (f Fixed) Packets() float64 { return float64(f) / 1024 }
