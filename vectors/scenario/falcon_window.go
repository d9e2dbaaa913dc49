package scenario

import (
	"hcacosim/model/falcon"
	"hcacosim/model/falcon/mode"
	"hcacosim/model/falcon/stage"
	"hcacosim/model/sim"
)

// windowLength is how many records an episode of falcon-window has: a few connections from being set to whatever
// becomes of them.
const windowLength = 600

// makeFalconWindow makes the lives of connections whose transmitter talks to the receiver of the same number, over a
// link that loses, doubles and reorders. Both ends are known, so that what goes wrong goes wrong on purpose.
func makeFalconWindow(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, windowLength, func(r *Rand, e *Episode) {
		peers := make([]windowPeer, [...]int{1, 1, 2, 3, 8}[r.Below(5)])
		for i := range peers {
			peers[i] = windowPeer{r: r, e: e, conn: drawConn(r)}
			if i > 0 && r.OneIn(2) {
				peers[i].conn = peers[i-1].conn ^ 1<<[...]int{0, 5, 9, 10, r.Below(10)}[r.Below(5)] // one bit apart
			}
		}
		for e.Len() < windowLength {
			p := &peers[r.Below(len(peers))]
			for range 1 + r.Below(8) {
				p.step()
			}
		}
	})
}

// drawConn draws a number that every size of the block has, that the default has, or that none has.
func drawConn(r *Rand) uint32 {
	bits := [...]int{2, 4, 4, 4, 4, 6, 10, 10, 10, 10}[r.Below(10)]
	if r.OneIn(16) {
		bits = [...]int{16, 24}[r.Below(2)]
	}
	return uint32(r.Below(1 << bits))
}

// windowPeer is a connection: both of its halves, and what is between them.
type windowPeer struct {
	r    *Rand
	e    *Episode
	conn uint32

	open   [2]bool // receiver, transmitter
	mode   mode.Mode
	anyRx  bool
	rx     [2]falcon.RxWindow
	tx     [2]falcon.TxWindow
	flight []windowFlight
	acks   []falcon.Ack
	pushes []falcon.PSN // received, and the ULP has not spoken
}

// windowFlight is a packet on the link.
type windowFlight struct {
	window uint8
	psn    falcon.PSN
}

// give sends a record. An episode that is full takes no more.
func (p *windowPeer) give(q stage.WindowQuery, why string) {
	if p.e.Len() < windowLength {
		p.e.scratch = q.Append(p.e.scratch[:0])
		p.e.Add(sim.Port(0), 0, p.e.scratch, why)
	}
}

// noise is a record of random fields to the connection.
func (p *windowPeer) noise(op stage.WindowOp) stage.WindowQuery {
	r := p.r
	bitmap := func() falcon.Bitmap { return falcon.Bitmap{Hi: r.Uint64(), Lo: r.Uint64()} }
	return stage.WindowQuery{Op: op, Conn: p.conn, Select: uint8(r.Below(2)), A: falcon.PSN(r.Uint64()),
		B:        falcon.PSN(r.Uint64()),
		Deferred: r.OneIn(2), Resync: r.OneIn(2), Refuse: r.OneIn(2), RequestOWN: r.OneIn(2), DataOWN: r.OneIn(2),
		Request: r.Uint64(),
		DataAck: bitmap(), DataRx: bitmap(), RequestSize: uint8(r.Below(128)), DataSize: uint8(r.Below(256)),
		Threshold: uint8(r.Below(256)),
		Profile:   stage.WindowProfile(r.Below(64))}
}

// step sends one thing, or a few that belong together.
func (p *windowPeer) step() {
	r := p.r
	if r.OneIn(40) { // no size has that connection
		q := p.noise([...]stage.WindowOp{stage.WindowSend, stage.WindowTake, stage.WindowReset}[r.Below(3)])
		q.Conn ^= 1 << r.Between(14, 23)
		p.give(q, "another number")
	}
	switch n := r.Below(64); {
	case !p.open[0] || !p.open[1]:
		p.setUp()
	case n == 0:
		p.meddle()
	case n < 4:
		p.strayPacket()
	case n < 7:
		p.strayAck()
	case n < 8:
		p.acknowledge(true)
	case n < 9:
		p.again()
	case n < 24:
		p.send()
	case n < 42:
		p.deliver()
	case n < 48:
		p.acknowledge(false)
	case n < 54:
		p.take()
	default:
		p.answer()
	}
}

