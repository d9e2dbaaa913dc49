package cover

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"hcacosim/model/sim"
)

// Bin is one situation.
type Bin struct {
	Name string `json:"name"`
	// Rules are the IDs of docs/rules.md that a hit exercises.
	Rules []string `json:"rules,omitempty"`
	// Ignored and Illegal are reasons: why nobody waits for a hit, why there must be none. Where a hit can come all the
	// same, Ignored begins with unwaited.
	Ignored string `json:"ignored,omitempty"`
	Illegal string `json:"illegal,omitempty"`
	Hits    uint64 `json:"hits"`
	First   *First `json:"first,omitempty"`
}

// unwaited begins the reason of a bin that can be hit and that nobody waits for.
const unwaited = "not waited for: "

// State is how a bin stands, whatever a format makes of it.
type State string

// The states of a bin. Hit and Open alone are of the bins that count.
const (
	Hit        State = "hit"
	Open       State = "open"
	Ignored    State = "ignored"
	IgnoredHit State = "ignored, hit"
	Illegal    State = "illegal"
	IllegalHit State = "illegal, hit"
)

// State says how a bin stands.
func (b *Bin) State() State {
	hit := b.Hits > 0
	switch {
	case b.Illegal != "" && hit:
		return IllegalHit
	case b.Illegal != "":
		return Illegal
	case b.Ignored != "" && hit:
		return IgnoredHit
	case b.Ignored != "":
		return Ignored
	case hit:
		return Hit
	}
	return Open
}

// Counts reports whether a bin is one of those that a share is of: that does not depend on its hits.
func (b *Bin) Counts() bool { return b.Ignored == "" && b.Illegal == "" }

// First is where a bin was hit first.
type First struct {
	Run    string `json:"run"`    // the line that repeats the run
	Record uint64 `json:"record"` // Seq of the input
}

// Group is bins of one kind, in the order of their declaration.
type Group struct {
	Name string `json:"name"`
	Bins []Bin  `json:"bins"`

	sizes  []int   // of a cross: how many values each axis has
	firsts []First // of a cross: the memory of the bins' First
}

// Sheet is the coverage of one stage.
type Sheet struct {
	Stage  string   `json:"stage"`
	Groups []*Group `json:"groups"`
	Runs   []string `json:"runs"`

	run    string // of the run that is being counted
	record uint64
	from   sim.Port // of record
	met    int
	note   func(g *Group, b *Bin) // is told of every hit, where there is one
}

// Axis is a dimension of a group: its values by number.
type Axis []string

// NewSheet makes an empty sheet.
func NewSheet(stage string) *Sheet { return &Sheet{Stage: stage} }

// Begin says which run the next hits are of: the line that repeats it.
func (s *Sheet) Begin(run string) {
	s.run = run
	if !slices.Contains(s.Runs, run) {
		s.Runs = append(s.Runs, run)
	}
}

// cross declares a group with a bin for every combination of the axes' values, the last axis changing fastest. bin may
// add rules and reasons to each.
func (s *Sheet) cross(name string, bin func(at []int, b *Bin), axes ...Axis) *Group {
	g := &Group{Name: name}
	total := 1
	for _, a := range axes {
		g.sizes = append(g.sizes, len(a))
		total *= len(a)
	}
	at := make([]int, len(axes))
	for i := range total {
		rest, parts := i, make([]string, len(axes))
		for k := len(axes) - 1; k >= 0; k-- {
			at[k] = rest % len(axes[k])
			parts[k] = axes[k][at[k]]
			rest /= len(axes[k])
		}
		b := Bin{Name: strings.Join(parts, ", ")}
		if bin != nil {
			bin(at, &b)
		}
		g.Bins = append(g.Bins, b)
	}
	g.firsts = make([]First, total)
	s.Groups = append(s.Groups, g)
	return g
}

