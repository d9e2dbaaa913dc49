package export

import (
	"context"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/manifest"
)

// TestVerilogTellsWhatItDoes: while Yosys runs, its passes are told, again and again.
func TestVerilogTellsWhatItDoes(t *testing.T) {
	if _, err := exec.LookPath("yosys"); err != nil {
		t.Skip("skipped: yosys is not installed")
	}
	defer func(d time.Duration) { tellEvery = d }(tellEvery)
	tellEvery = time.Millisecond
	m, err := manifest.Find("psn_window")
	require.NoError(t, err)
	m, err = m.Resolve(nil)
	require.NoError(t, err)
	told := map[string]bool{}
	last := time.Duration(0)
	_, err = Verilog(context.Background(), m, t.TempDir(), nil, func(pass string, since time.Duration) {
		told[pass] = true
		require.Greater(t, since, last)
		last = since
	})
	require.NoError(t, err)
	require.Greater(t, len(told), 2, "%v", told)
}

// TestYosysSaysWhy: the error of a script that fails is the end of its log.
func TestYosysSaysWhy(t *testing.T) {
	if _, err := exec.LookPath("yosys"); err != nil {
		t.Skip("skipped: yosys is not installed")
	}
	log, err := yosys(context.Background(), t.TempDir(), "read_verilog none.v", nil)
	require.Error(t, err)
	require.Contains(t, lastLine(log, err), "none.v")
}
