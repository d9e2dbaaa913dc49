package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/regress"
	"hcacosim/cocosim/report"
	"hcacosim/cocosim/session"
	"hcacosim/cocosim/verilated"
	"hcacosim/model/sim"
	"hcacosim/model/stages"
	"hcacosim/vectors/scenario"
)

// TestBlocksAgree holds every block of ours, at its default size, assertions on, against its stage: real packets where
// it takes packets, and its default scenario, streaming freely and with stalls and idle beats.
func TestBlocksAgree(t *testing.T) {
	needVerilator(t)
	all, err := manifest.Embedded()
	require.NoError(t, err)
	require.NotEmpty(t, all)
	for _, m := range all {
		for _, params := range sizesToTry(m) {
			t.Run(fmt.Sprintf("%s/%s", m.Name, parameterText(params)), func(t *testing.T) {
				t.Parallel()
				spec := session.Spec{Dut: m.Name, Params: params, Flavour: verilated.Debug,
					Scenario: scenario.Default(m.Model).Name, Count: blockRecords(m), Seed: 11}
				stage, _ := stages.Lookup(m.Model)
				spec.Known = stage.Ports[0].Kind == sim.Axis
				for _, share := range []float64{0, regress.StalledShare} {
					spec.Backpressure, spec.Idle = share, share
					run, err := session.Run(context.Background(), spec, session.Options{})
					require.NoError(t, err)
					rep := run.Object()
					require.Equal(t, cocosim.Agreed, rep.ExitCode, "%s: %+v", spec.Line(), rep)
					require.GreaterOrEqual(t, rep.Packets, spec.Count)
					require.GreaterOrEqual(t, rep.Agreed, leastRecords(m))
				}
			})
		}
	}
}

// sizesToTry is the default size; all with -long, as in make regress.
func sizesToTry(m *manifest.Manifest) []map[string]int {
	all := regress.Sizes(m)
	if *longTests {
		return all
	}
	return all[:1]
}

// blockRecords is how many inputs a block is given. One that is joined from others has some packets, and long waits, to
// each of its inputs.
func blockRecords(m *manifest.Manifest) uint64 {
	if joined(m.Name) {
		return 1500
	}
	return 4000
}

// leastRecords is how many of its inputs a block must answer: all, or a fourth where a second input has no answers; of
// what sq_scheduler is told few give a turn.
func leastRecords(m *manifest.Manifest) uint64 {
	if m.Name == "sq_scheduler" {
		return 300
	}
	inputs := 0
	for _, p := range m.Ports {
		if p.Dir == manifest.DirIn {
			inputs++
		}
	}
	if inputs > 1 {
		return blockRecords(m) / 4
	}
	return blockRecords(m)
}

// TestNetlistsAgree runs what Yosys makes of a block in place of the block: gates and words, one of frames and one of
// records, at its smallest size. `make netlist` has all.
func TestNetlistsAgree(t *testing.T) {
	needVerilator(t)
	if _, err := exec.LookPath("yosys"); err != nil {
		t.Skip("skipped: yosys is not installed, there is no netlist")
	}
	flavours := map[string]verilated.Flavour{"vcrc_check": verilated.Gate, "resp_psn_check": verilated.Word}
	for dut, flavour := range flavours {
		t.Run(dut, func(t *testing.T) {
			t.Parallel()
			m, err := manifest.Find(dut)
			require.NoError(t, err)
			spec := session.Spec{Dut: dut, Params: regress.Smallest(m), Flavour: flavour, Seed: 3, Count: 3000,
				Backpressure: regress.StalledShare}
			rep, err := session.Run(t.Context(), spec, session.Options{})
			require.NoError(t, err)
			require.Equal(t, cocosim.Agreed, rep.Exit(), spec.Line())
		})
	}
}

// TestNetlistHasTheDefines: Yosys is told the defines of a manifest, without which this core does not elaborate.
func TestNetlistHasTheDefines(t *testing.T) {
	needVerilator(t)
	if _, err := exec.LookPath("yosys"); err != nil {
		t.Skip("skipped: yosys is not installed, there is no netlist")
	}
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("../../cocosim/mutate/testdata")))
	replaceIn(t, filepath.Join(dir, "plain_window.v"), "reg [23:0] far", "reg [`TOP:0] far")
	file := filepath.Join(dir, "plain_window.yaml")
	replaceIn(t, file, "clock: clk", "defines: {FREE: \"\", TOP: \"23\"}\nclock: clk")
	exit, out, errs := cosim("run", "--dut", file, "--netlist", "word", "--count", "300")
	require.Equal(t, cocosim.Agreed, exit, "%s%s", out, errs)
}

// TestEveryCapturedFrameAgrees plays the shared captures through the RTL: model and RTL agree on every frame.
// TestCheckAgreesWithTheSidecars holds the model against the captures' own count.
func TestEveryCapturedFrameAgrees(t *testing.T) {
	needVerilator(t)
	files := sharedCaptures(t)
	for _, dut := range []string{"icrc_check", "roce_parse"} {
		args := []string{"run", "--json", "--dut", dut, "--flavour", "debug"} // as TestBlocksAgree has it
		for _, f := range files {
			args = append(args, "--capture", f)
		}
		exit, out, errs := cosim(args...)
		require.Equal(t, cocosim.Agreed, exit, errs)
		var rep report.JSON
		require.NoError(t, json.Unmarshal([]byte(out), &rep))
		require.GreaterOrEqual(t, rep.Agreed, rep.Packets)
		t.Logf("%s: %d frames of %d captures, all agreed", dut, rep.Packets, len(files))
	}
}

// TestVectorSetThroughRTL: what vecgen writes, the RTL and the recording both play.
func TestVectorSetThroughRTL(t *testing.T) {
	dir := generateSet(t, "mix", "icrc_check", 500)
	for _, device := range []string{"recording", "model", "rtl"} {
		if device == "rtl" {
			needVerilator(t)
		}
		exit, out, errs := cosim("run", "--json", "--vectors", dir, "--device", device, "--flavour", "debug")
		require.Equal(t, cocosim.Agreed, exit, "%s: %s%s", device, out, errs)
		var rep report.JSON
		require.NoError(t, json.Unmarshal([]byte(out), &rep))
		require.EqualValues(t, 500, rep.Agreed)
	}
}
