package standin_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/session"
	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

// completions is the port of hca_rx that they leave by.
const completions = 7

// TestDatagrams: of a capture of UD hca_rx completes the receives that the kernel completed, each with as many bytes:
// those of a GRH are among them (RSP-4). The kernel's completions stand in the sidecars. A frame with a wrong checksum
// of its IP header never comes to the kernel's RDMA; hca_rx does not look at that (docs/blocks/roce_parse.md).
func TestDatagrams(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(captures, "ud_*.b.pcap"))
	require.NoError(t, err)
	if len(files) == 0 {
		t.Skipf("skipped: no captures of UD in %s", captures)
	}
	for _, file := range files {
		text, err := os.ReadFile(strings.TrimSuffix(file, ".b.pcap") + ".json")
		require.NoError(t, err)
		var kernel struct {
			Recvs []struct {
				Side      string
				Completed int
				ByteLen   uint32 `json:"byte_len"`
			}
			Stats struct {
				B struct {
					BadIPChecksum int `json:"rx_bad_ipcsum"`
				}
			}
		}
		require.NoError(t, json.Unmarshal(text, &kernel))
		var want, got []uint32
		for _, r := range kernel.Recvs {
			if r.Side == "B" && r.Completed == 1 {
				want = append(want, r.ByteLen)
			}
		}
		_, err = session.Run(context.Background(), session.Spec{Dut: "hca_rx", Captures: []string{file},
			Device: session.Model, Profile: "rxe", Seed: 1, Drain: 40_000}, session.Options{Tap: func(r *sim.Record) {
			if r.Port != completions {
				return
			}
			if c := hca.ParseDMARecord(r.Data); c.Complete {
				got = append(got, c.Length)
			}
		}})
		require.NoError(t, err)
		require.NotEmpty(t, want, file)
		require.Len(t, got, len(want)+kernel.Stats.B.BadIPChecksum, file)
		if kernel.Stats.B.BadIPChecksum == 0 {
			require.Equal(t, want, got, file)
		}
	}
}
