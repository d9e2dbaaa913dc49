package sim

// Rule is the ID of a rule in docs/rules.md, or the name of a check of the harness (DATA, MISSING, AXIS-1).
type Rule string

// Certainty says how sure a checker is of a violation.
type Certainty uint8

// From the surest on: the zero value is that of a checker that saw all that reached the device and all that it gave.
const (
	// Certain: nothing excuses it.
	Certain Certainty = iota
	// Repeated: no loss, doubling or reordering excuses it, but a frame that was changed on the way and given a right ICRC
	// again would look so. It is certain when it happens again and again.
	Repeated
	// Possible: an accident that the checker did not see excuses it.
	Possible
)

// Verdict is what a checker says of a record or packet that a device gave, or of one that it did not give. It is the
// same for RTL, recordings and captures. The zero Verdict allows what was offered; one with a Rule is a violation.
type Verdict struct {
	Rule Rule   `json:"rule"` // what was broken
	Text string `json:"text"` // what was expected, in a few words
	// Cause is why a request was sent again: REQ-4 sequence NAK, REQ-3 implied NAK, TMR-4 RNR NAK, TMR-1 timeout.
	Cause     Rule      `json:"cause,omitempty"`
	Certainty Certainty `json:"-"`
}

// Allowed reports whether the verdict is no violation.
func (v Verdict) Allowed() bool { return v.Rule == "" }

func (v Verdict) String() string {
	if v.Allowed() {
		return "allowed"
	}
	return string(v.Rule) + ": " + v.Text
}
