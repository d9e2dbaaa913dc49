package psn

// Count follows the PSNs of a queue pair that numbers what it sends in one count. The zero value has seen none.
type Count struct {
	last PSN
	any  bool
}

// Take notes a PSN and returns how far it lies ahead of the highest before it; 1 for the first, 0 or less for one that
// was sent before, or late.
func (c *Count) Take(p PSN) (ahead int32) {
	if ahead = p.Diff(c.last); !c.any {
		ahead = 1
	}
	if ahead > 0 {
		c.last, c.any = p, true
	}
	return ahead
}
