package hca

import (
	"bytes"
	"fmt"
	"slices"

	"hcacosim/model/ib"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// hcaTxFlights are the packets of hca_tx that have not left, each QP's in their order. Payloads are read and leave in
// one order: whose turn it was is seen by the addresses that memory is asked for.
type hcaTxFlights struct {
	own   [6]byte
	ways  map[uint32]*FrameWay
	paces hcaTxPaces
	qps   map[uint32][]*hcaTxFlight
	count int // frames that are owed

	gathers []*hcaTxFlight // whose payload is asked for, in that order
	given   [ReadPieces][]hcaTxGiven
	asked   uint64 // pieces
}

// hcaTxFlight is a packet.
type hcaTxFlight struct {
	FrameRecord
	why      FrameWhy // of its record and its way
	cause    hcaTxCause
	earliest uint64 // the first cycle in which it may be given
	due      uint64 // by then its QP's pace lets it go
	answered bool   // of RC
	passed   bool   // it may have left
	dropped  bool   // its QP has failed: it does not leave, but its payload may be read
	may      bool   // it was dropped, and may leave for all that
	gathers  bool
	asks     []ReadPiece // of its payload, to be asked for
	first    uint64      // the number of the first of them
	pieces   []ReadPiece // that were asked for
}

// hcaTxGiven is what memory gave.
type hcaTxGiven struct {
	bytes  []byte
	failed bool
}

func newHcaTxFlights() hcaTxFlights {
	return hcaTxFlights{ways: map[uint32]*FrameWay{}, qps: map[uint32][]*hcaTxFlight{}}
}

// input hears an input.
func (f *hcaTxFlights) input(r *sim.Record) {
	f.paces.take(r)
	switch {
	case r.Port == HcaTxGathered:
		tag := r.User % ReadPieces
		f.given[tag] = append(f.given[tag], hcaTxGiven{bytes.Clone(r.Data), r.User&ReadPieces != 0})
	case r.Port == HcaTxOps && HcaTxTargetOf(r.Data) == ToFrames:
		switch q := hcaTxWayOf(HcaTxRecordOf(r.Data)); q.Op {
		case FrameSet:
			f.ways[q.QPN] = &q.Way
			f.settle(q.QPN)
		case FrameOwn:
			f.own = q.Way.MAC
		}
	}
}

// note takes a packet that the blocks gave.
func (f *hcaTxFlights) note(q FrameRecord, answered bool, cause hcaTxCause) {
	p := &hcaTxFlight{FrameRecord: q, why: q.admit(), cause: cause, answered: answered}
	p.earliest, p.due = f.paces.next(&q, cause.since, cause.cycle)
	if way := f.ways[q.QPN]; way == nil {
		p.why = FrameNoWay
	} else if p.Way = *way; p.why == FrameGood && (way.Encap == wire.EncapNone || way.Encap >= wire.EncapRaw) {
		p.why = FrameEncap
	}
	address, n := q.Gathers()
	p.gathers = n > 0
	for n > 0 {
		piece := framePiece(address, n)
		p.asks = append(p.asks, piece)
		address, n = address+uint64(piece.Bytes), n-int(piece.Bytes)
	}
	f.qps[q.QPN] = append(f.qps[q.QPN], p)
	f.count++
}

// piece judges what memory is asked for.
func (f *hcaTxFlights) piece(r *sim.Record) (v sim.Checked) {
	piece := ParseReadPiece(r.Data)
	p := f.asking(&piece)
	if p == nil {
		v.Rule, v.Cycle = "EXTRA", r.End
		v.Text = fmt.Sprintf("no packet that is next of its QP has %d bytes at %016Xh", piece.Bytes, piece.Address)
		return v
	}
	v = p.cause.checked()
	if len(p.pieces) == 0 {
		p.first = f.asked
		f.gathers = append(f.gathers, p)
	}
	p.pieces, p.asks = append(p.pieces, p.asks[0]), p.asks[1:]
	if uint64(piece.Tag) != f.asked%ReadPieces {
		v.Rule, v.Text = "DATA", fmt.Sprintf("tag %d, want %d", piece.Tag, f.asked%ReadPieces)
	}
	f.asked++
	if r.End < p.earliest {
		v.Rule, v.Text = "EARLY", fmt.Sprintf("at its QP's pace its payload is not read before cycle %d", p.earliest)
	}
	return v
}

// asking is the packet that a piece is of: the one that has been asked for in part, or the next one of some QP.
func (f *hcaTxFlights) asking(piece *ReadPiece) *hcaTxFlight {
	is := func(p *hcaTxFlight) bool { return p.asks[0].Address == piece.Address && p.asks[0].Bytes == piece.Bytes }
	if n := len(f.gathers); n > 0 && len(f.gathers[n-1].asks) > 0 {
		if p := f.gathers[n-1]; is(p) {
			return p
		}
		return nil
	}
	for _, qpn := range sortedKeys(f.qps) {
		for _, p := range f.qps[qpn] {
			if len(p.asks) == 0 {
				continue
			}
			if is(p) {
				return p
			}
			if !p.dropped {
				break
			}
		}
	}
	return nil
}

// gathered is a packet's payload, if all of it has come; good: it could be read.
func (f *hcaTxFlights) gathered(p *hcaTxFlight) (payload []byte, good, there bool) {
	good = true
	if len(p.asks) > 0 || p.gathers && len(p.pieces) == 0 {
		return nil, false, false
	}
	for i := range p.pieces {
		given := f.given[(p.first+uint64(i))%ReadPieces]
		if len(given) == 0 {
			return nil, false, false
		}
		at, end := p.pieces[i].lead(), p.pieces[i].lead()+int(p.pieces[i].Bytes)
		if given[0].failed || len(given[0].bytes) < end {
			good = false
		} else {
			payload = append(payload, given[0].bytes[at:end]...)
		}
	}
	return payload, good, true
}

// release ends the first payload.
func (f *hcaTxFlights) release() {
	p := f.gathers[0]
	f.gathers = f.gathers[1:]
	for i := range p.pieces {
		tag := (p.first + uint64(i)) % ReadPieces
		f.given[tag] = f.given[tag][1:]
	}
}

// passes gives a packet of UC or UD that may have left, and was not given before: all payloads before it are there.
func (f *hcaTxFlights) passes() *hcaTxFlight {
	asked := f.gathers
	for len(asked) > 0 {
		if _, _, there := f.gathered(asked[0]); !there {
			break
		}
		asked = asked[1:]
	}
	for _, qpn := range sortedKeys(f.qps) {
		for _, p := range f.qps[qpn] {
			_, good, there := f.gathered(p)
			if p.answered || p.dropped || p.why != FrameGood || !there || !good || slices.Contains(asked, p) {
				break
			}
			if !p.passed {
				p.passed = true
				return p
			}
		}
	}
	return nil
}

// fails gives a packet that cannot be sent, when tx_frame may have come to it: all payloads before it are there. Its
// frames before it may not have left.
func (f *hcaTxFlights) fails() *hcaTxFlight {
	for len(f.gathers) > 0 && f.gathers[0].dropped {
		p := f.gathers[0]
		_, good, there := f.gathered(p)
		if !there || p.may && good { // it is asked for, so it was given: it leaves
			break
		}
		f.spoil(p)
		f.forget(p)
		f.release()
	}
	for _, p := range f.gathers {
		_, good, there := f.gathered(p)
		if !there {
			break
		}
		if !good && !p.dropped {
			return p
		}
	}
	return f.refused()
}

// refused gives a packet that tx_frame refuses.
func (f *hcaTxFlights) refused() *hcaTxFlight {
	for _, qpn := range sortedKeys(f.qps) {
		for _, p := range f.qps[qpn] {
			if p.why != FrameGood && !p.dropped {
				return p
			}
			if _, good, there := f.gathered(p); p.dropped || !there || !good {
				break
			}
		}
	}
	return nil
}

// drop has no packet of a QP leave from one on: those with a payload stay while it may be read. Behind one that was
// refused a packet of another WQE may leave, if it was given before its QP was closed: until then it is not in error
// (RSP-15), and a payload makes no difference.
func (f *hcaTxFlights) drop(from *hcaTxFlight) {
	var left []*hcaTxFlight
	drops := false
	for _, p := range f.qps[from.QPN] {
		if drops = drops || p == from; drops && !p.dropped {
			p.dropped = true
			p.may = from.why != FrameGood && p.why == FrameGood
			f.count--
		}
		if !p.dropped || p.gathers || p.may {
			left = append(left, p)
		}
	}
	f.qps[from.QPN] = left
}

// spoil has nothing leave behind a packet that might have left, had its payload been read.
func (f *hcaTxFlights) spoil(p *hcaTxFlight) {
	q := f.qps[p.QPN]
	if i := slices.Index(q, p); p.may && i >= 0 {
		for _, behind := range q[i:] {
			behind.may = false
		}
	}
}

// forget takes a packet out of its QP's.
func (f *hcaTxFlights) forget(p *hcaTxFlight) {
	q := f.qps[p.QPN]
	for i := range q {
		if q[i] == p {
			f.qps[p.QPN] = append(q[:i:i], q[i+1:]...)
			return
		}
	}
}

// settle forgets what might have left over the way that a QP had, and was not given: nobody was asked for its payload.
func (f *hcaTxFlights) settle(qpn uint32) {
	f.qps[qpn] = slices.DeleteFunc(f.qps[qpn], func(p *hcaTxFlight) bool { return p.may && len(p.pieces) == 0 })
}

// next is the oldest packet of a QP that is to leave, or that may.
func (f *hcaTxFlights) next(qpn uint32) *hcaTxFlight {
	for _, p := range f.qps[qpn] {
		if !p.dropped || p.may {
			return p
		}
	}
	return nil
}

// frame judges a frame.
func (f *hcaTxFlights) frame(r *sim.Record) (v sim.Checked) {
	var w wire.Packet
	link := wire.LinkEthernet
	if encap := wire.Encap(r.User >> 4 & 7); encap >= wire.EncapIBLocal {
		link = wire.LinkIB
	}
	wire.Decode(link, r.Data, &w)
	v.Cycle = r.End
	bth := w.BTH()
	if bth == nil {
		v.Rule, v.Text = "EXTRA", fmt.Sprintf("%d bytes that are no frame of RoCE", len(r.Data))
		return v
	}
	var first *hcaTxFlight
	for _, qpn := range sortedKeys(f.qps) {
		p := f.next(qpn)
		if first == nil && p != nil && p.Way.PeerQPN == bth.DestQP() {
			first = p
		}
	}
	if first == nil {
		v.Rule = "EXTRA"
		v.Text = fmt.Sprintf("nobody has anything to send to QP %06Xh: %s", bth.DestQP(), hcaTxFrameText(&w))
		return v
	}
	return f.left(first, r, &w)
}

// left judges a frame as the next one of a QP.
func (f *hcaTxFlights) left(p *hcaTxFlight, r *sim.Record, w *wire.Packet) (v sim.Checked) {
	v = p.cause.checked()
	payload, good, there := f.gathered(p)
	f.forget(p)
	f.paces.left(p, f.qps[p.QPN], r.End)
	if !p.may {
		f.count--
	}
	ordered := !p.gathers || len(f.gathers) > 0 && f.gathers[0] == p
	if ordered && p.gathers && there {
		f.release()
	}
	p.dropped, p.may = true, false // where its payload is still to come, it is nobody's
	switch {
	case !there || !good:
		v.Rule, v.Text = "EXTRA", "memory has not given the payload of "+hcaTxFrameText(w)
		return v
	case !ordered:
		v.Rule, v.Text = "ORDER", "its payload was not asked for first: "+hcaTxFrameText(w)
		return v
	case r.End < p.earliest:
		v.Rule, v.Text = "EARLY", fmt.Sprintf("at its QP's pace not before cycle %d: %s", p.earliest, hcaTxFrameText(w))
		return v
	}
	want := p.frame(nil, &p.Way, f.own, payload)
	loc := wire.Locate(p.Way.Encap.Link(), want)
	wire.PutICRC(want, &loc)
	switch user := userBits(1, loc.Encap, loc.Bad.Reason); {
	case !bytes.Equal(want, r.Data):
		v.Rule = "DATA"
		v.Text = fmt.Sprintf("%s of %d bytes, want %s, PSN %06Xh, of %d; differs from byte %d on", hcaTxFrameText(w),
			len(r.Data), ib.Lookup(p.Opcode).Name, uint32(p.PSN), len(want), firstDifference(want, r.Data))
	case r.User != user:
		v.Rule, v.Text = "DATA", fmt.Sprintf("sideband %03Xh, want %03Xh", r.User, user)
	}
	return v
}

// hcaTxFrameText is a frame in words.
func hcaTxFrameText(w *wire.Packet) string {
	name := "an unknown opcode"
	if w.Op != nil {
		name = w.Op.Name
	}
	return fmt.Sprintf("%s to QP %06Xh, PSN %06Xh", name, w.BTH().DestQP(), uint32(w.BTH().PSN()))
}

// waits reports whether memory owes a piece that it was asked for: a payload that has not come holds up what is behind.
func (f *hcaTxFlights) waits() bool {
	for _, p := range f.gathers {
		for i := range p.pieces {
			if len(f.given[(p.first+uint64(i))%ReadPieces]) == 0 {
				return true
			}
		}
	}
	return false
}

// missing gives all frames that have not come.
func (f *hcaTxFlights) missing(give func(sim.Checked)) {
	for _, qpn := range sortedKeys(f.qps) {
		var left []*hcaTxFlight
		for _, p := range f.qps[qpn] {
			if p.dropped {
				left = append(left, p)
				continue
			}
			f.count--
			v := p.cause.checked()
			v.Rule = "MISSING"
			v.Text = fmt.Sprintf("QP %d: %s, PSN %06Xh, has not left", qpn, ib.Lookup(p.Opcode).Name, uint32(p.PSN))
			give(v)
			if p.dropped = true; p.gathers {
				left = append(left, p)
			}
		}
		f.qps[qpn] = left
	}
}

// latest is the last cycle in which a pace lets a packet go that is owed.
func (f *hcaTxFlights) latest() (cycle uint64) {
	for _, q := range f.qps {
		for _, p := range q {
			if !p.dropped {
				cycle = max(cycle, p.due)
			}
		}
	}
	return cycle
}
