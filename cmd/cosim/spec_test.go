package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/urfave/cli/v2"

	"hcacosim/cocosim"
	"hcacosim/cocosim/regress"
	"hcacosim/cocosim/report"
	"hcacosim/cocosim/session"
	"hcacosim/cocosim/verilated"
)

// regressSpecs are the Specs of every run of `make regress`.
func regressSpecs(t *testing.T) (all []session.Spec) {
	runs, err := regress.Plan{Seeds: []uint64{1, 2, 3}, Long: 1e6}.Runs()
	require.NoError(t, err)
	for _, r := range runs {
		all = append(all, r.Spec)
	}
	require.Greater(t, len(all), 500)
	return all
}

func write(t *testing.T, s session.Spec) (file string) {
	file = filepath.Join(t.TempDir(), "spec.yaml")
	f, err := os.Create(file)
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, s.Write(f))
	return file
}

// TestSpecsAreWrittenAndRead: every run of the regression is the same after YAML, and after its reproduce line.
func TestSpecsAreWrittenAndRead(t *testing.T) {
	odd := session.Spec{Dut: "icrc_check", Known: true, Scenario: "mix", Weights: "/w.yaml", Seed: 9,
		Idle: 0.25, Batch: 7, LimitCycles: 5,
		Timeout: time.Second, Show: 0,
		Config: map[string]uint64{"a": 1}, Device: session.Model, Flavour: verilated.Word}
	for _, want := range append(regressSpecs(t), odd) {
		got, err := session.Read(write(t, want))
		require.NoError(t, err)
		require.Equal(t, want, *got)
		require.Equal(t, want.Args(), parsed(t, want.Args()).Args(), want.Line())
	}
}

// parsed is the Spec that the flags of a reproduce line give.
func parsed(t *testing.T, args []string) (s *session.Spec) {
	cmd := runCommand()
	cmd.Action = func(c *cli.Context) (err error) {
		s, err = specOf(c)
		return err
	}
	require.NoError(t, (&cli.App{Commands: []*cli.Command{cmd}}).Run(append([]string{"cosim"}, args...)))
	return s
}

// TestSpecRepeatsARun: `cosim run --spec` gives the same bytes and cycles as the run that was written down, from
// another directory, for every third device of the regression; with -long for each.
func TestSpecRepeatsARun(t *testing.T) {
	needVerilator(t)
	done, nth := map[string]bool{}, 0
	for _, spec := range regressSpecs(t) {
		key := spec.Dut
		if done[key] || spec.Params != nil || spec.Backpressure == 0 {
			continue
		}
		done[key] = true
		if nth++; nth%3 != 1 && !*longTests {
			continue
		}
		if spec.Count = 300; spec.Known {
			spec.Count = 0
		}
		spec.Resets = min(spec.Resets, 4)
		spec.Flavour = verilated.Debug // as TestBlocksAgree has built it
		rep, err := session.Run(t.Context(), spec, session.Options{})
		require.NoError(t, err)
		file := write(t, spec)
		t.Run(key, func(t *testing.T) {
			t.Chdir(t.TempDir())
			exit, out, errs := cosim("run", "--spec", file, "--json")
			require.Equal(t, cocosim.Agreed, exit, errs)
			var again report.JSON
			require.NoError(t, json.Unmarshal([]byte(out), &again))
			require.Equal(t, rep.Object().TimedDigest, again.TimedDigest)
			require.Equal(t, rep.Object().Digest, again.Digest)
			require.Equal(t, spec.Line(), again.Reproduce)
		})
	}
	require.GreaterOrEqual(t, len(done), 10)
}

// TestSpecThatIsNone: what a file says wrong is one line.
func TestSpecThatIsNone(t *testing.T) {
	for text, want := range map[string]string{
		"dut: icrc_check\nsped: 3\n":            "sped",
		"dut: nonesuch\n":                       "no device named",
		"dut: icrc_check\nidle: 2\n":            "--idle is a share",
		"dut: icrc_check\ndevice: hardware\n":   "--device is rtl, model or recording",
		"dut: icrc_check\nscenario: nonesuch\n": "nonesuch",
	} {
		exit, _, errs := cosim("run", "--spec", file(t, "spec.yaml", []byte(text)))
		require.Equal(t, cocosim.BadInput, exit, text)
		require.Contains(t, errs, want)
	}
	exit, _, errs := cosim("run", "--spec", "no/such/file.yaml")
	require.Equal(t, cocosim.BadInput, exit, errs)
}
