package field

// idents follows the IPv4 identifications of what one host sends another. Where a host counts them up by one, a number that never
// came is a frame that was lost before the capture point, and one that came twice is a frame that was doubled.
type idents struct {
	started bool
	high    uint16
	seen    [identWindow / 64]uint64 // by identification; those within identWindow behind high
	Frames  uint64
	Missing uint64 // left the window and never came
	Doubled uint64
	jumps   uint64 // steps of more than identStep, which a host that counts by one does not take
	back    uint64
}

const (
	identWindow = 1024
	identStep   = 64
)

func (t *idents) bit(id uint16) (*uint64, uint64) {
	return &t.seen[id%identWindow/64], 1 << (id % 64)
}

// take notes an identification and reports whether it came before.
func (t *idents) take(id uint16) (again bool) {
	t.Frames++
	if !t.started {
		t.started, t.high = true, id
		for i := range t.seen {
			t.seen[i] = ^uint64(0) // what was before the first is not missing
		}
		return false
	}
	step := int16(id - t.high)
	switch {
	case step > identStep || step < -identWindow:
		t.jumps++
		t.high = id
		for i := range t.seen {
			t.seen[i] = ^uint64(0)
		}
	case step > 0:
		for t.high != id {
			t.high++
			word, bit := t.bit(t.high)
			if *word&bit == 0 {
				t.Missing++
			}
			*word &^= bit
		}
		word, bit := t.bit(id)
		*word |= bit
	default:
		word, bit := t.bit(id)
		if *word&bit != 0 {
			t.Doubled++
			return true
		}
		*word |= bit
		t.back++
	}
	return false
}

// lost is how many frames never came, and whether that can be told: the host counts by one.
func (t *idents) lost() (n uint64, known bool) {
	n = t.Missing
	for _, word := range t.seen {
		for ; ^word != 0; word |= word + 1 {
			n++
		}
	}
	return n, t.Frames >= 8 && t.jumps == 0 && n <= t.Frames && t.Doubled < t.Frames/2
}
