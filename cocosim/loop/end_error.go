package loop

import (
	"hcacosim/model/endpoint"
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
)

// A queue pair is in error as a whole (RSP-15). A device has one half of it and the model the other: whichever finds an
// error, the other is told here.

// heed looks whether a queue pair's responder, the model's, is in error. A damaged frame may name one that is not
// there.
func (t *txEnd) heed(qpn uint32) {
	if t.qps[qpn] == nil {
		return
	}
	if _, responder := t.Endpoint.State(qpn); responder == roce.Error {
		t.close(qpn)
	}
}

// close has the device flush what is posted to a queue pair.
func (t *txEnd) close(qpn uint32) {
	q := t.qps[qpn]
	if q == nil || q.failed {
		return
	}
	q.failed = true
	check := hca.ReqRecord{QPN: qpn, Op: hca.ReqClose}
	t.operate(hca.ToCheck, check.Append(nil))
	control := hca.RetryRecord{QPN: qpn, Op: hca.RetryClose}
	t.operate(hca.ToRetry, control.Append(nil))
	packets := hca.TxRecord{QPN: qpn, Op: hca.TxClose}
	t.operate(hca.ToPackets, packets.Append(nil))
	queue := hca.SQRecord{QPN: qpn, Op: hca.SQVerdict, Fail: true, Status: roce.Flushed}
	t.operate(hca.ToSendQueues, queue.Append(nil))
}

// heed looks at a frame that the device sends. It says by a fatal NAK alone that a queue pair of its is in error.
func (r *rxEnd) heed(frame []byte) {
	var w wire.Packet
	wire.Decode(wire.LinkEthernet, frame, &w)
	if w.Op == nil || w.Op.Operation != ib.Ack || !w.Op.Response || w.AETH().Syndrome().Kind() != ib.KindNAK ||
		w.AETH().Syndrome() == ib.NAKSequence {
		return
	}
	qpn := w.BTH().DestQP() // both ends number their queue pairs alike
	if q := r.qps[qpn]; q != nil && !q.failed {
		r.broke(r.atNs, qpn)
		r.fail(r.atNs, qpn)
	}
}

// follow fails queue pairs whose requester, the model's, ended in error.
func (r *rxEnd) follow(ended []endpoint.Completion) {
	for i := range ended {
		qpn := ended[i].QPN
		if requester, _ := r.Endpoint.State(qpn); requester == roce.Error && !r.qps[qpn].failed {
			r.fail(r.atNs, qpn)
		}
	}
}
