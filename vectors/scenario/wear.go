package scenario

// codeWord is a word in a memory with a code, by docs/ecc.md: the parts of its pieces, which are data, check bits and
// parity, each from its first bit to the bit behind its last.
type codeWord struct {
	parts [][2]int
	max   int // the highest number of a bit that an order can name
}

// partsOfPiece is how many parts a piece has.
const partsOfPiece = 3

// newCodeWord is the code word of so many data bits.
func newCodeWord(width, highest int) *codeWord {
	w := &codeWord{max: highest}
	at := 0
	for ; width > 0; width -= 64 {
		data, checks := min(width, 64), 0
		for 1<<checks < data+checks+1 {
			checks++
		}
		for _, bits := range []int{data, checks, 1} {
			w.parts = append(w.parts, [2]int{at, at + bits})
			at += bits
		}
	}
	return w
}

// draw draws one bit to turn, or two, and says which it is; stops where two are in one piece. Some are not there.
func (w *codeWord) draw(r *Rand) (a, b int, why string, stops bool) {
	all := w.parts[len(w.parts)-1][1]
	first := r.Below(len(w.parts))
	a = w.bit(r, first)
	switch r.Below(8) {
	case 0, 1, 2:
		return a, a, "one bit", false
	case 3:
		if next := (first + partsOfPiece) % len(w.parts); len(w.parts) > partsOfPiece {
			b = w.bit(r, next)
			if r.OneIn(2) { // where the next one begins
				b = w.parts[next/partsOfPiece*partsOfPiece][0]
			}
			if r.OneIn(2) {
				a, b = b, a
			}
			return a, b, "a bit of each piece", false
		}
	case 4:
		b = [...]int{all, all + 1, w.max, r.Between(all, w.max)}[r.Below(4)]
		if r.OneIn(2) {
			return a, b, "a bit that is not there", false
		}
		return b, a, "a bit that is not there", false
	}
	a, b = w.two(r, first)
	return a, b, "two bits of a piece", true
}

// two draws two bits of a piece, one of them of this part; now and then they are one.
func (w *codeWord) two(r *Rand, part int) (a, b int) {
	return w.bit(r, part), w.bit(r, part/partsOfPiece*partsOfPiece+r.Below(partsOfPiece))
}

// bit draws one of a part of the code word, its first and last often.
func (w *codeWord) bit(r *Rand, part int) int {
	from, to := w.parts[part][0], w.parts[part][1]
	return [...]int{from, to - 1, r.Between(from, to-1), r.Between(from, to-1)}[r.Below(4)]
}

// Paces of a wear; 0 is not drawn yet, 2 and 3 are neither of these.
const (
	wearHeavy = 1 // words are lost by the dozen
	wearPlain = 4 // no order that is refused comes behind one that waits
	wearPaces = 4
)

// wear turns bits of words that a scenario's records look up.
type wear struct {
	r    *Rand
	word *codeWord
	last uint32 // whose word was turned last
	pace int

	inject func(at uint32, a, b int, why string)
	counts func()
}

// before may order an injection, or ask for the counts, in front of a record that looks a word up. It reports whether
// two bits of a piece will turn.
func (w *wear) before(at uint32) (stops bool) {
	r := w.r
	if w.pace == 0 {
		w.pace = 1 + r.Below(wearPaces)
	}
	if w.pace == wearHeavy && r.OneIn(3) {
		a, b := w.word.two(r, r.Below(len(w.word.parts)))
		w.inject(at, a, b, "inject: two bits of a piece, again and again")
		return true
	}
	switch r.Below(12) {
	case 0:
		a, b, why, two := w.word.draw(r)
		w.inject(at, a, b, "inject: "+why)
		if r.OneIn(8) { // takes its place
			w.inject([...]uint32{w.last, at ^ 1<<r.Below(6)}[r.Below(2)], a, a, "inject: another word, one bit")
			two = false
		} else if w.pace < wearPlain && r.OneIn(8) { // does not
			w.inject(at, a, w.word.max, "inject: behind one, a bit that is not there")
		}
		w.last = at
		return two
	case 1:
		if r.OneIn(2) {
			w.counts()
		}
	}
	return false
}
