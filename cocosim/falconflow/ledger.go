package falconflow

import (
	"cmp"
	"slices"

	"hcacosim/model/sim"
)

// held is a finding while the capture is read.
type held struct {
	Finding
	way   *way    // of a finding in what its packet means
	waits []waits // any of them makes it certain
}

// verdict is the finding in words.
func (f *held) verdict() string {
	word := "possible violation "
	if f.Certain {
		word = "violation "
	}
	return word + string(f.Rule) + ": " + f.Text
}

// RuleCount counts the findings of a rule.
type RuleCount struct {
	Rule     sim.Rule `json:"rule"`
	Certain  uint64   `json:"certain"`
	Possible uint64   `json:"possible"`
}

// ledger counts all findings and keeps some: of those that are certain, those that may become so and the others as many
// each as a report has, the first of each rule and way before the rest.
type ledger struct {
	kept   []*held
	counts map[sim.Rule]*RuleCount
	lost   map[lostKey]uint64 // that may become certain, and are not kept
}

// lostKey tells findings apart that become certain together.
type lostKey struct {
	waits
	rule sim.Rule
}

// add counts a finding, and keeps it for now.
func (l *ledger) add(f *held) {
	n := l.count(f.Rule)
	if f.Certain {
		n.Certain++
	} else {
		n.Possible++
	}
	if l.kept = append(l.kept, f); len(l.kept) > 8*maxFindings {
		l.trim()
	}
}

func (l *ledger) count(rule sim.Rule) *RuleCount {
	if l.counts == nil {
		l.counts = map[sim.Rule]*RuleCount{}
	}
	n := l.counts[rule]
	if n == nil {
		n = &RuleCount{Rule: rule}
		l.counts[rule] = n
	}
	return n
}

// trim lets go of what no report will have.
func (l *ledger) trim() {
	var classes [3][]*held
	for _, f := range l.kept {
		class := 2
		switch {
		case f.Certain:
			class = 0
		case len(f.waits) > 0:
			class = 1
		}
		classes[class] = append(classes[class], f)
	}
	l.kept = nil
	for _, list := range classes {
		list = firstOfEach(list)
		l.kept = append(l.kept, list[:min(maxFindings, len(list))]...)
		for _, f := range list[min(maxFindings, len(list)):] {
			if len(f.waits) > 0 && !f.Certain {
				if l.lost == nil {
					l.lost = map[lostKey]uint64{}
				}
				l.lost[lostKey{f.waits[0], f.Rule}]++
			}
		}
	}
	slices.SortStableFunc(l.kept, func(a, b *held) int { return cmp.Compare(a.Packet, b.Packet) })
}

// firstOfEach puts the first of each rule and way in front.
func firstOfEach(list []*held) []*held {
	type key struct {
		rule sim.Rule
		flow string
	}
	seen := map[key]bool{}
	var first, rest []*held
	for _, f := range list {
		if k := (key{f.Rule, f.Flow}); seen[k] {
			rest = append(rest, f)
		} else {
			seen[k] = true
			first = append(first, f)
		}
	}
	return append(first, rest...)
}

// settle makes the findings certain for which everything is known, and lists the first of them, by packet.
func (l *ledger) settle() (list []Finding, counts []RuleCount) {
	slices.SortStableFunc(l.kept, func(a, b *held) int { return cmp.Compare(a.Packet, b.Packet) })
	var certain, possible []*held
	for _, f := range l.kept {
		if !f.Certain && slices.ContainsFunc(f.waits, func(x waits) bool { return x.fulfilled() }) {
			f.Certain, f.Certainty = true, sim.Certain
			l.proved(f.Rule, 1)
		}
		if f.Certain {
			certain = append(certain, f)
		} else {
			possible = append(possible, f)
		}
	}
	for key, n := range l.lost {
		if key.fulfilled() {
			l.proved(key.rule, n)
			delete(l.lost, key)
		}
	}
	all := append(firstOfEach(certain), firstOfEach(possible)...)
	list = []Finding{}
	for _, f := range all[:min(maxFindings, len(all))] {
		list = append(list, f.Finding)
	}
	slices.SortStableFunc(list, func(a, b Finding) int { return cmp.Compare(a.Packet, b.Packet) })
	counts = []RuleCount{}
	for _, n := range l.counts {
		counts = append(counts, *n)
	}
	slices.SortFunc(counts, func(a, b RuleCount) int { return cmp.Compare(a.Rule, b.Rule) })
	return list, counts
}

// proved counts findings that were possible as certain.
func (l *ledger) proved(rule sim.Rule, n uint64) {
	c := l.count(rule)
	c.Certain, c.Possible = c.Certain+n, c.Possible-n
}
