// Package psn is the arithmetic of 24-bit packet sequence numbers and the windows that requester and responder lay over
// them. What follows from a verdict is not decided here. Rules: PSN-1 to PSN-5.
package psn

// Decides PSN-1, PSN-2, PSN-3 and PSN-4.

// Bits is the width of a PSN (PSN-1).
const Bits = 24

// Half is half of the number space: the most PSNs that may be outstanding (PSN-5).
const Half = 1 << (Bits - 1)

const mask = 1<<Bits - 1

// PSN is a packet sequence number, always below 2^24.
type PSN uint32

// New takes the low 24 bits of v.
func New(v uint32) PSN { return PSN(v & mask) }

// Add returns p + n modulo 2^24; n may be negative.
func (p PSN) Add(n int32) PSN { return New(uint32(p) + uint32(n)) }

// Diff returns p - q as a signed 24-bit number, from -2^23 to 2^23 - 1 (PSN-1).
func (p PSN) Diff(q PSN) int32 { return int32((p-q)<<(32-Bits)) >> (32 - Bits) }

// From returns how far p lies ahead of una, the oldest unacknowledged PSN; behind it is negative. Up to Half PSNs may
// be outstanding, so that Half is ahead, where Diff has it behind (PSN-7).
func (p PSN) From(una PSN) int32 { return -una.Diff(p) }

// Ahead returns how far p lies ahead of q going forward, from 0 to 2^24 - 1.
func (p PSN) Ahead(q PSN) uint32 { return uint32(p-q) & mask }

// Arrival is what a responder makes of the PSN of a request.
type Arrival uint8

const (
	Expected Arrival = iota
	Duplicate
	OutOfSequence // a request before this one was lost
)

// Arrive judges a request's PSN against the expected one (PSN-2). The PSN exactly 2^23 behind is a duplicate: with Half
// outstanding the oldest request is sent again with it, and no new one has it (PSN-5).
func Arrive(p, expected PSN) Arrival {
	switch d := p.Diff(expected); {
	case d == 0:
		return Expected
	case d > 0:
		return OutOfSequence
	default:
		return Duplicate
	}
}

// Answer is what a requester makes of the PSN of a response.
type Answer uint8

const (
	Unacked Answer = iota // of a request that waits for it
	Stale                 // acknowledged already
	Ghost                 // of nothing that could be outstanding: dropped
)

// Respond judges a response's PSN (PSN-3): una is the oldest unacknowledged PSN, next the first one not yet sent.
// At most Half PSNs lie between them (PSN-5).
func Respond(p, una, next PSN) Answer {
	switch outstanding := next.Ahead(una); {
	case p.Ahead(una) < outstanding:
		return Unacked
	case p != next && next.Ahead(p) <= Half:
		return Stale
	default:
		return Ghost
	}
}

// OfRead returns how many PSNs a READ request of lengthBytes consumes (PSN-4).
func OfRead(lengthBytes, pmtuBytes uint32) uint32 {
	if lengthBytes == 0 {
		return 1
	}
	return (lengthBytes-1)/pmtuBytes + 1
}
