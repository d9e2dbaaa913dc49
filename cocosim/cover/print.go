package cover

import (
	"fmt"
	"io"
)

// Print prints the groups with their shares, and what is illegal and was hit; with most also, so many a group, the bins
// that were not hit and those that were though nobody waits for them.
func (s *Sheet) Print(w io.Writer, most int) {
	c := s.Count()
	fmt.Fprintf(w, "coverage    %-16s %s   %d of %d bins, %s, %d runs\n", s.Stage, c.percent(), c.Hit, c.Hit+c.Open,
		c.leftOut(), len(s.Runs))
	for _, g := range s.Groups {
		n := g.Count()
		fmt.Fprintf(w, "  %-34s %s   %5d of %5d\n", g.Name, n.percent(), n.Hit, n.Hit+n.Open)
		g.print(w, most)
	}
}

// print prints the bins of a group that are to be seen.
func (g *Group) print(w io.Writer, most int) {
	open, unwaited := most, most
	for i := range g.Bins {
		switch b := &g.Bins[i]; b.State() {
		case IllegalHit:
			fmt.Fprintf(w, "    illegal   %s: %s; first in record %d of %s\n", b.Name, b.Illegal, b.First.Record, b.First.Run)
		case IgnoredHit:
			if unwaited--; unwaited >= 0 {
				fmt.Fprintf(w, "    ignored   %s: hit %d times; %s\n", b.Name, b.Hits, b.Ignored)
			}
		case Open:
			if open--; open >= 0 {
				fmt.Fprintf(w, "    open      %s\n", b.Name)
			}
		}
	}
	if most <= 0 {
		return
	}
	if open < 0 {
		fmt.Fprintf(w, "    ... and %d open more\n", -open)
	}
	if unwaited < 0 {
		fmt.Fprintf(w, "    ... and %d ignored and hit more\n", -unwaited)
	}
}
