package roce

import (
	"fmt"

	"hcacosim/model/sim"
)

// Verdict is what a follower says about a packet that a device sent. No Rule means that it was allowed.
type Verdict = sim.Verdict

// Rule is the ID of a rule in docs/rules.md.
type Rule = sim.Rule

func broken(rule Rule, format string, args ...any) Verdict {
	return Verdict{Rule: rule, Text: fmt.Sprintf(format, args...)}
}
