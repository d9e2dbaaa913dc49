package session

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

// TestCompletionsAheadOfWrites: what the model gives is what the judge expects; with the addresses of writes held back,
// as if nothing waited for them, each record that tells of one breaks DMA-1. So it is with their data.
func TestCompletionsAheadOfWrites(t *testing.T) {
	for _, dut := range []string{"rx_dma", "read_place", "hca_rx"} {
		spec, ok := hca.Lookup(dut)
		require.True(t, ok)
		var all []sim.Record
		keep := func(r *sim.Record) {
			c := *r
			c.Data = bytes.Clone(r.Data)
			all = append(all, c)
		}
		_, err := Run(context.Background(), Spec{Dut: dut, Device: Model, Seed: 1, Count: 2000}, Options{Taken: keep,
			Tap: func(r *sim.Record) {
				if !spec.Ports[r.Port].Input {
					keep(r)
				}
			}})
		require.NoError(t, err)
		for _, held := range append([]sim.Port{0}, spec.Behind.Of...) { // no output is port 0
			records := slices.Clone(all)
			for i := range records {
				if r := &records[i]; r.Port == held && !spec.Ports[held].Input {
					r.Start, r.End = r.Start+100_000, r.End+100_000
				}
			}
			slices.SortStableFunc(records, func(a, b sim.Record) int {
				return cmp.Or(cmp.Compare(a.End, b.End), cmp.Compare(a.Port, b.Port))
			})
			judge := cocosim.NewStageChecker(spec, nil, make([]cocosim.Policy, len(spec.Ports)))
			early := 0
			for i := range records {
				give := func(v *cocosim.Violation) {
					require.Equal(t, spec.Behind.Rule, v.Rule, "%s: %s", dut, v.Text)
					early++
				}
				if r := &records[i]; spec.Ports[r.Port].Input {
					judge.Input(r, 0, give)
				} else {
					judge.Output(r, give)
				}
			}
			if held == 0 {
				require.Zero(t, early, dut)
			} else {
				require.Greater(t, early, 10, "%s, %s held", dut, spec.Ports[held].Name)
			}
		}
	}
}
