package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"hcacosim/cmd/internal/command"
	"hcacosim/cocosim"
	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/mutate"
	"hcacosim/cocosim/mutate/fault"
	"hcacosim/cocosim/regress"
	"hcacosim/cocosim/session"
	"hcacosim/cocosim/verilated"
	"hcacosim/model/stages"
	"hcacosim/vectors"
)

func qualifyCommand() *cli.Command {
	return &cli.Command{
		Name:  "qualify",
		Usage: "break a device in hundreds of small ways and count how many of them the default regression finds",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "dut", Required: true, Usage: "name of a device, or the path of its manifest"},
			&cli.IntFlag{Name: "mutants", Value: 300, Usage: "how many, drawn from all that there are; 0 for all"},
			&cli.BoolFlag{Name: "every-site", Usage: "one mutant of each place in the text, drawn by the seed, in place of " +
				"--mutants"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "of the draw"},
			&cli.StringSliceFlag{Name: "in", Usage: "draw from the files whose path begins with this `TEXT` only, as top/ has " +
				"what joins the blocks of a device; may be repeated"},
			&cli.IntFlag{Name: "batch", Value: mutate.DefaultBatch, Usage: "mutants of a build"},
			&cli.StringFlag{Name: "matrix", Usage: "every run on every mutant, and into a `FILE` (.json, else CSV) which " +
				"scenario finds which; - is none"},
			&cli.StringFlag{Name: "flavour", Value: string(verilated.Fast),
				Usage: "how the mutants are built: quick takes less to build and longer to run"},
			&cli.BoolFlag{Name: "smallest", Usage: "only the runs at the device's smallest size: one build"},
			&cli.Uint64Flag{Name: "count", Usage: "records of each run, where 20,000 of a device that is joined from others " +
				"take too long; 0 for those"},
			&cli.DurationFlag{Name: "timeout", Value: time.Minute, Usage: "of a run"},
			&cli.DurationFlag{Name: "for", Usage: "of all runs of the mutants of a build: what is not settled by then is " +
				"counted as not run"},
			&cli.BoolFlag{Name: "no-proofs", Usage: "do not ask Yosys whether a mutant that no run finds does what the " +
				"design does"},
			&cli.BoolFlag{Name: "proofs-only", Usage: "run nothing: ask for a proof of each mutant, as if no run had " +
				"found it"},
			&cli.BoolFlag{Name: "quick-proofs", Usage: "no proof but of mutants that are equal from every state: seconds for " +
				"hundreds"},
			&cli.BoolFlag{Name: "open", Usage: "only the mutants that have a reason to be open, in place of a draw"},
			&cli.DurationFlag{Name: "proof-time", Value: time.Minute, Usage: "of each half of a proof"},
			&cli.IntFlag{Name: "proof-depth", Value: 24, Usage: "cycles of the comparison where no proof without " +
				"bound is found"},
			&cli.IntSliceFlag{Name: "id", Usage: "only the mutants of these numbers, in place of a draw"},
			&cli.StringFlag{Name: "faults", Usage: "the faults of a `FILE`.faults.yaml in place of a draw"},
			&cli.StringSliceFlag{Name: "fault", Usage: "with --faults: only that of this `NAME`; may be repeated"},
			&cli.BoolFlag{Name: "netlist", Usage: "mutants of the netlist that Yosys makes of the device's " +
				"own size, in place of those of the text"},
			&cli.StringSliceFlag{Name: "vectors", Usage: "what the vector set in `DIR` finds alone, in place of the default " +
				"regression; at the size that it was made for; may be repeated"},
			&cli.BoolFlag{Name: "list", Usage: "only list the mutants"},
			&cli.BoolFlag{Name: "json", Usage: "a JSON object on stdout instead of the report"},
		},
		Action: qualify,
	}
}

