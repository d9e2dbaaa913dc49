package verilated

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"hcacosim/cocosim"
	"hcacosim/cocosim/manifest"
	"hcacosim/model/sim"
)

// Options say how RTL is built and watched. The zero value is a fast build with the usual limits.
type Options struct {
	Params  map[string]int // override the manifest's parameters
	Flavour Flavour        // "" is Fast
	// StallLimit is after how many cycles without a handshake, with an input waiting, a design counts as hung;
	// 0 is DefaultStallLimit.
	StallLimit uint64
	// HangTimeout is how much time a simulator may use up without a sign of life; 0 is DefaultHangTimeout. It is its own
	// time on a processor that counts: on a busy machine it may take longer. One that sleeps is given as much by the
	// clock.
	HangTimeout time.Duration
	Log         hclog.Logger // nil is silent
	// Coverage is the file that a simulator of the flavour Coverage writes at its end; "" for none. ReadCoverage reads it.
	Coverage string

	// Plusargs are what $test$plusargs and $value$plusargs find, without the plus.
	Plusargs []string
	// MemoryLimit bounds the simulator's address space in bytes; 0 is DefaultMemoryLimit.
	MemoryLimit uint64

	// Trace asks for waves; nil is none.
	Trace *Window

	env      []string // for the process, in tests
	noShared bool     // everything passes the socket, in tests
}

const (
	// DefaultStallLimit is far above any latency of a block, and less than a second of simulation.
	DefaultStallLimit = 100_000
	// DefaultHangTimeout is a hundred heartbeats.
	DefaultHangTimeout = 10 * time.Second
	// DefaultMemoryLimit leaves cosim itself a quarter of a GiB.
	DefaultMemoryLimit = 768 << 20
)

// PortStats is what the bridge counted on a port from the start of the device to its end.
type PortStats struct {
	Name           string
	Records, Beats uint64
	// StallCycles had valid without ready. IdleCycles were inserted: an input that held back, an output not ready.
	StallCycles, IdleCycles uint64
}

// RTL is a device behind the bridge: a simulator in a process of its own.
type RTL struct {
	image *Image
	ports []sim.PortSpec
	opts  Options
	child *child
	w     frameWriter
	r     frameReader

	limits []limits    // by port
	send   chan toSend // to the sender
	sent   chan error  // by batch
	begun  int         // batches begun and not collected

	cycle    uint64   // the last one heard of
	inReset  bool     // until a reset is answered
	outHash  uint64   // over every output record
	records  []uint64 // by port
	stats    []PortStats
	failed   error // the first failure; nothing works after it
	reported bool  // failed was returned to the caller
	closed   bool

	watched    bool   // the other end has featureWatch
	paced      bool   // and featurePace
	lined      bool   // and featureLine
	lives      bool   // the other end has featureLives
	only       bool   // and featureOnly
	waitLimit  uint64 // cycles that one input may wait
	cycleLimit uint64

	mu         sync.Mutex
	violations []*cocosim.Violation // not handed out yet
	violated   map[portRule]uint64  // reported one by one
	prints     []cocosim.Print      // not handed out yet
	unkept     uint64               // prints, likewise
}

// portRule is a stream rule on a port; the port is that of the bridge.
type portRule struct{ port, rule uint16 }

var _ cocosim.Device = (*RTL)(nil)
var _ cocosim.Violator = (*RTL)(nil)
var _ cocosim.Printer = (*RTL)(nil)

// Open builds the device, unless the cache has it, and starts its simulator.
func Open(ctx context.Context, m *manifest.Manifest, opts Options) (cocosim.Device, error) {
	if opts.Flavour == "" {
		opts.Flavour = Fast
	}
	image, err := Build(ctx, m, opts.Params, opts.Flavour, opts.Log)
	if err != nil {
		return nil, err
	}
	d, err := image.Open(ctx, opts)
	if err != nil {
		return nil, err
	}
	return d, nil
}

