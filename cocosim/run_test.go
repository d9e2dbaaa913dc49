package cocosim

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/sim"
)

// echoStage gives every packet back after echoLatency cycles with its length as sideband.
type echoStage struct{}

const echoLatency = 5

func (echoStage) Reset() {}

func (echoStage) Advance(_ uint64, in, out []sim.Record) []sim.Record {
	for _, r := range in {
		r.Start += echoLatency
		r.End += echoLatency
		r.Cause, r.User, r.Port = r.Seq, uint32(len(r.Data)), 1
		out = append(out, r)
	}
	return out
}

var echoSpec = sim.StageSpec{Name: "echo", Ports: []sim.PortSpec{{Name: "in", Input: true},
	{Name: "out", UserBits: 16}},
	New: func(sim.Settings) sim.Stage { return echoStage{} }}

// counted is a stimulus of n packets whose bytes tell their number.
type counted struct{ at, n uint64 }

func (c *counted) Next(r *sim.Offer) error {
	if c.at == c.n {
		return io.EOF
	}
	r.Data = fmt.Appendf(nil, "packet %d%*s", c.at, int(c.at*37%200), "")
	c.at++
	return nil
}

func (c *counted) Origin(i uint64) string { return fmt.Sprintf("counted %d", i) }

// faulty changes what a device gave before the harness sees it.
type faulty struct {
	Device
	change func(*sim.Batch)
	err    error // of Advance
	close  error
}

func (f *faulty) Advance(ctx context.Context, to uint64, in []sim.Offer, out *sim.Batch) error {
	if err := f.Device.Advance(ctx, to, in, out); err != nil {
		return err
	}
	if f.change != nil {
		f.change(out)
	}
	return f.err
}

func (f *faulty) Close() error { return f.close }

func runEcho(t *testing.T, d Device, rc RunConfig) (*Result, error) {
	t.Helper()
	policy := []Policy{{BeatBytes: 64, FullRate: true}, {BeatBytes: 64, Window: &Window{Min: echoLatency,
		Max: echoLatency}}}
	rc.Device, rc.Checker, rc.Stimulus, rc.Keep = d, NewStageChecker(echoSpec, nil, policy), &counted{n: 1000}, 10
	return Run(context.Background(), rc)
}

func TestRunAgreesForEveryBatchSize(t *testing.T) {
	var first *Result
	for _, batch := range []int{1, 7, 64, 4096} {
		res, err := runEcho(t, NewGolden(echoSpec, nil, 64), RunConfig{Batch: batch})
		require.NoError(t, err)
		require.Equal(t, Agreed, res.Exit())
		require.Equal(t, uint64(1000), res.Packets)
		require.Equal(t, uint64(1000), res.Agreed)
		if first == nil {
			first = res
		}
		require.Equal(t, first.Digest, res.Digest, "batch %d", batch)
		require.Equal(t, first.Timed, res.Timed, "batch %d", batch)
		require.Equal(t, first.Cycles, res.Cycles, "batch %d", batch)
	}
}

// outputs are the places of a batch's output records.
func outputs(b *sim.Batch) (at []int) {
	for i, r := range b.Records {
		if r.Port == 1 {
			at = append(at, i)
		}
	}
	return at
}

func TestRunFindsWhatADeviceDoesWrong(t *testing.T) {
	// once applies change to the first batch that has ten outputs or more.
	once := func(change func(b *sim.Batch, at []int)) func(*sim.Batch) {
		done := false
		return func(b *sim.Batch) {
			if at := outputs(b); !done && len(at) >= 10 {
				done = true
				change(b, at)
			}
		}
	}
	remove := func(b *sim.Batch, i int) { b.Records = append(b.Records[:i], b.Records[i+1:]...) }
	for _, c := range []struct {
		rule   string
		change func(b *sim.Batch, at []int)
	}{
		{"DATA", func(b *sim.Batch, at []int) { b.Records[at[3]].Data[2] ^= 1 }},
		{"DATA", func(b *sim.Batch, at []int) { r := &b.Records[at[3]]; r.Data = r.Data[:len(r.Data)-1] }},
		{"USER", func(b *sim.Batch, at []int) { b.Records[at[3]].User ^= 1 }},
		{"MISSING", func(b *sim.Batch, at []int) { remove(b, at[3]) }},
		{"EXTRA", func(b *sim.Batch, at []int) {
			b.Records = append(b.Records[:at[3]+1], b.Records[at[3]:]...)
		}},
		{"MISSING", func(b *sim.Batch, at []int) {
			r := b.Records
			r[at[3]].Data, r[at[4]].Data = r[at[4]].Data, r[at[3]].Data
			r[at[3]].User, r[at[4]].User = r[at[4]].User, r[at[3]].User
		}},
		{"RATE", func(b *sim.Batch, at []int) { // one packet goes in, and comes out, a cycle late
			out := &b.Records[at[3]]
			for i := range b.Records {
				if r := &b.Records[i]; r.Port == 0 && r.Seq == out.Cause {
					r.End++
				}
			}
			out.End++
		}},
		{"WINDOW", func(b *sim.Batch, at []int) { b.Records[at[3]].End++ }},
	} {
		res, err := runEcho(t, &faulty{Device: NewGolden(echoSpec, nil, 64), change: once(c.change)}, RunConfig{Batch: 50})
		require.NoError(t, err)
		require.Equal(t, Mismatch, res.Exit(), c.rule)
		require.Equal(t, c.rule, string(res.Violations[0].Rule))
		require.LessOrEqual(t, res.Mismatched, uint64(3), "one fault must not spoil what follows")
	}
}

