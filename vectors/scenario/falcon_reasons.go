package scenario

import (
	"hcacosim/model/falcon"
	"hcacosim/model/falcon/stage"
)

// Where an output has several reasons, each of them, and each bit of each, comes alone: what stands beside it is
// received, sent or acknowledged, and no reason.

// waited is the ULP's acknowledgement of a data packet. That of the base moves it by one, where the next one waits.
func (p *falconConn) waited(n int) {
	q := p.noise()
	q.Op, q.Select, q.A = stage.WindowAcknowledge, 1, p.base[1]+falcon.PSN(n)
	if p.give(q, "acknowledge: of one bit"); n == 0 {
		p.base[1]++
	}
}

// everyHoleBehind: packets that wait for the ULP make no EACK due, as many as stand at the base; one hole behind them
// does, wherever it is.
func (p *falconConn) everyHoleBehind() {
	p.set(0, 3, 0)
	for n := range 126 {
		p.bit(1, n, true)
		p.ask()
	}
	p.bit(1, 127, true)
	p.ask()
	for range 126 { // the base goes towards the hole
		p.waited(0)
		p.ask()
	}
}

// everyAcked: one packet that is acknowledged makes an EACK due, wherever it is: of data the last of those that wait
// for the ULP, without a hole, of requests that alone.
func (p *falconConn) everyAcked() {
	p.set(0, 3, 0)
	for n := range 128 {
		if p.bit(1, n, true); n >= 126 {
			p.ask()
		}
	}
	p.waited(127)
	for range 127 {
		p.ask()
		p.waited(0)
	}
	p.ask()
	p.set(0, 3, 0)
	p.bit(0, 63, false)
	for range 63 {
		p.ask()
		p.bit(0, 0, false)
		p.base[0]++
	}
	p.ask()
}

// everyPlace: each packet of both windows comes, of data waits for the ULP until that acknowledges it, and comes again,
// every other one before that too.
func (p *falconConn) everyPlace() {
	p.set(0, 3, 0)
	for n := 127; n > 0; n-- {
		p.bit(1, n, true)
		if n%2 == 0 {
			p.bit(1, n, true)
		}
		p.waited(n)
		p.bit(1, n, true)
		if n < 64 {
			p.bit(0, n, false)
			p.bit(0, n, false)
		}
	}
}

// everyReason: each set of the five reasons of an EACK, beside packets at the base that wait for the ULP. The second
// ACK has no OWN left to tell of.
func (p *falconConn) everyReason() {
	for reasons := range 32 {
		p.reasons(reasons, 0)
	}
	for _, reasons := range []int{0, 1, 2, 4, 8, 16} {
		p.reasons(reasons, stage.EACKOnAnyRx)
	}
	p.everyRefused()
	p.everyHalf()
}

func (p *falconConn) reasons(which int, profile stage.WindowProfile) {
	p.set(0, 3, profile)
	for n := range 3 {
		p.bit(1, n, true)
	}
	do := [...]func(){
		func() { p.bit(0, 7, false) }, func() { p.waited(2) }, func() { p.bit(1, 5, true) },
		func() { p.bit(0, 64, false) }, func() { p.bit(1, 128, false) },
	}
	for i := range do {
		if which&1 != 0 { // from the last one
			i = len(do) - 1 - i
		}
		if which>>i&1 != 0 {
			do[i]()
		}
	}
	p.ask()
	p.ask()
}

// everyRefused: an ACK is stale or a ghost by one window, whose base is off by a power of two. Nothing is taken of it.
func (p *falconConn) everyRefused() {
	p.set(1, 3, 0)
	for range 3 {
		p.sendOne(0)
		p.sendOne(1)
	}
	for k := 2; k < 32; k++ {
		for i := range 4 {
			q := p.noise()
			q.Op, q.A, q.B = stage.WindowBACK+stage.WindowOp((k+i/2)&1), p.base[0], p.base[1]
			off := falcon.PSN(1) << k
			if i >= 2 {
				off = -off
			}
			if i&1 == 0 {
				q.A += off
			} else {
				q.B += off
			}
			p.give(q, "ack: one base off by a power of two")
		}
	}
	p.tell([2]uint32{}, 0, falcon.Bitmap{}, falcon.Bitmap{}, 3)
}

// everyGhost: an ACK is refused by one window, whether nothing was sent of it or a packet: one ahead of what was sent,
// as far ahead as a PSN can be, and in between.
func (p *falconConn) everyGhost() {
	for sent := range 2 {
		p.set(1, 3, 0)
		p.fill(sent, sent)
		for k := sent; k <= 32; k++ {
			for window := range 2 {
				q := p.noise()
				q.Op, q.A, q.B = stage.WindowBACK+stage.WindowOp(k&1), p.base[0], p.base[1]
				ahead := falcon.PSN(1) << k
				if k == 32 {
					ahead = 1<<31 - 1
				}
				if window == 0 {
					q.A += ahead
				} else {
					q.B += ahead
				}
				p.give(q, "ack: of what was not sent")
			}
		}
	}
}

