package stage

import (
	"hcacosim/model/falcon"
	"hcacosim/model/falcon/mode"
	"hcacosim/model/sim"
)

// WindowOp is what a record on s_rec of falcon_window is.
type WindowOp uint8

// The operations.
const (
	WindowPacket WindowOp = iota
	WindowAcknowledge
	WindowTake
	WindowSend
	WindowBACK
	WindowEACK
	WindowSet
	WindowReset
)

// WindowWhy says why something was not simply done. The numbers are those of docs/blocks/falcon_window.md; the first
// five are those of falcon.Arrival.
type WindowWhy uint8

// The reasons.
const (
	WindowGood      WindowWhy = 0
	WindowAgain     WindowWhy = 1
	WindowOld       WindowWhy = 2
	WindowDuplicate WindowWhy = 3
	WindowBeyond    WindowWhy = 4
	WindowNoConn    WindowWhy = 5
	WindowNotWaited WindowWhy = 6
	WindowFull      WindowWhy = 7
	WindowStale     WindowWhy = 8
	WindowGhost     WindowWhy = 9
	WindowIllegal   WindowWhy = 10
	WindowIsOpen    WindowWhy = 11
	WindowRefused   WindowWhy = 12
)

// WindowProfile is a set of the readings of mode.Mode that falcon_window knows.
type WindowProfile uint8

// The readings, by bit: the fields of mode.Mode of the same names.
const (
	DistanceInclusive WindowProfile = 1 << iota
	DuplicateByRx
	EACKOnAnyRx
	BaseOverReceived
	AckBitmapIntoRx
	WindowInclusive
)

// mode is the profile as the machines know it.
func (p WindowProfile) mode() mode.Mode {
	has := func(bit WindowProfile) bool { return p&bit != 0 }
	return mode.Mode{DistanceInclusive: has(DistanceInclusive), DuplicateByRx: has(DuplicateByRx),
		EACKOnAnyRx:      has(EACKOnAnyRx),
		BaseOverReceived: has(BaseOverReceived), AckBitmapIntoRx: has(AckBitmapIntoRx), WindowInclusive: has(WindowInclusive)}
}

// WindowQuery is a record on s_rec of falcon_window. docs/blocks/falcon_window.md says which op uses what.
type WindowQuery struct {
	Op     WindowOp
	Conn   uint32
	Select uint8 // window, or half
	A, B   falcon.PSN

	// Of a packet.
	Deferred, Resync, Refuse bool

	// Of an EACK.
	RequestOWN, DataOWN bool
	Request             uint64
	DataAck, DataRx     falcon.Bitmap

	// Of set.
	RequestSize, DataSize, Threshold uint8
	Profile                          WindowProfile
}

// WindowQueryBytes is the size of a record on s_rec of falcon_window: 446 bits.
const WindowQueryBytes = 56

func (q *WindowQuery) layout(l *sim.Layout) {
	sim.Field(l, &q.Conn, 24)
	sim.Field(l, &q.Op, 3)
	sim.Field(l, &q.Select, 1)
	for _, f := range [...]*bool{&q.Deferred, &q.Resync, &q.Refuse, &q.RequestOWN, &q.DataOWN} {
		l.Flag(f)
	}
	sim.Field(l, &q.A, 32)
	sim.Field(l, &q.B, 32)
	l.Wide(&q.Request)
	bitmapField(l, &q.DataAck)
	bitmapField(l, &q.DataRx)
	sim.Field(l, &q.RequestSize, 7)
	sim.Field(l, &q.DataSize, 8)
	sim.Field(l, &q.Threshold, 8)
	sim.Field(l, &q.Profile, 6)
}

var windowQueryForm = sim.FormOf((*WindowQuery).layout)

// bitmapField is a field of 128 bits.
func bitmapField(l *sim.Layout, m *falcon.Bitmap) {
	l.Wide(&m.Lo)
	l.Wide(&m.Hi)
}

// Append appends the record as it goes over the port.
func (q *WindowQuery) Append(b []byte) []byte {
	return windowQueryForm.Append(b, q)
}

// ParseWindowQuery reads a record of WindowQueryBytes.
func ParseWindowQuery(b []byte) WindowQuery { return windowQueryForm.Parse(b) }

// WindowResult is a record on m_rec of falcon_window.
type WindowResult struct {
	Conn                    uint32
	Op                      WindowOp
	Why                     WindowWhy
	EACK                    bool
	PSN                     falcon.PSN
	RequestBase, DataBase   falcon.PSN
	RequestMoved, DataMoved uint8
	Idle                    bool
	RequestOWN, DataOWN     bool
	RequestBits             uint64
	DataBits, MoreData      falcon.Bitmap
	MoreRequest             uint64
}

// WindowResultBytes is the size of a record on m_rec of falcon_window: 530 bits.
const WindowResultBytes = 67

func (r *WindowResult) layout(l *sim.Layout) {
	sim.Field(l, &r.Conn, 24)
	sim.Field(l, &r.Op, 3)
	sim.Field(l, &r.Why, 4)
	l.Flag(&r.EACK)
	sim.Field(l, &r.PSN, 32)
	sim.Field(l, &r.RequestBase, 32)
	sim.Field(l, &r.DataBase, 32)
	sim.Field(l, &r.RequestMoved, 7)
	sim.Field(l, &r.DataMoved, 8)
	l.Flag(&r.Idle)
	l.Flag(&r.RequestOWN)
	l.Flag(&r.DataOWN)
	l.Wide(&r.RequestBits)
	bitmapField(l, &r.DataBits)
	bitmapField(l, &r.MoreData)
	l.Wide(&r.MoreRequest)
}

var windowResultForm = sim.FormOf((*WindowResult).layout)

// Append appends the record as it goes over the port.
func (r *WindowResult) Append(b []byte) []byte {
	return windowResultForm.Append(b, r)
}

// ParseWindowResult reads a record of WindowResultBytes.
func ParseWindowResult(b []byte) WindowResult { return windowResultForm.Parse(b) }
