package flow

// stampGrain learns how coarse the stamps of a capture are. A clock that counts in long steps gives many frames the
// same stamp, and all its stamps lie whole steps apart.
type stampGrain struct {
	lastNS  int64
	started bool
	same    int   // neighbours with the same stamp
	steps   int   // and with others
	ns      int64 // what all steps are multiples of, but for how they are rounded
}

// leastSteps is how many of either there must be.
const leastSteps = 3

func (g *stampGrain) take(timeNS int64) {
	d := timeNS - g.lastNS
	d = max(d, -d)
	switch {
	case !g.started:
		g.started = true
	case d == 0:
		g.same++
	default:
		g.steps++
		g.ns = commonStep(d, g.ns)
	}
	g.lastNS = timeNS
}

// roundedNs is how far two stamps that are rounded to microseconds may lie off.
const roundedNs = 2000

// commonStep is the greatest that both are multiples of, but for how they are rounded. b may be 0.
func commonStep(a, b int64) int64 {
	for b > 0 {
		rest := a % b
		if off := min(rest, b-rest); off <= min(b/256, roundedNs) {
			return b
		}
		a, b = b, rest
	}
	return a
}

// StampGrainNS is how far the time between two frames may lie from that between their stamps, where the stamps show
// it; 0: it is not known, or next to nothing.
func (s *Scan) StampGrainNS() int64 {
	if s == nil || s.grain.same < leastSteps || s.grain.steps < leastSteps {
		return 0
	}
	return s.grain.ns
}
