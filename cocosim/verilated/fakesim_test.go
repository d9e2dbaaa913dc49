package verilated

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/cocosim/manifest"
	"hcacosim/model/sim"
)

// The test program is a simulator too: started with this in its environment, it plays one that loops packets back and
// misbehaves as told. So everything between the two processes is tested without a C++ compiler.
const fakeEnv = "HCACOSIM_FAKE_SIMULATOR"

func TestMain(m *testing.M) {
	switch mode := os.Getenv(fakeEnv); {
	case mode == "":
		os.Exit(m.Run())
	case strings.HasPrefix(mode, parentMode):
		playParent(strings.TrimPrefix(mode, parentMode))
	default:
		playSimulator(mode)
	}
}

const fakeManifestText = `
name: fake
top: fake
sources: [none.sv]
clock: clk_i
ports:
  - {name: s_axis, dir: in, kind: axis, width: 64, pins: {data: a, keep: b, last: c, valid: d, ready: e}}
  - {name: m_axis, dir: out, kind: axis, width: 64, pins: {data: f, keep: g, last: h, valid: i, ready: j}}
config:
  - {pin: mode_i, width: 4, value: 3}
`

func fakeImage() *Image {
	dir, err := os.MkdirTemp("", "fakesim")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "fake.yaml")
	if err := os.WriteFile(file, []byte(fakeManifestText), 0o666); err != nil {
		panic(err)
	}
	m, err := manifest.Load(file)
	if err != nil {
		panic(err)
	}
	m, err = m.Resolve(nil)
	if err != nil {
		panic(err)
	}
	program, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return &Image{Program: program, BuildID: "0123456789ab", Manifest: m, Flavour: Quick}
}

// fakeMode is the environment of a fake simulator. A program built with -race would linger for a second when it ends.
func fakeMode(mode string) []string {
	return []string{fakeEnv + "=" + mode, "GORACE=atexit_sleep_ms=0"}
}

// playSimulator is a simulator in a few lines: a packet of n beats takes n cycles and leaves in the cycle it came.
func playSimulator(mode string) {
	signal.Ignore(syscall.SIGPIPE)
	f := os.NewFile(bridgeFd, "bridge")
	s := &fakeSim{mode: mode, w: frameWriter{w: f}, r: frameReader{r: f}, d: &RTL{image: fakeImage()}}
	for {
		fr, err := s.r.next(nil)
		if err != nil {
			os.Exit(3)
		}
		s.answer(fr)
	}
}

type fakeSim struct {
	mode           string
	w              frameWriter
	r              frameReader
	d              *RTL
	cycle, in, out uint64
	hash           uint64
}

func (s *fakeSim) answer(f frame) {
	switch f.typ {
	case frameHello:
		s.hello()
	case frameReset:
		s.reset(cursor{b: f.payload})
	case frameRun:
		s.run(cursor{b: f.payload}, f.flags&runLast != 0)
	case frameGoodbye:
		s.goodbye()
	}
}

func (s *fakeSim) hello() {
	major, build := uint16(bridgeMajor), s.d.image.BuildID
	switch s.mode {
	case "never answers":
		select {}
	case "dies at once":
		fmt.Fprintln(os.Stderr, "cannot open shared library")
		os.Exit(7)
	case "other protocol":
		major = 9
	case "other build":
		build = "ba9876543210"
	case "refuses":
		s.w.begin(frameError)
		s.w.u32(3)
		s.w.u32(9)
		s.w.buf = append(s.w.buf, "not today"...)
		s.w.end(0)
		os.Exit(4)
	}
	s.w.begin(frameHello)
	s.w.u16(major)
	s.w.u16(0)
	s.w.u32(0)
	s.w.u32(bridgeMaxFrame)
	s.w.u32(maxRecordBytes)
	s.w.text(build)
	s.w.text(s.d.image.Manifest.Hash())
	table := s.d.portTable()
	if s.mode == "other ports" {
		table[len(table)-1]++
	}
	s.w.buf = append(s.w.buf, table...)
	s.w.end(0)
}

