package waves

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// View is what a viewer opens a file with.
type View struct {
	Trace  string // the file of waves, as it stands beside the view
	Title  string // what went wrong
	From   uint64 // what to show first
	To     uint64
	Marker uint64 // the beat that went wrong
	Groups []Group
}

// Group are signals that belong together, in their order.
type Group struct {
	Name   string
	Closed bool
	Vars   []Var
}

// Find gives the signals of the named pins of a scope, in the order of the names; those that the file does not have are
// left out.
func (f *File) Find(scope string, names ...string) (vars []Var) {
	for _, name := range names {
		i := slices.IndexFunc(f.Vars, func(v Var) bool { return v.Base() == scope+"."+name })
		if i >= 0 && !slices.Contains(vars, f.Vars[i]) {
			vars = append(vars, f.Vars[i])
		}
	}
	return vars
}

// In gives the signals of a scope itself, but for those of the groups, at most so many.
func (f *File) In(scope string, most int, groups []Group) (vars []Var) {
	shown := map[string]bool{}
	for _, g := range groups {
		for _, v := range g.Vars {
			shown[v.Base()] = true
		}
	}
	for _, v := range f.Vars {
		if v.Scope == scope && !shown[v.Base()] && len(vars) < most {
			shown[v.Base()] = true
			vars = append(vars, v)
		}
	}
	return vars
}

// Scopes are the scopes right inside one, in the file's order.
func (f *File) Scopes(in string) (list []string) {
	for _, v := range f.Vars {
		inner, ok := strings.CutPrefix(v.Scope, in+".")
		if !ok {
			continue
		}
		first, _, _ := strings.Cut(inner, ".")
		if first = in + "." + first; !slices.Contains(list, first) {
			list = append(list, first)
		}
	}
	return list
}

// Flags of a line of GTKWave's save file: how the signals behind it are shown.
const (
	showBit     = "@28"      // binary, right justified
	showHex     = "@22"      // hexadecimal
	beginGroup  = "@800200"  // open
	endGroup    = "@1000200" // of an open one
	beginFolded = "@c00200"
	endFolded   = "@1401200"
	// zoomPixels is the length of 2 to the power of the zoom in units of time.
	zoomPixels, shownPixels = 200, 900
)

// GTKWave writes the save file with which GTKWave opens the trace at the beat: gtkwave FILE.gtkw, from the directory
// that both lie in.
func (v *View) GTKWave(w io.Writer) error {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("[*] %s", v.Title)
	line("[dumpfile] %q", v.Trace)
	line("[size] 1400 900")
	line("[timestart] %d", v.From)
	zoom := math.Log2(float64(max(1, v.To-v.From)) * zoomPixels / shownPixels)
	markers := make([]string, 26) // A to Z
	for i := range markers {
		markers[i] = "-1"
	}
	markers[0] = fmt.Sprint(v.Marker)
	line("*-%f %d %s", zoom, v.Marker, strings.Join(markers, " "))
	line("[markername] A%s", v.Title)
	line("[sst_expanded] 0\n[signals_width] 420")
	for _, g := range v.Groups {
		if len(g.Vars) == 0 {
			continue
		}
		begin, end := beginGroup, endGroup
		if g.Closed {
			begin, end = beginFolded, endFolded
		}
		line("%s\n-%s", begin, g.Name)
		for _, s := range g.Vars {
			show := showHex
			if s.Bits == 1 {
				show = showBit
			}
			line("%s\n%s", show, s.Path())
		}
		line("%s\n-%s", end, g.Name)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Surfer writes the command file with which Surfer opens the trace: surfer -c FILE.sucl, from the directory that both
// lie in.
func (v *View) Surfer(w io.Writer) error {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# %s", v.Title)
	line("load_file %s", v.Trace)
	for _, g := range v.Groups {
		if len(g.Vars) == 0 || g.Closed { // Surfer's commands cannot fold
			continue
		}
		line("divider_add %s", strings.ReplaceAll(g.Name, " ", "_"))
		for _, s := range g.Vars {
			line("variable_add %s", s.Base())
		}
	}
	line("marker_set mismatch %d", v.Marker)
	line("cursor_set %d", v.Marker)
	_, err := io.WriteString(w, b.String())
	return err
}
