package verilated

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
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
	// HangTimeout is after how long without a sign of life a simulator counts as hung; 0 is DefaultHangTimeout.
	HangTimeout time.Duration
	Log         hclog.Logger // nil is silent
	// Coverage is the file that a simulator of the flavour Coverage writes at its end; "" for none. ReadCoverage reads it.
	Coverage string

	env      []string // for the process, in tests
	noShared bool     // everything passes the socket, in tests
}

const (
	// DefaultStallLimit is far above any latency of a block, and less than a second of simulation.
	DefaultStallLimit = 100_000
	// DefaultHangTimeout is a hundred heartbeats.
	DefaultHangTimeout = 10 * time.Second
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
	outHash  uint64   // over every output record
	records  []uint64 // by port
	stats    []PortStats
	failed   error // the first failure; nothing works after it
	reported bool  // failed was returned to the caller
	closed   bool

	mu         sync.Mutex
	violations []*cocosim.Violation // not handed out yet
	violated   uint64               // reported one by one
}

var _ cocosim.Device = (*RTL)(nil)
var _ cocosim.Violator = (*RTL)(nil)

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
	if opts.Log == nil {
		opts.Log = hclog.NewNullLogger()
	}
	var mem *sharedMemory
	if !opts.noShared {
		mem = newSharedMemory()
	}
	c, err := startChild(im.Program, append(opts.env, "HCA_COVERAGE="+opts.Coverage), mem)
	if err != nil {
		mem.close()
		return nil, &cocosim.Error{Exit: cocosim.SimFailed, What: "cannot start the simulator of " + im.Manifest.Name, Err: err}
	}
	d := &RTL{image: im, ports: im.Manifest.PortSpecs(), opts: opts, child: c}
	d.w.w, d.r.r = c.conn, c.conn
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

// Violations returns the broken stream rules and failed assertions that came since the last call.
func (d *RTL) Violations() []*cocosim.Violation {
	d.mu.Lock()
	defer d.mu.Unlock()
	v := d.violations
	d.violations = nil
	return v
}

// Stats is what the bridge counted. It is there once Close has succeeded.
func (d *RTL) Stats() []PortStats { return d.stats }

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
	return d.do(ctx, func() error {
		d.w.begin(frameReset)
		d.w.u64(cfg.Seed)
		d.w.u64(cocosim.Threshold(cfg.Backpressure))
		d.w.u64(cocosim.Threshold(cfg.Idle))
		d.w.u64(d.opts.StallLimit)
		d.w.u32(uint32(len(values)))
		d.w.u32(0)
		for i, v := range values {
			d.w.u32(uint32(i))
			d.w.u32(0)
			d.w.u64(v)
		}
		if err := d.w.end(0); err != nil {
			return err
		}
		d.cycle = 0
		return d.collect(new(sim.Batch))
	})
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
func (d *RTL) Advance(ctx context.Context, to uint64, in []sim.Record, out *sim.Batch) error {
	if err := d.Begin(ctx, to, in); err != nil {
		return err
	}
	return d.Collect(ctx, out)
}

// Begin is the first half of Advance: it hands a batch over and does not wait for its results. One more batch may be
// begun before the first is collected, so that the simulator always has its next records at hand. The records stay the
// device's until their batch is collected.
func (d *RTL) Begin(ctx context.Context, to uint64, in []sim.Record) error {
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
	if d.begun == 0 && d.failed == nil {
		return cocosim.Errorf(cocosim.BadInput, "no batch is begun")
	}
	return d.do(ctx, func() error {
		err := d.collect(out)
		if isVerdict(err) {
			d.begun--
			err = errors.Join(err, <-d.sent)
		}
		return err
	})
}

// toSend is the part of a batch that is still to be sent.
type toSend struct {
	to uint64
	in []sim.Record
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

// limits are what a record on a port must keep to.
type limits struct {
	least, most, unit int    // bytes
	noUser            uint32 // bits of the sideband that the port does not have
}

func newLimits(p *manifest.Port) limits {
	l := limits{1, maxRecordBytes, 1, ^uint32(manifest.Ones(p.UserWidth.Bits))}
	switch {
	case p.Dir != manifest.DirIn:
		l.most = -1
	case p.Kind == manifest.KindRecord:
		l.least = (p.RecordBits() + 7) / 8
		l.most = l.least
	case p.Length != nil: // the length is told first
	case p.Pins.Last == "": // a record is a beat
		l.most = p.Width.Bits / 8
		if p.Pins.Keep == "" {
			l.least = l.most
		}
	case p.Pins.Keep == "":
		l.unit = p.Width.Bits / 8
	}
	return l
}

func (d *RTL) limitOf(port sim.Port) limits {
	if int(port) < len(d.limits) {
		return d.limits[port]
	}
	return limits{most: -1, unit: 1}
}

func (l limits) hold(r *sim.Record) bool {
	n := len(r.Data)
	return n >= l.least && n <= l.most && (l.unit == 1 || n%l.unit == 0) && r.User&l.noUser == 0
}

func (d *RTL) badInput(r *sim.Record) error {
	l := d.limitOf(r.Port)
	if l.most < 0 {
		return cocosim.Errorf(cocosim.BadInput, "record %d is for port %d, which is no input of %s", r.Seq, r.Port, d.image.Manifest.Name)
	}
	name := d.ports[r.Port].Name
	if r.User&l.noUser != 0 {
		return cocosim.Errorf(cocosim.BadInput, "port %s: record %d: sideband %#x does not fit %d bits", name, r.Seq, r.User, d.ports[r.Port].UserBits)
	}
	steps := ""
	if l.unit > 1 {
		steps = fmt.Sprintf(" in steps of %d", l.unit)
	}
	return cocosim.Errorf(cocosim.BadInput, "port %s: record %d has %d bytes; %d to %d%s can be carried", name, r.Seq, len(r.Data), l.least, l.most, steps)
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
		return cocosim.Errorf(cocosim.SimFailed, "simulator of %s hung: no sign of life for %v after cycle %d", name, d.opts.HangTimeout, d.cycle)
	case d.child.gone(2 * time.Second):
		return cocosim.Errorf(cocosim.SimFailed, "simulator of %s died after cycle %d: %s", name, d.cycle, d.child.ending())
	}
	return &cocosim.Error{Exit: cocosim.BridgeFailed, What: fmt.Sprintf("bridge to %s broke after cycle %d", name, d.cycle), Err: err}
}

