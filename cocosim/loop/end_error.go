package loop

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
)

// A queue pair is in error as a whole (RSP-15). A device has one half of it and the model the other: whichever finds an
// error, the other is told here.

// heed tells the device of a queue pair whose responder, the model's, is in error: what is posted is flushed.
func (t *txEnd) heed(qpn uint32) {
	q := t.qps[qpn]
	if q == nil || q.failed {
		return
	}
	if _, responder := t.Endpoint.State(qpn); responder != roce.Error {
		return
	}
	check := hca.ReqRecord{QPN: qpn, Op: hca.ReqClose}
	t.operate(hca.ToCheck, check.Append(nil))
	control := hca.RetryRecord{QPN: qpn, Op: hca.RetryClose}
	t.operate(hca.ToRetry, control.Append(nil))
	packets := hca.TxRecord{QPN: qpn, Op: hca.TxClose}
	t.operate(hca.ToPackets, packets.Append(nil))
	queue := hca.SQRecord{QPN: qpn, Op: hca.SQVerdict, Fail: true, Status: roce.Flushed}
	t.operate(hca.ToSendQueues, queue.Append(nil))
	q.failed = true
}

// heed looks at a frame that the device sends. It says by a fatal NAK alone that a queue pair of its is in error.
func (r *rxEnd) heed(frame []byte) {
	var w wire.Packet
	wire.Decode(wire.LinkEthernet, frame, &w)
	if w.Op == nil || w.Op.Operation != ib.Ack || !w.Op.Response || w.AETH().Syndrome().Kind() != ib.KindNAK ||
		w.AETH().Syndrome() == ib.NAKSequence {
		return
	}
	for qpn, q := range r.qps {
		if q.op.PeerQPN == w.BTH().DestQP() {
			r.Close(r.atNs, qpn)
		}
	}
}

// follow tells the device of a queue pair whose requester, the model's, is in error: its responder is silent from then
// on.
func (r *rxEnd) follow(qpn uint32) {
	q := r.qps[qpn]
	if q == nil || q.closed {
		return
	}
	if requester, _ := r.Endpoint.State(qpn); requester != roce.Error {
		return
	}
	q.closed = true
	verdict := hca.RespQuery{Op: hca.RespError, QPN: qpn}
	r.operate(&hca.HcaRxOp{To: hca.ToVerdict, Record: verdict.Append(nil)})
}
