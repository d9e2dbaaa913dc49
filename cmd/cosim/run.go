package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"hcacosim/cmd/internal/command"
	"hcacosim/cocosim"
	"hcacosim/model/hca"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

func runCommand() *cli.Command {
	return &cli.Command{
		Name:  "run",
		Usage: "drive a device with packets and diff everything that comes out against the golden model",
		Description: "Packets come from --vectors, --known, --capture and --scenario, in this order; without any of them from the\n" +
			"default scenario of the device.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "dut", Value: "icrc_check", Usage: "a device that `cosim duts` lists, or the path of a manifest"},
			&cli.StringFlag{Name: "vectors", Usage: "play a vector set made by vecgen"},
			&cli.BoolFlag{Name: "known", Usage: "play the real packets that come with cosim"},
			&cli.StringSliceFlag{Name: "capture", Usage: "play a pcap or pcapng file; may be repeated"},
			&cli.StringFlag{Name: "scenario", Usage: "play generated packets; `vecgen list` lists the scenarios"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "of the scenario, backpressure and idle beats"},
			&cli.Uint64Flag{Name: "count", Usage: "packets of the scenario (default: enough for all that it promises)"},
			&cli.StringSliceFlag{Name: "param", Usage: "override a parameter of the device: NAME=NUMBER; may be repeated"},
			&cli.StringSliceFlag{Name: "config", Usage: "set a configuration input of the device: NAME=NUMBER; may be repeated"},
			&cli.StringFlag{Name: "device", Value: "rtl", Usage: "rtl, model or recording (what a vector set expects)"},
			&cli.StringFlag{Name: "flavour", Value: string(cocosim.Fast), Usage: "fast, debug (assertions on), quick (compiles fastest) or coverage"},
			&cli.StringFlag{Name: "coverage", Usage: "`FILE` for what a build of --flavour coverage counted, in Verilator's format"},
			&cli.Float64Flag{Name: "backpressure", Usage: "share of cycles (0 to 0.99) in which an output is not ready"},
			&cli.Float64Flag{Name: "idle", Usage: "share of cycles (0 to 0.99) in which an input holds back its next beat"},
			&cli.IntFlag{Name: "batch", Value: cocosim.DefaultBatch, Usage: "records a call to the device; never shows in a result"},
			&cli.Uint64Flag{Name: "limit-cycles", Usage: "stop without a verdict after this many cycles"},
			&cli.DurationFlag{Name: "timeout", Usage: "stop without a verdict after this long"},
			&cli.IntFlag{Name: "show", Value: 3, Usage: "print this many mismatches in full"},
			&cli.BoolFlag{Name: "json", Usage: "one JSON object on stdout"},
		},
		Action: runDut,
	}
}

func runDut(c *cli.Context) error {
	if c.NArg() > 0 {
		return cocosim.Errorf(cocosim.BadInput, "unexpected argument %q (see `cosim run --help`)", c.Args().First())
	}
	ctx, cancel := limited(c)
	defer cancel()
	j, err := newJob(ctx, c)
	if err != nil {
		return err
	}
	rep := j.run(ctx, c)
	if c.Bool("json") {
		if err := json.NewEncoder(c.App.Writer).Encode(rep.Object()); err != nil {
			return err
		}
	} else {
		rep.Print(c.App.Writer)
	}
	if rep.Err != nil {
		fmt.Fprintln(c.App.ErrWriter, "cosim:", rep.Err)
	}
	if exit := rep.Exit(); exit != cocosim.Agreed {
		return command.Silent(exit)
	}
	return nil
}

func limited(c *cli.Context) (context.Context, context.CancelFunc) {
	if d := c.Duration("timeout"); d > 0 {
		return context.WithTimeoutCause(c.Context, d, fmt.Errorf("the limit of %s", d))
	}
	return context.WithCancel(c.Context)
}

// job is a run as the command line asks for it.
type job struct {
	manifest *cocosim.Manifest // resolved
	spec     hca.StageSpec
	params   map[string]int    // overridden
	inputs   map[string]uint64 // configuration inputs, overridden
	set      *vectors.Set
	parts    []cocosim.Stimulus
	source   []string // the parts in words
	total    uint64   // packets, where known; for the progress bar
	device   cocosim.Device
}

func newJob(ctx context.Context, c *cli.Context) (*job, error) {
	for _, share := range []string{"backpressure", "idle"} {
		if v := c.Float64(share); v < 0 || v > 0.99 {
			return nil, cocosim.Errorf(cocosim.BadInput, "--%s is a share of cycles from 0 to 0.99, not %v", share, v)
		}
	}
	j := &job{params: map[string]int{}, inputs: map[string]uint64{}}
	if err := j.chooseDut(c); err != nil {
		return nil, err
	}
	if err := j.configure(c); err != nil {
		return nil, err
	}
	if err := j.chooseStimulus(c); err != nil {
		return nil, err
	}
	return j, j.openDevice(ctx, c)
}

