package scenario

import "hcacosim/model/ib"

// mixTurns is how the parts of mix take turns: a part occurs as often as it shall weigh, spread out.
var mixTurns = func() (turns []mixTurn) {
	parts := []struct {
		name  string
		make  func(*Generator, uint64, *Rand, *Case)
		times int
	}{
		{"valid", makeShortValid, 6}, {"bit-errors", makeBitErrors, 3}, {"masked-fields", makeMaskedFields, 2},
		{"covered-fields", makeCoveredFields, 3}, {"padding", makePadding, 2}, {"malformed", makeMalformed, 3},
		{"minimum", makeMinimum, 1},
	}
	for left := true; left; {
		left = false
		for i := range parts {
			p := &parts[i]
			if done := countTurns(turns, p.name); done < p.times {
				turns = append(turns, mixTurn{p.name, p.make, uint64(p.times), uint64(done)})
				left = true
			}
		}
	}
	return turns
}()

// mixTurn is a place in the round: the nth of `times` places that a part has in it.
type mixTurn struct {
	name       string
	make       func(*Generator, uint64, *Rand, *Case)
	times, nth uint64
}

func countTurns(turns []mixTurn, name string) (n int) {
	for _, t := range turns {
		if t.name == name {
			n++
		}
	}
	return n
}

// makeMix plays every part in its own order, as if it ran alone.
func makeMix(g *Generator, index uint64, r *Rand, c *Case) {
	rounds := uint64(len(mixTurns))
	turn := &mixTurns[index%rounds]
	turn.make(g, index/rounds*turn.times+turn.nth, r, c)
}

// makeInsert overwrites the ICRC, where the packet was built with one, with a placeholder.
func makeInsert(g *Generator, index uint64, r *Rand, c *Case) {
	makeMix(g, index, r, c)
	if end := c.layout.end; end >= ib.ICRCBytes && end <= len(c.Frame) {
		r.Fill(c.Frame[end-ib.ICRCBytes : end])
	}
	c.forget(KnowsICRC | KnowsVCRC)
	c.say("; placeholder")
}