// setUp opens the halves. Sizes are mostly the full ones, sometimes small, sometimes illegal; bases stand before the
// wrap mostly.
func (p *windowPeer) setUp() {
	r := p.r
	if r.OneIn(12) {
		p.give(p.noise(stage.WindowOp(r.Below(6))), "on a half that may be closed")
		p.reset()
		return
	}
	if p.open[0] || p.open[1] {
		p.reset()
	}
	q := p.noise(stage.WindowSet)
	if !r.OneIn(3) {
		near := [...]int{10, 40, 200}[r.Below(3)]
		q.A, q.B = falcon.PSN(-r.Below(near)), falcon.PSN(-r.Below(near))
	}
	q.RequestSize, q.DataSize, q.Threshold = 64, 128, uint8(r.Below(8))
	switch r.Below(8) {
	case 0:
		q.RequestSize, q.DataSize = uint8(1+r.Below(64)), uint8(1+r.Below(128))
	case 1:
		p.giveIllegal(q)
	}
	if !r.OneIn(4) {
		q.Profile = [...]stage.WindowProfile{0, stage.DistanceInclusive | stage.DuplicateByRx}[r.Below(2)]
	}
	for half := range uint8(2) {
		q.Select = half
		p.give(q, "set")
		p.open[half] = true
	}
	p.begin(&q)
	if r.OneIn(4) {
		p.both()
	}
}

// both sends a packet in each window, which arrive, and are acknowledged together.
func (p *windowPeer) both() {
	for i := range p.tx {
		q := p.noise(stage.WindowSend)
		q.Select = uint8(i)
		p.give(q, "send")
		p.tx[i].Next = p.tx[i].Next.Add(1)
		p.packet(uint8(i), p.tx[i].Base, "arrives")
	}
	p.take()
	p.answer()
}

func (p *windowPeer) giveIllegal(q stage.WindowQuery) {
	switch p.r.Below(4) {
	case 0:
		q.RequestSize = 0
	case 1:
		q.DataSize = 0
	case 2:
		q.RequestSize = uint8(p.r.Between(65, 127))
	default:
		q.DataSize = uint8(p.r.Between(129, 255))
	}
	p.give(q, "set with an illegal size")
}

// begin makes what the peer knows that of a connection that was just set.
func (p *windowPeer) begin(q *stage.WindowQuery) {
	has := func(bit stage.WindowProfile) bool { return q.Profile&bit != 0 }
	p.mode = mode.Mode{DuplicateByRx: has(stage.DuplicateByRx), BaseOverReceived: has(stage.BaseOverReceived),
		AckBitmapIntoRx: has(stage.AckBitmapIntoRx), WindowInclusive: has(stage.WindowInclusive)}
	p.anyRx = has(stage.EACKOnAnyRx)
	p.rx = [2]falcon.RxWindow{falcon.NewRxWindow(q.A, q.RequestSize), falcon.NewRxWindow(q.B, q.DataSize)}
	p.tx = [2]falcon.TxWindow{falcon.NewTxWindow(q.A, q.RequestSize), falcon.NewTxWindow(q.B, q.DataSize)}
	p.flight, p.acks, p.pushes = p.flight[:0], p.acks[:0], p.pushes[:0]
}

func (p *windowPeer) reset() {
	p.give(p.noise(stage.WindowReset), "reset")
	p.open = [2]bool{}
}

// meddle does what an open connection does not take, or closes it.
func (p *windowPeer) meddle() {
	if p.r.OneIn(3) {
		p.reset()
		return
	}
	q := p.noise(stage.WindowSet)
	p.give(q, "set of a half that is open")
}

