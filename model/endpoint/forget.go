package endpoint

import (
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// Forget gives a queue pair new machines in place of those it has, each where its configuration is not nil: nothing
// posted, nothing owed, no timer, no message open. What the configuration leaves open, such as the width, is as before.
// It is what an adapter is after a reset that its peer was not told of.
func (e *Endpoint) Forget(qpn uint32, req *roce.RequesterConfig, resp *roce.ResponderConfig) {
	q := e.byNumber[qpn]
	if req != nil {
		q.Requester = *req
		q.req = roce.NewRequester(&q.Requester)
		q.sends, q.due = map[uint64][]byte{}, [2]uint64{}
	}
	if resp != nil {
		q.Responder = *resp
		q.resp = roce.NewResponder(&q.Responder)
		q.resp.State = roce.RTS
		q.recvs = map[uint64][]byte{}
	}
}

// Configs returns what the machines of a queue pair were given.
func (e *Endpoint) Configs(qpn uint32) (roce.RequesterConfig, roce.ResponderConfig) {
	q := e.byNumber[qpn]
	return q.Requester, q.Responder
}

// Standing is where a queue pair stands: what of its requester is outstanding, what its responder expects, and whether
// that owes an answer.
func (e *Endpoint) Standing(qpn uint32) (r Standing) {
	q := e.byNumber[qpn]
	r.Una, _, r.High = q.req.PSNs()
	r.Expected, r.Owes = q.resp.EPSN(), q.resp.Owes()
	return r
}

// Standing is where the machines of a queue pair stand.
type Standing struct {
	Una, High psn.PSN // of the requester: the oldest that is not acknowledged, and the first that was never sent
	Expected  psn.PSN // of the responder
	Owes      bool    // the responder has an answer to send
}
