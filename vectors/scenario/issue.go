package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

const (
	issueLength = 400
	issueCycles = 3600 // of an episode: 200 verdicts, one in 15 cycles, and some
)

// Ports of rx_issue.
const (
	issueRequests sim.Port = iota
	issueVerdicts
)

// makeRxIssue makes requests of a few QPs and their verdicts, which come some time later, one by one or many at once.
func makeRxIssue(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, issueLength, func(r *Rand, e *Episode) {
		p := issuePeers{r: r, e: e, spare: 1 << ((e.Number + 23) % 24), dense: [...]int{1, 2, 4, 12}[r.Below(4)],
			request: e.Number * issueCycles, gap: [...]int{1, 1, 1, 2, 4, 16}[r.Below(6)],
			late: [...]int{1, 1, 6, 16, 16, 41, 301}[r.Below(7)], every: [...]int{1, 1, 2, 3, 16}[r.Below(5)]}
		for range 1 + r.Below(6) {
			p.addQP()
		}
		for e.Len() < issueLength {
			p.step()
		}
	})
}

// makeRxIssueOne makes requests of one QP, the same in all episodes, the first of which waits for all under way: what a
// reset leaves of it shows in the first record behind.
func makeRxIssueOne(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, issueLength, func(r *Rand, e *Episode) {
		p := issuePeers{r: r, e: e, spare: 1, dense: 3, request: e.Number * issueCycles, gap: 1,
			late: [...]int{1, 16, 41}[r.Below(3)], every: [...]int{1, 3, 16}[r.Below(3)], waits: true}
		number := NewRand(mix64(g.seed^nameHash("one")), 0)
		qpn := drawQPN(&number) &^ p.spare
		p.qps = append(p.qps, hca.IssueRequest{QPN: qpn, Queue: qpn})
		for e.Len() < issueLength {
			p.step()
		}
	})
}

// issuePeers are an episode's QPs, and the schedule of what they get.
type issuePeers struct {
	r   *Rand
	e   *Episode
	qps []hca.IssueRequest
	// spare is a bit that no QP's number has: a verdict with it is of none. Each episode has another.
	spare uint32

	dense            int // one request in so many needs something
	gap, late, every int // cycles between requests, from one to its verdict, and between verdicts, less 1 at most
	request, verdict uint64

	waits bool // the first request waits for all of its QP and its queue
}

// addQP adds a QP with a queue of its own or another's, of a number far away or near. The spare bit is
// free for verdicts that are none.
func (p *issuePeers) addQP() {
	r := p.r
	qp := hca.IssueRequest{QPN: drawQPN(r)}
	if len(p.qps) > 0 && r.OneIn(2) {
		qp.QPN = near(r, p.qps[r.Below(len(p.qps))].QPN, 24)
	}
	qp.QPN &^= p.spare
	switch qp.Queue = qp.QPN; {
	case r.OneIn(8): // the ends of all numbers
		qp.Queue = [...]uint32{0, 1<<24 - 1}[r.Below(2)]
	case len(p.qps) > 0 && r.OneIn(3):
		qp.Queue = p.qps[r.Below(len(p.qps))].Queue
	case len(p.qps) > 0 && r.OneIn(3): // one bit beside, the highest as often as the others together
		qp.Queue = p.qps[r.Below(len(p.qps))].Queue ^ 1<<(23-r.Below(2)*r.Below(24))
	case r.OneIn(4):
		qp.Queue = uint32(r.Below(1 << 24))
	case r.OneIn(4):
		qp.Queue = near(r, qp.Queue, 24)
	}
	p.qps = append(p.qps, qp)
}

// step is a request and its verdict, right behind it: any number of cases leaves no request without those that it may
// wait for. Now and then, and where one case would be left over, a verdict on another QP comes before.
func (p *issuePeers) step() {
	r := p.r
	room := issueLength - p.e.Len()
	q := p.qps[r.Below(len(p.qps))]
	why := "request: plain"
	if r.OneIn(p.dense) {
		why = "request: flags"
		q.NeedsMessage, q.NeedsWQE, q.UsesWQE, q.Invalidates = r.OneIn(3), r.OneIn(2), r.OneIn(2), r.OneIn(6)
	}
	if p.waits && p.e.Len() == 0 {
		why, q.NeedsMessage, q.NeedsWQE = "request: it waits for whatever is under way", true, true
	} else if r.OneIn(24) { // its queue is another now
		q.Queue = near(r, q.Queue, 24)
	}
	p.request += uint64(r.Below(p.gap))
	p.e.scratch = q.Append(p.e.scratch[:0])
	p.e.Add(issueRequests, p.request, p.e.scratch, why)

	p.verdict = max(p.verdict+uint64(r.Below(p.every)), p.request+uint64(p.late-1))
	if p.e.Number == 0 && p.e.Len() == 1 { // it waits from the first clock behind the reset on
		p.verdict = 0
	}
	d := hca.IssueDone{QPN: q.QPN}
	if stray := r.OneIn(20); room == 3 || room > 4 && stray {
		other := hca.IssueDone{QPN: q.QPN | p.spare}
		switch r.Below(4) {
		case 0, 1: // the XOR of its halves is the same, and their sum if that bit was set
			other.QPN ^= p.spare<<12&(1<<24-1) | p.spare>>12
		case 2: // the sum is the same wherever the spare bit is added
			other.QPN = (q.QPN-1<<r.Below(24))&(1<<24-1) | p.spare
		}
		p.e.scratch = other.Append(p.e.scratch[:0])
		p.e.Add(issueVerdicts, p.verdict, p.e.scratch, "verdict: of another QP")
	}
	p.e.scratch = d.Append(p.e.scratch[:0])
	p.e.Add(issueVerdicts, p.verdict, p.e.scratch, "verdict")
}
