package stage

import (
	"hcacosim/model/falcon"
	"hcacosim/model/falcon/mode"
	"hcacosim/model/sim"
)

// FalconWindowLatencyCycles is how many cycles after it went in a record is answered.
const FalconWindowLatencyCycles = 8

// falconWindowConns is NumConns where the device does not say otherwise.
const falconWindowConns = 1024

var falconWindowSpec = sim.StageSpec{
	Name:     "falcon_window",
	Summary:  "keeps both windows of many Falcon connections, at the receiver and at the transmitter",
	Settings: []sim.Setting{{Name: "NumConns", Least: 4, Most: 65536, Power: true}},
	Ports: []sim.PortSpec{
		{Name: "s_rec", Input: true, Kind: sim.Fields, Bits: 446},
		{Name: "m_rec", Kind: sim.Fields, Bits: 530},
	},
	New: func(s sim.Settings) sim.Stage {
		n := s.Get("NumConns", falconWindowConns)
		return &falconWindow{numConns: uint32(n), pages: make([]*[pageConns]*windowConn, (n+pageConns-1)/pageConns)}
	},
}

// rxHalf and txHalf are the halves of a connection that is open.
type rxHalf struct {
	open  bool
	mode  mode.Mode
	anyRx bool
	w     [2]falcon.RxWindow
}

type txHalf struct {
	open      bool
	mode      mode.Mode
	threshold uint8
	w         [2]falcon.TxWindow
}

type windowConn struct {
	rx rxHalf
	tx txHalf
}

// falconWindow is the stage of docs/blocks/falcon_window.md. falcon.RxWindow and falcon.TxWindow decide.
type falconWindow struct {
	numConns uint32
	pages    []*[pageConns]*windowConn // by number; page and connection are made when they are needed first
	seq      uint64
	results  []byte // of one Advance; its outputs share it until the next
}

// pageConns is how many connections have a page: many small devices are made, of which few numbers are used.
const pageConns = 256

// conn is the connection of a number below numConns.
func (s *falconWindow) conn(number uint32) *windowConn {
	page := &s.pages[number/pageConns]
	if *page == nil {
		*page = new([pageConns]*windowConn)
	}
	c := &(*page)[number%pageConns]
	if *c == nil {
		*c = new(windowConn)
	}
	return *c
}

func (s *falconWindow) Reset() {
	clear(s.pages)
	s.seq = 0
}

func (s *falconWindow) Advance(_ uint64, in, out []sim.Record) []sim.Record {
	s.results = s.results[:0]
	for i := range in {
		q := ParseWindowQuery(in[i].Data)
		var r WindowResult
		s.judge(&q, &r)
		at := len(s.results)
		s.results = r.Append(s.results)
		out = s.through(out, &in[i], s.results[at:len(s.results):len(s.results)])
	}
	return out
}

// through appends the output that an input leads to.
func (s *falconWindow) through(out []sim.Record, in *sim.Record, data []byte) []sim.Record {
	out = append(out, sim.Record{})
	r := &out[len(out)-1]
	r.Start, r.End = in.Start+FalconWindowLatencyCycles, in.End+FalconWindowLatencyCycles
	r.Seq, r.Cause, r.Key, r.Port, r.Data = s.seq, in.Seq, in.Key, 1, data
	s.seq++
	return out
}

// judge answers one record and moves its connection on.
func (s *falconWindow) judge(q *WindowQuery, r *WindowResult) {
	r.Conn, r.Op = q.Conn, q.Op
	if q.Conn >= s.numConns {
		r.Why = WindowNoConn
		return
	}
	c := s.conn(q.Conn)
	switch {
	case q.Op == WindowSet && q.Select == 0:
		r.Why = c.rx.set(q)
		c.rx.show(r, c.rx.bases())
	case q.Op == WindowSet:
		r.Why = c.tx.set(q)
		c.tx.show(r, c.tx.bases())
	case q.Op == WindowReset:
		*c = windowConn{}
		r.Idle = true
	case q.Op <= WindowTake && c.rx.open:
		c.rx.do(q, r)
	case q.Op > WindowTake && c.tx.open:
		c.tx.do(q, r)
	default:
		r.Why = WindowNoConn
	}
}

// sizes reports whether a set has legal ones.
func (q *WindowQuery) sizes() bool {
	return q.RequestSize >= 1 && q.RequestSize <= falcon.RequestPSNs && q.DataSize >= 1 && q.DataSize <= falcon.DataPSNs
}

