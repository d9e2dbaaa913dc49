package flow

import (
	"fmt"

	"hcacosim/model/ib"
	"hcacosim/model/roce"
)

// tallied counts packets by whether they were held against the rules.
type tallied struct {
	judged  uint64
	headers uint64 // cut by the snap length behind the headers, and followed by them
	cut     uint64 // cut by the snap length, or behind such a one
	others  uint64 // of a service that is decoded only, or of another connection than the sidecar's
	mixed   uint64 // of connections that cannot be told apart
	itself  uint64 // of the endpoint to itself
	single  uint64 // the only one of its flow, a response to no request that was seen, or in the middle of a message
}

// countJudged counts a packet that a transport took.
func (c *Checker) countJudged(v *Verdict) {
	t := &c.tallied
	h := c.now
	switch {
	case c.pkt.Op.Shape().Verb == roce.NoVerb && ib.Lookup(c.pkt.Op).Transport == ib.CNP:
		return
	case h == nil || h.key != c.key || c.key.service != ib.RC && c.key.service != ib.UC && c.key.service != ib.UD:
		t.others++
		return
	case c.pkt.Op.Shape().Request:
	case h.pair == nil && h.mixed:
		t.mixed++
		return
	case h.pair == nil:
		t.single++
		return
	default:
		h = h.pair
	}
	switch {
	case v.Class == Broken:
		t.judged++
	case h.mixed && !c.described(h):
		t.mixed++
	case h.m == nil:
		t.single++
	default:
		t.judged++
	}
}

// judgedAndNot sums up, with a reason for each kind of packet that was not judged.
func (c *Checker) judgedAndNot() (judged uint64, why []string) {
	t := &c.tallied
	for _, x := range []struct {
		n    uint64
		text string
	}{
		{t.cut, "from the first on whose headers the snap length cut (capture whole frames)"},
		{t.mixed, "of connections with the same PSNs between the same hosts, which cannot be told apart"},
		{t.others, "of another connection than the one described, or of a service that is decoded only"},
		{t.itself, fmt.Sprintf("of %v to itself, which it both sent and received (--at wire judges them)", c.own)},
		{t.single, "of flows with one packet, or responses to no request that was seen"},
		{c.table.refused, "of more flows than are followed at a time"},
	} {
		if x.n > 0 {
			why = append(why, fmt.Sprintf("%d packets %s", x.n, x.text))
		}
	}
	if t.headers > 0 {
		why = append(why, fmt.Sprintf("payload and ICRC of %d packets that the snap length cut; what rests on them is "+
			"possible at most", t.headers))
	}
	if c.outlives > 0 {
		why = append(why, fmt.Sprintf("%d connections by the sidecar: they came behind the one that it describes",
			c.outlives))
	}
	if c.unchecked() {
		why = append(why, "receive WQEs, keys and regions: the sidecar has no Recvs, and they are taken to be there")
	}
	return t.judged, append(why, c.doubts()...)
}

// unchecked reports whether requests reached an end whose sidecar does not list what it had posted.
func (c *Checker) unchecked() bool {
	if c.opt.Sidecar == nil || c.opt.Sidecar.Recvs != nil || !c.atEnd {
		return false
	}
	for h := c.table.oldest; h != nil; h = h.newer {
		if h.requests > 0 && h.dst == c.own && c.described(h) {
			return true
		}
	}
	return false
}
