// Package roce holds the transport machines: responder and requester of a queue pair for RC, XRC, UC and UD.
//
// A machine takes requests, responses, work and timer expiries, and appends what follows to a Batch of effects: packets
// to send, memory to touch, completions, timers. It knows no bytes on a wire, no cycles and no clock. Its state is a
// plain struct: copying it is a snapshot, comparing it is ==, and no step allocates. Where real devices differ a
// Profile decides.
//
// What a packet is as bytes is model/wire's, and roce/onwire stands between. When things happen is model/hca's. The
// same machines judge a device: see Follower.
package roce

import (
	"hcacosim/model/ib"
	"hcacosim/model/psn"
)

// QPState is the state of a queue pair (RSP-15).
type QPState uint8

const (
	Reset QPState = iota
	Init          // ePSN, queues and permissions are set here; nothing is answered
	RTR           // ready to receive: the responder answers, the requester waits
	RTS           // ready to send
	SQD           // the send queue is being drained: no new WQE begins; the responder as in RTS
	SQE           // UC and UD, the send queue is in error: nothing is sent; the responder as in RTS
	Error         // nothing is answered; what is posted is flushed
)

func (s QPState) String() string {
	return [...]string{"RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR"}[s]
}

// Verb is what a message does.
type Verb = ib.Verb

// The verbs.
const (
	NoVerb          = ib.NoVerb
	Send            = ib.VerbSend
	Write           = ib.VerbWrite
	Read            = ib.VerbRead
	CmpSwap         = ib.VerbCmpSwap
	FetchAdd        = ib.VerbFetchAdd
	AtomicWrite     = ib.VerbAtomicWrite
	Flush           = ib.VerbFlush
	Bind            = ib.VerbBind
	LocalInvalidate = ib.VerbLocalInvalidate
)

// Packet is a transport packet without its bytes: headers, and how long the payload is.
type Packet struct {
	Op     ib.Opcode
	PSN    psn.PSN
	AckReq bool
	SE     bool
	Pad    uint8
	FETH   uint8  // of a FLUSH: SEL in bits 5-4, PLT in bits 3-0
	Len    uint32 // payload bytes without pad

	VA      uint64 // RETH or AtomicETH
	RKey    uint32 // RETH, AtomicETH, or the key that IETH invalidates
	DMALen  uint32 // RETH
	SwapAdd uint64 // AtomicETH
	Compare uint64 // AtomicETH
	Imm     uint32 // ImmDt

	Syndrome ib.Syndrome // AETH
	MSN      uint32      // AETH
	Original uint64      // AtomicAckETH

	QKey, SrcQP uint32 // DETH
	XRCSRQ      uint32 // XRCETH: the shared receive queue of a request that takes a receive WQE
}

// wholeRegion tells that a FLUSH is for all that its key opens, whatever address and length say: SEL 1 (our reading).
func (p *Packet) wholeRegion() bool { return p.FETH>>4&3 == 1 }

// operation is the opcode without its transport.
func operation(op ib.Opcode) ib.Operation { return ib.Operation(op & 0x1F) }

// reliable reports whether a service acknowledges: RC, and XRC, which is RC with an XRCETH on its requests.
func reliable(t ib.Transport) bool { return t == ib.RC || t == ib.XRC }

// Width is how far one PSN lies from the next. Zero stands for 1. With 1 << (24 - w) the 24-bit arithmetic of package
// psn becomes that of w bits, windows and wrap included, which is small enough to explore to the end.
type Width uint32

func (w Width) unit() uint32 { return max(1, uint32(w)) }

// WidthOf is the Width of PSNs of the given number of bits.
func WidthOf(bits int) Width { return Width(1 << (psn.Bits - bits)) }

// Add returns p advanced by n packets.
func (w Width) Add(p psn.PSN, n uint32) psn.PSN { return psn.New(uint32(p) + n*w.unit()) }

// Prev returns the PSN before p.
func (w Width) Prev(p psn.PSN) psn.PSN { return psn.New(uint32(p) - w.unit()) }

// Between counts the packets from q forward to p.
func (w Width) Between(p, q psn.PSN) uint32 { return uint32(psn.New(uint32(p)-uint32(q))) / w.unit() }

// half is the most packets that may be outstanding (PSN-5).
func (w Width) half() uint32 { return psn.Half / w.unit() }
