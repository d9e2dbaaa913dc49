package cover

import (
	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

// The sheet of read_place.
func init() { declarations["read_place"] = declarePlace }

// Ports of read_place.
const (
	placeRecords sim.Port = iota
	_                     // payload
	placeAcks
	placeWrites // paired with the records that write
	placeData
	placeResults
)

var (
	placeHeads = Axis{"READ", "atomic", "brings nothing", "none outstanding"}
	placeTakes = Axis{"not taken", "taken", "taken, its last"}
	placeOps   = Axis{"a write failed", "clear", "verdict"}
)

// placeSheet is what the sheet knows of a device: the lists, and which writes are answered.
type placeSheet struct {
	o        *Observer
	settings sim.Settings
	lists    *hca.PlaceLists
	memory   *dmaSheet // of the order of answers alone

	responses, sent, far, results *Group
}

// declarePlace: what responses find, how far a READ reaches, in which order memory answers, and what is told.
func declarePlace(o *Observer, s sim.Settings) {
	p := &placeSheet{o: o, settings: s, memory: &dmaSheet{o: o}}
	o.paired = placeWrites
	p.forget()
	o.restart = append(o.restart, p.forget)
	p.declare()
	o.asks = func(in *sim.Record) bool {
		switch in.Port {
		case placeRecords:
			r := hca.ParsePlaceRecord(in.Data)
			return p.record(&r)
		case placeAcks:
			p.memory.ack(in.Data)
		}
		return false
	}
	o.other = func(out *sim.Record) {
		switch out.Port {
		case placeData:
			p.memory.handed++
		case placeResults:
			r := hca.ParsePlaceResult(out.Data)
			o.hit(p.results, int(r.Op)-1, bit(r.Progress), bit(r.Fail))
		}
	}
}

func (p *placeSheet) forget() {
	p.lists = hca.NewPlaceLists(uint32(p.settings.Get("NumQps", 4096)), int(p.settings.Get("Reads", 4)))
	p.memory.forget()
}

func (p *placeSheet) declare() {
	p.responses = p.o.cross("rule: head x response x payload", func(at []int, b *Bin) {
		b.Rules = []string{"REQ-15"}
		if at[1] == 0 || at[0] > 1 {
			b.Rules = []string{"REQ-15", "DMA-3"}
		}
		if at[0] == 3 && at[1] > 0 {
			b.Illegal = "nothing is taken where nothing is outstanding"
		}
		if (at[0] == 1 || at[0] == 2) && at[1] == 1 {
			b.Ignored = "only a READ has more than one response"
		}
	}, placeHeads, placeTakes, noYes)
	p.sent = p.o.cross("rule: READs outstanding where one is sent", func(_ []int, b *Bin) { b.Rules = []string{"REQ-9"} },
		Axis{"none", "some", "as many as there is room for"})
	p.far = p.o.cross("highest bit of a response's PSN less the READ's first", func(at []int, b *Bin) {
		if at[0] == 23 {
			b.Ignored = "a READ has 2^23 responses at most"
		}
	}, bitNames(24))
	p.memory.order = p.o.cross("rule: writes older than the acknowledged one and not acknowledged x handed over x error",
		func(at []int, b *Bin) {
			if b.Rules = []string{"DMA-1", "DMA-2", "DMA-4"}; at[2] == 1 {
				b.Rules = []string{"DMA-5"}
			}
		}, Axis{"0", "1", "2 to 7", "8 and more"}, Axis{"not yet", "whole"}, Axis{"good", "error"})
	p.results = p.o.cross("rule: told x progress x fail", func(at []int, b *Bin) {
		if b.Rules = []string{"DMA-1", "DMA-2"}; at[0] == 0 {
			b.Rules = []string{"DMA-5"}
			if at[1] == 0 || at[2] == 0 {
				b.Illegal = "a write that failed fails its READ"
			}
		}
	}, placeOps, noYes, noYes)
}

// record notes a record, and reports whether it writes.
func (p *placeSheet) record(r *hca.PlaceRecord) bool {
	kind, first, count := p.lists.Head(r.QPN)
	inRange := uint64(r.QPN) < p.settings.Get("NumQps", 4096)
	switch {
	case r.Op == hca.PlaceSent && inRange:
		most := int(p.settings.Get("Reads", 4))
		p.o.hit(p.sent, bit(count > 0)+bit(count == most))
	case r.Op == hca.PlaceTold:
		head := min(int(kind), 2)
		if count == 0 {
			head = 3
		}
		takes := 0
		if r.Data && count > 0 {
			takes = 1 + bit(r.Ended)
		}
		p.o.hit(p.responses, head, takes, bit(r.Bytes > 0))
		if away := r.PSN.Ahead(first); takes > 0 && kind == hca.PlaceRead && away > 0 {
			p.o.hit(p.far, highestBit(away))
		}
	}
	c, _ := p.lists.Step(r)
	writes := c.Place && c.Bytes > 0
	p.memory.begun += uint64(bit(writes))
	return writes
}
