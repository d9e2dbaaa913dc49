package verilated

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/cocosim/manifest"
	"hcacosim/model/sim"
)

// Faults of testdata/loopback.sv.
const (
	faultNone = iota
	faultValidDropped
	faultDataChanged
	faultKeepHole
	faultNeverReady
	faultFinish
	faultLoop
	faultEndless
	faultAbort
	faultAssertion
	faultNoLast
	faultValidInReset
	faultSilent
	faultPeek
	faultWithdrawn
)

const portAxisIn, portAxisOut, portRecordIn, portRecordOut = sim.Port(0), sim.Port(1), sim.Port(2), sim.Port(3)

// loopbackImage is the one image that these tests share. Without the tools they are skipped.
func loopbackImage(t *testing.T) *Image {
	t.Helper()
	needTools(t)
	m, err := manifest.Load(loopbackManifest)
	require.NoError(t, err)
	image, err := Build(context.Background(), m, nil, Debug, nil)
	require.NoError(t, err)
	return image
}

func needTools(t *testing.T) {
	t.Helper()
	if _, err := toolVersions(context.Background(), Fast); err != nil {
		t.Skip("skipped: ", err)
	}
}

func startLoopback(t *testing.T, opts Options) *RTL {
	t.Helper()
	image := loopbackImage(t)
	checkNoChildren(t)
	d, err := image.Open(context.Background(), opts)
	require.NoError(t, err)
	t.Cleanup(func() { d.Close() })
	return d
}

func openLoopback(t *testing.T, opts Options, cfg cocosim.Config) *RTL {
	t.Helper()
	d := startLoopback(t, opts)
	require.NoError(t, d.Reset(context.Background(), cfg))
	return d
}

func withFault(fault uint64) cocosim.Config {
	return cocosim.Config{Seed: 1, Inputs: map[string]uint64{"fault_i": fault}}
}

// traffic is n packets of lengths around the width and n records, spread over time so that neither port waits long for
// the other, sorted as Advance wants them.
func traffic(seed uint64, n int) []sim.Record {
	rng := rand.New(rand.NewPCG(seed, 1))
	var all []sim.Record
	for i := range n {
		data := make([]byte, 1+rng.IntN(70))
		record := make([]byte, 21)
		for k := range data {
			data[k] = byte(rng.Uint32())
		}
		for k := range record {
			record[k] = byte(rng.Uint32())
		}
		record[20] &= 0x0f // 164 bits
		start := uint64(i) * 6
		all = append(all,
			sim.Record{Port: portAxisIn, Seq: uint64(i), Start: start, User: rng.Uint32() & 15, Data: data},
			sim.Record{Port: portRecordIn, Seq: uint64(i), Start: start, Data: record})
	}
	return all
}

// drive hands the records over in batches of a size and then lets the device run out.
func drive(t *testing.T, d *RTL, in []sim.Record, size int) []sim.Record {
	t.Helper()
	var all []sim.Record
	var out sim.Batch
	ctx := context.Background()
	take := func() {
		for _, r := range out.Records {
			r.Data = bytes.Clone(r.Data)
			all = append(all, r)
		}
		out.Reset()
	}
	for batch := range slices.Chunk(in, size) {
		require.NoError(t, d.Advance(ctx, cocosim.WhileFed, batch, &out))
		take()
	}
	require.NoError(t, d.Advance(ctx, d.cycle+100_000, nil, &out))
	take()
	return all
}

func onPort(all []sim.Record, port sim.Port) (some []sim.Record) {
	for _, r := range all {
		if r.Port == port {
			some = append(some, r)
		}
	}
	return some
}

var conditions = []cocosim.Config{
	{Seed: 1},
	{Seed: 2, Backpressure: 0.3},
	{Seed: 3, Idle: 0.3},
	{Seed: 4, Backpressure: 0.5, Idle: 0.5},
}

// Results, cycles included, are the same for every batch size, and with and without shared memory; and what comes out
// is what went in.
func TestBatchSizeNeverShows(t *testing.T) {
	in := traffic(1, 2500)
	for _, cfg := range conditions {
		t.Run(fmt.Sprintf("backpressure %g idle %g", cfg.Backpressure, cfg.Idle), func(t *testing.T) {
			var first []sim.Record
			for i, size := range []int{4096, 4096, 64, 7, 1} {
				d := openLoopback(t, Options{noShared: i == 0}, cfg)
				got := drive(t, d, in, size)
				require.NoError(t, d.Close())
				require.Empty(t, d.Violations())
				if first == nil {
					first = got
					checkLoopback(t, in, got)
				}
				require.True(t, slices.EqualFunc(first, got, sameRecord), "batches of %d", size)
			}
		})
	}
}

