package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"hcacosim/cocosim"
	"hcacosim/cocosim/flow"
	"hcacosim/vectors/capture"
)

func benchCheckCommand() *cli.Command {
	return &cli.Command{
		Name:      "bench-check",
		Usage:     "measure check on long captures beside tshark reading the same files",
		ArgsUsage: "CAPTURE... (made long by replaying)",
		Hidden:    true,
		Flags: []cli.Flag{
			&cli.Uint64Flag{Name: "count", Value: 10_000_000, Usage: "frames"},
			&cli.IntFlag{Name: "connections", Value: 1, Usage: "copies of each capture side by side"},
			&cli.StringFlag{Name: "dir", Usage: "where the long captures go, about 3 GB at a time (default: the directory for " +
				"temporary files)"},
		},
		Action: benchCheck,
	}
}

// cost is what a program took for a file.
type cost struct {
	wall, cpu time.Duration
	peakBytes int64
}

func benchCheck(c *cli.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(c.String("dir"), "bench-check-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	w := c.App.Writer
	fmt.Fprintf(w, "%-24s %-10s %9s %8s %8s %12s %12s %7s %6s\n", "capture", "reader", "packets", "wall s", "CPU s",
		"packets/s", "per CPU s", "peak MB", "faster")
	for _, path := range c.Args().Slice() {
		if err := benchCapture(c, w, self, dir, path); err != nil {
			return err
		}
	}
	return nil
}

// benchCapture measures one capture: on the wire, at its end with its sidecar, and tshark with counting only and with
// fields.
func benchCapture(c *cli.Context, w io.Writer, self, dir, path string) error {
	long := filepath.Join(dir, "wire.pcap")
	sidecar, side, atEnd := flow.FindSidecar(path)
	count, err := writeReplay(path, long, c.Int("connections"), c.Uint64("count"))
	if err != nil {
		return err
	}
	defer os.Remove(long)
	ours := []string{self, "check", "--profile", "rxe", "--show", "0"}
	tshark := []string{"tshark", "-n", "--disable-protocol", "rpcordma", "-r", long}
	runs := []struct {
		name string
		args []string
	}{
		{"check", append(ours[:len(ours):len(ours)], long)},
		{"check, end", append(ours[:len(ours):len(ours)], "--config", sidecar, "--at", side, long)},
		{"tshark", append(tshark[:len(tshark):len(tshark)], "-q", "-z", "io,stat,0")},
		{"tshark -T", append(tshark[:len(tshark):len(tshark)], "-T", "fields", "-e", "infiniband.bth.opcode", "-e",
			"infiniband.bth.psn")},
	}
	var first cost
	for i, r := range runs {
		if i == 1 && (!atEnd || c.Int("connections") != 1) {
			continue
		}
		x, err := costOf(c.Context, r.args)
		if err != nil {
			return err
		}
		if i == 0 {
			first = x
		}
		fmt.Fprintf(w, "%-24s %-10s %9d %8.2f %8.2f %12.0f %12.0f %7.1f %6.1f\n", filepath.Base(path), r.name, count,
			x.wall.Seconds(), x.cpu.Seconds(),
			float64(count)/x.wall.Seconds(), float64(count)/x.cpu.Seconds(), float64(x.peakBytes)/1e6,
			x.cpu.Seconds()/first.cpu.Seconds())
	}
	return nil
}

// writeReplay writes whole rounds, so that the capture ends when everything has been answered.
func writeReplay(path, out string, connections int, atLeast uint64) (count uint64, err error) {
	r, err := capture.NewReplay(path, connections)
	if err != nil {
		return 0, err
	}
	f, err := os.Create(out)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	count = (atLeast + r.Round() - 1) / r.Round() * r.Round()
	return count, r.WritePcap(f, count)
}

// costOf runs a program to its end; what it prints is read and forgotten.
func costOf(ctx context.Context, args []string) (x cost, err error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Stderr = os.Stderr
	began := time.Now()
	if err := cmd.Run(); err != nil {
		return x, cocosim.Errorf(cocosim.BadInput, "%s: %v", args[0], err)
	}
	x.wall, x.cpu = time.Since(began), cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()
	if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		x.peakBytes = u.Maxrss * 1024 // Linux counts in KiB
	}
	return x, nil
}
