package session

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/go-hclog"

	"hcacosim/cocosim"
	"hcacosim/cocosim/adapt"
	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/report"
	"hcacosim/cocosim/verilated"
	"hcacosim/model/hca"
	"hcacosim/model/sim"
	"hcacosim/model/stages"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// Session is a Spec resolved: device, model and stimulus are there. It runs once.
type Session struct {
	spec     Spec
	manifest *manifest.Manifest // with the Spec's parameters
	stage    sim.StageSpec
	params   map[string]int    // the vector set's, over them the Spec's
	inputs   map[string]uint64 // configuration inputs, likewise
	set      *vectors.Set
	source   source
	view     *adapt.View // the stage as the device sees it
	device   cocosim.Device
	image    *verilated.Image // of RTL
	log      hclog.Logger
	tap      func(*sim.Record)
	taken    func(*sim.Record)
	tapLife  func(life int, r *sim.Record)
	trace    *verilated.Window
	records  []sim.Offer // played in place of what the Spec names, if not nil

	invertReset bool // see suspectReset
}

// Open resolves a Spec, builds its device unless the cache has it, and starts it. log may be nil.
func Open(ctx context.Context, spec Spec, log hclog.Logger) (*Session, error) {
	s := &Session{spec: spec, params: map[string]int{}, inputs: map[string]uint64{}, log: log}
	return s, s.open(ctx)
}

func (s *Session) open(ctx context.Context) error {
	for _, step := range []func() error{s.spec.check, s.chooseDut, s.configure, s.stimulus} {
		if err := step(); err != nil {
			return err
		}
	}
	return s.openDevice(ctx)
}

func (s *Session) chooseDut() (err error) {
	if s.manifest, err = manifest.Find(s.spec.Dut); err != nil {
		return err
	}
	stage, ok := stages.Lookup(s.manifest.Model)
	if !ok {
		return NoStage(s.manifest)
	}
	s.stage = stage
	return nil
}

// configure settles parameters and configuration inputs: the manifest's, over them the vector set's, over them the
// Spec's.
func (s *Session) configure() (err error) {
	if s.spec.Vectors != "" {
		if err := s.openSet(); err != nil {
			return err
		}
	}
	maps.Copy(s.params, s.spec.Params)
	maps.Copy(s.inputs, s.spec.Config)
	if s.manifest, err = s.manifest.Resolve(s.params); err != nil {
		return err
	}
	if only := s.spec.StallOnly; only != "" && !slices.Contains(s.heldOutputs(), only) {
		return cocosim.Errorf(cocosim.BadInput, "--stall-only %s: %s has no output of that name with a ready pin; it has %s",
			only, s.manifest.Name, strings.Join(s.heldOutputs(), ", "))
	} else if only != "" && s.spec.Backpressure == 0 {
		return cocosim.Errorf(cocosim.BadInput, "--stall-only %s: without --backpressure nothing is held back; "+
			"give its share", only)
	}
	if s.spec.Flavour != "" { // whatever the device is: a word that means nothing is a slip
		if err := s.spec.Flavour.Check(); err != nil {
			return err
		}
	}
	settings, err := s.manifest.Settings(s.inputs)
	if err != nil {
		return err
	}
	if refuses := s.stage.Refuses; refuses != nil {
		if why := refuses(settings); why != "" {
			return cocosim.Errorf(cocosim.BadInput, "%s: %s", s.manifest.Name, why)
		}
	}
	s.stage = s.stage.At(settings)
	s.view, err = adapt.New(s.manifest, s.stage)
	return err
}

// heldOutputs are the outputs that can be held back.
func (s *Session) heldOutputs() (names []string) {
	for _, p := range s.manifest.Ports {
		if p.Dir == manifest.DirOut && p.Pins.Ready != "" {
			names = append(names, p.Name)
		}
	}
	return names
}

// openSet opens the vector set and takes the settings that it was made with.
func (s *Session) openSet() (err error) {
	if s.set, err = vectors.OpenSet(s.spec.Vectors); err != nil {
		return err
	}
	for name, n := range s.set.Configuration {
		if _, ok := s.manifest.Parameters[name]; ok || s.manifest.IsNumber(name) {
			s.params[name] = int(n)
		} else {
			s.inputs[name] = n
		}
	}
	return nil
}

// settings are what the model is told: every parameter and configuration input.
func (s *Session) settings() sim.Settings {
	settings, _ := s.manifest.Settings(s.inputs) // configure has checked them
	return settings
}

func (s *Session) openDevice(ctx context.Context) (err error) {
	switch s.spec.device() {
	case Model:
		s.device = cocosim.NewGolden(s.view.Stage, s.settings(), s.modelBeat())
	case Recording:
		s.device, err = s.openRecording()
	default:
		err = s.openRTL(ctx)
	}
	return err
}

