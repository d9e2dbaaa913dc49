package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
)

// needTools skips a test where a tool is missing.
func needTools(t *testing.T, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("skipped: %s is not installed", tool)
		}
	}
}

// exported writes a block with its vectors and its bench.
func exported(t *testing.T, args ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	exit, out, errs := cosim(append([]string{"export", "--smallest", "-o", dir}, args...)...)
	require.Equal(t, cocosim.Agreed, exit, "%s%s", out, errs)
	return dir
}

// unoptimized has make compile what Verilator made in a third of the time: a bench runs for a moment.
const unoptimized = "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0"

// playPlain runs the bench of an export where there is no program of ours, and no Go.
func playPlain(t *testing.T, dir string, args ...string) (code int, out string) {
	t.Helper()
	const systemPath = "/usr/bin:/bin"
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "run.sh"), args...)
	cmd.Env = []string{"PATH=" + systemPath, "HOME=" + os.Getenv("HOME"), "TMPDIR=" + t.TempDir(),
		"MAKEFLAGS=" + unoptimized}
	if _, err := exec.LookPath("ccache"); err == nil { // what Verilator brings is compiled once
		cmd.Env = append(cmd.Env, "OBJCACHE=ccache")
	}
	cmd.Dir = t.TempDir()
	text, err := cmd.CombinedOutput()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		return failed.ExitCode(), string(text)
	}
	require.NoError(t, err, "%s", text)
	return 0, string(text)
}

// TestPlainBench: an exported bench needs nothing of ours. A good block agrees in Icarus Verilog and in Verilator, and
// an injected fault is found by both; Verilator, which has to build each, with -long.
func TestPlainBench(t *testing.T) {
	needTools(t, "yosys", "iverilog", "verilator")
	good := exported(t, "--dut", "psn_window", "--count", "500")
	bad := exported(t, "--dut", "psn_window", "--count", "500", "--fault", "psn-unacked-no-wrap")
	for _, tool := range []string{"icarus", "verilator"} {
		t.Run(tool, func(t *testing.T) {
			if tool == "verilator" {
				onlyLong(t)
			}
			t.Parallel()
			code, out := playPlain(t, good, tool)
			require.Equal(t, "AGREED 500 words\n", out)
			require.Zero(t, code)
			code, out = playPlain(t, bad, tool)
			require.Equal(t, 1, code, out)
			require.Contains(t, out, "m_rec word ")
			require.Contains(t, out, "\nMISMATCH 21 wrong, ")
		})
	}
	code, out := playPlain(t, good, "vcs")
	require.Equal(t, 2, code)
	require.Contains(t, out, "usage: run.sh icarus [stalls] | verilator [stalls] | predictor DIR")
}

// TestPlainBenchOfPackets: the same for a block of packets.
func TestPlainBenchOfPackets(t *testing.T) {
	onlyLong(t)
	needTools(t, "yosys", "iverilog", "verilator")
	good := exported(t, "--dut", "icrc_check", "--count", "200")
	bad := exported(t, "--dut", "icrc_check", "--count", "200", "--fault", "pad-left-out")
	for _, tool := range []string{"icarus", "verilator"} {
		code, out := playPlain(t, good, tool)
		require.Zero(t, code, out)
		code, out = playPlain(t, bad, tool)
		require.Equal(t, 1, code, out)
	}
}

// answererDesign is a responder of another make, which coalesces its ACKs as one of its inputs says; another breaks it.
const answererDesign = "testdata/answerer/answerer.yaml"

// TestLenientBench: a plain bench holds a device of another make against a lenient set. One that sends an ACK for 1, 4
// and 16 requests agrees, idle and held up; each of its faults is found, the one of its timer by deadlines. Held up,
// nothing has a deadline but the end: behind 1,540 records an ACK that was asked for still waits for others, so that a
// device without a timer never sends it.
func TestLenientBench(t *testing.T) {
	needTools(t, "yosys", "iverilog", "verilator")
	dir := exported(t, "--dut", answererDesign, "--seed", "6", "--count", "1540")
	says := []string{1: "had to come by cycle", 2: "not due: ", 3: "not due: ", 4: "not due: "}
	for _, tool := range []string{"icarus", "verilator"} {
		for _, every := range []int{1, 4, 16} {
			for fault := range says {
				if !playedBy(tool, every, fault) {
					continue
				}
				setInput(t, dir, "every_i", every)
				setInput(t, dir, "fault_i", fault)
				code, out := playPlain(t, dir, tool)
				stalled, outStalled := playPlain(t, dir, tool, "stalls")
				if fault == 0 {
					require.Zero(t, code, "%d %s: %s", every, tool, out)
					require.Zero(t, stalled, "%d %s: %s", every, tool, outStalled)
					continue
				}
				require.Equal(t, 1, code, "%d %d %s: %s", every, fault, tool, out)
				require.Equal(t, 1, stalled, "%d %d %s: %s", every, fault, tool, outStalled)
				require.Contains(t, out, says[fault])
				if fault == 1 {
					require.Contains(t, outStalled, "that had to come never did\nMISMATCH 0 wrong")
				}
			}
		}
	}
}

