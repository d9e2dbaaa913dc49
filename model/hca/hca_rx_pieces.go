package hca

import "slices"

// hcaRxPiece is a piece of a READ.
type hcaRxPiece struct {
	ReadPiece
	asked, there, bad bool
	unwanted          bool // its READ has ended
	bytes             []byte
}

// endsBefore reports whether the piece lies in the first n bytes of a READ, of which first is the first piece.
func (p *hcaRxPiece) endsBefore(first *hcaRxPiece, n uint32) bool {
	return p.Address+uint64(p.Bytes)-first.Address <= uint64(n)
}

// hcaRxAsks are the pieces of READs, in the order in which memory is asked for them. Each has one of ReadPieces places
// from when it is asked for until its bytes have left.
type hcaRxAsks struct {
	waiting []*hcaRxPiece // for a place
	asked   []*hcaRxPiece // that have not come
	number  uint64        // asked for so far
	taken   int           // places
}

// ask asks for the next piece, if it has a place.
func (a *hcaRxAsks) ask(s *hcaRxServe, out hcaRxGiver) bool {
	for len(a.waiting) > 0 && a.waiting[0].unwanted {
		a.waiting = a.waiting[1:]
	}
	if len(a.waiting) == 0 || a.taken == ReadPieces {
		return false
	}
	p := a.waiting[0]
	p.Tag, p.asked = uint8(a.number%ReadPieces), true
	out.port(hcaRxReads, p.ReadPiece.Append(s.bytes.room(readRoom)))
	a.waiting, a.asked = a.waiting[1:], append(a.asked, p)
	a.number++
	a.taken++
	return true
}

// take is the piece that a frame of memory is for, nil if none was asked for. One that nobody waits for any more gives
// its place back.
func (a *hcaRxAsks) take(tag uint8) *hcaRxPiece {
	i := slices.IndexFunc(a.asked, func(p *hcaRxPiece) bool { return p.Tag == tag })
	if i < 0 {
		return nil
	}
	p := a.asked[i]
	a.asked, p.there = slices.Delete(a.asked, i, i+1), true
	if p.unwanted {
		a.taken--
	}
	return p
}

// leave has a piece give its place back when it has come; one that was not asked for never is.
func (a *hcaRxAsks) leave(p *hcaRxPiece) {
	if p.unwanted = true; p.there {
		a.taken--
	}
}
