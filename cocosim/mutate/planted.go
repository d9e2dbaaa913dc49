package mutate

import (
	"strings"

	"hcacosim/cocosim"
	"hcacosim/cocosim/mutate/fault"
)

// Plants are deliberate faults as mutants, numbered from 1: one build has them all. A fault that does not lie within
// one expression or assignment cannot be chosen at run time and is left out.
func (d *Design) Plants(faults []fault.Fault) (all []Mutant, leftOut []string, err error) {
	for _, f := range faults {
		m, ok, err := d.plantOf(&f)
		if err != nil {
			return nil, nil, err
		}
		if !ok {
			leftOut = append(leftOut, f.Name)
			continue
		}
		m.ID = len(all) + 1
		all = append(all, m)
	}
	return all, leftOut, nil
}

func (d *Design) plantOf(f *fault.Fault) (m Mutant, ok bool, err error) {
	for i := range d.files {
		s := &d.files[i]
		if !sameFile(s.path, f.File) {
			continue
		}
		if _, err := f.Plant([]byte(s.text)); err != nil {
			return m, false, cocosim.Errorf(cocosim.BadInput, "%v", err)
		}
		from, to, text := difference(f.Old, f.New)
		at := strings.Index(s.text, f.Old)
		for n, x := range s.sites {
			if c, ok := s.changeOf(x, at+from, at+to, text); ok {
				c.operator = f.Name
				return newMutant(s, i, n, c), true, nil
			}
		}
		return m, false, nil
	}
	return m, false, cocosim.Errorf(cocosim.BadInput, "%s: %s is no source of %s", f.Name, f.File, d.Manifest.Name)
}

// sameFile reports whether a list of faults means a source: ours are named from the repository on, those of a manifest
// by its path from there, and the design has a longer or a shorter path.
func sameFile(source, named string) bool {
	return source == named || strings.HasSuffix(named, "/"+source) || strings.HasSuffix(source, "/"+named)
}

// difference is what is left of two texts without what they begin and end with in common: old[from:to] becomes text.
func difference(old, other string) (from, to int, text string) {
	for from < min(len(old), len(other)) && old[from] == other[from] {
		from++
	}
	end := 0
	for end < min(len(old), len(other))-from && old[len(old)-1-end] == other[len(other)-1-end] {
		end++
	}
	return from, len(old) - end, other[from : len(other)-end]
}

// changeOf is the change of a site that puts a text in place of the source's from..to, where that lies within it.
func (s *source) changeOf(x site, from, to int, text string) (c change, ok bool) {
	begin, end := s.t[x.from].at, s.t[x.to-1].end
	if x.use == blocking || x.use == nonblocking {
		c.whole = true
		begin, end = s.t[x.left].at, s.t[x.stop-1].end
	}
	if from < begin || to > end {
		return c, false
	}
	c.text = noComments(s.text[begin:from] + text + s.text[to:end])
	if x.implicit {
		name, value, _ := strings.Cut(c.text, "(")
		if strings.TrimSpace(name) != s.text[begin:end] || !strings.HasSuffix(value, ")") {
			return c, false
		}
		c.text = strings.TrimSuffix(value, ")")
	}
	if c.whole {
		c.text = "begin " + c.text + " end"
	}
	c.at = x.from
	return c, true
}
