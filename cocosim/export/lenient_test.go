package export

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/sim"
	"hcacosim/vectors"
	"hcacosim/vectors/scenario"
)

// lenientDevice gives every word of a set, all causes before: +late behind all deadlines, +extra beats of a packet
// that does not end.
const lenientDevice = `module tb;
  reg clk = 0, rst = 1, push = 0, valid = 0;
  always #5 clk = !clk;
  integer cycle = 0, n = 0, k = 0, extra = 0, late = 0;
  always @(posedge clk) cycle <= cycle + 1;
  reg [151:0] w [0:%[1]d-1], data = 0;
  wire ready, all;
  wire [31:0] wrong, taken;
  hcacosim_lenient #(.Bits(152), .Words(%[1]d), .Room(%[1]d), .Keyed(1), .Data(128), .Last(144),
    .Mask({{4{1'b0}}, 4'h1, {144{1'b1}}}), .Name("m_axis"), .File("m_axis.memh"), .NeedFile("m_axis.need.memh"))
    j (.clk(clk), .rst(rst), .cycle(cycle), .push(push), .noise(1'b1), .data(data), .valid(valid), .ready(ready),
    .all(all), .wrong(wrong), .taken(taken));
  initial begin
    $readmemh("m_axis.memh", w);
    if ($test$plusargs("late")) late = 3000;
    if (!$value$plusargs("extra=%%d", extra)) extra = 0;
    #30 rst = 0;
  end
  always @(negedge clk) if (!rst) begin
    push = n < %[2]d;
    n = n + 1;
    valid = 0;
    if (n > %[2]d + late && ready) begin
      if (k < %[1]d) begin
        valid = 1; data = w[k]; k = k + 1;
      end else if (extra > 0) begin
        valid = 1; data = {4'd0, 4'd0, 16'hffff, 128'hdeadbeef}; extra = extra - 1;
      end
    end
    if (n > %[2]d + late + %[1]d + 100) begin
      $display("all %%b wrong %%0d taken %%0d", all, wrong, taken);
      $finish;
    end
  end
endmodule
`

// TestLenientJudge: a packet that never ends leaves the judge unsatisfied, and what comes behind its deadline is wrong
// once.
func TestLenientJudge(t *testing.T) {
	for _, tool := range []string{"iverilog", "vvp"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("skipped: %s is not installed", tool)
		}
	}
	const count = 600
	stage, _ := vectors.Lookup("resp_frames")
	dir := filepath.Join(t.TempDir(), "set")
	set, err := vectors.GenerateSet(dir, scenario.Default(stage.Name), stage, 1, count,
		vectors.SetOptions{ReadmemhBits: 128})
	require.NoError(t, err)
	records, bound := set.Files["m_axis.memh"].Records, 0
	expected, err := set.Expected()
	require.NoError(t, err)
	defer expected.Close()
	for r := (sim.Record{}); expected.Next(&r) == nil; {
		if expected.By() != 0 {
			bound++
		}
	}
	require.NotZero(t, bound)
	text := fmt.Sprintf(lenientDevice, set.Files["m_axis.memh"].Lines, count) + lenientJudge
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tb.v"), []byte(text), 0o666))
	run := func(name string, args ...string) string {
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return string(out)
	}
	run("iverilog", "-g2001", "-Wall", "-s", "tb", "-o", "tb.vvp", "tb.v")
	require.Equal(t, fmt.Sprintf("all 1 wrong 0 taken %d\n", records), run("vvp", "-n", "tb.vvp"))
	require.Equal(t, fmt.Sprintf("all 0 wrong 0 taken %d\n", records), run("vvp", "-n", "tb.vvp", "+extra=5"))
	late := run("vvp", "-n", "tb.vvp", "+late")
	require.NotContains(t, late, "not due")
	require.Contains(t, late, fmt.Sprintf("all 1 wrong %d taken %d\n", bound, records))
}