func sameRecord(a, b sim.Record) bool {
	return a.Start == b.Start && a.End == b.End && a.Seq == b.Seq && a.User == b.User && a.Port == b.Port &&
		bytes.Equal(a.Data, b.Data)
}

// checkLoopback holds what came out against what went in.
func checkLoopback(t *testing.T, in, got []sim.Record) {
	t.Helper()
	require.True(t, slices.IsSortedFunc(got, func(a, b sim.Record) int {
		return int(int64(a.End-b.End))<<8 + int(a.Port) - int(b.Port)
	}), "sorted by End, then port")
	packets, packetEchoes, packetsOut := onPort(in, portAxisIn), onPort(got, portAxisIn), onPort(got, portAxisOut)
	records, recordEchoes, recordsOut := onPort(in, portRecordIn), onPort(got, portRecordIn), onPort(got, portRecordOut)
	for _, n := range []int{len(packetsOut), len(packetEchoes), len(recordsOut), len(recordEchoes)} {
		require.Equal(t, len(packets), n)
	}
	for i, p := range packets {
		echo, out := packetEchoes[i], packetsOut[i]
		require.Equal(t, p.Data, out.Data)
		require.Equal(t, p.User, out.User)
		require.Equal(t, p.Seq, echo.Seq)
		require.Equal(t, uint64(i), out.Seq)
		require.GreaterOrEqual(t, echo.Start, p.Start)
		require.GreaterOrEqual(t, echo.End-echo.Start+1, uint64(len(p.Data)+7)/8, "a beat a cycle at most")
		require.Greater(t, out.End, echo.End)
	}
	for i, r := range records {
		require.Equal(t, swapFields(r.Data), recordsOut[i].Data)
		require.Equal(t, recordEchoes[i].End, recordsOut[i].End, "records come back in the cycle in which they are taken")
	}
}

// swapFields is what the loopback makes of a record: psn 7, time 62, wide 95 becomes wide, psn, time.
func swapFields(b []byte) []byte {
	bit := func(i int) byte { return b[i/8] >> (i % 8) & 1 }
	var order []int
	for i := range 95 {
		order = append(order, 69+i)
	}
	for i := range 69 {
		order = append(order, i)
	}
	out := make([]byte, 21)
	for to, from := range order {
		out[to/8] |= bit(from) << (to % 8)
	}
	return out
}

// Runs cut by cycle give what runs cut by batch give.
func TestAdvanceToACycleGivesTheSame(t *testing.T) {
	in := traffic(2, 600)
	cfg := conditions[3]
	d := openLoopback(t, Options{}, cfg)
	want := drive(t, d, in, 4096)
	require.NoError(t, d.Close())

	d = openLoopback(t, Options{}, cfg)
	var got []sim.Record
	rest := in
	for to := uint64(37); to < 110_000; to += 37 {
		n := 0
		for n < len(rest) && rest[n].Start < to {
			n++
		}
		var out sim.Batch
		require.NoError(t, d.Advance(context.Background(), to, rest[:n], &out))
		for _, r := range out.Records {
			require.Less(t, r.End, to)
		}
		got = append(got, out.Records...)
		rest = rest[n:]
	}
	require.NoError(t, d.Close())
	require.True(t, slices.EqualFunc(want, got, sameRecord))
}

// A batch of several frames is there as a whole before it counts as dry.
func TestAdvanceToACycleWaitsForItsBatch(t *testing.T) {
	in := traffic(10, 3000)
	d := openLoopback(t, Options{}, cocosim.Config{})
	want := drive(t, d, in, 50)
	require.NoError(t, d.Close())
	for _, noShared := range []bool{false, true} {
		d = openLoopback(t, Options{noShared: noShared}, cocosim.Config{})
		var out sim.Batch
		require.NoError(t, d.Advance(context.Background(), 100_000, in, &out))
		require.True(t, slices.EqualFunc(want, out.Records, sameRecord))
		require.NoError(t, d.Close())
	}
}