// send lets a few packets leave, till the window is full and once beyond.
func (p *windowPeer) send() {
	r := p.r
	q := p.noise(stage.WindowSend)
	w := &p.tx[q.Select]
	for range 1 + r.Below([...]int{3, 3, 4, 4, 8, 8, 16, 140}[r.Below(8)]) {
		if p.give(q, "send"); w.Full() {
			return
		}
		f := windowFlight{q.Select, w.Next}
		w.Next = w.Next.Add(1)
		if !r.OneIn(10) {
			p.flight = append(p.flight, f)
		}
		if r.OneIn(20) {
			p.flight = append(p.flight, f)
		}
	}
}

// deliver lets packets arrive: the oldest, or one of those behind it.
func (p *windowPeer) deliver() {
	r := p.r
	for range 1 + r.Below(6) {
		if len(p.flight) == 0 {
			p.resend()
			return
		}
		i := 0
		if r.OneIn(3) {
			i = r.Below(min(len(p.flight), [...]int{4, 16, 128}[r.Below(3)]))
		}
		f := p.flight[i]
		p.flight = append(p.flight[:i], p.flight[i+1:]...)
		p.packet(f.window, f.psn, "arrives")
	}
}

// resend puts what is outstanding onto the link again.
func (p *windowPeer) resend() {
	for i := range p.tx {
		for left := p.tx[i].Outstanding(); left.Any(); {
			bit := left.First()
			left.Clear(bit)
			if !p.r.OneIn(4) {
				p.flight = append(p.flight, windowFlight{uint8(i), p.tx[i].Base.Add(bit)})
			}
		}
	}
}

// packet gives a packet to the receiver. Of the data window odd PSNs are Push Data.
func (p *windowPeer) packet(window uint8, psn falcon.PSN, why string) {
	r := p.r
	q := p.noise(stage.WindowPacket)
	q.Select, q.A, q.Resync, q.Refuse = window, psn, r.OneIn(30), r.OneIn(40)
	if window == 1 {
		q.Deferred = psn&1 != 0 && !q.Resync
	}
	p.arrives(q, why)
}

// again gives Push Data again for which the ULP has not spoken, with every flag as it comes.
func (p *windowPeer) again() {
	r := p.r
	if len(p.pushes) == 0 {
		return
	}
	psn := p.pushes[r.Below(len(p.pushes))]
	for range 1 + r.Below(3) {
		q := p.noise(stage.WindowPacket)
		q.Select, q.A = 1, psn
		p.arrives(q, "Push Data comes again, with any flags")
	}
}

// arrives gives a packet to the receiver.
func (p *windowPeer) arrives(q stage.WindowQuery, why string) {
	window, psn := q.Select, q.A
	p.give(q, why)
	if a, _ := p.rx[window].Place(&p.mode, psn, q.Resync); a.Taken() && q.Refuse {
		return
	}
	deferred := window == 1 && q.Deferred
	if p.rx[window].Receive(&p.mode, psn, deferred, q.Resync) == falcon.Received && deferred {
		p.pushes = append(p.pushes, psn)
	}
}

// strayPacket has a PSN at an edge of a window, or anywhere.
func (p *windowPeer) strayPacket() {
	r := p.r
	i := uint8(r.Below(2))
	w := &p.rx[i]
	psn := falcon.PSN(r.Uint64())
	if !r.OneIn(4) {
		// The last one: a power of two behind what is in the window.
		psn = w.Base.Add(uint32([...]int{-1, -2, int(w.Size), int(w.Size) + 1, int(w.Size) - 1, 1 << 31, 1<<31 - 1,
			-r.Below(200), r.Below(int(w.Size)) + 1<<r.Between(7, 30)}[r.Below(9)]))
	}
	p.packet(i, psn, "a packet at an edge")
}

