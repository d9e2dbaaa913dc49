package hca

import "hcacosim/model/sim"

// Decides ECC-1, ECC-2, ECC-3, ECC-4, ECC-5, ECC-6 and ECC-7.

// eccPieceBits is how many data bits of a word have a code of their own (ECC-1).
const eccPieceBits = 64

// wordState is what a look-up finds out about a word (ECC-3).
type wordState uint8

const (
	wordGood wordState = iota
	wordCorrected
	wordFailed // worthless
)

// eccCodeBits are the bits in memory of a piece of k data bits (ECC-2).
//
//	64 data bits: 7 check bits and the parity, 72 in all
func eccCodeBits(k int) int {
	checks := 0
	for 1<<checks < k+checks+1 {
		checks++
	}
	return k + checks + 1
}

// eccMemory is a memory with a code, as far as its wrong bits go: what its words are is their owner's. Bits turn by
// injection only.
type eccMemory struct {
	ends  []int // of the pieces, in bits of the code word
	words map[uint32]wordState

	// The injection that waits for the next write to a word (ECC-4).
	waits         bool
	at            uint32
	first, second int

	// ECC-5. Counts are modulo 256.
	corrected, failed         uint8
	lastCorrected, lastFailed uint32
}

// eccOf is the memory of a build whose settings say that it has a code; nil of one without.
func eccOf(s sim.Settings, width int) *eccMemory {
	if s.Get("Ecc", 0) == 0 {
		return nil
	}
	return newECCMemory(width)
}

// newECCMemory is a memory of words of so many data bits.
func newECCMemory(width int) *eccMemory {
	m := &eccMemory{words: map[uint32]wordState{}}
	for end := 0; width > 0; width -= eccPieceBits {
		end += eccCodeBits(min(width, eccPieceBits))
		m.ends = append(m.ends, end)
	}
	return m
}

func (m *eccMemory) reset() {
	if m == nil {
		return
	}
	*m = eccMemory{ends: m.ends, words: m.words}
	clear(m.words)
}

// piece is the piece that a bit of the code word is in; len(m.ends) where there is no such bit (ECC-1).
func (m *eccMemory) piece(bit int) int {
	for i, end := range m.ends {
		if bit < end {
			return i
		}
	}
	return len(m.ends)
}

// inject has two bits of a word turned by its next write, one where they are the same (ECC-4). It reports whether there
// are such bits.
func (m *eccMemory) inject(at uint32, first, second int) bool {
	if m == nil || m.piece(first) == len(m.ends) || m.piece(second) == len(m.ends) {
		return false
	}
	m.waits, m.at, m.first, m.second = true, at, first, second
	return true
}

// look tells what a look-up of a word finds, and counts it (ECC-3, ECC-5).
func (m *eccMemory) look(at uint32) wordState {
	found := m.words[at]
	switch found {
	case wordCorrected:
		m.corrected++
		m.lastCorrected = at
	case wordFailed:
		m.failed++
		m.lastFailed = at
	}
	return found
}

// write puts a word there that is good but for what an injection turns in it (ECC-3, ECC-4).
func (m *eccMemory) write(at uint32) {
	delete(m.words, at)
	if !m.waits || m.at != at {
		return
	}
	m.waits = false
	m.words[at] = wordCorrected
	if m.first != m.second && m.piece(m.first) == m.piece(m.second) {
		m.words[at] = wordFailed
	}
}

// lost looks a word up for a record that then writes it, and reports whether it was worthless: what was there is gone
// (ECC-6).
func (m *eccMemory) lost(at uint32) bool {
	if m == nil {
		return false
	}
	found := m.look(at)
	m.write(at)
	return found == wordFailed
}

// stays looks a word up for a record that then writes it, unless it was worthless: that it stays until it is written
// anew. It reports whether it was (ECC-7).
func (m *eccMemory) stays(at uint32) bool {
	if m == nil {
		return false
	}
	failed := m.look(at) == wordFailed
	if !failed {
		m.write(at)
	}
	return failed
}

// anew writes a word that nobody looks up first (ECC-7).
func (m *eccMemory) anew(at uint32) {
	if m != nil {
		m.write(at)
	}
}

// lose writes a word that was lost before it came here (ECC-7).
func (m *eccMemory) lose(at uint32) {
	m.write(at)
	m.words[at] = wordFailed
}

// peek looks a word up for a record that does not write it (ECC-7).
func (m *eccMemory) peek(at uint32) bool {
	return m != nil && m.look(at) == wordFailed
}
