package hca

// Decides DMA-7.

import (
	"hcacosim/model/psn"
	"hcacosim/model/sim"
)

// What read_engine has inside at most, and the size of a piece: docs/blocks/read_engine.md.
const (
	ReadsUnderWay  = 8
	ReadPieces     = 64
	ReadPieceBytes = 256
	// ReadLineBytes: the frame of a piece begins at a multiple of it.
	ReadLineBytes = 128
)

// ReadStatus is what became of a READ.
type ReadStatus uint8

// ReadGivenUp is that of a READ that was interrupted (RSP-7), or that came before a clear.
const (
	ReadDone ReadStatus = iota
	ReadGivenUp
	ReadError
	ReadCleared
)

// Ports of read_engine.
const (
	readPortCommand sim.Port = iota
	readPortData
	readPortPiece
	readPortHeader
	readPortPayload
	readPortRecord
)

// ReadCommand is a record on s_cmd of read_engine.
type ReadCommand struct {
	Clear, Resumed bool
	QPN            uint32 // 24 bits
	PSN            psn.PSN
	Address        uint64
	Bytes          uint32
	PMTU           uint8  // 1 to 5
	MSN            uint32 // 24 bits
	Syndrome       uint8
}

func (c *ReadCommand) layout(l *sim.Layout) {
	l.Flag(&c.Clear)
	l.Flag(&c.Resumed)
	sim.Field(l, &c.QPN, 24)
	sim.Field(l, &c.PSN, psn.Bits)
	l.Wide(&c.Address)
	sim.Field(l, &c.Bytes, 32)
	sim.Field(l, &c.PMTU, 3)
	sim.Field(l, &c.MSN, 24)
	sim.Field(l, &c.Syndrome, 8)
}

var readCommandForm = sim.FormOf((*ReadCommand).layout)

// Append appends the record as it goes over the port.
func (c *ReadCommand) Append(b []byte) []byte {
	return readCommandForm.Append(b, c)
}

// ParseReadCommand reads a record on s_cmd of read_engine.
func ParseReadCommand(b []byte) ReadCommand { return readCommandForm.Parse(b) }

// MTU is how many bytes a response has, but for the last one.
func (c *ReadCommand) MTU() uint32 { return 128 << max(1, min(c.PMTU, 5)) }

// ReadPiece is a record on m_mem of read_engine.
type ReadPiece struct {
	Tag     uint8
	Bytes   uint16 // 1 to 256
	Address uint64
}

func (p *ReadPiece) layout(l *sim.Layout) {
	sim.Field(l, &p.Tag, 6)
	sim.Field(l, &p.Bytes, 9)
	l.Wide(&p.Address)
}

var readPieceForm = sim.FormOf((*ReadPiece).layout)

// Append appends the record as it goes over the port.
func (p *ReadPiece) Append(b []byte) []byte { return readPieceForm.Append(b, p) }

// ParseReadPiece reads a record on m_mem of read_engine.
func ParseReadPiece(b []byte) ReadPiece { return readPieceForm.Parse(b) }

// Lead is how many bytes a frame of the piece has before its first one.
func (p *ReadPiece) Lead() int { return p.lead() }

// lead is how many bytes a frame of the piece has before its first one.
func (p *ReadPiece) lead() int { return int(p.Address % ReadLineBytes) }

// ReadUser is the sideband of a frame on s_mem of read_engine.
func ReadUser(tag uint8, failed bool) uint32 {
	user := uint32(tag % ReadPieces)
	if failed {
		user |= ReadPieces
	}
	return user
}

// ReadHeader is a record on m_hdr of read_engine.
type ReadHeader struct {
	QPN      uint32
	Opcode   uint8
	PSN      psn.PSN
	MSN      uint32
	Syndrome uint8
	Bytes    uint16
	Last     bool
}

func (h *ReadHeader) layout(l *sim.Layout) {
	sim.Field(l, &h.QPN, 24)
	sim.Field(l, &h.Opcode, 8)
	sim.Field(l, &h.PSN, psn.Bits)
	sim.Field(l, &h.MSN, 24)
	sim.Field(l, &h.Syndrome, 8)
	sim.Field(l, &h.Bytes, 13)
	l.Flag(&h.Last)
}

var readHeaderForm = sim.FormOf((*ReadHeader).layout)

// ParseReadHeader reads a record on m_hdr of read_engine.
func ParseReadHeader(b []byte) ReadHeader { return readHeaderForm.Parse(b) }

// ReadRecord is a record on m_rec of read_engine.
type ReadRecord struct {
	QPN    uint32
	PSN    psn.PSN
	Count  uint32 // 24 bits
	Status ReadStatus
}

func (r *ReadRecord) layout(l *sim.Layout) {
	sim.Field(l, &r.QPN, 24)
	sim.Field(l, &r.PSN, psn.Bits)
	sim.Field(l, &r.Count, 24)
	sim.Field(l, &r.Status, 2)
}

var readRecordForm = sim.FormOf((*ReadRecord).layout)

// ParseReadRecord reads a record on m_rec of read_engine.
func ParseReadRecord(b []byte) ReadRecord { return readRecordForm.Parse(b) }

var readEngineSpec = sim.StageSpec{
	Name:    "read_engine",
	Summary: "answers READs, with bytes that memory gives in any order",
	Ports: []sim.PortSpec{
		{Name: "s_cmd", Input: true, Kind: sim.Fields, Bits: 181},
		{Name: "s_mem", Input: true, Kind: sim.Axis, UserBits: 7},
		{Name: "m_mem", Kind: sim.Fields, Bits: 79},
		{Name: "m_hdr", Kind: sim.Fields, Bits: 102},
		{Name: "m_axis", Kind: sim.Axis},
		{Name: "m_rec", Kind: sim.Fields, Bits: 74},
	},
	New:     func(s sim.Settings) sim.Stage { return &readEngine{newReadClock(s.Get("DataWidth", 512) / 8)} },
	Checker: func(s sim.Settings) sim.Checker { return &readJudge{clock: newReadClock(s.Get("DataWidth", 512) / 8)} },
	ByTime:  true,
}

// readEngine is the stage of docs/blocks/read_engine.md with outputs that are never held back.
type readEngine struct{ *readClock }

func (s *readEngine) Reset() { s.readClock = newReadClock(s.beatBytes) }

func (s *readEngine) Advance(to uint64, in, out []sim.Record) []sim.Record {
	give := func(r sim.Record) { out = append(out, r) }
	for i := range in {
		s.run(in[i].End, give)
		s.take(&in[i])
	}
	s.run(to, give)
	return out
}
