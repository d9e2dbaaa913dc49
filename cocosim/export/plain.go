package export

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hcacosim/cocosim/manifest"
)

// Sources lays the files of a resolved manifest's design into dir/src as they are, for a simulator that reads
// SystemVerilog, with their list in dir/sources.f. change may change them; it may be nil.
func Sources(m *manifest.Manifest, dir string, change Change) error {
	files, include, err := m.ReadSources()
	if err != nil {
		return err
	}
	included, err := m.ReadIncluded(include)
	if err != nil {
		return err
	}
	if err := change.apply(files); err != nil {
		return err
	}
	files = manifest.Needed(files, m.Top)
	var list strings.Builder
	for _, d := range include {
		fmt.Fprintln(&list, inQuotes("+incdir+"+sourceName(d)))
	}
	for _, name := range slices.Sorted(maps.Keys(m.Defines)) {
		fmt.Fprintf(&list, "+define+%s=%s\n", name, m.Defines[name])
	}
	for _, s := range files {
		fmt.Fprintln(&list, inQuotes(sourceName(s.Path)))
	}
	for _, s := range slices.Concat(files, included) {
		if filepath.IsAbs(s.Path) {
			continue
		}
		if err := write(filepath.Join(dir, sourceName(s.Path)), s.Text, 0o666); err != nil {
			return err
		}
	}
	if err := write(filepath.Join(dir, "sources.f"), []byte(list.String()), 0o666); err != nil {
		return err
	}
	return write(filepath.Join(dir, "run.sh"), bytes.ReplaceAll([]byte(runScript), []byte("NAME"), []byte(m.Name)), 0o777)
}

// inQuotes is a line of a list of files: one with a space stands in quotes.
func inQuotes(line string) string {
	if strings.ContainsAny(line, " \t") {
		return `"` + line + `"`
	}
	return line
}

// sourceName is where a source lies below the folder of an export.
func sourceName(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join("src", name)
}

func write(name string, text []byte, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, text, mode)
}

// Change changes the text of a design's files before they are written.
type Change func(files []manifest.Source) error

func (c Change) apply(files []manifest.Source) error {
	if c == nil {
		return nil
	}
	return c(files)
}

// runScript plays the vectors without any program of ours.
const runScript = `#!/bin/sh
# Plays the vectors beside it into NAME and compares. Made by ` + "`cosim export`" + `; needs none of its programs.
#
#   ./run.sh icarus         the exported Verilog (NAME_sim.v) in Icarus Verilog 11
#   ./run.sh verilator      the SystemVerilog of src/ in Verilator 5.006
#   ./run.sh predictor DIR  the same, judged by the live predictor in DIR (bin/predictor of ` + "`make predictor`" + `)
#
# Of a lenient set deadlines count, so outputs are not held up; with ` + "`stalls`" + ` behind icarus or verilator they are held
# up now and then, and deadlines do not count.
#
# Exit code: 0 agreed, 1 mismatch, 2 usage, 3 a tool is missing or the design does not build, 4 the simulation died.
set -u
cd "$(dirname "$0")" || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

verilate() {
	verilator --binary --timing -j 1 --top-module bench -Wno-lint -Wno-style -Wno-fatal --x-assign unique \
		--x-initial unique --Mdir "$work/build" -DHCACOSIM_SOURCES "$@" -f sources.f bench.v >"$work/log" 2>&1 ||
		{ grep '^%Error' "$work/log" || tail -3 "$work/log"; exit 3; } >&2
	"$work/build/Vbench" +verilator+rand+reset+2 +verilator+seed+7 $plus >"$work/log" || exit 4
}

plus=
[ "${2:-}" = stalls ] && plus=+stalls

case ${1:-} in
icarus)
	iverilog -g2001 -s bench -o "$work/bench.vvp" NAME_sim.v bench.v || exit 3
	vvp -n "$work/bench.vvp" $plus >"$work/log" || exit 4
	;;
verilator)
	verilate
	;;
predictor)
	dir=$(cd "${2:?where is the predictor?}" && pwd) || exit 2
	verilate -DHCACOSIM_PREDICTOR "$dir/hcacosim_pkg.sv" -LDFLAGS "-L$dir -lhcacosim -Wl,-rpath,$dir"
	;;
*)
	echo "usage: run.sh icarus [stalls] | verilator [stalls] | predictor DIR" >&2
	exit 2
	;;
esac
grep -v '^- ' "$work/log"
grep -q '^AGREED' "$work/log"
`
