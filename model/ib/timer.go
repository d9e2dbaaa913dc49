package ib

// Decides TMR-6.

// TickNs is the unit of protocol time in RTL and model, 1.024 us (TMR-6).
const TickNs = 1024

// Ticks rounds a time up to whole ticks (TMR-6).
func Ticks(ns uint64) uint64 { return (ns + TickNs - 1) / TickNs }

// TimeoutNs returns the transport timer T = 4.096 us x 2^code, 0 for off (TMR-1). The field has five bits.
func TimeoutNs(code uint8) uint64 {
	if code &= 0x1F; code != 0 {
		return 4096 << code
	}
	return 0
}

// rnrTimers in units of 10 us, which is what the codes are whole multiples of.
var rnrTimers = [32]uint32{
	65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192,
	256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
}

// RNRTimerNs returns the wait that an RNR NAK's timer code asks for.
func RNRTimerNs(code uint8) uint64 { return uint64(rnrTimers[code&0x1F]) * 10_000 }

// RNRTimerTicks is RNRTimerNs rounded up to ticks (TMR-6).
func RNRTimerTicks(code uint8) uint64 { return Ticks(RNRTimerNs(code)) }
