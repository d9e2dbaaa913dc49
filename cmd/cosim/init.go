package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"hcacosim/cocosim"
	"hcacosim/cocosim/design"
	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/propose"
	"hcacosim/cocosim/session"
	"hcacosim/model/stages"
	"hcacosim/vectors"
)

func initCommand() *cli.Command {
	return &cli.Command{
		Name:      "init",
		Usage:     "propose the manifest of a design from its pins",
		ArgsUsage: "FILE...",
		Description: "Reads the design's ports through Verilator (VHDL through GHDL first) and writes a manifest. What it " +
			"could not tell, or took by a\n" +
			"guess, is one line each, printed and on top of the manifest.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "top", Required: true, Usage: "the module or entity"},
			&cli.StringFlag{Name: "model", Usage: "the stage of the golden model that it is held against; `vecgen list` lists " +
				"them"},
			&cli.StringFlag{Name: "name", Usage: "what reports call the device (default: the top)"},
			&cli.StringFlag{Name: "o", Usage: "`FILE` for the manifest (default: NAME.yaml)"},
			&cli.StringSliceFlag{Name: "I", Usage: "include `DIR`; may be repeated"},
			&cli.StringSliceFlag{Name: "D", Usage: "define `NAME[=VALUE]`; may be repeated"},
			&cli.BoolFlag{Name: "force", Usage: "write over a manifest that is there"},
		},
		Action: proposeManifest,
	}
}

func proposeManifest(c *cli.Context) error {
	if c.NArg() == 0 {
		return cocosim.Errorf(cocosim.BadInput, "cosim init needs the files of the design (see `cosim init --help`)")
	}
	if m := c.String("model"); m != "" {
		if _, ok := stages.Lookup(m); !ok {
			if vectors.IsView(m) {
				return cocosim.Errorf(cocosim.BadInput, "%s is a view for vector sets, and no stage; %s", m, session.ViewUse)
			}
			return cocosim.Errorf(cocosim.BadInput, "the golden model has no stage %q; it has %s", m, session.StageNames())
		}
	}
	name := c.String("name")
	if name == "" {
		name = strings.ToLower(c.String("top"))
	}
	out := c.String("o")
	if out == "" {
		out = name + ".yaml"
	}
	if _, err := os.Stat(out); err == nil && !c.Bool("force") {
		return cocosim.Errorf(cocosim.BadInput, "%s is there already; give --force to write over it, or -o FILE", out)
	}
	in, err := proposalInput(c, name, filepath.Dir(out))
	if err != nil {
		return err
	}
	made, err := propose.Propose(*in)
	if err != nil {
		return err
	}
	if err := os.WriteFile(out, []byte(made.Text), 0o666); err != nil {
		return cocosim.Errorf(cocosim.BadInput, "%v", err)
	}
	w := c.App.Writer
	fmt.Fprintf(w, "wrote %s\n", out)
	if len(made.Notes) > 0 {
		fmt.Fprintf(w, "what it could not tell, or took by a guess:\n")
	}
	for _, n := range made.Notes {
		fmt.Fprintf(w, "  - %s\n", n)
	}
	fmt.Fprintf(w, "next: read it, then\n  cosim lint %s\n  cosim run --dut %s\n", out, dutPath(out))
	return nil
}

// dutPath is a path that --dut takes for one.
func dutPath(file string) string {
	if !manifest.IsPath(file) {
		return "./" + file
	}
	return file
}

// proposalInput elaborates the design that the command line names.
func proposalInput(c *cli.Context, name, dir string) (*propose.Input, error) {
	in := &propose.Input{Name: name, Model: c.String("model"), Defines: map[string]string{}}
	files := design.Files{Top: c.String("top"), Defines: in.Defines}
	for _, d := range c.StringSlice("D") {
		key, value, _ := strings.Cut(d, "=")
		in.Defines[key] = value
	}
	relative := func(name string) (abs, rel string, err error) {
		if abs, err = filepath.Abs(name); err != nil {
			return "", "", err
		}
		base, err := filepath.Abs(dir)
		if err != nil {
			return "", "", err
		}
		if rel, err = filepath.Rel(base, abs); err != nil {
			rel = abs
		}
		return abs, filepath.ToSlash(rel), nil
	}
	for _, file := range c.Args().Slice() {
		if _, err := os.Stat(file); err != nil {
			return nil, &cocosim.Error{Exit: cocosim.BadInput, What: "cannot read " + file, Err: cocosim.Cause(err)}
		}
		abs, rel, err := relative(file)
		if err != nil {
			return nil, err
		}
		if ext := strings.ToLower(filepath.Ext(file)); ext == ".vhd" || ext == ".vhdl" {
			files.VHDL, in.VHDL = append(files.VHDL, abs), append(in.VHDL, rel)
		} else {
			files.Verilog, in.Sources = append(files.Verilog, abs), append(in.Sources, rel)
		}
	}
	for _, d := range c.StringSlice("I") {
		abs, rel, err := relative(d)
		if err != nil {
			return nil, err
		}
		files.Include, in.Include = append(files.Include, abs), append(in.Include, rel)
	}
	var err error
	if in.Top, err = design.Read(c.Context, files); err != nil {
		return nil, err
	}
	in.Other = func(params map[string]int) (*design.Top, error) {
		f := files
		f.Parameters = params
		return design.Read(c.Context, f)
	}
	return in, nil
}