// Open starts the simulator of an image. How the image was built is settled: Params and Flavour have no say.
func (im *Image) Open(ctx context.Context, opts Options) (*RTL, error) {
	if opts.StallLimit == 0 {
		opts.StallLimit = DefaultStallLimit
	}
	if opts.HangTimeout == 0 {
		opts.HangTimeout = DefaultHangTimeout
	}
	if opts.MemoryLimit == 0 {
		opts.MemoryLimit = DefaultMemoryLimit
	}
	if opts.Log == nil {
		opts.Log = hclog.NewNullLogger()
	}
	var mem *sharedMemory
	if !opts.noShared {
		mem = newSharedMemory()
	}
	if opts.Trace != nil {
		opts.MemoryLimit += traceMemory
	}
	env := append(slices.Concat(opts.env, opts.Trace.env()), "HCA_COVERAGE="+opts.Coverage,
		fmt.Sprint("HCA_MEMORY=", opts.MemoryLimit))
	c, err := startChild(im.Program, env, mem, plusargs(opts.Plusargs)...)
	if err != nil {
		mem.close()
		return nil, &cocosim.Error{Exit: cocosim.SimFailed, What: "cannot start the simulator of " + im.Manifest.Name,
			Err: err}
	}
	c.completes = opts.Trace != nil
	d := &RTL{image: im, ports: im.Manifest.PortSpecs(), opts: opts, child: c, violated: map[portRule]uint64{}}
	d.w.w, d.r.r = c.conn, &patientReader{c.conn, opts.HangTimeout, func() (time.Duration, bool,
		bool) {
		return processTime(c.cmd.Process.Pid)
	}}
	d.records = make([]uint64, len(d.ports))
	for i := range im.Manifest.Ports {
		d.limits = append(d.limits, newLimits(&im.Manifest.Ports[i]))
	}
	d.send, d.sent = make(chan toSend, cocosim.MaxBegun), make(chan error, cocosim.MaxBegun)
	go d.sender()
	opts.Log.Debug("simulator started", "device", im.Manifest.Name, "build", im.BuildID, "pid", c.cmd.Process.Pid)
	if err := d.do(ctx, d.hello); err != nil {
		return nil, err
	}
	return d, nil
}

// Ports is the port table of the manifest.
func (d *RTL) Ports() []sim.PortSpec { return d.ports }

// BuildID names the image.
func (d *RTL) BuildID() string { return d.image.BuildID }

// Image is what is being run.
func (d *RTL) Image() *Image { return d.image }

// plusargs are the arguments of a simulator as Verilator reads them.
func plusargs(names []string) (args []string) {
	for _, name := range names {
		args = append(args, "+"+strings.TrimPrefix(name, "+"))
	}
	return args
}

// Reset starts the simulation afresh and holds the reset pin as the manifest says. Cycle 0 is the first after it.
func (d *RTL) Reset(ctx context.Context, cfg cocosim.Config) error {
	values, err := d.configValues(cfg.Inputs)
	if err != nil {
		return err
	}
	for _, share := range []float64{cfg.Backpressure, cfg.Idle} {
		if !(share >= 0 && share <= 1) {
			return cocosim.Errorf(cocosim.BadInput, "backpressure and idle are shares of cycles from 0 to 1, not %g", share)
		}
	}
	if d.begun > 0 {
		return cocosim.Errorf(cocosim.BadInput, "a batch is begun; collect it before a reset")
	}
	if cfg.Hold < 0 || cfg.Hold > 0xffff {
		return cocosim.Errorf(cocosim.BadInput, "a reset is held for 0 to 65535 cycles, not %d", cfg.Hold)
	}
	if (cfg.Keep || cfg.Hold > 0) && !d.lives {
		return cocosim.Errorf(cocosim.BadInput, "the simulator of %s cannot reset by the pin alone: --resets 0",
			d.image.Manifest.Name)
	}
	if cfg.StallOnly != 0 && (!d.only || cfg.StallOnly < 0 || cfg.StallOnly > 255) {
		return cocosim.Errorf(cocosim.BadInput, "the simulator of %s cannot hold output %d alone back",
			d.image.Manifest.Name, cfg.StallOnly)
	}
	if err := d.checkLines(cfg.Lines); err != nil {
		return err
	}
	return d.do(ctx, func() error {
		d.w.begin(frameReset)
		d.w.u64(cfg.Seed)
		d.w.u64(cocosim.Threshold(cfg.Backpressure))
		d.w.u64(cocosim.Threshold(cfg.Idle))
		d.w.u64(d.opts.StallLimit)
		d.w.u32(uint32(len(values)))
		d.w.u32(resetFlags(cfg))
		for i, v := range values {
			d.w.u32(uint32(i))
			d.w.u32(0)
			d.w.u64(v)
		}
		d.bounds(cfg)
		d.lines(cfg.Lines)
		if err := d.w.end(0); err != nil {
			return err
		}
		d.cycle, d.inReset = 0, true
		err := d.collect(new(sim.Batch))
		d.inReset = err != nil
		return err
	})
}

