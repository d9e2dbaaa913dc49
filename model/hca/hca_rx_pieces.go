package hca

import "slices"

// hcaRxPiece is a piece of a READ.
type hcaRxPiece struct {
	ReadPiece
	there, bad bool
	unwanted   bool // its READ has ended
	bytes      []byte
}

// hcaRxAsks are the pieces of READs, in the order in which memory is asked for them: each as soon as its tag is free. A
// device may ask later, where it has no room for what comes.
type hcaRxAsks struct {
	waiting []*hcaRxPiece // for a tag
	asked   []*hcaRxPiece // that have not come
	number  uint64        // asked for so far
}

// ask asks for the next piece, if its tag is free. One whose READ has ended is asked for no more.
func (a *hcaRxAsks) ask(s *hcaRxServe, out hcaRxGiver) bool {
	for len(a.waiting) > 0 && a.waiting[0].unwanted {
		a.waiting = a.waiting[1:]
	}
	tag := uint8(a.number % ReadPieces)
	if len(a.waiting) == 0 || a.of(tag) >= 0 {
		return false
	}
	p := a.waiting[0]
	p.Tag = tag
	out.port(hcaRxReads, p.ReadPiece.Append(s.bytes.room(readRoom)))
	a.waiting, a.asked = a.waiting[1:], append(a.asked, p)
	a.number++
	return true
}

// of is the place in asked of the piece with a tag, -1 if there is none.
func (a *hcaRxAsks) of(tag uint8) int {
	return slices.IndexFunc(a.asked, func(p *hcaRxPiece) bool { return p.Tag == tag })
}

// take is the piece that a frame of memory is for, nil if none was asked for.
func (a *hcaRxAsks) take(tag uint8) *hcaRxPiece {
	i := a.of(tag)
	if i < 0 {
		return nil
	}
	p := a.asked[i]
	a.asked, p.there = slices.Delete(a.asked, i, i+1), true
	return p
}
