package scenario

import "hcacosim/model/hca"

// timerLap takes a QP through all generations: a timer expires and nobody answers, 256 changes later another has its
// generation, and then the answer comes, first before the other has expired and then after it.
type timerLap struct {
	life  *timerLife
	begun bool
	rnr   bool
	gen   uint8  // of both timers
	due   uint64 // cycle
}

const (
	// timerLapChanges is how many times a lap changes its timer: configured, armed, 256, and the answer that is taken.
	timerLapChanges = 2 + 256 + 1
	timerLapOps     = timerLapChanges + 3 // two answers that come too early, and one that comes again
)

// begin arms the timer that nobody answers. Laps take transport and RNR timers in turn.
func (p *timerLap) begin(number uint64) {
	p.begun, p.rnr = true, number%2 == 1
	p.gen = uint8(number*timerLapChanges + 2)
	p.life.kept = timerLapOps
	p.do(hca.RetxOp{Op: hca.RetxConfigure, RetryCnt: 7, RNRRetry: 7}, "configure")
	p.due = p.life.cycle + 1024
	p.arm(uint8(p.life.r.Between(2, 5)), "armed, and expires unanswered")
}

func (p *timerLap) do(op hca.RetxOp, why string) {
	op.QPN = timerQPN(timerLapQP, false)
	p.life.add(op, why)
	p.life.kept--
}

func (p *timerLap) arm(code uint8, why string) {
	op := hca.RetxOp{Op: hca.RetxProgress, Code: code}
	if p.rnr {
		op.Op = hca.RetxWait
	}
	p.do(op, why)
}

func (p *timerLap) answer(why string) {
	op := hca.RetxOp{Op: hca.RetxTimeout, Code: 8, Gen: p.gen}
	if p.rnr {
		op.Op = hca.RetxResume
	}
	p.do(op, why)
}

// lastCode is of a timer of 1,024 cycles, RNR 1,252.
func (p *timerLap) lastCode() uint8 {
	if p.rnr {
		return 10
	}
	return 6
}

// end does the 256 changes and gives the answers.
func (p *timerLap) end() {
	l := p.life
	l.cycle = max(l.cycle, p.due+timerSure)
	for n := 255; n > 1; n-- {
		op := hca.RetxOp{Op: hca.RetxProgress, Code: uint8(l.r.Below(12))}
		if n < 255 { // the first may end an RNR wait, which a NAK does not
			op.Op = []hca.RetxOpcode{hca.RetxProgress, hca.RetxStop, hca.RetxNAK}[l.r.Below(3)]
		}
		if n > 200 && n < 250 {
			op.Op = hca.RetxNAK // until no retry is left, and on, for ever or not
		}
		p.do(op, "a lap of generations")
	}
	p.do(hca.RetxOp{Op: hca.RetxConfigure, RetryCnt: 7, RNRRetry: 7}, "configure")
	p.due = l.cycle + 2048
	p.arm(p.lastCode(), "armed with the generation of 256 changes ago")
	for range 2 {
		p.answer("an answer of 256 generations ago")
	}
	l.cycle = p.due + timerSure
	p.answer("an answer to an expiry that is out")
	p.answer("the same answer again")
}
