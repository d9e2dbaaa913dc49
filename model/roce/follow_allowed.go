package roce

import "hcacosim/model/ib"

// mayRelease notes what a bad response acknowledges before its PSN: a device that drops it may have released that all
// the same, with what progress restores (REQ-12).
func (f *RequesterFollower) mayRelease(d *Decision) {
	if d.Una.From(d.UnaBefore) > 0 {
		f.released, f.mayHave = d.Una, true
		f.q.retries, f.q.rnrRetries = max(f.q.retries, f.cfg.RetryCount), max(f.q.rnrRetries, f.cfg.RNRRetry)
	}
}

// mayRetry notes that an ACK came with a PSN inside an unfinished READ or atomic: a retry is allowed then, and not
// required (CRD-4).
func (f *RequesterFollower) mayRetry(timeNS int64, p *Packet) {
	if operation(p.Op) != ib.Ack || p.Syndrome.Kind() != ib.KindAck {
		return
	}
	w := f.find(p.PSN)
	if w != nil && w.Verb.Replayed() && w.last.From(f.q.s.Una) >= 0 {
		f.owe(goBack{why: "CRD-4", psn: f.q.s.Una, timeNS: timeNS, met: true})
	}
}
