package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/cocosim/cover"
	"hcacosim/cocosim/report"
	"hcacosim/cocosim/session"
	"hcacosim/cocosim/verilated"
	"hcacosim/model/sim"
	"hcacosim/model/stages"
	"hcacosim/vectors/scenario"
)

// TestNothingIllegal: the default scenario of every stage hits no situation that its document has not, and all but a
// few of those that it waits for; hca_top waits for what two scenarios have, since one receives and one sends.
func TestNothingIllegal(t *testing.T) {
	played := func(spec session.Spec) *cover.Observer {
		spec.Device = session.Model
		var options session.Options
		o, err := observer(&spec, &options)
		require.NoError(t, err)
		_, err = session.Run(context.Background(), spec, options)
		require.NoError(t, err, spec.Dut)
		require.Empty(t, o.Broken(), spec.Dut)
		return o
	}
	specs := []session.Spec{{Dut: "resp_psn_check", Seed: 2, Count: 20000}}
	for _, stage := range stages.All() {
		specs = append(specs, session.Spec{Dut: stage.Name, Seed: 1, Count: 5000})
	}
	for _, s := range scenario.All() { // of memories with a code, bits of which turn
		if strings.HasSuffix(s.Name, "-ecc") {
			specs = append(specs, session.Spec{Dut: s.Stages[0], Scenario: s.Name, Seed: 1, Count: 5000,
				Params: map[string]int{"NumQps": 64, "Ecc": 1}})
		}
	}
	for _, spec := range specs {
		o := played(spec)
		if spec.Dut == "hca_top" {
			spec.Scenario = "hca-top-sends"
			require.NoError(t, o.Merge(played(spec).Sheet))
		}
		c := o.Count()
		require.Zero(t, c.Illegal, spec.Dut)
		requireNothingImpossible(t, o.Sheet)
		require.Greater(t, c.Share(), 0.6, spec.Dut)
	}
}

// requireNothingImpossible holds that no bin was hit of which the sheet says that it cannot be.
func requireNothingImpossible(t *testing.T, s *cover.Sheet) {
	t.Helper()
	for _, g := range s.Groups {
		for _, b := range g.Bins {
			if b.State() == cover.IgnoredHit {
				assert.True(t, strings.HasPrefix(b.Ignored, "not waited for: "), "%s: %s: %s: %s", s.Stage, g.Name, b.Name,
					b.Ignored)
			}
		}
	}
}

// TestNothingIllegalBehindResets: what lives before a reset took and gave does not meet what the run does.
func TestNothingIllegalBehindResets(t *testing.T) {
	needVerilator(t)
	spec := session.Spec{Dut: "rx_classify", Seed: 1, Count: 3000, Resets: 4, Params: map[string]int{"NumQps": 4},
		Flavour: verilated.Quick}
	var options session.Options
	o, err := observer(&spec, &options)
	require.NoError(t, err)
	rep, err := session.Run(context.Background(), spec, options)
	require.NoError(t, err)
	require.Equal(t, cocosim.Agreed, rep.Exit())
	require.Zero(t, o.Count().Illegal)
	require.Empty(t, o.Broken())
}

// TestCover: a run writes what it exercised, files merge, a card names the rules.
func TestCover(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.json")
	code, _, stderr := cosim("run", "--dut", "psn_window", "--device", "model", "--count", "2000", "--cover", file)
	require.Zero(t, int(code), stderr)
	html := filepath.Join(t.TempDir(), "c.html")
	code, _, stderr = cosim("cover", file, file)
	require.Equal(t, 2, int(code))
	require.Contains(t, stderr, file+": coverage of psn_window: this run is counted already: ")
	other := filepath.Join(t.TempDir(), "d.json")
	code, _, stderr = cosim("run", "--dut", "psn_window", "--device", "model", "--count", "2000", "--seed", "2",
		"--cover", other)
	require.Zero(t, int(code), stderr)
	code, out, stderr := cosim("cover", file, other, "--html", html)
	require.Zero(t, int(code), stderr)
	require.Contains(t, out, "psn_window")
	require.Contains(t, out, ", 2 runs")
	require.Contains(t, out, "side x distance")
	require.FileExists(t, html)

	code, out, stderr = cosim("conform", "--dut", "psn_window", "--device", "model")
	require.Zero(t, int(code), stderr)
	require.Regexp(t, `PSN-2 +\d+ +0 +\d+ of \d+ +held`, out)
	require.Contains(t, out, "cannot be seen here: PSN-1 ")

	code, _, stderr = cosim("cover")
	require.Equal(t, 2, int(code))
	require.Contains(t, stderr, "nothing to count")
	require.NoError(t, os.WriteFile(file, []byte("{}"), 0o644))
	code, _, _ = cosim("cover", file)
	require.Equal(t, 2, int(code))
}

