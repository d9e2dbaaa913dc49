package ib

import (
	"math/bits"
	"strings"
)

// Sizes of the headers that every packet of their kind has, in bytes.
const (
	LRHBytes  = 8
	GRHBytes  = 40
	RWHBytes  = 4
	BTHBytes  = 12
	ICRCBytes = 4
	VCRCBytes = 2
)

// Header is an extension header: one that an opcode may bring after the BTH. The numbers are their order on the wire.
type Header uint8

const (
	RDETH Header = iota
	DETH
	XRCETH
	FETH
	RETH
	AtomicETH
	AETH
	AtomicAckETH
	IETH
	ImmDt
	numHeaders
)

var headers = [numHeaders]struct {
	name  string
	bytes int
}{
	RDETH:        {"RDETH", 4},
	DETH:         {"DETH", 8},
	XRCETH:       {"XRCETH", 4},
	FETH:         {"FETH", 4},
	RETH:         {"RETH", 16},
	AtomicETH:    {"AtomicETH", 28},
	AETH:         {"AETH", 4},
	AtomicAckETH: {"AtomicAckETH", 8},
	IETH:         {"IETH", 4},
	ImmDt:        {"ImmDt", 4},
}

func (h Header) String() string { return headers[h].name }

// Bytes returns the size of the header.
func (h Header) Bytes() int { return headers[h].bytes }

// Headers is a set of extension headers. Their order on the wire is that of Header.
type Headers uint16

const (
	rdeth        Headers = 1 << RDETH
	deth         Headers = 1 << DETH
	xrceth       Headers = 1 << XRCETH
	feth         Headers = 1 << FETH
	reth         Headers = 1 << RETH
	atomicETH    Headers = 1 << AtomicETH
	aeth         Headers = 1 << AETH
	atomicAckETH Headers = 1 << AtomicAckETH
	ieth         Headers = 1 << IETH
	immdt        Headers = 1 << ImmDt
)

// Has reports whether h is in the set.
func (s Headers) Has(h Header) bool { return s>>h&1 == 1 }

// First returns the header of the set, which is not empty, that comes first on the wire.
func (s Headers) First() Header { return Header(bits.TrailingZeros16(uint16(s))) }

// Without returns the set without h.
func (s Headers) Without(h Header) Headers { return s &^ (1 << h) }

// String lists the headers in the order of the wire.
func (s Headers) String() string {
	var names []string
	for h := Header(0); h < numHeaders; h++ {
		if s.Has(h) {
			names = append(names, h.String())
		}
	}
	return strings.Join(names, " ")
}