func resetFlags(cfg cocosim.Config) (flags uint32) {
	if cfg.InvertReset {
		flags |= resetInverted
	}
	if cfg.Keep {
		flags |= resetKeeps
	}
	if cfg.Start {
		flags |= resetStart
	}
	return flags | uint32(cfg.StallOnly)<<resetOnly | uint32(cfg.Hold)<<resetHold
}

// waitFactor is how much longer one input may wait, while others move, than the whole device may stand still.
const waitFactor = 4

// A device that has used a processor for slowAfter while one of its inputs waited slowCycles for a beat on average is
// slow: unless somebody bounds the run, it would take hours.
const (
	slowAfter  = 30 * time.Second
	slowCycles = 1000
)

// bounds are the last part of RESET. What is stalled on purpose may wait longer.
func (d *RTL) bounds(cfg cocosim.Config) {
	d.waitLimit = uint64(waitFactor * float64(d.opts.StallLimit) * (1 + cocosim.Stretch(cfg.Backpressure)))
	d.cycleLimit = noLimit
	if cfg.MaxCycles > 0 {
		d.cycleLimit = cfg.MaxCycles
	}
	if !d.watched {
		return
	}
	d.w.u64(cfg.StateSeed)
	d.w.u64(d.waitLimit)
	d.w.u64(d.cycleLimit)
	if !d.paced {
		return
	}
	after := slowAfter
	if cfg.Unpaced {
		after = 0
	}
	d.w.u64(uint64(after.Milliseconds()))
	d.w.u64(uint64(slowCycles * (1 + cocosim.Stretch(cfg.Backpressure))))
}

// configValues are the configuration inputs in the order of the manifest: its values, overridden by name.
func (d *RTL) configValues(inputs map[string]uint64) ([]uint64, error) {
	settings, err := d.image.Manifest.Settings(inputs)
	if err != nil {
		return nil, err
	}
	var values []uint64
	for _, c := range d.image.Manifest.Config {
		values = append(values, settings[c.Pin])
	}
	return values, nil
}

// Advance sends the records while it reads results, so no batch is too large for the socket.
func (d *RTL) Advance(ctx context.Context, to uint64, in []sim.Offer, out *sim.Batch) error {
	if err := d.Begin(ctx, to, in); err != nil {
		return err
	}
	return d.Collect(ctx, out)
}

// Begin is the first half of Advance: it hands a batch over and does not wait for its results. One more batch may be
// begun before the first is collected, so that the simulator always has its next records at hand. The records stay the
// device's until their batch is collected.
func (d *RTL) Begin(ctx context.Context, to uint64, in []sim.Offer) error {
	if d.begun == cocosim.MaxBegun {
		return cocosim.Errorf(cocosim.BadInput, "%d batches are begun already; collect one first", d.begun)
	}
	for i := range in {
		if !d.limitOf(in[i].Port).hold(&in[i]) {
			return d.badInput(&in[i])
		}
	}
	return d.do(ctx, func() error {
		rest := in
		if d.begun == 0 {
			// The simulator waits for it, reads it whole before it writes, and cannot block us.
			var err error
			if rest, err = d.w.run(to, in, firstFrameBytes); err != nil {
				return err
			}
		}
		d.begun++
		if d.begun == 1 && len(rest) == 0 {
			d.sent <- nil
			return nil
		}
		d.send <- toSend{to, rest}
		return nil
	})
}

// Collect is the second half of Advance, of the batch that was begun first.
func (d *RTL) Collect(ctx context.Context, out *sim.Batch) error {
	for {
		if more, err := d.CollectSome(ctx, out, noLimit); !more || err != nil {
			return err
		}
	}
}

// CollectSome is Collect in parts: it returns with more true when it has added about so many bytes and the batch goes
// on. Until the next part is asked for, the simulator waits with what it has to say.
func (d *RTL) CollectSome(ctx context.Context, out *sim.Batch, bytes uint64) (more bool, err error) {
	if d.begun == 0 && d.failed == nil {
		return false, cocosim.Errorf(cocosim.BadInput, "no batch is begun")
	}
	err = d.do(ctx, func() (err error) {
		more, err = d.collectSome(out, bytes)
		if !more && isVerdict(err) {
			d.begun--
			err = errors.Join(err, <-d.sent)
		}
		return err
	})
	return more, err
}

// Abandon ends the simulator without a farewell: nobody wants to know more of it. Close has nothing to report then.
func (d *RTL) Abandon() {
	if d.failed == nil && !d.closed {
		d.failed, d.reported = cocosim.Errorf(cocosim.Inconclusive, "%s was abandoned", d.image.Manifest.Name), true
		d.end()
	}
}