// hit counts a combination; one with a number beyond its axis is left out.
func (s *Sheet) hit(g *Group, at ...int) {
	i := 0
	for k, n := range at {
		if n < 0 || n >= g.sizes[k] {
			return
		}
		i = i*g.sizes[k] + n
	}
	b := &g.Bins[i]
	if s.note != nil {
		s.note(g, b)
	}
	if b.Hits++; b.First == nil {
		b.First = &g.firsts[i]
		*b.First = First{Run: s.run, Record: s.record}
		if b.Counts() {
			s.met++
		}
	}
}

// Count is how a group stands.
type Count struct {
	Hit, Open int // of the bins that count
	Ignored   int // hit or not
	Unwaited  int // of Ignored, hit
	Illegal   int // hit although it must not be
}

// Share is the part of the bins that count which was hit, from 0 to 1; 1 where none counts.
func (c Count) Share() float64 {
	if c.Hit+c.Open == 0 {
		return 1
	}
	return float64(c.Hit) / float64(c.Hit+c.Open)
}

// percent is the share to print; where no bin counts it is none.
func (c Count) percent() string {
	if c.Hit+c.Open == 0 {
		return "     -  "
	}
	return fmt.Sprintf("%6.2f %%", 100*c.Share())
}

// leftOut says how many bins do not count, and what of them was hit.
func (c Count) leftOut() string {
	s := fmt.Sprintf("%d ignored with a reason", c.Ignored)
	if c.Unwaited > 0 {
		s += fmt.Sprintf(", %d of them hit", c.Unwaited)
	}
	if c.Illegal > 0 {
		s += fmt.Sprintf(", %d illegal hit", c.Illegal)
	}
	return s
}

// Count counts the bins of a group.
func (g *Group) Count() (c Count) {
	for i := range g.Bins {
		switch g.Bins[i].State() {
		case Hit:
			c.Hit++
		case Open:
			c.Open++
		case Ignored:
			c.Ignored++
		case IgnoredHit:
			c.Ignored++
			c.Unwaited++
		case IllegalHit:
			c.Illegal++
		}
	}
	return c
}

// Count counts all bins of a sheet.
func (s *Sheet) Count() (c Count) {
	for _, g := range s.Groups {
		n := g.Count()
		c.Hit, c.Open, c.Ignored, c.Illegal = c.Hit+n.Hit, c.Open+n.Open, c.Ignored+n.Ignored, c.Illegal+n.Illegal
		c.Unwaited += n.Unwaited
	}
	return c
}

// Merge adds what another sheet of the same stage counted. A bin that this program does not declare is an error: the
// sheets are of different versions.
func (s *Sheet) Merge(o *Sheet) error {
	if s.Stage != o.Stage {
		return fmt.Errorf("coverage of %s and of %s cannot be one", s.Stage, o.Stage)
	}
	for _, run := range o.Runs {
		s.Begin(run)
	}
	for _, og := range o.Groups {
		at := slices.IndexFunc(s.Groups, func(g *Group) bool { return g.Name == og.Name })
		if at < 0 { // of another size of the device
			g := *og
			g.Bins = slices.Clone(og.Bins)
			s.Groups = append(s.Groups, &g)
			continue
		}
		if len(s.Groups[at].Bins) != len(og.Bins) {
			return fmt.Errorf("coverage of %s: group %q is of another version of cosim", s.Stage, og.Name)
		}
		for i := range og.Bins {
			b, ob := &s.Groups[at].Bins[i], &og.Bins[i]
			if b.Name != ob.Name {
				return fmt.Errorf("coverage of %s: bin %q is of another version of cosim", s.Stage, ob.Name)
			}
			if b.Hits = plus(b.Hits, ob.Hits); b.First == nil {
				b.First = ob.First
			}
			if ob.Ignored == "" { // what one of the two waits for
				b.Ignored = ""
			}
		}
	}
	return nil
}

// Write writes sheets as JSON.
func Write(w io.Writer, sheets []*Sheet) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	return enc.Encode(sheets)
}

// Read reads what Write wrote.
func Read(r io.Reader) (sheets []*Sheet, err error) {
	dec := json.NewDecoder(r)
	dec.DisallowUnknownFields()
	err = dec.Decode(&sheets)
	return sheets, err
}
