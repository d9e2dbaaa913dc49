package session

import (
	"fmt"
	"io"

	"hcacosim/cocosim"
	"hcacosim/model/sim"
)

// listed is a stimulus out of memory.
type listed struct {
	records []sim.Offer
	at      int
}

func (l *listed) Next(o *sim.Offer) error {
	if l.at == len(l.records) {
		return io.EOF
	}
	*o = l.records[l.at]
	l.at++
	return nil
}

func (l *listed) Origin(i uint64) string { return fmt.Sprintf("record %d of %d", i, len(l.records)) }

// Records returns the first n inputs that a Spec plays, copied; without a device.
func Records(spec Spec, n uint64) ([]sim.Offer, error) {
	s := &Session{spec: spec, params: map[string]int{}, inputs: map[string]uint64{}}
	for _, step := range []func() error{spec.check, s.chooseDut, s.configure, s.stimulus} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	stimulus := cocosim.Chain(s.source.parts...)
	var b sim.Offers
	for uint64(len(b.Offers)) < n {
		var o sim.Offer
		switch err := stimulus.Next(&o); err {
		case nil:
			b.Append(o)
		case io.EOF:
			return b.Offers, nil
		default:
			return nil, err
		}
	}
	return b.Offers, nil
}

// Settled returns the parameters and configuration inputs of a Spec, the vector set's among them, and the model's
// stage.
func Settled(spec Spec) (stage sim.StageSpec, settings sim.Settings, err error) {
	s := &Session{spec: spec, params: map[string]int{}, inputs: map[string]uint64{}}
	for _, step := range []func() error{spec.check, s.chooseDut, s.configure} {
		if err := step(); err != nil {
			return stage, nil, err
		}
	}
	return s.stage, s.settings(), nil
}
