package export

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"hcacosim/cocosim"
	"hcacosim/cocosim/manifest"
	"hcacosim/model/sim"
	"hcacosim/vectors"
	"hcacosim/vectors/scenario"
)

// Vectors writes a vector set for the design with a word a line for $readmemh, and the bench that plays it.
func Vectors(m *manifest.Manifest, stage sim.StageSpec, dir string, seed, count uint64) (*vectors.Set, error) {
	bits := 64
	for _, p := range m.Ports {
		if p.Kind == manifest.KindAxis {
			bits = p.Width.Bits
		}
	}
	settings := sim.Settings{}
	for name, v := range m.Parameters {
		settings[name] = uint64(v)
	}
	set, err := vectors.GenerateSet(filepath.Join(dir, "vectors"), scenario.Default(stage.Name), stage, seed, count,
		vectors.SetOptions{Force: true, ReadmemhBits: bits, Settings: settings})
	if err != nil {
		return nil, err
	}
	return set, os.WriteFile(filepath.Join(dir, "bench.v"), []byte(bench(m, set)), 0o666)
}

// word is how a port's word lies in its file.
type word struct {
	port                   *manifest.Port
	total, data, keep, usr int
}

func wordOf(p *manifest.Port) word {
	if p.Kind == manifest.KindRecord {
		return word{port: p, total: (p.RecordBits() + 7) / 8 * 8}
	}
	w := word{port: p, data: p.Width.Bits, keep: p.Width.Bits / 8, usr: 4 * max(1, (p.UserWidth.Bits+3)/4)}
	w.total = w.data + w.keep + 4 + w.usr
	return w
}

func (w word) last() int { return w.data + w.keep }
func (w word) user() int { return w.last() + 4 }

// bench is a module that drives the design from the files of a set, and compares.
func bench(m *manifest.Manifest, set *vectors.Set) string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p("// Plays the vector set beside it into %s and compares; made by `cosim export`.\n`timescale 1ns/1ps\nmodule bench;",
		m.Name)
	p("  reg clk = 0, rst = 1;\n  always #5 clk = !clk;\n  integer cycle = 0, wrong = 0, taken = 0;\n  reg [30:0] noise " +
		"= 31'h2bad;")
	p("  always @(posedge clk) begin cycle <= cycle + 1; rst <= cycle < %d; noise <= {noise[29:0], noise[30] ^ "+
		"noise[27]}; end", max(1, m.Reset.Cycles))
	var pins, done []string
	pin := func(name, to string) {
		if name != "" {
			pins = append(pins, fmt.Sprintf(".%s(%s)", name, to))
		}
	}
	pin(m.Clock, "clk")
	pin(m.Reset.Pin, map[bool]string{true: "!rst", false: "rst"}[m.Reset.Active == "low"])
	for _, c := range m.Config {
		pin(c.Pin, fmt.Sprintf("%d'd%d", c.Width.Bits, c.Value))
	}
	for i := range m.Ports {
		w := wordOf(&m.Ports[i])
		lines := set.Files[w.port.Name+".memh"].Lines
		p("\n  // %s\n  reg [%d:0] w%d [0:%d];", w.port.Name, w.total-1, i, max(1, lines)-1)
		p("  initial $readmemh(\"vectors/%s.memh\", w%d);", w.port.Name, i)
		if w.port.Dir == manifest.DirIn {
			driver(p, i, lines, w)
		} else {
			monitor(p, i, lines, w)
			done = append(done, fmt.Sprintf("n%d == %d", i, lines))
		}
		wire(pin, i, w)
	}
	list := strings.Join(pins, ", ")
	p("\n`ifdef HCACOSIM_SOURCES\n  %s%s dut (%s);\n`else\n  %[1]s dut (%[3]s);\n`endif", m.Top, parameters(m), list)
	follow(p, m)
	p(`
  wire all = %s;
  integer rest = 500;
  always @(posedge clk) begin
    if (all) rest <= rest - 1;
    if (wrong > 20 || rest == 0 || cycle > %d) begin
`+"`ifdef HCACOSIM_PREDICTOR"+`
      if (hcacosim_pkg::hcacosim_end(predictor) > wrong) begin
        wrong = wrong + 1;
        $display("%%s", hcacosim_pkg::hcacosim_text(predictor));
      end
`+"`endif"+`
      if (wrong == 0 && all) $display("AGREED %%0d words", taken);
      else $display("MISMATCH %%0d wrong, %%0d words, cycle %%0d", wrong, taken, cycle);
      $finish;
    end
  end
endmodule`, strings.Join(done, " && "), 20*words(set)+20000)
	return b.String()
}

func words(set *vectors.Set) (n uint64) {
	for _, f := range set.Files {
		n += f.Lines
	}
	return n
}

// driver offers word after word; now and then it pauses.
func driver(p func(string, ...any), i int, lines uint64, w word) {
	p("  reg [%[2]d:0] d%[1]d = 0; reg v%[1]d = 0; wire r%[1]d; integer n%[1]d = 0;", i, w.total-1)
	p("  always @(posedge clk) if (rst) v%[1]d <= 0; else if (!v%[1]d || r%[1]d) begin\n"+
		"    v%[1]d <= n%[1]d < %[2]d && noise[2:0] != 0;\n    if (n%[1]d < %[2]d && noise[2:0] != 0) begin d%[1]d <= "+
		"w%[1]d[n%[1]d]; n%[1]d <= n%[1]d + 1; end\n  end", i, lines)
	if w.port.Pins.Ready == "" {
		p("  assign r%d = 1;", i)
	}
}

