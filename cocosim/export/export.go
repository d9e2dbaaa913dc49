// Package export writes a design as plain Verilog-2001 for tools that do not read SystemVerilog, and a bench that plays
// a vector set
// into it there.
package export

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"hcacosim/cocosim"
	"hcacosim/cocosim/design"
	"hcacosim/cocosim/manifest"
)

// passes keep memories as arrays and names as they are.
const passes = "proc; opt_clean; memory -nomap; opt_clean"

// Verilog writes a resolved manifest's design into dir, one file of all its modules, and returns its name. Beside it
// lies simFile. Modules below the top that
// parameters made are called TOP__MODULE_N. change may change the sources first; it may be nil, and so may tell.
func Verilog(ctx context.Context, m *manifest.Manifest, dir string, change Change, tell Tell) (file string,
	err error) {
	if _, err := exec.LookPath("yosys"); err != nil {
		return "", &cocosim.Error{Exit: cocosim.BuildFailed, What: "yosys not found, which plain Verilog is written with",
			Do: "as root: apt-get install yosys"}
	}
	temp, err := os.MkdirTemp("", "cosim-export-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temp)
	script, err := lay(m, temp, change)
	if err != nil {
		return "", err
	}
	if out, err := yosys(ctx, temp, script, tell); err != nil {
		return "", cocosim.Errorf(cocosim.BuildFailed, "%s: yosys: %s", m.Name, lastLine(out, err))
	}
	for from, to := range map[string]string{"out.v": m.Name + ".v", "sim.v": simFile(m)} {
		text, err := os.ReadFile(filepath.Join(temp, from))
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(dir, to), plainNames(m, text), 0o666); err != nil {
			return "", err
		}
	}
	return filepath.Join(dir, m.Name+".v"), nil
}

// simFile is the same design for a simulator of four states: its registers start at values drawn at random, as in
// hardware, where X would
// spread through any expression that it touches.
func simFile(m *manifest.Manifest) string { return m.Name + "_sim.v" }

// lay puts the sources where Yosys reads them, and gives its script.
func lay(m *manifest.Manifest, dir string, change Change) (script string, err error) {
	files, include, err := m.ReadSources()
	if err != nil {
		return "", err
	}
	included, err := m.ReadIncluded(include)
	if err != nil {
		return "", err
	}
	if err := change.apply(files); err != nil {
		return "", err
	}
	at := func(name string) string {
		if filepath.IsAbs(name) {
			return name
		}
		return filepath.Join("src", name)
	}
	for _, s := range slices.Concat(files, included) {
		if filepath.IsAbs(s.Path) {
			continue
		}
		name := filepath.Join(dir, at(s.Path))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return "", err
		}
		if err := os.WriteFile(name, s.Text, 0o666); err != nil {
			return "", err
		}
	}
	var names, dirs []string
	for _, s := range files {
		names = append(names, at(s.Path))
	}
	for _, d := range include {
		dirs = append(dirs, at(d))
	}
	read := design.YosysIncludes(dirs, "") + design.YosysDefines(m.Defines) + design.YosysFiles(names...)
	return fmt.Sprintf("read_verilog -sv%s; %shierarchy -check -top %s; rename -top %[3]s; %[4]s; write_verilog -noattr "+
			"out.v; "+
			"setundef -init -random 7; write_verilog -noattr sim.v", read, m.Chparam(), m.Top, passes),
		design.LinkIncludes(dirs, dir)
}

func lastLine(out []byte, err error) string {
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	if s := string(lines[len(lines)-1]); s != "" {
		return s
	}
	return err.Error()
}

var paramod = regexp.MustCompile(`\\\$paramod\S+`)

// plainNames gives the modules that parameters made names that every tool takes.
func plainNames(m *manifest.Manifest, text []byte) []byte {
	names, count := map[string]string{}, map[string]int{}
	text = paramod.ReplaceAllFunc(text, func(old []byte) []byte {
		if n := names[string(old)]; n != "" {
			return []byte(n)
		}
		parts := strings.Split(string(old[1:]), `\`)
		base := parts[1] // $paramod$HASH\name, or $paramod\name\Width=...
		count[base]++
		n := fmt.Sprintf("%s__%s_%d", m.Top, base, count[base])
		names[string(old)] = n
		return []byte(n)
	})
	head := fmt.Sprintf("// %s", m.Name)
	for _, name := range slices.Sorted(maps.Keys(m.Parameters)) {
		head += fmt.Sprintf(" %s=%d", name, m.Parameters[name])
	}
	_, body, _ := bytes.Cut(text, []byte("\n"))
	return append([]byte(head+", as plain Verilog-2001: made by `cosim export`.\n"), body...)
}