// everyAgain: a packet comes for the first time, and again before the ULP acknowledged it, as a RESYNC or not, with
// room or without.
func (p *falconConn) everyAgain() {
	for _, profile := range []stage.WindowProfile{0, stage.DuplicateByRx} {
		p.set(0, 3, profile)
		for flags := range 4 {
			for window := range uint8(2) {
				for _, full := range []bool{flags&2 != 0, false, flags&2 != 0} {
					q := p.noise()
					q.Op, q.Select, q.A = stage.WindowPacket, window, p.base[window]+falcon.PSN(3+flags)
					q.Deferred, q.Resync, q.Refuse = true, flags&1 != 0, full
					p.give(q, "packet: again")
				}
			}
		}
	}
}

// everyHalf: one half of a connection is open, and everything is asked of both.
func (p *falconConn) everyHalf() {
	for half := range uint8(2) {
		p.set(half, 3, 0)
		for op := stage.WindowPacket; op <= stage.WindowEACK; op++ {
			q := p.noise()
			q.Op, q.A, q.B = op, p.base[0], p.base[1]
			p.give(q, "any operation: one half is open")
		}
		for _, size := range []uint8{0, 128} { // a size that is none, then the other half opens
			q := p.noise()
			q.Op, q.Select, q.RequestSize, q.DataSize = stage.WindowSet, half^1, 64, size
			p.give(q, "set: the other half")
		}
	}
}

// tell gives the transmitter an EACK that moves the bases first. Bits 0 and 1 of own are the OWNs of both windows.
func (p *falconConn) tell(move [2]uint32, request uint64, ack, rx falcon.Bitmap, own int) {
	p.base[0], p.base[1] = p.base[0].Add(move[0]), p.base[1].Add(move[1])
	q := p.noise()
	q.Op, q.A, q.B, q.Request, q.DataAck, q.DataRx = stage.WindowEACK, p.base[0], p.base[1], request, ack, rx
	q.RequestOWN, q.DataOWN = own&1 != 0, own&2 != 0
	p.give(q, "eack: that moves the bases")
}

// fill sends as many packets of both windows.
func (p *falconConn) fill(requests, data int) {
	for n := range max(requests, data) {
		if n < data {
			p.sendOne(1)
		}
		if n < requests {
			p.sendOne(0)
		}
	}
}

// everyMissing: of two full windows one packet alone is not missing: one that an EACK acknowledged before, each place
// behind a base that moves, then one that this EACK acknowledges, of data and not named as received, each place.
func (p *falconConn) everyMissing() {
	p.set(1, 0, 0)
	p.fill(64, 128)
	p.tell([2]uint32{}, 1<<63, falcon.Bitmap{Hi: 1 << 63}, falcon.Bitmap{}, 3)
	for n := range 127 {
		move := [2]uint32{0, 1}
		if n < 63 {
			move[0] = 1
		}
		p.tell(move, 0, falcon.Bitmap{}, falcon.Bitmap{}, 3)
	}
	p.set(1, 0, 0)
	p.fill(0, 128)
	for n := range 128 {
		bit := falcon.FirstOnes(uint32(n + 1)).Without(falcon.FirstOnes(uint32(n)))
		if n%2 == 1 && n < 127 { // by the distance of the last one
			p.tell([2]uint32{}, 0, bit, falcon.Bitmap{Hi: 1 << 63}, 1)
		} else {
			p.tell([2]uint32{}, 0, bit, falcon.Bitmap{}, 2)
		}
	}
}

// everyMove: the bases move by each power of two, and the EACK names any packets as acknowledged and any others as
// received, as does the one before it. Each move comes with the OWN of either window, and names the packet that was
// sent last, which the one before it does not.
func (p *falconConn) everyMove() {
	for i, profile := range []stage.WindowProfile{0, stage.DistanceInclusive, stage.AckBitmapIntoRx} {
		p.set(1, uint8(i), profile)
		requests, data := uint32([...]int{64, 64, 32}[i]), uint32([...]int{128, 64, 32}[i])
		p.fill(int(requests), int(data))
		for k := range 5 {
			last := [2]uint32{requests - 1, data - 1}
			p.some([2]uint32{}, k, last)
			p.some([2]uint32{1 << k, 1 << k}, 1+(i+k)%2, last)
			p.fill(1<<k, 1)
			data -= 1<<k - 1
		}
		p.some([...][2]uint32{{32, 64}, {32, 32}, {1, 1}}[i], i, [2]uint32{requests - 1, data - 1})
	}
}

// some tells of one packet in eight; a move tells of the packet that was sent last, too. With OWN
// what is received is at the base: the distance calls for less than all.
func (p *falconConn) some(move [2]uint32, own int, last [2]uint32) {
	eighth := func() uint64 {
		x, y := p.r.Uint64(), p.r.Uint64()
		return x & y & p.r.Uint64()
	}
	few := func(own bool) falcon.Bitmap {
		b := falcon.Bitmap{Hi: eighth(), Lo: eighth()}
		if own {
			return b.And(falcon.FirstOnes(8))
		}
		return b
	}
	said := [3]falcon.Bitmap{few(own&1 != 0), few(false), few(own&2 != 0)} // of requests, acknowledged, received
	for i := range said {
		at := last[min(i, 1)] - move[min(i, 1)]
		bit := falcon.FirstOnes(at + 1).Without(falcon.FirstOnes(at))
		if said[i] = said[i].Without(bit); move[0] > 0 && (i == 0 && own&1 == 0 || i == 1) {
			said[i] = said[i].Or(bit)
		}
	}
	p.tell(move, said[0].Lo, said[1], said[2], own)
}
