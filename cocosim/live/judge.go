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

func newJudge(cfg *Config, profile roce.Profile, began time.Time) (*judge, error) {
	f, behindNs := cfg.File, uint64(0)
	if cfg.Halves.Requester != nil || cfg.Halves.Whole != nil {
		behindNs = rtlBehindNs
	}
	pmtu := f.QPs[0].PMTU
	for i := range f.QPs {
		if f.QPs[i].PMTU != pmtu {
			pmtu = 0 // not one for all
		}
	}
	inner, err := loop.NewJudge(f.Address.Addr, f.MAC, profile, pmtu, behindNs)
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
