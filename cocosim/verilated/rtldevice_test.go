package verilated

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

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
func traffic(seed uint64, n int) []sim.Offer {
	rng := rand.New(rand.NewPCG(seed, 1))
	var all []sim.Offer
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
			sim.Offer{Port: portAxisIn, Seq: uint64(i), NotBefore: start, User: rng.Uint32() & 15, Data: data},
			sim.Offer{Port: portRecordIn, Seq: uint64(i), NotBefore: start, Data: record})
	}
	return all
}

// drive hands the offers over in batches of a size and then lets the device run out.
func drive(t *testing.T, d *RTL, in []sim.Offer, size int) []sim.Record {
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

func offersTo(port sim.Port, all []sim.Offer) (some []sim.Offer) {
	for _, o := range all {
		if o.Port == port {
			some = append(some, o)
		}
	}
	return some
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
func checkLoopback(t *testing.T, in []sim.Offer, got []sim.Record) {
	t.Helper()
	require.True(t, slices.IsSortedFunc(got, func(a, b sim.Record) int {
		return int(int64(a.End-b.End))<<8 + int(a.Port) - int(b.Port)
	}), "sorted by End, then port")
	packets, packetEchoes, packetsOut := offersTo(portAxisIn, in), onPort(got, portAxisIn), onPort(got, portAxisOut)
	records, recordEchoes, recordsOut := offersTo(portRecordIn, in), onPort(got, portRecordIn), onPort(got, portRecordOut)
	for _, n := range []int{len(packetsOut), len(packetEchoes), len(recordsOut), len(recordEchoes)} {
		require.Equal(t, len(packets), n)
	}
	for i, p := range packets {
		echo, out := packetEchoes[i], packetsOut[i]
		require.Equal(t, p.Data, out.Data)
		require.Equal(t, p.User, out.User)
		require.Equal(t, p.Seq, echo.Seq)
		require.Equal(t, uint64(i), out.Seq)
		require.GreaterOrEqual(t, echo.Start, p.NotBefore)
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
		for n < len(rest) && rest[n].NotBefore < to {
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
			var in []sim.Offer
			for i := range 4 * lanes { // every length of the last beat, on one, two and three beats
				in = append(in, sim.Offer{Seq: uint64(i), Data: bytes.Repeat([]byte{byte(i + 1)}, i+1)})
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
			in = []sim.Offer{{Data: make([]byte, 60*lanes)}}
			require.NoError(t, d.Advance(ctx, 100, in, &out))
			if lanes > 2 {
				require.Equal(t, 59*lanes+1, len(onPort(out.Records, portAxisOut)[0].Data))
				require.Equal(t, "tkeep has a hole", d.Violations()[0].Text)
			}
			require.NoError(t, d.Close())
		})
	}
}

// A pin that is part of a vector puts a module in front of the design; the configuration inputs are still set by name.
func TestConfigurationBehindAVector(t *testing.T) {
	needTools(t)
	ctx := context.Background()
	m := changed(t, "loopback.yaml", "pin: rec_wide_i,", `pin: "rec_wide_i[94:0]",`)
	image, err := Build(ctx, m, nil, Quick, nil)
	require.NoError(t, err)
	d, err := image.Open(ctx, Options{})
	require.NoError(t, err)
	defer d.Close()
	require.NoError(t, d.Reset(ctx, withFault(faultKeepHole)))
	var out sim.Batch
	require.NoError(t, d.Advance(ctx, 100, []sim.Offer{{Data: make([]byte, 60*8)}}, &out))
	require.Len(t, onPort(out.Records, portAxisOut), 1)
	require.Equal(t, "tkeep has a hole", d.Violations()[0].Text)
	require.NoError(t, d.Close())
}

// Records of up to the limit, larger than a slot of shared memory, and more of them than there are slots.
func TestLargeRecords(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	var in []sim.Offer
	for i, n := range []int{maxRecordBytes, 1, slotBytes, slotBytes - recordHeaderBytes - 8, 100,
		slotBytes - recordHeaderBytes, maxRecordBytes - 3, 70_000, 70_000, 7} {
		data := make([]byte, n)
		for k := range data {
			data[k] = byte(rng.Uint32())
		}
		in = append(in, sim.Offer{Seq: uint64(i), Data: data})
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

func TestBareLoopAndBridgeAgree(t *testing.T) {
	image := loopbackImage(t)
	checkNoChildren(t)
	in := offersTo(portAxisIn, traffic(6, 3000))
	in = append(in, offersTo(portRecordIn, traffic(6, 3000))...)
	slices.SortStableFunc(in, func(a, b sim.Offer) int { return int(int64(a.NotBefore - b.NotBefore)) })
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
	in := offersTo(portRecordIn, traffic(7, 2000))
	for i := range in {
		in[i].NotBefore = 0
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
