package live

import (
	"time"

	"hcacosim/cocosim"
	"hcacosim/cocosim/loop"
	"hcacosim/model/roce"
)

// judge sees every frame in the order in which the model does, and keeps it where a capture is asked for.
type judge struct {
	*loop.Judge
	keep   loop.Seen    // nil: no capture
	failed func() error // of the capture
}

// rtlBehindNs is how long before it leaves a request may have been decided by RTL: a simulator is slow.
const rtlBehindNs = 100_000_000

// behindNs is how long before it leaves a request of these may have been decided; 0: as judges have it.
func behindNs(h *loop.Halves) uint64 {
	if h.Requester != nil || h.Whole != nil {
		return rtlBehindNs
	}
	return 0
}

func newJudge(cfg *Config, profile roce.Profile, began time.Time) (*judge, error) {
	f := cfg.File
	pmtu := f.QPs[0].PMTU
	for i := range f.QPs {
		if f.QPs[i].PMTU != pmtu {
			pmtu = 0 // not one for all
		}
	}
	inner, err := loop.NewJudge(f.Address.Addr, f.MAC, profile, pmtu, behindNs(&cfg.Halves))
	if err != nil {
		return nil, err
	}
	j := &judge{Judge: inner, failed: func() error { return nil }}
	if cfg.Capture != nil {
		j.keep, j.failed = loop.WriteCapture(cfg.Capture, began)
	}
	return j, nil
}

func (j *judge) see(nowNs uint64, frame []byte, sent bool) {
	j.See(nowNs, frame, sent)
	if j.keep != nil {
		j.keep(nowNs, frame, sent)
	}
}

func (j *judge) finish() (loop.Judgment, error) {
	const shown = 10
	err := j.failed()
	if err != nil {
		err = cocosim.Errorf(cocosim.BadInput, "cannot write the capture: %v", err)
	}
	return j.Finish(shown), err
}