// What nobody may look at looks like a beat: the one before, that with bits changed, random bytes, the pattern of
// docs/bridge.md. Lanes that tkeep does not cover carry what was there before.
func TestIdlePinsLookLikeABeat(t *testing.T) {
	in := []sim.Record{{Data: []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, User: 5}}
	before := []byte{9, 10, 11, 4, 5, 6, 7, 8}
	pattern := bytes.Repeat([]byte{0xdb}, 8)
	seen := map[string]int{}
	for seed := range uint64(64) {
		in[0].Start = 36 + seed%3 // the device peeks at cycle 40
		cfg := withFault(faultPeek)
		cfg.Seed = seed
		d := openLoopback(t, Options{}, cfg)
		var out sim.Batch
		require.NoError(t, d.Advance(context.Background(), 60, in, &out))
		got := onPort(out.Records, portAxisOut)
		require.GreaterOrEqual(t, len(got), 1)
		assert.Equal(t, []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 4, 5, 6, 7, 8}, got[0].Data)
		assert.Equal(t, uint32(5), got[0].User)
		require.NoError(t, d.Close())
		if len(got) < 2 {
			seen["not a last beat"]++
			continue
		}
		same, n := 0, min(8, len(got[1].Data))
		for i, c := range got[1].Data[:n] {
			if c == before[i] {
				same++
			}
		}
		switch {
		case bytes.Equal(got[1].Data, pattern):
			seen["pattern"]++
		case same == n:
			seen["the beat before"]++
		case 2*same > n:
			seen["the beat before, changed"]++
		default:
			seen["other"]++
		}
	}
	for _, what := range []string{"pattern", "the beat before", "the beat before, changed", "other", "not a last beat"} {
		assert.NotZero(t, seen[what], "%s: %v", what, seen)
	}
}

// A width beyond 64 byte lanes, where tkeep is an array to C++, and one of a single lane; in the quick build.
func TestOtherWidths(t *testing.T) {
	needTools(t)
	m, err := manifest.Load(loopbackManifest)
	require.NoError(t, err)
	ctx := context.Background()
	for _, width := range []int{1024, 8} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			checkNoChildren(t)
			image, err := Build(ctx, m, map[string]int{"DataWidth": width}, Quick, nil)
			require.NoError(t, err)
			d, err := image.Open(ctx, Options{})
			require.NoError(t, err)
			defer d.Close()
			require.NoError(t, d.Reset(ctx, conditions[3]))
			lanes := width / 8
			var in []sim.Record
			for i := range 4 * lanes { // every length of the last beat, on one, two and three beats
				in = append(in, sim.Record{Seq: uint64(i), Data: bytes.Repeat([]byte{byte(i + 1)}, i+1)})
			}
			var out sim.Batch
			require.NoError(t, d.Advance(ctx, 10_000, in, &out))
			got := onPort(out.Records, portAxisOut)
			require.Equal(t, len(in), len(got))
			for i := range in {
				require.True(t, bytes.Equal(in[i].Data, got[i].Data), "%d bytes", i+1)
			}
			require.Empty(t, d.Violations())

			// Of a beat with a hole counts what lies before the hole.
			require.NoError(t, d.Reset(ctx, withFault(faultKeepHole)))
			out.Reset()
			in = []sim.Record{{Data: make([]byte, 60*lanes)}}
			require.NoError(t, d.Advance(ctx, 100, in, &out))
			if lanes > 2 {
				require.Equal(t, 59*lanes+1, len(onPort(out.Records, portAxisOut)[0].Data))
				require.Equal(t, "tkeep has a hole", d.Violations()[0].Text)
			}
			require.NoError(t, d.Close())
		})
	}
}

