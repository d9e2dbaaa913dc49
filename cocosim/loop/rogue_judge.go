package loop

import (
	"bytes"
	"fmt"
	"slices"

	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// Judge says in what an end A, whose peer is this one, did not end as it must: by a rule it broke, a status that is not
// due, a queue pair that should be in error and is not, a message executed wrongly, or a hang. "" is as it must be.
// Of a loop that was stopped it says only what no later packet could mend.
func (r *Rogue) Judge(o *Outcome, p *roce.Profile) string {
	if r.unheard != nil && r.unheard(p) {
		deaf := *r
		deaf.ends, deaf.orWell, r = exceeded, true, &deaf
	}
	a := &o.Ends[0]
	switch {
	case o.Judged[0].Certain > 0:
		return fmt.Sprintf("A breaks a rule: %v", o.Judged[0].First)
	case r.honest() && o.Judged[1].Certain > 0:
		return fmt.Sprintf("B breaks a rule: %v", o.Judged[1].First)
	case o.Wrongs > o.Dead:
		return fmt.Sprintf("a message was not executed as it must be: %v", o.Wrong)
	case o.Result.Stuck != "" && !o.Result.Cut && !r.waits:
		return o.Result.Stuck
	case len(r.ends) == 0 && a.Dead > 0 && !(a.Harmed && len(r.late) > 0):
		return fmt.Sprintf("A has an error and should have none: %s", counts(a.Failed))
	case o.Result.Cut:
		return r.undue(a)
	case a.InError != a.Dead:
		return fmt.Sprintf("%d queue pairs of A have failed, %d are in error", a.Dead, a.InError)
	case len(r.ends) > 0 && a.Dead == 0 && !(a.Harmed && r.orWell):
		return fmt.Sprintf("no queue pair of A failed, with %q or otherwise: was --count too small?", r.ends[0])
	}
	return r.statuses(a)
}

// statuses says which completion status is not due, or which is missing.
func (r *Rogue) statuses(a *Side) string {
	if undue := r.undue(a); undue != "" {
		return undue
	}
	flushed := a.Failed[roce.Flushed.String()] > 0
	others := len(a.Failed) > 1 || len(a.Failed) == 1 && !flushed
	if a.Dead > 0 && len(r.ends) > 0 && !slices.Contains(r.ends, roce.Flushed) && !others {
		return fmt.Sprintf("no WQE of A ended with %q", r.ends[0])
	}
	return ""
}

// undue says which completion status is not due.
func (r *Rogue) undue(a *Side) string {
	for name := range a.Failed {
		is := func(s roce.Status) bool { return s.String() == name }
		due := is(roce.Flushed) || slices.ContainsFunc(r.ends, is) || a.Harmed && slices.ContainsFunc(r.late, is)
		if !due {
			return fmt.Sprintf("A has a WQE that ended with %q, which is not due", name)
		}
	}
	return ""
}

// foreign looks for what a peer sent that had forgotten its queue pair, in memory and in what was received.
func (h *host) foreign() {
	for i, c := range h.links {
		if bytes.Contains(h.end.At(c.in.base, spanBytes), filler) {
			h.bad.add("%s: memory of QP %06Xh has bytes of a message that was never sent to it", h.name, h.qpns[i])
		}
	}
}

// byNAK reports whether a WQE that ended so was ended by a fatal NAK.
func byNAK(s roce.Status) bool {
	return s == roce.RemoteInvalidRequest || s == roce.RemoteAccess || s == roce.RemoteOperation
}

// refused holds the message of each queue pair that a fatal NAK has ended against those NAKs: it is the one that such a
// NAK names, and all before it were acknowledged by that (REQ-4).
func (h *host) refused(w *watch, start func(k int) psn.PSN) {
	for k, c := range h.links {
		q := w.qps[h.qpns[k]]
		if q == nil || c.failed == nil || len(q.fatal) == 0 || len(q.fatal) == mostFatal {
			continue
		}
		first := start(k).Add(int32(c.psns))
		if !slices.ContainsFunc(q.fatal, func(p psn.PSN) bool { return uint64(p.Ahead(first)) < c.failed.psns }) {
			h.bad.add("%s: QP %06Xh: message %d, from PSN %06Xh on, ended in error, a fatal NAK names %06Xh (REQ-4)", h.name,
				h.qpns[k], c.failed.work.ID, uint32(first), uint32(q.fatal[0]))
		}
	}
}
