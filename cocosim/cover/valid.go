package cover

import (
	"fmt"
	"math"
	"regexp"
	"slices"

	"hcacosim/model/sim"
	"hcacosim/model/stages"
)

// numbersInNames are what the sizes of a device change in the names of groups.
var numbersInNames = regexp.MustCompile(`[0-9]+`)

// sizeless is a group's name without the sizes of its device.
func sizeless(name string) string { return numbersInNames.ReplaceAllString(name, "#") }

// declared are the groups that this version has for a stage at its default sizes, and those that it has more where the
// memories have a code; none where there is no such stage.
func declared(stage string) (always, all []*Group) {
	if stage == CaptureStage {
		always = NewCaptured().Groups
		return always, always
	}
	spec, ok := stages.Lookup(stage)
	if !ok {
		return nil, nil
	}
	always = New(&spec, nil).Groups
	return always, slices.Concat(always, New(&spec, sim.Settings{"Ecc": 1}).Groups)
}

// Valid says what of a sheet that was read this version does not declare, or lacks, or cannot have counted.
func (s *Sheet) Valid() error {
	always, all := declared(s.Stage)
	if always == nil {
		return fmt.Errorf("this version has no stage %q", s.Stage)
	}
	if err := s.namesRuns(); err != nil {
		return err
	}
	left, rules, seen := map[string]bool{}, allRules(), map[string]bool{}
	for _, g := range all {
		left[sizeless(g.Name)] = true
	}
	for _, g := range s.Groups {
		if g == nil || seen[g.Name] {
			return fmt.Errorf("coverage of %s has a group twice, or an empty one", s.Stage)
		}
		seen[g.Name] = true
		if _, ok := left[sizeless(g.Name)]; !ok {
			return fmt.Errorf("coverage of %s: this version declares no group %q", s.Stage, g.Name)
		}
		left[sizeless(g.Name)] = false
		if err := g.valid(all, rules); err != nil {
			return fmt.Errorf("coverage of %s: group %q: %w", s.Stage, g.Name, err)
		}
	}
	for _, g := range always {
		if left[sizeless(g.Name)] {
			return fmt.Errorf("coverage of %s lacks the group %q", s.Stage, g.Name)
		}
	}
	return nil
}

// namesRuns holds that each run is named once.
func (s *Sheet) namesRuns() error {
	for i, run := range s.Runs {
		if slices.Contains(s.Runs[:i], run) {
			return fmt.Errorf("coverage of %s names a run twice: %s", s.Stage, run)
		}
	}
	return nil
}

// valid holds a group against the declared one of its name, where the sizes are the default ones, and its bins against
// the rules that there are.
func (g *Group) valid(have []*Group, rules []string) error {
	at := slices.IndexFunc(have, func(d *Group) bool { return d.Name == g.Name })
	if at >= 0 && len(have[at].Bins) != len(g.Bins) {
		return fmt.Errorf("has %d bins, this version declares %d", len(g.Bins), len(have[at].Bins))
	}
	for i := range g.Bins {
		b := &g.Bins[i]
		if at >= 0 && have[at].Bins[i].Name != b.Name {
			return fmt.Errorf("this version declares no bin %q there, but %q", b.Name, have[at].Bins[i].Name)
		}
		if b.Hits > 0 != (b.First != nil) {
			return fmt.Errorf("bin %q has %d hits, and says otherwise where it was hit first", b.Name, b.Hits)
		}
		for _, rule := range b.Rules {
			if !slices.Contains(rules, rule) {
				return fmt.Errorf("bin %q names rule %s, which docs/rules.md does not have", b.Name, rule)
			}
		}
	}
	return nil
}

// plus adds hits, and stays at the most that can be counted.
func plus(a, b uint64) uint64 {
	if b > math.MaxUint64-a {
		return math.MaxUint64
	}
	return a + b
}