// toSend is the part of a batch that is still to be sent.
type toSend struct {
	to uint64
	in []sim.Offer
}

// sender sends what Begin leaves to it, so that results are read meanwhile. It ends when send is closed.
func (d *RTL) sender() {
	defer close(d.sent)
	for s := range d.send {
		rest, err := d.w.run(s.to, s.in, runFrameBytes)
		for len(rest) > 0 && err == nil {
			rest, err = d.w.run(s.to, rest, runFrameBytes)
		}
		d.sent <- err
	}
}

// isVerdict tells an answer of the simulator, after which the bridge still works, from a failure.
func isVerdict(err error) bool {
	var e *cocosim.Error
	return err == nil || errors.As(err, &e) && e.Exit == cocosim.Mismatch
}

// do runs an exchange with the simulator. The first failure ends the process, and every later call returns it again.
func (d *RTL) do(ctx context.Context, exchange func() error) error {
	if d.failed != nil {
		return d.failed
	}
	if d.closed {
		return cocosim.Errorf(cocosim.BridgeFailed, "%s is closed", d.image.Manifest.Name)
	}
	unguard := context.AfterFunc(ctx, d.child.kill)
	err := exchange()
	if !unguard() {
		err = context.Cause(ctx)
	}
	if isVerdict(err) {
		return err
	}
	d.failed = d.diagnose(ctx, err)
	d.end()
	d.reported = true
	return d.failed
}

// end leaves nothing behind: no process, no goroutine, no memory.
func (d *RTL) end() {
	d.child.kill()
	if d.send == nil {
		return
	}
	close(d.send)
	for range d.sent { // until the sender, whose writes fail now, has ended
	}
	d.send = nil
	d.child.mem.close()
}

// diagnose turns a failed exchange into an answer: stopped, simulator hung, simulator died, bridge broken.
func (d *RTL) diagnose(ctx context.Context, err error) error {
	name := d.image.Manifest.Name
	var broken protocolError
	var e *cocosim.Error
	switch {
	case ctx.Err() != nil:
		return stopped(ctx, fmt.Sprintf("stopped at cycle %d", d.cycle))
	case errors.As(err, &e):
		return e
	case errors.As(err, &broken):
		return &cocosim.Error{Exit: cocosim.BridgeFailed, What: fmt.Sprintf("bridge to %s: %s", name, broken),
			Do: "simulator and command do not fit each other; remove the cached build " + d.image.BuildID}
	case errors.Is(err, os.ErrDeadlineExceeded):
		return cocosim.Errorf(cocosim.SimFailed, "simulator of %s hung: no sign of life for %v %s", name,
			d.opts.HangTimeout, d.when("after"))
	case d.child.gone(2 * time.Second):
		died := &cocosim.Error{Exit: cocosim.SimFailed, What: fmt.Sprintf("simulator of %s died, %s: %s", name,
			d.when("last heard of at"), d.child.ending())}
		if strings.Contains(died.What, "bad_alloc") {
			died.Do = fmt.Sprintf("it may have %d MiB of memory: --max-memory sets how many", d.opts.MemoryLimit>>20)
		}
		return died
	}
	return &cocosim.Error{Exit: cocosim.BridgeFailed, What: fmt.Sprintf("bridge to %s broke after cycle %d", name,
		d.cycle), Err: err}
}

// Close says goodbye, compares what both ends counted, and ends the process. A failure that was reported before is not
// reported again; without a farewell that matches nothing has passed.
func (d *RTL) Close() error {
	if d.closed {
		return nil
	}
	for d.failed == nil && d.begun > 0 { // nobody wants the results any more
		d.Collect(context.Background(), new(sim.Batch))
	}
	if d.failed == nil {
		d.do(context.Background(), d.goodbye)
		d.reported = false
	}
	d.closed = true
	if d.failed != nil && d.reported {
		return nil
	}
	if d.failed == nil && !d.child.leave(d.opts.HangTimeout) {
		d.failed = cocosim.Errorf(cocosim.SimFailed, "simulator of %s did not end after its goodbye", d.image.Manifest.Name)
	}
	d.end()
	if d.failed == nil && d.child.err != nil {
		d.failed = cocosim.Errorf(cocosim.SimFailed, "simulator of %s did not end well: %s", d.image.Manifest.Name,
			d.child.ending())
	}
	return d.failed
}
