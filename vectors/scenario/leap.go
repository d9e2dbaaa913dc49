package scenario

// leaps are silences within the episodes of these numbers, of 2^bit clocks each: each reaches one bit of an age that
// nothing else does.
var leaps = [...]struct {
	episode uint64
	bit     int
}{{30, 20}, {60, 21}, {600, 22}, {1200, 23}}

// leapIn is the bit of the leap in an episode; 0 of one without.
func leapIn(episode uint64) int {
	for _, l := range leaps {
		if l.episode == episode {
			return l.bit
		}
	}
	return 0
}

// leapt are the clocks of all leaps before an episode.
func leapt(episode uint64) uint64 {
	total := uint64(0)
	for _, l := range leaps {
		if l.episode < episode {
			total += 1 << l.bit
		}
	}
	return total
}
