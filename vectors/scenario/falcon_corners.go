package scenario

import (
	"hcacosim/model/falcon"
	"hcacosim/model/falcon/stage"
)

// What random lives meet by chance only is in every run: an episode of each kind comes among the first 32 of
// falcon-window-edges.

// corners are the episodes, each of fewer records than an episode has.
var corners = [...]func(p *falconConn){
	(*falconConn).everyHole, (*falconConn).everyBit, (*falconConn).everyName, (*falconConn).everyNeighbour,
}

// cornerOf is what an episode begins with; nil: with nothing.
func cornerOf(episode uint64) func(p *falconConn) {
	switch episode % 32 {
	case 19:
		return (*falconConn).everyPlace
	case 22:
		return (*falconConn).everyHoleBehind
	case 23:
		return (*falconConn).everyAcked
	case 25:
		return (*falconConn).everyReason
	case 26:
		return (*falconConn).everyMissing
	case 27:
		return (*falconConn).everyMove
	case 28:
		return (*falconConn).everyFold
	case 30:
		return (*falconConn).everyDistance
	case 31:
		return (*falconConn).wholeWindows
	}
	if episode%8 != 5 {
		return nil
	}
	return corners[episode/8%uint64(len(corners))]
}

// set opens a half of the connection with whole windows, whatever was there before.
func (p *falconConn) set(half uint8, threshold uint8, profile stage.WindowProfile) {
	q := p.noise()
	q.Op = stage.WindowReset
	p.give(q, "reset: before a corner")
	q = p.noise()
	q.Op, q.Select, q.RequestSize, q.DataSize, q.Threshold, q.Profile = stage.WindowSet, half, 64, 128, threshold, profile
	q.A, q.B = drawFalconPSN(p.r), drawFalconPSN(p.r)
	p.base = [2]falcon.PSN{q.A, q.B}
	p.give(q, "set: whole windows")
}

// bit brings the packet of one bit of a receiver's window.
func (p *falconConn) bit(window uint8, n int, deferred bool) {
	q := p.noise()
	q.Op, q.Select, q.A = stage.WindowPacket, window, p.base[window]+falcon.PSN(n)
	q.Deferred, q.Refuse = deferred, false
	p.give(q, "packet: of one bit")
}

func (p *falconConn) ask() {
	q := p.noise()
	q.Op = stage.WindowTake
	p.give(q, "take: of one bit")
}

// everyHole: a packet that waits for the ULP, alone in its window, makes an EACK due by the hole before it, wherever
// it is. Where any packet that waits makes one due, those from the base on do, without a hole.
func (p *falconConn) everyHole() {
	for n := 127; n >= 0; n-- {
		p.set(0, 3, 0)
		p.bit(1, n, true)
		p.ask()
	}
	p.set(0, 3, stage.EACKOnAnyRx)
	for n := range 32 {
		p.bit(1, n, true)
		p.ask()
	}
}

// everyBit: each bit of a bitmap is set alone, from the end, and told by an ACK; with the first the base moves over
// all.
func (p *falconConn) everyBit() {
	p.set(0, 3, 0)
	for window, size := range []int{64, 128} {
		for n := size - 1; n >= 0; n-- {
			p.bit(uint8(window), n, false)
			p.ask()
		}
	}
	p.bit(1, 128+64, false) // a bit of the window before would make it a duplicate
	p.bit(0, 64, false)
	p.ask()
	p.everyGhost()
	p.everyAgain()
}

// everyName: an EACK names each bit of a full window alone. The thresholds are those at which the distance turns.
func (p *falconConn) everyName() {
	for _, x := range []struct {
		threshold uint8
		profile   stage.WindowProfile
	}{{255, 0}, {0, stage.DistanceInclusive}} {
		p.set(1, x.threshold, x.profile)
		for range 128 {
			p.sendOne(1)
		}
		for n := range 128 {
			p.hear(0, falcon.Bitmap{}, falcon.FirstOnes(uint32(n+1)).Without(falcon.FirstOnes(uint32(n))))
		}
	}
	for range 64 {
		p.sendOne(0)
	}
	for range 2 { // the second time it is not new
		p.hear(1<<63, falcon.Bitmap{}, falcon.Bitmap{})
	}
}

