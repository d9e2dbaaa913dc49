package roce

import "hcacosim/model/ib"

// Kind is what an Effect asks of the caller.
type Kind uint8

const (
	Drop         Kind = iota // Why: nothing else follows from the packet
	SendRequest              // Packet; its payload is message ID from Off
	SendResponse             // Packet; its payload is memory at VA
	Deliver                  // Len bytes of the packet's payload go to receive WQE ID from Off
	WriteMemory              // Len bytes of the packet's payload go to memory at VA
	ReadReturned             // Len bytes of the packet's payload go to message ID from Off
	// make Len bytes of memory at VA, or all that the key opens, durable or visible, as Packet.FETH says
	FlushMemory
	AtomicMemory // do Packet's atomic, then call Result with Slot and what memory held before
	Invalidate   // the key RKey of Packet is no longer valid
	// bind window Packet.RKey to Len bytes at VA of region LKey with Access, then call Requester.Done
	BindWindow
	InvalidateKey // take the key Packet.RKey away at home, then call Requester.Done
	Complete      // message or receive WQE ID: Status, Len bytes; Packet says opcode and immediate
	Arm           // start or restart Timer: it expires after Ticks
	Disarm        // stop Timer
	EnterError    // the QP went to Error because of Why
	GoBack        // Packet.PSN goes out next, again, because of Why
)

func (k Kind) String() string {
	return [...]string{"Drop", "SendRequest", "SendResponse", "Deliver", "WriteMemory", "ReadReturned", "FlushMemory",
		"AtomicMemory",
		"Invalidate", "BindWindow", "InvalidateKey", "Complete", "Arm", "Disarm", "EnterError", "GoBack"}[k]
}

// Timer names one of the two timers of a requester.
type Timer uint8

const (
	Transport Timer = iota // TMR-1
	RNR                    // TMR-5
)

func (t Timer) String() string { return [...]string{"transport", "RNR"}[t] }

// Status is how a WQE ended, numbered like no verbs library on purpose.
type Status uint8

const (
	Success Status = iota
	RemoteInvalidRequest
	RemoteAccess
	RemoteOperation
	RetryExceeded
	RNRRetryExceeded
	Flushed
	LocalError  // a receive WQE that the request does not fit, or a key that cannot be invalidated or bound
	BadResponse // REQ-12
	LocalLength // REQ-12: the response has a wrong length or pad
	MemoryError // what a response brought could not be written
)

func (s Status) String() string {
	return [...]string{"success", "remote invalid request", "remote access error", "remote operation error",
		"retry exceeded", "RNR retry exceeded", "flushed", "local error", "bad response", "local length error",
		"memory error"}[s]
}

// Effect is one thing for the caller to do. Which fields count, its Kind says.
type Effect struct {
	Kind   Kind
	Timer  Timer
	Status Status
	Slot   uint8
	Access Access
	LKey   uint32
	Why    Rule
	Packet Packet
	ID     uint64
	VA     uint64
	Off    uint32
	Len    uint32
	Ticks  uint64
}

// Batch is what a step asks for, in order. The caller empties and reuses it.
type Batch []Effect

func (b *Batch) add(e Effect) { *b = append(*b, e) }

// more appends an empty effect to be filled in: where there is one for every packet a copy would cost as much as the
// decision.
func (b *Batch) more(kind Kind) *Effect {
	*b = append(*b, Effect{})
	e := &(*b)[len(*b)-1]
	e.Kind = kind
	return e
}

func (b *Batch) drop(why Rule) { *b = append(*b, Effect{Kind: Drop, Why: why}) }

// status is what the completion of a WQE says about a NAK.
func statusOf(s ib.Syndrome) Status {
	switch s {
	case ib.NAKInvalidRequest:
		return RemoteInvalidRequest
	case ib.NAKRemoteAccess:
		return RemoteAccess
	default:
		return RemoteOperation
	}
}
