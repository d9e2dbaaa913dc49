package compare

import (
	"fmt"
	"io"
	"strings"
	"time"

	"hcacosim/model/ib"
	"hcacosim/model/link"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// Transport is a transport that can be compared.
type Transport struct {
	Name    string
	Summary string
	New     func(w Workload, rttNs uint64) Connection
	// Theory is the goodput share that a closed form predicts for a loss p where flight packets fit into a round trip.
	Theory func(p, flight float64, w *Workload) float64
}

// Transports lists what can be compared.
func Transports() []Transport { return transports }

var transports = []Transport{
	{"roce-gbn", "RoCE's reliable connection: go-back-N", NewGoBackN,
		func(p, flight float64, _ *Workload) float64 { return (1 - p) / (1 - p + p*flight) }},
	{"roce-selective", "keeps packets behind a gap, sends again what is missing", NewSelective,
		func(p, _ float64, _ *Workload) float64 { return 1 - p }},
	{"falcon", "Falcon's packet delivery, congestion control off", NewFalcon, falconTheory},
}

// falconTheory: what is lost is sent again, and the headers are longer than those that a share is measured against.
func falconTheory(p, _ float64, w *Workload) float64 {
	return (1 - p) * float64(w.PMTU+overheadBytes) / float64(w.PMTU+falconOverheadBytes)
}

// Lookup finds a transport by name.
func Lookup(name string) (Transport, bool) {
	for _, t := range transports {
		if t.Name == name {
			return t, true
		}
	}
	return Transport{}, false
}

// Sweep runs every transport at every loss over links of the same seed.
func Sweep(names []string, losses []float64, work Workload, cfg link.Config, progress func(done, of int)) ([]Outcome,
	error) {
	var all []Outcome
	for _, name := range names {
		t, ok := Lookup(name)
		if !ok {
			return nil, fmt.Errorf("no transport %q; there are %s", name, strings.Join(Names(), ", "))
		}
		for _, p := range losses {
			c := cfg
			c.Loss = p
			o, err := Run(t.New(work, roundTripNs(&work, &c)), work, &c)
			if err != nil {
				return nil, fmt.Errorf("%s at %.2f %% loss: %w", name, 100*p, err)
			}
			o.Transport, o.Theory = name, t.Theory(p, flight(&work, &c), &work)
			all = append(all, o)
			if progress != nil {
				progress(len(all), len(names)*len(losses))
			}
		}
	}
	return all, nil
}

// Names lists the transports by name.
func Names() (names []string) {
	for _, t := range transports {
		names = append(names, t.Name)
	}
	return names
}

// packetNs is how long a full packet takes to send.
func packetNs(w *Workload, cfg *link.Config) float64 {
	return 8 * float64(w.PMTU+overheadBytes) / cfg.Gbps
}

func roundTripNs(w *Workload, cfg *link.Config) uint64 {
	return 2*cfg.DelayNs + uint64(2*packetNs(w, cfg)) + cfg.HoldNs
}

// flight is how many packets are sent before the news of a loss can come back, the window at most.
func flight(w *Workload, cfg *link.Config) float64 {
	return min(float64(w.Window), 1+float64(2*cfg.DelayNs)/packetNs(w, cfg))
}

// Print writes a table: a row a loss and transport.
func Print(w io.Writer, all []Outcome) {
	fmt.Fprintf(w, "%-15s %7s %9s %7s %7s %9s %9s %9s %9s\n", "transport", "loss", "goodput", "share", "theory", "again",
		"p50", "p99", "p99.9")
	for i := range all {
		o := &all[i]
		if i > 0 && all[i-1].Transport != o.Transport {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%-15s %6.2f%% %7.2fG %6.1f%% %6.1f%% %8.2f%% %7.1fus %7.1fus %7.1fus", o.Transport, 100*o.Loss,
			o.Gbps, 100*o.Share, 100*o.Theory,
			100*o.AgainShare, float64(o.P50Ns)/1e3, float64(o.P99Ns)/1e3, float64(o.P999Ns)/1e3)
		if o.Failed != "" {
			fmt.Fprintf(w, "  gave up: %s", o.Failed)
		}
		fmt.Fprintln(w)
	}
}

// Check says what cannot be run.
func (w *Workload) Check(cfg *link.Config) error {
	switch {
	case !ib.ValidPMTU(int(w.PMTU)):
		return fmt.Errorf("a PMTU is 256, 512, 1024, 2048 or 4096, not %d", w.PMTU)
	case w.Messages < 1 || w.Depth < 1 || w.Depth > maxDepth:
		return fmt.Errorf("at least one message, and 1 to %d posted at a time", maxDepth)
	case w.Window < 1 || w.Window > roce.MaxSelWindow:
		return fmt.Errorf("a window has 1 to %d packets, not %d", roce.MaxSelWindow, w.Window)
	case uint64(w.Messages)*(uint64(w.MessageBytes)/uint64(w.PMTU)+1) >= psn.Half:
		return fmt.Errorf("%d messages of %d bytes are more than 2^23 packets", w.Messages, w.MessageBytes)
	case w.MessageBytes == 0:
		return fmt.Errorf("a message has one byte at least")
	case cfg.DelayNs > mostNs || cfg.HoldNs > mostNs:
		return fmt.Errorf("delay and hold: 0 to %v", time.Duration(mostNs))
	case !(cfg.Gbps > 0 && cfg.Gbps <= mostGbps):
		return fmt.Errorf("a link has a bandwidth above 0, and at most %g Gb/s", float64(mostGbps))
	case !(cfg.Reorder >= 0 && cfg.Reorder <= 0.5 && cfg.Double >= 0 && cfg.Double <= 0.5):
		return fmt.Errorf("a link reorders and doubles at most half of its packets")
	}
	return nil
}

// A link is this slow and this fast at most.
const (
	mostNs   = 1_000_000_000
	mostGbps = 10_000
)

// maxDepth is how many messages every transport's queue holds.
const maxDepth = 16
