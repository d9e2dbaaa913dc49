package roce

import "fmt"

// Verdict is what a follower says about a packet that a device sent. No Rule means that it was allowed.
type Verdict struct {
	Rule Rule
	Text string
	// Cause is why a request was sent again: REQ-4 sequence NAK, REQ-3 implied NAK, TMR-4 RNR NAK, TMR-1 timeout.
	Cause Rule
}

// Allowed tells that the packet breaks no rule.
func (v Verdict) Allowed() bool { return v.Rule == "" }

func (v Verdict) String() string {
	if v.Allowed() {
		return "allowed"
	}
	return string(v.Rule) + ": " + v.Text
}

func broken(rule Rule, format string, args ...any) Verdict {
	return Verdict{Rule: rule, Text: fmt.Sprintf(format, args...)}
}
