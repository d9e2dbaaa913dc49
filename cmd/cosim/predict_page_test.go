package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/cocosim/forecast"
	"hcacosim/cocosim/verilated"
	"hcacosim/model/hca"
	"hcacosim/model/hca/timed"
	"hcacosim/model/sim"
	"hcacosim/vectors/scenario"
)

var writePredict = flag.Bool("predict", false, "write docs/generated/predict.md and its figure; needs -long")

const predictPage = "../../docs/generated/predict.md"

// TestPredictPage holds the timed model against RTL on everything that docs/predict.md promises, and writes
// docs/generated/predict.md with -predict.
func TestPredictPage(t *testing.T) {
	needVerilator(t)
	onlyLong(t)
	d, err := forecast.OpenRTL(context.Background(), forecast.Default(), verilated.Fast, nil)
	require.NoError(t, err)
	defer d.Close()
	var b strings.Builder
	b.WriteString("# hca_rx foreseen and simulated\n\n" +
		"Written by `go test ./cmd/cosim -run TestPredictPage -long -predict`. " +
		"[predict.md](../predict.md) says what is compared and how.\n\nRTL: NumQps 4096, 512 bits. Clocks are device minus " +
		"model.\n")
	idle := idleRuns(t, d, &b)
	t.Log("idle")
	drawn, loaded := drawnRuns(t, d)
	pressed := pressedRuns(t, d)
	t.Log("pressed")
	timingTable(&b, "Loaded: the drawn workloads", &loaded)
	timingTable(&b, "Outputs held for long: `Pressed`, with and without strangers", &pressed)
	scenarioRuns(t, d, &b)
	all := loaded
	all.Merge(&pressed)
	requireGoals(t, idle, &all)
	goodputTable(t, &b, drawn)
	sizes := sizeRuns(t, d, &b)
	readRuns(t, d, &b)
	if !*writePredict {
		return
	}
	require.NoError(t, os.WriteFile(predictPage, []byte(b.String()), 0o644))
	var svg bytes.Buffer
	require.NoError(t, forecast.PlotPage(&svg, pointsOf(drawn), sizes))
	require.NoError(t, os.WriteFile(strings.TrimSuffix(predictPage, "md")+"svg", svg.Bytes(), 0o644))
}

func idleRuns(t *testing.T, d cocosim.Device, b *strings.Builder) *forecast.Timing {
	idle := new(forecast.Timing)
	for _, w := range idleWorkloads(60) {
		idle.Merge(holdRTL(t, d, w).rtl.Timing)
	}
	timingTable(b, "Idle: a frame at a time, five encapsulations, 0 to 9000 bytes", idle)
	return idle
}

func drawnRuns(t *testing.T, d cocosim.Device) (all []predicted, loaded forecast.Timing) {
	x, err := forecast.ReadRanges(predictRanges)
	require.NoError(t, err)
	for i := range x.Workloads {
		w, err := x.Draw(i)
		require.NoError(t, err)
		p := holdRTL(t, d, w)
		t.Log(w, p.foreseen.GoodputGbps, p.rtl.Simulated.GoodputGbps)
		loaded.Merge(p.rtl.Timing)
		all = append(all, p)
	}
	return all, loaded
}

func pressedRuns(t *testing.T, d cocosim.Device) (pressed forecast.Timing) {
	for _, strangers := range []bool{false, true} {
		pressed.Merge(holdRTL(t, d, forecast.Pressed(strangers)).rtl.Timing)
	}
	return pressed
}

// TestPredictWidths is at other widths of the data path, with 64 places for QPs: sizes that the regression builds. With
// -predict it writes docs/generated/predict-widths.md.
func TestPredictWidths(t *testing.T) {
	needVerilator(t)
	onlyLong(t)
	b := new(strings.Builder)
	b.WriteString("# hca_rx foreseen and simulated, at other widths\n\n" +
		"Written by `go test ./cmd/cosim -run TestPredictWidths -long -predict`. Clocks are device minus model.\n")
	for _, width := range []int{256, 1024} {
		w, err := forecast.Read("../../docs/workloads/held.yaml")
		require.NoError(t, err)
		w.DataWidth = width
		d, err := forecast.OpenRTL(context.Background(), w, verilated.Fast, nil)
		require.NoError(t, err)
		p := holdRTL(t, d, w)
		require.NoError(t, d.Close())
		require.Zero(t, p.foreseen.Refused)
		require.LessOrEqual(t, math.Abs(p.rtl.GoodputError), forecast.MostGoodputError)
		t.Log(width, "bits")
		timingTable(b, fmt.Sprintf("%d bits, NumQps 64: %s, held %v, idle %v", width, w, w.Backpressure, w.Idle),
			p.rtl.Timing)
	}
	if *writePredict {
		require.NoError(t, os.WriteFile("../../docs/generated/predict-widths.md", []byte(b.String()), 0o644))
	}
}

