package flow

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// Flow is one responder and the requests to it.
type Flow struct {
	IP                 string          `json:"ip"`
	PeerIP             string          `json:"peer_ip"`
	QPN                uint32          `json:"qpn"`
	PeerQPN            uint32          `json:"peer_qpn"` // 0: not known
	Service            string          `json:"service"`
	Side               string          `json:"side"` // of the responder in the sidecar, A or B; "wire" without one
	Packets            uint64          `json:"packets"`
	ResponsesSent      uint64          `json:"responses_sent"`
	ResponsesPredicted uint64          `json:"responses_predicted"`
	Retransmissions    Retransmissions `json:"retransmissions"`

	GoodputMBs float64 `json:"-"` // of 10^6 bytes, over the time between the first and the last packet
	Losses     uint64  `json:"-"`
	NAKs       uint64  `json:"-"`
	RNRs       uint64  `json:"-"`
	Credit     string  `json:"-"`
	Timer      Timer   `json:"-"`
	RNRTimer   Timer   `json:"-"`
	// Without a sidecar: what was inferred.
	Inferred Inferred `json:"-"`
}

// Inferred is what the machines of a flow were given from the packets alone.
type Inferred struct {
	Any       bool // something was inferred: there is no sidecar that describes the flow
	StartPSN  psn.PSN
	PMTUBytes uint32
	PMTUSeen  bool // else the largest is taken
	Mixed     bool // another connection has had the same PSNs: nobody is blamed
	// CM: the connection manager told the peer's queue pair, start PSN and PMTU, and proposed Timeout (a code) and
	// Retries.
	CM               bool
	Timeout, Retries uint8
}

func (i *Inferred) told(x *told) {
	i.CM, i.StartPSN, i.Timeout, i.Retries = true, x.start, x.timeout, x.retries
	if x.pmtu != 0 {
		i.PMTUBytes, i.PMTUSeen = x.pmtu, true
	}
}

// Timer sums up the gaps of one timer, in nanoseconds.
type Timer struct {
	Count, Below               uint64 // Below: under Bound
	Least, Median, Most, Bound int64
}

// Report is everything that was found in a capture.
type Report struct {
	Flows      []Flow
	More       uint64    // flows that were counted and given up, so that memory stays bounded
	Unfollowed uint64    // packets that were counted and not judged: too many flows at a time
	Violations []Finding // certain and possible, the certain first
	Certain    uint64    // violations that are certain
	Possible   uint64
	Oddities   []Finding // of what an endpoint received
	Odd        uint64    // how many there were
	Bugs       []Bug
	CutAt      uint64 // the first packet that the snap length cut: nothing is judged from there on; 0: none
	Backward   uint64 // packets with a time before the one in front of them
	ICRC       []ICRCNote
	// Judged counts packets that were held against the rules: of a flow that is followed, or malformed. 0: the capture
	// says nothing of anybody.
	Judged    uint64
	NotJudged []string // why packets were not judged, with their number
	Doubts    []string // why it may have been taken elsewhere than it is judged at: hints, of NotJudged too
	Where     string   // where the capture was taken
	// Configuration says what of the sidecar both ends contradict: they are judged by what their packets have.
	Configuration []string
}

