package main

import (
	"fmt"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"hcacosim/cocosim/forecast"
	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/verilated"
	"hcacosim/model/sim"
	"hcacosim/model/stages"
	"hcacosim/vectors/scenario"
)

// devicePairs is how many pairs of a joined device are measured: its RTL is slow, and one pair takes a minute.
const devicePairs = 3

// deviceWork is 20,000 SENDs of 64 bytes of 256 QPs, back to back, each answered.
func deviceWork() (*forecast.Workload, *forecast.Traffic) {
	w := forecast.Default()
	w.QPs, w.Messages = 256, 20_000
	w.Mix = []forecast.Mix{{Op: "send", Bytes: 64, Share: 1, Ack: "last"}}
	return w, forecast.NewTraffic(w)
}

// deviceOffers are what hca_rx is given for deviceWork, with what memory says of its writes, and what hca_top is given
// by its scenario.
func deviceOffers() (rx, top []sim.Offer, err error) {
	for _, a := range forecast.Answered(deviceWork()).All() {
		rx = append(rx, a.Offer)
	}
	spec, _ := stages.Lookup("hca_top")
	top, err = records(scenario.Default("hca_top").Name, spec, 3000)
	return rx, top, err
}

// benchDevices compares the joined devices in RTL behind the bridge with a bare C++ loop.
func benchDevices(c *cli.Context, w *benchOut) error {
	rx, top, err := deviceOffers()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "joined devices, bridge against a bare C++ loop, same image, same records, outputs hashed\n")
	fmt.Fprintf(w, "  %-8s %9s %9s %13s %13s  %-21s %s\n", "device", "records", "cycles", "bare cycles/s", "bridge",
		"bridge/bare [spread]", "simulator's CPU time")
	if err := deviceRow(c, w, "hca_rx", rx); err != nil {
		return err
	}
	return deviceRow(c, w, "hca_top", top)
}

// benchAlone says how fast the models of the devices are, by the processor's time.
func benchAlone(_ *cli.Context, w *benchOut) error {
	rx, top, err := deviceOffers()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "models of the devices alone, packets in a second of the processor's time\n")
	timedRow(w)
	stageRow(w, "hca_rx", rx)
	stageRow(w, "hca_top", top)
	return nil
}

// deviceRow measures a device in RTL.
func deviceRow(c *cli.Context, w *benchOut, name string, rs []sim.Offer) error {
	m, err := manifest.Find(name)
	if err != nil {
		return err
	}
	if m, err = m.Resolve(nil); err != nil {
		return err
	}
	image, err := verilated.Build(c.Context, m, nil, verilated.Fast, logger(c))
	if err != nil {
		return err
	}
	pairs, err := verilated.BenchBridge(c.Context, image, rs, devicePairs)
	if err != nil {
		return err
	}
	var bare, bridge, ratios, cpu []float64
	for _, p := range pairs {
		bare, bridge = append(bare, p.Bare.CyclesPerSecond()), append(bridge, p.Bridge.CyclesPerSecond())
		ratios, cpu = append(ratios, p.Ratio()), append(cpu, p.CPURatio())
	}
	w.record(name+": bridge/bare", "ratio", ratios)
	fmt.Fprintf(w, "  %-8s %9d %9d %13.0f %13.0f  %-21s %s\n", name, len(rs), pairs[0].Bare.Cycles, median(bare),
		median(bridge), spread(ratios), spread(cpu))
	return nil
}

// timedRow measures the timed model of hca_rx: frames that it takes, with what posts WQEs and what memory answers.
func timedRow(w *benchOut) {
	work, traffic := deviceWork()
	var all []float64
	for range 3 {
		began := processorTime()
		frames := forecast.Play(work, traffic)
		all = append(all, float64(frames)/(processorTime()-began).Seconds())
	}
	w.record("hca_rx, timed", "packets/s", all)
	fmt.Fprintf(w, "  %-24s %12.0f packets/s: SENDs of 64 bytes, each answered\n", "hca_rx with its clocks", median(all))
}

// stageRow measures the stage of a device: frames that come and go.
func stageRow(w *benchOut, name string, offers []sim.Offer) {
	spec, _ := stages.Lookup(name)
	in := make([]sim.Record, len(offers))
	for i := range offers {
		in[i] = offers[i].Accepted(offers[i].NotBefore, offers[i].NotBefore)
	}
	var all []float64
	var out []sim.Record
	for range 3 {
		stage, frames, began := spec.New(nil), 0, processorTime()
		for i := range in {
			out = stage.Advance(in[i].End, in[i:i+1], out[:0])
			frames += framesOf(&spec, in[i:i+1]) + framesOf(&spec, out)
		}
		all = append(all, float64(frames)/(processorTime()-began).Seconds())
	}
	w.record(name+", stage", "packets/s", all)
	fmt.Fprintf(w, "  %-24s %12.0f packets/s in and out, with %d records that are none\n", name+" without a clock",
		median(all), len(in)-framesOf(&spec, in))
}

// framesOf counts the frames on the wire among records.
func framesOf(spec *sim.StageSpec, rs []sim.Record) (n int) {
	for i := range rs {
		if p := &spec.Ports[rs[i].Port]; p.Name == "s_axis" || p.Name == "m_axis" {
			n++
		}
	}
	return n
}

// processorTime is what this process took, its collection of garbage with it.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
