package session

import (
	"fmt"
	"io"

	"hcacosim/cocosim"
	"hcacosim/cocosim/adapt"
	"hcacosim/model/sim"
)

// listed is a stimulus out of memory.
type listed struct {
	records []sim.Offer
	at      int
}

func (l *listed) Next(r *sim.Offer) error {
	if l.at == len(l.records) {
		return io.EOF
	}
	*r = l.records[l.at]
	l.at++
	return nil
}

func (l *listed) Origin(i uint64) string { return fmt.Sprintf("record %d of %d", i, len(l.records)) }

// Records returns the first n records that a Spec plays, copied; without a device.
func Records(spec Spec, n uint64) ([]sim.Offer, error) {
	var b sim.Offers
	err := Each(spec, n, func(r *sim.Offer) { b.Append(*r) })
	return b.Offers, err
}

// RecordsTaken returns the records that a Spec plays until the device has been given so many of them: those that it
// does not accept lie between. more reports that there are more than most.
func RecordsTaken(spec Spec, given, most uint64) (all []sim.Offer, more bool, err error) {
	s := &Session{spec: spec, params: map[string]int{}, inputs: map[string]uint64{}}
	for _, step := range []func() error{spec.check, s.chooseDut, s.configure, s.stimulus} {
		if err := step(); err != nil {
			return nil, false, err
		}
	}
	view, err := adapt.New(s.manifest, s.stage)
	if err != nil {
		return nil, false, err
	}
	t := &noting{Stimulus: cocosim.Chain(s.source.parts...), most: most}
	err = eachOf(view.Stimulus(t), given, func(*sim.Offer) {})
	return t.all.Offers, t.more, err
}

// noting is a stimulus that keeps what it gave, and ends behind so many records.
type noting struct {
	cocosim.Stimulus
	all  sim.Offers
	most uint64
	more bool
}

func (t *noting) Next(r *sim.Offer) error {
	if uint64(len(t.all.Offers)) == t.most {
		t.more = true
		return io.EOF
	}
	err := t.Stimulus.Next(r)
	if err == nil {
		t.all.Append(*r)
	}
	return err
}

// Each calls f with the first n records that a Spec plays, one after the other; without a device. A record is f's until
// it returns.
func Each(spec Spec, n uint64, f func(r *sim.Offer)) error {
	s := &Session{spec: spec, params: map[string]int{}, inputs: map[string]uint64{}}
	for _, step := range []func() error{spec.check, s.chooseDut, s.configure, s.stimulus} {
		if err := step(); err != nil {
			return err
		}
	}
	return eachOf(cocosim.Chain(s.source.parts...), n, f)
}

func eachOf(stimulus cocosim.Stimulus, n uint64, f func(r *sim.Offer)) error {
	for range n {
		var r sim.Offer
		switch err := stimulus.Next(&r); err {
		case nil:
			f(&r)
		case io.EOF:
			return nil
		default:
			return err
		}
	}
	return nil
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
