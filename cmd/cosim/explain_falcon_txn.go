package main

// Where to look when a device breaks a rule of Falcon's transactions.
func init() {
	for id, text := range map[string]string{
		"FAL-T1": "One counter of RSNs for pushes and pulls; Pull Data takes that of its request.",
		"FAL-T2": "The initiator's state behind each event; that a push leaves PushDataAckd only in its turn.",
		"FAL-T3": "The target's state behind each event; that Push Data is acknowledged behind the ULP's acknowledgement " +
			"and not before.",
		"FAL-T4": "The reorder buffers of both ends: pushes and pulls in one order, and none at all on an unordered " +
			"connection.",
		"FAL-T5":  "When each pool gets back what it lent: with the ACK, the completion, or the ULP's answer.",
		"FAL-T6":  "Cells: rounded up, of the request's length; a pull asks for the room of its answer.",
		"FAL-T7":  "Both levels of counters, taken together or not at all.",
		"FAL-T8":  "The zone before the request is taken, by packets and cells; which request is the head of line.",
		"FAL-T9":  "What is set aside behind the threshold: two of the largest requests.",
		"FAL-T10": "Whether Pull Data can leave while requests are held back, and the pointers of both round robins.",
		"FAL-T11": "The match of RSN and length; that a dropped Pull Data is acknowledged all the same.",
		"FAL-T12": "What the ACK of a pull frees, and the order of ACK and Pull Data: either may come first.",
		"FAL-T13": "Who repeats: the target a pull, the initiator a push.",
		"FAL-T14": "What the ULP has behind the request that it sent back, and what comes there meanwhile.",
		"FAL-T15": "The table of codes, and that a refused push is refused again until its Resync comes.",
		"FAL-T16": "Pull Data of length 0, and the initiator's timeout behind an invalid CID.",
		"FAL-T17": "That an RSN ended by a Resync counts as done: everything behind it waits for that.",
		"FAL-T18": "The table of completions, and that each transaction has one.",
		"FAL-T19": "What is still held when the connection is dead.",
		"FAL-T20": "How many transactions an operation has, with length 0 and with a whole number of MTUs.",
	} {
		lookAt[id] = "  " + text + "\n"
	}
}
