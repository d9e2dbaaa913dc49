package verilated

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"hcacosim/cocosim"
	"hcacosim/model/sim"
)

// Timing is one way of driving an image with the same records.
type Timing struct {
	Cycles, Inputs, Outputs uint64
	Elapsed                 time.Duration // without start and reset
	// of the simulator; of the bridge's with its start and end, which it could do without
	CPU  time.Duration
	Hash uint64 // over every output record, cycles included
}

// BenchPair is the bare loop and the bridge, one right after the other.
type BenchPair struct{ Bare, Bridge Timing }

// CyclesPerSecond is the speed of the simulation.
func (t Timing) CyclesPerSecond() float64 { return float64(t.Cycles) / t.Elapsed.Seconds() }

// Ratio is the speed of the bridge as a share of the bare loop's.
func (p BenchPair) Ratio() float64 { return p.Bridge.CyclesPerSecond() / p.Bare.CyclesPerSecond() }

// CPURatio is the same by the simulator's processor time: what the bridge costs it, on a machine that has other work
// too. Waiting for the other end does not show in it.
func (p BenchPair) CPURatio() float64 {
	return float64(p.Bridge.Cycles) / float64(p.Bridge.CPU) / (float64(p.Bare.Cycles) / float64(p.Bare.CPU))
}

// benchDrainCycles is longer than any pipeline holds a record.
const benchDrainCycles = 4096

// BenchBridge measures the bridge against a bare C++ loop over the same image and the same records, in interleaved
// pairs, with nothing inserted. Both must give the same outputs in the same cycles.
func BenchBridge(ctx context.Context, image *Image, records []sim.Offer, pairs int) ([]BenchPair, error) {
	var results []BenchPair
	for i := range pairs {
		var p BenchPair
		bare := func() (err error) { p.Bare, err = RunBare(ctx, image, records); return err }
		bridge := func() (err error) { p.Bridge, err = runBridge(ctx, image, records); return err }
		first, second := bare, bridge
		if i%2 == 1 { // so that neither always has the warmer machine
			first, second = bridge, bare
		}
		if err := first(); err != nil {
			return results, err
		}
		if err := second(); err != nil {
			return results, err
		}
		if p.Bare.Hash != p.Bridge.Hash || p.Bare.Outputs != p.Bridge.Outputs {
			return results, cocosim.Errorf(cocosim.BridgeFailed,
				"bare loop and bridge differ: %d outputs with hash %016x, %d with %016x",
				p.Bare.Outputs, p.Bare.Hash, p.Bridge.Outputs, p.Bridge.Hash)
		}
		results = append(results, p)
	}
	return results, nil
}

// RunBare drives the image's model with preloaded records from a loop in C++: no bridge, no checks, ready always high.
func RunBare(ctx context.Context, image *Image, records []sim.Offer) (Timing, error) {
	f, err := os.CreateTemp("", "cosim-records-")
	if err != nil {
		return Timing{}, cocosim.Errorf(cocosim.BadInput, "cannot write the records of a bare run: %v", err)
	}
	defer os.Remove(f.Name())
	size := 0
	for i := range records {
		size += offerBytes(&records[i])
	}
	b := make([]byte, 0, size)
	for i := range records {
		b = appendOffer(b, &records[i])
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Close()); err != nil {
		return Timing{}, cocosim.Errorf(cocosim.BadInput, "cannot write the records of a bare run: %v", err)
	}
	out, err := exec.CommandContext(ctx, image.Program, "--bare", f.Name(), fmt.Sprint(benchDrainCycles)).Output()
	if ctx.Err() != nil {
		return Timing{}, stopped(ctx, "stopped in a bare run")
	}
	if err != nil {
		return Timing{}, cocosim.Errorf(cocosim.SimFailed, "bare run of %s: %v", image.Manifest.Name, err)
	}
	return parseBare(out)
}

func parseBare(out []byte) (Timing, error) {
	var t Timing
	var seconds, cpu float64
	out = bytes.TrimSpace(out)
	last := string(out[bytes.LastIndexByte(out, '\n')+1:])
	if _, err := fmt.Sscanf(last, "bare cycles %d inputs %d outputs %d seconds %g cpu %g hash %x", &t.Cycles, &t.Inputs,
		&t.Outputs, &seconds, &cpu, &t.Hash); err != nil {
		return t, cocosim.Errorf(cocosim.SimFailed, "a bare run printed %q", last)
	}
	t.Elapsed = time.Duration(seconds * float64(time.Second))
	t.CPU = time.Duration(cpu * float64(time.Second))
	return t, nil
}

func runBridge(ctx context.Context, image *Image, records []sim.Offer) (Timing, error) {
	d, err := image.Open(ctx, Options{})
	if err != nil {
		return Timing{}, err
	}
	t, err := driveBridge(ctx, d, records)
	err = errors.Join(err, d.Close())
	if end := d.child.cmd.ProcessState; end != nil {
		t.CPU = end.UserTime() + end.SystemTime()
	}
	return t, err
}

func driveBridge(ctx context.Context, d *RTL, records []sim.Offer) (Timing, error) {
	if err := d.Reset(ctx, cocosim.Config{}); err != nil {
		return Timing{}, err
	}
	var t Timing
	var out sim.Batch
	total := uint64(len(records))
	began := time.Now()
	for begun := 0; len(records) > 0 || begun > 0; begun-- { // one batch ahead, as a run does it
		for ; len(records) > 0 && begun < cocosim.MaxBegun; begun++ {
			n := batchOf(records)
			if err := d.Begin(ctx, cocosim.WhileFed, records[:n]); err != nil {
				return t, err
			}
			records = records[n:]
		}
		out.Reset()
		if err := d.Collect(ctx, &out); err != nil {
			return t, err
		}
	}
	// A device with several inputs may still have some queued, when one of its ports ran dry first.
	for last := false; !last; {
		last = d.taken() == total
		out.Reset()
		if err := d.Advance(ctx, d.cycle+benchDrainCycles, nil, &out); err != nil {
			return t, err
		}
	}
	t = Timing{Cycles: d.cycle, Inputs: total, Elapsed: time.Since(began), Hash: d.outHash}
	for i, p := range d.ports {
		if !p.Input {
			t.Outputs += d.records[i]
		}
	}
	return t, nil
}

// taken is how many inputs were accepted.
func (d *RTL) taken() (n uint64) {
	for i, p := range d.ports {
		if p.Input {
			n += d.records[i]
		}
	}
	return n
}

// batchOf is how many records a run would hand over in one call.
func batchOf(records []sim.Offer) int {
	bytes := 0
	for i := range records {
		if bytes >= cocosim.BatchBytes {
			return i
		}
		bytes += len(records[i].Data)
	}
	return len(records)
}
