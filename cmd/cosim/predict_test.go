package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/cocosim/forecast"
	"hcacosim/cocosim/verilated"
	"hcacosim/model/hca/timed"
	"hcacosim/model/sim"
)

const predictRanges = "../../docs/predict-ranges.yaml"

// TestPredict: a table, JSON and SVG of the workload that comes along; what is wrong with one is named by line and
// field.
func TestPredict(t *testing.T) {
	const file = "../../docs/workloads/mixed.yaml"
	svg := filepath.Join(t.TempDir(), "p.svg")
	exit, out, errs := cosim("predict", "--svg", svg, file)
	require.Zero(t, exit, errs)
	for _, want := range []string{"small SENDs beside large WRITEs", "packets/s", "goodput", "turn-round",
		"write of 8192", "8362 passed, 8362 with payload, 0 READs and atomics, 3000 out, 0 refused"} {
		require.Contains(t, out, want)
	}
	drawn, err := os.ReadFile(svg)
	require.NoError(t, err)
	require.Contains(t, string(drawn), "</svg>")
	exit, out, errs = cosim("predict", "--json", file)
	require.Zero(t, exit, errs)
	var p struct {
		Predicted forecast.Outcome `json:"predicted"`
	}
	require.NoError(t, json.Unmarshal([]byte(out), &p))
	require.Equal(t, p.Predicted.Frames, p.Predicted.Passed)
	require.InDelta(t, 0.9, p.Predicted.BeatsPerClock, 0.01, "the load that the file asks for")
	exit, out, errs = cosim("predict", "../../docs/workloads/host.yaml")
	require.Zero(t, exit, errs)
	require.Contains(t, out, "waits: clocks in which something could not move on")
	require.Contains(t, out, "into resp_psn_check")
	exit, _, errs = cosim("predict")
	require.Equal(t, cocosim.BadInput, exit)
	require.Contains(t, errs, "name one workload")
	bad := filepath.Join(t.TempDir(), "bad.yaml")
	require.NoError(t, os.WriteFile(bad, []byte("mix:\n  - {op: send, bytes: many, share: 1}\n"), 0o600))
	exit, _, errs = cosim("predict", bad)
	require.Equal(t, cocosim.BadInput, exit)
	require.Contains(t, errs, "bad.yaml:2: ")
}

// predicted is a workload with what was foreseen and what the RTL made of it.
type predicted struct {
	w        *forecast.Workload
	foreseen *forecast.Outcome
	rtl      *forecast.Against
}

// holdRTL plays a workload to the RTL and to the model.
func holdRTL(t *testing.T, d cocosim.Device, w *forecast.Workload) predicted {
	tr := forecast.NewTraffic(w)
	c, _ := forecast.Predict(w, tr)
	a, err := forecast.Hold(context.Background(), d, w, tr, c)
	require.NoError(t, err, w.Name)
	return predicted{w, forecast.Measure(w, tr, c), a}
}

// idleWorkloads leave hca_rx empty between two frames, or nearly: a frame of 66 beats each 330 clocks, one of 2 each
// 200, a READ or atomic each 1,000.
func idleWorkloads(messages int) (all []*forecast.Workload) {
	for _, encap := range []string{"rocev1", "rocev2-ipv4", "rocev2-ipv6", "ib-local", "ib-global"} {
		w := forecast.Default()
		w.Name, w.Encap, w.Load, w.Messages = "idle, "+encap, encap, 0.01, messages
		w.Mix = []forecast.Mix{{Op: "send", Bytes: 0, Share: 1, Ack: "last"}, {Op: "send", Bytes: 64, Share: 1, Ack: "last"},
			{Op: "write", Bytes: 1, Share: 1, Ack: "none"}, {Op: "write", Bytes: 65, Share: 1, Ack: "last"}}
		all = append(all, w)
	}
	w := forecast.Default()
	w.Name, w.Load, w.PMTU, w.Messages = "idle, large", 0.2, 4096, messages
	w.Mix = []forecast.Mix{{Op: "send", Bytes: 4096, Share: 1, Ack: "last"},
		{Op: "write", Bytes: 9000, Share: 1, Ack: "every"}}
	all = append(all, w)
	w = forecast.Default()
	w.Name, w.Load, w.Messages = "idle, READs and atomics", 0.002, messages
	w.Mix = []forecast.Mix{{Op: "read", Bytes: 0, Share: 1}, {Op: "read", Bytes: 64, Share: 2},
		{Op: "read", Bytes: 9000, Share: 2}, {Op: "fetch-add", Share: 1}, {Op: "cmp-swap", Share: 1},
		{Op: "write", Bytes: 65, Share: 1, Ack: "last"}}
	return append(all, w)
}

