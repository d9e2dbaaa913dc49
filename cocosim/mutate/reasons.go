package mutate

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"hcacosim/cocosim"
	"hcacosim/cocosim/strict"
	"hcacosim/rtl"
)

// Reason says why a mutant may stay open: no run finds it, and no proof settles it.
type Reason struct {
	File     string `yaml:"file"`
	Line     int    `yaml:"line,omitempty"` // where the file has the same text in several places
	Operator string `yaml:"operator"`
	Old      string `yaml:"old"`
	New      string `yaml:"new"`
	Reason   string `yaml:"reason"`
}

// Reasons are those of a design by the mutant's number. They stand in X.open.yaml beside the manifest X.yaml; no such
// file is none. A reason that fits no mutant, or mutants of several lines, is an error: what it spoke of is gone.
func (d *Design) Reasons() (by map[int]string, err error) {
	name := strings.TrimSuffix(d.Manifest.Path(), ".yaml") + ".open.yaml"
	var text []byte
	if inside, ok := strings.CutPrefix(name, "rtl/"); ok && d.Manifest.Embedded() {
		text, err = fs.ReadFile(rtl.FS, inside)
	} else {
		text, err = os.ReadFile(name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, cocosim.Errorf(cocosim.BadInput, "%v", err)
	}
	if by, err = d.readReasons(text); err != nil {
		return nil, cocosim.Errorf(cocosim.BadInput, "%s: %v", name, err)
	}
	return by, nil
}

func (d *Design) readReasons(text []byte) (map[int]string, error) {
	var all struct {
		Open []Reason `yaml:"open"`
	}
	if err := strict.Decode(text, &all); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	by := map[int]string{}
	for i, r := range all.Open {
		if r.Reason == "" {
			return nil, fmt.Errorf("entry %d has no reason", i+1)
		}
		line := 0
		for _, m := range d.Mutants {
			if !r.fits(&m) {
				continue
			}
			if line != 0 && line != m.Line {
				return nil, fmt.Errorf("entry %d, %s -> %s, fits lines %d and %d of %s: say which (line: N)", i+1, r.Old, r.New,
					line, m.Line, r.File)
			}
			line = m.Line
			by[m.ID] = r.Reason
		}
		if line == 0 {
			return nil, fmt.Errorf("entry %d: there is no mutant %s:%d %s: %s -> %s: take it out, or mend it", i+1, r.File,
				r.Line, r.Operator, r.Old, r.New)
		}
	}
	return by, nil
}

func (r *Reason) fits(m *Mutant) bool {
	return r.File == m.File && r.Operator == m.Operator && r.Old == m.Old && r.New == m.New &&
		(r.Line == 0 || r.Line == m.Line)
}

// Explain puts reasons to the outcomes that are open, and names those that have a reason to be open and were found.
func Explain(out []Outcome, by map[int]string) (found []Mutant) {
	for i := range out {
		x := &out[i]
		switch reason := by[x.ID]; {
		case reason == "":
		case x.isOpen():
			x.Reason = reason
		case x.Class == Killed || x.Class == Crashed || x.Class == NotBuilt:
			found = append(found, x.Mutant)
		}
	}
	return found
}
