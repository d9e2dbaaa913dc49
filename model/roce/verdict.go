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

// repeated is a violation that a frame excuses which was changed on the way, until it comes again and again.
func repeated(rule Rule, format string, args ...any) Verdict {
	return Verdict{Rule: rule, Text: fmt.Sprintf(format, args...), Certainty: sim.Repeated}
}

// possible is a violation that an accident on the way excuses.
func possible(rule Rule, format string, args ...any) Verdict {
	return Verdict{Rule: rule, Text: fmt.Sprintf(format, args...), Certainty: sim.Possible}
}