// The generator as docs/bridge.md defines it, written a second time: it must predict the cycle of every record, because
// the loopback hands a record through in the cycle in which both sides are willing.
func TestDrawsAreThoseOfTheDocument(t *testing.T) {
	const golden = 0x9e3779b97f4a7c15
	mix := func(z uint64) uint64 {
		z ^= z >> 30
		z *= 0xbf58476d1ce4e5b9
		z ^= z >> 27
		z *= 0x94d049bb133111eb
		return z ^ z>>31
	}
	kinds := map[uint64]bool{}
	held := func(seed, port, cycle, share uint64, input bool) bool {
		key := mix(seed + (port+1)*golden)
		kind := mix(^key+(cycle/256+1)*golden) >> 60
		kinds[kind] = true
		if era := mix((key ^ 0x73696c656e636521) + (cycle/4096+1)*golden); era%4 == 0 && cycle%4096 < 256+era/256%1024 {
			return true
		}
		single, burst := mix(key+(cycle+1)*golden), mix(key+(^(cycle/32)+1)*golden)
		isBurst := kind == 12 || kind == 13 || kind == 14 && input
		return kind < 8 && single < share || (kind == 10 || kind == 11) && single < 15<<60 || isBurst && burst < share ||
			kind == 14 && !input || kind == 15 && cycle%2 == 1
	}

	cfg := cocosim.Config{Seed: 99, Backpressure: 0.25, Idle: 0.75}
	in := onPort(traffic(3, 4000), portRecordIn)
	for i := range in {
		in[i].Start = 0
	}
	d := openLoopback(t, Options{}, cfg)
	var out sim.Batch
	require.NoError(t, d.Advance(context.Background(), 200_000, in, &out))
	echoes := onPort(out.Records, portRecordIn)
	require.Len(t, echoes, len(in))
	cycle, offered := uint64(0), false
	for i := range in {
		for {
			offered = offered || !held(99, uint64(portRecordIn), cycle, 3<<62, true)
			ready := !held(99, uint64(portRecordOut), cycle, 1<<62, false)
			cycle++
			if offered && ready {
				offered = false
				break
			}
		}
		require.Equal(t, cycle-1, echoes[i].End, "record %d", i)
	}
	require.Len(t, kinds, 16)
}

// Records of up to the limit, larger than a slot of shared memory, and more of them than there are slots.
func TestLargeRecords(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	var in []sim.Record
	for i, n := range []int{maxRecordBytes, 1, slotBytes, slotBytes - recordHeaderBytes - 8, 100,
		slotBytes - recordHeaderBytes, maxRecordBytes - 3, 70_000, 70_000, 7} {
		data := make([]byte, n)
		for k := range data {
			data[k] = byte(rng.Uint32())
		}
		in = append(in, sim.Record{Seq: uint64(i), Data: data})
	}
	for _, noShared := range []bool{false, true} {
		d := openLoopback(t, Options{noShared: noShared}, cocosim.Config{})
		var out sim.Batch
		require.NoError(t, d.Advance(context.Background(), 300_000, in, &out))
		got := onPort(out.Records, portAxisOut)
		require.Equal(t, len(in), len(got))
		for i := range in {
			require.True(t, bytes.Equal(in[i].Data, got[i].Data), "record %d", i)
		}
		require.NoError(t, d.Close())
	}
}

// A batch begun ahead changes nothing but the time it takes.
func TestBeginAndCollect(t *testing.T) {
	in := traffic(9, 3000)
	cfg := conditions[3]
	d := openLoopback(t, Options{}, cfg)
	want := drive(t, d, in, 100)
	require.NoError(t, d.Close())

	d = openLoopback(t, Options{}, cfg)
	ctx := context.Background()
	var got []sim.Record
	batches := slices.Collect(slices.Chunk(in, 100))
	for i := range len(batches) + 1 {
		if i < len(batches) {
			require.NoError(t, d.Begin(ctx, cocosim.WhileFed, batches[i]))
		}
		if i > 0 {
			var out sim.Batch
			require.NoError(t, d.Collect(ctx, &out))
			got = append(got, out.Records...)
		}
	}
	var out sim.Batch
	require.NoError(t, d.Advance(ctx, d.cycle+100_000, nil, &out))
	got = append(got, out.Records...)
	require.True(t, slices.EqualFunc(want, got, sameRecord))

	require.ErrorContains(t, d.Collect(ctx, &out), "no batch is begun")
	require.NoError(t, d.Begin(ctx, cocosim.WhileFed, nil))
	require.ErrorContains(t, d.Reset(ctx, cfg), "collect it before a reset")
	require.NoError(t, d.Begin(ctx, cocosim.WhileFed, nil))
	require.ErrorContains(t, d.Begin(ctx, cocosim.WhileFed, nil), "2 batches are begun already")
	require.NoError(t, d.Close(), "what was begun is brought to its end")
}

