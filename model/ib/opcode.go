// Package ib holds the tables of the InfiniBand transport: opcodes and what follows them, syndromes, NAK codes,
// credits, timer codes. Nothing here knows bytes on a wire (model/wire) or state (model/roce).
package ib

// Decides OPC-1, OPC-2 and LEN-1.

// Opcode is byte 0 of the BTH: transport in bits 7-5, operation in bits 4-0, and the CNP by itself.
type Opcode uint8

// OpcodeCNP is the congestion notification packet.
const OpcodeCNP Opcode = 0x81

// Transport is the transport base of an opcode.
type Transport uint8

const (
	RC  Transport = 0x00
	UC  Transport = 0x20
	RD  Transport = 0x40
	UD  Transport = 0x60
	CNP Transport = 0x80 // one opcode, 81h
	XRC Transport = 0xA0
)

// Operation is what an opcode asks for, apart from its transport.
type Operation uint8

const (
	SendFirst         Operation = 0x00
	SendMiddle        Operation = 0x01
	SendLast          Operation = 0x02
	SendLastImm       Operation = 0x03
	SendOnly          Operation = 0x04
	SendOnlyImm       Operation = 0x05
	WriteFirst        Operation = 0x06
	WriteMiddle       Operation = 0x07
	WriteLast         Operation = 0x08
	WriteLastImm      Operation = 0x09
	WriteOnly         Operation = 0x0A
	WriteOnlyImm      Operation = 0x0B
	ReadRequest       Operation = 0x0C
	ReadResponseFirst Operation = 0x0D
	ReadResponseMid   Operation = 0x0E
	ReadResponseLast  Operation = 0x0F
	ReadResponseOnly  Operation = 0x10
	Ack               Operation = 0x11
	AtomicAck         Operation = 0x12
	CmpSwap           Operation = 0x13
	FetchAdd          Operation = 0x14
	Resync            Operation = 0x15
	SendLastInv       Operation = 0x16
	SendOnlyInv       Operation = 0x17
	Flush             Operation = 0x1C
	AtomicWrite       Operation = 0x1D
	Congestion        Operation = 0x20 // the CNP: outside the five bits, so that it is no SEND Middle
)

// Join makes the opcode of an operation on a transport; whether it is valid, Lookup says.
func Join(t Transport, o Operation) Opcode {
	if o == Congestion {
		return OpcodeCNP
	}
	return Opcode(t) | Opcode(o)
}

// Length says which payloads an opcode may carry (LEN-1), pad not counted.
type Length uint8

const (
	NoPayload    Length = iota
	WholePMTU           // exactly PMTU: First and Middle
	SomePMTU            // 1..PMTU: Last
	AnyPMTU             // 0..PMTU: Only
	EightBytes          // ATOMIC WRITE
	SixteenBytes        // CNP
)

func (l Length) String() string {
	return [...]string{"none", "PMTU", "1..PMTU", "0..PMTU", "8", "16"}[l]
}

// Allows reports whether a payload of n bytes is legal under a path MTU.
func (l Length) Allows(n, pmtuBytes int) bool {
	switch l {
	case WholePMTU:
		return n == pmtuBytes
	case SomePMTU:
		return 1 <= n && n <= pmtuBytes
	case AnyPMTU:
		return 0 <= n && n <= pmtuBytes
	case EightBytes:
		return n == 8
	case SixteenBytes:
		return n == 16
	default:
		return n == 0
	}
}

// AllowsSome reports whether a payload of n bytes is legal under at least one path MTU.
func (l Length) AllowsSome(n int) bool {
	if l == WholePMTU {
		return ValidPMTU(n)
	}
	return l.Allows(n, MaxPMTU)
}

// MinPMTU and MaxPMTU are the ends of the list of path MTUs, in bytes (LEN-1).
const (
	MinPMTU = 256
	MaxPMTU = 4096
)

// CNPBytes is how many bytes, all zero, follow the BTH of a CNP (CNP-3).
const CNPBytes = 16

// MaxMessage is the most bytes of a message (LEN-1).
const MaxMessage = 1 << 31

// ValidPMTU reports whether n is one of the five path MTUs (LEN-1).
func ValidPMTU(n int) bool { return MinPMTU <= n && n <= MaxPMTU && n&(n-1) == 0 }

// Info is the entry of an opcode in the table.
type Info struct {
	Name      string // "RC SEND First"
	Opcode    Opcode
	Transport Transport
	Operation Operation
	Response  bool // goes from responder to requester
	Length    Length
	Headers   Headers // what follows the BTH
	Bytes     int     // BTH and Headers

	offset [numHeaders]uint8
}

// Offset returns where a header starts, counted from the BTH, or 0 when the opcode does not have it.
func (i *Info) Offset(h Header) int { return int(i.offset[h]) }

// HasPayload reports whether packets of the opcode may carry a payload at all (OPC-2).
func (i *Info) HasPayload() bool { return i.Length != NoPayload }

