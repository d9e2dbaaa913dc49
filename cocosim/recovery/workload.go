// Package recovery foresees what loss costs two adapters that send WRITEs to each other over one link: goodput and the
// time that a lost packet takes to be sent again. docs/predict.md, "Both directions, and loss", has the formulas.
package recovery

import (
	"errors"
	"fmt"
	"io"
	"os"

	"hcacosim/cocosim"
	"hcacosim/cocosim/strict"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// Workload is what is sent over which link. Losses and timeouts span the table that is foreseen.
type Workload struct {
	Name     string    `yaml:"name" json:"name"`
	Gbps     float64   `yaml:"gbps" json:"gbps"`
	DelayNs  uint64    `yaml:"delay_ns" json:"delay_ns"` // one way
	QPs      int       `yaml:"qps" json:"qps"`
	PMTU     uint32    `yaml:"pmtu" json:"pmtu"`
	Bytes    uint32    `yaml:"bytes" json:"bytes"`   // of a WRITE
	Depth    int       `yaml:"depth" json:"depth"`   // WRITEs of a QP that are posted at a time
	Window   uint32    `yaml:"window" json:"window"` // packets outstanding of a QP
	OneWay   bool      `yaml:"one_way" json:"one_way"`
	Losses   []float64 `yaml:"losses" json:"losses"`     // shares of packets of each direction, in percent
	Timeouts []uint8   `yaml:"timeouts" json:"timeouts"` // codes of the transport timer
	// Adapter is what both ends are: "model" takes no time, "hca_top" what its blocks' documents say, at ClockMHz.
	Adapter  string  `yaml:"adapter" json:"adapter"`
	ClockMHz float64 `yaml:"clock_mhz" json:"clock_mhz"`
}

// Default is a workload of which a file needs to name nothing.
func Default() *Workload {
	return &Workload{Gbps: 100, DelayNs: 2000, QPs: 1, PMTU: 1024, Bytes: 8192, Depth: 16, Window: 64,
		Losses: []float64{0, 0.1, 0.5, 1, 2, 5}, Timeouts: []uint8{4, 6, 8}, Adapter: "hca_top", ClockMHz: 250}
}

// Read reads a workload from a file. An error names the file and what is wrong.
func Read(file string) (*Workload, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, cocosim.Errorf(cocosim.BadInput, "%v", err)
	}
	w := Default()
	if err = strict.Decode(text, w); errors.Is(err, io.EOF) {
		err = nil
	}
	if err == nil {
		err = w.Check()
	}
	if err != nil {
		return nil, cocosim.Errorf(cocosim.BadInput, "%s: %v", file, err)
	}
	return w, nil
}

// Check says what is not foreseen.
func (w *Workload) Check() error {
	switch {
	case w.Gbps <= 0 || w.Gbps > 10_000:
		return fmt.Errorf("gbps: %v; above 0 to 10000", w.Gbps)
	case w.DelayNs > 1e9:
		return fmt.Errorf("delay_ns: %d; at most a second", w.DelayNs)
	case w.QPs < 1 || w.QPs > 4096:
		return fmt.Errorf("qps: %d; 1 to 4096", w.QPs)
	case !ib.ValidPMTU(int(w.PMTU)):
		return fmt.Errorf("pmtu: %d; 256, 512, 1024, 2048 or 4096", w.PMTU)
	case w.Bytes < 1 || w.Bytes > 1<<20:
		return fmt.Errorf("bytes: %d; 1 to %d", w.Bytes, 1<<20)
	case w.Depth < 2 || w.Depth > roce.MaxSends:
		return fmt.Errorf("depth: %d; 2 to %d: of one at a time each loss of its last packet waits for the timer, "+
			"and that is not foreseen", w.Depth, roce.MaxSends)
	case w.Window < 2*psn.OfRead(w.Bytes, w.PMTU) || w.Window > psn.Half:
		return fmt.Errorf("window: %d; two WRITEs, %d packets, to %d", w.Window, 2*psn.OfRead(w.Bytes, w.PMTU), psn.Half)
	case w.Adapter != "model" && w.Adapter != "hca_top":
		return fmt.Errorf("adapter: %q; model or hca_top", w.Adapter)
	case w.ClockMHz <= 0 || w.ClockMHz > 10_000:
		return fmt.Errorf("clock_mhz: %v; above 0 to 10000", w.ClockMHz)
	case len(w.Losses) == 0 || len(w.Timeouts) == 0:
		return fmt.Errorf("losses and timeouts: one of each at least")
	}
	for _, p := range w.Losses {
		if p < 0 || p > MostLoss {
			return fmt.Errorf("losses: %v; 0 to %v percent", p, MostLoss)
		}
	}
	for _, code := range w.Timeouts {
		if code < 1 || code > 31 {
			return fmt.Errorf("timeouts: %d; 1 to 31", code)
		}
	}
	return nil
}

// MostLoss is the largest loss that is foreseen, in percent.
const MostLoss = 5
