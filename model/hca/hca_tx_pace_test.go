package hca

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// pacedDevice is a device that does as the law says, as early or as late as it likes.
type pacedDevice struct {
	pacer
	law   pacingLaw
	clock uint64
	cuts  []uint64 // when CNPs come to count
}

// to has time go on, with asks of nobody knows when.
func (d *pacedDevice) to(r *rand.Rand, at uint64) {
	for len(d.cuts) > 0 && d.cuts[0] <= at {
		d.asks(r, d.cuts[0])
		d.cut(d.cuts[0], &d.law)
		d.cuts = d.cuts[1:]
	}
	d.asks(r, at)
}

func (d *pacedDevice) asks(r *rand.Rand, at uint64) {
	for r.IntN(3) > 0 && d.clock < at {
		d.clock += uint64(r.IntN(int(at-d.clock) + 1))
		d.maySend(d.clock, &d.law)
	}
	d.clock = at
}

// give gives a packet as early as it may, or later, and says when.
func (d *pacedDevice) give(r *rand.Rand, from uint64, pieces uint64, late int) uint64 {
	at := max(from, d.clock, d.next)
	if d.to(r, at); late > 0 && r.IntN(2) == 0 {
		at += uint64(r.IntN(late))
		d.to(r, at)
	}
	d.maySend(at, &d.law)
	d.sent(at, &d.law, int(pieces*64), 1<<23-1)
	return at
}

// TestPacedDeviceIsNotAccused plays laws, CNPs and packets of all kinds to a device that keeps RATE-1 to RATE-4: none
// of its packets comes before it may, whatever is seen when.
func TestPacedDeviceIsNotAccused(t *testing.T) {
	near := 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		law := RateQuery{Op: RateLaw, Period: uint32(r.IntN(300)), Forget: uint32(r.IntN(3000)), Cut: uint8(r.Uint32()),
			Raise: uint8(r.Uint32() >> r.IntN(8)), Pace: uint16(r.IntN(3) * r.IntN(20000))}
		set := RateQuery{Op: RateSet, QPN: 5, Pace: uint16(64 + r.IntN(2500))}
		p := hcaTxPaces{hears: hcaTxHears}
		p.operate(&law, 0)
		p.operate(&set, 0)
		d := pacedDevice{pacer: pacer{static: set.Pace}, law: lawOf(&law)}
		now, last := uint64(10), uint64(0)
		var hidden []*hcaTxFlight
		var gave []uint64
		for range 40 {
			now += uint64(r.IntN(3) * r.IntN(600))
			if r.IntN(3) == 0 {
				p.cut(5, now)
				d.cuts = append(d.cuts, max(now+uint64(r.IntN(hcaTxHears)), last))
				last = d.cuts[len(d.cuts)-1]
				now = last // what follows comes behind it
				continue
			}
			f := &hcaTxFlight{FrameRecord: FrameRecord{QPN: 5, Opcode: 0x04, Bytes: uint16(r.IntN(1024))},
				cause: hcaTxCause{cycle: now}}
			p.note(f)
			at := d.give(r, now, hcaTxPieces(&f.FrameRecord), 500)
			hidden, gave = append(hidden, f), append(gave, at)
			now = max(now, at)
			if r.IntN(2) == 0 {
				seen := at + uint64(r.IntN(50))
				f.paced.seen(f, seen)
				for i := range hidden {
					require.GreaterOrEqual(t, gave[i], hidden[i].earliest, "seed %d, %+v", seed, law)
					if gave[i] > hidden[i].cause.cycle && gave[i] == hidden[i].earliest {
						near++
					}
				}
				hidden, gave = nil, nil
			}
		}
	}
	require.Greater(t, near, 500, "the bound is as good as none")
}

// TestPaceRestoredByHand: a cut to 3,000, target 1,000, a period of 100: behind k periods the pace is 2,000, 1,500 ..
// at least (RATE-3). Packets have 64 bytes and the 64 of headers, so they take a 32nd of it.
func TestPaceRestoredByHand(t *testing.T) {
	p := hcaTxPaces{hears: 8}
	p.operate(&RateQuery{Op: RateLaw, Period: 100, Forget: 5000, Cut: 255, Raise: 0}, 0)
	p.operate(&RateQuery{Op: RateSet, QPN: 5, Pace: 1000}, 0)
	p.cut(5, 1000) // to 2,992
	give := func(cause, seen uint64) uint64 {
		f := &hcaTxFlight{FrameRecord: FrameRecord{QPN: 5, Opcode: 0x04, Bytes: 64}, cause: hcaTxCause{cycle: cause}}
		p.note(f)
		f.paced.seen(f, seen)
		return f.earliest
	}
	require.EqualValues(t, 1010, give(1010, 1010))
	require.EqualValues(t, 1010+94, give(1010, 1104), "2,992 / 32 is 93.5")
	require.EqualValues(t, 1104+63, give(1104, 1260), "the step of 1,100 came: 1,996")
	require.EqualValues(t, 1167+63, give(1167, 1199), "seen too early to have had the step of 1,200")
	require.EqualValues(t, 1230+47, give(1230, 1240), "it did: 1,498")
	s := p.qps[5]
	require.EqualValues(t, 2992, s.slowest(6007))
	require.EqualValues(t, 1996, s.slowest(6008), "a step each forget at least (RATE-4)")
	require.EqualValues(t, 1498, s.slowest(11008))
	// A second CNP: of each pace that may have been, and its own target (RATE-2).
	p.cut(5, 6500)
	require.EqualValues(t, s.law.cutOf(1996), s.slowest(6600))
	e := &s.eras[len(s.eras)-1]
	require.Contains(t, e.starts, hcaTxStart{pace: s.law.cutOf(1000), target: 1000, lo: 6500, hi: 6508})
}

// TestSlowQPIsLate: what a QP owes at its pace is not late before it may be, and not much later (RATE-1, RATE-4).
func TestSlowQPIsLate(t *testing.T) {
	p := hcaTxPaces{hears: 8}
	p.operate(&RateQuery{Op: RateLaw, Period: 100, Forget: 1000, Cut: 255, Pace: 60000}, 0)
	p.operate(&RateQuery{Op: RateSet, QPN: 5, Pace: 20000}, 0)
	p.cut(5, 0)
	for range 2 {
		p.note(&hcaTxFlight{FrameRecord: FrameRecord{QPN: 5, Opcode: 0x04, Bytes: 64}, cause: hcaTxCause{cycle: 9000}})
	}
	// 8 steps at least: 59,843 comes down to 20,155, 629.9 clocks; one more before the second, 20,077 and 627.4.
	require.EqualValues(t, 9000+630+628, p.latest())
}