// set opens a receiver.
func (h *rxHalf) set(q *WindowQuery) WindowWhy {
	switch {
	case h.open:
		return WindowIsOpen
	case !q.sizes():
		return WindowIllegal
	}
	*h = rxHalf{open: true, mode: q.Profile.mode(), anyRx: q.Profile&EACKOnAnyRx != 0,
		w: [2]falcon.RxWindow{falcon.NewRxWindow(q.A, q.RequestSize), falcon.NewRxWindow(q.B, q.DataSize)}}
	return WindowGood
}

func (h *rxHalf) bases() [2]falcon.PSN { return [2]falcon.PSN{h.w[0].Base, h.w[1].Base} }

// do does an operation of an open receiver.
func (h *rxHalf) do(q *WindowQuery, r *WindowResult) {
	before := h.bases()
	w := &h.w[q.Select]
	switch q.Op {
	case WindowPacket:
		r.PSN = q.A
		place, _ := w.Place(&h.mode, q.A, q.Resync)
		if r.Why = WindowWhy(place); place.Taken() && q.Refuse {
			r.Why = WindowRefused
		} else {
			w.Receive(&h.mode, q.A, q.Deferred && q.Select == 1, q.Resync)
		}
	case WindowAcknowledge:
		r.PSN = q.A
		if !w.Acknowledge(&h.mode, q.A) {
			r.Why = WindowNotWaited
		}
	case WindowTake:
		a := falcon.Snapshot(&h.w[0], &h.w[1], h.anyRx)
		r.EACK, r.RequestOWN, r.DataOWN = a.EACK, a.RequestOWN, a.DataOWN
		r.RequestBits, r.DataBits, r.MoreData = a.Request.Lo, a.DataAck, a.DataRx
	}
	h.show(r, before)
}

// show fills in what every operation tells of its half.
func (h *rxHalf) show(r *WindowResult, before [2]falcon.PSN) {
	r.RequestBase, r.DataBase = h.w[0].Base, h.w[1].Base
	r.RequestMoved, r.DataMoved = uint8(r.RequestBase.From(before[0])), uint8(r.DataBase.From(before[1]))
	r.Idle = h.w[0].Idle() && h.w[1].Idle()
}

// set opens a transmitter.
func (h *txHalf) set(q *WindowQuery) WindowWhy {
	switch {
	case h.open:
		return WindowIsOpen
	case !q.sizes():
		return WindowIllegal
	}
	*h = txHalf{open: true, mode: q.Profile.mode(), threshold: q.Threshold,
		w: [2]falcon.TxWindow{falcon.NewTxWindow(q.A, q.RequestSize), falcon.NewTxWindow(q.B, q.DataSize)}}
	return WindowGood
}

func (h *txHalf) bases() [2]falcon.PSN { return [2]falcon.PSN{h.w[0].Base, h.w[1].Base} }

// do does an operation of an open transmitter.
func (h *txHalf) do(q *WindowQuery, r *WindowResult) {
	before := h.bases()
	if q.Op == WindowSend {
		if w := &h.w[q.Select]; w.Full() {
			r.Why = WindowFull
		} else {
			r.PSN = w.Next
			w.Next = w.Next.Add(1)
		}
		h.show(r, before)
		return
	}
	switch falcon.Judge(&h.w[0], &h.w[1], q.A, q.B) {
	case falcon.AckStale:
		r.Why = WindowStale
	case falcon.AckGhost:
		r.Why = WindowGhost
	default:
		h.acknowledge(q, r)
	}
	h.show(r, before)
}

// acknowledge takes a BACK or an EACK that can be taken.
func (h *txHalf) acknowledge(q *WindowQuery, r *WindowResult) {
	to := [2]falcon.PSN{q.A, q.B}
	acks := [2]falcon.Bitmap{{Lo: q.Request}, q.DataAck}
	named := [2]falcon.Bitmap{{Lo: q.Request}, q.DataRx}
	own := [2]bool{q.RequestOWN, q.DataOWN}
	var freed, missing [2]falcon.Bitmap
	for i := range h.w {
		w := &h.w[i]
		moved := to[i].From(w.Base)
		freed[i] = w.Advance(to[i])
		if q.Op == WindowEACK {
			freed[i] = freed[i].Or(w.Report(&h.mode, acks[i], named[i]).Up(moved))
			missing[i] = w.Missing(&h.mode, named[i], own[i], h.threshold)
		}
	}
	r.RequestBits, r.MoreRequest = missing[0].Lo, freed[0].Lo
	r.DataBits, r.MoreData = missing[1], freed[1]
}

func (h *txHalf) show(r *WindowResult, before [2]falcon.PSN) {
	r.RequestBase, r.DataBase = h.w[0].Base, h.w[1].Base
	r.RequestMoved, r.DataMoved = uint8(r.RequestBase.From(before[0])), uint8(r.DataBase.From(before[1]))
	r.Idle = !h.w[0].Outstanding().Any() && !h.w[1].Outstanding().Any()
}
