package main

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/forecast"
	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/verilated"
	"hcacosim/model/sim"
)

// TestHcaRxSpeed measures hca_rx in simulation, behind the bridge and in a bare C++ loop over the same image with the
// same records, and the timed model beside it. It bounds nothing: the figures are the machine's.
func TestHcaRxSpeed(t *testing.T) {
	needVerilator(t)
	onlyLong(t)
	w := forecast.Default()
	w.QPs, w.Messages = 256, 20_000
	w.Mix = []forecast.Mix{{Op: "send", Bytes: 64, Share: 1, Ack: "last"}}
	tr := forecast.NewTraffic(w)
	var records []sim.Offer
	for _, a := range forecast.Answered(w, tr).All() {
		records = append(records, a.Offer)
	}
	m, err := manifest.Find("hca_rx")
	require.NoError(t, err)
	m, err = m.Resolve(nil)
	require.NoError(t, err)
	image, err := verilated.Build(context.Background(), m, nil, verilated.Fast, nil)
	require.NoError(t, err)
	pairs, err := verilated.BenchBridge(context.Background(), image, records, 4)
	require.NoError(t, err)
	for _, p := range pairs {
		t.Logf("bare %.0f cycles/s, bridge %.0f: ratio %.3f, by CPU time %.3f", p.Bare.CyclesPerSecond(),
			p.Bridge.CyclesPerSecond(), p.Ratio(), p.CPURatio())
	}
	began := time.Now()
	c, _ := forecast.Predict(w, tr)
	took := time.Since(began)
	o := forecast.Measure(w, tr, c)
	t.Logf("model: %d clocks and %d packets in %v: %.0f clocks/s, %.0f packets/s", o.Clocks, o.Frames, took,
		float64(o.Clocks)/took.Seconds(), float64(o.Frames)/took.Seconds())
}