// checkQualify refuses what no qualification can be asked.
func checkQualify(c *cli.Context) error {
	if c.NArg() > 0 {
		return cocosim.Errorf(cocosim.BadInput, "unexpected argument %q (see `cosim qualify --help`)", c.Args().First())
	}
	for _, flag := range []string{"mutants", "batch"} {
		if n := c.Int(flag); n < 0 {
			return cocosim.Errorf(cocosim.BadInput, "--%s %d: a number of mutants is not negative", flag, n)
		}
	}
	return nil
}

func qualify(c *cli.Context) error {
	if err := checkQualify(c); err != nil {
		return err
	}
	m, err := manifest.Find(c.String("dut"))
	if err != nil {
		return err
	}
	if m, err = m.Resolve(nil); err != nil {
		return err
	}
	d, reasons, err := designOf(c, m)
	if err != nil {
		return err
	}
	chosen, err := mutantsOf(c, d, reasons)
	if err != nil {
		return err
	}
	if len(chosen) == 0 {
		return cocosim.Errorf(cocosim.Inconclusive, "nothing was judged: no mutant of %s is left to try", m.Name)
	}
	if c.Bool("list") {
		for _, x := range chosen {
			fmt.Fprintf(c.App.Writer, "%d %s:%d %s: %s -> %s\n", x.ID, x.File, x.Line, x.Operator, x.Old, x.New)
		}
		return nil
	}
	o := mutate.Options{Mutants: chosen, Runs: regress.Short(m), Batch: c.Int("batch"), Matrix: c.String("matrix") != "",
		First: 1000, NoRuns: c.Bool("proofs-only"),
		Flavour: verilated.Flavour(c.String("flavour")), Timeout: c.Duration("timeout"), For: c.Duration("for"),
		Progress: func(format string, args ...any) { fmt.Fprintf(c.App.ErrWriter, format+"\n", args...) }}
	if best := regress.Smallest(m); best != nil && c.Bool("smallest") && !c.Bool("netlist") {
		o.Runs = slices.DeleteFunc(o.Runs, func(s session.Spec) bool { return !maps.Equal(s.Params, best) })
	}
	if n := c.Uint64("count"); n > 0 {
		for i := range o.Runs {
			o.Runs[i].Count = n
		}
		o.First = min(o.First, n)
	}
	if dirs := c.StringSlice("vectors"); len(dirs) > 0 {
		o.First = 0
		if o.Runs, err = runsOf(m, dirs); err != nil {
			return err
		}
	}
	if c.Bool("netlist") {
		o.Runs, o.Batch = atOwnSize(m, o.Runs), len(chosen)
	}
	if _, err := exec.LookPath("yosys"); err == nil && !c.Bool("no-proofs") {
		o.Proof = &mutate.ProofOptions{Params: proofSize(c, m), Timeout: c.Duration("proof-time"),
			Depth: c.Int("proof-depth"), AnyState: c.Bool("quick-proofs")}
	}
	return runQualify(c, d, o, reasons)
}

// designOf finds the mutants of a device, in its text or in its netlist, and why some of them are open. A reason names
// a text: those of a netlist have none.
func designOf(c *cli.Context, m *manifest.Manifest) (*mutate.Design, map[int]string, error) {
	if c.Bool("netlist") {
		if c.String("faults") != "" {
			return nil, nil, cocosim.Errorf(cocosim.BadInput, "--netlist and --faults: faults are planted in the text")
		}
		if c.Bool("every-site") {
			return nil, nil, cocosim.Errorf(cocosim.BadInput, "--netlist and --every-site: sites are places in the text; "+
				"say --mutants N")
		}
		if _, err := exec.LookPath("yosys"); err != nil {
			return nil, nil, &cocosim.Error{Exit: cocosim.BuildFailed, What: "yosys not found, which makes the netlist",
				Do: "as root: apt-get install yosys"}
		}
		n := c.Int("mutants")
		if n <= 0 {
			return nil, nil, cocosim.Errorf(cocosim.BadInput, "--netlist draws mutants: --mutants must be above 0")
		}
		d, err := mutate.ReadNetlist(c.Context, m, n, c.Uint64("seed"))
		return d, nil, err
	}
	d, err := mutate.Read(m)
	if err != nil {
		return nil, nil, err
	}
	reasons, err := d.Reasons()
	return d, reasons, err
}

