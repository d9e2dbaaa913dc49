package ib

// Decides OPC-3.

// Verb is what a message does.
type Verb uint8

// The verbs of messages, then those of work that is done at home and of which no packet tells.
const (
	NoVerb Verb = iota
	VerbSend
	VerbWrite
	VerbRead
	VerbCmpSwap
	VerbFetchAdd
	VerbAtomicWrite
	VerbFlush
	VerbBind            // a memory window
	VerbLocalInvalidate // the key of a memory window
)

func (v Verb) String() string {
	return [...]string{"none", "SEND", "WRITE", "READ", "CMP&SWAP", "FETCH&ADD", "ATOMIC WRITE", "FLUSH",
		"bind", "local invalidate"}[v]
}

// Atomic reports whether the verb is one of the atomics that return a value.
func (v Verb) Atomic() bool { return v == VerbCmpSwap || v == VerbFetchAdd }

// Replayed reports whether the responder keeps the request for a replay: READ, atomics, and what is answered like a
// READ (OPC-3).
func (v Verb) Replayed() bool { return VerbRead <= v && v <= VerbFlush }

// Local reports whether the work is done at home, in its turn, and no packet tells of it.
func (v Verb) Local() bool { return v >= VerbBind }

// Shape is what an opcode says about its place in a message. Of a response Verb is what it answers: VerbRead or
// VerbFetchAdd, and NoVerb of an ACK.
type Shape struct {
	Verb        Verb
	First, Last bool // Only is both
	Imm, Inv    bool // ImmDt, IETH
	Request     bool
}

// NeedsReceive reports whether the packet takes or uses a receive WQE: any SEND, the last of a WRITE with immediate.
func (s *Shape) NeedsReceive() bool { return s.Verb == VerbSend || s.Verb == VerbWrite && s.Imm }

// SeeksReceive reports whether the packet looks for a receive WQE: a SEND at its start, which then holds it, and the
// last of a WRITE with immediate.
func (s *Shape) SeeksReceive() bool {
	return s.Verb == VerbSend && s.First || s.Verb == VerbWrite && s.Imm
}

// Completes reports whether the packet uses its receive WQE up.
func (s *Shape) Completes() bool { return s.Last && s.NeedsReceive() }

// Shape returns the shape of an opcode; the zero Shape for an unknown one, RESYNC and the CNP.
func (op Opcode) Shape() *Shape { return &shapes[op] }

var shapes = makeShapes()

func makeShapes() (t [256]Shape) {
	for op := range table {
		if i := &table[op]; i.Name != "" {
			t[op] = shapeOf(i)
		}
	}
	return t
}

func shapeOf(i *Info) (s Shape) {
	s = Shape{Imm: i.Headers.Has(ImmDt), Inv: i.Headers.Has(IETH), Request: !i.Response}
	switch i.Operation {
	case SendFirst, SendMiddle, SendLast, SendLastImm, SendLastInv, SendOnly, SendOnlyImm, SendOnlyInv:
		s.Verb = VerbSend
	case WriteFirst, WriteMiddle, WriteLast, WriteLastImm, WriteOnly, WriteOnlyImm:
		s.Verb = VerbWrite
	case ReadRequest, ReadResponseFirst, ReadResponseMid, ReadResponseLast, ReadResponseOnly:
		s.Verb = VerbRead
	case CmpSwap:
		s.Verb = VerbCmpSwap
	case FetchAdd, AtomicAck:
		s.Verb = VerbFetchAdd
	case AtomicWrite:
		s.Verb = VerbAtomicWrite
	case Flush:
		s.Verb = VerbFlush
	case Ack:
		return s
	default:
		return Shape{}
	}
	switch i.Operation {
	case SendFirst, WriteFirst, ReadResponseFirst:
		s.First = true
	case SendLast, SendLastImm, SendLastInv, WriteLast, WriteLastImm, ReadResponseLast:
		s.Last = true
	case SendMiddle, WriteMiddle, ReadResponseMid, AtomicAck:
	default:
		s.First, s.Last = true, true
	}
	return s
}
