package forecast

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"

	"hcacosim/cocosim"
)

// Ranges are what workloads are drawn from: docs/predict-ranges.yaml.
type Ranges struct {
	Workloads int     `yaml:"workloads"` // how many
	Seed      uint64  `yaml:"seed"`
	ClockMHz  float64 `yaml:"clock_mhz"`
	// Clocks is for about how many clocks frames come.
	Clocks       int      `yaml:"clocks"`
	QPs          Range    `yaml:"qps"`   // drawn by its logarithm
	Kinds        Range    `yaml:"kinds"` // of messages in a mix
	Bytes        Range    `yaml:"bytes"` // of a message; by its logarithm
	Share        Range    `yaml:"share"`
	Burst        Range    `yaml:"burst"` // by its logarithm
	Load         Range    `yaml:"load"`
	Damaged      Range    `yaml:"damaged"`      // in half of the workloads, else 0
	Backpressure Range    `yaml:"backpressure"` // in half of them, else 0
	Idle         Range    `yaml:"idle"`         // in a quarter, else 0
	PMTU         []int    `yaml:"pmtu"`
	Encap        []string `yaml:"encap"`
	Ops          []string `yaml:"ops"`
	Ack          []string `yaml:"ack"`
	ReadNs       Range    `yaml:"read_ns"`
	WriteNs      Range    `yaml:"write_ns"`
}

// Range is from its least to its most, both among what is drawn.
type Range struct {
	From float64 `yaml:"from"`
	To   float64 `yaml:"to"`
}

// ReadRanges reads ranges from a file.
func ReadRanges(file string) (*Ranges, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, cocosim.Errorf(cocosim.BadInput, "%v", err)
	}
	r := new(Ranges)
	if err := decode(text, r); err != nil {
		return nil, cocosim.Errorf(cocosim.BadInput, "%s%v", file, err)
	}
	for name, x := range map[string]Range{"qps": r.QPs, "kinds": r.Kinds, "bytes": r.Bytes, "share": r.Share,
		"burst": r.Burst, "load": r.Load, "damaged": r.Damaged, "backpressure": r.Backpressure, "idle": r.Idle,
		"read_ns": r.ReadNs, "write_ns": r.WriteNs} {
		if x.From > x.To || x.From < 0 {
			return nil, cocosim.Errorf(cocosim.BadInput, "%s:%d: %s: from %v to %v is no range", file, lineOf(text, name), name,
				x.From, x.To)
		}
	}
	if len(r.PMTU) == 0 || len(r.Encap) == 0 || len(r.Ops) == 0 || len(r.Ack) == 0 {
		return nil, cocosim.Errorf(cocosim.BadInput, "%s: pmtu, encap, ops and ack each list at least one choice", file)
	}
	return r, nil
}

func (x Range) draw(r *rand.Rand) float64 { return x.From + (x.To-x.From)*r.Float64() }

func (x Range) whole(r *rand.Rand) int { return int(x.From) + r.IntN(int(x.To)-int(x.From)+1) }

// byLogarithm draws a whole number: each order of magnitude as often as the others.
func (x Range) byLogarithm(r *rand.Rand) int {
	lo, hi := math.Log(x.From+1), math.Log(x.To+2)
	return min(int(x.To), int(math.Exp(lo+(hi-lo)*r.Float64()))-1)
}

func choose[T any](r *rand.Rand, all []T) T { return all[r.IntN(len(all))] }

// Draw draws the i-th workload.
func (x *Ranges) Draw(i int) (*Workload, error) {
	r := rand.New(rand.NewPCG(x.Seed, uint64(i)))
	w := Default()
	w.Name, w.Seed, w.ClockMHz = fmt.Sprintf("drawn %d", i), x.Seed*1000+uint64(i), x.ClockMHz
	w.QPs, w.PMTU, w.Encap = max(1, x.QPs.byLogarithm(r)), choose(r, x.PMTU), choose(r, x.Encap)
	w.Order, w.Interleave = choose(r, orders), r.IntN(2) == 0
	w.Load, w.Burst = x.Load.draw(r), max(1, x.Burst.byLogarithm(r))
	if r.IntN(2) == 0 {
		w.Damaged = x.Damaged.draw(r)
	}
	if r.IntN(2) == 0 {
		w.Backpressure = x.Backpressure.draw(r)
	}
	if r.IntN(4) == 0 {
		w.Idle = x.Idle.draw(r)
	}
	w.Host.ReadNs, w.Host.WriteNs = math.Round(x.ReadNs.draw(r)), math.Round(x.WriteNs.draw(r))
	for range max(1, x.Kinds.whole(r)) {
		w.Mix = append(w.Mix, Mix{Op: choose(r, x.Ops), Bytes: x.Bytes.byLogarithm(r), Share: max(1, x.Share.whole(r)),
			Ack: choose(r, x.Ack)})
		if m := &w.Mix[len(w.Mix)-1]; m.isAtomic() {
			m.Bytes = 8
		}
	}
	w.Messages = max(w.QPs, int(float64(x.Clocks)*w.Load/w.beats()))
	if p := w.check(); p != nil {
		return nil, cocosim.Errorf(cocosim.BadInput, "the ranges give a workload that is none%v", p)
	}
	return w, nil
}

// beats are those of a message, about: each packet has 58 bytes of headers and ICRC. Those of a READ are its
// responses'. Of an atomic they are the clocks for which it holds up what is behind it.
func (w *Workload) beats() (n float64) {
	shares := 0
	for _, m := range w.Mix {
		shares += m.Share
		packets := max(1, (m.Bytes+w.PMTU-1)/w.PMTU)
		if m.isAtomic() {
			n += float64(m.Share) * float64(w.clocksOf(w.Host.ReadNs+w.Host.WriteNs))
			continue
		}
		n += float64(m.Share) * float64(m.Bytes/64+2*packets)
	}
	return n / float64(shares)
}

// Pressed is a workload that fills every queue behind outputs that are held for long: small SENDs that are answered,
// or, with strangers, packets that are dropped behind the gate between them.
func Pressed(strangers bool) *Workload {
	w := Default()
	w.Name, w.Messages, w.QPs, w.Backpressure = "small SENDs, outputs held", 6000, 64, 0.4
	w.Mix = []Mix{{"send", 6, 3, "last"}, {"send", 6, 1, "none"}, {"write", 0, 1, "last"}}
	if strangers {
		w.Name, w.Seed, w.Strangers, w.Messages = "strangers between small SENDs, outputs held", 2, 4, w.Messages/4
	}
	return w
}
