package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"hcacosim/cmd/internal/command"
	"hcacosim/cocosim"
	"hcacosim/cocosim/guide"
	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/regress"
	"hcacosim/cocosim/session"
	"hcacosim/cocosim/verilated"
	"hcacosim/model/sim"
	"hcacosim/model/stages"
	"hcacosim/vectors"
	"hcacosim/vectors/scenario"
)

func guideCommand() *cli.Command {
	return &cli.Command{
		Name: "guide",
		Usage: "search for a short vector set that meets every bin of a device's stage and reaches as much of its RTL as " +
			"a search finds",
		Description: "`vecgen guide` on the golden model first; then segments are played on the RTL, and those that reach " +
			"a line, a branch or,\nwith --toggles, a bit's change that nothing before them did are kept, cut down and ranked. " +
			"The same build and seed give the same set.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "dut", Required: true, Usage: "name of a device, or the path of its manifest"},
			&cli.StringSliceFlag{Name: "param", Usage: "override a parameter of the device: NAME=NUMBER; may be repeated; " +
				"without any the smallest size is taken"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "same seed, same set"},
			&cli.Uint64Flag{Name: "patience", Value: guide.DefaultPatience, Usage: "packets tried on the golden model " +
				"without a new bin after which that search ends"},
			&cli.IntFlag{Name: "tries", Value: 500, Usage: "segments that are played on the RTL"},
			&cli.BoolFlag{Name: "toggles", Usage: "bits that change count too"},
			&cli.Uint64SliceFlag{Name: "chance", Usage: "also say what the first `N` records of the stage's scenarios reach"},
			&cli.StringFlag{Name: "o", Usage: "`DIR` of the vector set; left out: none is written"},
			&cli.BoolFlag{Name: "force", Usage: "replace a vector set that is there"},
		},
		Action: guidePoints,
	}
}

// rtlProbe plays records on a build that counts.
type rtlProbe struct {
	ctx  context.Context
	spec session.Spec
	at   map[verilated.CoveragePoint]int
}

func guidePoints(c *cli.Context) error {
	dir, err := os.MkdirTemp("", "cosim-guide-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	p, t, err := probeOf(c)
	if err != nil {
		return err
	}
	p.spec.Coverage = filepath.Join(dir, "points.dat")
	if c.Bool("toggles") {
		p.spec.Flavour = verilated.Toggle
	}
	for _, n := range c.Uint64Slice("chance") {
		if err := p.chance(c, t, n); err != nil {
			return err
		}
	}
	return p.search(c, t)
}

// probeOf is the device of the flags and the stage that it is searched for.
func probeOf(c *cli.Context) (*rtlProbe, guide.Target, error) {
	var t guide.Target
	m, err := manifest.Find(c.String("dut"))
	if err != nil {
		return nil, t, err
	}
	params := maps.Clone(regress.Smallest(m))
	if params == nil || c.IsSet("param") {
		params = map[string]int{}
	}
	for _, text := range c.StringSlice("param") {
		name, n, err := command.Setting("param", text)
		if err != nil {
			return nil, t, cocosim.Errorf(cocosim.BadInput, "%v", err)
		}
		params[name] = int(n)
	}
	if m, err = m.Resolve(params); err != nil {
		return nil, t, err
	}
	var ok bool
	if t.Spec, ok = stages.Lookup(m.Model); !ok {
		return nil, t, session.NoStage(m)
	}
	t.Settings, err = m.Settings(nil)
	return &rtlProbe{ctx: c.Context, at: map[verilated.CoveragePoint]int{}, spec: session.Spec{Dut: c.String("dut"),
		Params: params, Seed: c.Uint64("seed"), Flavour: verilated.Coverage, Drain: pointDrain, Show: 1}}, t, err
}

// pointDrain is how many cycles a play has behind its last record: what is reached later counts for nothing.
const pointDrain = 400

func (p *rtlProbe) search(c *cli.Context, t guide.Target) error {
	w := c.App.Writer
	found := guide.Search(t, guide.Options{Seed: c.Uint64("seed"), Patience: c.Uint64("patience"),
		Stop: func() bool { return c.Context.Err() != nil }})
	r, err := guide.SearchPoints(found, p.play, guide.PointOptions{Seed: c.Uint64("seed"), Tries: c.Int("tries"),
		Watch: func(tried, reached int) {
			fmt.Fprintf(c.App.ErrWriter, "%d plays: %d points\n", tried, reached)
		}})
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "bins    %d of %d in %d records: they reach %d of %d points of the RTL\n", found.Met.Len(), found.Bins,
		found.Source().Len(), r.Before.Len(), len(p.at))
	fmt.Fprintf(w, "guided  %d points in %d records, of %d plays; %d segments more\n", r.Points.Len(), r.Source().Len(),
		r.Tries, r.Added)
	if c.String("o") == "" {
		return nil
	}
	_, err = vectors.WriteSet(c.String("o"), vectors.Manifest{Name: fmt.Sprintf("points-%d", c.Uint64("seed")),
		Dut: t.Spec.Name, Generator: scenario.GeneratorVersion, Seed: c.Uint64("seed"), Source: "guided by RTL",
		Command: fmt.Sprintf("cosim guide --dut %s --seed %d --tries %d", c.String("dut"), c.Uint64("seed"),
			c.Int("tries"))}, r.Source(), vectors.SetOptions{Force: c.Bool("force"), Settings: t.Settings})
	return err
}

// chance says what the scenarios of a stage reach by themselves.
func (p *rtlProbe) chance(c *cli.Context, t guide.Target, n uint64) error {
	var all guide.Set
	for _, records := range guide.Chance(t, c.Uint64("seed"), n) {
		set, err := p.play(records)
		if err != nil {
			return err
		}
		if all == nil {
			all = make(guide.Set, len(set))
		}
		all.Join(set)
	}
	fmt.Fprintf(c.App.Writer, "chance  %d points in %d records\n", all.Len(), n)
	return nil
}

// play is the Probe: a run of the records, which must agree.
func (p *rtlProbe) play(records []sim.Offer) (guide.Set, error) {
	rep, err := session.Run(p.ctx, p.spec, session.Options{Records: records})
	if err != nil {
		return nil, err
	}
	if exit := rep.Exit(); exit != cocosim.Agreed {
		rep.Print(os.Stdout)
		return nil, command.Silent(exit)
	}
	counts := verilated.Coverages{}
	if err := counts.ReadCoverage(p.spec.Coverage); err != nil {
		return nil, err
	}
	if len(p.at) == 0 {
		p.order(counts)
	}
	set := guide.NewSet(len(p.at))
	for point, n := range counts {
		if n > 0 {
			set.Add(p.at[point])
		}
	}
	return set, nil
}

// order gives each point its place: by file and line.
func (p *rtlProbe) order(counts verilated.Coverages) {
	points := slices.SortedFunc(maps.Keys(counts), func(a, b verilated.CoveragePoint) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			strings.Compare(a.Kind, b.Kind), strings.Compare(a.Lines, b.Lines))
	})
	for i, point := range points {
		p.at[point] = i
	}
}
