package sim

// Batch is a run of records together with the memory that their Data lies in. It is reused, so that a steady stream of
// records allocates nothing. The zero value is ready.
type Batch struct {
	Records []Record
	arena
}

// Reset empties the batch; every Data handed out by Bytes becomes invalid.
func (b *Batch) Reset() {
	b.Records = b.Records[:0]
	b.reset()
}

// Append adds a record with a copy of its Data.
func (b *Batch) Append(r Record) {
	r.Data = b.copyOf(r.Data)
	b.Records = append(b.Records, r)
}

// arena is memory that is handed out piece by piece and taken back as a whole.
type arena struct{ buf []byte }

const leastChunk = 64 << 10

// Bytes returns n bytes of any content that live until Reset. Earlier ones stay valid when the memory grows.
func (a *arena) Bytes(n int) []byte {
	if cap(a.buf)-len(a.buf) < n {
		a.buf = make([]byte, 0, max(leastChunk, 2*cap(a.buf), n))
	}
	l := len(a.buf)
	a.buf = a.buf[:l+n]
	return a.buf[l : l+n : l+n]
}

func (a *arena) copyOf(data []byte) []byte {
	d := a.Bytes(len(data))
	copy(d, data)
	return d
}

func (a *arena) reset() { a.buf = a.buf[:0] }
