package forecast

import (
	"context"

	"github.com/hashicorp/go-hclog"

	"hcacosim/cocosim"
	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/verilated"
)

// MostGoodputError is how far the goodput that is foreseen may be from the simulated one: a share of that.
const MostGoodputError = 0.05

// OpenRTL builds hca_rx as a workload has it, in a flavour, and starts it.
func OpenRTL(ctx context.Context, w *Workload, flavour verilated.Flavour, log hclog.Logger) (cocosim.Device, error) {
	m, err := manifest.Find("hca_rx")
	if err != nil {
		return nil, err
	}
	params := map[string]int{"NumQps": w.NumQPs, "DataWidth": w.DataWidth}
	if m, err = m.Resolve(params); err != nil {
		return nil, err
	}
	return verilated.Open(ctx, m, verilated.Options{Params: params, Flavour: flavour, Log: log})
}

// Against is a workload in RTL beside what was foreseen.
type Against struct {
	Simulated *Outcome `json:"simulated"`
	// GoodputError is the goodput foreseen less the simulated one, as a share of it; of frames where no payload left.
	GoodputError float64 `json:"goodput_error"`
	// Timing is of records whose inputs are taken in the clocks in which the device took them, Free of a run that begins
	// with the same offers and goes on by itself.
	Timing, Free *Timing  `json:"-"`
	Crossed      *Crossed `json:"-"`
}

// Hold plays a workload to a device and holds it against what was foreseen. A content that differs is an error: the
// model has then foreseen something else.
func Hold(ctx context.Context, d cocosim.Device, w *Workload, t *Traffic, foreseen *Crossed) (*Against, error) {
	if !w.AsBuilt() {
		return nil, cocosim.Errorf(cocosim.BadInput, "the RTL has everything on chip and queues of one depth: it can be "+
			"compared without queues, context_entries and translation_entries")
	}
	cfg := w.config()
	in := t.Inputs
	got, err := Simulate(ctx, d, cfg, &in, w)
	if err != nil {
		return nil, err
	}
	given, _ := Foresee(w.model(), in.Given(got))
	for _, c := range []*Crossed{foreseen, given} {
		if err := SameContent(c, got); err != nil {
			return nil, &cocosim.Error{Exit: cocosim.Mismatch, What: "the RTL gives something else than the model", Err: err,
				Do: "cosim run --dut hca_rx says which is right"}
		}
	}
	a := &Against{Simulated: Measure(w, t, got), Timing: Compare(given, got), Free: Compare(foreseen, got), Crossed: got}
	p, s := Measure(w, t, foreseen), a.Simulated
	if a.GoodputError = p.GoodputGbps/s.GoodputGbps - 1; s.PayloadBytes+s.ReadBytes == 0 {
		a.GoodputError = p.WireGbps/s.WireGbps - 1
	}
	return a, nil
}
