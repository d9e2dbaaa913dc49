package hca

// byIndex holds a value for some of the indices of QPs, queues and keys, which are below 2^24. It is asked for every
// packet, so it hashes nothing; its pages are made when they are needed first. The zero value holds none.
type byIndex[T any] struct{ pages []*indexPage[T] }

const indexPageSize = 64

type indexPage[T any] struct {
	there [indexPageSize]bool
	at    [indexPageSize]T
}

// get is the value of an index, which stays where it is until it is deleted; nil where there is none.
func (t *byIndex[T]) get(i uint32) *T {
	n := i / indexPageSize
	if n >= uint32(len(t.pages)) {
		return nil
	}
	p := t.pages[n]
	if p == nil || !p.there[i%indexPageSize] {
		return nil
	}
	return &p.at[i%indexPageSize]
}

// set puts a value at an index.
func (t *byIndex[T]) set(i uint32, v T) {
	n := int(i / indexPageSize)
	if n >= len(t.pages) {
		t.pages = append(t.pages, make([]*indexPage[T], n+1-len(t.pages))...)
	}
	if t.pages[n] == nil {
		t.pages[n] = new(indexPage[T])
	}
	t.pages[n].there[i%indexPageSize], t.pages[n].at[i%indexPageSize] = true, v
}

// delete takes the value of an index away, if there is one.
func (t *byIndex[T]) delete(i uint32) {
	if n := i / indexPageSize; n < uint32(len(t.pages)) && t.pages[n] != nil {
		t.pages[n].there[i%indexPageSize] = false
	}
}

// reset takes all values away.
func (t *byIndex[T]) reset() { t.pages = nil }
