package verilated

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/model/sim"
)

// What nobody may look at looks like a beat: the one before, that with bits changed, random bytes, the pattern of
// docs/bridge.md. Lanes that tkeep does not cover carry what was there before.
func TestIdlePinsLookLikeABeat(t *testing.T) {
	in := []sim.Offer{{Data: []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, User: 5}}
	before := []byte{9, 10, 11, 4, 5, 6, 7, 8}
	pattern := bytes.Repeat([]byte{0xdb}, 8)
	seen := map[string]int{}
	for seed := range uint64(64) {
		in[0].NotBefore = 36 + seed%3 // the device peeks at cycle 40
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
		four := mix((key ^ 0x73696c656e636521) + (cycle/16384+1)*golden)
		shortest := []uint64{1024, 256, 2048, 512}[(cycle/16384+key)%4]
		if cycle/4096%4 == four%4 && cycle%4096 < shortest+four/256%shortest {
			return true
		}
		single, burst := mix(key+(cycle+1)*golden), mix(key+(^(cycle/32)+1)*golden)
		isBurst := kind == 12 || kind == 13 || kind == 14 && input
		return kind < 8 && single < share || (kind == 10 || kind == 11) && single < 15<<60 || isBurst && burst < share ||
			kind == 14 && !input || kind == 15 && cycle%2 == 1
	}

	cfg := cocosim.Config{Seed: 99, Backpressure: 0.25, Idle: 0.75}
	in := offersTo(portRecordIn, traffic(3, 4000))
	for i := range in {
		in[i].NotBefore = 0
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

// TestStallsAreTheBridges: cycles that the bridge held an output up are those that Stalls names. The loopback's record
// port takes and gives in one cycle, so every ready cycle of a fed device has a record.
func TestStallsAreTheBridges(t *testing.T) {
	cfg := cocosim.Config{Seed: 12, Backpressure: 0.4}
	d := openLoopback(t, Options{}, cfg)
	out := drive(t, d, offersTo(portRecordIn, traffic(6, 200)), 200)
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

// TestStallOnly: backpressure for one output alone holds that one as it would among others, and no other.
func TestStallOnly(t *testing.T) {
	ends := func(share float64, only int) (ends []uint64) {
		d := openLoopback(t, Options{}, cocosim.Config{Seed: 12, Backpressure: share, StallOnly: only})
		for _, r := range drive(t, d, offersTo(portRecordIn, traffic(6, 200)), 200) {
			if r.Port == portRecordOut {
				ends = append(ends, r.End)
			}
		}
		require.NoError(t, d.Close())
		return ends
	}
	free, all := ends(0, 0), ends(0.4, 0)
	require.NotEqual(t, free, all)
	require.Equal(t, all, ends(0.4, 1+int(portRecordOut)))
	require.Equal(t, free, ends(0.4, 1+int(portAxisOut)))
	d := openLoopback(t, Options{}, cocosim.Config{})
	require.ErrorContains(t, d.Reset(context.Background(), cocosim.Config{StallOnly: 256}), "cannot hold output 256 alone")
}
