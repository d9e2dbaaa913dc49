package roce_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/cocosim/mutate/fault"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// spoiledTop is a device of which the third record of a port is another.
type spoiledTop struct {
	cocosim.Device
	port  string
	spoil func(data []byte)
	n     int
}

func (s *spoiledTop) Advance(ctx context.Context, to uint64, in []sim.Offer, out *sim.Batch) error {
	err := s.Device.Advance(ctx, to, in, out)
	for i := range out.Records {
		rec := &out.Records[i]
		if s.Ports()[rec.Port].Name != s.port || len(rec.Data) == 0 {
			continue
		}
		if s.n++; s.n == 3 {
			rec.Data = bytes.Clone(rec.Data)
			s.spoil(rec.Data)
		}
	}
	return err
}

// A record that is wrong in one bit is found on every port: what is held against nothing would be no check. RSP-7,
// REQ-15, DMA-1.
func TestTopReplayFindsWrongRecords(t *testing.T) {
	if quick {
		t.Skip("inside a trial of a fault")
	}
	at := func(i int) func([]byte) { return func(data []byte) { data[i] ^= 2 } }
	good := func(i int) func([]byte) { // a frame with a good ICRC
		return func(data []byte) {
			data[i] ^= 16
			loc := wire.Locate(wire.LinkEthernet, data)
			wire.PutICRC(data, &loc)
		}
	}
	last := func(data []byte) { data[len(data)-1] ^= 1 }
	for what, ports := range map[string]map[string]func([]byte){
		"hca_top, requests": {"m_axis": good(51), "m_mem": at(4), "m_data": last, "m_cqe": at(8), "m_rd": at(5),
			"m_awr": at(9)},
		"hca_top, responses": {"m_axis": good(51), "m_scqe": at(3), "m_place": at(4), "m_pdata": last, "m_txd": at(4)},
	} {
		for port, spoil := range ports {
			paths := (*explorer).requestPaths
			if what == "hca_top, responses" {
				paths = (*explorer).responsePaths
			}
			device := &spoiledTop{Device: openTop(t, "hca_top", "model", 4), port: port, spoil: spoil}
			require.Error(t, onTop(t, device, 4, what, paths), "%s: %s", what, port)
			require.GreaterOrEqual(t, device.n, 3)
		}
	}
}

// Faults of hca_top's halves, each planted in a build with PSNs of 4 bits.
var topFaultsOfWorlds = map[string][]string{
	"hca_top, requests":  {"rx-read-range-one-short"},
	"hca_top, responses": {"txj-oldest-not-asked", "txj-credits-lost-in-a-retry"},
}

// REQ-5, RSP-7, CRD-2. Each takes a build of hca_top: only with -explore.
func TestTopReplayFindsFaults(t *testing.T) {
	if quick || !*explore {
		t.Skip("builds hca_top: -explore")
	}
	faults, err := fault.BesideBlocks(os.DirFS("../.."))
	require.NoError(t, err)
	for what, names := range topFaultsOfWorlds {
		for _, name := range names {
			t.Run(name, func(t *testing.T) {
				i := slices.IndexFunc(faults, func(f fault.Fault) bool { return f.Name == name })
				require.GreaterOrEqual(t, i, 0, "no such fault")
				paths := (*explorer).requestPaths
				if what == "hca_top, responses" {
					paths = (*explorer).responsePaths
				}
				dut := filepath.Join(plantedRTL(t, &faults[i]), "top", "hca_top.yaml")
				err := onTop(t, openTop(t, dut, "rtl", 4), 4, what, paths)
				require.Error(t, err)
				t.Log(err)
			})
		}
	}
}