// scenarioRuns play the scenario hca-rx, with everything in it that is wrong, free and stalled.
func scenarioRuns(t *testing.T, d cocosim.Device, b *strings.Builder) {
	s, err := scenario.Lookup("hca-rx")
	require.NoError(t, err)
	const count = 12_000
	for _, share := range []float64{0, 0.3} {
		in := scenarioInputs(s, count, share)
		cfg := cocosim.Config{Seed: 5, Backpressure: share, Idle: share}
		got, err := forecast.Simulate(context.Background(), d, cfg, in, nil)
		require.NoError(t, err)
		t.Log("scenario", share)
		c, _ := forecast.Foresee(timed.Config{Held: forecast.Held(cfg)}, in.Given(got))
		require.NoError(t, forecast.SameContent(c, got))
		timing := forecast.Compare(c, got)
		timingTable(b, fmt.Sprintf("Scenario `hca-rx`, seed 1, %d inputs, backpressure and idle %v", count,
			share), timing)
		for port := range timing.Last {
			require.Equal(t, 1.0, timing.Last[port].Within(0), "scenario %v, %s", share, forecast.Ports[port].Name)
		}
	}
}

// scenarioInputs are the first inputs of a scenario, as far apart as a run with such stalls needs them.
func scenarioInputs(s *scenario.Scenario, count uint64, share float64) *forecast.Inputs {
	in := new(forecast.Inputs)
	g, c := scenario.NewGenerator(s, 1), scenario.Case{}
	g.SetPace(scenario.Pace{BeatBytes: 64, Words: 4096 * hca.HcaRxQueueDepth, Idle: share, Backpressure: share})
	for i := range count {
		g.Make(i, &c)
		a := timed.Arrival{Offer: sim.Offer{NotBefore: c.NotBefore, User: uint32(c.Link), Port: c.Port,
			Data: append([]byte(nil), c.Frame...)}}
		if c.HasUser {
			a.User = c.User
		}
		if n := len(in[a.Port]); n > 0 { // a port has one order, that of the scenario
			a.NotBefore = max(a.NotBefore, in[a.Port][n-1].NotBefore)
		}
		in.Add(a)
	}
	return in
}

// timingTable adds the distribution of a port's errors.
func timingTable(b *strings.Builder, title string, t *forecast.Timing) {
	fmt.Fprintf(b, "\n## %s\n\n| port | | count | median | p99 | least | most | exact | within 16 |\n"+
		"|---|---|---|---|---|---|---|---|---|\n", title)
	for port := range t.Last {
		for k, e := range []*forecast.Errors{&t.First[port], &t.Last[port]} {
			if e.Count == 0 {
				continue
			}
			what := [2]string{"first beats", "last beats"}[k]
			if forecast.Ports[port].Kind == sim.Fields {
				what = "records"
			}
			least, most := e.Bounds()
			fmt.Fprintf(b, "| %s | %s | %d | %+d | %+d | %+d | %+d | %.2f %% | %.2f %% |\n", forecast.Ports[port].Name, what,
				e.Count, e.At(0.5), e.At(0.99), least, most, 100*e.Within(0), 100*e.Within(16))
		}
	}
}

func goodputTable(t *testing.T, b *strings.Builder, all []predicted) {
	b.WriteString("\n## Goodput of the drawn workloads\n\nFrom the same offers; each goes on by itself. " +
		"[predict-ranges.yaml](../predict-ranges.yaml) is what they are drawn from.\n\n![foreseen against simulated, and " +
		"bits a clock](predict.svg)\n\n" +
		"| | workload | load | held | damaged | frames | foreseen Gb/s | simulated Gb/s | error " +
		"| last records off by, at most |\n|---|---|---|---|---|---|---|---|---|---|\n")
	for i, p := range all {
		off := int64(0)
		for port := range p.rtl.Free.Last {
			least, most := p.rtl.Free.Last[port].Bounds()
			off = max(off, -least, most)
		}
		fmt.Fprintf(b, "| %d | %s | %.2f | %.2f | %.2f | %d | %.3f | %.3f | %+.3f %% | %d |\n", i, p.w, p.w.Load,
			p.w.Backpressure, p.w.Damaged, p.foreseen.Frames, p.foreseen.GoodputGbps, p.rtl.Simulated.GoodputGbps,
			100*p.rtl.GoodputError, off)
		require.LessOrEqual(t, math.Abs(p.rtl.GoodputError), forecast.MostGoodputError, p.w.Name)
	}
}

