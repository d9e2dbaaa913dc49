package main

const (
	dmaPlaceFile = "rx/dma_place.sv"
	dmaShiftFile = "rx/dma_shift.sv"
)

// dmaPlace follows one record, its frame and a byte of it.
var _ = register(proof{block: "dma_place", depth: 13, properties: []property{
	{check: 1, bounded: true, says: "every byte of a frame leaves once in the lane of its address, as it was",
		fault: fault{"it is turned by the address of the frame behind", dmaShiftFile,
			"slot3_q <= slot2_q;", "slot3_q <= slot1_q;"}},
	{check: 2, bounded: true, says: "a write ends with the last byte of its frame",
		fault: fault{"one that ends with a beat has an empty one behind it", dmaPlaceFile,
			"assign spills = stop > ", "assign spills = stop >= "}},
	{check: 3, bounded: true, says: "before its first byte stand zeros, no byte of another frame",
		fault: fault{"the frame before shines through", dmaShiftFile,
			"< slot3_q.offset && !slot3_q.first;", "< slot3_q.offset;"}},
	{check: 4, bounded: true, says: "no byte of a frame leaves whose record does not say place (DMA-3)",
		fault: fault{"a completion says place", dmaPlaceFile,
			"assign writes    = cmd.place & has_frame;", "assign writes    = (cmd.place | cmd.complete) & has_frame;"}},
}})

// dmaPlaceRecords is what it tells of them, for fewer cycles: whole records are wide.
var _ = register(proof{block: "dma_place", depth: 10, properties: []property{
	{check: 5, bounded: true, says: "each write is told once, in order, with its number, bytes and address",
		fault: fault{"records that complete are numbered too", dmaPlaceFile,
			"else if (begins && writes) tag_q", "else if (begins && is_entry) tag_q"}},
	{check: 6, bounded: true, says: "an entry for each record that writes, completes or clears, once, in order, as it was",
		fault: fault{"one for every beat", dmaPlaceFile,
			"assign m_entry_valid_o = begins & is_entry;", "assign m_entry_valid_o = (begins | moves) & is_entry;"}},
}})
