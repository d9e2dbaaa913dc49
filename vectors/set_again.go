package vectors

import (
	"bytes"
	"fmt"
	"io"

	"hcacosim/model/sim"
	"hcacosim/vectors/capture"
	"hcacosim/vectors/scenario"
)

// again makes the stimulus of a set anew, from the scenario, seed and weights of its manifest.
type again struct {
	set  *Set
	from *Generated // nil where the set cannot be made again
}

// MadeAgain reports whether Check makes the stimulus anew; why says what it does instead.
func (s *Set) MadeAgain() (can bool, why string) {
	switch {
	case s.Scenario == "":
		return false, "it is of no scenario"
	case s.Generator != scenario.GeneratorVersion:
		return false, fmt.Sprintf("it is of generator %d, this is %d", s.Generator, scenario.GeneratorVersion)
	}
	return true, ""
}

// again begins to make the stimulus anew, where that can be done.
func (s *Set) again(stage sim.StageSpec) (*again, error) {
	if can, _ := s.MadeAgain(); !can {
		return &again{}, nil
	}
	of, err := scenario.Lookup(s.Scenario)
	if err != nil {
		return nil, &capture.Error{File: s.Dir, Offset: -1, What: fmt.Sprintf("made from scenario %q, which is none",
			s.Scenario)}
	}
	a := &again{set: s}
	if a.from, err = NewGenerated(of, stage, s.Seed, s.StimulusRecords); err != nil || s.Weights == "" {
		return a, err
	}
	w, err := scenario.ParseWeights(s.Dir+", weights", []byte(s.Weights))
	if err != nil {
		return nil, err
	}
	return a, a.from.SetWeights(w)
}

// holds compares an input of the set with what is made anew.
func (a *again) holds(o *sim.Offer) error {
	if a.from == nil {
		return nil
	}
	var want sim.Offer
	err := a.from.Next(&want)
	if err == nil && want.Port == o.Port && want.Seq == o.Seq && want.Key == o.Key && want.User == o.User &&
		want.NotBefore == o.NotBefore && bytes.Equal(want.Data, o.Data) {
		return nil
	}
	if err != nil && err != io.EOF {
		return err
	}
	return &capture.Error{File: a.set.Dir, Offset: -1, What: fmt.Sprintf("record %d of %s is not what scenario %s gives "+
		"with seed %d and the weights of the manifest: one of these was changed", o.Seq, a.set.Ports[o.Port].Name,
		a.set.Scenario, a.set.Seed)}
}