// TestLenientBenchOfPackets: the same for a device whose answers leave as packets of two beats. One that leaves a beat
// out or has a bit of the last one wrong is found too.
func TestLenientBenchOfPackets(t *testing.T) {
	needTools(t, "yosys", "iverilog", "verilator")
	dir := exported(t, "--dut", "testdata/answerer/answer_frames.yaml", "--seed", "4", "--count", "1520")
	play := func(tool string, every, fault int) (code int, out string) {
		setInput(t, dir, "every_i", every)
		setInput(t, dir, "fault_i", fault)
		return playPlain(t, dir, tool)
	}
	says := []string{1: "had to come by cycle", 6: ""} // else that what came was not due
	for _, every := range []int{1, 4, 16} {
		code, out := play("icarus", every, 0)
		require.Zero(t, code, "%d: %s", every, out)
		require.Equal(t, []string{1: "AGREED 154 words\n", 4: "AGREED 130 words\n", 16: "AGREED 129 words\n"}[every], out)
	}
	for fault := 1; fault < len(says); fault++ {
		if fault < 5 && !*longTests {
			continue
		}
		code, out := play("icarus", 16, fault)
		require.Equal(t, 1, code, "%d: %s", fault, out)
		require.Contains(t, out, cmp.Or(says[fault], "not due: "))
	}
	if *longTests {
		code, out := play("verilator", 4, 0)
		require.Zero(t, code, out)
		code, out = play("verilator", 4, 5)
		require.Equal(t, 1, code, out)
	}
}

// TestLenientBenchOfSeveralInputs: the same for a device of four inputs, which gives their frames in an order of its
// own: downwards in turn, the oldest first, or two of each. A set of 240 frames, of all inputs at once.
func TestLenientBenchOfSeveralInputs(t *testing.T) {
	needTools(t, "yosys", "iverilog", "verilator")
	dir := exported(t, "--dut", "testdata/merger/merger.yaml", "--seed", "4", "--count", "240")
	play := func(tool string, order, fault int) (code int, out string) {
		setInput(t, dir, "order_i", order)
		setInput(t, dir, "fault_i", fault)
		return playPlain(t, dir, tool)
	}
	for order := range 3 {
		if order > 0 && !*longTests {
			continue
		}
		code, out := play("icarus", order, 0)
		require.Zero(t, code, "%d: %s", order, out)
		require.Contains(t, out, "AGREED 240 words\n")
	}
	says := []string{1: "had to come by cycle", 2: "not due: ", 3: "not due: ", 4: "not due: ", 5: "not due: ",
		6: "not due: "}
	for fault := 1; fault < len(says); fault++ {
		if fault != 5 && !*longTests {
			continue
		}
		code, out := play("icarus", fault%3, fault)
		require.Equal(t, 1, code, "%d: %s", fault, out)
		require.Contains(t, out, says[fault])
	}
	if *longTests {
		code, out := play("verilator", 1, 0)
		require.Zero(t, code, out)
		code, out = play("verilator", 1, 5)
		require.Equal(t, 1, code, out)
	}
}

// playedBy reports whether a simulator plays a device of TestLenientBench: Icarus all of them, in the default run some;
// Verilator, which has to build each, those that send an ACK for four.
func playedBy(tool string, every, fault int) bool {
	switch {
	case fault == 1 && every == 1: // none waits
		return false
	case tool == "verilator":
		return *longTests && every == 4
	default:
		return *longTests || every == 16 && fault <= 1 || every == 4 && fault == 0
	}
}

// setInput gives a configuration input of an exported bench another value.
func setInput(t *testing.T, dir, pin string, value int) {
	t.Helper()
	name := filepath.Join(dir, "bench.v")
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	was := regexp.MustCompile(`\.` + pin + `\((\d+)'d\d+\)`)
	require.Regexp(t, was, string(text))
	require.NoError(t, os.WriteFile(name, was.ReplaceAll(text, fmt.Appendf(nil, ".%s(${1}'d%d)", pin, value)), 0o666))
}

// TestStrictBench: a device of another make does not agree with a strict set.
func TestStrictBench(t *testing.T) {
	onlyLong(t)
	needTools(t, "yosys", "iverilog")
	code, out := playPlain(t, exported(t, "--dut", answererDesign, "--strict", "--count", "2000"), "icarus")
	require.Equal(t, 1, code, out)
}

