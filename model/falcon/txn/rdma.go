package txn

import (
	"hcacosim/model/falcon"
	"hcacosim/model/falcon/wire"
)

// Decides FAL-T20.

// Verb is an RDMA operation.
type Verb uint8

const (
	Send Verb = iota
	Write
	Read
	Atomic
)

// AtomicBytes is what an atomic operation brings back.
const AtomicBytes = 8

// Transaction is the kind and the transactions' number of an operation of so many bytes: SEND and WRITE are pushes,
// READ and atomics pulls (FAL-T20). A WRITE of 10,000 bytes over an MTU of 4,096 is 3 pushes, of 4,096, 4,096 and 1,808
// bytes.
func (v Verb) Transaction(bytes, mtu uint32) (kind falcon.Kind, number uint32) {
	kind = falcon.PushData
	switch v {
	case Atomic:
		return falcon.PullRequest, 1
	case Read:
		kind = falcon.PullRequest
	}
	return kind, max(1, uint32((uint64(bytes)+uint64(mtu)-1)/uint64(mtu)))
}

// Length is that of the n-th transaction of an operation, from 0.
func (v Verb) Length(bytes, mtu, n uint32) uint32 {
	if v == Atomic {
		return AtomicBytes
	}
	return min(mtu, bytes-n*mtu)
}

// Operation is an RDMA operation on its way.
type Operation struct {
	FirstRSN uint32
	Number   uint32 // of transactions
	ended    uint32
	badRSN   uint32
	Code     wire.Completion // of the first error by RSN; Ack while there is none
	ULPCode  uint8
}

// Has reports whether a transaction belongs to the operation.
func (o *Operation) Has(rsn uint32) bool { return rsn-o.FirstRSN < o.Number }

// Completed takes the completion of one of its transactions, each once, and reports whether it was the last (FAL-T20).
func (o *Operation) Completed(e *Event) (last bool) {
	if e.Code != wire.CompletionAck && (o.Code == wire.CompletionAck || before(e.RSN, o.badRSN)) {
		o.Code, o.ULPCode, o.badRSN = e.Code, e.ULPCode, e.RSN
	}
	o.ended++
	return o.ended == o.Number
}