// modelBeat is how many bytes a clock a stream gives the model in the device's place: those of the first one.
func (s *Session) modelBeat() int {
	for i := range s.manifest.Ports {
		if p := &s.manifest.Ports[i]; p.Kind == manifest.KindAxis && p.Dir == manifest.DirIn {
			return p.BeatBytes()
		}
	}
	return 1
}

func (s *Session) openRTL(ctx context.Context) (err error) {
	flavour := cmp.Or(s.spec.Flavour, verilated.Fast)
	if s.image, err = verilated.Build(ctx, s.manifest, s.params, flavour, s.log); err != nil {
		return err
	}
	if w := s.image.Warnings; s.spec.Warnings && len(w) > 0 {
		return &cocosim.Error{Exit: cocosim.BuildFailed, What: fmt.Sprintf("%s builds with %d warnings: %s", s.manifest.Name,
			len(w),
			strings.Join(w[:min(3, len(w))], "; ")), Do: "--warnings does not take them"}
	}
	d, err := s.image.Open(ctx, verilated.Options{Coverage: s.spec.Coverage, Plusargs: slices.Concat(s.manifest.Plusargs,
		s.spec.Plusargs),
		MemoryLimit: s.spec.MaxMemory << 20, Trace: s.trace, Log: s.log})
	if err != nil {
		return err
	}
	s.device = s.view.Device(d)
	return nil
}

func (s *Session) openRecording() (cocosim.Device, error) {
	if s.set == nil || len(s.source.parts) > 1 {
		return nil, cocosim.Errorf(cocosim.BadInput,
			"--device recording plays what a vector set expects: give --vectors and nothing else")
	}
	if !s.view.IsPlain {
		return nil, cocosim.Errorf(cocosim.BadInput,
			"--device recording: the ports of %s are not those of stage %s, which a recording has", s.manifest.Name,
			s.stage.Name)
	}
	if s.stage.Checker != nil {
		return nil, cocosim.Errorf(cocosim.BadInput,
			"--device recording: %s is judged by its time, and a recording has no clock", s.stage.Name)
	}
	expected, err := s.set.Expected()
	if err != nil {
		return nil, err
	}
	return cocosim.NewRecording(s.stage, expected), nil
}

func (s *Session) config() cocosim.Config {
	return cocosim.Config{Seed: s.spec.Seed, Backpressure: s.spec.Backpressure, Idle: s.spec.Idle,
		StallOnly: 1 + s.manifest.PortNumber(s.spec.StallOnly), Inputs: s.inputs, StateSeed: s.spec.stateSeed(),
		InvertReset: s.invertReset,
		Unpaced:     s.spec.Timeout > 0 || s.spec.LimitCycles > 0}
}

// policies judge the ports: content and order exactly; time against what the manifest promises, where nothing is held
// up on purpose and the device has a clock of its own to judge.
func (s *Session) policies() []cocosim.Policy {
	ps := make([]cocosim.Policy, len(s.view.Stage.Ports))
	if s.spec.device() != RTL {
		return ps
	}
	free := s.spec.Backpressure == 0
	for i, p := range s.manifest.Ports {
		ps[i] = cocosim.Policy{BeatBytes: p.BeatBytes(), FullRate: free && p.FullRate() && s.spec.Idle == 0,
			Clocked: true}
		ps[i].BeatTicks = s.manifest.PortTicks(&p)
		if p.Pins.Ready != "" && !s.manifest.HasPortClocks() { // the stalls of several clocks are not predicted
			ps[i].Stalls = cocosim.StallsOf(s.config(), i)
		}
		if free || p.Window != nil && p.Window.Stalled && len(s.spec.Config) == 0 {
			ps[i].Window = p.Window
		}
	}
	return ps
}

// promised are what the manifest promises of inputs, by port.
func (s *Session) promised(of func(*manifest.Port) *int) []*int {
	if s.spec.device() != RTL {
		return nil
	}
	all := make([]*int, len(s.manifest.Ports))
	for i := range s.manifest.Ports {
		all[i] = of(&s.manifest.Ports[i])
	}
	return all
}

// checker is the model as a judge: by the order that it gives, or following the choices of the device.
func (s *Session) checker() cocosim.Checker {
	if s.stage.Checker != nil {
		timed := s.spec.device() == RTL && s.spec.Backpressure == 0
		return cocosim.NewChoiceChecker(s.stage, s.settings(), s.policies(), timed)
	}
	return cocosim.NewStageChecker(s.view.Stage, s.settings(), s.policies())
}

