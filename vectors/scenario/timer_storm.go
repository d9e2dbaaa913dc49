package scenario

import "hcacosim/model/hca"

const (
	stormArms = 768
	stormOps  = 1024 // of an episode
	stormCode = 7    // 512 ticks
	// stormCycles spans arming, waiting and leaving at four cycles a tick under NumQps 65,536.
	stormCycles = 16000
)

// makeRetxStorm arms many QPs in a row, whole words of them, and does operations on them while they expire. The QPs of
// an episode are those of 65,536, 64 or 1,024.
func makeRetxStorm(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, stormOps, func(r *Rand, e *Episode) {
		l := timerLife{e: e, r: r, cycle: timerBegin + e.Number*stormCycles}
		first, step := r.Below(1<<16), 2*r.Below(1<<12)+1
		bits := [...]int{16, 6, 10}[e.Number%3]
		qpn := func(i int) uint32 { return uint32((first+i/timerLanes*step)*timerLanes+i%timerLanes) & (1<<bits - 1) }
		for i := range stormArms {
			op := hca.RetxOp{QPN: qpn(i), Op: hca.RetxProgress, Code: stormCode}
			l.add(op, "armed")
		}
		l.cycle += 4 * 4 << stormCode
		if e.Number%6 == 1 { // of 64 QPs, in turn with the others
			l.races(qpn)
			return
		}
		kinds := []hca.RetxOpcode{hca.RetxProgress, hca.RetxStop, hca.RetxStart, hca.RetxNAK, hca.RetxTimeout,
			hca.RetxConfigure, hca.RetxWait}
		for e.Len() < stormOps {
			op := hca.RetxOp{QPN: qpn(r.Below(stormArms)), Op: kinds[r.Below(len(kinds))], Code: uint8(r.Between(1, 4)),
				Gen: uint8(r.Below(4))}
			l.add(op, timerWhy[op.Op])
			if r.OneIn(4) {
				l.cycle += uint64(r.Below(200))
			}
		}
	})
}

// races arms a timer of the shortest kind and does an operation about when it expires, cycle by cycle: every operation
// that knows nothing of the expiry, in turn.
func (l *timerLife) races(qpn func(i int) uint32) {
	kinds := [...]hca.RetxOpcode{hca.RetxConfigure, hca.RetxStart, hca.RetxStop, hca.RetxWait, hca.RetxNAK}
	for n := 0; l.e.Len() < stormOps; n++ {
		op := hca.RetxOp{QPN: qpn(l.r.Below(stormArms)), Op: hca.RetxProgress, Code: 1}
		l.add(op, "armed")
		if l.e.Len() == stormOps {
			return
		}
		op.Op, op.Code = kinds[n%len(kinds)], uint8(l.r.Between(7, 9))
		l.cycle += uint64(2*timerTick + l.r.Below(24))
		l.add(op, "about when it expires: "+timerWhy[op.Op])
	}
}
