package scenario

import (
	"hcacosim/model/falcon"
	"hcacosim/model/falcon/stage"
	"hcacosim/model/sim"
)

// falconLength is how many records an episode of falcon-window-edges has: a few connections, each with its peer on the
// same block.
const falconLength = 600

// makeFalconEdges makes the lives of Falcon connections. The transmitter and the receiver of a connection talk to each
// other over a link that loses, doubles, delays and reorders; now and then comes what no peer sends.
func makeFalconEdges(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, falconLength, func(r *Rand, e *Episode) {
		spec, _ := stage.Lookup("falcon_window")
		world := &falconWorld{r: r, e: e, model: spec.New(sim.Settings{"NumConns": 1 << 16})}
		conns := make([]falconConn, [...]int{1, 1, 2, 3, 6}[r.Below(5)])
		for i := range conns {
			conns[i] = falconConn{falconWorld: world, number: drawConn(r)}
			if i > 0 && r.OneIn(2) {
				conns[i].number = conns[i-1].number ^ 1<<[...]int{0, 3, 3, 9, r.Below(10)}[r.Below(5)] // one bit apart
			}
		}
		if corner := cornerOf(e.Number); corner != nil {
			conns[0].number &= 15 // every device has it
			conns[0].turn()
			corner(&conns[0])
			conns[0].open = false
		} else {
			conns[0].tour()
		}
		for e.Len() < falconLength {
			p := &conns[r.Below(len(conns))]
			for range 1 + r.Below(12) {
				p.step()
			}
		}
	})
}

// falconWorld is what the connections of an episode share. Its model tells what an ACK has to say, so that the
// transmitter gets it.
type falconWorld struct {
	r     *Rand
	e     *Episode
	model sim.Stage
	in    [1]sim.Record // to model, and what it said
	out   []sim.Record
}

// falconConn is a connection: what was sent in each window and has not arrived, and the ACKs on their way.
type falconConn struct {
	*falconWorld
	number  uint32
	open    bool
	loss    int // one in so many packets; 0: none
	flying  [2][]falcon.PSN
	waiting []falcon.PSN // Push Data that the ULP has not acknowledged
	acks    []stage.WindowQuery
	kept    stage.WindowQuery // an old ACK, to come again
	sizes   [2]uint32
	base    [2]falcon.PSN // of the receiver, last seen
}

// noise is a record of random fields for the connection.
func (p *falconConn) noise() stage.WindowQuery {
	r := p.r
	return stage.WindowQuery{Conn: p.number, Select: uint8(r.Below(2)), A: falcon.PSN(r.Uint64()),
		B:        falcon.PSN(r.Uint64()),
		Deferred: r.OneIn(2), Resync: r.OneIn(2), Refuse: r.OneIn(2), RequestOWN: r.OneIn(2), DataOWN: r.OneIn(2),
		Request: r.Uint64(),
		DataAck: falcon.Bitmap{Lo: r.Uint64(), Hi: r.Uint64()}, DataRx: falcon.Bitmap{Lo: r.Uint64(), Hi: r.Uint64()},
		RequestSize: uint8(r.Below(128)), DataSize: uint8(r.Below(256)), Threshold: uint8(r.Below(256)),
		Profile: stage.WindowProfile(r.Below(64))}
}

// give sends a record and returns what the model says to it.
func (p *falconConn) give(q stage.WindowQuery, why string) (result stage.WindowResult) {
	if p.e.Len() == falconLength {
		return result
	}
	p.e.scratch = q.Append(p.e.scratch[:0])
	p.e.Add(0, 0, p.e.scratch, why)
	p.in[0].Data = p.e.scratch
	p.out = p.model.Advance(0, p.in[:], p.out[:0])
	return stage.ParseWindowResult(p.out[0].Data)
}

