package hca

import (
	"slices"

	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

// hcaTxPlace is read_place in hca_tx, with what waits for it (docs/blocks/hca_tx.md, Payload).
type hcaTxPlace struct {
	stage   *placeStage
	one     [1]sim.Record
	moved   []sim.Record
	results []PlaceResult // that nobody has heard
	fences  []SQRecord    // operations of sq_retire that wait for what was told before them
	record  []byte
}

func newHcaTxPlace(s sim.Settings) hcaTxPlace {
	return hcaTxPlace{stage: readPlaceSpec.New(s).(*placeStage)}
}

// toPlace gives read_place a record.
func (b *HcaTxBlocks) toPlace(r *PlaceRecord) {
	b.place.record = r.Append(b.place.record[:0])
	b.move(placePortRecord, b.place.record)
}

// move gives read_place an input, and all whom it concerns what comes of it.
func (b *HcaTxBlocks) move(port sim.Port, data []byte) {
	if b.Prompt {
		return
	}
	p := &b.place
	p.one[0] = sim.Record{Start: b.cycle, End: b.cycle, Port: port, Data: data}
	p.moved = p.stage.Advance(b.cycle, p.one[:], p.moved[:0])
	b.heed()
}

// Deepen has read_place take one more record than it has room for, if one waits for that, and reports whether it did.
func (b *HcaTxBlocks) Deepen() (done bool) {
	p := &b.place
	p.one[0] = sim.Record{Start: b.cycle, End: b.cycle}
	p.moved, done = p.stage.deepen(&p.one[0], p.moved[:0])
	b.heed()
	return done
}

// heed tells all whom it concerns what read_place gave.
func (b *HcaTxBlocks) heed() {
	p := &b.place
	for i := range p.moved {
		m := &p.moved[i]
		if m.Port == dmaPortRecord {
			p.results = append(p.results, ParsePlaceResult(m.Data))
			continue
		}
		r := *m
		r.Port, r.Data = HcaTxWrites+m.Port-dmaPortWrite, slices.Clone(m.Data)
		b.Moved = append(b.Moved, r)
	}
	for len(p.results) > 0 {
		r := p.results[0]
		p.results = append(p.results[:0], p.results[1:]...)
		b.placed(&r)
	}
}

// placed is what read_place says: a verdict, that a write failed, or that an operation waited long enough.
func (b *HcaTxBlocks) placed(r *PlaceResult) {
	if r.Op != PlaceClear {
		b.queue(&SQRecord{QPN: r.QPN, Op: SQVerdict, Una: r.Una, Progress: r.Progress, Fail: r.Fail,
			Status: roce.Status(r.Status)})
		if r.Op == PlaceTold {
			b.Fail(r.QPN)
		}
		return
	}
	p := &b.place
	q := p.fences[0]
	p.fences = append(p.fences[:0], p.fences[1:]...)
	b.queue(&q)
}

// fence gives sq_retire a clear or a verdict when everything told of its QP before is in memory: no device does so
// sooner. What the QP waited for goes nowhere from now on.
func (b *HcaTxBlocks) fence(q *SQRecord) {
	p := &b.place
	r := PlaceRecord{Op: PlaceClear, QPN: q.QPN, PSN: q.Una, PMTU: q.Slot & 7}
	if b.Prompt || !p.stage.owes(q.QPN) {
		p.stage.lists.Step(&r)
		b.queue(q)
		return
	}
	p.fences = append(p.fences, *q)
	b.toPlace(&r)
}

// owes reports whether anything of a QP waits for memory.
func (s *placeStage) owes(qpn uint32) bool {
	for i := range s.memory.entries {
		if s.memory.entries[i].QPN == qpn {
			return true
		}
	}
	for i := range s.memory.commands {
		if c := ParseDMACommand(s.memory.commands[i].Data); c.QPN == qpn {
			return true
		}
	}
	return false
}

// ends gives sq_retire a verdict of retry_ctl, behind what was told before it.
func (b *HcaTxBlocks) ends(q *SQRecord) {
	if b.Prompt {
		b.queue(q)
		return
	}
	b.toPlace(&PlaceRecord{Op: PlaceVerdict, QPN: q.QPN, PSN: q.Una, Progress: q.Progress, Fail: q.Fail,
		Status: uint8(q.Status)})
}

// told has read_place hear what req_ack_check said of a response.
func (b *HcaTxBlocks) told(r *HcaTxResponse, a *ReqAnswer) {
	p := PlaceRecord{Op: PlaceTold, QPN: r.QPN, PSN: r.PSN, Data: a.Data, Ended: a.Ended, Value: r.Original}
	if r.HasFrame() {
		p.Bytes = r.Payload
	}
	if p.Data || p.Bytes > 0 {
		b.toPlace(&p)
	}
}

// joins has read_place hear of what goes out for the first time and brings something.
func (b *HcaTxBlocks) joins(a *TxAnswer, w *SQAnswer) {
	if !a.Begins || a.Kind < roce.ReqRead {
		return
	}
	p := PlaceRecord{Op: PlaceSent, QPN: a.QPN, PSN: a.PSN, Kind: PlaceNothing, Address: w.List}
	switch {
	case a.Kind == roce.ReqAtomic:
		p.Kind = PlaceAtomic
	case w.Verb == roce.Read:
		p.Kind = PlaceRead
	}
	b.toPlace(&p)
}

// HasFrame reports whether a frame of s_data belongs to a response: the payload of a READ response (OPC-2).
func (r *HcaTxResponse) HasFrame() bool {
	info := ib.Lookup(r.Opcode)
	return r.Payload > 0 && info != nil && info.Response && info.Transport == ib.RC && info.HasPayload()
}
