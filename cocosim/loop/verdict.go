package loop

// Verdict is what a pair comes to, as the report's first word.
type Verdict string

// The verdicts: a mismatch is something wrong, a loop is stuck where nothing goes on though work is left.
const (
	Agreed       Verdict = "AGREED"
	Mismatch     Verdict = "MISMATCH"
	Stuck        Verdict = "STUCK"
	Inconclusive Verdict = "INCONCLUSIVE"
)

// Verdict is what the pair comes to. What was found wrong is, whether the loop was stopped or not. A loop that was
// stopped tells nothing else. With a rogue only what A did counts, and B where it is honest: Rogue says it.
func (o *Outcome) Verdict() Verdict {
	switch {
	case o.Worn != "":
		return Inconclusive
	case o.rogue && o.Rogue != "",
		!o.rogue && (o.Wrongs > 0 || o.Judged[0].Certain+o.Judged[1].Certain > 0):
		return Mismatch
	case o.Result.Cut:
		return Inconclusive
	case !o.rogue && o.Result.Stuck != "":
		return Stuck
	}
	return Agreed
}