func (p *falconConn) step() {
	r := p.r
	switch {
	case !p.open:
		p.setUp()
	case r.OneIn(40):
		p.meddle()
	case r.OneIn(80):
		p.backwards()
	case r.OneIn(80):
		p.overrun()
	case r.OneIn(80):
		p.loseOne()
	case r.OneIn(400):
		q := p.noise()
		q.Op = stage.WindowReset
		p.give(q, "reset: both halves close")
		p.open = false
	case len(p.acks) > 0 && r.OneIn(3):
		p.acked()
	case len(p.waiting) > 0 && r.OneIn(5):
		p.acknowledge()
	case r.OneIn(6):
		p.take()
	case r.OneIn(2):
		p.send()
	default:
		p.arrive()
	}
}

// setUp opens both halves, with bases near the turn of the PSNs or anywhere.
func (p *falconConn) setUp() {
	r := p.r
	q := p.noise()
	q.Op, q.Profile = stage.WindowSet, stage.WindowProfile(r.Below(64))
	if r.OneIn(2) {
		q.Profile = 0
	}
	q.A, q.B = drawFalconPSN(r), drawFalconPSN(r)
	q.RequestSize, q.DataSize = [...]uint8{64, 64, 1, 2, uint8(1 + r.Below(64))}[r.Below(5)], [...]uint8{128, 128, 1, 3,
		uint8(1 + r.Below(128))}[r.Below(5)]
	q.Threshold = [...]uint8{0, 1, 3, 3, 1<<r.Below(8) - 1, uint8(r.Below(16)), uint8(r.Below(256))}[r.Below(7)]
	p.sizes = [2]uint32{uint32(q.RequestSize), uint32(q.DataSize)}
	p.base = [2]falcon.PSN{q.A, q.B}
	p.loss = [...]int{0, 0, 3, 10, 40}[r.Below(5)]
	p.flying, p.waiting, p.acks, p.kept = [2][]falcon.PSN{}, nil, nil, stage.WindowQuery{}
	for half := range uint8(2) {
		q.Select = half
		p.give(q, "set: a half opens")
	}
	p.open = true
}

// drawFalconPSN draws a PSN: at the turn, at powers of two, anywhere.
func drawFalconPSN(r *Rand) falcon.PSN {
	switch r.Below(4) {
	case 0:
		return falcon.PSN(0) - falcon.PSN(r.Below(200))
	case 1:
		return falcon.PSN(1<<r.Below(32)) - falcon.PSN(r.Below(130))
	case 2:
		return falcon.PSN(1<<31) - falcon.PSN(r.Below(130))
	}
	return falcon.PSN(r.Uint64())
}

// send lets the transmitter send a few packets of a window, or one more than it has room for.
func (p *falconConn) send() {
	r := p.r
	window := uint8(r.Below(2))
	n := 1 + r.Below(8)
	if r.OneIn(10) {
		n = int(p.sizes[window]) + 1 // all of it, and one more
	}
	for range n {
		q := p.noise()
		q.Op, q.Select = stage.WindowSend, window
		if a := p.give(q, "send"); a.Why == stage.WindowGood {
			p.flying[window] = append(p.flying[window], a.PSN)
		} else {
			break
		}
	}
}

// arrive brings packets to the receiver: the oldest, another, one twice, or none because it was lost. What was lost is
// sent again later.
func (p *falconConn) arrive() {
	r := p.r
	window := r.Below(2)
	for range 1 + r.Below(12) {
		list := &p.flying[window]
		if len(*list) == 0 {
			return
		}
		i := 0
		if r.OneIn(3) {
			i = r.Below(len(*list))
		}
		psn := (*list)[i]
		*list = append((*list)[:i], (*list)[i+1:]...)
		if p.loss > 0 && r.OneIn(p.loss) {
			*list = append(*list, psn) // it comes again, behind all others
			continue
		}
		if r.OneIn(12) {
			*list = append(*list, psn) // doubled
		}
		p.packet(uint8(window), psn, "packet")
	}
}