// next reads a frame within the time that a living simulator needs for a heartbeat.
func (d *RTL) next(alloc func(n int) []byte) (frame, error) {
	for {
		d.child.conn.SetReadDeadline(time.Now().Add(d.opts.HangTimeout))
		f, err := d.r.next(alloc)
		if err != nil {
			return f, err
		}
		switch f.typ {
		case frameHeartbeat:
			c := cursor{b: f.payload}
			d.cycle = c.u64()
		case frameViolation:
			d.violation(cursor{b: f.payload})
		case frameError:
			return f, d.refusal(cursor{b: f.payload})
		default:
			return f, nil
		}
	}
}

func (d *RTL) refusal(c cursor) error {
	code, n := c.u32(), int(c.u32())
	text := string(c.bytes(min(n, len(c.b))))
	if code == faultSimulator {
		return cocosim.Errorf(cocosim.SimFailed, "simulator of %s failed after cycle %d: %s", d.image.Manifest.Name, d.cycle, text)
	}
	return cocosim.Errorf(cocosim.BridgeFailed, "simulator of %s refused: %s", d.image.Manifest.Name, text)
}

func (d *RTL) violation(c cursor) {
	v := &cocosim.Violation{Cycle: c.u64()}
	port, rule, n := c.u16(), c.u16(), int(c.u32())
	v.Text = string(c.bytes(min(n, len(c.b))))
	if v.Rule = sim.Rule(ruleNames[rule]); v.Rule == "" {
		v.Rule = sim.Rule(fmt.Sprintf("BRIDGE-%d", rule))
	}
	if int(port) < len(d.ports) {
		v.Port = d.ports[port].Name
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.violations = append(d.violations, v)
	d.violated++
}

// hello agrees on versions, build and ports.
func (d *RTL) hello() error {
	m := d.image.Manifest
	d.w.begin(frameHello)
	d.w.u16(bridgeMajor)
	d.w.u16(bridgeMinor)
	d.w.u32(d.offered())
	d.w.u32(bridgeMaxFrame)
	d.w.u32(maxRecordBytes)
	d.w.text(d.image.BuildID)
	d.w.text(m.Hash())
	if err := d.w.end(0); err != nil {
		return err
	}
	f, err := d.next(nil)
	if err != nil {
		return err
	}
	if f.typ != frameHello {
		return protocolError(fmt.Sprintf("frame type %d in answer to HELLO", f.typ))
	}
	return d.checkHello(cursor{b: f.payload})
}

// offered are the features of this end.
func (d *RTL) offered() uint32 {
	if d.child.mem != nil {
		return featureShared
	}
	return 0
}

func (d *RTL) checkHello(c cursor) error {
	m := d.image.Manifest
	major := c.u16()
	c.u16()
	if features := c.u32(); features&d.offered()&featureShared != 0 {
		d.w.mem, d.r.mem = d.child.mem, d.child.mem
	}
	maxFrame, maxRecord := c.u32(), c.u32()
	build, hash := c.text(), c.text()
	switch {
	case major != bridgeMajor:
		return protocolError(fmt.Sprintf("it speaks protocol %d, this is %d", major, bridgeMajor))
	case maxFrame < runFrameBytes+2*maxRecordBytes || maxRecord < maxRecordBytes:
		return protocolError(fmt.Sprintf("it takes frames of %d and records of %d bytes only", maxFrame, maxRecord))
	case build != d.image.BuildID || hash != m.Hash():
		return protocolError(fmt.Sprintf("it is build %s of manifest %s, not %s of %s", build, hash, d.image.BuildID, m.Hash()))
	}
	want := d.portTable()
	if got := slices.Clone(c.b); string(got) != string(want) {
		return protocolError("its port table is not the manifest's")
	}
	return nil
}

// portTable is the manifest's port table in the form of HELLO.
func (d *RTL) portTable() []byte {
	m := d.image.Manifest
	var f frameWriter
	f.u16(uint16(len(m.Ports)))
	for i := range m.Ports {
		p := newBindPort(i, &m.Ports[i])
		input := byte(0)
		if p.Input {
			input = 1
		}
		f.buf = append(f.buf, input, byte(p.Kind))
		f.u16(uint16(p.UserBits))
		f.u32(uint32(p.WidthBits))
		f.text(p.Name)
	}
	f.u16(uint16(len(m.Config)))
	for _, c := range m.Config {
		f.u32(uint32(c.Width.Bits))
		f.text(c.Pin)
	}
	return f.buf
}

// collect reads until DONE.
func (d *RTL) collect(out *sim.Batch) error {
	for {
		f, err := d.next(out.Bytes)
		if err != nil {
			return err
		}
		switch f.typ {
		case frameRecords:
			if err := d.take(f.payload, out); err != nil {
				return err
			}
		case frameDone:
			return d.done(cursor{b: f.payload})
		default:
			return protocolError(fmt.Sprintf("frame type %d inside a batch", f.typ))
		}
	}
}

// take adds the records of a frame; their Data stays where it was read.
func (d *RTL) take(b []byte, out *sim.Batch) error {
	for len(b) > 0 {
		if len(b) < recordHeaderBytes {
			return protocolError("a record is cut off")
		}
		n := int(le.Uint32(b[24:]))
		port := le.Uint16(b[28:])
		echo := le.Uint16(b[30:])&recordEcho != 0
		if n > maxRecordBytes || len(b) < recordHeaderBytes+padded(n) {
			return protocolError("a record does not fit its frame")
		}
		if int(port) >= len(d.ports) || d.ports[port].Input != echo {
			return protocolError(fmt.Sprintf("a record on port %d, where there can be none", port))
		}
		whole := recordHeaderBytes + padded(n)
		r := sim.Record{Start: le.Uint64(b), End: le.Uint64(b[8:]), Seq: le.Uint64(b[16:]), Port: sim.Port(port), User: le.Uint32(b[32:])}
		if !echo {
			r.Data = b[recordHeaderBytes : recordHeaderBytes+n : recordHeaderBytes+n]
			d.outHash = foldHash(d.outHash, b[:whole])
		}
		d.records[port]++
		out.Records = append(out.Records, r)
		b = b[whole:]
	}
	return nil
}

func (d *RTL) done(c cursor) error {
	d.cycle = c.u64()
	idle, flags, port := c.u64(), c.u32(), c.u32()
	if c.bad {
		return protocolError("DONE is too short")
	}
	if flags&doneFinished != 0 {
		return cocosim.Errorf(cocosim.SimFailed, "%s called $finish after cycle %d at %s", d.image.Manifest.Name, d.cycle, c.b)
	}
	if flags&doneStalled != 0 {
		hung := &cocosim.HungError{Cycle: d.cycle, Idle: idle}
		if int(port) < len(d.ports) {
			hung.Port = d.ports[port].Name
		}
		return &cocosim.Error{Exit: cocosim.Mismatch, What: d.image.Manifest.Name, Err: hung}
	}
	return nil
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
		d.failed = cocosim.Errorf(cocosim.SimFailed, "simulator of %s did not end well: %s", d.image.Manifest.Name, d.child.ending())
	}
	return d.failed
}