// runsOf are the runs of vector sets: each once, from a reset.
func runsOf(m *manifest.Manifest, dirs []string) (runs []session.Spec, err error) {
	for _, dir := range dirs {
		set, err := vectors.OpenSet(dir)
		if err != nil {
			return nil, err
		}
		if dir, err = filepath.Abs(dir); err != nil {
			return nil, err
		}
		s := session.Spec{Dut: m.Name, Vectors: dir, Seed: 1, Show: 1, Params: map[string]int{}}
		for name := range m.Parameters {
			if n, ok := set.Configuration[name]; ok {
				s.Params[name] = int(n)
			}
		}
		runs = append(runs, s)
	}
	return runs, nil
}

// atOwnSize are the runs of a netlist, which has the device's own size. Configurations are tried at the smallest: they
// move, but those that the own size rules out.
func atOwnSize(m *manifest.Manifest, runs []session.Spec) []session.Spec {
	stage, _ := stages.Lookup(m.Model)
	for i := range runs {
		settings, err := m.Settings(runs[i].Config)
		allowed := err == nil && (stage.Refuses == nil || stage.Refuses(settings) == "")
		if runs[i].Config != nil && allowed {
			runs[i].Params = nil
		}
	}
	return slices.DeleteFunc(runs, func(s session.Spec) bool { return s.Params != nil })
}

// proofSize is the size that proofs are made at: the smallest without a code over its memories, which Yosys 0.23 does
// not read in ten minutes; a netlist has only its own.
func proofSize(c *cli.Context, m *manifest.Manifest) map[string]int {
	if c.Bool("netlist") {
		return nil
	}
	plain := *m
	plain.Sizes = slices.DeleteFunc(slices.Clone(m.Sizes), func(size map[string]int) bool { return size["Ecc"] != 0 })
	return regress.Smallest(&plain)
}

// runQualify qualifies and prints what came of it. It fails where a mutant is open without a reason, or has one and was
// found.
func runQualify(c *cli.Context, d *mutate.Design, o mutate.Options, reasons map[int]string) error {
	began := time.Now()
	out, err := mutate.Qualify(c.Context, d, o)
	if err != nil {
		return err
	}
	var gone []mutate.Mutant
	if c.String("faults") == "" { // those have numbers of their own
		gone = mutate.Explain(out, reasons)
	}
	s := mutate.Summarize(d, o.Runs, out)
	s.Seconds = time.Since(began).Seconds()
	s.Seed = c.Uint64("seed")
	if file := c.String("matrix"); file != "" && file != "-" {
		if err := writeMatrix(file, mutate.NewMatrix(d, o.Runs, out)); err != nil {
			return err
		}
	}
	if c.Bool("json") {
		err = printQualifyJSON(c.App.Writer, s)
	} else {
		s.Print(c.App.Writer)
	}
	for _, m := range gone {
		fmt.Fprintf(c.App.ErrWriter, "%s:%d %s -> %s has a reason to be open, and is not: take it out\n", m.File, m.Line,
			m.Old, m.New)
	}
	none := noFaults(c, out)
	switch {
	case err != nil:
		return err
	case s.Unknown > 0 || len(gone) > 0 || none:
		return command.Silent(cocosim.Mismatch)
	case s.Classes[mutate.NotBuilt] == len(out):
		return cocosim.Errorf(cocosim.Inconclusive, "nothing was judged: not one of %d mutants is a design", len(out))
	}
	return nil
}

// noFaults names what stands in a list of faults and is none: a text that is no design, or one that does what the
// design does. No run can find these, and a list promises that all are found.
func noFaults(c *cli.Context, out []mutate.Outcome) (any bool) {
	if c.String("faults") == "" {
		return false
	}
	for _, x := range out {
		if x.Class == mutate.NotBuilt || x.Class == mutate.Equivalent {
			any = true
			fmt.Fprintf(c.App.ErrWriter, "%s: %s: it is no fault\n", x.Operator, x.Class)
		}
	}
	return any
}