// TestCoverageOfOtherPorts: a device whose ports are not those of its stage is counted in the words of the stage. What
// it answers as the model does breaks no rule, and what it answers otherwise breaks the rule of that answer alone.
func TestCoverageOfOtherPorts(t *testing.T) {
	counted := func(dut string, change func(r *sim.Record)) (*cover.Observer, func(*sim.Record)) {
		spec := session.Spec{Dut: dut, Seed: 1, Count: 3000, Device: session.Model}
		var options session.Options
		o, err := observer(&spec, &options)
		require.NoError(t, err)
		tap := options.Tap
		options.Tap = func(r *sim.Record) {
			got := *r
			got.Data = bytes.Clone(r.Data)
			change(&got)
			tap(&got)
		}
		rep, err := session.Run(context.Background(), spec, options)
		require.NoError(t, err)
		require.Equal(t, cocosim.Agreed, rep.Exit(), dut)
		require.Zero(t, o.Count().Illegal, dut)
		return o, tap
	}
	for _, dut := range []string{foreignDir + "/raw16.yaml", foreignDir + "/append8.yaml", foreignDir + "/drop8.yaml",
		foreignDir + "/keys.yaml", "../../docs/examples/psn_req/psn_req.yaml", "../../docs/examples/icrc64/icrc64.yaml"} {
		o, tap := counted(dut, func(*sim.Record) {})
		require.Empty(t, o.Broken(), dut)
		require.Greater(t, o.Count().Hit, 10, dut)
		tap(&sim.Record{Port: 1}) // nothing asked for it
		require.Equal(t, map[string]uint64{"": 1}, o.Broken(), dut)
	}
	keys := foreignDir + "/keys.yaml" // responders alone, with codes of its own
	n, wrong := 0, uint64(0)
	o, _ := counted(keys, func(r *sim.Record) {
		if n++; r.Port == 1 && n%5 == 0 {
			wrong++
			r.Data[0] ^= 1
		}
	})
	require.Equal(t, map[string]uint64{"PSN-2": wrong}, o.Broken())
	require.NotZero(t, wrong)
	class := slices.IndexFunc(o.Groups, func(g *cover.Group) bool { return g.Name == "class" })
	for i, hit := range []bool{true, true, true, false, false, false} {
		require.Equal(t, hit, o.Groups[class].Bins[i].Hits > 0, o.Groups[class].Bins[i].Name)
	}
}

// TestMatter: every bit of a PSN query matters, and the sheet says so.
func TestMatter(t *testing.T) {
	spec := session.Spec{Dut: "psn_window", Seed: 1, Count: 3000, Device: session.Model}
	o, err := observer(&spec, &session.Options{})
	require.NoError(t, err)
	require.NoError(t, matter(o, spec))
	g := o.Groups[len(o.Groups)-1]
	require.Equal(t, "bits of s_rec that matter", g.Name)
	require.Equal(t, cover.Count{Hit: 146}, g.Count())
}

// Of runs that do not agree the first is named; one that says nothing is no mismatch.
func TestRunsThatDoNotAgree(t *testing.T) {
	of := func(line string, packets, left, mismatched uint64) *report.Report {
		r := &report.Report{Reproduce: line, LeftOut: left, Result: &cocosim.Result{Packets: packets, Mismatched: mismatched}}
		r.Result.Score.Expected, r.Result.Score.Agreed, r.Result.Agreed = 1, 1, 1
		return r
	}
	var d disagreed
	d.add(of("agrees", 100, 0, 0))
	require.Equal(t, disagreed{}, d)
	d.add(of("says nothing", 1, 1000, 0))
	require.Equal(t, disagreed{1, "says nothing: INCONCLUSIVE", cocosim.Inconclusive}, d)
	d.add(of("differs", 1, 0, 1))
	require.Equal(t, disagreed{2, "says nothing: INCONCLUSIVE", cocosim.Mismatch}, d)
}