// wholeWindows: one ACK of all that both full windows have, as a BACK and as an EACK. Nothing of them is left: what an
// EACK names behind it is of new packets.
func (p *falconConn) wholeWindows() {
	for _, op := range []stage.WindowOp{stage.WindowBACK, stage.WindowEACK} {
		p.set(1, 3, 0)
		for n := range 128 {
			p.sendOne(1)
			if n < 64 {
				p.sendOne(0)
			}
		}
		p.base[0], p.base[1] = p.base[0]+64, p.base[1]+128
		q := p.noise()
		q.Op, q.A, q.B, q.Request, q.DataAck, q.DataRx = op, p.base[0], p.base[1], 0, falcon.Bitmap{}, falcon.Bitmap{}
		p.give(q, "ack: of all of both windows")
		for range 3 {
			p.sendOne(1)
			p.sendOne(0)
		}
		p.hear(1<<1, falcon.Bitmap{Lo: 1 << 1}, falcon.Bitmap{Lo: 1 << 1})
	}
	p.everyThreshold()
}

// everyThreshold: of four packets the last has come; a threshold of all ones in its lower bits makes none of the others
// missing, unless it is small.
func (p *falconConn) everyThreshold() {
	for k := range 9 {
		p.set(1, uint8(1<<k-1), 0)
		for range 4 {
			p.sendOne(1)
		}
		p.hear(0, falcon.Bitmap{}, falcon.Bitmap{Lo: 1 << 3})
	}
}

// everyNeighbour: connections whose numbers differ in one bit, at the edges of the numbers that blocks have, and one
// connection in the first, second and third record behind itself.
func (p *falconConn) everyNeighbour() {
	near := [4]falconConn{*p, *p, *p, *p}
	for _, edge := range []uint32{16, 1024, 16384} {
		for i, n := range []uint32{edge - 1, edge, 0, edge - 2} {
			near[i].number = n
			near[i].set(0, 3, 0)
			near[i].bit(1, 1, false)
		}
		for i := range near {
			near[i].ask()
		}
	}
	for bit := range 14 {
		near[1].number = p.number ^ 1<<bit
		for half := range uint8(2) {
			p.set(half, 3, 0)
			near[1].set(half, 3, 0)
			p.sendOne(1)
			near[1].sendOne(1)
			p.bit(1, 2, true)
			near[1].bit(1, 3, false)
			p.ask()
			near[1].ask()
		}
	}
	for i := range near {
		near[i].number = p.number&^3 + uint32(i)
		near[i].set(0, 3, 0)
	}
	for bit := 4; bit < 24; bit++ { // a number that no device of 16 has, beside a connection
		near[1].number = p.number ^ 1<<bit
		near[1].ask()
	}
	for distance := 1; distance <= 4; distance++ {
		for n := range 12 {
			at := &near[n%distance]
			at.bit(1, 127-n/distance-distance*16, false)
		}
	}
	p.badSizes()
}

// badSizes tries windows one below what they may be, and above it by each power of two.
func (p *falconConn) badSizes() {
	sizes := [][2]uint8{{0, 128}, {64, 0}, {1, 1}}
	for k := range 7 {
		if sizes = append(sizes, [2]uint8{64, 128 + 1<<k}); k < 6 {
			sizes = append(sizes, [2]uint8{64 + 1<<k, 128})
		}
	}
	for _, size := range sizes {
		p.set(0, 3, 0)
		q := p.noise()
		q.Op = stage.WindowReset
		p.give(q, "reset: before a corner")
		q = p.noise()
		q.Op, q.Select, q.RequestSize, q.DataSize = stage.WindowSet, uint8(p.r.Below(2)), size[0], size[1]
		p.give(q, "set: sizes at their bounds")
	}
}

