package export

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"hcacosim/cocosim/manifest"
)

// Core is the FuseSoC core file (CAPI 2) of a resolved manifest's design. Its files are relative to root, as the
// manifest's world names them.
func Core(m *manifest.Manifest, root string) (string, error) {
	files, include, err := m.ReadSources()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p("CAPI=2:\nname: hcacosim:blocks:%s:0\ndescription: %q", m.Name, m.Summary)
	p("filesets:\n  rtl:\n    files:")
	for _, s := range manifest.Needed(files, m.Top) {
		kind := "systemVerilogSource"
		if path.Ext(s.Path) == ".v" {
			kind = "verilogSource"
		}
		p("      - %s: {file_type: %s}", path.Join(root, s.Path), kind)
	}
	if len(include) > 0 {
		p("    # include directories: %s", strings.Join(include, ", "))
	}
	names := slices.Sorted(maps.Keys(m.Parameters))
	if len(names) > 0 {
		p("parameters:")
		for _, name := range names {
			p("  %s: {datatype: int, default: %d, paramtype: vlogparam}", name, m.Parameters[name])
		}
	}
	list := strings.Join(names, ", ")
	p("targets:\n  default:\n    filesets: [rtl]\n    toplevel: %s\n    parameters: [%s]", m.Top, list)
	p("  lint:\n    default_tool: verilator\n    filesets: [rtl]\n    toplevel: %s\n    parameters: [%s]\n    tools:\n  "+
		"    verilator:\n"+
		"        mode: lint-only\n        verilator_options: [-Wall]", m.Top, list)
	p("  synth:\n    default_tool: yosys\n    filesets: [rtl]\n    toplevel: %s\n    parameters: [%s]", m.Top, list)
	return b.String(), nil
}
