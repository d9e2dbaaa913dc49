package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
)

// TestLintLooksAtEverySize: a design that does not hold together at one of its sizes fits no manifest that names it.
func TestLintLooksAtEverySize(t *testing.T) {
	dir := t.TempDir()
	for name, change := range map[string][2]string{
		"psn_req.v":    {"endmodule", "generate if (BAD) begin : gen_bad\n  absent u_absent ();\nend endgenerate\nendmodule"},
		"psn_req.yaml": {"clock: clk\n", "clock: clk\nparameters: {BAD: 0}\nsizes: [{BAD: 1}]\n"},
	} {
		text, err := os.ReadFile(filepath.Join("../../docs/examples/psn_req", name))
		require.NoError(t, err)
		changed := strings.Replace(string(text), change[0], change[1], 1)
		changed = strings.Replace(changed, "module psn_req (", "module psn_req #(parameter BAD = 0) (", 1)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(changed), 0o666))
	}
	exit, _, errs := cosim("lint", filepath.Join(dir, "psn_req.yaml"))
	require.Equal(t, cocosim.BuildFailed, exit, errs)
	require.Contains(t, errs, "absent")
}
