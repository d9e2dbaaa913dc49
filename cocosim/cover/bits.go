package cover

import (
	"math/bits"

	"hcacosim/model/sim"
)

// bitCounter counts every bit of a port's records at both values. It looks at the first hit of each alone: a byte
// whose bits were all seen costs a compare.
type bitCounter struct {
	group *Group
	width int
	open  [2][]byte // bits that were not seen yet at 0, and at 1
}

func newBitCounter(g *Group, width int) *bitCounter {
	b := &bitCounter{group: g, width: width}
	b.restart()
	return b
}

// restart forgets what was seen.
func (b *bitCounter) restart() {
	for v := range b.open {
		b.open[v] = b.open[v][:0]
		for left := b.width; left > 0; left -= 8 {
			b.open[v] = append(b.open[v], byte(1<<min(left, 8)-1))
		}
	}
}

func (b *bitCounter) count(s *Sheet, data []byte) {
	for i := range min(len(b.open[0]), len(data)) {
		zeros, ones := b.open[0][i]&^data[i], b.open[1][i]&data[i]
		if zeros|ones == 0 {
			continue
		}
		b.open[0][i] &^= zeros
		b.open[1][i] &^= ones
		for rest := zeros | ones; rest != 0; rest &= rest - 1 {
			at := bits.TrailingZeros8(rest)
			s.hit(b.group, 8*i+at, int(data[i]>>at&1))
		}
	}
}

// waitingInputs are inputs in their order. Their memory is used again.
type waitingInputs struct {
	records []sim.Record
	head    int // of those below nobody is left
}

// push takes a copy of an input.
func (w *waitingInputs) push(r *sim.Record) {
	if w.head >= mostPopped {
		w.compact()
	}
	var data []byte
	if n := len(w.records); n < cap(w.records) {
		data = w.records[:n+1][n].Data[:0]
	}
	w.records = append(w.records, *r)
	in := &w.records[len(w.records)-1]
	in.Data = append(data, r.Data...)
}

// pop gives the oldest, nil for none. It is valid until the next push.
func (w *waitingInputs) pop() *sim.Record {
	if w.head == len(w.records) {
		return nil
	}
	w.head++
	return &w.records[w.head-1]
}

// mostPopped is how many are popped before those that wait move to the front.
const mostPopped = 64

func (w *waitingInputs) compact() {
	n := len(w.records) - w.head
	for i := range n {
		w.records[i], w.records[w.head+i] = w.records[w.head+i], w.records[i]
	}
	w.records, w.head = w.records[:n], 0
}

func (w *waitingInputs) restart() { w.records, w.head = w.records[:0], 0 }