// Run runs the session to its end. progress, which may be nil, is told now and then how many records went in since the
// last time.
func (s *Session) Run(ctx context.Context, progress func(records uint64)) *report.Report {
	stimulus := s.view.Stimulus(cocosim.Chain(s.source.parts...))
	lives, err := s.lives()
	if err != nil {
		return &report.Report{Dut: s.manifest.Name, Err: err, Result: &cocosim.Result{}}
	}
	for i := range lives {
		lives[i].Stimulus = s.view.Stimulus(lives[i].Stimulus)
	}
	res, err := cocosim.Run(ctx, cocosim.RunConfig{
		Device: s.device, Checker: s.checker(), Stimulus: stimulus, Config: s.config(), Lives: lives,
		Batch: s.spec.Batch, MaxCycles: s.spec.LimitCycles, MaxMismatches: s.spec.MaxMismatches, Drain: cmp.Or(s.spec.Drain,
			s.manifest.Drain),
		Keep: max(report.ProfileOf, s.spec.Show), Progress: progress, Tap: s.tap, Taken: s.taken,
		TapLife: s.tapLife, Waits: s.promised(func(p *manifest.Port) *int { return p.Waits }),
		Holds: s.promised(func(p *manifest.Port) *int { return p.Holds }),
	})
	rep := &report.Report{
		Dut: s.manifest.Name, Device: s.spec.device(), Build: s.device.BuildID(), Params: s.manifest.Parameters,
		Source: strings.Join(s.source.words, " + "), Seed: s.spec.Seed, Reproduce: s.spec.Line(),
		Ports: s.view.Stage.Ports, Manifest: s.manifest, Origin: stimulus.Origin, Describe: s.describe,
		Link: s.link,
		User: s.view.UserText, Result: res, Err: err, Show: s.spec.Show,
	}
	rep.LeftOut, rep.LeftOutWhy = stimulus.LeftOut()
	for _, v := range res.Violations {
		v.Input = s.view.Given(v.Input)
	}
	if s.image != nil {
		rep.Warnings, rep.StateSeed = s.image.Warnings, s.spec.stateSeed()
		rep.Tools = map[string]string{}
		for _, t := range s.image.Tools {
			rep.Tools[t.Name] = t.Version
		}
	}
	return rep
}

// describe prints a packet field by field. A stage without a sideband for the link takes IB native packets only.
// Records are short: the bytes say it all.
func (s *Session) describe(w io.Writer, indent string, packet []byte, user uint32) {
	if s.stage.Ports[0].Kind != sim.Axis || slices.ContainsFunc(s.manifest.Ports,
		func(p manifest.Port) bool { return p.Ethernet != "" }) {
		return
	}
	vectors.Describe(w, indent, s.link(user), packet, len(packet))
}

// link is that of a packet that went in with a sideband.
func (s *Session) link(user uint32) wire.Link {
	return hca.SidebandLink(s.stage.Ports[0].UserBits, user)
}

// Options are what a caller wants to see of a run; nothing of them shows in its result.
type Options struct {
	Log hclog.Logger // may be nil
	// Probe looks for the reason of a mismatch by more runs: with the reset inverted, with other unset state.
	Probe bool
	// Begun, if set, is called when the run begins, with how many records it will have as far as that is known. What it
	// returns is told now and then how many went in since the last time, and at the end with ended true.
	Begun func(total uint64) (progress func(records uint64, ended bool))
	// Records, if not nil, are played in place of what the Spec names.
	Records []sim.Offer
	// Trace asks for waves of a device that is built with the flavour trace; nil is none.
	Trace *verilated.Window
	// Tap, if set, sees every record of the device: what it gave, and its inputs with the cycles at which it took them.
	Tap func(*sim.Record)
	// Taken, if set, sees every input as the device took it, with its bytes; Tap was told before, without them.
	Taken func(*sim.Record)
	// TapLife, if set, sees the records of the lives before the run, numbered from 1, inputs with their bytes.
	TapLife func(life int, r *sim.Record)
}

// Run opens a Spec and runs it, within its time limit. An error means that there was no run.
func Run(ctx context.Context, spec Spec, o Options) (*report.Report, error) {
	if d := spec.Timeout; d > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, d, fmt.Errorf("the limit of %s", d))
		defer cancel()
	}
	s := &Session{spec: spec, params: map[string]int{}, inputs: map[string]uint64{}, log: o.Log, tap: o.Tap,
		taken: o.Taken, tapLife: o.TapLife, trace: o.Trace}
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	s.play(o.Records)
	rep := s.runWith(ctx, o)
	if spec.device() == RTL {
		rep = s.probe(ctx, rep, o)
	}
	return rep, nil
}

// play takes given records in place of what the Spec names; nil takes none.
func (s *Session) play(records []sim.Offer) {
	if s.records = records; records != nil {
		s.source = source{}
		s.source.add(&listed{records: records}, uint64(len(records)), fmt.Sprintf("%d given records", len(records)))
	}
}

func (s *Session) runWith(ctx context.Context, o Options) *report.Report {
	if o.Begun == nil {
		return s.Run(ctx, nil)
	}
	progress := o.Begun(s.source.total)
	defer progress(0, true)
	return s.Run(ctx, func(records uint64) { progress(records, false) })
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// Close closes the device of a session that is not run.
func (s *Session) Close() error { return s.device.Close() }
