package loop

import (
	"cmp"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/wire"
)

// Pace is the law of rate_limiter for the requests of an end, times in its clocks.
type Pace struct {
	Cycles                     uint16 // that 4096 bytes take
	PeriodCycles, ForgetCycles uint32
	Cut, Raise                 uint8
	Slowest                    uint16 // the pace that a CNP makes none longer than; 0: 65,535
}

// DefaultPace is a tenth of what 512 bits carry; a CNP halves it, for 40 us at least, down to an eightieth.
func DefaultPace() *Pace {
	return &Pace{Cycles: 640, PeriodCycles: 10_000, ForgetCycles: 1_000_000, Cut: 128, Raise: 4, Slowest: 5120}
}

// gbps is what a queue pair carries at its pace.
func (p *Pace) gbps() float64 { return 8 * 4096 / float64(cycleNs*uint64(max(p.Cycles, 1))) }

func (p *Pace) slowest() uint64 { return uint64(cmp.Or(p.Slowest, 0xFFFF)) }

// windowNs is how long packets of a path MTU take at the slowest pace, each with its headers.
func (p *Pace) windowNs(packets, pmtu uint32) uint64 {
	return cycleNs * uint64(packets) * ((pacePieces(uint64(pmtu))*p.slowest() + 63) / 64)
}

// pacePieces is in how many times 64 bytes a payload and its headers are counted.
func pacePieces(payload uint64) uint64 { return (payload + 64 + 63) / 64 }

// law is the operation of rate_limiter that sets it.
func (p *Pace) law() []byte {
	q := hca.RateQuery{Op: hca.RateLaw, Period: p.PeriodCycles, Forget: p.ForgetCycles, Cut: p.Cut, Raise: p.Raise,
		Pace: p.Slowest}
	return q.Append(nil)
}

// of is the operation that gives a queue pair its pace.
func (p *Pace) of(qpn uint32) []byte {
	q := hca.RateQuery{Op: hca.RateSet, QPN: qpn, Pace: p.Cycles}
	return q.Append(nil)
}

// cut is the pace behind a CNP, at least.
func (p *Pace) cut() uint64 {
	return min(uint64(p.Cycles)+uint64(p.Cycles)*uint64(p.Cut)/128, max(p.slowest(), uint64(p.Cycles)))
}

// paced judges an end about congestion: that packets which carry a mark give CNPs (CNP-1), nothing else does, and,
// where the end is RTL, that no queue pair sends faster than its pace, nor, behind a CNP, than what this leaves of it.
type paced struct {
	name    string
	pace    *Pace // nil: the end has none
	mac     [6]byte
	slackNs uint64 // between what it decided and what is seen
	gbps    float64
	line    line
	memory  *asked // nil: nothing that the end answers waits for memory
	qps     map[uint32]*pacedQP
	marks   uint64
	cnps    uint64
	bad     func(format string, args ...any)
}

// pacedQP is a queue pair of an end.
type pacedQP struct {
	owedNs  []uint64 // until when CNPs must leave, in time in which the line was free
	missing uint64   // CNPs that did not leave in time
	late    uint64   // of those, that may still leave
	maybe   uint64   // CNPs of packets that the end may have taken: a damaged MAC address is one of a group
	cutNs   uint64   // when the CNP came that cut its pace last; 0: none
	certain bool     // that it did
	static  bucket
	slow    bucket
	told    bool
}

// bucket is when the next packet may leave.
type bucket struct {
	freeNs uint64
}

// pacedEnd makes the judge of an end.
func (p *Pair) pacedEnd(end int, bad *Findings) *paced {
	j := &paced{name: Names[end], slackNs: p.paceSlackNs(), gbps: p.Link.Gbps, qps: map[uint32]*pacedQP{}, bad: bad.add}
	j.mac, _ = addressOf(end)
	if p.Responders[end] != nil || p.Wholes[end] != nil {
		j.memory = &asked{pmtu: p.Traffic.PMTU}
	}
	if p.Requesters[end] != nil || p.Wholes[end] != nil {
		j.pace = p.Pace
	}
	return j
}

