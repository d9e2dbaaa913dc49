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
	msn := map[uint32]uint32{}
	var last uint32
	each(t, s, seed, s.Count, func(_ uint64, c *Case) {
		out := hca.ParseRespResult(advance(t, model, c, 0).Data)
		in := hca.ParseRespQuery(c.Frame)
		if in.Op == hca.RespSet && out.Verdict == hca.RespDone {
			services[in.QPN] = in.Service
		}
		b.add("verdict %d", out.Verdict)
		b.add("MSN rises by %d", out.MSN-msn[in.QPN])
		msn[in.QPN] = out.MSN
		if out.ToError {
			b.add("to error, why %d", out.Why)
		}
		switch {
		case in.Op != hca.RespPacket:
			b.add("op %d why %d", in.Op, out.Why)
		case out.Why == hca.RespNoQP, out.Why == hca.RespNotReady:
			b.add("why %d", out.Why)
		default:
			b.addResp(services[in.QPN], &in, &out)
		}
		if last == in.QPN {
			b.add("same QP again")
		}
		last = in.QPN
	})
	return b
}

// addResp counts what came of a packet to a QP that is ready.
func (b bins) addResp(service hca.RespService, in *hca.RespQuery, out *hca.RespResult) {
	b.add("service %d why %d", service, out.Why)
	b.add("answer %d", out.Answer)
	b.add("why %d at distance %d", out.Why, in.PSN.Diff(out.Before))
	switch out.Verdict {
	case hca.RespExecute:
		b.add("service %d executes %02x", service, in.Opcode&0x1F)
		if out.After < out.Before {
			b.add("service %d ePSN wraps", service)
		}
		if out.Answer == hca.RespReadResponses {
			b.add("READ takes %d", uint32(out.After-out.Before)&0xFFFFFF)
			b.add("READ of %d bytes", in.DMALength)
		}
	case hca.RespRefused:
		b.add("refused, why %d", out.Why)
		b.add("syndrome kind %d why %d", out.Syndrome.Kind(), out.Why)
	case hca.RespDuplicate:
		if in.OwnError || !in.AccessOK || !in.WQEPresent {
			b.add("spoiled duplicate, why %d", out.Why)
		}
	case hca.RespDropped:
		b.add("dropped, why %d", out.Why)
	}
}

// respReaches says what stands for every rule that the block implements: each under any seed, in every service that has it.
var respReaches = []struct {
	rule, bin string
	values    []int
}{
	{"OPC-1", "service %d why 3", []int{0, 1, 2}},
	{"OPC-1", "service 0 executes %02x", []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0x13, 0x14, 0x16, 0x17, 0x1C, 0x1D}},
	{"OPC-1", "service 1 executes %02x", []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
	{"OPC-1", "service 2 executes %02x", []int{4, 5}},
	{"OPC-3", "answer %d", []int{5}},
	{"PSN-1", "service %d ePSN wraps", []int{0, 1}},
	{"PSN-2", "why 4 at distance %d", []int{1, 1<<23 - 1, -1 << 23}},
	{"PSN-2", "why 18 at distance %d", []int{-1, 1 - 1<<23, -1 << 23}},
	{"PSN-4", "READ takes %d", []int{1, 1 << 19, 1 << 20, 1 << 21, 1 << 22, 1 << 23}}, // of 2^31 bytes under each path MTU
	{"PSN-4", "READ of %d bytes", []int{0, 1}},
	{"PSN-5", "service 0 why %d", []int{8}},
	{"LEN-1", "service %d why 12", []int{0, 1, 2}},
	{"LEN-1", "service %d why 13", []int{0, 1}},
	{"LEN-1", "service %d why 14", []int{0, 1, 2}},
	{"RSP-1", "service 0 why %d", []int{0, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}},
	{"RSP-2", "refused, why %d", []int{4}},
	{"RSP-2", "dropped, why %d", []int{4}},
	{"RSP-3", "service 1 why %d", []int{0, 7, 9, 10, 12, 13, 14, 15, 17}},
	{"RSP-4", "service 2 why %d", []int{0, 9, 12, 14, 15, 16}},
	{"RSP-5", "service 0 why %d", []int{18}},
	{"RSP-6", "spoiled duplicate, why %d", []int{18, 19, 20}},
	{"RSP-7", "service 0 why %d", []int{19}},
	{"RSP-8", "service 0 why %d", []int{20}},
	{"RSP-9", "service 0 why %d", []int{5, 9}},
	{"RSP-9", "syndrome kind %d why 9", []int{1}},
	{"RSP-10", "to error, why %d", []int{6, 7, 8, 10, 11, 12, 13, 14, 15}},
	{"RSP-11", "MSN rises by %d", []int{0, 1}},
	{"RSP-12", "service 0 why %d", []int{11}},
	{"RSP-15", "why %d", []int{1, 2}},
	{"RSP-15", "op 1 why %d", []int{0, 1, 2, 22}},
	{"RSP-15", "op 2 why %d", []int{0, 1, 2}},
	{"RSP-15", "op 3 why %d", []int{0, 1}},
	{"RSP-15", "op 4 why %d", []int{0, 1}},
	{"RSP-15", "op 5 why %d", []int{0, 1, 8}},
	{"RSP-15", "op %d why 22", []int{6, 7}},
}

// TestRespPSNCheckReaches: the default regression meets every rule of the block, and most requests are as they should be.
func TestRespPSNCheckReaches(t *testing.T) {
	for seed := range uint64(3) {
		b := reachResp(t, seed)
		for _, p := range respReaches {
			for _, v := range p.values {
				require.NotZero(t, b[fmt.Sprintf(p.bin, v)], "%s, seed %d: "+p.bin, p.rule, seed, v)
			}
		}
		require.Greater(t, b["verdict 0"], 6000, "seed %d", seed)
		require.Greater(t, b["same QP again"], 10000, "seed %d", seed)
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
