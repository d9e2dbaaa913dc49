package loop

import (
	"cmp"
	"net/netip"

	"hcacosim/cocosim/flow"
	"hcacosim/model/ib"
	"hcacosim/model/wire"
)

// judges hold an end to its rules: one judge of all that it does; or, where packets come that are of no connection of
// now, one for each queue pair, which is told the start PSNs. From packets alone nobody knows which of them began a
// connection.
type judges struct {
	all   *Judge
	of    map[uint32]*Judge
	order []*Judge
	w     wire.Packet
	watch *watch
	paced *paced
	heard func(v *flow.Verdict) // of every verdict, if not nil
}

// judges makes those of an end.
func (p *Pair) judges(end int) (*judges, error) {
	mac, address := addressOf(end)
	own := netip.AddrFrom16(address).Unmap()
	watching := newWatch(p.Traffic.PMTU, ib.TimeoutNs(p.timeout()))
	if p.Rogue == nil {
		o := flow.Options{Profile: p.Profile, At: own.String(), PMTUBytes: p.Traffic.PMTU, MAC: mac}
		o.BehindNs = p.BehindNs()
		all, err := newJudge(o)
		return &judges{all: all, watch: watching}, err
	}
	j := &judges{of: map[uint32]*Judge{}, watch: watching}
	for k := range p.Traffic.QPs {
		c, err := flow.New(flow.Options{Profile: p.Profile, At: Names[end], Complete: true, PMTUBytes: p.Traffic.PMTU,
			MAC: mac, Sidecar: p.sidecar(k), BehindNs: p.BehindNs()})
		if err != nil {
			return nil, err
		}
		one := &Judge{checker: c}
		j.of[firstQP+uint32(k)], j.order = one, append(j.order, one)
	}
	return j, nil
}

// BehindNs is how long before it leaves an end may decide a packet: Behind, and the line's time for a frame of every
// queue pair, since these take turns, for those that wait in a device, and for the answers between all these; with a
// lapse two of its steps.
func (p *Pair) BehindNs() uint64 {
	waiting := 0.0
	if p.asksInRTL() {
		waiting = min(decidedPackets, float64(p.Traffic.QPs)*float64(p.Window))
	}
	return p.behindNs(waiting)
}

// behindNs is BehindNs where so many packets may wait in a device for the line.
func (p *Pair) behindNs(waiting float64) uint64 {
	frame := 8 * float64(p.Traffic.PMTU+frameOverhead+mostHeaders) / p.Link.Gbps
	behind := cmp.Or(p.Behind, flow.DefaultBehindNs) + uint64(2*(float64(p.Traffic.QPs)+waiting)*frame)
	if p.Lapse > 1 {
		behind += 2 * stepCycles * p.Lapse * cycleNs
	}
	return behind
}

// decidedPackets is how many requests with PSNs wait in hca_tx at most, while the line or memory is slow: 32
// in tx_frame, 12 in front of it (docs/blocks/hca_tx.md).
const decidedPackets = 44

// asksInRTL reports whether a device makes the requests of an end.
func (p *Pair) asksInRTL() bool {
	for i := range 2 {
		if p.Requesters[i] != nil || p.Wholes[i] != nil {
			return true
		}
	}
	return false
}

// mostHeaders is what stands around the payload in the longest frames of a pair, in bytes.
const mostHeaders = 14 + 20 + 8 + 12 + 28 + 4

// Addresses are those of the ends.
func Addresses() (all [2]string) {
	for end := range all {
		_, address := addressOf(end)
		all[end] = netip.AddrFrom16(address).Unmap().String()
	}
	return all
}

// sidecar describes a connection.
func (p *Pair) sidecar(k int) *flow.Sidecar {
	s := &flow.Sidecar{QPType: "RC", PathMTU: p.Traffic.PMTU}
	for end, e := range []*flow.End{&s.A, &s.B} {
		q := p.config(end).QPs[k]
		region := q.Responder.Regions[0]
		_, address := addressOf(end)
		*e = flow.End{IP: netip.AddrFrom16(address).Unmap().String(), QPN: q.Number, DestQPN: q.PeerNumber,
			SQPSN: uint32(q.Requester.StartPSN), RQPSN: uint32(q.Responder.StartPSN), Timeout: &q.Requester.Timeout,
			RetryCnt: &q.Requester.RetryCount, RNRRetry: &q.Requester.RNRRetry, MinRNR: q.Responder.RNRTimer,
			MaxRd: q.Requester.MaxReads, MaxDestRd: q.Responder.MaxReads, MRAddr: region.VA, MRLen: region.Len,
			RKey: region.RKey, Access: uint16(region.Access), TargetState: rts}
	}
	return s
}

// rts is the code of that state in a sidecar.
const rts = 3

// See judges the next frame that the end sent or received.
func (j *judges) See(nowNs uint64, frame []byte, sent bool) {
	one := j.all
	if one == nil {
		wire.Decode(wire.LinkEthernet, frame, &j.w)
		if bth := j.w.BTH(); bth != nil { // both ends number their queue pairs alike
			one = j.of[bth.DestQP()]
		}
	}
	if one != nil {
		v := one.verdict(nowNs, frame)
		j.watch.see(nowNs, one.Packet(), sent, &v)
		j.paced.see(nowNs, one.Packet(), sent)
		if j.heard != nil {
			j.heard(&v)
		}
	}
}

// lose notes a packet that the link lost or damaged: a request of the end, or a response to one.
func (j *judges) lose(nowNs uint64, frame []byte, sent bool) {
	wire.Decode(wire.LinkEthernet, frame, &j.w)
	if j.w.Op != nil && sent != j.w.Op.Response {
		j.watch.lose(nowNs, &j.w)
	}
}

// Finish sums up, with the first findings of each in words.
func (j *judges) Finish(shown int) (g Judgment) {
	if j.all != nil {
		return j.all.Finish(shown)
	}
	for _, one := range j.order {
		x := one.Finish(shown)
		g.Packets, g.Certain, g.Possible = g.Packets+x.Packets, g.Certain+x.Certain, g.Possible+x.Possible
		g.First = append(g.First, x.First...)
	}
	return g
}
