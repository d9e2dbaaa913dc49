package sim

// Batch is a run of records together with the memory that their Data lies in. It is reused, so that a steady stream of
// records allocates nothing. The zero value is ready.
type Batch struct {
	Records []Record
	buf     []byte
}

const leastChunk = 64 << 10

// Reset empties the batch; every Data handed out by Bytes becomes invalid.
func (b *Batch) Reset() {
	b.Records = b.Records[:0]
	b.buf = b.buf[:0]
}

// Bytes returns n bytes of any content that live until Reset. Earlier ones stay valid when the memory grows.
func (b *Batch) Bytes(n int) []byte {
	if cap(b.buf)-len(b.buf) < n {
		b.buf = make([]byte, 0, max(leastChunk, 2*cap(b.buf), n))
	}
	l := len(b.buf)
	b.buf = b.buf[:l+n]
	return b.buf[l : l+n : l+n]
}

// Append adds a record with a copy of its Data.
func (b *Batch) Append(r Record) {
	d := b.Bytes(len(r.Data))
	copy(d, r.Data)
	r.Data = d
	b.Records = append(b.Records, r)
}
