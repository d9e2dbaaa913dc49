package hca

// chunks gives bytes that stay: many short ones out of one allocation.
type chunks struct{ left []byte }

const chunkBytes = 16 << 10

// room is a slice of no bytes with room for n.
func (c *chunks) room(n int) []byte {
	if n > len(c.left) {
		c.left = make([]byte, max(n, chunkBytes))
	}
	b := c.left[:0:n]
	c.left = c.left[n:]
	return b
}

// clone is a copy of b.
func (c *chunks) clone(b []byte) []byte { return append(c.room(len(b)), b...) }