// Finish ends the capture and sums up.
func (c *Checker) Finish() *Report {
	if c.atEnd {
		for h := c.table.oldest; h != nil; h = h.newer {
			if h.m != nil && h.m.step != nil {
				c.release(h, c.timeNS, true)
			}
		}
	}
	if c.cutAt == 0 {
		c.unanswered()
	}
	c.checksums()
	c.memberships()
	notes := c.icrcNotes()
	slices.SortFunc(notes, func(a, b ICRCNote) int { return cmp.Compare(a.Host, b.Host) })
	c.settle()
	c.completionBug()
	judged, why := c.judgedAndNot()
	r := &Report{Judged: judged, NotJudged: why, Doubts: c.doubts(), Configuration: c.doubted,
		More: c.table.evicted, Unfollowed: c.table.refused, CutAt: c.cutAt,
		ICRC: notes, Bugs: c.bugs, Backward: c.back, Violations: slices.Clone(c.violations.list),
		Certain: c.violations.certain, Possible: c.violations.total - c.violations.certain, Oddities: c.oddities.list,
		Odd: c.oddities.total}
	switch {
	case !c.atEnd:
		r.Where = "wire"
	case c.side != "":
		r.Where = "at " + c.side
	default:
		r.Where = "at " + c.own.String()
	}
	slices.SortStableFunc(r.Violations, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(boolInt(b.Certain()), boolInt(a.Certain())), cmp.Compare(a.Packet, b.Packet),
			cmp.Compare(boolInt(a.basis.rests), boolInt(b.basis.rests)), cmp.Compare(severity(a), severity(b)))
	})
	for h := c.table.oldest; h != nil; h = h.newer {
		if h.requests+h.responses > 0 {
			r.Flows = append(r.Flows, c.flow(h))
		}
	}
	slices.SortStableFunc(r.Flows, func(a, b Flow) int {
		return cmp.Or(cmp.Compare(a.IP, b.IP), cmp.Compare(a.QPN, b.QPN), cmp.Compare(a.PeerIP, b.PeerIP),
			cmp.Compare(a.PeerQPN, b.PeerQPN))
	})
	return r
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// severity orders rules: wrong data first, then what kills or stalls a connection, then timing and form.
func severity(f Finding) int {
	switch f.Rule {
	case "RSP-7", "RSP-8", "RSP-12", "REQ-5":
		return 0
	case "ICRC-1", "ICRC-2", "ICRC-3", "ICRC-4", "ICRC-5", "OPC-1", "OPC-2", "LEN-1", "END-1", "PSN-4", "PSN-7":
		return 1
	case "RSP-2", "RSP-9", "RSP-10", "RSP-13", "RSP-1", "REQ-4":
		return 2
	case "TMR-1", "TMR-3", "TMR-5":
		return 3
	default:
		return 4
	}
}

// endNs is how long a capture must go on without an answer that is owed, for the answer to be missing for certain.
const endNs = 1_000_000_000

// unanswered lists what an endpoint still owes at the end.
func (c *Checker) unanswered() {
	for h := c.table.oldest; h != nil; h = h.newer {
		if h.m != nil && h.m.ops != nil {
			if op, text := h.m.ops.unsent(); text != "" {
				c.violations.add(found(c.last, c.sawEnd(op) && c.whole(needBoth) != "" && !h.m.step.anew, notAsPosted, text))
			}
		}
		c.owed(h)
		if h.m == nil || h.m.predict == nil || !c.opt.Profile.AckPerRequest || h.m.step.anew || h.m.step.lost {
			continue
		}
		if o, n := h.m.predict.pending(); n > 0 {
			text := fmt.Sprintf("%s was not sent before the capture ended", describe(&o.packet))
			if n > 1 {
				text += fmt.Sprintf(", nor %d more", n-1)
			}
			c.violations.add(found(o.number, (c.timeNS-o.timeNS > endNs || c.peerIsDone()) && c.whole(needBoth) != "",
				roce.RuleOfMissing(&o.packet), text))
		}
	}
}

