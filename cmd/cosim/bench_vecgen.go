package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"hcacosim/cocosim"
	"hcacosim/model/sim"
	"hcacosim/vectors"
	"hcacosim/vectors/scenario"
)

// benchCount is how many packets or records a measurement of vecgen makes.
const benchCount = 500000

// benchVecgen makes vectors with expected results in the process, on one core and on two; writes sets, to memory where
// there is a file system in memory, beside what cat reaches; and has scapy build the same kind of packets.
func benchVecgen(c *cli.Context, w *benchOut) error {
	one, err := inProcess(w)
	if err != nil {
		return err
	}
	if err := toFiles(w); err != nil {
		return err
	}
	if script := c.String("scapy"); script != "" {
		return scapyRow(c.Context, w, script, one)
	}
	return nil
}

// madeRate is what making records came to: how many a second of the clock and of processor time, and their mean size.
type madeRate struct{ rate, perCPU, meanBytes float64 }

// inProcess gives the packets a second of minimum on one core.
func inProcess(w *benchOut) (minimum float64, err error) {
	fmt.Fprintf(w, "vecgen: %d records with expected results, in the process\n", benchCount)
	fmt.Fprintf(w, "  %-30s %10s %12s %12s %16s\n", "scenario, stage", "mean bytes", "one core /s", "two cores /s",
		"of CPU time /s")
	for _, b := range [][2]string{{"mix", "icrc_check"}, {"mix", "roce_parse"}, {"minimum", "icrc_check"},
		{"psn-window", "psn_window"}, {"resp-psn-check", "resp_psn_check"}, {"req-ack-check", "req_ack_check"},
		{"retx-timer", "retx_timer"}, {"falcon-window", "falcon_window"}} {
		one, err := predict(b[0], b[1], 1)
		if err != nil {
			return 0, err
		}
		two, err := predict(b[0], b[1], 2)
		if err != nil {
			return 0, err
		}
		name := b[0] + ", " + b[1]
		fmt.Fprintf(w, "  %-30s %10.1f %12.0f %12.0f %16.0f\n", name, one.meanBytes, one.rate, two.rate, one.perCPU)
		w.record("vecgen in process "+name, "records/s", []float64{one.rate})
		w.record("vecgen in process, two cores "+name, "records/s", []float64{two.rate})
		w.record("vecgen in process, of CPU time "+name, "records/s", []float64{one.perCPU})
		if b[0] == "minimum" {
			minimum = one.rate
		}
	}
	return minimum, nil
}

// predict makes benchCount records on each of so many cores, under a seed of its own each.
func predict(name, dut string, cores int) (p madeRate, err error) {
	s, err := scenario.Lookup(name)
	if err != nil {
		return p, err
	}
	spec, _ := vectors.Lookup(dut)
	errs, bytes := make([]error, cores), make([]uint64, cores)
	began, cpu := time.Now(), processorSeconds()
	var all sync.WaitGroup
	for i := range cores {
		all.Go(func() {
			var source *vectors.Generated
			if source, errs[i] = vectors.NewGenerated(s, spec, uint64(1+i), benchCount); errs[i] != nil {
				return
			}
			errs[i] = vectors.Predict(source, spec, nil, func(in *sim.Offer, _ []sim.Record) {
				if in != nil {
					bytes[i] += uint64(len(in.Data))
				}
			})
		})
	}
	all.Wait()
	total := float64(cores) * benchCount
	return madeRate{rate: total / time.Since(began).Seconds(), perCPU: total / (processorSeconds() - cpu),
		meanBytes: float64(bytes[0]) / benchCount}, errors.Join(errs...)
}

// processorSeconds is the processor time of this process, user and system.
func processorSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

func toFiles(w *benchOut) error {
	parent := "/dev/shm"
	if info, err := os.Stat(parent); err != nil || !info.IsDir() {
		parent = os.TempDir()
	}
	dir, err := os.MkdirTemp(parent, "vecgen-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fmt.Fprintf(w, "vecgen: %d packets with expected results, written to %s\n", benchCount, parent)
	spec, _ := vectors.Lookup("icrc_check")
	for _, name := range []string{"minimum", "mix"} {
		s, err := scenario.Lookup(name)
		if err != nil {
			return err
		}
		began := time.Now()
		set, err := vectors.GenerateSet(filepath.Join(dir, name), s, spec, 1, benchCount, vectors.SetOptions{})
		if err != nil {
			return err
		}
		seconds, bytes := time.Since(began).Seconds(), float64(0)
		for _, f := range set.Files {
			bytes += float64(f.Bytes)
		}
		copied, err := concatenate(set, filepath.Join(dir, "all"))
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "  %-30s %12.0f packets/s %8.0f MB/s; cat of its files: %.0f MB/s\n", name, benchCount/seconds,
			bytes/seconds/1e6, bytes/copied/1e6)
		w.record("vecgen "+name, "packets/s", []float64{benchCount / seconds})
	}
	return nil
}

// concatenate does what cat does with the files of a set, and tells how many seconds that took.
func concatenate(set *vectors.Set, to string) (seconds float64, err error) {
	out, err := os.Create(to)
	if err != nil {
		return 0, err
	}
	defer os.Remove(to)
	defer out.Close()
	buf := make([]byte, 128<<10) // as cat has it
	began := time.Now()
	for name := range set.Files {
		in, err := os.Open(filepath.Join(set.Dir, name))
		if err != nil {
			return 0, err
		}
		_, err = io.CopyBuffer(struct{ io.Writer }{out}, struct{ io.Reader }{in}, buf)
		in.Close()
		if err != nil {
			return 0, err
		}
	}
	return time.Since(began).Seconds(), nil
}

// scapyCount is how many packets scapy builds again.
const scapyCount = 10000

// scapyRow has scapy build packets of minimum again, field by field, and compare those that it can.
func scapyRow(ctx context.Context, w *benchOut, script string, ours float64) error {
	dir, err := os.MkdirTemp("", "vecgen-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s, err := scenario.Lookup("minimum")
	if err != nil {
		return err
	}
	spec, _ := vectors.Lookup("icrc_check")
	set, err := vectors.GenerateSet(filepath.Join(dir, "set"), s, spec, 1, scapyCount, vectors.SetOptions{})
	if err != nil {
		return err
	}
	out, err := exec.CommandContext(ctx, "/usr/bin/python3", script, filepath.Join(set.Dir, "stimulus.pcapng")).Output()
	if err != nil {
		return cocosim.Errorf(cocosim.BadInput, "%s: %v", script, err)
	}
	var built, skipped, different, rate float64
	if _, err := fmt.Sscanf(string(out), "packets %g, skipped %g, different %g\npackets_per_second %g", &built, &skipped,
		&different, &rate); err != nil {
		return cocosim.Errorf(cocosim.BadInput, "%s printed no packets_per_second", script)
	}
	fmt.Fprintf(w, "  %-44s %12.0f packets/s\n  %-44s %12.0f\n", fmt.Sprintf("scapy, %.0f of the same packets, %.0f "+
		"others (bad ICRC)", built-different, different), rate, "vecgen faster by", ours/rate)
	return nil
}