func TestRunNeverPassesWhatWasNotFinished(t *testing.T) {
	crashed := Errorf(SimFailed, "simulator died")
	res, err := runEcho(t, &faulty{Device: NewGolden(echoSpec, nil, 64), err: crashed}, RunConfig{})
	require.ErrorIs(t, err, crashed)
	require.Zero(t, res.Mismatched, "a dead simulator is no mismatch")

	noGoodbye := Errorf(BridgeFailed, "no farewell")
	_, err = runEcho(t, &faulty{Device: NewGolden(echoSpec, nil, 64), close: noGoodbye}, RunConfig{})
	require.ErrorIs(t, err, noGoodbye)

	hung := &HungError{Port: "in", Cycle: 7, Idle: 100}
	res, err = runEcho(t, &faulty{Device: NewGolden(echoSpec, nil, 64), err: hung}, RunConfig{})
	require.NoError(t, err)
	require.Equal(t, Mismatch, res.Exit())
	require.EqualValues(t, "HUNG", res.Violations[len(res.Violations)-1].Rule)

	outOfTurn := func(b *sim.Batch) {
		for i := range b.Records {
			b.Records[i].Seq += 5
		}
	}
	res, err = runEcho(t, &faulty{Device: NewGolden(echoSpec, nil, 64), change: outOfTurn}, RunConfig{})
	require.Equal(t, BridgeFailed, ExitOf(err))
	require.NotEqual(t, Agreed, res.Exit())

	res, err = runEcho(t, NewGolden(echoSpec, nil, 64), RunConfig{Batch: 10, MaxCycles: 50})
	require.NoError(t, err)
	require.Equal(t, Inconclusive, res.Exit())

	require.Equal(t, Inconclusive, (&Result{}).Exit(), "nothing compared is no pass")
	res, err = Run(context.Background(), RunConfig{Device: NewGolden(echoSpec, nil, 64), Checker: NewStageChecker(echoSpec,
		nil, make([]Policy, 2)), Stimulus: &counted{}})
	require.NoError(t, err)
	require.Equal(t, Inconclusive, res.Exit())
	require.ErrorContains(t, res.Stopped, "nothing was compared")
}

func TestRunStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Run(ctx, RunConfig{Device: NewGolden(echoSpec, nil, 64), Checker: NewStageChecker(echoSpec, nil,
		make([]Policy, 2)), Stimulus: &counted{n: 1 << 40}})
	require.Equal(t, Inconclusive, ExitOf(err))
}

func TestRunReportsABrokenStimulus(t *testing.T) {
	bad := errors.New("capture cut")
	_, err := Run(context.Background(), RunConfig{Device: NewGolden(echoSpec, nil, 64), Checker: NewStageChecker(echoSpec,
		nil, make([]Policy, 2)),
		Stimulus: Chain(&counted{n: 10}, failing{bad})})
	require.ErrorIs(t, err, bad)
}

type failing struct{ err error }

func (f failing) Next(*sim.Offer) error { return f.err }
func (f failing) Origin(uint64) string  { return "nowhere" }

func TestChainKnowsWhereARecordCameFrom(t *testing.T) {
	s := Chain(&counted{n: 3}, &counted{n: 2}, &counted{n: 1})
	var r sim.Offer
	want := []string{"counted 0", "counted 1", "counted 2", "counted 0", "counted 1", "counted 0"}
	n := 0
	for s.Next(&r) == nil {
		n++
		for i := range n { // as it is played, too: a run may be stopped within a part
			require.Equal(t, want[i], s.Origin(uint64(i)), "record %d of %d so far", i, n)
		}
	}
	require.Equal(t, len(want), n)
	for i := range n {
		require.Equal(t, want[i], s.Origin(uint64(i)))
	}
}

func TestHistogramQuantiles(t *testing.T) {
	var h Histogram
	for _, v := range []int64{-1e6, 0, 0, 0, 4} {
		h.Add(v)
	}
	require.Equal(t, int64(-histogramReach), h.Quantile(0), "far ones are lumped together")
	require.Equal(t, int64(0), h.Quantile(0.5))
	require.Equal(t, int64(4), h.Quantile(1))
	require.Equal(t, 0.6, h.Within(3))
	require.Equal(t, 0.8, h.Within(4))
}

// powered is a device that answers wrongly if it began from one state, and keeps what it was reset with.
type powered struct {
	faulty
	wrong  uint64 // the StateSeed
	resets []Config
}

