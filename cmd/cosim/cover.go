package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v2"

	"hcacosim/cmd/internal/command"
	"hcacosim/cocosim"
	"hcacosim/cocosim/adapt"
	"hcacosim/cocosim/cover"
	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/regress"
	"hcacosim/cocosim/report"
	"hcacosim/cocosim/session"
	"hcacosim/model/sim"
	"hcacosim/model/stages"
)

func coverCommand() *cli.Command {
	return &cli.Command{
		Name: "cover",
		Usage: "what runs exercised: merge files of `cosim run --cover` and print, or count what the default " +
			"regression reaches",
		ArgsUsage: "[FILE...]",
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "dut", Usage: "in place of files: the default regression of this device; several"},
			&cli.StringFlag{Name: "device", Value: session.RTL,
				Usage: "with --dut: rtl, or model, which builds nothing and never waits"},
			&cli.BoolFlag{Name: "matter", Usage: "with --dut: which bits of the input records matter, by forcing each in the " +
				"model"},
			&cli.IntFlag{Name: "open", Value: 5, Usage: "bins not hit that are shown of each group"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write the merged coverage to `FILE`"},
			&cli.StringFlag{Name: "html", Usage: "write a page to `FILE`"},
			&cli.StringFlag{Name: "ucis", Usage: "write UCIS XML to `FILE`; no second tool has read it"},
			&cli.StringFlag{Name: "lcov", Usage: "write `DIR`/coverage.info in LCOV's format: bins as lines of files beside it"},
			&cli.StringSliceFlag{Name: "verilator", Usage: "with --lcov: lines of the RTL too, from a `FILE` of `cosim run " +
				"--flavour coverage --coverage FILE`; several"},
			&cli.BoolFlag{Name: "json", Usage: "print the coverage as JSON"},
		},
		Action: coverRuns,
	}
}

func conformCommand() *cli.Command {
	return &cli.Command{
		Name: "conform",
		Usage: "a card of every rule: how often it was exercised, whether it held, which cannot be seen at the device's " +
			"ports",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "dut", Value: "resp_psn_check",
				Usage: "a device that `cosim duts` lists, or the path of a manifest"},
			&cli.StringFlag{Name: "device", Value: session.RTL, Usage: "rtl or model"},
			&cli.BoolFlag{Name: "json", Usage: "print the card as JSON"},
		},
		Action: conform,
	}
}

func coverRuns(c *cli.Context) error {
	var sheets []*cover.Sheet
	for _, file := range c.Args().Slice() {
		some, err := readSheets(file)
		if err != nil {
			return err
		}
		if sheets, err = cover.MergeAll(sheets, some); err != nil {
			return cocosim.Errorf(cocosim.BadInput, "%s: %v", file, err)
		}
	}
	for _, dut := range c.StringSlice("dut") {
		o, _, err := observeRegression(c, dut, c.String("device"))
		if err != nil {
			return err
		}
		if sheets, err = cover.MergeAll(sheets, []*cover.Sheet{o.Sheet}); err != nil {
			return cocosim.Errorf(cocosim.BadInput, "%v", err)
		}
	}
	if len(sheets) == 0 {
		return cocosim.Errorf(cocosim.BadInput, "nothing to count: give files of `cosim run --cover FILE`, or --dut")
	}
	for flag, write := range map[string]func(io.Writer, []*cover.Sheet) error{"output": cover.Write,
		"html": cover.WriteHTML, "ucis": cover.WriteUCIS} {
		if file := c.String(flag); file != "" {
			if err := cover.WriteFile(file, sheets, write); err != nil {
				return cocosim.Errorf(cocosim.BadInput, "%v", err)
			}
		}
	}
	if err := writeLCOV(c, sheets); err != nil {
		return err
	}
	if c.Bool("json") {
		return cover.Write(c.App.Writer, sheets)
	}
	for _, s := range sheets {
		s.Print(c.App.Writer, c.Int("open"))
	}
	return nil
}

func readSheets(file string) ([]*cover.Sheet, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, cocosim.Errorf(cocosim.BadInput, "%v", err)
	}
	defer f.Close()
	sheets, err := cover.Read(f)
	if err != nil {
		return nil, cocosim.Errorf(cocosim.BadInput, "%s is no coverage of `cosim run --cover`: %v", file, err)
	}
	for _, s := range sheets {
		if s == nil {
			return nil, cocosim.Errorf(cocosim.BadInput, "%s: coverage of nothing", file)
		}
		if err := s.Valid(); err != nil {
			return nil, cocosim.Errorf(cocosim.BadInput, "%s: %v", file, err)
		}
	}
	return sheets, nil
}

// observer makes the observer of a device at the settings of a run. options get what tells it of the run.
func observer(spec *session.Spec, options *session.Options) (*cover.Observer, error) {
	m, err := manifest.Find(spec.Dut)
	if err != nil {
		return nil, err
	}
	stage, ok := stages.Lookup(m.Model)
	if !ok {
		return nil, session.NoStage(m)
	}
	if m, err = m.Resolve(spec.Params); err != nil {
		return nil, err
	}
	settings, err := m.Settings(spec.Config)
	if err != nil {
		return nil, err
	}
	stage = stage.At(settings)
	view, err := adapt.New(m, stage)
	if err != nil {
		return nil, err
	}
	o := cover.New(&stage, settings)
	watchStalls(o, &stage, m, spec)
	if options.Tap, options.Taken = o.Tap, o.Taken; !view.IsPlain {
		w := view.Watch(stage, settings, o)
		options.Tap, options.Taken = w.Tap, w.Taken
	}
	return o, nil
}