func TestResetStartsAfresh(t *testing.T) {
	in := traffic(4, 50)
	d := openLoopback(t, Options{}, conditions[1])
	first := drive(t, d, in, 10)
	// In the middle of a packet, with records queued.
	require.NoError(t, d.Advance(context.Background(), d.cycle+5, traffic(5, 50), new(sim.Batch)))
	require.NoError(t, d.Reset(context.Background(), conditions[1]))
	second := drive(t, d, in, 10)
	require.True(t, slices.EqualFunc(first, second, sameRecord))
	require.NoError(t, d.Close())
}

func TestStreamRulesAreChecked(t *testing.T) {
	for _, c := range []struct {
		name       string
		fault      uint64
		stalls     float64
		rule, port string
		text       string
	}{
		{"valid dropped", faultValidDropped, 0.5, "AXIS-VALID", "m_axis", "valid fell before ready"},
		{"data changed", faultDataChanged, 0.5, "AXIS-STABLE", "m_axis", "tdata changed while stalled"},
		{"hole in tkeep", faultKeepHole, 0, "AXIS-KEEP", "m_axis", "tkeep has a hole"},
		{"no tlast", faultNoLast, 0.1, "AXIS-LAST", "m_axis", "no tlast within 262144 bytes"},
		{"valid in reset", faultValidInReset, 0.5, "AXIS-RESET", "m_axis", "valid is high in reset"},
		{"assertion", faultAssertion, 0.5, "ASSERT", "", "not calm in cycle 40"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := withFault(c.fault)
			cfg.Backpressure = c.stalls
			d := openLoopback(t, Options{}, cfg)
			in := []sim.Record{{Data: make([]byte, maxRecordBytes)}, {Data: make([]byte, 104), Seq: 1}}
			require.NoError(t, d.Advance(context.Background(), 80_000, in, new(sim.Batch)))
			require.NoError(t, d.Close())
			all := d.Violations()
			require.NotEmpty(t, all)
			for _, v := range all[:len(all)-1] { // the last may count the rest
				assert.Equal(t, c.rule, string(v.Rule))
				assert.Equal(t, c.port, v.Port)
			}
			assert.Contains(t, all[0].Text, c.text)
			if c.rule == "ASSERT" {
				assert.Contains(t, all[0].Text, "loopback.sv:")
			}
		})
	}
}

// TestWithdrawableRecordMayVanish: valid of a record port may fall where the manifest says so, and nowhere else.
func TestWithdrawableRecordMayVanish(t *testing.T) {
	needTools(t)
	for _, withdrawable := range []bool{false, true} {
		m, err := manifest.Load(loopbackManifest)
		require.NoError(t, err)
		m.Ports[portRecordOut].Withdrawable = withdrawable
		image, err := Build(context.Background(), m, nil, Debug, nil)
		require.NoError(t, err)
		d, err := image.Open(context.Background(), Options{})
		require.NoError(t, err)
		cfg := withFault(faultWithdrawn)
		cfg.Backpressure = 0.8
		require.NoError(t, d.Reset(context.Background(), cfg))
		var in []sim.Record
		for i := range uint64(500) {
			in = append(in, sim.Record{Port: portRecordIn, Seq: i, Data: make([]byte, 21)})
		}
		var out sim.Batch
		require.NoError(t, d.Advance(context.Background(), 5000, in, &out))
		require.NoError(t, d.Close())
		require.Len(t, out.Records, 1000, "each comes in the end")
		all := d.Violations()
		require.Equal(t, withdrawable, len(all) == 0)
		for _, v := range all {
			require.EqualValues(t, "AXIS-VALID", v.Rule)
			require.Equal(t, "out", v.Port)
		}
	}
}

func TestHungDesignIsAMismatchAndLeavesTheSimulatorWell(t *testing.T) {
	for _, fault := range []uint64{faultNeverReady, faultSilent} {
		d := openLoopback(t, Options{StallLimit: 500}, withFault(fault))
		in := []sim.Record{{Data: make([]byte, 3000)}}
		for i := range 1000 { // enough to keep the record port fed
			in = append(in, sim.Record{Port: portRecordIn, Seq: uint64(i), Start: 1 << 40, Data: make([]byte, 21)})
		}
		var out sim.Batch
		err := d.Advance(context.Background(), cocosim.WhileFed, in, &out)
		var hung *cocosim.HungError
		require.ErrorAs(t, err, &hung)
		assert.Equal(t, cocosim.Mismatch, cocosim.ExitOf(err))
		assert.Equal(t, "s_axis", hung.Port)
		assert.Equal(t, uint64(500), hung.Idle)
		assert.Less(t, hung.Cycle, uint64(3000))
		assert.ErrorContains(t, err, fmt.Sprintf("loopback: design hung at cycle %d: port s_axis", hung.Cycle))
		assert.NoError(t, d.Close())
	}
}

