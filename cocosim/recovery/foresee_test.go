package recovery

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/forecast"
	"hcacosim/cocosim/loop"
	"hcacosim/model/link"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

var (
	draws   = flag.Int("draws", 6, "workloads that are drawn and measured")
	first   = flag.Uint64("first", 0, "the seed of the first of them")
	packets = flag.Int("packets", 3000, "that a QP sends of each, both directions together")
	update  = flag.Bool("update", false, "rewrite the generated page; read the difference before keeping it")
)

// measured is the goodput of a workload over the loop of two models.
func measured(t *testing.T, w *Workload, loss float64, code uint8, seed, packets uint64) float64 {
	p := &loop.Pair{Profile: roce.Spec, Window: w.Window, Timeout: code,
		Traffic: loop.Traffic{QPs: w.QPs, Packets: packets, PMTU: w.PMTU, Depth: w.Depth, Receives: 1, Seed: seed,
			WriteBytes: w.Bytes, OneWay: w.OneWay},
		Link: link.Config{Gbps: w.Gbps, DelayNs: w.DelayNs, Loss: loss / 100, Seed: seed}}
	require.NoError(t, p.Check())
	o, err := p.Run(context.Background())
	require.NoError(t, err)
	require.True(t, o.Good(), "%v %v", o.Result, o.Wrong)
	return o.Goodput
}

// drawn is a workload by its seed.
func drawn(seed uint64) (w *Workload, loss float64, code uint8) {
	r := rand.New(rand.NewPCG(seed, 16))
	w = Default()
	w.Adapter = "model"
	w.Gbps = []float64{25, 50, 100, 200}[r.IntN(4)]
	w.DelayNs = 500 + r.Uint64N(9500)
	w.QPs = 1 + r.IntN(8)
	w.PMTU = 1024 << r.IntN(3)
	w.Bytes = w.PMTU * (1 + r.Uint32N(6))
	w.Depth = 4 + r.IntN(13)
	w.Window = max(2*psn.OfRead(w.Bytes, w.PMTU), 16+r.Uint32N(113))
	w.OneWay = r.IntN(2) == 0
	loss = []float64{0, 0.1, 0.2, 0.5, 1, 2, 3, 5}[r.IntN(8)]
	rtt := 2*w.DelayNs + uint64(float64(w.QPs)*float64(w.PMTU)*16/w.Gbps)
	for code = 2; 4096<<code < 3*rtt; {
		code++
	}
	return w, loss, code + uint8(r.IntN(3))
}

const (
	mostError   = 0.20 // of the goodput that is measured
	medianError = 0.05
)

// The goodput of drawn workloads lies as near to what the loop of two models measures as docs/predict.md
// says. -draws 64 takes more, -first 100 others.
func TestForeseenAgainstTheLoop(t *testing.T) {
	var errs []float64
	for seed := *first; seed < *first+uint64(*draws); seed++ {
		w, loss, code := drawn(seed)
		is := measured(t, w, loss, code, seed, uint64(*packets)*uint64(w.QPs))
		o := w.at(loss/100, code)
		off := o.Goodput/is - 1
		t.Logf("%2d %s, loss %v %%, code %d: %.2f, measured %.2f Gb/s: %+.1f %%", seed, w, loss, code, o.Goodput, is,
			100*off)
		require.InDelta(t, 0, off, mostError, "seed %d", seed)
		errs = append(errs, math.Abs(off))
	}
	slices.Sort(errs)
	require.Less(t, errs[len(errs)/2], medianError)
}

