package sim

// Checker follows a device whose outputs come in an order or at a time of the device's choice, and says of each whether
// it was allowed. Inputs and outputs come in the order of their End; within a cycle in the order of their ports. Data
// is valid until the call returns.
type Checker interface {
	// Input tells that the device took a record, with its accepted cycles.
	Input(r *Record)
	// Output judges a record that the device gave. Whether it came late is not asked here: see Overdue.
	Output(r *Record) Checked
	// Overdue gives every output, once, that had to come before a cycle and has not; it is then no longer owed, and if it
	// comes after all it is only late. It is called before every record with the record's End as long as no output is
	// stalled on purpose, and at the end of every run with a cycle beyond all others.
	Overdue(cycle uint64, give func(Checked))
	// Latest is the cycle by which everything that is owed now must have come on unstalled ports; 0 if nothing is.
	Latest() uint64
}

// Stallable is a Checker whose model goes on differently behind a stalled output. It is told, before anything else,
// which cycles an output is held up on purpose in.
type Stallable interface {
	Stalls(held func(port Port, cycle uint64) bool)
}

// Checked is what a Checker says of an output.
type Checked struct {
	Verdict
	// Cycle is when the model would have given the output; it may take a Checker's stalls into account. Start is when
	// it would have given its first beat; 0 where that is Cycle.
	Start, Cycle uint64
	// Input is the Seq of the input that led to the output; Known is false where there is none.
	Input uint64
	Known bool
}