// A slow design is not a hung one: waiting for a record's cycle is no stall.
func TestWaitingIsNoStall(t *testing.T) {
	d := openLoopback(t, Options{StallLimit: 100}, cocosim.Config{})
	in := []sim.Record{
		{Port: portAxisIn, Start: 50_000, Data: make([]byte, 8)},
		{Port: portRecordIn, Start: 50_000, Data: make([]byte, 21)}}
	var out sim.Batch
	require.NoError(t, d.Advance(context.Background(), cocosim.WhileFed, in, &out))
	assert.Len(t, onPort(out.Records, portRecordOut), 1)
	assert.Equal(t, uint64(50_000), onPort(out.Records, portRecordOut)[0].Start)
	require.NoError(t, d.Close())
}

func TestSimulatorFailures(t *testing.T) {
	for _, c := range []struct {
		name  string
		fault uint64
		want  string
	}{
		{"$finish", faultFinish, "loopback called $finish after cycle 41 at "},
		{"combinational loop", faultLoop, "did not converge"},
		{"endless loop", faultEndless, "simulator of loopback hung: no sign of life for 1s after cycle "},
		{"abort", faultAbort, "simulator of loopback died after cycle 0: signal: aborted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := startLoopback(t, Options{HangTimeout: time.Second})
			err := d.Reset(context.Background(), withFault(c.fault)) // a loop may be found as early as this
			if err == nil {
				err = d.Advance(context.Background(), 1000, nil, new(sim.Batch))
			}
			require.Error(t, err)
			assert.Equal(t, cocosim.SimFailed, cocosim.ExitOf(err))
			assert.Contains(t, err.Error(), c.want)
			assert.NoError(t, d.Close())
			assert.Nil(t, d.Stats())
		})
	}
}

func TestSimulatorKilledOrStoppedInARun(t *testing.T) {
	for _, c := range []struct {
		signal syscall.Signal
		hang   time.Duration
		want   string
	}{
		{syscall.SIGKILL, 0, "simulator of loopback died after cycle %d: signal: killed"},
		{syscall.SIGSTOP, 2 * time.Second, "simulator of loopback hung: no sign of life for 2s after cycle %d"},
	} {
		d := openLoopback(t, Options{HangTimeout: c.hang}, cocosim.Config{})
		require.NoError(t, d.Advance(context.Background(), 1000, nil, new(sim.Batch)))
		go func() {
			time.Sleep(300 * time.Millisecond)
			d.child.cmd.Process.Signal(c.signal)
		}()
		err := d.Advance(context.Background(), 1<<62, nil, new(sim.Batch))
		assert.Equal(t, cocosim.SimFailed, cocosim.ExitOf(err))
		assert.EqualError(t, err, fmt.Sprintf(c.want, d.cycle))
		assert.GreaterOrEqual(t, d.cycle, uint64(1000))
		assert.NoError(t, d.Close())
	}
}

// A long run is no hung simulator: it sends heartbeats.
func TestLongRunIsNotHung(t *testing.T) {
	d := openLoopback(t, Options{HangTimeout: 2 * time.Second}, cocosim.Config{})
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	err := d.Advance(ctx, 1<<62, nil, new(sim.Batch))
	assert.Equal(t, cocosim.Inconclusive, cocosim.ExitOf(err), err)
	assert.Positive(t, d.cycle)
}

func TestSimulatorStopsWithItsContext(t *testing.T) {
	for _, fault := range []uint64{faultNone, faultEndless} {
		d := openLoopback(t, Options{}, withFault(fault))
		ctx, cancel := context.WithCancelCause(context.Background())
		go func() {
			time.Sleep(100 * time.Millisecond)
			cancel(errors.New("interrupted"))
		}()
		err := d.Advance(ctx, 1<<62, nil, new(sim.Batch))
		assert.Equal(t, cocosim.Inconclusive, cocosim.ExitOf(err))
		assert.ErrorContains(t, err, "interrupted")
		assert.NoError(t, d.Close())
	}
}

