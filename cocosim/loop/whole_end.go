package loop

import (
	"context"

	"hcacosim/model/endpoint"
	"hcacosim/model/roce"
)

// wholeEnd is an adapter both of whose halves are devices: what arrives goes to hca_rx, good responses to hca_tx too.
// What leaves is theirs in turn. Memory is one, that of the endpoint, whose machines have nothing to do.
type wholeEnd struct {
	*rxEnd
	tx   *txEnd
	asks bool // a request went last
}

// newWholeEnd sets two devices up as an adapter.
func newWholeEnd(ctx context.Context, e *endpoint.Endpoint, cfg *endpoint.Config, h Halves) (*wholeEnd, error) {
	rx, err := newRxEnd(ctx, e, cfg, h)
	if err != nil {
		return nil, err
	}
	tx, err := newTxEnd(ctx, e, cfg, h)
	if err != nil {
		return nil, err
	}
	rx.responses, tx.ended = tx.Receive, rx.fail
	rx.broke = func(_ uint64, qpn uint32) { tx.close(qpn) }
	return &wholeEnd{rxEnd: rx, tx: tx}, nil
}

// Post adds work to a send queue.
func (w *wholeEnd) Post(nowNs uint64, qpn uint32, work roce.Work, data []byte) bool {
	return w.tx.Post(nowNs, qpn, work, data)
}

// Next appends the frame that leaves now: the two take turns.
func (w *wholeEnd) Next(nowNs uint64, dst []byte) ([]byte, bool) {
	for range 2 {
		var next End = w.rxEnd
		if w.asks = !w.asks; w.asks {
			next = w.tx
		}
		if frame, ok := next.Next(nowNs, dst); ok {
			return frame, true
		}
	}
	return dst, false
}

// NextTimer returns when the next step of a busy device ends.
func (w *wholeEnd) NextTimer() (atNs uint64, ok bool) { return w.tx.waits(w.rxEnd.NextTimer()) }

// Expire lets both run.
func (w *wholeEnd) Expire(nowNs uint64) {
	w.rxEnd.Expire(nowNs)
	w.tx.catchUp(nowNs)
}

// Completions returns those of receive WQEs, then those of send WQEs.
func (w *wholeEnd) Completions() []endpoint.Completion {
	return append(w.rxEnd.Completions(), w.tx.Completions()...)
}

// State has both halves of a QP in error when a WQE of it ended so.
func (w *wholeEnd) State(qpn uint32) (requester, responder roce.QPState) {
	if w.qps[qpn].failed {
		return roce.Error, roce.Error
	}
	return w.tx.State(qpn)
}

// failure is what a device ended with.
func (w *wholeEnd) failure() error {
	if w.rxEnd.failed != nil {
		return w.rxEnd.failed
	}
	return w.tx.failed
}

// busy reports whether a device may have something to say without being given anything.
func (w *wholeEnd) busy() bool { return w.rxEnd.busy() || w.tx.busy() }
