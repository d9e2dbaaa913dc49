package export

import (
	_ "embed"
	"fmt"
	"strings"

	"hcacosim/cocosim/manifest"
	"hcacosim/vectors"
)

// lenientJudge is the module that judges an output of a lenient set.
//
//go:embed lenient.v
var lenientJudge string

// judge takes each word that the output offers and holds it against what the set allows.
func judge(p func(string, ...any), m *manifest.Manifest, set *vectors.Set, i int, w word) {
	lines, keyed := set.Files[w.port.Name+".memh"].Lines, 0
	var push []string // of the inputs, the last one first
	for k := range m.Ports {
		in := &m.Ports[k]
		if in.Dir != manifest.DirIn {
			continue
		}
		went := fmt.Sprintf("v%d && r%[1]d && !rst", k)
		if in.Kind == manifest.KindAxis {
			went += fmt.Sprintf(" && d%d[%d]", k, wordOf(in).last())
		}
		push = append([]string{went}, push...)
	}
	for _, port := range set.Ports {
		if port.Name == w.port.Name && port.Keyed {
			keyed = 1
		}
	}
	stall := 1
	if w.port.Pins.Ready == "" {
		stall = 0
	}
	p("  wire [%d:0] d%[2]d; wire v%[2]d, r%[2]d, all%[2]d; wire [31:0] wrong%[2]d, taken%[2]d;", w.total-1, i)
	p("`ifdef HCACOSIM_PREDICTOR\n  localparam Judge%d = 0;\n`else\n  localparam Judge%[1]d = 1;\n`endif", i)
	p("  hcacosim_lenient #(.Bits(%d), .Words(%d), .Room(%d), .Inputs(%d), .Keyed(%d), .Judge(Judge%d),", w.total, lines,
		max(1, lines), len(push), keyed, i)
	p("    .CanStall(%d), .Mask(%s), .Name(%q),", stall, wholeMask(w), w.port.Name)
	if w.port.Kind == manifest.KindAxis {
		p("    .Data(%d), .Last(%d),", w.data, w.last())
	}
	p("    .File(\"vectors/%s.memh\"), .NeedFile(\"vectors/%[1]s.need.memh\")) judge%d (.clk(clk), .rst(rst),",
		w.port.Name, i)
	p("    .cycle(cycle), .push({%s}), .noise(noise[%d:%d] != 0),", strings.Join(push, ",\n      "), i+4, i+3)
	p("    .data(d%d), .valid(v%[1]d), .ready(r%[1]d), .all(all%[1]d), .wrong(wrong%[1]d), .taken(taken%[1]d));", i)
}

// wholeMask has the bits of a word that the device drives; of packets all lanes, and the sideband.
func wholeMask(w word) string {
	if w.port.Kind == manifest.KindRecord {
		return mask(0, w)
	}
	keep := 1
	if w.port.Pins.Keep == "" {
		keep = 0
	}
	return fmt.Sprintf("{%d'd%d, 4'd1, {%d{1'b%d}}, {%d{1'b1}}}", w.usr, uint64(1)<<w.port.UserWidth.Bits-1, w.keep, keep,
		w.data)
}
