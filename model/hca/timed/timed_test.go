package timed_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca"
	"hcacosim/model/hca/timed"
	"hcacosim/model/sim"
	"hcacosim/vectors/scenario"
)

const toTheEnd = ^uint64(0)

// arrivals are the first records of the scenario hca-rx.
func arrivals(t testing.TB, n uint64) (in []timed.Arrival) {
	s, err := scenario.Lookup("hca-rx")
	require.NoError(t, err)
	g := scenario.NewGenerator(s, 1)
	var c scenario.Case
	var seq [timed.NumPorts]uint64
	for i := range n {
		g.Make(i, &c)
		a := timed.Arrival{Offer: sim.Offer{NotBefore: c.NotBefore, Seq: seq[c.Port], User: uint32(c.Link), Port: c.Port,
			Data: append([]byte(nil), c.Frame...)}}
		if c.HasUser {
			a.User = c.User
		}
		seq[c.Port]++
		in = append(in, a)
	}
	return in
}

// thirdHeld holds a port in a third of all clocks, and now and then for long.
func thirdHeld(port sim.Port, clock uint64) bool {
	x := (clock + 1) * 0x9E3779B97F4A7C15 * uint64(2*port+3)
	long := (clock >> 9) * 0xBF58476D1CE4E5B9 * uint64(2*port+5)
	return x>>60 < 5 || long>>60 == 0
}

// TestSameAsTheStage: blocks that are asked one by one, each when a record enters it, say what the stage hca_rx says of
// the same frames at once, stalled or not (docs/predict.md, "What is decided").
func TestSameAsTheStage(t *testing.T) {
	in := arrivals(t, 5000)
	spec, ok := hca.Lookup("hca_rx")
	require.True(t, ok)
	for name, held := range map[string]func(sim.Port, uint64) bool{"free": nil, "stalled": thirdHeld} {
		for _, width := range []int{256, 512, 1024} {
			p := timed.New(timed.Config{Held: held, DataWidth: width})
			var got, want [timed.NumPorts][]sim.Record
			var ends []sim.Record
			for _, r := range p.Advance(toTheEnd, in, nil) {
				if spec.Ports[r.Port].Input {
					ends = append(ends, r)
					continue
				}
				got[r.Port] = append(got[r.Port], r)
			}
			require.Len(t, ends, len(in), name)
			require.Zero(t, p.InFlight())
			stage := spec.New(sim.Settings{"DataWidth": uint64(width)})
			for _, r := range taken(in, ends) {
				for _, o := range stage.Advance(0, []sim.Record{r}, nil) {
					o.Data = append([]byte(nil), o.Data...)
					want[o.Port] = append(want[o.Port], o)
				}
			}
			for port := range got {
				require.Equal(t, len(want[port]), len(got[port]), "%s: records of %s", name, spec.Ports[port].Name)
				for i := range got[port] {
					w, g := &want[port][i], &got[port][i]
					require.Equal(t, w.Data, g.Data, "%s: record %d of %s", name, i, spec.Ports[port].Name)
					require.Equal(t, w.User, g.User, "%s: record %d of %s", name, i, spec.Ports[port].Name)
				}
			}
		}
	}
}

// taken are arrivals as they were taken, in that order, with their bytes.
func taken(in []timed.Arrival, ends []sim.Record) []sim.Record {
	var of [timed.NumPorts][][]byte
	for i := range in {
		of[in[i].Port] = append(of[in[i].Port], in[i].Data)
	}
	for i := range ends {
		ends[i].Data = of[ends[i].Port][ends[i].Seq]
	}
	return ends
}

// TestOrderOfParts: the order in which parts are asked in a clock changes no record and no clock.
func TestOrderOfParts(t *testing.T) {
	in := arrivals(t, 1100) // no memory's answer is cut off there: one that is never comes
	host := timed.Host{ContextMiss: 40, ContextEntries: 2, TranslationMiss: 70, TranslationEntries: 2}
	for _, h := range []timed.Host{{}, host} {
		want := timed.New(timed.Config{Held: thirdHeld, Host: h}).Advance(toTheEnd, in, nil)
		require.NotEmpty(t, want)
		for seed := range uint64(20) {
			order := rand.New(rand.NewPCG(seed, 7)).Perm(timed.NumParts)
			got := timed.New(timed.Config{Held: thirdHeld, Host: h, Order: order}).Advance(toTheEnd, in, nil)
			require.Equal(t, want, got, "seed %d: %v", seed, order)
		}
	}
}

// TestPiecesOfTime: how a run is cut into calls never shows.
func TestPiecesOfTime(t *testing.T) {
	in := arrivals(t, 500)
	want := timed.New(timed.Config{Held: thirdHeld}).Advance(toTheEnd, in, nil)
	p := timed.New(timed.Config{Held: thirdHeld})
	p.Advance(0, in, nil)
	var got []sim.Record
	for to := uint64(1); len(got) < len(want); to += 137 {
		for _, r := range p.Advance(to, nil, nil) {
			r.Data = append([]byte(nil), r.Data...)
			got = append(got, r)
		}
	}
	for i := range want {
		if want[i].Data == nil {
			want[i].Data, got[i].Data = []byte{}, []byte{}
		}
	}
	require.Equal(t, want, got)
	p.Reset()
	require.Equal(t, want[0].End, p.Advance(toTheEnd, in, nil)[0].End)
}
