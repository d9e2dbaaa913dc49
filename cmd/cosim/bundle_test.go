package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/bucket"
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
		if name != "psn-distance-23-bits" && !*longTests {
			continue
		}
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

		requireTools(t, dir)

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

		code, out, errs = cosim("buckets", "--json", filepath.Dir(dir), filepath.Dir(small))
		require.EqualValues(t, 0, code, errs)
		var sorted struct {
			Failures int
			Buckets  []bucket.Bucket
		}
		require.NoError(t, json.Unmarshal([]byte(out), &sorted))
		require.Equal(t, 2, sorted.Failures)
		require.Equal(t, about.Signature, sorted.Buckets[0].Name)
		require.Equal(t, res.PacketsAfter, sorted.Buckets[0].Shrunk)
		page, err := os.ReadFile(filepath.Join(small, bundle.PageFile))
		require.NoError(t, err)
		require.Contains(t, string(page), "cosim replay .")
	}
	code, _, errs := cosim("buckets", t.TempDir())
	require.EqualValues(t, 2, code)
	require.Contains(t, errs, "no bundle under")
}

// requireTools: a bundle names the tools that it was made with; a replay says which are others here, and only those.
func requireTools(t *testing.T, dir string) {
	t.Helper()
	about, _, err := bundle.Open(dir)
	require.NoError(t, err)
	require.Contains(t, about.Tools["verilator"], "Verilator")
	for _, name := range []string{"g++", "go", "cosim"} {
		require.NotEmpty(t, about.Tools[name], name)
	}
	file := filepath.Join(dir, bundle.AboutFile)
	text := readText(t, file)
	_, _, errs := cosim("replay", dir)
	require.NotContains(t, errs, "the bundle was made with")
	other := strings.Replace(text, about.Tools["verilator"], "Verilator 4.0", 1)
	require.NoError(t, os.WriteFile(file, []byte(other), 0o644))
	code, _, errs := cosim("replay", dir)
	require.EqualValues(t, 1, code, errs)
	require.Contains(t, errs, "verilator: the bundle was made with Verilator 4.0, here it is "+about.Tools["verilator"])
	require.Equal(t, 1, strings.Count(errs, "the bundle was made with"))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
}

// TestRegressPage: a regression that fails names its buckets, and its page has the ladder of the first failure.
func TestRegressPage(t *testing.T) {
	needVerilator(t)
	faulty, _ := faultyDevice(t, "psn-distance-23-bits")
	text, err := os.ReadFile(faulty)
	require.NoError(t, err)
	alone := strings.ReplaceAll(string(text), "mid_traffic: true", "mid_traffic: false") // a life has no ladder
	require.NoError(t, os.WriteFile(faulty, []byte(alone), 0o644))
	page := filepath.Join(t.TempDir(), "page.html")
	code, _, errs := cosim("regress", "--dut", faulty, "--flavour", "quick", "--smallest", "--seeds", "2", "--long", "0",
		"--html", page, "--shrink", "20s", "--quiet", "--write", filepath.Join(t.TempDir(), "tables"), "--bundles", "0")
	require.EqualValues(t, 1, code, errs)
	require.Regexp(t, `\d+ failures in 1 bucket`, errs)
	require.Contains(t, errs, "shrunk to ")
	require.NotContains(t, errs, "        bundle ", "none was wanted")
	text, err = os.ReadFile(page)
	require.NoError(t, err)
	for _, want := range []string{"<h2>Buckets</h2>", "<h2>Runs</h2>", `<div class="ladder">`, "runs failed"} {
		require.Contains(t, string(text), want)
	}
}

