package main

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"hcacosim/cmd/internal/command"
	"hcacosim/cocosim"
	"hcacosim/cocosim/adapt"
	"hcacosim/cocosim/export"
	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/mutate/fault"
	"hcacosim/cocosim/regress"
	"hcacosim/cocosim/session"
	"hcacosim/rtl"
	"hcacosim/vectors"
)

func exportCommand() *cli.Command {
	return &cli.Command{
		Name:  "export",
		Usage: "write a block as plain Verilog-2001, with vectors and a bench for any simulator",
		Description: "Writes NAME.v through Yosys (memories stay arrays, names stay), a vector set with a word a line for " +
			"$readmemh, and bench.v, which\n" +
			"plays it: ./run.sh icarus in Icarus Verilog, ./run.sh verilator on the sources as they are, which lie beside it " +
			"in src. NAME_sim.v is\n" +
			"NAME.v with start values for its registers, drawn at random as in hardware",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "dut", Value: "icrc_check",
				Usage: "a device that `cosim duts` lists, or the path of a manifest"},
			&cli.StringSliceFlag{Name: "param", Usage: "override a parameter of the device: NAME=NUMBER; may be repeated"},
			&cli.BoolFlag{Name: "smallest", Usage: "the smallest of the sizes that the manifest names"},
			&cli.StringFlag{Name: "o", Usage: "`DIR` for the files (default: NAME-verilog)"},
			&cli.Uint64Flag{Name: "count", Value: 300, Usage: "packets of the vector set; 0 writes the Verilog only"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "of the vector set"},
			&cli.BoolFlag{Name: "strict", Usage: "vectors that expect what one device gives, also where the rules leave a " +
				"choice"},
			&cli.BoolFlag{Name: "core", Usage: "write NAME.core for FuseSoC and nothing else; its files are relative to --root"},
			&cli.StringFlag{Name: "root", Value: "rtl", Usage: "where the core file finds the sources that come along"},
			&cli.BoolFlag{Name: "check", Usage: "run the bench in Icarus Verilog"},
			&cli.StringFlag{Name: "fault", Usage: "plant deliberate fault `NAME` of docs/faults.md in the design: does " +
				"the bench find it?"},
		},
		Action: exportBlock,
	}
}

func exportBlock(c *cli.Context) error {
	m, err := manifest.Find(c.String("dut"))
	if err != nil {
		return err
	}
	params := map[string]int{}
	if c.Bool("smallest") {
		maps.Copy(params, regress.Smallest(m))
	}
	for _, text := range c.StringSlice("param") {
		name, n, err := command.Setting("param", text)
		if err != nil {
			return cocosim.Errorf(cocosim.BadInput, "%v", err)
		}
		params[name] = int(n)
	}
	if m, err = m.Resolve(params); err != nil {
		return err
	}
	dir := c.String("o")
	if dir == "" {
		dir = m.Name + "-verilog"
	}
	_, before := os.Stat(dir)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return cocosim.Errorf(cocosim.BadInput, "%v", err)
	}
	if err = exportInto(c, m, dir); err != nil && before != nil {
		os.Remove(dir) // which only an empty one is
	}
	return err
}

func exportInto(c *cli.Context, m *manifest.Manifest, dir string) error {
	if c.Bool("core") {
		return exportCore(c, m, dir)
	}
	change, err := planted(c.String("fault"))
	if err != nil {
		return err
	}
	file, err := export.Verilog(c.Context, m, dir, change, func(pass string, since time.Duration) {
		if !c.Bool("quiet") {
			fmt.Fprintf(c.App.ErrWriter, "%s: Yosys, for %v: %s\n", m.Name, since.Round(time.Second), pass)
		}
	})
	if err != nil {
		return err
	}
	if err := export.Sources(m, dir, change); err != nil {
		return err
	}
	fmt.Fprintf(c.App.Writer, "%s%s: %s\n", m.Name, parameterTail(m), file)
	return exportVectors(c, m, dir)
}

// planted is the change of a design that a deliberate fault is; nil for none.
func planted(name string) (export.Change, error) {
	if name == "" {
		return nil, nil
	}
	all, err := fault.BesideBlocks(rtl.FS)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(all, func(f fault.Fault) bool { return f.Name == name })
	if at < 0 {
		return nil, cocosim.Errorf(cocosim.BadInput, "--fault %s: no such fault of the RTL (docs/faults.md lists them)", name)
	}
	return func(files []manifest.Source) error {
		for i := range files {
			if path.Join("rtl", files[i].Path) != all[at].File {
				continue
			}
			text, err := all[at].Plant(files[i].Text)
			files[i].Text = text
			return err
		}
		return cocosim.Errorf(cocosim.BadInput, "--fault %s: %s is not a file of the design", name, all[at].File)
	}, nil
}

func exportCore(c *cli.Context, m *manifest.Manifest, dir string) error {
	root := c.String("root")
	if !m.Embedded() {
		root = ""
	}
	text, err := export.Core(m, root)
	if err != nil {
		return err
	}
	file := filepath.Join(dir, m.Name+".core")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		return cocosim.Errorf(cocosim.BadInput, "%v", err)
	}
	fmt.Fprintln(c.App.Writer, file)
	return nil
}

func parameterTail(m *manifest.Manifest) string {
	if text := parameterText(m.Parameters); text != "" {
		return " " + text
	}
	return ""
}

// noBench says why there is none, which --check would run.
func noBench(c *cli.Context, why string) error {
	if why != "" {
		fmt.Fprintf(c.App.Writer, "  no bench: %s\n", why)
	}
	if c.Bool("check") {
		return cocosim.Errorf(cocosim.Inconclusive, "--check: nothing was checked, as there is no bench")
	}
	return nil
}

// exportVectors writes the vectors and the bench, where the device has the ports of its stage and answers in one order.
func exportVectors(c *cli.Context, m *manifest.Manifest, dir string) error {
	stage, ok := vectors.Lookup(m.Model)
	if !ok {
		return session.NoStage(m)
	}
	view, err := adapt.New(m, stage)
	if err != nil {
		return err
	}
	w := c.App.Writer
	switch {
	case c.Uint64("count") == 0:
		return noBench(c, "")
	case !view.IsPlain || m.Accepts != nil || m.Setup != nil || len(m.Clocks) > 0:
		return noBench(c, "the ports are not those of stage "+stage.Name)
	case stage.Checker != nil || stage.ByTime:
		return noBench(c, stage.Name+" is judged by its time, which vectors do not have")
	}
	set, err := export.Vectors(m, stage, dir, c.Uint64("seed"), c.Uint64("count"), c.Bool("strict"))
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "  %d records in, %d expected: %s/vectors, %s/bench.v\n", set.StimulusRecords, set.ExpectRecords, dir,
		dir)
	if !c.Bool("check") {
		return nil
	}
	words, err := export.Run(c.Context, m, dir)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "  Icarus Verilog: AGREED, %d words\n", words)
	return nil
}
