package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/bundle"
	"hcacosim/rtl"
	"hcacosim/vectors/capture"
)

// The bundles of runs that fail in tests do not go to the user's folder.
func init() { os.Setenv("XDG_STATE_HOME", filepath.Join(os.TempDir(), "hcacosim-tests")) }

// faultyDevice is a copy of the RTL with one fault of the RTL: the manifest of its device, and the device's
// name.
func faultyDevice(t *testing.T, name string) (faulty, good string) {
	for _, f := range readFaults(t, "rtl") {
		if f.Name != name {
			continue
		}
		dir := t.TempDir()
		require.NoError(t, os.CopyFS(dir, rtl.FS))
		file := filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(f.File, "rtl/")))
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, plant(t, f, text), 0o644))
		require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if d.Name() == f.Dut+".yaml" {
				faulty = path
			}
			return err
		}))
		return faulty, f.Dut
	}
	t.Fatalf("no fault %s", name)
	return "", ""
}

// TestFromMismatchToBundle: a failing run leaves a bundle that fails again in the same way from anywhere, shrinks to a
// few packets, none of which can be left out, and agrees on the good RTL.
func TestFromMismatchToBundle(t *testing.T) {
	needVerilator(t)
	for _, name := range []string{"psn-distance-23-bits", "v4-ttl-covered"} {
		faulty, good := faultyDevice(t, name)
		dir := filepath.Join(t.TempDir(), "bundle")
		code, out, errs := cosim("run", "--dut", faulty, "--flavour", "quick", "--backpressure", "0.3", "--bundle", dir)
		require.EqualValues(t, 1, code, out+errs)
		require.Contains(t, errs, "bundle "+dir)
		about, _, err := bundle.Open(dir)
		require.NoError(t, err)

		code, out, errs = cosim("replay", dir)
		require.EqualValues(t, 1, code, errs)
		require.NotContains(t, errs, "this run", "the result differs")
		require.Contains(t, out, "vector set")
		code, _, errs = cosim("replay", "--dut", good, dir)
		require.EqualValues(t, 0, code)
		require.Contains(t, errs, `this run ""`)

		small := filepath.Join(t.TempDir(), "small")
		code, out, errs = cosim("shrink", dir, "-o", small, "--good", good, "--json")
		require.EqualValues(t, 0, code, errs)
		var res shrunk
		require.NoError(t, json.Unmarshal([]byte(out), &res))
		require.Equal(t, about.Signature, res.Signature)
		require.LessOrEqual(t, res.PacketsAfter, 8, out)
		require.Less(t, res.PacketsAfter, res.PacketsBefore)
		require.True(t, res.Minimal && *res.Good, out)
		code, _, errs = cosim("replay", small)
		require.EqualValues(t, 1, code, errs)
		require.NotContains(t, errs, "this run")
	}
}

// TestBundleOfPackets: what a device of packets gave and should have given are captures, the wrong packet marked in its
// comment.
func TestBundleOfPackets(t *testing.T) {
	needVerilator(t)
	faulty, _ := faultyDevice(t, "v4-ttl-covered")
	dir := filepath.Join(t.TempDir(), "bundle")
	code, out, errs := cosim("run", "--dut", faulty, "--flavour", "quick", "--known", "--bundle", dir)
	require.EqualValues(t, 1, code, out+errs)
	marked := 0
	for _, name := range []string{"actual.pcapng", "expected.pcapng"} {
		c, err := capture.Open(filepath.Join(dir, name))
		require.NoError(t, err)
		for {
			f, err := c.Next()
			if err != nil {
				break
			}
			if strings.HasPrefix(string(f.Comment), "MISMATCH USER") {
				marked++
			}
		}
		c.Close()
	}
	require.Positive(t, marked)
}

// TestBundleErrorsAreForPeople: a directory that is there, one that is no bundle, a half-written one, a folder that
// cannot be written.
func TestBundleErrorsAreForPeople(t *testing.T) {
	dir := t.TempDir()
	code, _, errs := cosim("replay", dir)
	require.EqualValues(t, 2, code)
	require.Contains(t, errs, "is no bundle: it has no bundle.json")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bundle.json"), []byte(`{"format": 9}`), 0o644))
	code, _, errs = cosim("replay", dir)
	require.EqualValues(t, 2, code)
	require.Contains(t, errs, "format 1")
	code, _, errs = cosim("shrink", dir, "-o", dir)
	require.EqualValues(t, 2, code)
	require.NotEmpty(t, errs)
}
