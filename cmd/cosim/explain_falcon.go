package main

// Where to look when a device breaks a rule of Falcon.
func init() {
	for id, text := range map[string]string{
		"FAL-W1":  "The base header's words: 24-bit CID and function, the type between protocol and AR.",
		"FAL-W2":  "The table of packet types, and that an ACK's type lies in bits 27 to 30 of word 1 too.",
		"FAL-W3":  "Request Length against the bytes between header and ICV.",
		"FAL-W4":  "What a Resync says of the packet whose place it takes: type, PSN, RSN.",
		"FAL-W5":  "Word 7 of an ACK: the width of RUE info, which OWN bit is which.",
		"FAL-W6":  "The order of the bitmaps' words, and which PSN bit 0 is.",
		"FAL-W7":  "Word 9 of a NACK: code, timeout, W, ULP code.",
		"FAL-W8":  "The table of Resync codes.",
		"FAL-W9":  "The table of NACK codes.",
		"FAL-W10": "The table of RNR timeouts, code 0 above all.",
		"FAL-W11": "The table of completion codes.",
		"FAL-W12": "The version, and the header's length against the packet's.",
		"FAL-W13": "What fills reserved bits and codes, and padding behind a packet.",
		"FAL-S1":  "The PSP header: extension length against V, the bit that is 1, the UDP port.",
		"FAL-S2":  "Nonce (SPI, IV), what is authenticated, the key of the SPI. One changed bit is enough.",
		"FAL-S3":  "The crypt offset: 1 without a cookie, 3 with one.",
		"FAL-S4":  "The compare of the IV with remote time less margin: 64 bits, signed; that only accepted packets move it.",
		"FAL-S5":  "Current and previous SPI, bit 31, the generations of connection and device.",
		"FAL-S6": "The steps of a rotation: AllowPrevious is set before the first connection moves and cleared after the " +
			"last.",
		"FAL-S7":  "The cookie, and that a packet without one is refused where PCIDs are matched.",
		"FAL-C1":  "Place and width of each field of an event, lowest bit first.",
		"FAL-C2":  "Place and width of each field of a result: event queue and delay select are in it.",
		"FAL-C3":  "Which timestamps are subtracted, modulo 2^24, and which side alpha weights.",
		"FAL-C4":  "The thresholds of the event queue and both predicates; that acknowledged packets add up.",
		"FAL-C5":  "The mark that an event of the connection is under way: set with the event, cleared with its result.",
		"FAL-C6":  "Alpha and beta, and the window that goes into the target: the one before the event.",
		"FAL-C7":  "The compare with the target, the division from one packet on, the guard of an RTT.",
		"FAL-C8":  "The retransmission count: first, below the limit, from the limit on.",
		"FAL-C9":  "The direction bit and the guard of ncwnd, and what a NACK for resources does.",
		"FAL-C10": "The gap's unit, rounding and saturation.",
		"FAL-C11": "RTO: smoothed RTT, the gap on top, 24 bits, the least.",
		"FAL-C12": "Both markers behind every event, at the ends of the windows' ranges too.",
		"FAL-C13": "The counters of PLB, and that a round trip is min(fcwnd, ncwnd) packets.",
		"FAL-C14": "The average's weight, its first sample, thresholds that are reached and not exceeded.",
		"FAL-C15": "Widths of windows, levels and times.",
	} {
		lookAt[id] = "  " + text + "\n"
	}
}