func (p *powered) Reset(ctx context.Context, cfg Config) error {
	p.resets = append(p.resets, cfg)
	p.change = nil
	if cfg.StateSeed == p.wrong {
		p.change = func(b *sim.Batch) {
			for i := range b.Records {
				b.Records[i].User ^= 1
			}
		}
	}
	return p.Device.Reset(ctx, cfg)
}

func TestAStartBeginsFromAStateOfItsOwn(t *testing.T) {
	life := func(start bool, state uint64) Life {
		return Life{Start: start, StateSeed: state, Stimulus: &counted{n: 10}, Records: 10,
			Checker: NewStageChecker(echoSpec, nil, make([]Policy, 2))}
	}
	dev := &powered{faulty: faulty{Device: NewGolden(echoSpec, nil, 64)}, wrong: 7}
	res, err := runEcho(t, dev, RunConfig{Config: Config{StateSeed: 3}, Lives: []Life{life(true, 5), life(true, 7),
		life(false, 0), life(false, 0)}})
	require.NoError(t, err)
	require.Equal(t, Mismatch, res.Exit())
	for _, v := range res.Violations {
		require.Equal(t, 2, v.Life)
		require.Contains(t, v.Text, "(--state-seed 7)")
	}
	require.EqualValues(t, 10, res.Mismatched)
	want := []Config{{StateSeed: 5, Start: true}, {StateSeed: 7, Start: true}, {StateSeed: 3}, {StateSeed: 3, Keep: true},
		{StateSeed: 3, Keep: true}}
	for i, r := range dev.resets {
		require.Equal(t, want[i], Config{StateSeed: r.StateSeed, Start: r.Start, Keep: r.Keep}, i)
	}
	require.Len(t, dev.resets, len(want))
}

// lastWaits is a device of two inputs that does not take the last record of the first.
type lastWaits struct {
	Device
	last  uint64
	ports []sim.PortSpec
}

func (d *lastWaits) Ports() []sim.PortSpec { return d.ports }

func (d *lastWaits) Advance(ctx context.Context, to uint64, in []sim.Offer, out *sim.Batch) error {
	for i := range in {
		if in[i].Seq == d.last {
			in = in[:i]
			break
		}
	}
	return d.Device.Advance(ctx, to, in, out)
}

// lastElsewhere is a stimulus whose last record is for another port than all before it.
type lastElsewhere struct {
	counted
	port sim.Port
}

func (s *lastElsewhere) Next(o *sim.Offer) error {
	if s.at+1 == s.n {
		o.Port = s.port
	}
	return s.counted.Next(o)
}

// waits is a device that does not take one record, and all others.
type waits struct {
	lastWaits
	port sim.Port
}

func (d *waits) Advance(ctx context.Context, to uint64, in []sim.Offer, out *sim.Batch) error {
	in = slices.DeleteFunc(slices.Clone(in), func(o sim.Offer) bool { return o.Port == d.port && o.Seq == d.last })
	return d.Device.Advance(ctx, to, in, out)
}

// TestOnlyTheLastRecordMayWait: what a device may leave is the very last record of a stimulus. The one before it, the
// last of its port, is no such.
func TestOnlyTheLastRecordMayWait(t *testing.T) {
	spec := echoSpec
	spec.Ports = append(slices.Clone(echoSpec.Ports), sim.PortSpec{Name: "other", Input: true})
	for _, c := range []struct {
		port sim.Port
		last uint64
		exit Exit
	}{{2, 0, Agreed}, {0, 98, Mismatch}} {
		d := &waits{lastWaits{NewGolden(spec, nil, 64), c.last, spec.Ports}, c.port}
		res, err := Run(context.Background(), RunConfig{Device: d, Checker: NewStageChecker(spec, nil, make([]Policy, 3)),
			Stimulus: &lastElsewhere{counted{n: 100}, 2}, Keep: 10})
		require.NoError(t, err)
		require.Equal(t, c.exit, res.Exit(), "record %d of port %d waits: %v", c.last, c.port, res.Violations)
		require.Equal(t, c.exit == Agreed, res.Untaken)
	}
}

// TestTheEndOfAStimulusIsNoHang: a stimulus may end between a record and what belongs to it on another port.
func TestTheEndOfAStimulusIsNoHang(t *testing.T) {
	two := append(slices.Clone(echoSpec.Ports), sim.PortSpec{Name: "other", Input: true})
	for _, c := range []struct {
		ports []sim.PortSpec
		last  uint64
		exit  Exit
	}{{two, 999, Agreed}, {two, 998, Mismatch}, {echoSpec.Ports, 999, Mismatch}} {
		res, err := runEcho(t, &lastWaits{NewGolden(echoSpec, nil, 64), c.last, c.ports}, RunConfig{})
		require.NoError(t, err)
		require.Equal(t, c.exit, res.Exit(), "%d ports, record %d waits", len(c.ports), c.last)
		require.Equal(t, c.exit == Agreed, res.Untaken)
	}
}
