package session

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"hcacosim/cocosim"
	"hcacosim/cocosim/manifest"
	"hcacosim/model/sim"
	"hcacosim/vectors"
	"hcacosim/vectors/capture"
	"hcacosim/vectors/known"
	"hcacosim/vectors/scenario"
)

// source is what a run plays.
type source struct {
	parts []cocosim.Stimulus
	words []string // the parts in words
	total uint64   // records, where known
}

// stimulus puts together what the Spec plays.
func (s *Session) stimulus() error {
	if err := s.checkEndpoints(); err != nil {
		return err
	}
	if s.set != nil {
		if err := s.addSet(); err != nil {
			return err
		}
	}
	if len(s.spec.Records) > 0 {
		if err := s.addGiven(); err != nil {
			return err
		}
	}
	if s.spec.Known {
		s.addCaptures("known captures", knownCaptures())
	}
	for _, open := range openers(s.spec.Captures) { // before anything is built
		r, err := open()
		if err != nil {
			return err
		}
		r.Close()
	}
	switch {
	case len(s.spec.Captures) == 0:
	case s.stage.Name == receiver:
		if err := s.addEndpoints(); err != nil {
			return err
		}
	default:
		s.addCaptures("captures", openers(s.spec.Captures))
	}
	if s.spec.Scenario != "" || len(s.source.parts) == 0 {
		return s.addScenario()
	}
	if s.spec.Weights != "" {
		return cocosim.Errorf(cocosim.BadInput, "--weights: no scenario is played that they are for; say --scenario")
	}
	return nil
}

func (s *Session) addSet() error {
	if s.set.Dut != s.stage.Name {
		return cocosim.Errorf(cocosim.BadInput, "%s: a vector set for %s; the device is held against %s", s.set.Dir,
			s.set.Dut, s.stage.Name)
	}
	records, err := s.set.Stimulus()
	if err != nil {
		return err
	}
	s.source.add(records, s.set.StimulusRecords, "vector set "+s.set.Dir)
	return nil
}

func (s *Session) addCaptures(what string, list []opener) {
	for _, open := range list {
		s.source.parts = append(s.source.parts, &capturePart{open: open, stage: s.stage})
	}
	s.source.words = append(s.source.words, fmt.Sprintf("%s (%d files)", what, len(list)))
}

func (s *Session) addScenario() (err error) {
	sc := scenario.Default(s.stage.Name)
	if s.spec.Scenario != "" {
		if sc, err = scenario.Lookup(s.spec.Scenario); err != nil {
			return err
		}
	}
	if !sc.IsForSize(s.manifest.Parameters) {
		return cocosim.Errorf(cocosim.BadInput, "scenario %s is not for %s of this size: %s", sc.Name, s.manifest.Name,
			sc.Size())
	}
	count := cmp.Or(s.spec.Count, sc.Count)
	g, err := vectors.NewGenerated(sc, s.stage, s.spec.Seed, count)
	if err != nil {
		return err
	}
	g.SetPace(s.pace())
	words := fmt.Sprintf("%s, seed %d, %d packets", sc.Name, s.spec.Seed, count)
	if file := s.spec.Weights; file != "" {
		w, err := scenario.ReadWeights(file)
		if err == nil {
			err = g.SetWeights(w)
		}
		if err != nil {
			return err
		}
		words += ", weights " + filepath.Base(file)
	}
	s.source.add(g, count, words)
	return nil
}

// pace is how fast the device can be in this run.
func (s *Session) pace() scenario.Pace {
	p := scenario.Pace{BeatBytes: 64, Words: s.manifest.Parameters["NumQps"] * max(1, s.manifest.Parameters["RqDepth"]),
		Idle: s.spec.Idle, Backpressure: s.spec.Backpressure}
	for _, port := range slices.Backward(s.manifest.Ports) {
		if port.Kind == manifest.KindAxis && port.Dir == manifest.DirIn {
			p.BeatBytes = port.BeatBytes()
		}
	}
	if s.spec.Known {
		p.Before = known.Bytes()
	}
	for _, name := range s.spec.Captures {
		if i, err := os.Stat(name); err == nil { // else nothing is played
			p.Before += int(i.Size())
		}
	}
	return p
}

func (s *source) add(part cocosim.Stimulus, total uint64, words string) {
	s.parts, s.total, s.words = append(s.parts, part), s.total+total, append(s.words, words)
}

// opener opens a capture.
type opener func() (*capture.Reader, error)

func openers(files []string) (list []opener) {
	for _, f := range files {
		list = append(list, func() (*capture.Reader, error) { return capture.Open(f) })
	}
	return list
}

func knownCaptures() (list []opener) {
	for _, f := range known.Files() {
		list = append(list, func() (*capture.Reader, error) { return known.Open(f.Name) })
	}
	return list
}

// capturePart plays one capture. It is open only while it is being read: a run may be given hundreds.
type capturePart struct {
	open  opener
	stage sim.StageSpec
	s     *vectors.Played
}

// Next gives the next record.
func (p *capturePart) Next(r *sim.Offer) (err error) {
	if p.s == nil {
		if p.s, err = vectors.NewPlayed(p.open, p.stage); err != nil {
			return err
		}
	}
	if err = p.s.Next(r); err != nil {
		p.s.Close()
	}
	return err
}

// Origin says which packet of which file a record is.
func (p *capturePart) Origin(i uint64) string { return p.s.Origin(i) }
