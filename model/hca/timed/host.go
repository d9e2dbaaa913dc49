package timed

// cache is what is on chip of a table in the host's memory: at each place one entry, that of the index last used of
// those that fall on it. A miss is waited for in place: nothing overtakes it.
type cache struct {
	tags []uint64 // index + 1; nil: all is on chip
	miss uint64
	// ready is the clock from which on the miss at the head is served; 0 while there is none.
	ready uint64
}

func newCache(entries uint32, miss uint64) cache {
	c := cache{miss: miss}
	if entries > 0 {
		c.tags = make([]uint64, entries)
	}
	return c
}

// has reports whether an index is on chip.
func (c *cache) has(index uint32) bool {
	return c.tags == nil || c.tags[index%uint32(len(c.tags))] == uint64(index)+1
}

// fetch begins to bring an index in.
func (c *cache) fetch(now uint64, index uint32) {
	c.tags[index%uint32(len(c.tags))] = uint64(index) + 1
	c.ready = now + c.miss
}
