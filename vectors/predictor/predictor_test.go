package predictor

import (
	"bytes"
	"io"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/sim"
	"hcacosim/model/stages"
	"hcacosim/vectors"
	"hcacosim/vectors/scenario"
)

// run is what a device took and gave, in the order in which a bench sees it.
type run []event

type event struct {
	sim.Record
	input bool
}

// modelRun is the run of a device that is the model itself, on a stage's scenario.
func modelRun(t *testing.T, stage sim.StageSpec, count uint64) (r run) {
	t.Helper()
	source, err := vectors.NewGenerated(scenario.Default(stage.Name), stage, 11, count)
	require.NoError(t, err)
	model, cycle := stage.New(nil), uint64(0)
	var offer sim.Offer
	give := func(out []sim.Record) {
		for _, o := range out {
			o.Data = bytes.Clone(o.Data)
			r = append(r, event{o, false})
		}
	}
	for source.Next(&offer) != io.EOF {
		cycle = max(cycle+uint64(len(offer.Data))/64+1, offer.NotBefore)
		in := offer.Accepted(cycle, cycle)
		in.Data = bytes.Clone(in.Data)
		r = append(r, event{in, true})
		give(model.Advance(cycle, []sim.Record{in}, nil))
	}
	give(model.Advance(cycle+1<<60, nil, nil))
	slices.SortStableFunc(r, func(a, b event) int {
		switch {
		case a.End != b.End:
			return int(int64(a.End) - int64(b.End))
		case a.input != b.input && a.input:
			return -1
		case a.input != b.input:
			return 1
		}
		return 0
	})
	return r
}

// judge hands a run to a predictor.
func (r run) judge(t *testing.T, stage string) (wrong []string) {
	t.Helper()
	p, err := Open(stage, nil)
	require.NoError(t, err)
	for _, e := range r {
		if e.input {
			require.NoError(t, p.Push(e.Port, e.End, e.User, e.Data))
			continue
		}
		text, err := p.Got(e.Port, e.End, e.User, e.Data)
		require.NoError(t, err)
		if text != "" {
			wrong = append(wrong, text)
		}
	}
	wrong = append(wrong, p.End()...)
	require.Equal(t, len(wrong) > 0, p.Wrong() > 0)
	return wrong
}

// output is the place of an output in the middle of a run.
func (r run) output() int {
	at := len(r) / 2
	for r[at].input {
		at++
	}
	return at
}

// TestPredictorOfEveryStage: the model agrees with itself, and one record that is changed, lost or doubled is found.
func TestPredictorOfEveryStage(t *testing.T) {
	for _, stage := range stages.All() {
		t.Run(stage.Name, func(t *testing.T) {
			good := modelRun(t, stage, 600)
			require.Empty(t, good.judge(t, stage.Name))
			at := good.output()

			changed := slices.Clone(good)
			changed[at].Data = bytes.Clone(good[at].Data)
			changed[at].Data[0] ^= 1
			require.NotEmpty(t, changed.judge(t, stage.Name))

			lost := slices.Delete(slices.Clone(good), at, at+1)
			require.NotEmpty(t, lost.judge(t, stage.Name))

			doubled := slices.Insert(slices.Clone(good), at, good[at])
			require.NotEmpty(t, doubled.judge(t, stage.Name))
		})
	}
}

// TestExpectIsWhatTheModelGives: in order, port by port, and then nothing.
func TestExpectIsWhatTheModelGives(t *testing.T) {
	stage, _ := stages.Lookup("roce_parse")
	r := modelRun(t, stage, 300)
	p, err := Open(stage.Name, nil)
	require.NoError(t, err)
	for _, e := range r {
		if e.input {
			require.NoError(t, p.Push(e.Port, e.End, e.User, e.Data))
			continue
		}
		got, ok, err := p.Expect(e.Port)
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, e.Data, got.Data)
	}
	for _, port := range []string{"m_hdr", "m_axis"} {
		n, err := p.Port(port)
		require.NoError(t, err)
		_, ok, err := p.Expect(n)
		require.NoError(t, err)
		require.False(t, ok)
	}
	require.Empty(t, p.End())
}

// TestOwedIsBounded: a device that always owes something does not make the predictor grow.
func TestOwedIsBounded(t *testing.T) {
	p, err := Open("psn_window", nil)
	require.NoError(t, err)
	in := make([]byte, 10)
	for i := range uint64(10_000) {
		in[0], in[1] = byte(i), byte(i>>8)
		require.NoError(t, p.Push(0, i, 0, in))
		if i < 3 {
			continue
		}
		r, ok, err := p.Expect(1)
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, []byte{byte(i - 3), byte((i - 3) >> 8)}, r.Data[:2])
	}
	require.Less(t, cap(p.owed[1].records), 32)
}

// TestMissingIsBounded: a device that gives nothing does not fill the bench's log.
func TestMissingIsBounded(t *testing.T) {
	p, err := Open("psn_window", nil)
	require.NoError(t, err)
	for i := range uint64(1000) {
		require.NoError(t, p.Push(0, i, 0, make([]byte, 10)))
	}
	require.Len(t, p.End(), maxMissing)
	require.EqualValues(t, 1000, p.Wrong())
}