// Without loss the line or the window bounds; a loss costs the packets behind it; a code more is twice the timer.
func TestFormulas(t *testing.T) {
	w := Default()
	w.Adapter, w.OneWay = "model", true
	o := w.at(0, 6)
	line := w.Gbps * float64(w.Bytes) / float64(w.Bytes+8*packetBytes+rethBytes)
	require.InEpsilon(t, line, o.Goodput, 1e-9)
	require.Equal(t, "line", o.Bound)
	require.InDelta(t, 1, o.Active, 1e-6)

	far := *w
	far.DelayNs = 1_000_000
	o = far.at(0, 14)
	require.Equal(t, "window", o.Bound)
	require.InEpsilon(t, 64*1024*8/2e6, o.Goodput, 0.01)

	// Go-back-N with answers that are safe and resends that are lucky: 1 / (1 + p f), f packets behind the loss. With a
	// timer of nothing the model is that, and compare has the same form.
	o = w.at(0.01, 1)
	require.InDelta(t, 1/(1+0.01*o.Wasted), o.Share, 0.04)
	for loss, last := 0, 1.1; loss <= 5; loss++ {
		share := w.at(float64(loss)/100, 6).Share
		require.Less(t, share, last)
		last = share
	}
	for code := uint8(2); code < 10; code++ {
		a, b := w.at(0.02, code), w.at(0.02, code+1)
		require.InEpsilon(t, 2*a.TimerUs, b.TimerUs, 1e-9)
		require.Greater(t, a.Goodput, b.Goodput)
		require.InDelta(t, 2*(a.TimerRe-a.NAKUs), b.TimerRe-b.NAKUs, 0.01*b.TimerRe)
	}
	hca := *w
	hca.Adapter = "hca_top"
	require.Greater(t, hca.at(0.01, 6).NAKUs, w.at(0.01, 6).NAKUs)
}

// The ways through hca_top are those of docs/transmit.md, and the answer's what the timed model of hca_rx takes.
func TestStructure(t *testing.T) {
	doc, err := os.ReadFile("../../docs/transmit.md")
	require.NoError(t, err)
	for way, says := range map[int]string{Clocks(Post): "6 + 10 + 3 + 15 + 2 + 16 (`icrc_insert`) = 52",
		Clocks(Again): "11 + 3 + 14 + 5 (`rx_classify`) + 5 + 5 + 5 + 6 + 10 + 3 + 15 + 2 + 16 = 100"} {
		require.Contains(t, string(doc), says)
		require.True(t, strings.HasSuffix(says, fmt.Sprintf(" = %d", way)), "%d clocks: %s", way, says)
	}
	idle := forecast.Default()
	idle.QPs, idle.Messages, idle.Load = 1, 20, 0.02
	idle.Mix = []forecast.Mix{{Op: "write", Bytes: 1024, Share: 1, Ack: "last"}}
	traffic := forecast.NewTraffic(idle)
	crossed, _ := forecast.Predict(idle, traffic)
	out := forecast.Measure(idle, traffic, crossed)
	require.EqualValues(t, Answer[0].Clocks, out.Turns[0].Median)
}

// What is wrong with a file is said with its field.
func TestWorkloadsThatAreRefused(t *testing.T) {
	for text, says := range map[string]string{"gbps: 0": "gbps: 0", "depth: 1": "depth: 1", "losses: [6]": "0 to 5",
		"timeouts: [0]": "timeouts: 0", "window: 15": "window: 15", "adapter: rtl": "adapter", "pmtu: 1000": "pmtu",
		"windows: 3": "windows", "qps: 0": "qps", "losses: []": "one of each", "bytes: 0": "bytes"} {
		file := filepath.Join(t.TempDir(), "w.yaml")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
		_, err := Read(file)
		require.ErrorContains(t, err, says)
	}
	file := filepath.Join(t.TempDir(), "w.yaml")
	require.NoError(t, os.WriteFile(file, nil, 0o666))
	w, err := Read(file)
	require.NoError(t, err)
	require.Equal(t, Default(), w)
}

// docs/generated/predict-link.md is what the workload beside the page gives, and what the draws came to.
func TestPage(t *testing.T) {
	const page = "../../docs/generated/predict-link."
	w, err := Read("../../docs/workloads/lossy.yaml")
	require.NoError(t, err)
	var text, svg bytes.Buffer
	text.WriteString("# Both directions, and loss, foreseen\n\n" +
		"Written by `go test ./cocosim/recovery -run TestPage -update`. " +
		"[predict.md](../predict.md) says how.\n\n```\n")
	require.NoError(t, Print(&text, w, Foresee(w)))
	text.WriteString("```\n\n![goodput and recovery against loss](predict-link.svg)\n")
	require.NoError(t, Plot(&svg, Foresee(w)))
	for name, made := range map[string][]byte{"md": text.Bytes(), "svg": svg.Bytes()} {
		if *update {
			require.NoError(t, os.WriteFile(page+name, made, 0o666))
		}
		is, err := os.ReadFile(page + name)
		require.NoError(t, err)
		require.Equal(t, string(is), string(made), "-update writes it")
	}
}