// acknowledge lets the ULP speak: of what waits for it, or of something else.
func (p *windowPeer) acknowledge(stray bool) {
	r := p.r
	q := p.noise(stage.WindowAcknowledge)
	if stray {
		w := &p.rx[q.Select]
		q.A = w.Base.Add(uint32(r.Between(-3, int(w.Size)+3)))
		p.give(q, "an acknowledgement of anything")
		p.rx[q.Select].Acknowledge(&p.mode, q.A)
		return
	}
	for range 1 + r.Below(8) {
		if len(p.pushes) == 0 {
			return
		}
		i := r.Below(min(len(p.pushes), 4))
		q.Select, q.A = 1, p.pushes[i]
		p.pushes = append(p.pushes[:i], p.pushes[i+1:]...)
		p.give(q, "the ULP acknowledges")
		p.rx[1].Acknowledge(&p.mode, q.A)
	}
}

// take lets an ACK leave.
func (p *windowPeer) take() {
	p.give(p.noise(stage.WindowTake), "an ACK leaves")
	a := falcon.Snapshot(&p.rx[0], &p.rx[1], p.anyRx)
	if !p.r.OneIn(8) {
		p.acks = append(p.acks, a)
	}
	if p.r.OneIn(16) {
		p.acks = append(p.acks, a)
	}
}

// answer lets an ACK arrive: the oldest, or a later one before it.
func (p *windowPeer) answer() {
	r := p.r
	if len(p.acks) == 0 {
		p.take()
		return
	}
	i := 0
	if r.OneIn(4) {
		i = r.Below(len(p.acks))
	}
	a := p.acks[i]
	p.acks = append(p.acks[:i], p.acks[i+1:]...)
	q := p.noise(stage.WindowBACK)
	q.A, q.B = a.RequestBase, a.DataBase
	if a.EACK {
		q.Op, q.RequestOWN, q.DataOWN = stage.WindowEACK, a.RequestOWN, a.DataOWN
		q.Request, q.DataAck, q.DataRx = a.Request.Lo, a.DataAck, a.DataRx
	}
	p.give(q, "an ACK arrives")
	p.took(&q)
}

// took moves the transmitter on by an ACK.
func (p *windowPeer) took(q *stage.WindowQuery) {
	if falcon.Judge(&p.tx[0], &p.tx[1], q.A, q.B) != falcon.AckTaken {
		return
	}
	p.tx[0].Advance(q.A)
	p.tx[1].Advance(q.B)
	if q.Op == stage.WindowEACK {
		p.tx[0].Report(&p.mode, falcon.Bitmap{Lo: q.Request}, falcon.Bitmap{})
		p.tx[1].Report(&p.mode, q.DataAck, q.DataRx)
	}
}

// strayAck has a base before or beyond what can be, or bitmaps of anything.
func (p *windowPeer) strayAck() {
	r := p.r
	q := p.noise(stage.WindowBACK + stage.WindowOp(r.Below(2)))
	q.A, q.B = p.tx[0].Base, p.tx[1].Base
	q.Request &= r.Uint64() >> r.Below(64)
	q.DataRx = falcon.Bitmap{Hi: q.DataRx.Hi & r.Uint64(), Lo: q.DataRx.Lo & r.Uint64()}
	q.DataAck = q.DataAck.And(q.DataRx)
	switch b := [...]*falcon.PSN{&q.A, &q.B}[r.Below(2)]; r.Below(5) {
	case 0:
		*b = b.Add(uint32(-1 - r.Below(3)))
	case 1:
		*b = p.tx[0].Next.Add(uint32(r.Between(0, 2)))
	case 2:
		*b = b.Add(uint32([...]int{1 << 31, 1<<31 - 1, 1<<31 + 1}[r.Below(3)]))
	case 3: // all that was sent, and no base moves: the transmitter is idle
		all := ^uint64(0)
		q.Op, q.Request, q.DataAck = stage.WindowEACK, all, falcon.Bitmap{Hi: all, Lo: all}
		q.DataRx = q.DataAck
	}
	p.give(q, "an ACK of anything")
	p.took(&q)
}
