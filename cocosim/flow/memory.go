package flow

import (
	"encoding/binary"
	"hash/crc32"

	"hcacosim/model/roce"
)

const (
	pageBytes = 4096
	// maxPages bounds what is remembered of all memory together, 32 MB. What is given up is unknown from then on.
	maxPages = 8192
)

// memory is a peer's registered memory as far as the sidecar and the packets tell. Bytes that nobody told of are
// unknown: they are equal to anything.
type memory struct {
	fills []fill
	pages map[uint64]*page
	order []uint64 // of pages, the oldest first from next on once it is full
	next  int
	// gone: a page was given up, so the fills are not the last word on any page any more.
	gone bool
}

// fill is what lay somewhere at the start: the pattern of an operation, or a value.
type fill struct {
	va, len uint64
	op      int // -1: value
	value   [8]byte
}

type page struct {
	data  [pageBytes]byte
	known [pageBytes / 64]uint64 // a bit a byte
}

func newMemory(fills []fill) *memory { return &memory{fills: fills, pages: map[uint64]*page{}} }

func (m *memory) page(number uint64) *page {
	if p := m.pages[number]; p != nil {
		return p
	}
	p := m.place(number)
	m.pages[number] = p
	if m.gone {
		return p
	}
	base := number * pageBytes
	for _, f := range m.fills {
		if f.va >= base+pageBytes || f.va+f.len <= base {
			continue
		}
		for va := max(f.va, base); va < min(f.va+f.len, base+pageBytes); va++ {
			if f.op < 0 {
				p.set(va-base, f.value[va-f.va])
			} else {
				p.set(va-base, pattern(f.op, va-f.va))
			}
		}
	}
	return p
}

// place makes room for a page: a new one, or the oldest.
func (m *memory) place(number uint64) *page {
	if len(m.order) < maxPages {
		m.order = append(m.order, number)
		return new(page)
	}
	p := m.pages[m.order[m.next]]
	delete(m.pages, m.order[m.next])
	m.order[m.next] = number
	m.next = (m.next + 1) % maxPages
	m.gone = true
	*p = page{}
	return p
}

func (p *page) set(i uint64, v byte) {
	p.data[i] = v
	p.known[i/64] |= 1 << (i % 64)
}

// mask has the bits of a word from bit at on, as many as there are up to n, and says how many that is.
func mask(at, n uint64) (bits, count uint64) {
	count = min(n, 64-at%64)
	return (1<<count - 1) << (at % 64), count
}

// know marks bytes as known.
func (p *page) know(at, n uint64) {
	for n > 0 {
		m, count := mask(at, n)
		p.known[at/64] |= m
		at, n = at+count, n-count
	}
}

// knows reports whether all of some bytes are known.
func (p *page) knows(at, n uint64) bool {
	for n > 0 {
		m, count := mask(at, n)
		if p.known[at/64]&m != m {
			return false
		}
		at, n = at+count, n-count
	}
	return true
}

func (m *memory) write(va uint64, b []byte) {
	for len(b) > 0 {
		p, at := m.page(va/pageBytes), va%pageBytes
		n := min(uint64(len(b)), pageBytes-at)
		copy(p.data[at:], b[:n])
		p.know(at, n)
		va, b = va+n, b[n:]
	}
}

// read copies memory and tells whether all of it is known.
func (m *memory) read(va uint64, b []byte) bool {
	all := true
	for len(b) > 0 {
		p, at := m.page(va/pageBytes), va%pageBytes
		n := min(uint64(len(b)), pageBytes-at)
		copy(b[:n], p.data[at:])
		all = all && p.knows(at, n)
		va, b = va+n, b[n:]
	}
	return all
}

// atomic does an atomic in the host's byte order, which is x86's (RSP-12).
func (m *memory) atomic(p *roce.Packet) (old uint64, known bool) {
	var b [8]byte
	if known = m.read(p.VA, b[:]); !known {
		return 0, false
	}
	old = binary.LittleEndian.Uint64(b[:])
	binary.LittleEndian.PutUint64(b[:], p.AtomicValue(old))
	m.write(p.VA, b[:])
	return old, true
}

// sum stands for bytes where they are compared: an expected response keeps it and not its payload. The bytes must not
// end in their own ICRC: the polynomial is the same, and the sum would say nothing of them.
func sum(b []byte) uint32 { return crc32.ChecksumIEEE(b) }
