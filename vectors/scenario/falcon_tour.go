package scenario

import (
	"hcacosim/model/falcon"
	"hcacosim/model/falcon/stage"
)

// falconTourJump is how many packets a lost one holds up in the tour: half of a full data window.
const falconTourJump = 64

// tour begins an episode: both bases turn the bit whose turn it is, then, in every fourth, the data base moves by half
// a window or a whole one at once.
func (p *falconConn) tour() {
	number := p.number
	p.number = uint32(p.r.Below(4)) // there under every NumConns
	data := p.turn()
	if p.e.Number%4 == 0 {
		jump := falconTourJump << (p.e.Number / 4 % 2)
		for i := range jump {
			p.tourPacket(1, data+1+falcon.PSN((i+1)%jump))
		}
	}
	p.tourReset()
	p.number = number
}

// turn lets the bases of both windows, at the receiver, and what is sent next, at the transmitter, turn the bit whose
// turn it is. It returns where the data window began.
func (p *falconConn) turn() falcon.PSN {
	r := p.r
	p.tourReset()
	k := p.e.Number % 33 // 32: every bit
	q := p.noise()
	q.Op, q.Profile, q.RequestSize, q.DataSize = stage.WindowSet, 0, 64, 128
	q.A, q.B = falcon.PSN(r.Uint64()), falcon.PSN(r.Uint64())
	for _, base := range []*falcon.PSN{&q.A, &q.B} { // one below a carry into bit k
		*base = *base&^(1<<k) | (1<<k - 1)
	}
	for half := range uint8(2) {
		q.Select = half
		p.give(q, "set: for the tour")
	}
	p.tourPacket(0, q.A)
	p.tourPacket(1, q.B)
	p.fill(2, 2)
	return q.B
}

func (p *falconConn) tourReset() {
	q := p.noise()
	q.Op = stage.WindowReset
	p.give(q, "reset: both halves close")
}

func (p *falconConn) tourPacket(window uint8, psn falcon.PSN) {
	q := p.noise()
	q.Op, q.Select, q.A, q.Deferred, q.Refuse = stage.WindowPacket, window, psn, false, false
	p.give(q, "packet: of the tour")
}
