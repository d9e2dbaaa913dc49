package verilated

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/model/sim"
)

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
		{"dies at once", cocosim.SimFailed, "simulator of fake died, last heard of at cycle 0: exit status 7; it said " +
			"last: cannot open shared library"},
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
		{"half a frame", cocosim.SimFailed, "simulator of fake died, last heard of at cycle 0: exit status 0"},
		{"closes", cocosim.BridgeFailed, "bridge to fake broke after cycle 0"},
		{"silent", cocosim.SimFailed, "simulator of fake hung: no sign of life for 1s after cycle 0"},
		{"beats and stops", cocosim.SimFailed, "simulator of fake hung: no sign of life for 1s after cycle 77"},
		{"crashes", cocosim.SimFailed, "simulator of fake died, last heard of at cycle 0: signal: killed; it said last: " +
			"terminate called"},
		{"other hash", cocosim.BridgeFailed, "bridge to fake: what was sent has hash"},
		{"lost record", cocosim.BridgeFailed, "bridge to fake: port m_axis: 11 records were sent, 10 arrived"},
		{"no goodbye", cocosim.SimFailed, "simulator of fake died, last heard of at cycle"},
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

// Violations are counted by port and rule: of each the rest is its count less those of it that were told one by one.
func TestRestOfViolationsIsByPortAndRule(t *testing.T) {
	im := fakeImage()
	d := &RTL{image: im, ports: im.Manifest.PortSpecs(), violated: map[portRule]uint64{}}
	told := map[portRule]int{{1, 1}: 60, {1, 2}: 30, {0, 2}: 7, {noPort, 6}: 3}
	for what, n := range told {
		for range n {
			b := le.AppendUint16(le.AppendUint16(le.AppendUint64(nil, 5), what.port), what.rule)
			d.violation(cursor{b: le.AppendUint32(b, 0)})
		}
	}
	require.Len(t, d.Violations(), 100)
	d.countRest(map[portRule]uint64{{1, 1}: 200, {1, 2}: 31, {0, 2}: 57, {noPort, 6}: 3, {1, 3}: 4})
	rest := map[string]uint64{}
	for _, v := range d.Violations() {
		rest[v.Port+" "+string(v.Rule)] += v.Count
	}
	require.Equal(t, map[string]uint64{"m_axis AXIS-VALID": 140, "m_axis AXIS-STABLE": 1, "s_axis AXIS-STABLE": 50,
		"m_axis AXIS-KEEP": 4}, rest)
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