func (p *falconConn) packet(window uint8, psn falcon.PSN, why string) {
	r := p.r
	q := p.noise()
	q.Op, q.Select, q.A, q.Deferred, q.Resync, q.Refuse = stage.WindowPacket, window, psn, r.OneIn(3), r.OneIn(20),
		r.OneIn(15)
	a := p.give(q, why)
	switch {
	case a.Why == stage.WindowRefused:
		p.flying[window] = append(p.flying[window], psn)
	case q.Deferred && window == 1 && (a.Why == stage.WindowGood || a.Why == stage.WindowAgain):
		p.waiting = append(p.waiting, psn)
	}
	p.base = [2]falcon.PSN{a.RequestBase, a.DataBase}
}

// backwards fills a window and brings its packets from the last to the first: with the first the base moves over all of
// them.
func (p *falconConn) backwards() {
	window := uint8(p.r.Below(2))
	for p.send1(window) {
	}
	list := p.flying[window]
	p.flying[window] = nil
	for i := len(list) - 1; i >= 0; i-- {
		q := p.noise()
		// The last one may wait for the ULP: then no bitmap but that of what was received tells of it.
		deferred := window == 1 && i == len(list)-1 && p.r.OneIn(5)
		q.Op, q.Select, q.A, q.Deferred, q.Refuse = stage.WindowPacket, window, list[i], deferred, false
		a := p.give(q, "packet: the window from its end")
		if deferred && a.Why == stage.WindowGood {
			p.waiting = append(p.waiting, list[i])
		}
		p.base = [2]falcon.PSN{a.RequestBase, a.DataBase}
		switch {
		case i > 0 && i == len(list)-1 && p.r.OneIn(2): // nothing but the window's last one is there
			p.take()
		case i > 0 && p.r.OneIn(40):
			p.take()
		}
	}
}

// loseOne fills a window and brings all of its packets in order but one of its later half. An ACK says so, which moves
// the base far and names what lies behind it; then the lost one comes.
func (p *falconConn) loseOne() {
	r := p.r
	window := uint8(r.Below(2))
	for p.send1(window) {
	}
	list := p.flying[window]
	p.flying[window] = nil
	if len(list) == 0 {
		return
	}
	lost := r.Between(len(list)/2, len(list)-1)
	bring := func(i int) {
		q := p.noise()
		q.Op, q.Select, q.A, q.Deferred, q.Refuse = stage.WindowPacket, window, list[i], false, false
		a := p.give(q, "packet: of a full window, less one")
		p.base = [2]falcon.PSN{a.RequestBase, a.DataBase}
	}
	for i := range list {
		if i != lost {
			bring(i)
		}
	}
	p.take()
	if n := len(p.acks); n > 0 { // the newest one first
		p.give(p.acks[n-1], "ack: a full window, less one")
		p.acks = p.acks[:n-1]
	}
	bring(lost)
}

// send1 sends a packet of a window and reports whether there was room.
func (p *falconConn) send1(window uint8) bool {
	q := p.noise()
	q.Op, q.Select = stage.WindowSend, window
	a := p.give(q, "send")
	if a.Why == stage.WindowGood && p.e.Len() < falconLength {
		p.flying[window] = append(p.flying[window], a.PSN)
		return true
	}
	return false
}

// overrun brings packets beyond one window or both, then lets an ACK say so; the next one must not say it again.
func (p *falconConn) overrun() {
	r := p.r
	for window := range uint8(2) {
		if !r.OneIn(3) {
			// WindowInclusive: 0 sets no OWN.
			far := [...]int{0, 1 + r.Below(300), 1 + r.Below(300), 1 << r.Below(32)}[r.Below(4)]
			p.packet(window, p.base[window]+falcon.PSN(p.sizes[window])+falcon.PSN(far), "packet: beyond the window")
		}
	}
	p.take()
	p.take()
	if len(p.acks) > 0 {
		p.acked()
	}
}

// acknowledge is the ULP's, of Push Data, in any order, now and then twice.
func (p *falconConn) acknowledge() {
	r := p.r
	for range 1 + r.Below(6) {
		if len(p.waiting) == 0 {
			return
		}
		i := r.Below(len(p.waiting))
		q := p.noise()
		q.Op, q.Select, q.A = stage.WindowAcknowledge, 1, p.waiting[i]
		p.give(q, "acknowledge: the ULP's")
		if !r.OneIn(10) {
			p.waiting = append(p.waiting[:i], p.waiting[i+1:]...)
		}
	}
}

