package stage

import (
	"hcacosim/model/falcon"
	"hcacosim/model/falcon/mode"
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

// Append appends the record as it goes over the port.
func (q *WindowQuery) Append(b []byte) []byte {
	var w bitWriter
	w.put(uint64(q.Conn), 24)
	w.put(uint64(q.Op), 3)
	w.put(uint64(q.Select), 1)
	for _, f := range [...]bool{q.Deferred, q.Resync, q.Refuse, q.RequestOWN, q.DataOWN} {
		w.flag(f)
	}
	w.put(uint64(q.A), 32)
	w.put(uint64(q.B), 32)
	w.put(q.Request, 64)
	w.bitmap(q.DataAck)
	w.bitmap(q.DataRx)
	w.put(uint64(q.RequestSize), 7)
	w.put(uint64(q.DataSize), 8)
	w.put(uint64(q.Threshold), 8)
	w.put(uint64(q.Profile), 6)
	return append(b, w.b[:WindowQueryBytes]...)
}

// ParseWindowQuery reads a record of WindowQueryBytes.
func ParseWindowQuery(b []byte) (q WindowQuery) {
	r := bitReader{b: b}
	q.Conn, q.Op, q.Select = uint32(r.get(24)), WindowOp(r.get(3)), uint8(r.get(1))
	q.Deferred, q.Resync, q.Refuse, q.RequestOWN, q.DataOWN = r.flag(), r.flag(), r.flag(), r.flag(), r.flag()
	q.A, q.B = falcon.PSN(r.get(32)), falcon.PSN(r.get(32))
	q.Request, q.DataAck, q.DataRx = r.get(64), r.bitmap(), r.bitmap()
	q.RequestSize, q.DataSize, q.Threshold = uint8(r.get(7)), uint8(r.get(8)), uint8(r.get(8))
	q.Profile = WindowProfile(r.get(6))
	return q
}

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

// Append appends the record as it goes over the port.
func (r *WindowResult) Append(b []byte) []byte {
	var w bitWriter
	w.put(uint64(r.Conn), 24)
	w.put(uint64(r.Op), 3)
	w.put(uint64(r.Why), 4)
	w.flag(r.EACK)
	w.put(uint64(r.PSN), 32)
	w.put(uint64(r.RequestBase), 32)
	w.put(uint64(r.DataBase), 32)
	w.put(uint64(r.RequestMoved), 7)
	w.put(uint64(r.DataMoved), 8)
	w.flag(r.Idle)
	w.flag(r.RequestOWN)
	w.flag(r.DataOWN)
	w.put(r.RequestBits, 64)
	w.bitmap(r.DataBits)
	w.bitmap(r.MoreData)
	w.put(r.MoreRequest, 64)
	return append(b, w.b[:WindowResultBytes]...)
}

// ParseWindowResult reads a record of WindowResultBytes.
func ParseWindowResult(b []byte) (r WindowResult) {
	in := bitReader{b: b}
	r.Conn, r.Op, r.Why, r.EACK = uint32(in.get(24)), WindowOp(in.get(3)), WindowWhy(in.get(4)), in.flag()
	r.PSN, r.RequestBase, r.DataBase = falcon.PSN(in.get(32)), falcon.PSN(in.get(32)), falcon.PSN(in.get(32))
	r.RequestMoved, r.DataMoved = uint8(in.get(7)), uint8(in.get(8))
	r.Idle, r.RequestOWN, r.DataOWN = in.flag(), in.flag(), in.flag()
	r.RequestBits, r.DataBits, r.MoreData, r.MoreRequest = in.get(64), in.bitmap(), in.bitmap(), in.get(64)
	return r
}

// bitWriter packs fields from bit 0 of byte 0 up.
type bitWriter struct {
	b [72]byte
	n uint
}

// put packs the low bits of a value.
func (w *bitWriter) put(v uint64, bits uint) {
	for bits > 0 {
		take := min(bits, 8-w.n%8)
		w.b[w.n/8] |= byte(v&(1<<take-1)) << (w.n % 8)
		v >>= take
		w.n += take
		bits -= take
	}
}

func (w *bitWriter) flag(f bool) {
	if f {
		w.put(1, 1)
	} else {
		w.put(0, 1)
	}
}

func (w *bitWriter) bitmap(m falcon.Bitmap) {
	w.put(m.Lo, 64)
	w.put(m.Hi, 64)
}

// bitReader takes fields apart as bitWriter packs them.
type bitReader struct {
	b []byte
	n uint
}

func (r *bitReader) get(bits uint) (v uint64) {
	for at := uint(0); at < bits; {
		take := min(bits-at, 8-r.n%8)
		v |= uint64(r.b[r.n/8]>>(r.n%8)&(1<<take-1)) << at
		r.n += take
		at += take
	}
	return v
}

func (r *bitReader) flag() bool { return r.get(1) != 0 }

func (r *bitReader) bitmap() (m falcon.Bitmap) {
	m.Lo = r.get(64)
	m.Hi = r.get(64)
	return m
}
