package forecast

import (
	"hcacosim/model/hca"
	"hcacosim/model/hca/timed"
	"hcacosim/model/sim"
)

// memory is the host's: it answers what leaves hca_rx, each after its time and in the order in which it was asked. What
// it holds follows from the address, and from the atomics that wrote there.
type memory struct {
	read, write uint64 // clocks
	// Writes whose address left, and not yet their data, and the other way round.
	tags  []uint8
	data  int
	words map[uint64]uint64
	seq   [timed.NumPorts]uint64
}

func newMemory(w *Workload) *memory {
	return &memory{read: max(1, w.clocksOf(w.Host.ReadNs)), write: max(1, w.clocksOf(w.Host.WriteNs)),
		words: map[uint64]uint64{}}
}

// soonest is how long the fastest answer takes.
func (m *memory) soonest() uint64 { return min(m.read, m.write) }

// answer is what memory says to a record that left.
func (m *memory) answer(r *sim.Record) (a timed.Arrival, answers bool) {
	switch r.Port {
	case timed.Writes:
		w := hca.ParseDMAWrite(r.Data)
		m.tags = append(m.tags, w.Tag)
		return m.acknowledge(r)
	case timed.Data:
		m.data++
		return m.acknowledge(r)
	case timed.ReadAsks:
		p := hca.ParseReadPiece(r.Data)
		a = m.offer(timed.ReadData, r.End+m.read, m.piece(&p))
		a.User = hca.ReadUser(p.Tag, false)
	case timed.AtomicReads:
		q := hca.ParseAtomicAccess(append(r.Data[:len(r.Data):len(r.Data)], make([]byte, 8)...))
		said := hca.AtomicAnswer{Tag: q.Tag, Data: m.word(q.Address)}
		a = m.offer(timed.AtomicData, r.End+m.read, said.AppendRead(nil))
	case timed.AtomicWrites:
		q := hca.ParseAtomicAccess(r.Data)
		m.words[q.Address] = q.Data
		said := hca.AtomicAnswer{Tag: q.Tag}
		a = m.offer(timed.AtomicAcks, r.End+m.write, said.AppendWritten(nil))
	default:
		return a, false
	}
	return a, true
}

// acknowledge acknowledges the oldest write when its address and its data have left.
func (m *memory) acknowledge(r *sim.Record) (a timed.Arrival, answers bool) {
	if m.data == 0 || len(m.tags) == 0 {
		return a, false
	}
	said := hca.DMAAck{Tag: m.tags[0]}
	m.tags, m.data = m.tags[1:], m.data-1
	return m.offer(timed.Acks, r.End+m.write, said.Append(nil)), true
}

func (m *memory) offer(port sim.Port, at uint64, data []byte) timed.Arrival {
	m.seq[port]++
	return timed.Arrival{Offer: sim.Offer{NotBefore: at, Seq: m.seq[port] - 1, Port: port, Data: data}}
}

// piece is the frame that has a piece.
func (m *memory) piece(p *hca.ReadPiece) []byte {
	frame := make([]byte, 0, p.Lead()+int(p.Bytes)+8)
	from := p.Address - uint64(p.Lead())
	for at := from; at < p.Address+uint64(p.Bytes); at += 8 {
		for word, k := held(at), 0; k < 8; k++ {
			frame = append(frame, byte(word>>(8*k)))
		}
	}
	return frame[:p.Lead()+int(p.Bytes)]
}

func (m *memory) word(address uint64) uint64 {
	if v, is := m.words[address]; is {
		return v
	}
	return held(address)
}

// held is what memory holds at an address before anything wrote there.
func held(address uint64) uint64 { return (address + 1) * 0x9E3779B97F4A7C15 }
