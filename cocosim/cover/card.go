package cover

import (
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"hcacosim/docs"
)

// RuleCount is how a rule fared in the runs of a card.
type RuleCount struct {
	Rule      string `json:"rule"`
	Exercised uint64 `json:"exercised"` // records whose situation is the rule's
	Broken    uint64 `json:"broken"`    // mismatches at such records, or that name the rule
	// Possible are findings of captures that something else may explain.
	Possible uint64 `json:"possible,omitempty"`
	Bins     int    `json:"bins"` // of the rule, hit
	Open     int    `json:"open"` // and not hit
}

// Card says of every rule what the runs of a device show of it.
type Card struct {
	Stage string      `json:"stage"`
	Rules []RuleCount `json:"rules"` // that the stage can show, in the order of docs/rules.md
	// Unseen are the rules that cannot be seen at the ports of this stage.
	Unseen []string `json:"unseen"`
	// Other are mismatches that no rule of the stage was named or found for.
	Other uint64 `json:"other"`
}

var ruleRow = regexp.MustCompile(`(?m)^\| \**([A-Z]+-[A-Z]?[0-9]+)\b`)

// allRules are the IDs of docs/rules.md in its order.
func allRules() (ids []string) {
	for _, m := range ruleRow.FindAllStringSubmatch(docs.Rules, -1) {
		if !slices.Contains(ids, m[1]) {
			ids = append(ids, m[1])
		}
	}
	return ids
}

// Card makes the card of a sheet. broken counts mismatches by the rule that the report names, and by the input's record
// where it names none.
func (s *Sheet) Card(broken map[string]uint64) Card {
	c := Card{Stage: s.Stage}
	count := map[string]*RuleCount{}
	for _, g := range s.Groups {
		for i := range g.Bins {
			b := &g.Bins[i]
			for _, rule := range b.Rules {
				r := count[rule]
				if r == nil {
					r = &RuleCount{Rule: rule}
					count[rule] = r
				}
				r.Exercised = plus(r.Exercised, b.Hits)
				switch b.State() {
				case Hit:
					r.Bins++
				case Open:
					r.Open++
				}
			}
		}
	}
	known := allRules()
	for rule, n := range broken {
		switch r := count[rule]; {
		case r != nil:
			r.Broken += n
		case slices.Contains(known, rule):
			count[rule] = &RuleCount{Rule: rule, Broken: n}
		default:
			c.Other += n
		}
	}
	for _, rule := range known {
		if r := count[rule]; r != nil {
			c.Rules = append(c.Rules, *r)
		} else {
			c.Unseen = append(c.Unseen, rule)
		}
	}
	return c
}

// Possibly adds findings that are not certain, by rule.
func (c *Card) Possibly(found map[string]uint64) {
	var rules []RuleCount
	for _, rule := range allRules() {
		at := slices.IndexFunc(c.Rules, func(r RuleCount) bool { return r.Rule == rule })
		switch n := found[rule]; {
		case at >= 0:
			c.Rules[at].Possible += n
			rules = append(rules, c.Rules[at])
		case n > 0:
			rules = append(rules, RuleCount{Rule: rule, Possible: n})
			c.Unseen = slices.DeleteFunc(c.Unseen, func(u string) bool { return u == rule })
		}
	}
	c.Rules = rules
}

// transport is whose rule it is.
func transport(rule string) string {
	if strings.HasPrefix(rule, "FAL-") {
		return "Falcon"
	}
	return "RoCE or InfiniBand"
}

// absent counts, by transport, the rules of one that captures show nothing of. A block's card names each of its rules,
// and so does one of captures that show nothing at all.
func (c *Card) absent() map[string]int {
	if c.Stage != CaptureStage {
		return nil
	}
	count := map[string]int{}
	shown := map[string]bool{}
	for _, r := range c.Rules {
		count[transport(r.Rule)]++
		if r.Exercised > 0 || r.Broken > 0 || r.Possible > 0 {
			shown[transport(r.Rule)] = true
		}
	}
	maps.DeleteFunc(count, func(name string, _ int) bool { return shown[name] || len(shown) == 0 })
	return count
}

// Print prints the card.
func (c *Card) Print(w io.Writer) {
	where := "at its ports"
	if c.Stage == CaptureStage {
		where = "in captures; held is: no packet showed otherwise"
	}
	fmt.Fprintf(w, "conformance  %s: %d rules can be seen %s\n", c.Stage, len(c.Rules), where)
	fmt.Fprintf(w, "  %-8s %12s %8s  %-10s %s\n", "rule", "exercised", "broken", "situations", "verdict")
	absent := c.absent()
	for _, r := range c.Rules {
		if absent[transport(r.Rule)] > 0 {
			continue
		}
		verdict := "held"
		switch {
		case r.Broken > 0:
			verdict = "BROKEN"
		case r.Possible > 0:
			verdict = fmt.Sprintf("%d possible", r.Possible)
		case r.Exercised == 0:
			verdict = "not exercised"
		}
		fmt.Fprintf(w, "  %-8s %12d %8d  %4d of %-4d %s\n", r.Rule, r.Exercised, r.Broken, r.Bins, r.Bins+r.Open, verdict)
	}
	for _, name := range slices.Sorted(maps.Keys(absent)) {
		fmt.Fprintf(w, "  no packet of %s: its %d rules are not exercised\n", name, absent[name])
	}
	if c.Other > 0 {
		fmt.Fprintf(w, "  %d mismatches name no rule of this stage\n", c.Other)
	}
	fmt.Fprintf(w, "  cannot be seen here: %s\n", strings.Join(c.Unseen, " "))
}