func (p *falconConn) sendOne(window uint8) {
	q := p.noise()
	q.Op, q.Select = stage.WindowSend, window
	p.give(q, "send: for a corner")
}

// hear gives the transmitter an EACK of what the receiver has, which moves nothing.
func (p *falconConn) hear(request uint64, ack, rx falcon.Bitmap) {
	q := p.noise()
	q.Op, q.A, q.B, q.Request, q.DataAck, q.DataRx = stage.WindowEACK, p.base[0], p.base[1], request, ack, rx
	q.RequestOWN, q.DataOWN = false, false
	p.give(q, "eack: of one bit")
}

// everyDistance: what each bit of a wide number does alone. PSNs stand behind the window by a power of two, and by that
// behind one that is in it: nothing but the power tells them apart.
func (p *falconConn) everyDistance() {
	p.set(0, 3, 0)
	p.bit(1, 5, true)
	for k := 7; k < 32; k++ {
		p.bit(uint8(k&1), 1<<k+p.r.Between(6, 63), false)
		q := p.noise()
		q.Op, q.Select, q.A = stage.WindowAcknowledge, 1, p.base[1]+5+1<<k
		p.give(q, "acknowledge: a power of two behind one that waits")
	}
	for window := range uint8(2) { // where ahead turns into behind
		p.bit(window, 1<<31-1, false)
		p.bit(window, 1<<31, false)
	}
	p.set(0, 3, stage.WindowInclusive) // the one just behind the window sets no OWN; those do
	for k := 8; k < 31; k++ {
		p.bit(uint8(k&1), 64<<(k&1)+1<<k, false)
		p.ask()
	}
	p.set(0, 3, 0) // of the requests each bit alone: the base moves towards it one by one
	p.bit(0, 63, false)
	for range 63 {
		p.bit(0, 0, false)
		p.base[0]++
	}
	p.everyOutstanding()
}

// everyFold: where the packet just behind the window sets no OWN, those do whose distance folds to that: two halves
// that add up to it, or differ where it does. Then the base moves over a whole window, with each profile of a base.
func (p *falconConn) everyFold() {
	p.set(0, 3, stage.WindowInclusive)
	for window, size := range []int{64, 128} {
		for k := range 8 {
			for _, n := range []int{1<<(16+k) + size - 1<<k, 1<<(16+k) + size ^ 1<<k, near(p.r, size, 31)} {
				p.bit(uint8(window), n, false)
				p.ask()
			}
		}
	}
	for _, profile := range []stage.WindowProfile{stage.BaseOverReceived, 0} {
		p.set(0, 3, profile)
		for window, size := range []int{64, 128} {
			for n := size - 1; n >= 0; n-- {
				p.bit(uint8(window), n, n%2 == 1 && window == 1)
			}
			p.ask()
			p.bit(uint8(window), size+1, false)
			p.ask()
		}
	}
}

// everyOutstanding: each bit of both windows is the only one that a transmitter waits for. A threshold of 64 or 128 is
// none of 0, for requests too.
func (p *falconConn) everyOutstanding() {
	for _, threshold := range []uint8{64, 128} {
		p.set(1, threshold, 0)
		p.sendOne(0)
		p.sendOne(1)
		p.hear(1<<63, falcon.Bitmap{}, falcon.Bitmap{Hi: 1 << 63})
	}
	for n := range uint32(128) {
		bit := falcon.FirstOnes(n + 1).Without(falcon.FirstOnes(n))
		if n > 0 {
			p.sendOne(1)
			p.hear(0, bit, bit)
		} else {
			p.hear(bit.Lo, bit, bit)
		}
		if n > 0 && n < 64 {
			p.sendOne(0)
			p.hear(bit.Lo, falcon.Bitmap{}, bit)
		}
	}
}