// requireGoals holds the goals of docs/predict.md: idle the median of every port is 0; loaded 99 of 100 records of
// every port leave within 16 clocks of when they were foreseen.
func requireGoals(t *testing.T, idle, loaded *forecast.Timing) {
	for port := range idle.Last {
		if forecast.Ports[port].Input {
			continue
		}
		name := forecast.Ports[port].Name
		require.NotZero(t, idle.Last[port].Count, name)
		require.Zero(t, idle.Last[port].At(0.5), "idle, %s", name)
		for _, e := range []*forecast.Errors{&loaded.Last[port], &loaded.First[port]} {
			if e.Count > 0 || forecast.Ports[port].Kind == sim.Axis {
				require.GreaterOrEqual(t, e.Within(16), 0.99, "loaded, %s", name)
			}
		}
	}
}

// TestPredictAgainstRTL plays a few short workloads to the RTL in its default size: the goals of docs/predict.md hold
// on them. TestPredictPage has them all.
func TestPredictAgainstRTL(t *testing.T) {
	needVerilator(t)
	// as TestBlocksAgree has built it
	d, err := forecast.OpenRTL(context.Background(), forecast.Default(), verilated.Debug, nil)
	require.NoError(t, err)
	defer d.Close()
	var idle, loaded forecast.Timing
	quiet := idleWorkloads(12)
	for _, w := range []*forecast.Workload{quiet[1], quiet[2], quiet[len(quiet)-1]} {
		idle.Merge(holdRTL(t, d, w).rtl.Timing)
	}
	x, err := forecast.ReadRanges(predictRanges)
	require.NoError(t, err)
	x.Clocks = 1500
	workloads := []*forecast.Workload{forecast.Pressed(true)}
	workloads[0].Messages /= 5
	for i := range 3 {
		w, err := x.Draw(i)
		require.NoError(t, err)
		workloads = append(workloads, w)
	}
	for _, w := range workloads {
		p := holdRTL(t, d, w)
		loaded.Merge(p.rtl.Timing)
		require.LessOrEqual(t, math.Abs(p.rtl.GoodputError), forecast.MostGoodputError, w.Name)
	}
	requireGoals(t, &idle, &loaded)
	requireWrongModelSeen(t, holdRTL(t, d, workloads[1]))
	w := forecast.Pressed(false)
	w.Host.ContextEntries = 4
	_, err = forecast.Hold(context.Background(), d, w, nil, nil)
	require.ErrorContains(t, err, "everything on chip")
}

// requireWrongModelSeen: a model whose verdict takes 20 clocks more than the document says is off by more than 16.
func requireWrongModelSeen(t *testing.T, p predicted) {
	size := timed.Queues()["resp_psn_check"]
	size.Latency += 20
	wrong, _ := forecast.Foresee(timed.Config{Queues: map[string]timed.Size{"resp_psn_check": size},
		Held: forecast.Held(cocosim.Config{Seed: p.w.Seed, Backpressure: p.w.Backpressure, Idle: p.w.Idle})},
		p.rtl.Inputs.Given(p.rtl.Crossed))
	e := &forecast.Compare(wrong, p.rtl.Crossed).Last[timed.Records]
	require.Negative(t, e.At(0.5))
	require.Less(t, e.Within(16), 0.99)
}

// TestPredictCommandAgainstRTL: the command says how far the model is from the RTL, and ends with 1 where it is too
// far.
func TestPredictCommandAgainstRTL(t *testing.T) {
	onlyLong(t)
	needVerilator(t)
	file := filepath.Join(t.TempDir(), "w.yaml")
	text := "messages: 200\nmix:\n  - {op: send, bytes: 64, share: 1}\n"
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	exit, out, errs := cosim("predict", "--against-rtl", file)
	require.Zero(t, exit, "%s%s", out, errs)
	require.Contains(t, out, "simulated")
	require.Contains(t, out, "against RTL: goodput")
	require.Contains(t, strings.Join(strings.Fields(out), " "), "m_axis 200 ")
	require.NoError(t, os.WriteFile(file, []byte(text+"queues: {ways: 32}\n"), 0o600))
	exit, _, errs = cosim("predict", "--against-rtl", file)
	require.Equal(t, cocosim.BadInput, exit)
	require.Contains(t, errs, "without queues")
}

// TestPredictTooFarOff: a goodput foreseen that is off by more than 5 % ends with 1, in either direction.
func TestPredictTooFarOff(t *testing.T) {
	for share, want := range map[float64]cocosim.Exit{0: cocosim.Agreed, 0.03: cocosim.Agreed, -0.03: cocosim.Agreed,
		0.05: cocosim.Agreed, -0.05: cocosim.Agreed, 0.051: cocosim.Mismatch, -0.051: cocosim.Mismatch,
		0.08: cocosim.Mismatch, -0.08: cocosim.Mismatch, -1: cocosim.Mismatch, math.Inf(1): cocosim.Mismatch,
		math.NaN(): cocosim.Mismatch} {
		err := tooFarOff(share)
		require.Equal(t, int(want), exitOf(err), "%v", share)
		if want == cocosim.Mismatch {
			require.ErrorContains(t, err, fmt.Sprintf("off by %+.1f %%: more than 5 %%", 100*share))
		}
	}
}
