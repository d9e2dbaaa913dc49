package hca

import (
	"encoding/binary"

	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

// Cycles of read_place, as docs/blocks/read_place.md has them: from the acceptance of a record to where its write may
// begin, from that of a beat to where it may move, less what rx_dma has of each; and from a retirement to its record.
const (
	ReadPlaceListCycles   = 4
	ReadPlaceFrameCycles  = 1
	ReadPlaceRecordCycles = 1
)

// PlaceOp is what a record on s_rec or m_rec of read_place is.
type PlaceOp uint8

// A READ or atomic that went out, a response that req_ack_check judged, a QP that is set up anew, a verdict of
// retry_ctl.
const (
	PlaceSent PlaceOp = iota
	PlaceTold         // on m_rec: a write failed
	PlaceClear
	PlaceVerdict
)

// PlaceKind is what the responses of a WQE bring.
type PlaceKind uint8

// What the head of a list can be; 3 is as PlaceNothing.
const (
	PlaceRead PlaceKind = iota
	PlaceAtomic
	PlaceNothing
)

// Ports of read_place: those of its outputs are rx_dma's.
const (
	placePortRecord sim.Port = iota
	placePortPayload
	placePortAck
)

// PlaceRecord is a record on s_rec of read_place. docs/blocks/read_place.md says which op uses what.
type PlaceRecord struct {
	Op             PlaceOp
	QPN            uint32 // 24 bits
	PSN            psn.PSN
	Data, Ended    bool
	Bytes          uint16 // 13 bits
	Kind           PlaceKind
	PMTU           uint8 // 3 bits
	Progress, Fail bool
	Status         uint8 // 4 bits
	Address, Value uint64
}

func (p *PlaceRecord) layout(l *sim.Layout) {
	sim.Field(l, &p.Op, 2)
	sim.Field(l, &p.QPN, 24)
	sim.Field(l, &p.PSN, psn.Bits)
	l.Flag(&p.Data)
	l.Flag(&p.Ended)
	sim.Field(l, &p.Bytes, 13)
	sim.Field(l, &p.Kind, 2)
	sim.Field(l, &p.PMTU, 3)
	l.Flag(&p.Progress)
	l.Flag(&p.Fail)
	sim.Field(l, &p.Status, 4)
	l.Wide(&p.Address)
	l.Wide(&p.Value)
}

var placeRecordForm = sim.FormOf((*PlaceRecord).layout)

// Append appends the record as it goes over the port.
func (p *PlaceRecord) Append(b []byte) []byte {
	return placeRecordForm.Append(b, p)
}

// ParsePlaceRecord reads a record on s_rec of read_place.
func ParsePlaceRecord(b []byte) PlaceRecord { return placeRecordForm.Parse(b) }

// PlaceResult is a record on m_rec of read_place.
type PlaceResult struct {
	QPN            uint32
	Op             PlaceOp
	Una            psn.PSN
	Progress, Fail bool
	Status         uint8
}

func (r *PlaceResult) layout(l *sim.Layout) {
	sim.Field(l, &r.QPN, 24)
	sim.Field(l, &r.Op, 2)
	sim.Field(l, &r.Una, psn.Bits)
	l.Flag(&r.Progress)
	l.Flag(&r.Fail)
	sim.Field(l, &r.Status, 4)
}

var placeResultForm = sim.FormOf((*PlaceResult).layout)

// ParsePlaceResult reads a record on m_rec of read_place.
func ParsePlaceResult(b []byte) PlaceResult { return placeResultForm.Parse(b) }

var readPlaceSpec = sim.StageSpec{
	Name:    "read_place",
	Summary: "places what READ responses and atomics bring, and lets verdicts go when memory has it",
	Ports: []sim.PortSpec{
		{Name: "s_rec", Input: true, Kind: sim.Fields, Bits: 204},
		{Name: "s_axis", Input: true, Kind: sim.Axis},
		{Name: "s_mem", Input: true, Kind: sim.Fields, Bits: 9},
		{Name: "m_mem", Kind: sim.Fields, Bits: 88},
		{Name: "m_axis", Kind: sim.Axis},
		{Name: "m_rec", Kind: sim.Fields, Bits: 56},
	},
	New: func(s sim.Settings) sim.Stage {
		memory := newRxDMA(s.Get("DataWidth", 512)/8, s.Get("Depth", 128), 0) // no QP of its own that could fail
		memory.recordCycles = ReadPlaceRecordCycles
		return &placeStage{memory: memory,
			lists: PlaceLists{numQPs: uint32(s.Get("NumQps", 4096)), reads: int(s.Get("Reads", 4)),
				width: psnWidth(s)}}
	},
	Behind: dmaBehind,
}

// placeStage is the stage of docs/blocks/read_place.md: the lists of READs in front of an rx_dma without QPs.
type placeStage struct {
	memory *rxDMA
	lists  PlaceLists

	sources []placeSource // of records with payload whose payload is not on its way, oldest first
	frames  []sim.Record  // that wait for such a record

	given   []sim.Record // what rx_dma is given in one Advance
	bytes   []byte       // of these
	spent   [][]byte     // memory of frames among these
	results []byte       // of the outputs of one Advance; they share it until the next
}

// placeSource says where the payload of a record comes from.
type placeSource struct {
	isValue bool
	value   uint64
	from    uint64 // the first clock in which it goes on
}

func (s *placeStage) Reset() {
	s.memory.Reset()
	s.lists.reset()
	s.sources, s.frames = s.sources[:0], s.frames[:0]
}

func (s *placeStage) Advance(now uint64, in, out []sim.Record) []sim.Record {
	s.given, s.bytes, s.results = s.given[:0], s.bytes[:0], s.results[:0]
	for i := range in {
		switch r := in[i]; r.Port {
		case placePortRecord:
			s.take(&in[i])
		case placePortPayload:
			r.Data = s.memory.keep(r.Data)
			s.frames = append(s.frames, r)
		default:
			s.given = append(s.given, r)
		}
		s.feed(&in[i])
	}
	at := len(out)
	out = s.memory.Advance(now, s.given, out)
	for i := range out[at:] {
		s.tell(&out[at+i])
	}
	s.memory.spare = append(s.memory.spare, s.spent...)
	s.spent = s.spent[:0]
	return out
}

// deepen has rx_dma take one more entry than it has room for.
func (s *placeStage) deepen(cause *sim.Record, out []sim.Record) ([]sim.Record, bool) {
	s.results = s.results[:0]
	at := len(out)
	out, done := s.memory.deepen(cause, out)
	for i := range out[at:] {
		s.tell(&out[at+i])
	}
	return out, done
}

// take decides on a record.
func (s *placeStage) take(in *sim.Record) {
	p := ParsePlaceRecord(in.Data)
	c, isValue := s.lists.Step(&p)
	from := in.End + ReadPlaceListCycles
	if c.Bytes > 0 {
		s.sources = append(s.sources, placeSource{isValue: isValue, value: p.Value, from: from + 1})
	}
	at := len(s.bytes)
	s.bytes = c.Append(s.bytes)
	s.give(in, placePortRecord, from, from, s.bytes[at:])
}

func (s *placeStage) give(cause *sim.Record, port sim.Port, start, end uint64, data []byte) {
	s.given = append(s.given, sim.Record{Start: start, End: end, Seq: cause.Seq, Key: cause.Key, Port: port,
		Data: data[:len(data):len(data)]})
}

// feed gives what payload is there in the order of the records: frames as they came, and values.
func (s *placeStage) feed(cause *sim.Record) {
	for len(s.sources) > 0 {
		src := s.sources[0]
		switch {
		case src.isValue:
			at := len(s.bytes)
			s.bytes = binary.LittleEndian.AppendUint64(s.bytes, src.value) // the host's order (RSP-12)
			s.give(cause, placePortPayload, src.from, src.from, s.bytes[at:])
		case len(s.frames) > 0:
			f := s.frames[0]
			s.frames = append(s.frames[:0], s.frames[1:]...)
			s.spent = append(s.spent, f.Data)
			start := max(f.Start+ReadPlaceFrameCycles, src.from)
			last := uint64(len(f.Data)-1) / s.memory.beatBytes
			s.give(cause, placePortPayload, start, max(start+last, f.End+ReadPlaceFrameCycles), f.Data)
		default:
			return
		}
		s.sources = append(s.sources[:0], s.sources[1:]...)
	}
}

// tell makes the record of an entry of what rx_dma says of it.
func (s *placeStage) tell(out *sim.Record) {
	if out.Port != dmaPortRecord {
		return
	}
	d := ParseDMARecord(out.Data)
	r := PlaceResult{QPN: d.QPN, Op: PlaceVerdict, Una: psn.New(d.PSN), Progress: d.Solicited, Fail: d.HasImmediate,
		Status: d.Status}
	switch {
	case d.Failed: // a verdict of its own (DMA-5)
		r.Op, r.Progress, r.Fail, r.Status = PlaceTold, true, true, DMAMemoryError
	case d.Cleared:
		r.Op = PlaceClear
	}
	at := len(s.results)
	s.results = placeResultForm.Append(s.results, &r)
	out.Data = s.results[at:len(s.results):len(s.results)]
}

// PlaceLists are the READs and atomics of each QP that are outstanding.
type PlaceLists struct {
	numQPs uint32
	reads  int
	width  roce.Width
	qps    map[uint32]*placeList
}

// mostReads is how many a QP can have outstanding at most.
const mostReads = 16

// placeList is the list of a QP, oldest first.
type placeList struct {
	pmtu  uint8
	width roce.Width
	count int
	reads [mostReads]placeRead
}

type placeRead struct {
	first   psn.PSN
	kind    PlaceKind
	address uint64
}

func (p *PlaceLists) reset() { clear(p.qps) }

// of is the list of a QP that is there.
func (p *PlaceLists) of(qpn uint32) *placeList {
	q, ok := p.qps[qpn]
	if !ok {
		if p.qps == nil {
			p.qps = map[uint32]*placeList{}
		}
		q = &placeList{width: p.width}
		p.qps[qpn] = q
	}
	return q
}

// Step carries a record out: what rx_dma is to do, and whether it is a value that it writes.
func (p *PlaceLists) Step(r *PlaceRecord) (c DMACommand, isValue bool) {
	c = DMACommand{Clear: r.Op == PlaceClear, Complete: r.Op == PlaceVerdict, DMACompletion: DMACompletion{
		Solicited: r.Progress, HasImmediate: r.Fail, Status: r.Status, QPN: r.QPN, PSN: uint32(r.PSN)}}
	if r.Op == PlaceTold {
		c.Bytes = r.Bytes
	}
	if r.QPN >= p.numQPs {
		return c, false
	}
	q := p.of(r.QPN)
	switch r.Op {
	case PlaceSent:
		if q.count < p.reads {
			q.reads[q.count] = placeRead{r.PSN, r.Kind, r.Address}
			q.count++
		}
	case PlaceTold:
		isValue = q.told(r, &c)
	case PlaceClear:
		q.pmtu, q.count = r.PMTU, 0
	}
	return c, isValue
}

// told places what a response brought (REQ-15), and reports whether that is a value. Only the head's is taken (REQ-3).
func (q *placeList) told(r *PlaceRecord, c *DMACommand) (isValue bool) {
	if !r.Data || q.count == 0 {
		return false
	}
	head := &q.reads[0]
	switch {
	case head.kind == PlaceRead:
		c.Place, c.Address = true, head.address+uint64(q.width.Between(r.PSN, head.first))<<(7+q.pmtu)
	case head.kind == PlaceAtomic && r.Bytes == 0:
		c.Place, c.Bytes, c.Address, isValue = true, 8, head.address, true
	}
	if r.Ended {
		q.count--
		copy(q.reads[:], q.reads[1:q.count+1])
	}
	return isValue
}

// NewPlaceLists returns the lists of so many QPs, all empty, of so many READs at most.
func NewPlaceLists(numQPs uint32, reads int) *PlaceLists {
	return &PlaceLists{numQPs: numQPs, reads: reads}
}

// Head is what a QP waits for: the kind of the oldest, its first PSN, and how many are outstanding.
func (p *PlaceLists) Head(qpn uint32) (kind PlaceKind, first psn.PSN, count int) {
	q, ok := p.qps[qpn]
	if !ok || q.count == 0 {
		return PlaceNothing, 0, 0
	}
	return q.reads[0].kind, q.reads[0].first, q.count
}