func (d *RTL) goodbye() error {
	d.w.begin(frameGoodbye)
	if err := d.w.end(0); err != nil {
		return err
	}
	f, err := d.next(nil)
	if err != nil {
		return err
	}
	if f.typ != frameGoodbye {
		return protocolError(fmt.Sprintf("frame type %d in answer to GOODBYE", f.typ))
	}
	c := cursor{b: f.payload}
	hash := c.u64()
	c.u64() // cycles
	violations, ports := c.u64(), c.u32()
	c.u32()
	if hash != d.outHash || int(ports) != len(d.ports) {
		return protocolError(fmt.Sprintf("what was sent has hash %016x, what arrived %016x", hash, d.outHash))
	}
	stats := make([]PortStats, len(d.ports))
	for i, p := range d.ports {
		stats[i] = PortStats{p.Name, c.u64(), c.u64(), c.u64(), c.u64()}
		if stats[i].Records != d.records[i] {
			return protocolError(fmt.Sprintf("port %s: %d records were sent, %d arrived", p.Name, stats[i].Records, d.records[i]))
		}
	}
	if c.bad {
		return protocolError("GOODBYE is too short")
	}
	d.stats = stats
	d.countRest(violations)
	return nil
}

// countRest makes one violation of those that the bridge only counted.
func (d *RTL) countRest(total uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if total > d.violated {
		d.violations = append(d.violations, &cocosim.Violation{Cycle: d.cycle, Verdict: sim.Verdict{Rule: "BRIDGE",
			Text: fmt.Sprintf("%d more violations, counted only", total-d.violated)}})
	}
}