// take makes an ACK of what the receiver has to say and puts it on its way.
func (p *falconConn) take() {
	q := p.noise()
	q.Op = stage.WindowTake
	a := p.give(q, "take: an ACK leaves")
	ack := p.noise()
	ack.Op, ack.A, ack.B = stage.WindowBACK, a.RequestBase, a.DataBase
	if a.EACK {
		ack.Op, ack.Request, ack.DataAck, ack.DataRx = stage.WindowEACK, a.RequestBits, a.DataBits, a.MoreData
		ack.RequestOWN, ack.DataOWN = a.RequestOWN, a.DataOWN
	}
	if !p.r.OneIn(8) {
		p.acks = append(p.acks, ack)
	}
	if p.r.OneIn(10) {
		p.kept = ack
	}
}

// acked brings an ACK to the transmitter: mostly the oldest; late ones are stale.
func (p *falconConn) acked() {
	i := 0
	if p.r.OneIn(5) {
		i = p.r.Below(len(p.acks))
	}
	p.give(p.acks[i], "ack: of what arrived")
	p.acks = append(p.acks[:i], p.acks[i+1:]...)
	if p.r.OneIn(15) && p.kept.Conn == p.number {
		p.give(p.kept, "ack: an old one again")
	}
}

// meddle is what no peer does: packets at the edges of the window, ACKs of what was never sent or with random bitmaps,
// operations on numbers and halves that are not there, sets that are refused.
func (p *falconConn) meddle() {
	r := p.r
	q := p.noise()
	window := r.Below(2)
	edge := p.base[window] + falcon.PSN([...]int{-1, 0, 1, int(p.sizes[window]) - 1, int(p.sizes[window]),
		int(p.sizes[window]) + 1, 128, 256, 1 << 30, 1<<31 - 1, 1 << 31}[r.Below(11)])
	switch r.Below(8) {
	case 0, 1:
		p.packet(uint8(window), edge, "packet: at an edge of the window")
	case 2:
		q.Op, q.Select, q.A = stage.WindowAcknowledge, uint8(window), edge
		p.give(q, "acknowledge: of what did not come")
	case 3:
		q.Op, q.A, q.B = stage.WindowEACK, p.base[0]+falcon.PSN(r.Below(3))-1, p.base[1]+falcon.PSN(r.Below(3))-1
		p.give(q, "eack: random bitmaps at the base")
	case 4:
		q.Op, q.A, q.B = stage.WindowOp(uint8(stage.WindowBACK)+uint8(r.Below(2))), drawFalconPSN(r), drawFalconPSN(r)
		if r.OneIn(2) { // only one of both is wrong, by little or by much
			ahead := falcon.PSN([...]int{1, 65, 129, 200, 1 << 30, 1<<31 - 1, 1 << 31}[r.Below(7)])
			q.A, q.B = p.base[0], p.base[1]
			if r.OneIn(2) {
				q.A += ahead
			} else {
				q.B += ahead
			}
		}
		p.give(q, "ack: of what was never sent")
	case 5:
		q.Op = stage.WindowSet
		if r.OneIn(2) { // a connection that is closed
			q.Conn ^= 1 << r.Below(4)
			q.RequestSize, q.DataSize = [...]uint8{0, 1, 64, 65, 127}[r.Below(5)], [...]uint8{0, 1, 128, 129, 255}[r.Below(5)]
		}
		p.give(q, "set: of a half that is open, or with any size")
	case 6:
		q.Conn, q.Op = drawConn(r), stage.WindowOp(r.Below(7))
		p.give(q, "any operation on any number")
	default:
		q.Conn, q.Op = p.number^1<<16, stage.WindowOp(r.Below(8))
		p.give(q, "a number that no size has")
	}
}
