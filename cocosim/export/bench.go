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

// Vectors writes a vector set for the design with a word a line for $readmemh, and the bench that plays it. The set is
// lenient where the stage leaves a choice and strict is not said.
func Vectors(m *manifest.Manifest, stage sim.StageSpec, dir string, seed, count uint64, strict bool) (*vectors.Set,
	error) {
	bits := 64
	for _, p := range m.Ports {
		if p.Kind == manifest.KindAxis {
			bits = p.Width.Bits
		}
	}
	settings, err := m.Settings(nil)
	if err != nil {
		return nil, err
	}
	set, err := vectors.GenerateSet(filepath.Join(dir, "vectors"), scenario.Default(stage.Name), stage, seed, count,
		vectors.SetOptions{Force: true, ReadmemhBits: bits, Settings: settings, Strict: strict})
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
	p("// Plays the vector set beside it into %s and compares; made by `cosim export`.\n`timescale 1ns/1ps\n"+
		"module bench;", m.Name)
	clockOf(p, m)
	var pins, done []string
	var lenient []int   // outputs that are judged by a lenient set
	var missed []string // statements that tell what never came
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
	limit := fmt.Sprint(20*words(set) + 20000) // cycles
	for i := range m.Ports {
		w := wordOf(&m.Ports[i])
		lines := set.Files[w.port.Name+".memh"].Lines
		p("\n  // %s", w.port.Name)
		if w.port.Dir == manifest.DirIn {
			_, timed := set.Files[w.port.Name+".after.memh"]
			driver(p, i, lines, w, timed)
			if timed && lines > 0 {
				limit += fmt.Sprintf(" + 2 * after%d[%d]", i, lines-1)
			}
		} else if set.Flavour == vectors.Lenient {
			judge(p, m, set, i, w)
			done, lenient = append(done, fmt.Sprintf("all%d", i)), append(lenient, i)
			missed = append(missed, fmt.Sprintf("if (!all%d && (judge%[1]d.owed != 0 || judge%[1]d.beats == 0)) "+
				"$display(\"%s: %%0d that had to come never did\", judge%[1]d.owed);", i, w.port.Name),
				fmt.Sprintf("if (judge%d.beats != 0) "+
					"$display(\"%s: a packet never ended: %%0d beats of it came\", judge%[1]d.beats);", i, w.port.Name))
		} else {
			monitor(p, i, lines, w)
			done = append(done, fmt.Sprintf("n%d == %d", i, lines))
			missed = append(missed, fmt.Sprintf("if (n%d < %d) $display(\"%s: %%0d of %[2]d words came\", n%[1]d);", i, lines,
				w.port.Name))
		}
		wire(pin, i, w)
	}
	list := strings.Join(pins, ", ")
	p("\n`ifdef HCACOSIM_SOURCES\n  %s%s dut (%s);\n`else\n  %[1]s dut (%[3]s);\n`endif", m.Top, parameters(m), list)
	follow(p, m)
	ending(p, done, missed, lenient, limit)
	if len(lenient) > 0 {
		b.WriteString(lenientJudge)
	}
	return b.String()
}

// ending says how it went when all has come that must, too much was wrong, or nothing came for too long. done are the
// conditions of the outputs, missed say what is not, lenient are the numbers of the ports that count for themselves.
func ending(p func(string, ...any), done, missed []string, lenient []int, limit string) {
	failures, compared := "wrong", "taken"
	for _, i := range lenient {
		failures += fmt.Sprintf(" + wrong%d", i)
		compared += fmt.Sprintf(" + taken%d", i)
	}
	p(`
  wire all = %s;
  wire [31:0] failures = %s, compared = %s;
  integer rest = 500;
  always @(posedge clk) begin
    if (all) rest <= rest - 1;
    if (failures > 20 || rest == 0 && all || cycle > %s) begin
`+"`ifdef HCACOSIM_PREDICTOR"+`
      if (hcacosim_pkg::hcacosim_end(predictor) > wrong) begin
        wrong = wrong + 1;
        $display("%%s", hcacosim_pkg::hcacosim_text(predictor));
      end
`+"`endif"+`
      if (failures <= 20) begin
        %s
      end
      if (failures == 0 && wrong == 0 && all) $display("AGREED %%0d words", compared);
      else $display("MISMATCH %%0d wrong, %%0d words, cycle %%0d", failures, compared, cycle);
      $finish;
    end
  end
endmodule`, strings.Join(done, " && "), failures, compared, limit, strings.Join(missed, "\n        "))
}

// clockOf writes the clock, the reset, the counts and the noise by which ports pause. started counts cycles from the
// end of the reset on.
func clockOf(p func(string, ...any), m *manifest.Manifest) {
	p("  reg clk = 0, rst = 1;\n  always #5 clk = !clk;\n  integer cycle = 0, started = 0, wrong = 0, taken = 0;\n" +
		"  reg [30:0] noise = 31'h2bad;")
	p("  always @(posedge clk) begin\n    cycle <= cycle + 1; rst <= cycle < %d; if (!rst) started <= started + 1;\n"+
		"    noise <= {noise[29:0], noise[30] ^ noise[27]};\n  end",
		max(1, m.Reset.Cycles))
}

func words(set *vectors.Set) (n uint64) {
	for _, f := range set.Files {
		n += f.Lines
	}
	return n
}

// memory holds the words of a port.
func memory(p func(string, ...any), i int, lines uint64, w word) {
	p("  reg [%d:0] w%d [0:%d];", w.total-1, i, max(1, lines)-1)
	p("  initial $readmemh(\"vectors/%s.memh\", w%d);", w.port.Name, i)
}

// driver offers word after word; now and then it pauses. A word with a time is not offered before that cycle.
func driver(p func(string, ...any), i int, lines uint64, w word, timed bool) {
	memory(p, i, lines, w)
	due := ""
	if timed {
		p("  reg [63:0] after%d [0:%d];\n  initial $readmemh(\"vectors/%s.after.memh\", after%[1]d);", i, max(1, lines)-1,
			w.port.Name)
		due = fmt.Sprintf(" && started >= after%[1]d[n%[1]d]", i)
	}
	p("  reg [%[2]d:0] d%[1]d = 0; reg v%[1]d = 0; wire r%[1]d; integer n%[1]d = 0;", i, w.total-1)
	p("  always @(posedge clk) if (rst) v%[1]d <= 0; else if (!v%[1]d || r%[1]d) begin\n"+
		"    v%[1]d <= n%[1]d < %[2]d && noise[2:0] != 0%[3]s;\n    if (n%[1]d < %[2]d && noise[2:0] != 0%[3]s) begin "+
		"d%[1]d <= w%[1]d[n%[1]d]; n%[1]d <= n%[1]d + 1; end\n  end", i, lines, due)
	if w.port.Pins.Ready == "" {
		p("  assign r%d = 1;", i)
	}
}

// monitor takes each word that the output offers and compares those of its bits that count.
func monitor(p func(string, ...any), i int, lines uint64, w word) {
	memory(p, i, lines, w)
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
