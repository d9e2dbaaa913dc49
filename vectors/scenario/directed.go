package scenario

import "strings"

// Directed is a small case that a scenario plays on purpose, whatever chance does beside it: a behaviour that people
// test on devices (docs/verbs.md) or that devices got wrong (docs/areas.md). What a record says of itself begins with
// "directed: " and its name.
type Directed struct {
	Scenario string
	Name     string
	Rule     string // of docs/rules.md
	Says     string // what is played and what follows, in a sentence
}

// AllDirected lists the directed cases of all scenarios.
func AllDirected() (all []Directed) {
	for _, c := range respDirected {
		all = append(all, Directed{"resp-psn-check", c.name, c.rule, c.says})
	}
	for _, c := range mrDirected {
		all = append(all, Directed{"mr-lookup", c.name, c.rule, c.says})
	}
	for _, c := range replayDirected {
		all = append(all, Directed{"replay-fifo", c.name, c.rule, c.says})
	}
	for _, c := range retryDirected {
		all = append(all, Directed{"retry-ctl", c.name, c.rule, c.says})
	}
	return all
}

// DirectedOf is the name of the directed case that a record is of, from what it says of itself; "" of any other.
func DirectedOf(why string) string {
	name, ok := strings.CutPrefix(why, directedWhy)
	if !ok {
		return ""
	}
	return name
}

const directedWhy = "directed: "
