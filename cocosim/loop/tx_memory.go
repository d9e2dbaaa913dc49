package loop

import (
	"math/rand/v2"

	"hcacosim/model/hca"
	"hcacosim/model/roce"
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

	acks   string         // the port of acknowledgements
	writes []hca.DMAWrite // whose bytes have not come
	bytes  [][]byte       // whose write has not come
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

// write does the writes that are there, and acknowledges each after a time that is drawn. Bytes come in whole beats
// of memory, from the one of their address on. They go to the buffer of a READ or atomic that has not ended: the loop's
// host compares it when the device says that it has (DMA-1).
func (m *txMemory) write() {
	for len(m.writes) > 0 && len(m.bytes) > 0 {
		w, data := m.writes[0], m.bytes[0]
		m.writes, m.bytes = m.writes[1:], m.bytes[1:]
		lead := int(w.Address % ResponderBytes)
		s := m.asked(&w)
		if s == nil || len(data) != lead+int(w.Bytes) {
			m.end.wrong("a write of %d bytes to %016Xh, where nothing is asked for, or with %d bytes", w.Bytes, w.Address,
				len(data))
			return
		}
		if off := int(w.Address & 0xFFFFFFFF); off < len(s.data) {
			copy(s.data[off:], data[lead:])
		}
		ack := hca.DMAAck{Tag: w.Tag}
		late := txMemoryLeast + uint64(m.rng.IntN(txMemoryMost-txMemoryLeast))
		m.end.offerAt(m.end.cycle+late, m.acks, 0, ack.Append(nil))
	}
}

// asked is the READ or atomic that a write is for.
func (m *txMemory) asked(w *hca.DMAWrite) *sendWork {
	place, end := uint32(w.Address>>32), uint64(w.Address&0xFFFFFFFF)+uint64(w.Bytes)
	for _, q := range m.end.qps {
		for _, s := range q.given {
			if s.place == place && (s.work.Verb == roce.Read || s.work.Verb.Atomic()) && end <= uint64(s.work.Len) {
				return s
			}
		}
	}
	return nil
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
