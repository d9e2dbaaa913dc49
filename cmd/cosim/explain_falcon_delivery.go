package main

// Where to look when a device breaks a rule of Falcon's packet delivery.
func init() {
	for id, text := range map[string]string{
		"FAL-D1":  "The width and the sign of PSN differences, at the wrap above all; which window a Resync belongs to.",
		"FAL-D2":  "The base behind every acknowledgement: bit 0 is never set, and all bitmaps shift by the same amount.",
		"FAL-D3":  "The order of the checks: old, beyond, duplicate; and which of two bitmaps tells a duplicate.",
		"FAL-D4":  "Which packets wait for the ULP, and that a Resync does not.",
		"FAL-D5":  "When OWN is set, and that one EACK, not a BACK, carries and clears it.",
		"FAL-D6":  "Count, timer and AR of coalescing: what starts the timer, what an ACK stops, whose AR counts.",
		"FAL-D7":  "EACK or BACK: the hole in the data-rx-bitmap, the other bitmaps, both OWNs.",
		"FAL-D8":  "That a piggybacked base stops the timer only when an ACK would have nothing else to say.",
		"FAL-D9":  "Window, PSN and code of a NACK, and that no received bit is set for what was refused.",
		"FAL-D10": "The next PSN of each window, and the order of what is sent again.",
		"FAL-D11": "PSN against base + fcwnd, and the count against ncwnd: the one of first transmissions or of others.",
		"FAL-D12": "Both counters of outstanding requests at every way in and out: sent, sent again, due, acknowledged.",
		"FAL-D13": "The fraction of packets with AR, and fcwnd equal to the threshold.",
		"FAL-D14": "The gap's unit, and that it counts from packet to packet, those sent again too.",
		"FAL-D15": "The compare of both bases before anything is taken, and the shift before the OR.",
		"FAL-D16": "The threshold's edge, the highest bit, and when the packet left last.",
		"FAL-D17": "What lies beyond the receiver's window, once an RTT.",
		"FAL-D18": "The latest t1, the reordering window, and the end of what is looked at.",
		"FAL-D19": "When the wait for a probe begins, and that there is one probe until an ACK comes.",
		"FAL-D20": "The retransmission counter at the maximum: Resync first, then the fatal error.",
		"FAL-D21": "The NACK's window and PSN, the RNR timer, and that its bases are taken first.",
		"FAL-D22": "PSN, RSN and type of a Resync, and its code by what was the reason.",
		"FAL-D23": "What a result changes, and for which packets.",
	} {
		lookAt[id] = "  " + text + "\n"
	}
}
