package vectors

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

// reachResp counts what a run of resp-psn-check leads to.
func reachResp(t *testing.T, seed uint64) bins {
	s, err := LookupScenario("resp-psn-check")
	require.NoError(t, err)
	stage, ok := hca.Lookup("resp_psn_check")
	require.True(t, ok)
	model := stage.New(nil)
	b := bins{}
	services := map[uint32]hca.RespService{}
	var last uint32
	each(t, s, seed, s.Count, func(_ uint64, c *Case) {
		out := hca.ParseRespResult(advance(t, model, c, 0).Data)
		in := hca.ParseRespQuery(c.Frame)
		if in.Op == hca.RespSet && out.Verdict == hca.RespDone {
			services[in.QPN] = in.Service
		}
		service := services[in.QPN]
		b.add("verdict %d", out.Verdict)
		switch {
		case in.Op != hca.RespPacket:
			b.add("op %d why %d", in.Op, out.Why)
		case out.Why == hca.RespNoQP, out.Why == hca.RespNotReady:
			b.add("why %d", out.Why)
		default:
			b.add("service %d why %d", service, out.Why)
			b.add("answer %d", out.Answer)
			if out.Answer == hca.RespNak {
				b.add("NAK kind %d why %d", out.Syndrome.Kind(), out.Why)
			}
			if out.Verdict == hca.RespExecute {
				b.add("service %d executes %02x", service, in.Opcode&0x1F)
				if out.After < out.Before {
					b.add("service %d ePSN wraps", service)
				}
			}
			b.add("why %d at distance %d", out.Why, in.PSN.Diff(out.Before))
		}
		if last == in.QPN {
			b.add("same QP again")
		}
		last = in.QPN
	})
	return b
}

// TestRespPSNCheckReaches: under any seed every check of RSP-1 fails and passes, in every service that has it.
func TestRespPSNCheckReaches(t *testing.T) {
	want := []string{"why 1", "why 2", "same QP again", "service 0 ePSN wraps", "service 1 ePSN wraps"}
	add := func(format string, values ...int) {
		for _, v := range values {
			want = append(want, fmt.Sprintf(format, v))
		}
	}
	add("service 0 why %d", 0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 18, 19, 20)
	add("service 1 why %d", 0, 3, 7, 9, 10, 12, 13, 14, 15, 17)
	add("service 2 why %d", 0, 3, 9, 12, 14, 15, 16)
	add("op 1 why %d", 0, 1, 2, 22)
	add("op 2 why %d", 0, 1, 2)
	add("op 3 why %d", 0, 1)
	add("op 4 why %d", 0, 1)
	add("op 5 why %d", 0, 1, 8)
	add("op %d why 22", 6, 7)
	add("answer %d", 0, 1, 2, 3, 4, 5)
	add("verdict %d", 0, 1, 2, 3, 4, 5)
	add("service 0 executes %02x", 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0x13, 0x14, 0x16, 0x17, 0x1C, 0x1D)
	add("service 1 executes %02x", 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
	add("service 2 executes %02x", 4, 5)
	add("NAK kind 1 why %d", 9)
	add("NAK kind 3 why %d", 4, 6, 7, 8, 10, 11, 12, 13, 14, 15)
	add("why 4 at distance %d", 1, 1<<23-1, -1<<23)
	add("why 18 at distance %d", -1, 1-1<<23, -1<<23)
	for seed := range uint64(3) {
		b := reachResp(t, seed)
		require.Empty(t, b.missing(want), "seed %d", seed)
		require.Greater(t, b["verdict 0"], 6000, "seed %d: most requests are executed", seed)
	}
}

// Every record of the scenario has the size of its port.
func TestRespPSNCheckRecords(t *testing.T) {
	s, err := LookupScenario("resp-psn-check")
	require.NoError(t, err)
	each(t, s, 9, 2000, func(_ uint64, c *Case) {
		require.Len(t, c.Frame, hca.RespQueryBytes)
		require.Equal(t, sim.Port(0), c.Port)
		require.Zero(t, c.Frame[hca.RespQueryBytes-1]>>3, "bits above the layout")
	})
}