// paceSlackNs is how long before it leaves a packet may have met its pace. Paces that half the line carries, since
// answers have the other half, leave no packet waiting for it.
func (p *Pair) paceSlackNs() uint64 {
	if p.Pace != nil && float64(p.Traffic.QPs)*p.Pace.gbps() <= p.Link.Gbps/2 {
		return p.behindNs(0)
	}
	return p.BehindNs()
}

// see takes a packet that the end sent or received.
func (j *paced) see(nowNs uint64, p *wire.Packet, sent bool) {
	if sent {
		j.line.take(nowNs, uint64(8*float64(len(p.Frame)+frameOverhead)/j.gbps+0.5))
	}
	bth := p.BTH()
	eth := p.Ethernet()
	if p.Op == nil || bth == nil || eth == nil || p.ICRC() != wire.ICRCGood {
		return
	}
	mine, group := [6]byte(eth.Dst()) == j.mac, eth.Dst()[0]&1 != 0
	if !sent && !mine && !group {
		return
	}
	q := j.qps[bth.DestQP()] // both ends number their queue pairs alike
	if q == nil {
		q = &pacedQP{}
		j.qps[bth.DestQP()] = q
	}
	j.memory.see(p, sent)
	cnp := p.Op.Transport == ib.CNP
	switch {
	case sent && cnp:
		j.notifies(nowNs, q, bth.DestQP())
	case sent && !p.Op.Response:
		j.sends(nowNs, q, p)
	case !sent && cnp:
		j.hears(nowNs, q, mine)
	case !sent && marked(p):
		j.marks++
		if mine {
			q.owes(j.line.free(nowNs) + latestNoticeNs + j.memory.waitsNs())
		} else {
			q.maybe++
		}
	}
}

// marked reports whether a packet carries CE.
func marked(p *wire.Packet) bool {
	switch {
	case p.IPv4() != nil:
		return p.IPv4().ChecksumGood() && p.IPv4().TOS()&3 == 3
	case p.IPv6() != nil:
		return p.IPv6().TClass()&3 == 3
	}
	return false
}

// hears takes a CNP that comes: one that comes less than a period behind a cut changes nothing. Where it is too close
// to that to tell, or may not have been taken, nothing is known of its pace until the next one.
func (j *paced) hears(nowNs uint64, q *pacedQP, mine bool) {
	if j.cnps++; j.pace == nil {
		return
	}
	period := cycleNs * uint64(j.pace.PeriodCycles)
	switch since := nowNs - q.cutNs; {
	case q.cutNs != 0 && since+j.slackNs < period:
	case mine && (q.cutNs == 0 || since > period+j.slackNs):
		q.cutNs, q.certain, q.slow = nowNs, true, bucket{}
	default:
		q.cutNs, q.certain = nowNs, false
	}
}

// sends takes a request that leaves.
func (j *paced) sends(nowNs uint64, q *pacedQP, p *wire.Packet) {
	if j.pace == nil {
		return
	}
	pieces := pacePieces(uint64(len(p.Payload)))
	early := q.static.takes(nowNs, j.slackNs, pieces, uint64(j.pace.Cycles))
	period := cycleNs * uint64(j.pace.PeriodCycles)
	if q.certain && nowNs > q.cutNs+j.slackNs && nowNs+j.slackNs < q.cutNs+period {
		early = q.slow.takes(nowNs, j.slackNs, pieces, j.pace.cut()) || early
	}
	if early && !q.told {
		q.told = true
		j.bad("%s: QP %06Xh sends faster than its pace at %d us", j.name, p.BTH().DestQP(), nowNs/1000)
	}
}

// takes takes a packet of so many times 64 bytes, and reports whether it is earlier than a pace allows.
func (b *bucket) takes(nowNs, slackNs, pieces, pace uint64) (early bool) {
	early = nowNs+slackNs < b.freeNs
	b.freeNs = max(b.freeNs, nowNs) + cycleNs*((pieces*pace+63)/64)
	return early
}

func (j *paced) counts() (marks, cnps uint64) { return j.marks, j.cnps }
