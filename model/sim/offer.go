package sim

// Offer is a record that a device is to take: what a stimulus consists of, before the device has answered. When the
// device takes it, it becomes a Record with the cycles in which that happened. Example: an Offer of two beats with
// NotBefore 100, at a port that is busy until cycle 120 and stalls for one cycle in between, becomes a Record with
// Start 121 and End 123.
type Offer struct {
	// NotBefore is the first cycle in which the first beat may be driven; 0 is as soon as the port is free.
	NotBefore uint64
	Seq       uint64 // numbers the offers of a port from 0
	Key       uint32 // as in the Record
	User      uint32 // tuser, driven on every beat
	Port      Port
	Data      []byte
}

// Accepted is the record that the offer became: its first beat was taken in cycle start, its last in cycle end.
func (o *Offer) Accepted(start, end uint64) Record {
	return Record{Start: start, End: end, Seq: o.Seq, Key: o.Key, User: o.User, Port: o.Port, Data: o.Data}
}

// Offers is a run of offers together with the memory that their Data lies in; it is to offers what Batch is to
// records. The zero value is ready.
type Offers struct {
	Offers []Offer
	arena
}

// Reset empties the run; every Data in it becomes invalid.
func (b *Offers) Reset() {
	b.Offers = b.Offers[:0]
	b.reset()
}

// Append adds an offer with a copy of its Data.
func (b *Offers) Append(o Offer) {
	o.Data = b.copyOf(o.Data)
	b.Offers = append(b.Offers, o)
}
