package loop

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/stages"
	"hcacosim/model/wire"
)

// hcaRx is the stage of hca_rx as a device: what RTL is held to.
func hcaRx(t *testing.T) cocosim.Device {
	spec, ok := stages.Lookup("hca_rx")
	require.True(t, ok)
	return cocosim.NewGolden(spec, sim.Settings{"NumQps": 64}, 64)
}

// An end whose responses a device makes, clocks behind the requests, is as good as a model, and is judged so. -seeds 40
// takes minutes.
func TestPairOfResponders(t *testing.T) {
	for seed := uint64(1); seed <= *seeds; seed++ {
		for i, h := range harm {
			p := pairOf(seed, h, roce.Spec)
			p.Traffic.NoReads = true // the stage asks for more pieces at a time than they have tags
			p.Responders = [2]cocosim.Device{hcaRx(t), hcaRx(t)}
			o, err := p.Run(context.Background())
			require.NoError(t, err)
			require.True(t, o.Good(), "seed %d, harm %d: %s %v %v %v", seed, i, o.Result.Stuck, o.Wrong, o.Judged[0].First,
				o.Judged[1].First)
			require.NotZero(t, o.Ends[0].Received)
		}
	}
}

// spoiled is a device of which one record is another.
type spoiled struct {
	cocosim.Device
	port  string
	spoil func(data []byte)
	n     int
}

func (s *spoiled) Advance(ctx context.Context, to uint64, in []sim.Offer, out *sim.Batch) error {
	err := s.Device.Advance(ctx, to, in, out)
	for i := range out.Records {
		rec := &out.Records[i]
		if p := s.Ports()[rec.Port]; p.Name == s.port && len(rec.Data) > 0 {
			if s.n++; s.n == 50 {
				rec.Data = append([]byte(nil), rec.Data...)
				s.spoil(rec.Data)
			}
		}
	}
	return err
}

// A byte that is written wrong, a write that goes elsewhere and a completion of the wrong length are found by the host;
// an ACK that acknowledges too much by the judge.
func TestSpoiledResponder(t *testing.T) {
	last := func(data []byte) { data[len(data)-1] ^= 1 }
	for port, spoil := range map[string]func([]byte){
		"m_data": last,
		"m_mem":  func(data []byte) { data[3] ^= 4 },
		"m_cqe":  func(data []byte) { data[11] ^= 1 },
		"m_axis": func(data []byte) {
			data[53] += 40
			loc := wire.Locate(wire.LinkEthernet, data)
			wire.PutICRC(data, &loc)
		},
	} {
		p := pairOf(1, harm[0], roce.Spec)
		p.Traffic.NoReads = true
		p.Responders[0] = &spoiled{Device: hcaRx(t), port: port, spoil: spoil}
		o, err := p.Run(context.Background())
		require.True(t, err != nil || !o.Good(), port)
	}
}
