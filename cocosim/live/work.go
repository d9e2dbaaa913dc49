package live

import (
	"fmt"

	"hcacosim/model/endpoint"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// worker posts the work of a queue pair, and counts what comes of it.
type worker struct {
	qp       *QP
	at       int    // in qp.Posts: what is posted next
	repeat   uint64 // how often that one was
	nextID   uint64
	nextRecv uint64
	in       uint64 // receive WQEs used
	open     uint64 // posted and not ended
	dead     bool
	report   QPReport
}

// adapter is the endpoint's configuration, with the peer's MAC as it was learned.
func (s *session) adapter() endpoint.Config {
	f := s.file
	cfg := endpoint.Config{MAC: f.MAC, Address: f.Address.gid(), Memory: s.memory}
	if copy(cfg.PKeys[:], f.PKeys) == 0 {
		cfg.PKeys[0] = roce.DefaultPKey
	}
	var regions [roce.MaxRegions]roce.Region
	n := 0
	for i := range f.Regions {
		if r := &f.Regions[i]; r.Key != 0 {
			rights, _, _ := access(r.Access)
			regions[n] = roce.Region{RKey: r.Key, VA: r.Address, Len: r.Bytes, Access: rights}
			n++
		}
	}
	for i := range f.QPs {
		cfg.QPs = append(cfg.QPs, s.queuePair(&f.QPs[i], regions))
	}
	return cfg
}

func (s *session) queuePair(q *QP, regions [roce.MaxRegions]roce.Region) endpoint.QP {
	service := services[q.Service]
	rights, _, _ := access(q.Access)
	e := endpoint.QP{Number: q.Number, PeerNumber: q.Peer, PeerMAC: s.near.peerMAC, PeerAddress: s.file.Peer.Address.gid(),
		SrcPort: q.SrcPort}
	e.Requester = roce.RequesterConfig{Service: service, Profile: s.profile, PMTUBytes: q.PMTU,
		StartPSN: psn.New(q.SendPSN), MaxReads: q.Reads, Timeout: q.Timeout, RetryCount: q.Retries,
		RNRRetry: q.RNRRetries, Window: q.Window}
	e.Responder = roce.ResponderConfig{Service: service, Profile: s.profile, PMTUBytes: q.PMTU,
		StartPSN: psn.New(q.ReceivePSN), MaxReads: q.Reads, RNRTimer: q.RNRTimer, Access: rights, Regions: regions}
	return e
}

// start posts receive WQEs, and what is due at the start.
func (w *worker) start(s *session, nowNs uint64) {
	for range w.qp.Receives.Count {
		w.receive(s)
	}
	w.post(s, nowNs)
}

// receive posts the next receive WQE.
func (w *worker) receive(s *session) {
	r := &w.qp.Receives
	buffer := []byte(nil)
	if r.Into != nil {
		buffer = s.end.At(*r.Into+w.nextRecv%uint64(r.Count)*uint64(r.Bytes), r.Bytes)
	} else {
		buffer = make([]byte, r.Bytes)
	}
	if s.end.PostReceive(w.qp.Number, w.nextRecv, buffer) {
		w.nextRecv++
	}
}

// post posts as much as is due and the send queue takes.
func (w *worker) post(s *session, nowNs uint64) {
	for !w.dead && w.at < len(w.qp.Posts) {
		p := &w.qp.Posts[w.at]
		if p.When == whenReceive && w.in < max(1, p.After) {
			return
		}
		if w.open >= roce.MaxSends {
			return
		}
		work := p.work(w.nextID, w.repeat)
		if !s.end.Post(nowNs, w.qp.Number, work, s.end.At(p.Local+w.repeat*p.Step, work.Len)) {
			return
		}
		w.nextID++
		w.open++
		w.report.Posted++
		if w.repeat++; w.repeat == max(1, p.Count) {
			w.at, w.repeat = w.at+1, 0
		}
	}
}

// work is the send WQE of one repetition.
func (p *Post) work(id, repeat uint64) roce.Work {
	w := roce.Work{ID: id, Verb: verbs[p.Verb], Signaled: true, Len: p.Bytes}
	if w.Verb != roce.Send {
		w.VA, w.RKey = p.Remote+repeat*p.Step, p.Key
	}
	switch w.Verb {
	case roce.FetchAdd:
		w.SwapAdd = p.Add
	case roce.CmpSwap:
		w.Compare, w.SwapAdd = p.Cmp, p.Swap
	}
	if w.Verb.Atomic() {
		w.Len = 8
	}
	if p.Imm != nil {
		w.WithImm, w.Imm = true, *p.Imm
	}
	return w
}

// completed counts a completion; a used receive WQE is posted again.
func (w *worker) completed(s *session, c *endpoint.Completion) {
	const told = 10
	if c.Status != roce.Success && c.Status != roce.Flushed && len(s.report.Failed) < told {
		what := "send WQE"
		if c.Receive {
			what = "receive WQE"
		}
		s.report.Failed = append(s.report.Failed, fmt.Sprintf("QP %06Xh: %s %d after %.3f s: %s", c.QPN, what, c.ID,
			float64(c.AtNs)/1e9, c.Status))
	}
	w.dead = w.dead || c.Status != roce.Success
	if !c.Receive {
		w.open--
		w.report.Done[c.Status.String()]++
		if c.Status == roce.Success {
			w.report.Bytes += uint64(c.Len)
		}
		return
	}
	w.report.Received[c.Status.String()]++
	if c.Status == roce.Success {
		w.in++
		w.report.BytesIn += uint64(c.Len)
		w.receive(s)
	}
}

// left is how much is not done: what is to be posted or has not ended, and SENDs that have not come.
func (w *worker) left() (posts, receives uint64) {
	posts = w.open
	for i := w.at; i < len(w.qp.Posts); i++ {
		posts += max(1, w.qp.Posts[i].Count)
	}
	if w.qp.Receives.Expect > w.in {
		receives = w.qp.Receives.Expect - w.in
	}
	return posts - w.repeat, receives
}

// finish is the report of the queue pair.
func (w *worker) finish(s *session) QPReport {
	r := w.report
	r.Left, r.Expecting = w.left()
	req, resp := roce.RTS, roce.RTS
	if s.end != nil {
		req, resp = s.end.State(w.qp.Number)
	}
	r.State = max(req, resp).String()
	return r
}

func newWorker(q *QP) *worker {
	return &worker{qp: q, report: QPReport{Number: q.Number, Done: map[string]uint64{}, Received: map[string]uint64{}}}
}
