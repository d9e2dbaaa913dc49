package mutate

import (
	"context"
	"fmt"
	"maps"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

// span is where the text of a mutant stands in the source that has it.
type span struct{ id, from, to int }

// placed is a source as it is written, with its mutants in it.
type placed struct {
	text  string
	spans []span
}

// at are the mutants whose text has a place, told by its line and column, both from 1.
func (p *placed) at(line, column int) (id int, ok bool) {
	from := 0
	for ; line > 1; line-- {
		for from < len(p.text) && p.text[from] != '\n' {
			from++
		}
		from++
	}
	at := from + column - 1
	for _, x := range p.spans {
		if x.from <= at && at < x.to {
			return x.id, true
		}
	}
	return 0, false
}

var (
	errorAt   = regexp.MustCompile(`(?m)^%Error[^:]*: \S*?rtl/(\d+)/[^:]+:(\d+):(\d+): (.*)$`)
	outsideAt = regexp.MustCompile(`(?m)^%Warning-SELRANGE: \S*?rtl/(\d+)/[^:]+:(\d+):(\d+): (.*)$`)
)

// refused are the mutants that are no design: Verilator does not read their text, or it finds an index in it that lies
// outside its vector at every size. What such a place gives nobody says: each tool takes something else. Each has what
// Verilator says.
func (d *Design) refused(ctx context.Context, dir string, in []Mutant, sizes []map[string]int) map[int]string {
	bad := map[int]string{}
	if _, err := exec.LookPath("verilator"); err != nil || d.netlist != "" || len(sizes) == 0 {
		return bad
	}
	var outside map[int]string
	for i, size := range sizes {
		for {
			left := slices.DeleteFunc(slices.Clone(in), func(m Mutant) bool { return bad[m.ID] != "" })
			wrong, out, ok := d.lint(ctx, dir, left, size)
			if maps.Copy(bad, wrong); len(wrong) > 0 {
				continue // behind an error Verilator looks no further
			}
			if !ok {
				return bad // the build says why
			}
			if i == 0 {
				outside = out
			}
			maps.DeleteFunc(outside, func(id int, _ string) bool { return out[id] == "" })
			break
		}
	}
	maps.Copy(bad, outside)
	return bad
}

// lint has Verilator read the design with some mutants in it: those with an error, those with an index outside its
// vector.
func (d *Design) lint(ctx context.Context, dir string, in []Mutant, size map[string]int) (wrong, outside map[int]string,
	ok bool) {
	files, err := d.writeSources(dir, in)
	if err != nil {
		return nil, nil, false
	}
	args, err := d.lintArgs(dir, size)
	if err != nil {
		return nil, nil, false
	}
	text, err := exec.CommandContext(ctx, "verilator", args...).CombinedOutput()
	return found(text, errorAt, files), found(text, outsideAt, files), err == nil
}

func (d *Design) lintArgs(dir string, size map[string]int) ([]string, error) {
	_, include, err := d.Manifest.ReadSources()
	if err != nil {
		return nil, err
	}
	args := []string{"--lint-only", "--no-timing", "-Wno-lint", "-Wno-fatal", "-Wwarn-SELRANGE", "--error-limit", "1000",
		"--top-module", d.Manifest.Top}
	params, defines := d.sized(size)
	for _, name := range slices.Sorted(maps.Keys(params)) {
		args = append(args, fmt.Sprintf("-G%s=%d", name, params[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(defines)) {
		args = append(args, fmt.Sprintf("-D%s=%s", name, defines[name]))
	}
	for _, x := range include {
		args = append(args, "+incdir+"+x)
	}
	for f := range d.files {
		args = append(args, d.writtenAs(dir, f))
	}
	return args, nil
}

// found are the mutants that Verilator speaks of in lines of a kind, with what it says. Where it says the same of the
// design itself, on the same line, a mutant is not to blame.
func found(text []byte, kind *regexp.Regexp, files []placed) map[int]string {
	of := map[int]string{}
	lines, plain := map[int][2]int{}, map[[2]int]bool{}
	for _, m := range kind.FindAllSubmatch(text, -1) {
		file, _ := strconv.Atoi(string(m[1]))
		line, _ := strconv.Atoi(string(m[2]))
		column, _ := strconv.Atoi(string(m[3]))
		if id, ok := files[file].at(line, column); ok {
			of[id], lines[id] = string(m[4]), [2]int{file, line}
		} else {
			plain[[2]int{file, line}] = true
		}
	}
	maps.DeleteFunc(of, func(id int, _ string) bool { return plain[lines[id]] })
	return of
}

// writtenAs is the path of a source that is written with mutants in it.
func (d *Design) writtenAs(dir string, f int) string {
	return filepath.Join(dir, "rtl", fmt.Sprintf("%02d", f), path.Base(d.files[f].path))
}

// writeSources writes the sources with mutants in them.
func (d *Design) writeSources(dir string, mutants []Mutant) (all []placed, err error) {
	at := map[[2]int][]Mutant{}
	for _, m := range mutants {
		at[[2]int{m.file, m.site}] = append(at[[2]int{m.file, m.site}], m)
	}
	for f := range d.files {
		p := d.files[f].placed(func(site int) []Mutant { return at[[2]int{f, site}] })
		front := "/* verilator lint_off ENUMVALUE */ "
		if f == 0 {
			front = selectorPackage + front
		}
		p.text = front + p.text
		for i := range p.spans {
			p.spans[i].from += len(front)
			p.spans[i].to += len(front)
		}
		if err := writeFile(d.writtenAs(dir, f), p.text); err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}