func (s *fakeSim) reset(c cursor) {
	c.bytes(4 * 8)
	n := c.u32()
	c.u32()
	for range n {
		index := c.u32()
		c.u32()
		if value := c.u64(); index != 0 || value != 3 && value != 5 {
			panic(fmt.Sprint("configuration input ", index, " is ", value))
		}
	}
	s.done(0)
}

func (s *fakeSim) done(flags uint32) {
	s.w.begin(frameDone)
	s.w.u64(s.cycle)
	s.w.u64(100)
	s.w.u32(flags)
	s.w.u32(0)
	s.w.end(0)
}

func (s *fakeSim) run(c cursor, last bool) {
	c.u64()
	s.w.begin(frameRecords)
	for len(c.b) > 0 {
		var r sim.Offer
		c.bytes(16)
		r.Seq = c.u64()
		n := int(c.u32())
		c.bytes(12)
		r.Data = append([]byte(nil), c.bytes(padded(n))[:n]...)
		s.loop(&r)
	}
	s.misbehave()
	s.w.end(0)
	if last {
		s.done(0)
	}
}

func (s *fakeSim) loop(o *sim.Offer) {
	start := s.cycle
	s.cycle += uint64(len(o.Data)+7) / 8
	at := s.record(o.Accepted(start, s.cycle-1), nil)
	s.w.buf[at+30] = recordEcho
	at = s.record(sim.Record{Seq: s.out, Start: start, End: s.cycle - 1, Port: 1}, o.Data)
	s.hash = foldHash(s.hash, s.w.buf[at:])
	s.in++
	s.out++
}

// record appends a record with data to the frame, and returns where it begins.
func (s *fakeSim) record(r sim.Record, data []byte) (at int) {
	at = len(s.w.buf)
	s.w.buf = appendOffer(s.w.buf, &sim.Offer{NotBefore: r.Start, Seq: r.Seq, Port: r.Port, Data: data})
	le.PutUint64(s.w.buf[at+8:], r.End)
	return at
}

// misbehave breaks the RECORDS frame that is ready to go, or the process.
func (s *fakeSim) misbehave() {
	switch s.mode {
	case "bad magic":
		s.w.buf[0]++
	case "other channel":
		s.w.buf[6]++
	case "lost frame":
		s.w.seq++
	case "long frame":
		s.w.buf = append(s.w.buf, make([]byte, bridgeMaxFrame)...)
	case "cut record":
		s.w.buf = s.w.buf[:len(s.w.buf)-8]
	case "record on an input":
		s.w.buf[bridgeHeaderBytes+30] = 0
	case "wrong frame":
		s.w.buf[4] = byte(frameHello)
	case "half a frame":
		le.PutUint32(s.w.buf[8:], s.w.seq)
		le.PutUint32(s.w.buf[12:], 100)
		s.w.w.Write(s.w.buf[:40])
		os.Exit(0)
	case "closes":
		os.NewFile(bridgeFd, "").Close()
		s.w.w.(io.Closer).Close()
		select {}
	case "silent":
		select {}
	case "crashes":
		fmt.Fprintln(os.Stderr, "terminate called")
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	case "beats":
		s.beat(77)
		s.beat(78)
	case "beats and stops":
		s.beat(77)
		select {}
	case "violates":
		v := "tdata changed while stalled"
		save := s.w.buf
		s.w.buf = nil
		s.w.begin(frameViolation)
		s.w.u64(12)
		s.w.u16(1)
		s.w.u16(2)
		s.w.u32(uint32(len(v)))
		s.w.buf = append(s.w.buf, v...)
		s.w.end(0)
		s.w.buf = save
	}
}

func (s *fakeSim) beat(cycle uint64) {
	save := s.w.buf
	s.w.buf = nil
	s.w.begin(frameHeartbeat)
	s.w.u64(cycle)
	s.w.end(0)
	s.w.buf = save
}

