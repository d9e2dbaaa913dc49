package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"hcacosim/cmd/internal/command"
	"hcacosim/cocosim"
	"hcacosim/cocosim/loop"
	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/mutate"
	"hcacosim/cocosim/mutate/fault"
	"hcacosim/cocosim/verilated"
)

// faultLoops are the loops that faults are played in, one after the other, until one shows the fault. None is there for
// a fault's sake: they are what the tests of this command play, and a peer for each way in which a WQE fails.
var faultLoops = [][]string{
	strings.Fields("--qps 3 --loss 1 --dup 1 --reorder 1 --corrupt 1"),
	strings.Fields("--qps 6 --mark 3 --loss 1 --dup 1"),
	strings.Fields("--receives 4 --late 50 --timeout 1 --delay 3600ns --loss 2"),
	strings.Fields("--qps 12 --seed 102 --loss 2 --dup 2 --reorder 2"),
	strings.Fields("--qps 4 --depth 4 --pause 40us --timeout 1 --loss 3 --dup 2"),
	strings.Fields("--b rogue:silent"),
	strings.Fields("--b rogue:rnr-forever"),
	strings.Fields("--b rogue:fatal-nak --qps 8 --loss 10"),
}

// faultFlags are those of faults.
func faultFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "faults", Usage: "plant the faults of a `FILE`.faults.yaml in end A, all in one build, " +
			"and play each in some loops until one shows it; may be repeated"},
		&cli.StringSliceFlag{Name: "fault", Usage: "with --faults: only that of this `NAME`; may be repeated"},
	}
}

// longer is how many times the link time, and the clock's, of the right device a fault may take.
const longer = 10

// faulty is end A's device with all faults in it, each behind a number.
type faulty struct {
	c       *cli.Context
	end     string
	image   *verilated.Image
	mutants []mutate.Mutant // that are played
	faults  []fault.Fault   // of the mutants
	loops   []playedLoop
}

// playedLoop is a loop, and what the right device took for it.
type playedLoop struct {
	args  []string
	count uint64 // packets that both ends sent
	ns    uint64
	took  time.Duration
}

// faultRow is what became of a fault.
type faultRow struct {
	fault.Fault
	First *loop.First // nil: no loop shows it
	Loop  []string
}

// runLinkFaults is `cosim link --faults`.
func runLinkFaults(c *cli.Context) error {
	devices := devicesOf(c.String("a"))
	if len(devices) != 1 {
		return cocosim.Errorf(cocosim.BadInput, "--faults are planted in end A: --a hca_rx, hca_tx or hca_top")
	}
	x := &faulty{c: c, end: devices[0]}
	dir, err := os.MkdirTemp("", "cosim-faults-")
	if err != nil {
		return fmt.Errorf("a folder for sources: %w", err)
	}
	defer os.RemoveAll(dir)
	if err := x.build(dir); err != nil {
		return err
	}
	var rows []faultRow
	missing := 0
	for i := range x.mutants {
		row, err := x.find(i)
		if err != nil {
			return err
		}
		if rows = append(rows, row); row.First == nil {
			missing++
		}
		row.print(c.App.ErrWriter)
	}
	if page := c.String("page"); page != "" {
		if err := command.WriteFile(page, x.page(rows)); err != nil {
			return err
		}
	}
	fmt.Fprintf(c.App.Writer, "%d of %d faults found\n", len(rows)-missing, len(rows))
	if missing > 0 {
		return command.Silent(cocosim.Mismatch)
	}
	return nil
}

// build plants every fault of the lists, and builds the device once.
func (x *faulty) build(dir string) error {
	m, err := manifest.Find(x.end)
	if err == nil {
		m, err = m.Resolve(nil)
	}
	if err != nil {
		return err
	}
	d, err := mutate.Read(m)
	if err != nil {
		return err
	}
	files := x.c.StringSlice("faults")
	if x.faults, err = readFaultLists(files); err != nil {
		return err
	}
	chosen, err := namedFaults(x.c, x.faults, files)
	if err != nil {
		return err
	}
	mutants, leftOut, err := d.Plants(x.faults)
	if err != nil {
		return err
	}
	x.mutants = mutants
	x.faults = slices.DeleteFunc(x.faults, func(f fault.Fault) bool { return slices.Contains(leftOut, f.Name) })
	for _, name := range leftOut {
		fmt.Fprintf(x.c.App.ErrWriter, "%s: left out, it is not within one expression or assignment\n", name)
	}
	if x.choose(chosen); len(x.mutants) == 0 {
		return cocosim.Errorf(cocosim.Inconclusive, "nothing was judged: no fault is left to plant")
	}
	path, err := d.Write(dir, mutants)
	if err != nil {
		return err
	}
	if m, err = manifest.Find(path); err == nil {
		m, err = m.Resolve(nil)
	}
	if err == nil {
		x.image, err = verilated.Build(x.c.Context, m, nil, verilated.Flavour(x.c.String("flavour")), logger(x.c))
	}
	return err
}

// choose leaves only these faults to be played: all are in the build, so that it serves for others too.
func (x *faulty) choose(chosen []fault.Fault) {
	var mutants []mutate.Mutant
	var faults []fault.Fault
	for _, f := range chosen {
		if at := slices.IndexFunc(x.faults, func(g fault.Fault) bool { return g.Name == f.Name }); at >= 0 {
			mutants, faults = append(mutants, x.mutants[at]), append(faults, x.faults[at])
		}
	}
	x.mutants, x.faults = mutants, faults
}