// owed lists what an endpoint had still to send when the capture ended, long after it should have. No rule says when at
// the latest, so it is possible only.
func (c *Checker) owed(h *half) {
	if h.m == nil || !c.atEnd || c.violations.total > 0 {
		return // after a violation the machines follow the device as well as they can
	}
	late := func(o roce.Obligation, allowed int64) {
		if waited := c.timeNS - o.SinceNS; o.SinceNS > 0 && waited > endNs+allowed {
			text := fmt.Sprintf("%06Xh is owed since %v before the capture ended", uint32(o.PSN),
				time.Duration(waited).Round(time.Millisecond))
			c.violations.add(found(c.last, false, o.Rule, text))
		}
	}
	if f := h.m.resp; f != nil && (h.m.predict == nil || !c.opt.Profile.AckPerRequest) && h.m.start == startKnown {
		f.Obligations(func(o roce.Obligation) { late(o, 0) })
	}
	if f := h.m.req; f != nil && h.src == c.own {
		switch o, is := f.Owed(); {
		case !is:
		case o.Rule != "TMR-1":
			late(o, 0)
		case h.m.least[0] > 0 && h.again.Timeout == 0: // it never went off
			late(o, 8*h.m.least[0])
		}
	}
}

// sawEnd reports whether the capture went on when an operation ended.
func (c *Checker) sawEnd(op *Op) bool { return op.DoneNS > 0 && op.DoneNS < c.timeNS }

// peerIsDone tells that by the sidecar everything that the peer was asked to do ended with success while the capture
// went on: it has had its answers.
func (c *Checker) peerIsDone() bool {
	n := 0
	for i := range c.opt.Sidecar.Ops {
		if op := &c.opt.Sidecar.Ops[i]; op.Side != c.side {
			if !op.succeeded() || !c.sawEnd(op) {
				return false
			}
			n++
		}
	}
	return n > 0
}

func (a addr) String() string { return netip.AddrFrom16(a).Unmap().String() }

func (c *Checker) flow(h *half) Flow {
	f := Flow{IP: h.dst.String(), PeerIP: h.src.String(), QPN: h.qpn, PeerQPN: h.sqp, Service: serviceName(h.service),
		Side:    "wire",
		Packets: h.requests + h.responses, ResponsesSent: h.sent, ResponsesPredicted: h.predicted, Retransmissions: h.again,
		Losses: h.gaps, NAKs: h.naks, RNRs: h.rnrs, Timer: h.timer.sum(), RNRTimer: h.rnr.sum(), Credit: h.creditText()}
	if h.pair != nil {
		f.PeerQPN = h.pair.qpn
	}
	if s := c.opt.Sidecar; s != nil {
		f.Side, f.PeerQPN = c.sideOf(h, f.PeerQPN)
	}
	if !c.described(h) && h.service == ib.RC {
		f.Inferred = Inferred{Any: true, StartPSN: h.start, Mixed: h.mixed}
		f.Inferred.PMTUBytes, f.Inferred.PMTUSeen = c.pathMTU(h)
		if h.told != nil {
			f.Inferred.told(h.told)
		}
	}
	if d := h.lastNS - h.firstNS; d > 0 {
		f.GoodputMBs = float64(h.bytes) * 1e3 / float64(d)
	}
	return f
}

// sideOf names the responder of a half as the sidecar does.
func (c *Checker) sideOf(h *half, peer uint32) (string, uint32) {
	s := c.opt.Sidecar
	for _, side := range []string{"A", "B"} {
		if e := s.end(side); h.dst == e.addr() && h.qpn == e.QPN {
			return side, s.end(otherSide(side)).QPN
		}
	}
	return "wire", peer
}

func (h *half) creditText() string {
	switch {
	case !h.credits:
		return "-"
	case h.credit == ib.CreditsUnlimited:
		return "off"
	}
	n, _ := ib.Credits(h.credit)
	return fmt.Sprint(n)
}

func (g *gaps) sum() Timer {
	if g == nil {
		return Timer{}
	}
	return Timer{Count: g.count, Below: g.below, Least: g.least, Median: g.median(), Most: g.most, Bound: g.bound}
}

func serviceName(t ib.Transport) string {
	switch t {
	case ib.RC:
		return "RC"
	case ib.UC:
		return "UC"
	case ib.RD:
		return "RD"
	case ib.UD:
		return "UD"
	case ib.XRC:
		return "XRC"
	}
	return strings.ToUpper(fmt.Sprintf("%02xh", uint8(t)))
}
