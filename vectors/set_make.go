package vectors

import (
	"fmt"
	"hcacosim/model/sim"
	"hcacosim/vectors/capture"
	"hcacosim/vectors/scenario"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// GenerateSet writes the vector set of a scenario for a stage. The same arguments give the same bytes.
func GenerateSet(dir string, s *scenario.Scenario, stage sim.StageSpec, seed, count uint64, o SetOptions) (*Set,
	error) {
	source, err := NewGenerated(s, stage, seed, count)
	if err != nil {
		return nil, err
	}
	if err := source.SetWeights(o.Weights); err != nil {
		return nil, err
	}
	return WriteSet(dir, Manifest{
		Name: fmt.Sprintf("%s-%d", s.Name, seed), Dut: stage.Name, Weights: textOf(o.Weights),
		Scenario: s.Name, Generator: scenario.GeneratorVersion, Seed: seed,
		Command: fmt.Sprintf("vecgen gen --scenario %s --seed %d --count %d --dut %s", s.Name, seed, count, stage.Name) +
			o.flags(),
	}, source, o)
}

// textOf is the file of weights.
func textOf(w *scenario.Weights) string {
	if w == nil {
		return ""
	}
	return w.Text
}

// ImportSet writes the vector set of a capture for a stage.
func ImportSet(dir, path string, stage sim.StageSpec, o SetOptions) (*Set, error) {
	source, err := NewPlayed(func() (*capture.Reader, error) { return capture.Open(path) }, stage)
	if err != nil {
		return nil, err
	}
	defer source.Close()
	base := filepath.Base(path)
	return WriteSet(dir, Manifest{
		Name: strings.TrimSuffix(base, filepath.Ext(base)), Dut: stage.Name, Source: base,
		Command: fmt.Sprintf("vecgen import %s --dut %s", base, stage.Name) + o.flags(),
	}, source, o)
}

// flags are the options that change the set.
func (o *SetOptions) flags() (s string) {
	if o.ReadmemhBits > 0 {
		s += fmt.Sprintf(" --readmemh %d", o.ReadmemhBits)
	}
	for _, name := range slices.Sorted(maps.Keys(o.Settings)) {
		s += fmt.Sprintf(" --config %s=%d", name, o.Settings[name])
	}
	if o.Weights != nil {
		s += " --weights " + filepath.Base(o.Weights.File)
	}
	if o.Bins != nil {
		s += " --bins"
	}
	if o.CHeader {
		s += " --c-header"
	}
	if o.SVPackage {
		s += " --sv-package"
	}
	if o.Strict {
		s += " --strict"
	}
	if o.Slack != nil {
		s += fmt.Sprintf(" --slack %d", *o.Slack)
	}
	return s
}