// When the harness is killed, its simulator ends too, whatever it is doing.
func TestSimulatorEndsWithItsParent(t *testing.T) {
	loopbackImage(t)
	program, err := os.Executable()
	require.NoError(t, err)
	for _, fault := range []int{faultNone, faultEndless} {
		cmd := exec.Command(program)
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s%d", fakeEnv, parentMode, fault))
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		line, err := bufio.NewReader(out).ReadString('\n')
		require.NoError(t, err)
		var pid int
		_, err = fmt.Sscan(line, &pid)
		require.NoError(t, err)
		parent, _ := parentOf(pid)
		require.Equal(t, cmd.Process.Pid, parent)
		time.Sleep(200 * time.Millisecond) // into the run
		require.NoError(t, cmd.Process.Kill())
		cmd.Wait()
		gone := func() bool {
			_, state := parentOf(pid)
			return state == "" || state == "Z" // a zombie is for the system's init to reap
		}
		assert.Eventually(t, gone, time.Minute, 20*time.Millisecond)
	}
}

// The simulator's end checks what it is sent as strictly as ours does.
func TestSimulatorRefusesBrokenFrames(t *testing.T) {
	image := loopbackImage(t)
	hello := func(major int, build, manifest string) func(*frameWriter) {
		return func(w *frameWriter) {
			w.begin(frameHello)
			w.u16(uint16(major))
			w.u16(0)
			w.u32(0)
			w.u32(bridgeMaxFrame)
			w.u32(maxRecordBytes)
			w.text(build)
			w.text(manifest)
			w.end(0)
		}
	}
	good := hello(1, image.BuildID, image.Manifest.Hash())
	reset := func(inputs int) func(*frameWriter) {
		return func(w *frameWriter) {
			w.begin(frameReset)
			for range 4 {
				w.u64(0)
			}
			w.u32(uint32(inputs))
			w.u32(0)
			for i := range inputs {
				w.u32(uint32(i))
				w.u32(0)
				w.u64(0)
			}
			w.end(0)
		}
	}
	run := func(change func(b []byte) []byte) func(*frameWriter) {
		return func(w *frameWriter) {
			w.begin(frameRun)
			w.u64(10)
			at := len(w.buf)
			r := appendRecord(nil, &sim.Record{Data: make([]byte, 16)})
			w.buf = append(w.buf[:at], change(r)...)
			w.end(runLast)
		}
	}
	raw := func(b ...byte) func(*frameWriter) {
		return func(w *frameWriter) { w.w.Write(append(b, make([]byte, bridgeHeaderBytes-len(b))...)) }
	}
	for _, c := range []struct {
		name   string
		frames []func(*frameWriter)
		want   string
	}{
		{"magic", []func(*frameWriter){raw(1, 2, 3, 4)}, "bad magic"},
		{"channel", []func(*frameWriter){raw('H', 'C', 'A', 'B', 1, 0, 1)}, "channel 1 was never opened"},
		{"sequence", []func(*frameWriter){raw('H', 'C', 'A', 'B', 1, 0, 0, 0, 5)}, "frame 5 out of sequence"},
		{"length", []func(*frameWriter){raw('H', 'C', 'A', 'B', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff)}, "over the limit"},
		{"no HELLO", []func(*frameWriter){reset(1)}, "no HELLO"},
		{"version", []func(*frameWriter){hello(2, "x", "y")}, "protocol 2 is asked for, this simulator speaks 1"},
		{"build", []func(*frameWriter){hello(1, "other", image.Manifest.Hash())},
			"build other is asked for, this simulator is " + image.BuildID},
		{"manifest", []func(*frameWriter){hello(1, image.BuildID, "other")}, "manifest other is asked for"},
		{"short HELLO", []func(*frameWriter){func(w *frameWriter) { w.begin(frameHello); w.u16(1); w.end(0) }},
			"HELLO is too short"},
		{"no configuration", []func(*frameWriter){good, reset(0)}, "RESET must set every configuration input"},
		{"too much configuration", []func(*frameWriter){good, reset(2)}, "RESET must set every configuration input"},
		{"type", []func(*frameWriter){good, func(w *frameWriter) { w.begin(99); w.end(0) }}, "unknown frame type 99"},
		{"RUN first", []func(*frameWriter){good, run(func(b []byte) []byte { return nil })}, "RUN before RESET"},
		{"short RUN", []func(*frameWriter){good, reset(1), func(w *frameWriter) { w.begin(frameRun); w.end(runLast) }},
			"RUN is too short"},
		{"cut record", []func(*frameWriter){good, reset(1), run(func(b []byte) []byte { return b[:len(b)-8] })},
			"a record does not fit its frame"},
		{"cut header", []func(*frameWriter){good, reset(1), run(func(b []byte) []byte { return b[:32] })},
			"a record does not fit its frame"},
		{"huge record", []func(*frameWriter){good, reset(1), run(func(b []byte) []byte { b[27] = 0xff; return b })},
			"a record does not fit its frame"},
		{"output port", []func(*frameWriter){good, reset(1), run(func(b []byte) []byte { b[28] = 1; return b })},
			"port 1 is not an input"},
		{"no port", []func(*frameWriter){good, reset(1), run(func(b []byte) []byte { b[28] = 77; return b })},
			"port 77 is not an input"},
		{"record size", []func(*frameWriter){good, reset(1), run(func(b []byte) []byte { b[28] = 2; return b })},
			"a record of 16 bytes on port 2"},
		{"empty packet", []func(*frameWriter){good, reset(1),
			run(func(b []byte) []byte { b[24] = 0; return b[:recordHeaderBytes] })}, "a record of 0 bytes on port 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			checkNoChildren(t)
			child, err := startChild(image.Program, nil, nil)
			require.NoError(t, err)
			defer child.kill()
			w, r := frameWriter{w: child.conn}, frameReader{r: child.conn}
			for _, send := range c.frames {
				send(&w)
			}
			for {
				f, err := r.next(nil)
				require.NoError(t, err, "no ERROR frame came")
				if f.typ == frameError {
					assert.Contains(t, string(f.payload[8:]), c.want)
					break
				}
			}
			_, err = r.next(nil)
			assert.ErrorIs(t, err, io.EOF)
			assert.True(t, child.gone(time.Minute))
			assert.EqualError(t, child.err, "exit status 4")
		})
	}
}

