package scenario

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

// TestHcaRxRoundsStandAlone: a round of hca-rx or hca-rx-ecc knows nothing of those before it but the QP that was set
// beside the last one: what becomes of its frames, READs and atomics is the same behind a reset. Every fourth round has
// the tags of the first.
func TestHcaRxRoundsStandAlone(t *testing.T) {
	for name, ecc := range map[string]uint64{"hca-rx": 0, "hca-rx-ecc": 1} {
		t.Run(name, func(t *testing.T) {
			s, err := Lookup(name)
			require.NoError(t, err)
			const rounds = 21
			g, spec := NewGenerator(s, 5), hcaRxStage(t)
			all := recordsInTime(t, s, 5, rounds*hcaRxLength)
			stage := spec.New(sim.Settings{"Ecc": ecc, "NumQps": 64})
			for n := range rounds {
				round := all[n*hcaRxLength : (n+1)*hcaRxLength]
				told := toldOf(spec, stage, round)
				if n%4 != 0 {
					continue
				}
				alone := spec.New(sim.Settings{"Ecc": ecc, "NumQps": 64})
				if n > 0 {
					for _, o := range hcaRxSpare(g, &hcaRxFive, uint64(n), hcaRxVersions-1, new(hcaRxQP)) {
						in := sim.Record{Port: 1, Data: o.Append(nil)}
						alone.Advance(0, []sim.Record{in}, nil)
					}
				}
				require.Equal(t, toldOf(spec, alone, round), told, "round %d", n)
			}
		})
	}
}

func hcaRxStage(t *testing.T) sim.StageSpec {
	spec, ok := hca.Lookup("hca_rx")
	require.True(t, ok)
	return spec
}

// toldOf is what m_rec and m_end say of a round, record by record.
func toldOf(spec sim.StageSpec, stage sim.Stage, round []sim.Record) (told []string) {
	for _, in := range round {
		for _, out := range stage.Advance(in.Start, []sim.Record{in}, nil) {
			if port := spec.Ports[out.Port].Name; port == "m_rec" || port == "m_end" {
				told = append(told, port+" "+string(out.Data))
			}
		}
	}
	return told
}