func pointsOf(all []predicted) (points []forecast.Point) {
	for _, p := range all {
		points = append(points, forecast.Point{Foreseen: p.foreseen.GoodputGbps, Simulated: p.rtl.Simulated.GoodputGbps})
	}
	return points
}

// sizeRuns are SENDs back to back, each of one packet and answered, of one QP and of many.
func sizeRuns(t *testing.T, d cocosim.Device, b *strings.Builder) (curves []forecast.Curve) {
	b.WriteString("\n## Throughput by packet size\n\n" +
		"SEND Only back to back, each answered, RoCEv2 over IPv4 unless it says " +
		"something else. Foreseen; what RTL gave in brackets where that differs.\n\n" +
		"| payload | frame | QPs | bits a clock | " +
		"beats a clock | packets a clock | ACK turn-round, median |\n|---|---|---|---|---|---|---|\n")
	row := func(w *forecast.Workload, note string) *forecast.Outcome {
		p := holdRTL(t, d, w)
		o, s := p.foreseen, p.rtl.Simulated
		differs := ""
		if o.Clocks != s.Clocks {
			differs = fmt.Sprintf(" (%.1f)", s.BitsPerClock)
		}
		packets := float64(o.Frames) * o.BeatsPerClock / float64(o.Beats)
		fmt.Fprintf(b, "| %d%s | %d | %d | %.1f%s | %.3f | %.3f | %d |\n", w.Mix[0].Bytes, note,
			o.FrameBytes/uint64(o.Frames), w.QPs, o.BitsPerClock, differs, o.BeatsPerClock, packets, o.Turns[0].Median)
		return o
	}
	for _, qps := range []int{1, 256} {
		curve := forecast.Curve{Name: fmt.Sprintf("%d QPs", qps)}
		for _, n := range []int{0, 6, 64, 128, 256, 512, 1024, 2048, 4096} {
			w := forecast.Default()
			w.Name, w.QPs, w.PMTU, w.Messages = "size", qps, 4096, max(100, 6000/(n/64+2))
			w.Mix = []forecast.Mix{{Op: "send", Bytes: n, Share: 1, Ack: "last"}}
			curve.Add(float64(n), row(w, "").BitsPerClock)
		}
		curves = append(curves, curve)
	}
	for _, c := range []struct {
		encap string
		vlans int
	}{{"rocev2-ipv4", 1}, {"ib-local", 0}, {"rocev2-ipv6", 0}} {
		w := forecast.Default()
		w.Name, w.Encap, w.VLANs, w.Messages, w.QPs = "size", c.encap, c.vlans, 3000, 256
		w.Mix = []forecast.Mix{{Op: "send", Bytes: 0, Share: 1, Ack: "last"}}
		row(w, fmt.Sprintf(", %s, %d tags", c.encap, c.vlans))
	}
	return curves
}

// readRuns are READs and atomics as fast as they come: they are bound by memory, or by the one queue.
func readRuns(t *testing.T, d cocosim.Device, b *strings.Builder) {
	b.WriteString("\n## Throughput of READs and atomics\n\nRequests back to back, eight of a QP under way, RoCEv2 over " +
		"IPv4, PMTU 4096; memory answers in 1000 ns, 250 clocks. Foreseen; what RTL gave in brackets where that " +
		"differs.\n\n| message | QPs | payload bits a clock | beats of m_axis a clock | messages in 1000 clocks " +
		"| turn-round, median |\n|---|---|---|---|---|---|\n")
	for _, m := range []forecast.Mix{{Op: "read", Bytes: 64, Share: 1}, {Op: "read", Bytes: 1024, Share: 1},
		{Op: "read", Bytes: 4096, Share: 1}, {Op: "read", Bytes: 65536, Share: 1}, {Op: "fetch-add", Share: 1}} {
		for _, qps := range []int{1, 64} {
			w := forecast.Default()
			w.Name, w.QPs, w.PMTU, w.Mix, w.Messages = "reads", qps, 4096, []forecast.Mix{m}, max(100, 500-m.Bytes/10)
			p := holdRTL(t, d, w)
			o, s := p.foreseen, p.rtl.Simulated
			differs := ""
			if o.Clocks != s.Clocks {
				differs = fmt.Sprintf(" (%.1f)", float64(s.ReadBytes)*8/float64(s.Clocks))
			}
			fmt.Fprintf(b, "| %s | %d | %.1f%s | %.3f | %.1f | %d |\n", m.Name(), qps,
				float64(o.ReadBytes)*8/float64(o.Clocks), differs, o.AnswerBeatsPerClock,
				1000*float64(o.Asked)/float64(o.Clocks), o.Turns[0].Median)
		}
	}
}