func TestBareLoopAndBridgeAgree(t *testing.T) {
	image := loopbackImage(t)
	checkNoChildren(t)
	in := onPort(traffic(6, 3000), portAxisIn)
	in = append(in, onPort(traffic(6, 3000), portRecordIn)...)
	slices.SortStableFunc(in, func(a, b sim.Record) int { return int(int64(a.Start - b.Start)) })
	pairs, err := BenchBridge(context.Background(), image, in, 2)
	require.NoError(t, err)
	require.Len(t, pairs, 2)
	assert.Equal(t, uint64(6000), pairs[0].Bare.Outputs)
	assert.Equal(t, pairs[0].Bare.Hash, pairs[1].Bridge.Hash)
	assert.Positive(t, pairs[0].Ratio())

	in[0].Data[0] ^= 1
	other, err := RunBare(context.Background(), image, in)
	require.NoError(t, err)
	assert.NotEqual(t, other.Hash, pairs[0].Bare.Hash)
}

func TestSteadyStateAllocatesNothingPerRecord(t *testing.T) {
	d := openLoopback(t, Options{}, cocosim.Config{})
	in := onPort(traffic(7, 2000), portRecordIn)
	for i := range in {
		in[i].Start = 0
	}
	var out sim.Batch
	run := func() {
		out.Reset()
		if err := d.Advance(context.Background(), d.cycle+2100, in, &out); err != nil {
			t.Fatal(err)
		}
	}
	run()
	run()
	assert.Less(t, testing.AllocsPerRun(10, run), 50.0)
}

// TestStallsAreTheBridges: cycles that the bridge held an output up are those that Stalls names. The loopback's record
// port takes and gives in one cycle, so every ready cycle of a fed device has a record.
func TestStallsAreTheBridges(t *testing.T) {
	cfg := cocosim.Config{Seed: 12, Backpressure: 0.4}
	d := openLoopback(t, Options{}, cfg)
	out := drive(t, d, onPort(traffic(6, 200), portRecordIn), 200)
	stalls := cocosim.StallsOf(cfg, int(portRecordOut))
	held := 0
	var last uint64
	for _, r := range out {
		if r.Port == portRecordOut {
			assert.False(t, stalls.Holds(r.End), "cycle %d", r.End)
			for c := last + 1; c < r.End; c++ {
				if stalls.Holds(c) {
					held++
				}
			}
			last = r.End
		}
	}
	require.Greater(t, held, 50)
	require.NoError(t, d.Close())
}
