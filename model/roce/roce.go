// Package roce holds the transport machines: responder and requester of a queue pair for RC, XRC, UC and UD.
//
// A machine takes requests, responses, work and timer expiries, and appends what follows to a Batch of effects: packets to
// send, memory to touch, completions, timers. It knows no bytes on a wire, no cycles and no clock. Its state is a plain
// struct: copying it is a snapshot, comparing it is ==, and no step allocates. Where real devices differ a Profile decides.
//
// What a packet is as bytes is model/wire's, and roce/onwire stands between. When things happen is model/hca's. The
// same machines judge a device: see Follower.
package roce

import (
	"hcacosim/model/ib"
	"hcacosim/model/psn"
)

// Rule is the ID of a rule in docs/rules.md.
type Rule string

// QPState is the state of a queue pair (RSP-15).
type QPState uint8

const (
	Reset QPState = iota
	Init          // ePSN, queues and permissions are set here; nothing is answered
	RTR           // ready to receive: the responder answers, the requester waits
	RTS           // ready to send
	Error         // nothing is answered; what is posted is flushed
)

func (s QPState) String() string { return [...]string{"RESET", "INIT", "RTR", "RTS", "ERR"}[s] }

// Verb is what a message does.
type Verb uint8

const (
	NoVerb Verb = iota
	Send
	Write
	Read
	CmpSwap
	FetchAdd
	AtomicWrite
	Flush
	Bind            // a memory window: local, nothing is sent
	LocalInvalidate // the key of a memory window: local, nothing is sent
)

func (v Verb) String() string {
	return [...]string{"none", "SEND", "WRITE", "READ", "CMP&SWAP", "FETCH&ADD", "ATOMIC WRITE", "FLUSH",
		"bind", "local invalidate"}[v]
}

// Atomic tells that the verb is one of the atomics that return a value.
func (v Verb) Atomic() bool { return v == CmpSwap || v == FetchAdd }

// Replayed tells that the responder keeps the request for a replay: READ, atomics, and what is answered like a READ (OPC-3).
func (v Verb) Replayed() bool { return Read <= v && v <= Flush }

// Local tells that the work is done at home, in its turn, and no packet tells of it.
func (v Verb) Local() bool { return v >= Bind }

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

// shape is what an opcode says about its place in a message.
type shape struct {
	verb        Verb
	first, last bool // Only is both
	imm, inv    bool
	request     bool
}

// shapes is indexed by operation. RESYNC is not known to the machines: its verb is NoVerb.
var shapes = [32]shape{
	ib.SendFirst:    {Send, true, false, false, false, true},
	ib.SendMiddle:   {Send, false, false, false, false, true},
	ib.SendLast:     {Send, false, true, false, false, true},
	ib.SendLastImm:  {Send, false, true, true, false, true},
	ib.SendLastInv:  {Send, false, true, false, true, true},
	ib.SendOnly:     {Send, true, true, false, false, true},
	ib.SendOnlyImm:  {Send, true, true, true, false, true},
	ib.SendOnlyInv:  {Send, true, true, false, true, true},
	ib.WriteFirst:   {Write, true, false, false, false, true},
	ib.WriteMiddle:  {Write, false, false, false, false, true},
	ib.WriteLast:    {Write, false, true, false, false, true},
	ib.WriteLastImm: {Write, false, true, true, false, true},
	ib.WriteOnly:    {Write, true, true, false, false, true},
	ib.WriteOnlyImm: {Write, true, true, true, false, true},
	ib.ReadRequest:  {Read, true, true, false, false, true},
	ib.CmpSwap:      {CmpSwap, true, true, false, false, true},
	ib.FetchAdd:     {FetchAdd, true, true, false, false, true},
	ib.AtomicWrite:  {AtomicWrite, true, true, false, false, true},
	ib.Flush:        {Flush, true, true, false, false, true},

	ib.ReadResponseFirst: {verb: Read, first: true},
	ib.ReadResponseMid:   {verb: Read},
	ib.ReadResponseLast:  {verb: Read, last: true},
	ib.ReadResponseOnly:  {verb: Read, first: true, last: true},
	ib.Ack:               {},
	ib.AtomicAck:         {verb: FetchAdd},
}

// operation is the opcode without its transport.
func operation(op ib.Opcode) ib.Operation { return ib.Operation(op & 0x1F) }

func shapeOf(op ib.Opcode) *shape { return &shapes[op&0x1F] }

// reliable tells that a service acknowledges: RC, and XRC, which is RC with an XRCETH on its requests.
func reliable(t ib.Transport) bool { return t == ib.RC || t == ib.XRC }

// needsReceive tells that a packet takes or uses a receive WQE: any SEND, the last of a WRITE with immediate.
func (s *shape) needsReceive() bool { return s.verb == Send || s.verb == Write && s.imm }

// Width is how far one PSN lies from the next. Zero stands for 1. With 1 << (24 - w) the 24-bit arithmetic of package psn
// becomes that of w bits, windows and wrap included, which is small enough to explore to the end.
type Width uint32

func (w Width) unit() uint32 { return max(1, uint32(w)) }

// WidthOf is the Width of PSNs of the given number of bits.
func WidthOf(bits int) Width { return Width(1 << (psn.Bits - bits)) }

// add returns p advanced by n packets.
func (w Width) add(p psn.PSN, n uint32) psn.PSN { return psn.New(uint32(p) + n*w.unit()) }

// prev returns the PSN before p.
func (w Width) prev(p psn.PSN) psn.PSN { return psn.New(uint32(p) - w.unit()) }

// between counts the packets from q forward to p.
func (w Width) between(p, q psn.PSN) uint32 { return uint32(psn.New(uint32(p)-uint32(q))) / w.unit() }

// half is the most packets that may be outstanding (PSN-5).
func (w Width) half() uint32 { return psn.Half / w.unit() }