// predictorFiles builds the C library with its package, as cmd/libhcacosim's own test does: by the same flags it
// compiles nothing.
func predictorFiles(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-buildmode=c-shared", "-o",
		filepath.Join(dir, "libhcacosim.so"), "../libhcacosim")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, name := range []string{"hcacosim.h", "hcacosim_pkg.sv"} {
		text, err := os.ReadFile(filepath.Join("..", "libhcacosim", name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o666))
	}
	return dir
}

// TestLivePredictor: the golden model judges inside of Verilator, over DPI, in place of the files of expected words. It
// is given to a good block and to a broken one.
func TestLivePredictor(t *testing.T) {
	needTools(t, "yosys", "verilator", "gcc")
	library := predictorFiles(t)
	for _, c := range []struct{ dut, fault, says string }{
		{"psn_window", "psn-unacked-no-wrap", "DATA: byte "},
		{"icrc_check", "pad-left-out", "USER: want "},
	} {
		t.Run(c.dut, func(t *testing.T) {
			t.Parallel()
			if c.dut != "psn_window" {
				onlyLong(t)
			}
			good := exported(t, "--dut", c.dut, "--count", "200")
			// The files of expected words are of no use to the predictor: it agrees without them.
			outputs, err := filepath.Glob(filepath.Join(good, "vectors", "m_*.memh"))
			require.NoError(t, err)
			require.Len(t, outputs, 1)
			text, err := os.ReadFile(outputs[0])
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(outputs[0], []byte(strings.Map(toZero, string(text))), 0o666))
			code, out := playPlain(t, good, "predictor", library)
			require.Zero(t, code, out)
			require.Contains(t, out, "AGREED ")

			bad := exported(t, "--dut", c.dut, "--count", "500", "--fault", c.fault)
			code, out = playPlain(t, bad, "predictor", library)
			require.Equal(t, 1, code, out)
			require.Contains(t, out, c.says)
		})
	}
}

// exampleBench is around the example of docs/predictor.md: a core that holds back, and is held back.
const exampleBench = `module tb;
  logic clk = 0, rst_n = 0, s_valid = 0, m_ready = 0; always #5 clk = ~clk;
  logic [63:0] cycle = 0;
  logic [72:0] s_record = 0;
  wire s_ready, m_valid;
  wire [26:0] m_record;
  plain_window dut (.clk, .rst(!rst_n), .i_psn(s_record[23:0]), .i_base(s_record[47:24]), .i_next(s_record[71:48]),
    .i_req(s_record[72]), .i_vld(s_valid), .i_rdy(s_ready), .o_dist(m_record[23:0]), .o_cls(m_record[26:24]),
    .o_vld(m_valid), .o_rdy(m_ready));
  always @(posedge clk) if (rst_n) begin
    cycle <= cycle + 1;
    if (s_ready) begin s_valid <= 1'($urandom); s_record <= 73'({$urandom, $urandom, $urandom}); end
    m_ready <= 1'($urandom);
  end
  initial begin repeat (4) @(posedge clk); rst_n <= 1; repeat (500) @(posedge clk); $finish; end
`

// TestPredictorExample: the example of docs/predictor.md finds nothing wrong with a core that is right.
func TestPredictorExample(t *testing.T) {
	needTools(t, "verilator", "gcc")
	page := readText(t, "../../docs/predictor.md")
	_, example, _ := strings.Cut(page, "```systemverilog\n")
	example, _, _ = strings.Cut(example, "```")
	dir, library := t.TempDir(), predictorFiles(t)
	core, err := filepath.Abs("../../cocosim/mutate/testdata/plain_window.v")
	require.NoError(t, err)
	bench := filepath.Join(dir, "tb.sv")
	require.NoError(t, os.WriteFile(bench, []byte(exampleBench+example+"endmodule\n"), 0o666))
	c := exec.CommandContext(t.Context(), "verilator", "--binary", "--timing", "-Wno-fatal", "--Mdir", dir,
		"-MAKEFLAGS", unoptimized, "--top-module", "tb", filepath.Join(library, "hcacosim_pkg.sv"), bench, core, "-LDFLAGS",
		fmt.Sprintf("-L%s -lhcacosim -Wl,-rpath,%[1]s", library))
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s", out)
	out, err = exec.CommandContext(t.Context(), filepath.Join(dir, "Vtb")).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.NotContains(t, string(out), "Error")
}

// toZero makes every digit of a file of words a 0.
func toZero(r rune) rune {
	if strings.ContainsRune("123456789abcdef", r) {
		return '0'
	}
	return r
}
