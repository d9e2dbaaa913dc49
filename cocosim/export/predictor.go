package export

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"hcacosim/cocosim/manifest"
	"hcacosim/model/sim"
	"hcacosim/model/stages"
)

// parameters are those of an instance of the sources; the exported Verilog has none left.
func parameters(m *manifest.Manifest) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(m.Parameters)) {
		list = append(list, fmt.Sprintf(".%s(%d)", name, m.Parameters[name]))
	}
	if len(list) == 0 {
		return ""
	}
	return " #(" + strings.Join(list, ", ") + ")"
}

// settings are the parameters, the defines that are numbers and the configuration inputs as hcacosim_open takes them:
// those that the stage knows.
func settings(m *manifest.Manifest) string {
	stage, _ := stages.Lookup(m.Model)
	all, _ := m.Settings(nil) // of a resolved manifest they fit
	var list []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if slices.ContainsFunc(stage.Settings, func(s sim.Setting) bool { return s.Name == name }) {
			list = append(list, fmt.Sprintf("%s=%d", name, all[name]))
		}
	}
	return strings.Join(list, ",")
}

// follow has the live predictor judge what comes out in place of the files: one process, so that the inputs of a cycle
// come before its outputs.
func follow(p func(string, ...any), m *manifest.Manifest) {
	p("\n`ifdef HCACOSIM_PREDICTOR\n  int predictor, code;\n  initial begin")
	p("    predictor = hcacosim_pkg::hcacosim_open(%q, %q);", m.Model, settings(m))
	p("    if (predictor < 0) $fatal(1, \"%%s\", hcacosim_pkg::hcacosim_text(-1));\n  end")
	p("  always @(posedge clk) if (!rst) begin")
	for _, dir := range []string{manifest.DirIn, manifest.DirOut} {
		for i := range m.Ports {
			if m.Ports[i].Dir == dir {
				call(p, i, wordOf(&m.Ports[i]))
			}
		}
	}
	p("  end\n`endif")
}

// call hands over what port i moves in this cycle.
func call(p func(string, ...any), i int, w word) {
	name := "got"
	if w.port.Dir == manifest.DirIn {
		name = "push"
	}
	at := fmt.Sprintf("predictor, hcacosim_pkg::hcacosim_port(predictor, %q), 64'(cycle)", w.port.Name)
	p("    if (v%[1]d && r%[1]d) begin", i)
	if w.port.Kind == manifest.KindRecord {
		bits := w.port.RecordBits()
		p("      code = hcacosim_pkg::hcacosim_%s_bits(%s, 4096'(d%d[%d:0]), %[5]d);", name, at, i, bits-1, bits)
	} else {
		keep := fmt.Sprintf("d%d[%d:%d]", i, w.last()-1, w.data)
		if w.port.Pins.Keep == "" {
			keep = fmt.Sprintf("{%d{1'b1}}", w.keep)
		}
		user := "0"
		if w.port.UserWidth.Bits > 0 {
			user = fmt.Sprintf("32'(d%d[%d:%d])", i, w.user()+w.port.UserWidth.Bits-1, w.user())
		}
		p("      code = hcacosim_pkg::hcacosim_%s_beat(%s, 4096'(d%d[%d:0]), 512'(%s), %d,", name, at, i, w.data-1, keep,
			w.keep)
		p("        32'(d%d[%d]), %s);", i, w.last(), user)
	}
	p("      if (code != 0) begin\n        wrong = wrong + 1;\n        $display(\"cycle %%0d: %%s\", cycle, " +
		"hcacosim_pkg::hcacosim_text(predictor));\n      end\n    end")
}
