package loop

import (
	"math/rand/v2"

	"hcacosim/model/hca"
)

// How long host memory takes to give a piece of a message, in cycles.
const (
	txMemoryLeast = 20
	txMemoryMost  = 120
)

// txMemory is host memory with the messages of send WQEs: what is asked for comes after a time that is drawn.
type txMemory struct {
	end  *txEnd
	rng  *rand.Rand
	last [hca.ReadPieces]uint64 // when the piece with this tag came
}

// read answers a piece: with the bytes of whole lines, of which it asked for some. Two pieces of one tag keep their
// order.
func (m *txMemory) read(p hca.ReadPiece) {
	span := m.at(p.Address, int(p.Bytes))
	line := make([]byte, int(p.Address%hca.ReadLineBytes)+int(p.Bytes))
	copy(line[p.Address%hca.ReadLineBytes:], span)
	tag := p.Tag % hca.ReadPieces
	cycle := m.end.cycle + txMemoryLeast + uint64(m.rng.IntN(txMemoryMost-txMemoryLeast))
	m.last[tag] = max(m.last[tag]+1, cycle)
	m.end.offerAt(m.last[tag], "s_txd", hca.ReadUser(p.Tag, span == nil), line)
}

// at is where an address leads: into the message of a WQE, whose place is the upper half of the address. nil: nowhere.
func (m *txMemory) at(address uint64, n int) []byte {
	place, off := uint32(address>>32), int(address&0xFFFFFFFF)
	for _, q := range m.end.qps {
		for _, list := range [...][]*sendWork{q.given, q.past} {
			for _, s := range list {
				if s.place == place && off+n <= int(s.work.Len) {
					return s.bytes(off, n)
				}
			}
		}
	}
	return nil
}

// bytes are some of a message; of one that was posted without its bytes they are 0.
func (s *sendWork) bytes(off, n int) []byte {
	if off+n > len(s.data) {
		return make([]byte, n)
	}
	return s.data[off : off+n]
}