// mutantsOf are the mutants that the flags ask for: of a file, by number, or drawn.
func mutantsOf(c *cli.Context, d *mutate.Design, reasons map[int]string) ([]mutate.Mutant, error) {
	if c.IsSet("in") && (c.Bool("open") || c.String("faults") != "" || c.IsSet("id")) {
		return nil, cocosim.Errorf(cocosim.BadInput, "--in chooses the files of a draw; --open, --faults and --id draw "+
			"nothing: leave it out")
	}
	if c.Bool("open") {
		return d.Numbered(slices.Collect(maps.Keys(reasons)))
	}
	if file := c.String("faults"); file != "" {
		return faultsOf(c, d, file)
	}
	if c.IsSet("fault") {
		return nil, faultOfNoList()
	}
	if ids := c.IntSlice("id"); len(ids) > 0 {
		return d.Numbered(ids)
	}
	if d = d.In(c.StringSlice("in")); len(d.Mutants) == 0 {
		return nil, cocosim.Errorf(cocosim.BadInput, "--in %s: no file of %s begins so (see --list)",
			strings.Join(c.StringSlice("in"), " --in "), d.Manifest.Name)
	}
	if c.Bool("every-site") {
		return d.EverySite(c.Uint64("seed")), nil
	}
	return d.Sample(c.Int("mutants"), c.Uint64("seed")), nil
}

// faultsOf are the deliberate faults of a file as mutants.
func faultsOf(c *cli.Context, d *mutate.Design, file string) ([]mutate.Mutant, error) {
	faults, err := readFaultLists([]string{file})
	if err == nil {
		faults, err = namedFaults(c, faults, []string{file})
	}
	if err != nil {
		return nil, err
	}
	chosen, leftOut, err := d.Plants(faults)
	for _, name := range leftOut {
		fmt.Fprintf(c.App.ErrWriter, "%s: left out, it is not within one expression or assignment\n", name)
	}
	return chosen, err
}

// faultOfNoList is what --fault is without --faults.
func faultOfNoList() error {
	return cocosim.Errorf(cocosim.BadInput, "--fault is a name in a list of faults: --faults FILE says which")
}

// readFaultLists reads lists of faults.
func readFaultLists(files []string) (all []fault.Fault, err error) {
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, cocosim.Errorf(cocosim.BadInput, "%v", err)
		}
		some, err := fault.Read(text)
		if err != nil {
			return nil, cocosim.Errorf(cocosim.BadInput, "%s: %v", file, err)
		}
		if len(some) == 0 {
			return nil, cocosim.Errorf(cocosim.BadInput, "%s: there is no fault in it", file)
		}
		all = append(all, some...)
	}
	return all, nil
}

// namedFaults are those of lists that --fault names, each of which must be there, or all.
func namedFaults(c *cli.Context, all []fault.Fault, files []string) ([]fault.Fault, error) {
	only := c.StringSlice("fault")
	if len(only) == 0 {
		return all, nil
	}
	var named []fault.Fault
	for _, name := range only {
		at := slices.IndexFunc(all, func(f fault.Fault) bool { return f.Name == name })
		if at < 0 {
			return nil, cocosim.Errorf(cocosim.BadInput, "--fault %s: no fault of this name in %s", name,
				strings.Join(files, ", "))
		}
		named = append(named, all[at])
	}
	return named, nil
}

func writeMatrix(file string, m *mutate.Matrix) error {
	f, err := os.Create(file)
	if err != nil {
		return cocosim.Errorf(cocosim.BadInput, "--matrix: %v", err)
	}
	if filepath.Ext(file) == ".json" {
		err = m.WriteJSON(f)
	} else {
		err = m.WriteCSV(f)
	}
	return errors.Join(err, f.Close())
}

func printQualifyJSON(w io.Writer, s *mutate.Summary) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	return enc.Encode(s)
}
