package ib

import "fmt"

// Decides CRD-1.

// Syndrome is the first byte of an AETH: bit 7 zero, kind in bits 6-5, code in bits 4-0.
type Syndrome uint8

// SyndromeKind is what a syndrome says.
type SyndromeKind uint8

const (
	KindAck SyndromeKind = iota
	KindRNR
	KindReserved
	KindNAK
)

// The NAKs as whole syndromes.
const (
	NAKSequence       Syndrome = 0x60
	NAKInvalidRequest Syndrome = 0x61
	NAKRemoteAccess   Syndrome = 0x62
	NAKRemoteOp       Syndrome = 0x63
	NAKInvalidRD      Syndrome = 0x64
)

// Kind returns what the syndrome says; one with bit 7 set is reserved.
func (s Syndrome) Kind() SyndromeKind {
	if s&0x80 != 0 {
		return KindReserved
	}
	return SyndromeKind(s >> 5)
}

// Code is the credit code of an ACK, the timer code of an RNR NAK, the NAK code of a NAK.
func (s Syndrome) Code() uint8 { return uint8(s) & 0x1F }

// AckSyndrome makes the syndrome of an ACK.
func AckSyndrome(creditCode uint8) Syndrome { return Syndrome(creditCode & 0x1F) }

// RNRSyndrome makes the syndrome of an RNR NAK.
func RNRSyndrome(timerCode uint8) Syndrome { return 0x20 | Syndrome(timerCode&0x1F) }

func (s Syndrome) String() string {
	switch s {
	case NAKSequence:
		return "NAK PSN sequence error"
	case NAKInvalidRequest:
		return "NAK invalid request"
	case NAKRemoteAccess:
		return "NAK remote access error"
	case NAKRemoteOp:
		return "NAK remote operational error"
	case NAKInvalidRD:
		return "NAK invalid RD request"
	}
	switch s.Kind() {
	case KindAck:
		if n, limited := Credits(s.Code()); limited {
			return fmt.Sprintf("ACK, %d credits", n)
		}
		return "ACK, credits not used"
	case KindRNR:
		return fmt.Sprintf("RNR NAK, %.2f ms", float64(RNRTimerNs(s.Code()))/1e6)
	default:
		return fmt.Sprintf("reserved syndrome %02Xh", uint8(s))
	}
}

// CreditsUnlimited is the credit code that says credits are not used.
const CreditsUnlimited = 31

var credits = [CreditsUnlimited]uint32{
	0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024,
	1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768,
}

// Credits returns the credits that a code stands for; limited is false when credits are not used.
func Credits(code uint8) (n uint32, limited bool) {
	if code &= 0x1F; code == CreditsUnlimited {
		return 0, false
	}
	return credits[code], true
}

// CreditCode encodes n credits as the largest value not above n (CRD-1).
func CreditCode(n uint32) uint8 {
	code := uint8(0) // queues are short more often than not
	for int(code)+1 < len(credits) && credits[code+1] <= n {
		code++
	}
	return code
}