func (j *job) chooseDut(c *cli.Context) error {
	m, err := cocosim.FindManifest(c.String("dut"))
	if err != nil {
		return err
	}
	j.manifest = m
	spec, ok := hca.Lookup(m.Model)
	if !ok {
		var names []string
		for _, s := range hca.Stages() {
			names = append(names, s.Name)
		}
		return cocosim.Errorf(cocosim.BadInput, "%s: the golden model has no stage %q; it has %s", m.Path(), m.Model, strings.Join(names, ", "))
	}
	j.spec = spec
	return nil
}

// configure settles parameters and configuration inputs: the manifest's, over them the vector set's, over them the flags'.
func (j *job) configure(c *cli.Context) (err error) {
	if dir := c.String("vectors"); dir != "" {
		if err := j.openSet(dir); err != nil {
			return err
		}
	}
	for _, flag := range []string{"param", "config"} {
		for _, s := range c.StringSlice(flag) {
			name, n, err := command.Setting(flag, s)
			if err != nil {
				return cocosim.Errorf(cocosim.BadInput, "%v", err)
			}
			if flag == "param" {
				j.params[name] = int(n)
			} else {
				j.inputs[name] = n
			}
		}
	}
	if j.manifest, err = j.manifest.Resolve(j.params); err != nil {
		return err
	}
	if _, err = j.manifest.Settings(j.inputs); err != nil {
		return err
	}
	return samePorts(j.manifest, j.spec)
}

// openSet opens a vector set and takes the settings that it was made with.
func (j *job) openSet(dir string) (err error) {
	if j.set, err = vectors.OpenSet(dir); err != nil {
		return err
	}
	for name, n := range j.set.Configuration {
		if _, ok := j.manifest.Parameters[name]; ok {
			j.params[name] = int(n)
		} else {
			j.inputs[name] = n
		}
	}
	return nil
}

// settings are what the model is told: every parameter and configuration input.
func (j *job) settings() hca.Settings {
	s, _ := j.manifest.Settings(j.inputs) // configure has checked them
	return s
}

// samePorts holds a device's port table against its stage's: same names, directions and kinds, in the same order.
func samePorts(m *cocosim.Manifest, spec hca.StageSpec) error {
	have := m.PortSpecs()
	if slices.Equal(have, spec.Ports) {
		return nil
	}
	return cocosim.Errorf(cocosim.BadInput, "%s: the ports are %s, but stage %s has %s", m.Path(), portText(have), spec.Name, portText(spec.Ports))
}

func portText(ports []hca.PortSpec) string {
	var parts []string
	for _, p := range ports {
		parts = append(parts, fmt.Sprintf("%s (input %v, %d user bits)", p.Name, p.Input, p.UserBits))
	}
	return strings.Join(parts, ", ")
}

func (j *job) chooseStimulus(c *cli.Context) error {
	if j.set != nil {
		if err := j.addSet(); err != nil {
			return err
		}
	}
	if c.Bool("known") {
		j.addCaptures("known captures", knownCaptures())
	}
	if files := c.StringSlice("capture"); len(files) > 0 {
		j.addCaptures("captures", openers(files))
	}
	if c.IsSet("scenario") || len(j.parts) == 0 {
		return j.addScenario(c)
	}
	return nil
}

func (j *job) addSet() error {
	set, dir := j.set, j.set.Dir
	if set.Dut != j.spec.Name {
		return cocosim.Errorf(cocosim.BadInput, "%s: a vector set for %s; the device is held against %s", dir, set.Dut, j.spec.Name)
	}
	records, err := set.Stimulus()
	if err != nil {
		return err
	}
	j.parts = append(j.parts, records)
	j.source = append(j.source, "vector set "+dir)
	j.total += set.StimulusRecords
	return nil
}

func (j *job) addCaptures(what string, list []opener) {
	for _, o := range list {
		j.parts = append(j.parts, &capturePart{open: o.open, stage: j.spec})
	}
	j.source = append(j.source, fmt.Sprintf("%s (%d files)", what, len(list)))
}

func (j *job) addScenario(c *cli.Context) error {
	s := vectors.DefaultScenario(j.spec.Name)
	if c.IsSet("scenario") {
		var err error
		if s, err = vectors.LookupScenario(c.String("scenario")); err != nil {
			return err
		}
	}
	count := cmp.Or(c.Uint64("count"), s.Count)
	g, err := vectors.NewGenerated(s, j.spec, c.Uint64("seed"), count)
	if err != nil {
		return err
	}
	j.parts = append(j.parts, g)
	j.source = append(j.source, fmt.Sprintf("%s, seed %d, %d packets", s.Name, c.Uint64("seed"), count))
	j.total += count
	return nil
}

func (j *job) openDevice(ctx context.Context, c *cli.Context) (err error) {
	switch kind := c.String("device"); kind {
	case "model":
		j.device = cocosim.NewGolden(j.spec, j.settings(), max(1, j.manifest.Ports[0].Width.Bits/8))
	case "recording":
		j.device, err = j.openRecording()
	case "rtl":
		j.device, err = j.openRTL(ctx, c)
	default:
		err = cocosim.Errorf(cocosim.BadInput, "--device is rtl, model or recording, not %q", kind)
	}
	return err
}