// TestUnfinishedPackets: a packet that began and never ended is wrong, of either side. A beat that was refused begins
// none.
func TestUnfinishedPackets(t *testing.T) {
	const in, out = sim.Port(0), sim.Port(1)
	data, keep := make([]byte, 64), []uint32{1<<32 - 1, 1<<32 - 1}
	beat := func(p *Predictor, port sim.Port, last bool) []byte {
		record, whole, err := p.Beat(port, port == in, data, keep, last)
		require.NoError(t, err)
		require.Equal(t, last, whole)
		return record
	}
	open := func() *Predictor {
		p, err := Open("icrc_check", nil)
		require.NoError(t, err)
		require.NoError(t, p.Push(in, 1, 0, beat(p, in, true)))
		want, ok, err := p.Expect(out)
		require.True(t, ok && err == nil)
		require.Equal(t, data, want.Data)
		return p
	}
	p := open()
	_, _, err := p.Beat(out, false, data, []uint32{5, 0}, true)
	require.ErrorContains(t, err, "not the first ones")
	require.Empty(t, p.End())
	require.Zero(t, p.Wrong())

	p = open()
	for range 3 {
		beat(p, out, false)
	}
	said := p.End()
	require.Len(t, said, 1)
	require.Contains(t, said[0], "m_axis record 1: UNFINISHED: 192 bytes came, and no last beat: 0000")
	require.EqualValues(t, 1, p.Wrong())

	p = open()
	beat(p, in, false)
	said = p.End()
	require.Len(t, said, 1)
	require.Contains(t, said[0], "s_axis record 1: UNFINISHED: 64 bytes went in, and no last beat: 0000")
	require.EqualValues(t, 1, p.Wrong())

	_, _, err = p.Beat(in, true, data, keep, false)
	require.ErrorContains(t, err, "the run was ended")
}

// TestSettingsAreHeld: the stage knows the name, and the block's document allows the number.
func TestSettingsAreHeld(t *testing.T) {
	for _, c := range []struct {
		stage string
		with  sim.Settings
		says  string
	}{
		{"psn_window", sim.Settings{"NumQps": 4},
			"psn_window has no parameter or configuration input \"NumQps\" (it has none)"},
		{"resp_psn_check", sim.Settings{"NumQps": 3}, "resp_psn_check: NumQps=3: want a power of two from 4 to 65536"},
		{"retx_timer", sim.Settings{"cycles_per_tick_i": 70000}, "cycles_per_tick_i=70000: want 0 to 65535"},
		{"retx_timer", sim.Settings{"tick_step_i": 1<<32 - 1}, "ticks pass, and a due timer is known for 2^34"},
		{"retx_timer", sim.Settings{"NumQps": 16}, "NumQps=16: want 32 at least with Lanes=8"},
		{"rq_head", sim.Settings{"NumQps": 65536}, "NumQps=65536 with Depth=8: their product is 65536 at most"},
		{"cnp_gen", sim.Settings{"StampWidth": 8}, "StampWidth=8: want 15 to 32 with NumQps=4096"},
	} {
		_, err := Open(c.stage, c.with)
		require.ErrorContains(t, err, c.says)
	}
}

// TestSizesAreHeld: what goes in has the size of its port, and no sideband where there is none.
func TestSizesAreHeld(t *testing.T) {
	p, err := Open("psn_window", nil)
	require.NoError(t, err)
	for _, size := range []int{0, 9, 11, 4000} {
		require.ErrorContains(t, p.Push(0, 1, 0, make([]byte, size)), "it has 73 bits, so 10 bytes")
	}
	require.EqualError(t, p.Push(0, 1, 7, make([]byte, 10)), "s_rec: user 7h: the port has no sideband")
	for _, bits := range []int{12, 72, 80, 4096} {
		require.ErrorContains(t, p.CheckBits(0, bits), "it has 73")
	}
	require.NoError(t, p.CheckBits(0, 73))
	require.Empty(t, p.End())
	p, err = Open("icrc_check", nil)
	require.NoError(t, err)
	require.EqualError(t, p.Push(0, 1, 0, nil), "s_axis: a packet of no bytes")
	require.EqualError(t, p.Push(0, 1, 2, make([]byte, 60)), "s_axis: user 2h: the sideband has 1 bits")
	require.EqualError(t, p.CheckBits(0, 73), "s_axis: a packet of 73 bits: they are no whole bytes")
	require.Empty(t, p.End())
	p, err = Open("retx_timer", nil)
	require.NoError(t, err)
	require.NoError(t, p.Push(0, 10, 0, make([]byte, 6)))
	wrong, err := p.Got(1, 13, 0, make([]byte, 5))
	require.NoError(t, err)
	require.Contains(t, wrong, "m_op record 0: DATA: want 6 bytes, got 5")
}
