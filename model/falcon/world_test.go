package falcon_test

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"slices"

	"hcacosim/model/falcon"
	"hcacosim/model/falcon/mode"
)

// plan is a world to be explored: what is sent, and what the link and the receiver's ULP may do to it.
type plan struct {
	name  string
	small bool // explored also to find faults
	long  bool // explored only with -explore
	mode  mode.Mode
	work  [2][]falcon.Kind // by window
	start [2]falcon.PSN

	request, data uint8 // PSNs of the receiver's windows
	txRequest     uint8 // of the transmitter's; 0: the same
	txData        uint8
	ackCount      uint16
	fcwnd         uint32 // packets; 0: enough
	ncwnd         uint16
	askPercent    uint8
	retries       uint8
	forward, back int // packets in flight
	rack          bool

	// how often; early: a timer that nothing called for; unasked: an ACK that nothing called for
	lose, double, early, unasked int
	// how often: Push Data that the ULP sends back, packets without resources, packets that cannot be delivered
	rnr, refuse, broken int
	fatal               bool
}

// message is on its way back.
type message struct {
	nack bool
	ack  falcon.Ack
	no   falcon.Nack
}

// item is what has happened to a packet of the plan.
type item struct {
	delivered bool // to the transaction sublayer
	waits     bool // for the ULP
	acked     bool // at the receiver
	broken    bool // it cannot be delivered: a Resync may take its place
	completed bool // at the transmitter
}

const maxWork = 8

// world is a transmitter, a receiver, the link between them and what has happened.
type world struct {
	tx      *falcon.Transmitter
	rx      falcon.Receiver
	forward []falcon.Packet
	back    []message
	items   [2][maxWork]item
	sent    [2]uint8

	lost, doubled, early, unasked, rnr, refused, broken uint8
}

// explorer knows a plan and what its worlds are made of.
type explorer struct {
	plan   plan
	txCfg  *falcon.TransmitterConfig
	rxCfg  *falcon.ReceiverConfig
	seeds  [2]maphash.Seed
	wrong  string // the first violation
	graph  graph
	spaced []byte
}

func newExplorer(p plan) *explorer {
	x := &explorer{plan: p, seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}}
	m := &x.plan.mode
	fcwnd, ncwnd := cmp.Or(p.fcwnd, 100)*falcon.CwndOne, cmp.Or(p.ncwnd, 100)
	x.txCfg = &falcon.TransmitterConfig{Mode: m, RequestBase: p.start[0], DataBase: p.start[1],
		RequestWindow: cmp.Or(p.txRequest, p.request),
		DataWindow:    cmp.Or(p.txData, p.data), Fcwnd: fcwnd, Ncwnd: ncwnd, OOOThreshold: 1,
		MaxRetransmits: cmp.Or(p.retries,
			7),
		AckReqPercent: p.askPercent, RTONs: 1000, ULPTimeoutNs: 1000, RACK: p.rack, RACKWindowNs: 0}
	x.rxCfg = &falcon.ReceiverConfig{Mode: m, RequestBase: p.start[0], DataBase: p.start[1], RequestWindow: p.request,
		DataWindow: p.data,
		AckCount:   p.ackCount, AckTimeoutNs: 1000, RACK: p.rack}
	return x
}

func (x *explorer) begin() *world {
	return &world{tx: falcon.NewTransmitter(x.txCfg), rx: falcon.NewReceiver(x.rxCfg)}
}

// clone is a world that shares nothing with another.
func (w *world) clone() *world {
	c := *w
	c.tx = w.tx.Clone()
	c.forward, c.back = slices.Clone(w.forward), slices.Clone(w.back)
	return &c
}

func (x *explorer) fail(format string, args ...any) {
	if x.wrong == "" {
		x.wrong = fmt.Sprintf(format, args...)
	}
}

// item is that of a PSN.
func (x *explorer) item(w *world, win falcon.Window, p falcon.PSN) *item {
	n := p.From(x.plan.start[win])
	if int(n) >= len(x.plan.work[win]) {
		x.fail("PSN %d of the %v was never to be sent", p, win)
		return &item{}
	}
	return &w.items[win][n]
}

// key tells worlds apart. What is in flight has no order.
func (x *explorer) key(w *world) (k [2]uint64) {
	b := w.tx.AppendState(x.spaced[:0])
	b = w.rx.AppendState(b)
	slices.SortFunc(w.forward, comparePackets)
	slices.SortFunc(w.back, compareMessages)
	b = append(b, byte(len(w.forward)), byte(len(w.back)))
	for i := range w.forward {
		b = appendPacket(b, &w.forward[i])
	}
	for i := range w.back {
		b = appendMessage(b, &w.back[i])
	}
	for win := range w.items {
		for i := range x.plan.work[win] {
			it := &w.items[win][i]
			v := byte(0)
			for n, f := range []bool{it.delivered, it.waits, it.acked, it.broken, it.completed} {
				if f {
					v |= 1 << n
				}
			}
			b = append(b, v)
		}
	}
	b = append(b, w.sent[0], w.sent[1], w.lost, w.doubled, w.early, w.unasked, w.rnr, w.refused, w.broken)
	x.spaced = b
	return [2]uint64{maphash.Bytes(x.seeds[0], b), maphash.Bytes(x.seeds[1], b)}
}

func comparePackets(a, b falcon.Packet) int {
	return cmp.Or(cmp.Compare(a.Of.Window(), b.Of.Window()), cmp.Compare(a.PSN, b.PSN), cmp.Compare(a.Kind, b.Kind),
		compareBools(a.AR, b.AR))
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

func compareMessages(a, b message) int {
	var x, y [80]byte
	return slices.Compare(appendMessage(x[:0], &a), appendMessage(y[:0], &b))
}

func appendPacket(b []byte, p *falcon.Packet) []byte {
	ar := byte(0)
	if p.AR {
		ar = 1
	}
	b = append(b, byte(p.Kind), byte(p.Of), byte(p.Code), ar)
	return binary.LittleEndian.AppendUint32(b, uint32(p.PSN))
}

func appendMessage(b []byte, m *message) []byte {
	if m.nack {
		b = append(b, 1, byte(m.no.Window), byte(m.no.Code))
		b = binary.LittleEndian.AppendUint32(b, uint32(m.no.PSN))
		b = binary.LittleEndian.AppendUint32(b, uint32(m.no.RequestBase))
		return binary.LittleEndian.AppendUint32(b, uint32(m.no.DataBase))
	}
	a := &m.ack
	flags := byte(0)
	for i, f := range []bool{a.EACK, a.RequestOWN, a.DataOWN} {
		if f {
			flags |= 1 << i
		}
	}
	b = append(b, 0, flags, byte(a.Request.Lo), byte(a.DataAck.Lo), byte(a.DataRx.Lo))
	b = binary.LittleEndian.AppendUint32(b, uint32(a.RequestBase))
	return binary.LittleEndian.AppendUint32(b, uint32(a.DataBase))
}

// done reports whether everything was sent and is acknowledged.
func (x *explorer) done(w *world) bool {
	if w.tx.Dead() {
		return x.plan.fatal
	}
	for win := range w.items {
		if int(w.sent[win]) != len(x.plan.work[win]) {
			return false
		}
		for i := range x.plan.work[win] {
			if !w.items[win][i].completed {
				return false
			}
		}
	}
	return true
}