// pair is the pair of a loop. Arguments of the command line come before those of the loop.
func (x *faulty) pair(args []string) (*loop.Pair, error) {
	set := flag.NewFlagSet("link", flag.ContinueOnError)
	for _, f := range linkCommand().Flags {
		if err := f.Apply(set); err != nil {
			return nil, fmt.Errorf("a loop's flags: %w", err)
		}
	}
	given := []string{"--a", x.end, "--count", strconv.FormatUint(x.c.Uint64("count"), 10), "--seed",
		strconv.FormatUint(x.c.Uint64("seed"), 10)}
	if err := set.Parse(append(given, args...)); err != nil {
		return nil, fmt.Errorf("a loop's flags: %w", err)
	}
	p, err := pairOf(cli.NewContext(x.c.App, set, x.c))
	if err == nil {
		p.UntilWrong = true
	}
	return p, err
}

// play plays a loop with a mutant; 0 is none. A simulator looks at its environment when it starts, and only then.
func (x *faulty) play(ctx context.Context, p *loop.Pair, id int) (*loop.Outcome, error) {
	if err := os.Setenv(mutate.Selector, strconv.Itoa(id)); err != nil {
		return nil, err
	}
	device, err := x.image.Open(ctx, verilated.Options{Log: logger(x.c)})
	os.Unsetenv(mutate.Selector)
	if err != nil {
		return nil, err
	}
	defer device.Close()
	half := map[string]*[2]cocosim.Device{rxEnd: &p.Responders, txEnd: &p.Requesters, topEnd: &p.Wholes}[x.end]
	half[0] = device
	return p.Run(ctx)
}

// baseline plays a loop with the right device, which must agree.
func (x *faulty) baseline(args []string) error {
	p, err := x.pair(args)
	if err != nil {
		return err
	}
	began := time.Now()
	o, err := x.play(x.c.Context, p, 0)
	switch {
	case err != nil:
		return asError(err)
	case o.First != nil:
		return cocosim.Errorf(cocosim.Mismatch, "%s without a fault: %s: %s", strings.Join(args, " "), o.First.By,
			o.First.Finding)
	case !o.Good():
		return cocosim.Errorf(cocosim.Inconclusive, "%s without a fault: %s", strings.Join(args, " "), o.Result.Stuck)
	}
	l := playedLoop{args, o.Ends[0].Frames + o.Ends[1].Frames, o.Result.Ns, time.Since(began)}
	fmt.Fprintf(x.c.App.ErrWriter, "%s: %d packets in %s\n", strings.Join(args, " "), l.count, l.took.Round(time.Second))
	x.loops = append(x.loops, l)
	return nil
}

// find plays the loops until one shows the fault. The right device plays each when the first fault comes to it.
func (x *faulty) find(i int) (row faultRow, err error) {
	row.Fault = x.faults[i]
	for k, args := range faultLoops {
		if k == len(x.loops) {
			if err := x.baseline(args); err != nil {
				return row, err
			}
		}
		l := &x.loops[k]
		p, err := x.pair(l.args)
		if err != nil {
			return row, err
		}
		p.LimitNs = longer * l.ns
		ctx, cancel := context.WithTimeout(x.c.Context, longer*l.took+time.Minute)
		o, err := x.play(ctx, p, x.mutants[i].ID)
		late := ctx.Err() != nil
		cancel()
		switch {
		case x.c.Context.Err() != nil:
			return row, context.Cause(x.c.Context)
		case late: // the machine is to blame, or the fault: nobody knows
			fmt.Fprintf(x.c.App.ErrWriter, "%s: no verdict of %s within %s\n", row.Name, strings.Join(args, " "),
				(longer*l.took + time.Minute).Round(time.Second))
			continue
		case o == nil:
			return row, asError(err)
		}
		if o.First != nil {
			row.First, row.Loop = o.First, l.args
			break
		}
	}
	return row, nil
}

func (r *faultRow) print(w io.Writer) {
	if r.First == nil {
		fmt.Fprintf(w, "%s: NOT FOUND\n", r.Name)
		return
	}
	fmt.Fprintf(w, "%s: %s after %d packets of %s: %s\n", r.Name, r.First.By, r.First.Packets, strings.Join(r.Loop, " "),
		r.First.Finding)
}

// page is the table as a document.
func (x *faulty) page(rows []faultRow) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Faults in a closed loop\n\nMade by `cosim link --a %s --count %d --seed %d --faults %s --page "+
		"FILE.md`. Each fault is planted in end A, alone, and played in these loops, in this order, until one shows it. "+
		"Packets: those that both ends had sent by then.\n\n", x.end, x.c.Uint64("count"), x.c.Uint64("seed"),
		strings.Join(x.c.StringSlice("faults"), " --faults "))
	fmt.Fprintln(&b, "| | loop | packets that the right device takes |\n|---|---|---|")
	for i := range x.loops {
		l := &x.loops[i]
		fmt.Fprintf(&b, "| %d | `cosim link --a %s --count %d %s` | %d |\n", i+1, x.end, x.c.Uint64("count"),
			strings.Join(l.args, " "), l.count)
	}
	fmt.Fprintln(&b, "\n| fault | kind | file | loop | found by | packets | finding |\n|---|---|---|---|---|---|---|")
	for i := range rows {
		r := &rows[i]
		if r.First == nil {
			fmt.Fprintf(&b, "| `%s` | %s | %s | | **not found** | | |\n", r.Name, r.Kind, r.File)
			continue
		}
		at := slices.IndexFunc(x.loops, func(l playedLoop) bool { return slices.Equal(l.args, r.Loop) })
		fmt.Fprintf(&b, "| `%s` | %s | %s | %d | %s | %d | %s |\n", r.Name, r.Kind, r.File, at+1, r.First.By, r.First.Packets,
			strings.ReplaceAll(strings.ReplaceAll(r.First.Finding, "\n", " "), "|", "\\|"))
	}
	return b.Bytes()
}
