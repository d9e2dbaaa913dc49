package loop

import (
	"context"
	"errors"

	"hcacosim/cocosim"
	"hcacosim/model/endpoint"
	"hcacosim/model/roce"
)

// Adapter is an end as its host sees it: package endpoint's, or one with halves of RTL.
type Adapter interface {
	End
	// Post, PostReceive, Completions, Count, At and State are as those of endpoint.Endpoint.
	Post(nowNs uint64, qpn uint32, w roce.Work, data []byte) bool
	PostReceive(qpn uint32, id uint64, buffer []byte) bool
	Completions() []endpoint.Completion
	Count() *endpoint.Counters
	At(va uint64, length uint32) []byte
	State(qpn uint32) (requester, responder roce.QPState)
}

// Halves are the devices of an adapter: one with the ports of hca_rx makes its responses, one with those of hca_tx its
// requests. nil: the model does.
type Halves struct {
	Responder, Requester cocosim.Device
	// Whole, with the ports of hca_top, makes both; then there is no other.
	Whole cocosim.Device
	// Free has their clocks run as fast as they can. Times that they are told are those of the adapter: timers follow it.
	Free bool
	// Gbps is the speed of the link, if it is known: a device that can have it behind m_axis has.
	Gbps float64
	// Pace is that of the requests of a device, of each queue pair, and what CNPs do to it; nil: none.
	Pace *Pace
	// Lapse has a device that only waits for its timers run one cycle of so many; 0 or 1: all.
	Lapse uint64
}

// Close ends the devices.
func (h *Halves) Close() (err error) {
	for _, d := range []cocosim.Device{h.Responder, h.Requester, h.Whole} {
		if d != nil {
			err = errors.Join(err, d.Close())
		}
	}
	return err
}

// NewAdapter makes an adapter of which halves are devices.
func NewAdapter(ctx context.Context, cfg endpoint.Config, h Halves) (Adapter, error) {
	cfg.OthersNotify = h.Responder != nil || h.Whole != nil
	e, err := endpoint.New(cfg)
	switch {
	case err != nil:
		return nil, err
	case h.Whole != nil:
		return newTopEnd(ctx, e, &cfg, h)
	case h.Responder != nil && h.Requester != nil:
		return newWholeEnd(ctx, e, &cfg, h)
	case h.Responder != nil:
		return newRxEnd(ctx, e, &cfg, h)
	case h.Requester != nil:
		return newTxEnd(ctx, e, &cfg, h)
	}
	return e, nil
}

// Failure is what a device of an adapter ended with.
func Failure(a Adapter) error {
	if d, ok := a.(interface{ failure() error }); ok {
		return d.failure()
	}
	return nil
}
