package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
)

// TestResetsKeepTheState: a register that no reset reaches counts the resets that came behind traffic, and the answers
// are wrong from the fourth on. Only a run whose resets leave the design its state shows that; --resets without
// mid_traffic in the manifest is refused.
func TestResetsKeepTheState(t *testing.T) {
	needVerilator(t)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("../../docs/examples/psn_req")))
	source, file := filepath.Join(dir, "psn_req.v"), filepath.Join(dir, "psn_req.yaml")
	replaceIn(t, source, "    always @(posedge clk) begin\n", `    reg used = 1'b0;
    reg [2:0] resets = 3'd0;
    always @(posedge clk) begin
        if (ans_vld && !rst) used <= 1'b1;
        if (rst && used) begin used <= 1'b0; if (resets != 3'd4) resets <= resets + 3'd1; end
`)
	replaceIn(t, source, "res_open <= ahead < sent;", "res_open <= (ahead < sent) ^ (resets == 3'd4);")
	run := func(args ...string) (cocosim.Exit, string) {
		exit, out, errs := cosim(append([]string{"run", "--dut", file, "--count", "500", "--flavour", "quick"}, args...)...)
		return exit, out + errs
	}
	exit, said := run("--resets", "8")
	require.Equal(t, cocosim.BadInput, exit, said)
	require.Contains(t, said, "mid_traffic")
	replaceIn(t, file, "cycles: 4}", "cycles: 4, mid_traffic: true}")
	exit, said = run()
	require.Equal(t, cocosim.Agreed, exit, said)
	page := filepath.Join(dir, "page.html")
	failed, small := filepath.Join(dir, "bundle"), filepath.Join(dir, "small")
	exit, said = run("--resets", "8", "--html", page, "--bundle", failed)
	require.Equal(t, cocosim.Mismatch, exit, said)
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Regexp(t, `psn_req, life 1[2-6], ended by a reset before the run`, string(text)) // its ladder: behind 8 starts
	require.NotContains(t, string(text), `"n":[]`)

	exit, out, errs := cosim("shrink", failed, "-o", small) // no record of the run has to do with it
	require.Equal(t, cocosim.Inconclusive, exit, out+errs)
	require.Contains(t, errs, "needs those before it")
	require.NoDirExists(t, small)
}