func (s *fakeSim) goodbye() {
	violations := uint64(0)
	switch s.mode {
	case "other hash":
		s.hash++
	case "lost record":
		s.out++
	case "violates":
		violations = 5
	case "no goodbye":
		os.Exit(0)
	}
	s.w.begin(frameGoodbye)
	s.w.u64(s.hash)
	s.w.u64(s.cycle)
	s.w.u64(violations)
	s.w.u32(2)
	s.w.u32(0)
	for _, n := range []uint64{s.in, s.out} {
		s.w.u64(n)
		s.w.u64(n)
		s.w.u64(0)
		s.w.u64(0)
	}
	s.w.end(0)
	switch s.mode {
	case "lingers":
		select {}
	case "ends badly":
		os.Exit(9)
	}
	os.Exit(0)
}

// runFake drives a fake simulator through a life of one batch and returns the first error.
func runFake(t *testing.T, ctx context.Context, mode string) (out *sim.Batch, d *RTL, err error) {
	checkNoChildren(t)
	d, err = fakeImage().Open(ctx, Options{HangTimeout: time.Second, env: fakeMode(mode)})
	if err != nil {
		return nil, nil, err
	}
	out = new(sim.Batch)
	err = d.Reset(ctx, cocosim.Config{})
	if err == nil {
		err = d.Advance(ctx, cocosim.WhileFed, packets(10), out)
	}
	if err == nil {
		return out, d, d.Close()
	}
	assert.NoError(t, d.Close(), "a failure is not reported twice")
	return out, d, err
}

func packets(n int) []sim.Offer {
	var all []sim.Offer
	for i := range n {
		all = append(all, sim.Offer{Seq: uint64(i), Data: []byte(strings.Repeat(strconv.Itoa(i%10), 60+i%9))})
	}
	return all
}

// checkNoChildren fails the test if it ends with a process left that this one started.
func checkNoChildren(t *testing.T) {
	t.Helper()
	t.Cleanup(func() {
		assert.Empty(t, children(os.Getpid()), "processes left behind")
	})
}

func children(parent int) (pids []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if ppid, _ := parentOf(pid); ppid == parent {
			pids = append(pids, pid)
		}
	}
	return pids
}

// parentOf reads a process's parent and state; 0 when there is no such process.
func parentOf(pid int) (parent int, state string) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, ""
	}
	rest := string(stat[strings.LastIndexByte(string(stat), ')')+1:])
	fields := strings.Fields(rest)
	parent, _ = strconv.Atoi(fields[1])
	return parent, fields[0]
}

func TestBridgeWithAWellBehavedSimulator(t *testing.T) {
	for _, mode := range []string{"good", "beats"} {
		out, d, err := runFake(t, context.Background(), mode)
		require.NoError(t, err)
		require.Len(t, out.Records, 20)
		for i, in := range packets(10) {
			echo, back := out.Records[2*i], out.Records[2*i+1]
			assert.Equal(t, sim.Record{Seq: uint64(i), Start: echo.Start, End: echo.Start + uint64(len(in.Data)+7)/8 - 1}, echo)
			assert.Equal(t, in.Data, back.Data)
			assert.Equal(t, sim.Port(1), back.Port)
		}
		assert.Equal(t, uint64(10), d.Stats()[1].Records)
	}
}