func (j *job) openRecording() (cocosim.Device, error) {
	if j.set == nil || len(j.parts) > 1 {
		return nil, cocosim.Errorf(cocosim.BadInput, "--device recording plays what a vector set expects: give --vectors and nothing else")
	}
	if j.spec.Judge != nil {
		return nil, cocosim.Errorf(cocosim.BadInput, "--device recording: %s is judged by its time, and a recording has no clock", j.spec.Name)
	}
	expected, err := j.set.Expected()
	if err != nil {
		return nil, err
	}
	return cocosim.NewRecording(j.spec, expected), nil
}

func (j *job) openRTL(ctx context.Context, c *cli.Context) (cocosim.Device, error) {
	log := logger(c)
	return cocosim.OpenRTL(ctx, j.manifest, cocosim.RTLOptions{Params: j.params, Flavour: cocosim.Flavour(c.String("flavour")), Coverage: c.String("coverage"), Log: log})
}

func (j *job) config(c *cli.Context) cocosim.Config {
	return cocosim.Config{Seed: c.Uint64("seed"), Backpressure: c.Float64("backpressure"), Idle: c.Float64("idle"), Inputs: j.inputs}
}

// policies judge the ports: content and order exactly; time against what the manifest promises, where nothing is held up on
// purpose and the device has a clock of its own to judge.
func (j *job) policies(c *cli.Context) []cocosim.Policy {
	ps := make([]cocosim.Policy, len(j.spec.Ports))
	if c.String("device") != "rtl" {
		return ps
	}
	free := c.Float64("backpressure") == 0
	for i, p := range j.manifest.Ports {
		ps[i] = cocosim.Policy{BeatBytes: p.BeatBytes(), FullRate: free && p.FullRate() && c.Float64("idle") == 0}
		if p.Pins.Ready != "" {
			ps[i].Stalls = cocosim.StallsOf(j.config(c), i)
		}
		if free {
			ps[i].Window = p.Window
		}
	}
	return ps
}

// checker is the model as a judge: by the order that it gives, or following the choices of the device.
func (j *job) checker(c *cli.Context) cocosim.Checker {
	if j.spec.Judge != nil {
		timed := c.String("device") == "rtl" && c.Float64("backpressure") == 0
		return cocosim.NewChoiceChecker(j.spec, j.settings(), j.policies(c), timed)
	}
	return cocosim.NewStageChecker(j.spec, j.settings(), j.policies(c))
}

func (j *job) run(ctx context.Context, c *cli.Context) *cocosim.Report {
	stimulus := cocosim.Chain(j.parts...)
	bar := newProgress(c.App.ErrWriter, j.total)
	res, err := cocosim.Run(ctx, cocosim.RunConfig{
		Device:    j.device,
		Checker:   j.checker(c),
		Stimulus:  stimulus,
		Config:    j.config(c),
		Batch:     c.Int("batch"),
		MaxCycles: c.Uint64("limit-cycles"),
		Keep:      c.Int("show"),
		Progress:  bar.add,
	})
	bar.done()
	return &cocosim.Report{
		Dut: j.manifest.Name, Device: c.String("device"), Build: j.device.BuildID(), Params: j.manifest.Parameters,
		Source: strings.Join(j.source, " + "), Seed: c.Uint64("seed"), Reproduce: reproduce(c),
		Ports: j.spec.Ports, Manifest: j.manifest, Origin: stimulus.Origin, Describe: j.describe,
		User:   func(_ string, user uint32) string { return hca.VerdictText(j.spec.Name, user) },
		Result: res, Err: err,
	}
}

// describe prints a packet field by field. A stage without a sideband for the link takes IB native packets only. Records are
// short: the bytes say it all.
func (j *job) describe(w io.Writer, indent string, packet []byte, user uint32) {
	if j.spec.Ports[0].Kind != hca.Axis {
		return
	}
	link := wire.LinkIB
	if j.spec.Ports[0].UserBits > 0 {
		link = wire.Link(user & 1)
	}
	vectors.Describe(w, indent, link, packet, len(packet))
}

// reproduce is the command line again, with every flag that was given.
func reproduce(c *cli.Context) string {
	parts := []string{"cosim run --dut", quote(c.String("dut"))}
	for _, f := range c.Command.Flags {
		name := f.Names()[0]
		if name == "dut" || name == "json" || !c.IsSet(name) && name != "seed" {
			continue
		}
		switch f.(type) {
		case *cli.BoolFlag:
			parts = append(parts, "--"+name)
		case *cli.StringSliceFlag:
			for _, v := range c.StringSlice(name) {
				parts = append(parts, "--"+name, quote(v))
			}
		default:
			parts = append(parts, "--"+name, quote(fmt.Sprint(c.Value(name))))
		}
	}
	return strings.Join(parts, " ")
}

func quote(s string) string {
	if strings.ContainsAny(s, " '\"$&|;<>*?") || s == "" {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// isTerminal tells whether progress may be drawn on w.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