// Lookup returns the entry of an opcode, nil for an unknown one (OPC-1).
func Lookup(op Opcode) *Info {
	if i := &table[op]; i.Name != "" {
		return i
	}
	return nil
}

// operations is the table of opcodes: per operation the transports that have it (OPC-1), the headers that it brings
// itself (OPC-2) and its payload (LEN-1).
var operations = []struct {
	op         Operation
	name       string
	transports transports
	response   bool
	headers    Headers
	length     Length
}{
	{SendFirst, "SEND First", rc | uc | rd | xrc, false, 0, WholePMTU},
	{SendMiddle, "SEND Middle", rc | uc | rd | xrc, false, 0, WholePMTU},
	{SendLast, "SEND Last", rc | uc | rd | xrc, false, 0, SomePMTU},
	{SendLastImm, "SEND Last with immediate", rc | uc | rd | xrc, false, immdt, SomePMTU},
	{SendOnly, "SEND Only", rc | uc | rd | ud | xrc, false, 0, AnyPMTU},
	{SendOnlyImm, "SEND Only with immediate", rc | uc | rd | ud | xrc, false, immdt, AnyPMTU},
	{WriteFirst, "WRITE First", rc | uc | rd | xrc, false, reth, WholePMTU},
	{WriteMiddle, "WRITE Middle", rc | uc | rd | xrc, false, 0, WholePMTU},
	{WriteLast, "WRITE Last", rc | uc | rd | xrc, false, 0, SomePMTU},
	{WriteLastImm, "WRITE Last with immediate", rc | uc | rd | xrc, false, immdt, SomePMTU},
	{WriteOnly, "WRITE Only", rc | uc | rd | xrc, false, reth, AnyPMTU},
	{WriteOnlyImm, "WRITE Only with immediate", rc | uc | rd | xrc, false, reth | immdt, AnyPMTU},
	{ReadRequest, "READ request", rc | rd | xrc, false, reth, NoPayload},
	{ReadResponseFirst, "READ response First", rc | rd | xrc, true, aeth, WholePMTU},
	{ReadResponseMid, "READ response Middle", rc | rd | xrc, true, 0, WholePMTU},
	{ReadResponseLast, "READ response Last", rc | rd | xrc, true, aeth, SomePMTU},
	{ReadResponseOnly, "READ response Only", rc | rd | xrc, true, aeth, AnyPMTU},
	{Ack, "ACK", rc | rd | xrc, true, aeth, NoPayload},
	{AtomicAck, "ATOMIC ACK", rc | rd | xrc, true, aeth | atomicAckETH, NoPayload},
	{CmpSwap, "CMP & SWAP", rc | rd | xrc, false, atomicETH, NoPayload},
	{FetchAdd, "FETCH & ADD", rc | rd | xrc, false, atomicETH, NoPayload},
	{Resync, "RESYNC", rd, false, 0, NoPayload},
	{SendLastInv, "SEND Last with invalidate", rc | xrc, false, ieth, SomePMTU},
	{SendOnlyInv, "SEND Only with invalidate", rc | xrc, false, ieth, AnyPMTU},
	{Flush, "FLUSH", rc | rd, false, feth | reth, NoPayload},
	{AtomicWrite, "ATOMIC WRITE", rc, false, reth, EightBytes},
	{Congestion, "", cnp, false, 0, SixteenBytes},
}

// transports is a set of rows of services.
type transports uint8

const (
	rc transports = 1 << iota
	uc
	rd
	ud
	cnp
	xrc
)

// services lists the transports and the headers that each puts first, on requests and on responses (OPC-2).
var services = [...]struct {
	transport         Transport
	name              string
	request, response Headers
}{
	{RC, "RC", 0, 0},
	{UC, "UC", 0, 0},
	{RD, "RD", rdeth | deth, rdeth},
	{UD, "UD", deth, 0},
	{CNP, "CNP", 0, 0},
	{XRC, "XRC", xrceth, 0},
}

var table = makeTable()

func makeTable() (t [256]Info) {
	for _, o := range operations {
		for n, s := range services {
			if o.transports>>n&1 == 0 {
				continue
			}
			i := Info{Name: s.name, Opcode: Join(s.transport, o.op), Transport: s.transport, Operation: o.op,
				Response: o.response, Length: o.length, Headers: s.request | o.headers}
			if o.name != "" {
				i.Name += " " + o.name
			}
			if o.response {
				i.Headers = s.response | o.headers
			}
			i.place()
			t[i.Opcode] = i
		}
	}
	return t
}

// place lays the headers out behind the BTH.
func (i *Info) place() {
	i.Bytes = BTHBytes
	for h := Header(0); h < numHeaders; h++ {
		if i.Headers.Has(h) {
			i.offset[h] = uint8(i.Bytes)
			i.Bytes += h.Bytes()
		}
	}
}