// TestCheckPage: the page of a capture has its packets; one that cannot be written is an error for people.
func TestCheckPage(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.html")
	code, out, errs := cosim("check", "--html", page, "../../vectors/known/rc_v6_loss5.a.pcap")
	require.EqualValues(t, 0, code, out+errs)
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Contains(t, string(text), "rc_v6_loss5.a.pcap")
	require.Contains(t, string(text), `"retransmission"`)
	code, _, errs = cosim("check", "--html", filepath.Join(page, "under-a-file"), "../../vectors/known/rc_v6_loss5.a.pcap")
	require.EqualValues(t, 2, code)
	require.Contains(t, errs, "--html")
	code, _, errs = cosim("run", "--dut", "psn_window", "--device", "model", "--seed", "1", "--seed", "2", "--html", page)
	require.EqualValues(t, 2, code)
	require.Contains(t, errs, "the page of one run, not of 2")
	code, _, errs = cosim("run", "--dut", "psn_window", "--device", "model", "--count", "50", "--quiet", "--html",
		filepath.Join(page, "under-a-file"))
	require.EqualValues(t, 2, code)
	require.Contains(t, errs, "--html")
	code, _, errs = cosim("run", "--dut", "psn_window", "--device", "model", "--count", "50", "--html", page, "--quiet")
	require.EqualValues(t, 0, code, errs)
	text, err = os.ReadFile(page)
	require.NoError(t, err)
	require.Contains(t, string(text), "AGREED")
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

// TestBundleInOneFile: a bundle that is asked for as .tar.gz is one file, runs again and shrinks; a file that is none,
// and one with a way out of it, are refused.
func TestBundleInOneFile(t *testing.T) {
	needVerilator(t)
	faulty, good := faultyDevice(t, "v4-ttl-covered")
	file := filepath.Join(t.TempDir(), "bundle.tar.gz")
	code, out, errs := cosim("run", "--dut", faulty, "--flavour", "quick", "--known", "--backpressure", "0.2",
		"--bundle", file)
	require.EqualValues(t, 1, code, out+errs)
	_, err := os.Stat(strings.TrimSuffix(file, ".tar.gz"))
	require.ErrorIs(t, err, fs.ErrNotExist)
	code, _, errs = cosim("replay", file)
	require.EqualValues(t, 1, code, errs)
	require.NotContains(t, errs, "this run")

	small := filepath.Join(t.TempDir(), "small")
	code, _, errs = cosim("shrink", file, "-o", small)
	require.EqualValues(t, 0, code, errs)
	scenario := filepath.Join(small, bundle.ScenarioFile)
	code, out, _ = cosim("run", "--spec", scenario, "--dut", faulty, "--flavour", "quick", "--no-bundle")
	require.EqualValues(t, 1, code, out)
	code, out, _ = cosim("run", "--spec", scenario, "--dut", good, "--flavour", "debug") // as TestBlocksAgree has it
	require.EqualValues(t, 0, code, out)
	left, err := filepath.Glob(filepath.Join(os.TempDir(), "cosim-bundle-*"))
	require.NoError(t, err)
	require.Empty(t, left, "what was unpacked is gone")

	require.NoError(t, os.WriteFile(file, []byte("nothing"), 0o644))
	code, _, errs = cosim("replay", file)
	require.EqualValues(t, 2, code)
	require.Contains(t, errs, "not a bundle in a file")
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	require.NoError(t, w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "../escaped", Size: 1, Mode: 0o644}))
	_, err = w.Write([]byte("x"))
	require.NoError(t, errors.Join(err, w.Close(), z.Close(), os.WriteFile(file, b.Bytes(), 0o644)))
	code, _, errs = cosim("replay", file)
	require.EqualValues(t, 2, code)
	require.Contains(t, errs, "not a bundle in a file")
}

// TestWiresharkReadsTheBundle: tshark finds the wrong packets by their comments in both captures of a bundle.
func TestWiresharkReadsTheBundle(t *testing.T) {
	needVerilator(t)
	if _, err := exec.LookPath("tshark"); err != nil {
		t.Skip("skipped: no tshark")
	}
	for _, fault := range []string{"v4-ttl-covered", "parse-resync"} {
		if fault != "parse-resync" && !*longTests {
			continue
		}
		faulty, _ := faultyDevice(t, fault)
		dir := filepath.Join(t.TempDir(), "bundle")
		code, out, errs := cosim("run", "--dut", faulty, "--flavour", "quick", "--bundle", dir)
		require.EqualValues(t, 1, code, out+errs)
		for _, name := range []string{"actual.pcapng", "expected.pcapng"} {
			count := func(filter string) int {
				out, err := exec.Command("tshark", "-r", filepath.Join(dir, name), "-Y", filter, "-T", "fields", "-e",
					"frame.number").Output()
				require.NoError(t, err)
				return strings.Count(string(out), "\n")
			}
			wrong, right := count(`frame.comment contains "MISMATCH"`), count(`frame.comment contains "agrees"`)
			require.Positive(t, wrong, fault+" "+name)
			require.Positive(t, right, fault+" "+name)
			require.Equal(t, count("frame"), wrong+right)
		}
	}
}
