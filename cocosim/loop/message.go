package loop

import (
	"encoding/binary"
	"math/rand/v2"

	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// Traffic is what the hosts of a loop want done.
type Traffic struct {
	QPs     int    // connections
	Packets uint64 // new PSNs of all together, at least; both directions share them evenly
	PMTU    uint32 // bytes
	Depth   int    // messages of a connection that are posted at a time
	// PauseNs is how long a connection rests, on average, when all that it has posted has ended; 0: it never rests, and
	// posts the next message as soon as one ends.
	PauseNs uint64
	// Receives is how many receive WQEs a connection has; a share Late of them is posted late: RNR NAKs are needed.
	Receives int
	Late     float64
	Seed     uint64
	NoReads  bool // READs and atomics are SENDs
	// WriteBytes makes every message a WRITE of so many bytes; 0: messages of all kinds and sizes.
	WriteBytes uint32
	// OneWay: end A alone sends.
	OneWay bool
}

// The memory that the peer of a stream opens for it, all behind one key. Nothing is read where something is written: a
// READ that a later WRITE overtakes may return either.
const (
	writeBytes  = 32 << 10
	readBytes   = 32 << 10
	atomicBytes = 64
	spanBytes   = writeBytes + readBytes + atomicBytes
)

// stream is one direction of a connection: the messages that one end sends to the other, by number. Both hosts draw
// them alike.
type stream struct {
	t       *Traffic
	key     uint64 // of the draws
	base    uint64 // address of its span at the peer
	rkey    uint32
	rng     *rand.Rand
	n       uint64            // messages drawn
	psns    uint64            // PSNs that they take
	most    uint64            // of PSNs: enough
	longest uint32            // bytes of a READ, at most
	word    [8]uint64         // of the atomics, behind all messages that were drawn
	data    [writeBytes]uint8 // likewise, of the WRITEs
}

// message is one of a stream.
type message struct {
	work    roce.Work
	payload []byte // of a SEND or WRITE
	before  uint64 // of an atomic: what memory held
	psns    uint64
}

// takesReceive reports whether the message uses a receive WQE.
func (m *message) takesReceive() bool {
	return m.work.Verb == roce.Send || m.work.Verb == roce.Write && m.work.WithImm
}

func newStream(t *Traffic, key, base uint64, rkey uint32) *stream {
	s := &stream{t: t, key: key, base: base, rkey: rkey, rng: rand.New(rand.NewPCG(t.Seed, key)), longest: readBytes}
	s.most = (t.Packets + 2*uint64(t.QPs) - 1) / (2 * uint64(t.QPs))
	if t.OneWay {
		s.most = 2 * s.most * (1 - key&1) // streams of end A have even keys
	}
	return s
}

// over reports whether the stream has drawn all its messages.
func (s *stream) over() bool { return s.psns >= s.most }

// next draws the next message.
func (s *stream) next() (m message) {
	m.work = roce.Work{ID: s.n, Signaled: true, RKey: s.rkey}
	w := &m.work
	switch r := s.rng.IntN(100); {
	case s.t.WriteBytes > 0:
		w.Verb, w.Len, w.VA = roce.Write, s.t.WriteBytes, s.base+s.place(writeBytes, s.t.WriteBytes)
	case r < 40 || r >= 75 && s.t.NoReads:
		w.Verb, w.Len = roce.Send, s.length(4*s.t.PMTU)
		w.WithImm, w.Imm = r < 10, uint32(s.n)
		w.Solicited = r&1 == 0
	case r < 75:
		w.Verb, w.Len = roce.Write, s.length(writeBytes)
		w.WithImm, w.Imm = r < 50, uint32(s.n)
		at := s.place(writeBytes, w.Len)
		w.VA = s.base + at
	case r < 90:
		w.Verb, w.Len = roce.Read, s.length(s.longest)
		w.VA = s.base + writeBytes + s.place(readBytes, w.Len)
	default:
		s.atomic(&m)
	}
	if w.Verb == roce.Send || w.Verb == roce.Write {
		m.payload = make([]byte, w.Len)
		fill(m.payload, s.key<<32|s.n)
	}
	if w.Verb == roce.Write {
		copy(s.data[w.VA-s.base:], m.payload)
	}
	m.psns = uint64(psn.OfRead(w.Len, s.t.PMTU))
	s.psns += m.psns
	s.n++
	return m
}

// length draws a length up to most: often none, a byte, or about a path MTU.
func (s *stream) length(most uint32) uint32 {
	switch s.rng.IntN(8) {
	case 0:
		return uint32(s.rng.IntN(3))
	case 1, 2:
		return min(most, s.t.PMTU-1+uint32(s.rng.IntN(3)))
	case 3:
		return s.rng.Uint32N(most + 1)
	default:
		return s.rng.Uint32N(min(most, 2*s.t.PMTU))
	}
}

func (s *stream) place(room, length uint32) uint64 { return uint64(s.rng.Uint32N(room - length + 1)) }

// atomic draws an atomic. Half of the compares fail.
func (s *stream) atomic(m *message) {
	i := s.rng.IntN(len(s.word))
	w := &m.work
	w.VA, w.Len, m.before = s.base+writeBytes+readBytes+8*uint64(i), 8, s.word[i]
	if w.Verb, w.SwapAdd = roce.FetchAdd, s.rng.Uint64(); s.rng.IntN(2) == 0 {
		s.word[i] += w.SwapAdd
		return
	}
	if w.Verb, w.Compare = roce.CmpSwap, m.before; s.rng.IntN(2) == 0 {
		w.Compare++
		return
	}
	s.word[i] = w.SwapAdd
}

// initial is what a span holds before the first message.
func (s *stream) initial(span []byte) {
	fill(span[writeBytes:writeBytes+readBytes], s.key)
}

// held reports whether a span is as all messages that were drawn leave it.
func (s *stream) held(span []byte) bool {
	for i, word := range s.word {
		if binary.LittleEndian.Uint64(span[writeBytes+readBytes+8*i:]) != word {
			return false
		}
	}
	return string(span[:writeBytes]) == string(s.data[:])
}

// read is what a READ must return.
func (s *stream) read(m *message) []byte {
	all := make([]byte, readBytes)
	fill(all, s.key)
	at := m.work.VA - s.base - writeBytes
	return all[at : at+uint64(m.work.Len)]
}

// fill fills b with bytes that depend on key.
func fill(b []byte, key uint64) {
	var word [8]byte
	for i := 0; i < len(b); i += 8 {
		x := key*0x9e3779b97f4a7c15 + uint64(i)
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		binary.LittleEndian.PutUint64(word[:], x^x>>29)
		copy(b[i:], word[:])
	}
}
