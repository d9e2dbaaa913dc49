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
