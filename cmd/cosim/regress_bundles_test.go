package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/bundle"
)

// TestRegressLeavesBundles: of a regression that fails the first failure of a bucket has a bundle with waves, which
// stderr, JUnit's XML and the page name, and which runs again in the same way.
func TestRegressLeavesBundles(t *testing.T) {
	needVerilator(t)
	folder := t.TempDir()
	page, left, junit := filepath.Join(folder, "page.html"), filepath.Join(folder, "left"), filepath.Join(folder, "j.xml")
	code, _, errs := cosim("regress", "--dut", wrongRecord(t, nil), "--flavour", "quick", "--seeds", "2", "--long", "0",
		"--html", page, "--quiet", "--write", filepath.Join(folder, "tables"), "--waves", "fail", "--bundle", left,
		"--junit", junit)
	require.EqualValues(t, 1, code, errs)
	require.Contains(t, errs, "4 failures in 1 bucket")
	list, err := os.ReadDir(left)
	require.NoError(t, err)
	require.Len(t, list, 1, "one of the bucket, not one of each failure")
	dir := filepath.Join(left, list[0].Name())
	require.Contains(t, errs, "        bundle "+dir+"\n")
	require.Contains(t, readText(t, junit), "bundle: "+dir)
	href := `href="left/` + list[0].Name()
	for _, want := range []string{href + `/report.html"`, href + `/trace.fst"`, "cosim replay " + dir,
		"cosim shrink " + dir} {
		require.Contains(t, readText(t, page), want)
	}
	requireWaves(t, dir)
	require.Contains(t, readText(t, filepath.Join(dir, bundle.PageFile)), `href="trace.fst"`)
	code, _, errs = cosim("replay", dir)
	require.EqualValues(t, 1, code, errs)
	require.NotContains(t, errs, "this run")

	for _, bad := range [][]string{{"--waves", "always"}, {"--waves", "fail", "--bundles", "0"}, {"--bundles", "-1"}} {
		code, _, errs := cosim(append([]string{"regress", "--dut", "psn_window"}, bad...)...)
		require.EqualValues(t, 2, code, bad)
		require.NotEmpty(t, errs)
	}
	require.NoError(t, os.WriteFile(filepath.Join(folder, "file"), nil, 0o644))
	code, _, errs = cosim("regress", "--dut", wrongRecord(t, nil), "--flavour", "quick", "--seeds", "1", "--long", "0",
		"--quiet", "--write", filepath.Join(folder, "tables"), "--bundle", filepath.Join(folder, "file"))
	require.EqualValues(t, 1, code, "a bundle that cannot be written changes no verdict")
	require.Contains(t, errs, "no bundle: ")
}
