package loop

import (
	"encoding/binary"
	"math/rand/v2"

	"hcacosim/model/hca"
)

// rxMemory is host memory at the ports of a device: what it writes is there at once, and is acknowledged, as what it
// reads is answered, after a time that is drawn.
type rxMemory struct {
	end    *rxEnd
	rng    *rand.Rand
	writes []hca.DMAWrite // whose bytes have not come
	bytes  [][]byte       // whose write has not come
}

// take does what a record of a port asks for.
func (m *rxMemory) take(port string, data []byte) {
	switch port {
	case "m_mem":
		m.writes = append(m.writes, hca.ParseDMAWrite(data))
	case "m_data":
		m.bytes = append(m.bytes, append([]byte(nil), data...))
	case "m_rd":
		m.read(hca.ParseReadPiece(data))
	case "m_ard":
		m.word(hca.ParseAtomicAccess(data))
	case "m_awr":
		m.setWord(hca.ParseAtomicAccess(data))
	}
	for len(m.writes) > 0 && len(m.bytes) > 0 {
		m.write(&m.writes[0], m.bytes[0])
		m.writes, m.bytes = m.writes[1:], m.bytes[1:]
	}
}

// Memory answers so many cycles later.
const leastMemoryCycles, mostMemoryCycles = 50, 400

// later is a cycle some time from now.
func (m *rxMemory) later() uint64 {
	return m.end.cycle + leastMemoryCycles + uint64(m.rng.IntN(mostMemoryCycles-leastMemoryCycles))
}

// write does a write, and acknowledges it. Its bytes come in whole beats of memory from the one of its address on.
func (m *rxMemory) write(w *hca.DMAWrite, data []byte) {
	room, lead := m.room(w.Address, w.Bytes), int(w.Address%ResponderBytes)
	ack := hca.DMAAck{Tag: w.Tag, Error: room == nil || len(data) != lead+int(w.Bytes)}
	if !ack.Error {
		copy(room, data[lead:])
	}
	m.end.offerAt(m.later(), "s_mem", 0, ack.Append(nil))
}

// room is where an address of the device's bus leads: into the buffer of a receive WQE, whose number is the upper half
// of the address, or, with none such, to memory. nil: nowhere.
func (m *rxMemory) room(address uint64, n uint16) []byte {
	if room := m.end.At(address, uint32(n)); room != nil {
		return room
	}
	wqe, off := uint32(address>>32), address&0xFFFFFFFF
	if q := m.end.qps[firstQP+wqe>>16&0x7FFF]; q != nil {
		for _, w := range q.given {
			if w.wqe == wqe && off+uint64(n) <= uint64(len(w.buffer)) {
				return w.buffer[off : off+uint64(n)]
			}
		}
	}
	return nil
}

// read answers a piece of a READ: with the bytes of whole lines, of which it asked for some.
func (m *rxMemory) read(p hca.ReadPiece) {
	span := m.end.At(p.Address, uint32(p.Bytes))
	line := make([]byte, int(p.Address%hca.ReadLineBytes)+int(p.Bytes))
	copy(line[p.Address%hca.ReadLineBytes:], span)
	m.end.offerAt(m.later(), "s_rd", hca.ReadUser(p.Tag, span == nil), line)
}

// word answers the read of an atomic, setWord does its write.
func (m *rxMemory) word(a hca.AtomicAccess) {
	answer := hca.AtomicAnswer{Tag: a.Tag, Error: true}
	if at := m.end.At(a.Address, 8); at != nil {
		answer.Error, answer.Data = false, binary.LittleEndian.Uint64(at)
	}
	m.end.offerAt(m.later(), "s_ard", 0, answer.AppendRead(nil))
}

func (m *rxMemory) setWord(a hca.AtomicAccess) {
	at := m.end.At(a.Address, 8)
	if at != nil {
		binary.LittleEndian.PutUint64(at, a.Data)
	}
	answer := hca.AtomicAnswer{Tag: a.Tag, Error: at == nil}
	m.end.offerAt(m.later(), "s_awr", 0, answer.AppendWritten(nil))
}
