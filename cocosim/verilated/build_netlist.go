package verilated

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"

	"hcacosim/cocosim/design"
)

// The flavours that run what Yosys makes of the design in place of the design: what a synthesizer reads differently
// shows.
const (
	// Word is the netlist of adders, multiplexers, registers and memories.
	Word Flavour = "word"
	// Gate is that of gates and flip-flops; memories stay arrays.
	Gate Flavour = "gate"
)

// netlistFile is what Yosys writes and Verilator reads.
const netlistFile = "netlist.v"

// netlists are the passes between the hierarchy and the netlist.
var netlists = map[Flavour]string{
	Word: "proc; opt; memory -nomap; opt_clean",
	Gate: "synth -flatten -run begin:fine; opt -fast -full; opt -undriven -fine; techmap; opt -fast; abc -fast; opt_clean",
}

// read is how Yosys reads the design.
func (b *build) read(at func(string) string) string {
	var files []string
	for _, f := range b.files {
		files = append(files, at(f.Path))
	}
	return fmt.Sprintf("read_verilog -sv%s%s%s; %shierarchy -check -top %s", design.YosysIncludes(b.included(at), ""),
		design.YosysDefines(b.m.Defines), design.YosysFiles(files...), b.m.Chparam(), b.m.Top)
}

// included are the include directories.
func (b *build) included(at func(string) string) (dirs []string) {
	for _, dir := range b.include {
		dirs = append(dirs, at(dir))
	}
	return dirs
}

// yosys runs a script in the directory of the build.
func (b *build) yosys(ctx context.Context, dir, script string, log *bytes.Buffer) error {
	if err := design.LinkIncludes(b.included(b.place), dir); err != nil {
		return err
	}
	return tool(ctx, dir, log, "yosys", "-q", "-p", script)
}

// script is what Yosys is told. The attribute of each source line is left out: Verilator would not look at it.
func (b *build) script(at func(string) string) string {
	return fmt.Sprintf("%s; rename -top %s; %s; check; write_verilog -noattr %s", b.read(at), b.m.Top, netlists[b.flavour],
		netlistFile)
}

// netlistKey is what Yosys is told, wherever the sources lie; nothing for the other flavours.
func (b *build) netlistKey() string {
	if netlists[b.flavour] == "" {
		return ""
	}
	return b.script(filepath.Base)
}

// synthesize makes the netlist, where the flavour asks for one.
func (b *build) synthesize(ctx context.Context, dir string, log *bytes.Buffer) error {
	if netlists[b.flavour] == "" {
		return nil
	}
	return b.yosys(ctx, dir, b.script(b.place), log)
}

// place is where a source lies, seen from the directory of the build.
func (b *build) place(name string) string {
	if b.m.Embedded() {
		return filepath.Join("rtl", name)
	}
	return name
}