func TestBridgeFailuresHaveTheirOwnAnswers(t *testing.T) {
	for _, c := range []struct {
		mode string
		exit cocosim.Exit
		want string
	}{
		{"never answers", cocosim.SimFailed, "simulator of fake hung: no sign of life for 1s after cycle 0"},
		{"dies at once", cocosim.SimFailed, "simulator of fake died after cycle 0: exit status 7; it said last: cannot " +
			"open shared library"},
		{"other protocol", cocosim.BridgeFailed, "bridge to fake: it speaks protocol 9, this is 1"},
		{"other build", cocosim.BridgeFailed, "bridge to fake: it is build ba9876543210"},
		{"other ports", cocosim.BridgeFailed, "bridge to fake: its port table is not the manifest's"},
		{"refuses", cocosim.BridgeFailed, "simulator of fake refused: not today"},
		{"bad magic", cocosim.BridgeFailed, "bridge to fake: bad magic 42414349"},
		{"other channel", cocosim.BridgeFailed, "bridge to fake: channel 1 was never opened"},
		{"lost frame", cocosim.BridgeFailed, "bridge to fake: frame 3 where 2 was due"},
		{"long frame", cocosim.BridgeFailed, "over the limit"},
		{"cut record", cocosim.BridgeFailed, "bridge to fake: a record does not fit its frame"},
		{"record on an input", cocosim.BridgeFailed, "bridge to fake: a record on port 0, where there can be none"},
		{"wrong frame", cocosim.BridgeFailed, "bridge to fake: frame type 1 inside a batch"},
		{"half a frame", cocosim.SimFailed, "simulator of fake died after cycle 0: exit status 0"},
		{"closes", cocosim.BridgeFailed, "bridge to fake broke after cycle 0"},
		{"silent", cocosim.SimFailed, "simulator of fake hung: no sign of life for 1s after cycle 0"},
		{"beats and stops", cocosim.SimFailed, "simulator of fake hung: no sign of life for 1s after cycle 77"},
		{"crashes", cocosim.SimFailed, "simulator of fake died after cycle 0: signal: killed; it said last: terminate " +
			"called"},
		{"other hash", cocosim.BridgeFailed, "bridge to fake: what was sent has hash"},
		{"lost record", cocosim.BridgeFailed, "bridge to fake: port m_axis: 11 records were sent, 10 arrived"},
		{"no goodbye", cocosim.SimFailed, "simulator of fake died after cycle"},
		{"lingers", cocosim.SimFailed, "simulator of fake did not end after its goodbye"},
		{"ends badly", cocosim.SimFailed, "simulator of fake did not end well: exit status 9"},
	} {
		t.Run(c.mode, func(t *testing.T) {
			_, _, err := runFake(t, context.Background(), c.mode)
			require.Error(t, err)
			assert.Equal(t, c.exit, cocosim.ExitOf(err), err.Error())
			assert.Contains(t, err.Error(), c.want)
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}

func TestBridgeReportsViolations(t *testing.T) {
	_, d, err := runFake(t, context.Background(), "violates")
	require.NoError(t, err)
	v := d.Violations()
	require.Len(t, v, 2)
	assert.Equal(t, cocosim.Violation{Verdict: sim.Verdict{Rule: "AXIS-STABLE", Text: "tdata changed while stalled"},
		Port: "m_axis", Cycle: 12}, *v[0])
	assert.Equal(t, "4 more violations, counted only", v[1].Text)
	assert.Empty(t, d.Violations())
}

func TestBridgeStopsWithItsContext(t *testing.T) {
	for _, mode := range []string{"never answers", "silent"} {
		ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
		defer cancel()
		_, _, err := runFake(t, ctx, mode)
		assert.Equal(t, cocosim.Inconclusive, cocosim.ExitOf(err))
		assert.ErrorContains(t, err, "stopped at cycle 0: context deadline exceeded")
	}
}

func TestBridgeStaysFailed(t *testing.T) {
	checkNoChildren(t)
	ctx := context.Background()
	d, err := fakeImage().Open(ctx, Options{env: fakeMode("bad magic")})
	require.NoError(t, err)
	require.NoError(t, d.Reset(ctx, cocosim.Config{}))
	first := d.Advance(ctx, cocosim.WhileFed, packets(1), new(sim.Batch))
	require.Error(t, first)
	assert.Equal(t, first, d.Advance(ctx, cocosim.WhileFed, packets(1), new(sim.Batch)))
	require.NoError(t, d.Close())
	require.NoError(t, d.Close())
}

func TestBridgeRefusesBadInput(t *testing.T) {
	checkNoChildren(t)
	ctx := context.Background()
	d, err := fakeImage().Open(ctx, Options{env: fakeMode("good")})
	require.NoError(t, err)
	for _, c := range []struct {
		cfg  cocosim.Config
		want string
	}{
		{cocosim.Config{Backpressure: 1.5}, "shares of cycles from 0 to 1, not 1.5"},
		{cocosim.Config{Inputs: map[string]uint64{"mode": 1}}, `fake has no configuration input "mode" (it has: mode_i)`},
		{cocosim.Config{Inputs: map[string]uint64{"mode_i": 16}}, "configuration input mode_i: 16 does not fit 4 bits"},
	} {
		err := d.Reset(ctx, c.cfg)
		assert.ErrorContains(t, err, c.want)
		assert.Equal(t, cocosim.BadInput, cocosim.ExitOf(err))
	}
	require.NoError(t, d.Reset(ctx, cocosim.Config{Inputs: map[string]uint64{"mode_i": 5}}))
	for _, c := range []struct {
		offer sim.Offer
		want  string
	}{
		{sim.Offer{Port: 1, Data: []byte{1}}, "port 1, which is no input of fake"},
		{sim.Offer{Port: 7, Data: []byte{1}}, "port 7, which is no input of fake"},
		{sim.Offer{}, "port s_axis: record 0 has 0 bytes"},
		{sim.Offer{Data: make([]byte, maxRecordBytes+1)}, "1 to 262144 can be carried"},
		{sim.Offer{Data: []byte{1}, User: 1}, "sideband 0x1 does not fit 0 bits"},
	} {
		err := d.Advance(ctx, cocosim.WhileFed, []sim.Offer{c.offer}, new(sim.Batch))
		assert.ErrorContains(t, err, c.want)
		assert.Equal(t, cocosim.BadInput, cocosim.ExitOf(err))
	}
	require.NoError(t, d.Advance(ctx, cocosim.WhileFed, packets(3), new(sim.Batch)), "bad input costs nothing")
	require.NoError(t, d.Close())
	assert.Equal(t, cocosim.BridgeFailed, cocosim.ExitOf(d.Advance(ctx, cocosim.WhileFed, packets(3), new(sim.Batch))))
}

// A batch far larger than the socket takes goes in while results come out.
func TestBridgeCarriesAnyBatch(t *testing.T) {
	checkNoChildren(t)
	ctx := context.Background()
	d, err := fakeImage().Open(ctx, Options{env: fakeMode("good")})
	require.NoError(t, err)
	require.NoError(t, d.Reset(ctx, cocosim.Config{}))
	in := make([]sim.Offer, 5000)
	for i := range in {
		in[i] = sim.Offer{Seq: uint64(i), Data: make([]byte, 4000+i%9)}
	}
	var out sim.Batch
	require.NoError(t, d.Advance(ctx, cocosim.WhileFed, in, &out))
	assert.Len(t, out.Records, 2*len(in))
	require.NoError(t, d.Close())
}

func TestSimulatorThatIsNotThere(t *testing.T) {
	im := fakeImage()
	im.Program = "/nonexistent/simulator"
	_, err := im.Open(context.Background(), Options{})
	assert.Equal(t, cocosim.SimFailed, cocosim.ExitOf(err))
	assert.ErrorContains(t, err, "cannot start the simulator of fake")
}

// parentMode starts a process that opens the loopback, prints the simulator's process and runs it for ever.
const parentMode = "parent of fault "

func playParent(fault string) {
	n, _ := strconv.ParseUint(fault, 10, 64)
	ctx := context.Background()
	m, err := manifest.Load(loopbackManifest)
	if err != nil {
		panic(err)
	}
	image, err := Build(ctx, m, nil, Debug, nil)
	if err != nil {
		panic(err)
	}
	d, err := image.Open(ctx, Options{HangTimeout: time.Hour})
	if err == nil {
		err = d.Reset(ctx, cocosim.Config{Inputs: map[string]uint64{"fault_i": n}})
	}
	if err != nil {
		panic(err)
	}
	fmt.Println(d.child.cmd.Process.Pid)
	d.Advance(ctx, 1<<62, nil, new(sim.Batch))
}
