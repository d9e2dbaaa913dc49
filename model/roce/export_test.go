package roce

import "hcacosim/model/psn"

// What a check of many QPs is told of a machine and what it should say, for the replay of worlds on RTL.

// Judged is the decision that the machine makes of a request, with what it looked up for it. What was executed counts
// as kept: whether it is, the check does not know.
func (r *Responder) Judged(p *Packet) (f RespFacts, d RespDecision, after ResponderState) {
	at := *r
	s := p.Op.Shape()
	at.lookUp(p, s, &f)
	kept := f.Replay
	f.Replay = true
	at.decide(at.cfg, p, s, &f, &d)
	f.Replay = kept || d.Outcome != RespDuplicate || !s.Verb.Replayed()
	return f, d, at.ResponderState
}

// Full reports whether the machine loses requests because too many responses wait.
func (r *Responder) Full() bool { return r.replies.full() }

// InFlight counts READs and atomics that are not answered.
func (s *ResponderState) InFlight() uint8 { return s.inFlight }

// Config is what the machine was made with.
func (r *Responder) Config() *ResponderConfig { return r.cfg }

// Config is what the machine was made with.
func (q *Requester) Config() *RequesterConfig { return q.cfg }

// Standing is the state that decides, and the READs and atomics outstanding, oldest first.
func (q *Requester) Standing() (RequesterState, [4]Outstanding, uint8) {
	var list [4]Outstanding
	n := 0
	for i := range q.count {
		w := q.at(i)
		if !w.started || !w.Verb.Replayed() || n == int(q.reads) {
			continue
		}
		o := Outstanding{Due: q.cfg.Width.Add(w.first, w.got), Last: w.last, Atomic: w.Verb.Atomic(), Begun: w.got > 0}
		if w.Verb == Read {
			o.TailBytes = w.Len - q.cfg.Width.Between(w.last, w.first)*q.cfg.PMTUBytes
		}
		list[n] = o
		n++
	}
	return q.s, list, q.reads
}

// Coming is the request that goes out next: what it takes, and what is noted of it. false for local work.
func (q *Requester) Coming() (kind ReqKind, count, ssn, tail uint32, ok bool) {
	at := *q
	w := at.at(at.cur)
	if w.Verb.Local() {
		return 0, 0, 0, 0, false
	}
	if !w.started {
		at.start(w)
	}
	count = 1
	if w.Verb == Read {
		count = at.cfg.Width.Between(w.last, at.next) + 1
		tail = w.Len - at.cfg.Width.Between(w.last, w.first)*at.cfg.PMTUBytes
	}
	return w.kind(), count, w.ssn, tail, true
}

// Queued is a WQE in the send queue: done says of local work that it was done.
type Queued struct {
	Work
	Begun, Done bool
	First, Last psn.PSN
	SSN         uint32
}

// Queue are the WQEs that have not ended, the oldest first, and which of them next belongs to.
func (q *Requester) Queue() (all []Queued, cur int) {
	for i := range q.count {
		w := q.at(i)
		all = append(all, Queued{Work: w.Work, Begun: w.started, Done: w.started && !w.waits, First: w.first, Last: w.last,
			SSN: w.ssn})
	}
	return all, int(q.cur)
}

// NextSSN is the number that the next message to be posted gets.
func (q *Requester) NextSSN() uint32 { return q.ssn }

// Beginning is the WQE that begins with what goes out next, with its PSNs; false where none does, or where local work
// begins.
func (q *Requester) Beginning() (w Queued, ok bool) {
	if !q.Ready() || q.at(q.cur).started || q.at(q.cur).Verb.Local() {
		return w, false
	}
	at := *q
	at.start(at.at(at.cur))
	all, cur := at.Queue()
	return all[cur], true
}

// Held is the rule by which nothing goes out: empty where there is nothing to send.
func (q *Requester) Held() Rule {
	switch w := q.at(q.cur); {
	case q.s.Waiting:
		return "TMR-5"
	case q.cur == q.count, q.next == q.s.High && q.cur > 0 && q.at(q.cur-1).stops():
		return ""
	case !q.fits(w):
		return "PSN-5"
	case !q.mayRead(w):
		return "REQ-9"
	default:
		return "CRD-2"
	}
}

// Timing reports whether the transport timer runs.
func (q *Requester) Timing() bool { return q.timing }

// Decided is what the machine decides of a response, and the state behind it.
func (q *Requester) Decided(p *Packet) (d Decision, after RequesterState) {
	at := *q
	at.decide(p, &d)
	return d, at.s
}

// Counts are what is left of retry_cnt and rnr_retry.
func (q *Requester) Counts() (retries, rnrRetries uint8) { return q.retries, q.rnrRetries }

// Unaware is what the machine decides of a response that has not heard of its wait or its retry, as a check whose
// answer crosses that of retry_ctl.
func (q *Requester) Unaware(p *Packet) Decision {
	at := *q
	at.s.Waiting, at.s.Retrying = false, false
	var d Decision
	at.decide(p, &d)
	return d
}

// Counted is the machine behind so many messages, which have ended, and for which the peer had just enough credits.
func (q *Requester) Counted(messages uint32) { q.ssn, q.s.LSN = messages+1, messages }