// watchStalls tells which outputs a run holds back when: by the draws of the bridge, where the ports of the device are
// those of its stage.
func watchStalls(o *cover.Observer, stage *sim.StageSpec, m *manifest.Manifest, spec *session.Spec) {
	if len(m.Ports) != len(stage.Ports) {
		return
	}
	config := cocosim.Config{Seed: spec.Seed, Backpressure: spec.Backpressure, Idle: spec.Idle,
		StallOnly: 1 + m.PortNumber(spec.StallOnly)}
	var stalls []cocosim.Stalls
	for i := range m.Ports {
		if m.Ports[i].Name != stage.Ports[i].Name {
			return
		}
		stalls = append(stalls, cocosim.StallsOf(config, i))
	}
	holds := func(port sim.Port, cycle uint64) bool { return stalls[port].Holds(cycle) }
	if spec.Backpressure == 0 {
		holds = nil
	}
	o.Held(holds, func(port sim.Port) bool { return m.Ports[port].Pins.Ready != "" })
}

// disagreed is what runs that do not agree leave: how many, the first, and the exit code of all.
type disagreed struct {
	runs  int
	first string
	exit  cocosim.Exit
}

func (d *disagreed) add(rep *report.Report) {
	exit := rep.Exit()
	if exit == cocosim.Agreed {
		return
	}
	if d.runs++; d.runs == 1 {
		d.first, d.exit = rep.Reproduce+": "+rep.Verdict(), exit
	}
	if exit == cocosim.Mismatch {
		d.exit = exit
	}
}

// observeRegression runs the default regression of a device, made short, and counts.
func observeRegression(c *cli.Context, dut, device string) (*cover.Observer, disagreed, error) {
	var failed disagreed
	m, err := manifest.Find(dut)
	if err != nil {
		return nil, failed, err
	}
	var all *cover.Observer
	for _, spec := range regress.Short(m) {
		spec.Dut, spec.Device = dut, device
		options := session.Options{Log: logger(c)}
		o, err := observer(&spec, &options)
		if err != nil {
			return nil, failed, err
		}
		if device == session.Model {
			o.NeverWaits()
		}
		o.Begin(spec.Line())
		rep, err := session.Run(c.Context, spec, options)
		if err == nil && c.Bool("matter") && spec.Backpressure == 0 {
			err = matter(o, spec)
		}
		if err != nil {
			return nil, failed, err
		}
		if rep.Err != nil {
			return nil, failed, rep.Err
		}
		failed.add(rep)
		if all == nil {
			all = o
			continue
		}
		if err := all.Add(o); err != nil {
			return nil, failed, err
		}
	}
	return all, failed, nil
}

// matterRecords is how many records of a run are played again with each bit forced.
const matterRecords = 4000

// matter adds which bits of the records of a run matter.
func matter(o *cover.Observer, spec session.Spec) error {
	offers, err := session.Records(spec, matterRecords)
	if err != nil {
		return err
	}
	m, err := manifest.Find(spec.Dut)
	if err != nil {
		return err
	}
	if m, err = m.Resolve(spec.Params); err != nil {
		return err
	}
	settings, err := m.Settings(spec.Config)
	if err != nil {
		return err
	}
	records, cycle := make([]sim.Record, len(offers)), uint64(0)
	for i := range offers { // an idle device takes one a cycle
		cycle = max(cycle+1, offers[i].NotBefore)
		records[i] = offers[i].Accepted(cycle, cycle)
	}
	o.Matter(settings, records)
	return nil
}

func conform(c *cli.Context) error {
	m, err := manifest.Find(c.String("dut"))
	if err != nil {
		return err
	}
	o, failed, err := observeRegression(c, c.String("dut"), c.String("device"))
	if err != nil {
		return err
	}
	card := o.Card(o.Broken())
	if c.Bool("json") {
		if err := json.NewEncoder(c.App.Writer).Encode(card); err != nil {
			return err
		}
	} else {
		card.Print(c.App.Writer)
		for _, line := range notCompared(m) {
			fmt.Fprintf(c.App.Writer, "  %s\n", line)
		}
		fmt.Fprintf(c.App.Writer, "  %d runs, %d of them no agreement\n", len(o.Runs), failed.runs)
		if failed.runs > 0 {
			fmt.Fprintf(c.App.Writer, "  the first  %s\n", failed.first)
		}
	}
	if failed.runs > 0 {
		return command.Silent(failed.exit)
	}
	return nil
}

// coverTap has a run counted for --cover; nil without the flag.
func coverTap(c *cli.Context, spec *session.Spec, options *session.Options) (o *cover.Observer, err error) {
	if c.String("cover") == "" {
		return nil, nil
	}
	if o, err = observer(spec, options); err != nil {
		return nil, err
	}
	o.Begin(spec.Line())
	return o, nil
}
