package adapt_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/cocosim/adapt"
	"hcacosim/cocosim/manifest"
	"hcacosim/model/sim"
	"hcacosim/model/stages"
)

// beats is a device that gives what it is told to.
type beats struct {
	cocosim.Device
	give []sim.Record
}

func (b *beats) Reset(context.Context, cocosim.Config) error { return nil }

func (b *beats) Advance(_ context.Context, _ uint64, _ []sim.Offer, out *sim.Batch) error {
	for _, r := range b.give {
		out.Append(r)
	}
	return nil
}

func viewOf(t *testing.T, name string) *adapt.View {
	m, err := manifest.Load("../../cmd/cosim/testdata/foreign/" + name + ".yaml")
	require.NoError(t, err)
	m, err = m.Resolve(nil)
	require.NoError(t, err)
	stage, ok := stages.Lookup(m.Model)
	require.True(t, ok)
	view, err := adapt.New(m, stage)
	require.NoError(t, err)
	return view
}

// A port without a sideband says nothing beside its packets.
func TestUserTextOfNoSideband(t *testing.T) {
	require.Empty(t, viewOf(t, "drop8").UserText("m_axis", 0))
}

// A reset ends a life: of a packet whose length stands in front, and of which not all beats had come, nothing is left.
func TestResetForgetsOpenPackets(t *testing.T) {
	view := viewOf(t, "raw16")
	inner := &beats{}
	d := view.Device(inner)
	life := func(words ...[]byte) (got [][]byte) {
		require.NoError(t, d.Reset(t.Context(), cocosim.Config{}))
		inner.give = nil
		for i, w := range words {
			inner.give = append(inner.give, sim.Record{Start: uint64(i), End: uint64(i), Seq: uint64(i), Port: 1, Data: w})
		}
		var out sim.Batch
		require.NoError(t, d.Advance(t.Context(), cocosim.WhileFed, nil, &out))
		for i, r := range out.Records {
			require.EqualValues(t, i, r.Seq, "counted from the reset on")
			got = append(got, r.Data)
		}
		return got
	}
	require.Equal(t, [][]byte{{1, 2}}, life([]byte{0, 2}, []byte{1, 2}, []byte{0, 4}, []byte{3, 4}))
	require.Equal(t, [][]byte{{5, 6}}, life([]byte{0, 2}, []byte{5, 6}, []byte{0}))
	require.Equal(t, [][]byte{{7, 8, 9}}, life([]byte{0, 3}, []byte{7, 8}, []byte{9, 0}))
}

// prints is a device that prints and can be left.
type prints struct {
	beats
	left bool
}

func (p *prints) Prints() ([]cocosim.Print, uint64) { return []cocosim.Print{{Text: "said"}}, 3 }
func (p *prints) Abandon()                          { p.left = true }

// What a design prints reaches the run also where its ports are not those of the stage.
func TestPrintsOfAnAdaptedDevice(t *testing.T) {
	inner := &prints{}
	d := viewOf(t, "drop8").Device(inner)
	lines, unkept := d.(cocosim.Printer).Prints()
	require.Equal(t, []cocosim.Print{{Text: "said"}}, lines)
	require.EqualValues(t, 3, unkept)
	d.(interface{ Abandon() }).Abandon()
	require.True(t, inner.left)
	d = viewOf(t, "drop8").Device(&beats{})
	lines, unkept = d.(cocosim.Printer).Prints()
	require.Empty(t, lines)
	require.Zero(t, unkept)
}

// The input that a mismatch names is as the device was given it.
func TestGivenIsInTheLayoutOfTheDevice(t *testing.T) {
	v := viewOf(t, "keys")
	in := &sim.Record{Data: make([]byte, 64)}
	require.NotEqual(t, len(in.Data), len(v.Given(in).Data))
	require.Nil(t, v.Given(nil))
}