// monitor takes each word that the output offers and compares those of its bits that count.
func monitor(p func(string, ...any), i int, lines uint64, w word) {
	p("  wire [%[2]d:0] d%[1]d; wire v%[1]d; reg r%[1]d = 0; integer n%[1]d = 0; reg [%[2]d:0] want%[1]d, mask%[1]d;", i,
		w.total-1)
	ready := fmt.Sprintf("noise[%d:%d] != 0", i+4, i+3)
	if w.port.Pins.Ready == "" {
		ready = "1'b1"
	}
	p("  always @(posedge clk) begin\n    r%[1]d <= %[2]s;\n    if (!rst && v%[1]d !== 1'b0 && r%[1]d) begin", i, ready)
	p("`ifndef HCACOSIM_PREDICTOR")
	p("      want%[1]d = n%[1]d < %[2]d ? w%[1]d[n%[1]d] : {%[3]d{1'bx}}; mask%[1]d = %[4]s;", i, lines, w.total,
		mask(i, w))
	p("      if (v%[1]d !== 1'b1 || (d%[1]d & mask%[1]d) !== (want%[1]d & mask%[1]d)) begin\n        wrong = wrong + 1;",
		i)
	p("        $display(\"%[2]s word %%0d cycle %%0d: want %%h, got %%h\", n%[1]d, cycle, want%[1]d & mask%[1]d, d%[1]d "+
		"& mask%[1]d);", i, w.port.Name)
	p("      end\n`endif\n      n%[1]d <= n%[1]d + 1; taken <= taken + 1;\n    end\n  end", i)
}

// mask are the bits of a word that count: lanes that are kept, and the sideband of the last beat.
func mask(i int, w word) string {
	if w.port.Kind == manifest.KindRecord {
		bits := w.port.RecordBits()
		if bits == w.total {
			return fmt.Sprintf("{%d{1'b1}}", bits)
		}
		return fmt.Sprintf("{{%d{1'b0}}, {%d{1'b1}}}", w.total-bits, bits)
	}
	var lanes []string
	for k := w.keep - 1; k >= 0; k-- {
		lanes = append(lanes, fmt.Sprintf("{8{want%d[%d]}}", i, w.data+k))
	}
	keep := fmt.Sprintf("{%d{1'b1}}", w.keep)
	if w.port.Pins.Keep == "" {
		keep = fmt.Sprintf("{%d{1'b0}}", w.keep)
	}
	user := fmt.Sprintf("%d'd0", w.usr) // above the port's bits the word has none of the device's
	if n := w.port.UserWidth.Bits; n > 0 {
		user = fmt.Sprintf("%d'd0 | {%d{want%d[%d]}}", w.usr, n, i, w.last())
	}
	return fmt.Sprintf("{%s, 4'd1, %s, %s}", user, keep, strings.Join(lanes, ", "))
}

// wire joins the pins of a port to its word.
func wire(pin func(name, to string), i int, w word) {
	part := func(at, bits int) string { return fmt.Sprintf("d%d[%d:%d]", i, at+bits-1, at) }
	pin(w.port.Pins.Valid, fmt.Sprintf("v%d", i))
	pin(w.port.Pins.Ready, fmt.Sprintf("r%d", i))
	if w.port.Kind == manifest.KindAxis {
		pin(w.port.Pins.Data, part(0, w.data))
		pin(w.port.Pins.Keep, part(w.data, w.keep))
		pin(w.port.Pins.Last, part(w.last(), 1))
		if w.port.UserWidth.Bits > 0 {
			pin(w.port.Pins.User, part(w.user(), w.port.UserWidth.Bits))
		}
		return
	}
	at := 0
	for _, f := range w.port.Layout {
		pin(f.Pin, part(at, f.Width.Bits))
		at += f.Width.Bits
	}
}

var agreed = regexp.MustCompile(`(?m)^AGREED (\d+) words$`)

// Run plays the bench of dir in Icarus Verilog, which reads the files as Verilog-2001, and gives how many words were
// compared.
func Run(ctx context.Context, m *manifest.Manifest, dir string) (words int, err error) {
	for _, tool := range []string{"iverilog", "vvp"} {
		if _, err := exec.LookPath(tool); err != nil {
			return 0, &cocosim.Error{Exit: cocosim.BuildFailed, What: tool + " not found, which runs the bench",
				Do: "as root: apt-get install iverilog"}
		}
	}
	var out bytes.Buffer
	run := func(name string, args ...string) error {
		cmd := exec.CommandContext(ctx, name, args...)
		cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &out
		return cmd.Run()
	}
	if err := run("iverilog", "-g2001", "-Wall", "-s", "bench", "-o", "bench.vvp", simFile(m), "bench.v"); err != nil {
		return 0, cocosim.Errorf(cocosim.BuildFailed, "%s: iverilog: %s", m.Name, lastLine(out.Bytes(), err))
	}
	out.Reset()
	if err := run("vvp", "-n", "bench.vvp"); err != nil {
		return 0, cocosim.Errorf(cocosim.SimFailed, "%s: vvp: %s", m.Name, lastLine(out.Bytes(), err))
	}
	found := agreed.FindSubmatch(out.Bytes())
	if found == nil {
		first, _, _ := bytes.Cut(out.Bytes(), []byte("\n"))
		return 0, cocosim.Errorf(cocosim.Mismatch, "%s in Icarus: %s; %s", m.Name, first, lastLine(out.Bytes(), nil))
	}
	words, _ = strconv.Atoi(string(found[1]))
	return words, nil
}
