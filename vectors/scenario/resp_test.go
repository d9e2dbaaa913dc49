package scenario

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/stages"
)

// reachResp counts what a run of resp-psn-check leads to.
func reachResp(t *testing.T, seed uint64) bins {
	s, err := Lookup("resp-psn-check")
	require.NoError(t, err)
	stage, ok := stages.Lookup("resp_psn_check")
	require.True(t, ok)
	model := stage.New(nil)
	b := bins{}
	sets := map[uint32]hca.RespQuery{}
	naks := respNAKs{}
	msn := map[uint32]uint32{}
	var last uint32
	each(t, s, seed, s.Count, func(_ uint64, c *Case) {
		out := hca.ParseRespResult(advance(t, model, c, 0).Data)
		in := hca.ParseRespQuery(c.Frame)
		if in.Op == hca.RespSet && out.Verdict == roce.RespDone {
			sets[in.QPN] = in
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
		case out.Why == roce.RespNoQP, out.Why == roce.RespNotReady:
			b.add("why %d", out.Why)
		default:
			set := sets[in.QPN]
			b.addResp(set.Service, &in, &out)
			b.addRespProfile(&set, &in, &out)
			naks.count(b, &out)
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
	case roce.RespExecute:
		b.add("service %d executes %02x", service, in.Opcode&0x1F)
		if out.After < out.Before {
			b.add("service %d ePSN wraps", service)
		}
		if out.Answer == roce.RespReadResponses {
			b.add("READ takes %d", uint32(out.After-out.Before)&0xFFFFFF)
			b.add("READ of %d bytes", in.DMALength)
		}
	case roce.RespRefused:
		b.add("refused, why %d", out.Why)
		b.add("syndrome kind %d why %d", out.Syndrome.Kind(), out.Why)
	case roce.RespDuplicate:
		if in.OwnError || !in.AccessOK || !in.WQEPresent {
			b.add("spoiled duplicate, why %d", out.Why)
		}
	case roce.RespDropped:
		b.add("dropped, why %d", out.Why)
	}
}

// addRespProfile counts what came of a packet under each bit of the profile, and what of a FLUSH.
func (b bins) addRespProfile(set, in *hca.RespQuery, out *hca.RespResult) {
	for bit := range 8 {
		b.add("profile bit %d is %d, why %d", bit, set.Profile>>bit&1, out.Why)
	}
	b.add("answer %d verdict %d waits %v", out.Answer, out.Verdict, out.Behind > 0)
	v := in.Opcode.Shape().Verb
	if set.Service != hca.RespRC || !v.Replayed() || in.PSN != out.Before {
		return
	}
	if v != ib.VerbAtomicWrite && (in.Payload != 0 || in.Pad != 0) {
		name := v.String()
		if v.Atomic() {
			name = "atomic"
		}
		b.add("stray payload on %s, taken %d, why %d", name, set.Profile>>6&1, out.Why)
	}
	if v == ib.VerbFlush {
		b.add("PLT %d why %d", min(in.FlushPLT, 4), out.Why) // 4 is any above 3
		b.add("SEL %d why %d", min(in.FlushSel, 2), out.Why) // 2 is any above 1
		b.add("PLT %d of %d why %d", in.FlushPLT&3, set.FlushEnabled, out.Why)
		if in.FlushPLT <= 3 && in.FlushPLT&^set.FlushEnabled != 0 {
			b.add("PLT beyond %d why %d", set.FlushEnabled, out.Why)
		}
	}
}

// respNAKs counts gaps that are NAKed again, by QP.
type respNAKs map[uint32]*struct {
	silent roce.RespReason // what a NAK or RNR NAK was sent for
	dup    bool            // and a duplicate was answered since
}

func (n respNAKs) count(b bins, out *hca.RespResult) {
	if n[out.QPN] == nil {
		n[out.QPN] = new(struct {
			silent roce.RespReason
			dup    bool
		})
	}
	s := n[out.QPN]
	switch {
	case out.Before != out.After, out.ToError:
		s.silent, s.dup = 0, false
	case out.Verdict == roce.RespDuplicate:
		s.dup = s.silent != 0
	case out.Why == roce.RespGap || out.Why == roce.RespRNRPending || out.Why == roce.RespNoReceive:
		if s.dup && out.Why != roce.RespNoReceive {
			b.add("behind a duplicate and why %d verdict %d", s.silent, out.Verdict)
		}
		if out.Verdict == roce.RespRefused {
			s.silent, s.dup = out.Why, false
		}
	}
}

// respReaches says what stands for every rule that the block implements: each under any seed, in every service that has
// it.
var respReaches = []struct {
	rule, bin string
	values    []int
}{
	{"OPC-1", "service %d why 3", []int{0, 1, 2}},
	{"OPC-1", "service 0 executes %02x", []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0x13, 0x14, 0x16, 0x17, 0x1C,
		0x1D}},
	{"OPC-1", "service 1 executes %02x", []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
	{"OPC-1", "service 2 executes %02x", []int{4, 5}},
	{"OPC-3", "answer %d", []int{5}},
	{"PSN-1", "service %d ePSN wraps", []int{0, 1}},
	{"PSN-2", "why 4 at distance %d", []int{1, 1<<23 - 1}},
	{"PSN-2", "why 18 at distance %d", []int{-1, 1 - 1<<23, -1 << 23}},
	{"PSN-2", "why 19 at distance %d", []int{-1, -1 << 23}},
	{"PSN-2", "why 20 at distance %d", []int{-1, -1 << 23}},
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
	{"RSP-2", "behind a duplicate and why 4 verdict %d", []int{2, 3}},
	{"RSP-9", "behind a duplicate and why 9 verdict %d", []int{2, 3}},
	{"RSP-5", "answer 1 verdict %d waits true", []int{0, 1}},
	{"RSP-13", "answer %d verdict 0 waits true", []int{1, 3, 4, 5}},
	{"RSP-13", "answer 2 verdict %d waits true", []int{2}},
	{"RSP-5", "answer %d verdict 1 waits false", []int{1, 3, 4, 5}},
	{"OPC-2", "stray payload on READ, taken 0, why %d", []int{7, 12}},
	{"OPC-2", "stray payload on atomic, taken 0, why %d", []int{7, 12}},
	{"OPC-2", "stray payload on FLUSH, taken 0, why %d", []int{7, 12}},
	{"OPC-2", "stray payload on READ, taken 1, why %d", []int{0}},
	{"OPC-2", "stray payload on atomic, taken 1, why %d", []int{0}},
	{"OPC-2", "stray payload on FLUSH, taken 1, why %d", []int{0}},
	{"RSP-16", "PLT %d why 0", []int{0, 1, 2, 3, 4}},
	{"RSP-16", "PLT %d why 7", []int{0, 1, 2, 3, 4}},
	{"RSP-16", "SEL %d why 0", []int{0, 1, 2}},
	{"RSP-16", "SEL %d why 7", []int{2}},
	{"RSP-16", "PLT 1 of %d why 0", []int{1, 3}},
	{"RSP-16", "PLT 2 of %d why 0", []int{2, 3}},
	{"RSP-16", "PLT beyond %d why 7", []int{0, 1, 2}},
	{"RSP-2", "profile bit 0 is %d, why 4", []int{0, 1}},
	{"RSP-9", "profile bit 1 is %d, why 4", []int{0, 1}},
	{"RSP-5", "profile bit 2 is %d, why 18", []int{0, 1}},
	{"RSP-1", "profile bit 3 is %d, why 12", []int{0, 1}},
	{"RSP-1", "profile bit 4 is %d, why 14", []int{0, 1}},
	{"PSN-5", "profile bit 5 is %d, why 8", []int{0, 1}},
	{"OPC-2", "profile bit 6 is %d, why 12", []int{0, 1}},
	{"RSP-16", "profile bit 7 is %d, why 7", []int{0, 1}},
	{"RSP-15", "why %d", []int{1, 2}},
	{"RSP-15", "op 1 why %d", []int{0, 1, 2, 22}},
	{"RSP-15", "op 2 why %d", []int{0, 1, 2}},
	{"RSP-15", "op 3 why %d", []int{0, 1}},
	{"RSP-15", "op 4 why %d", []int{0, 1}},
	{"RSP-15", "op 5 why %d", []int{0, 1, 8}},
	{"RSP-15", "op %d why 22", []int{6, 7}},
}

// TestRespPSNCheckReaches: the default regression meets every rule of the block, and many requests are as they should
// be: a QP whose requests are not is set up again, which takes records.
func TestRespPSNCheckReaches(t *testing.T) {
	for seed := range uint64(3) {
		b := reachResp(t, seed)
		for _, p := range respReaches {
			for _, v := range p.values {
				require.NotZero(t, b[fmt.Sprintf(p.bin, v)], "%s, seed %d: "+p.bin, p.rule, seed, v)
			}
		}
		require.Greater(t, b["verdict 0"], 4250, "seed %d", seed) // one episode in eight is a tour of what is wrong
		require.Greater(t, b["same QP again"], 10000, "seed %d", seed)
	}
}

// Every record of the scenario has the size of its port.
func TestRespPSNCheckRecords(t *testing.T) {
	s, err := Lookup("resp-psn-check")
	require.NoError(t, err)
	each(t, s, 9, 2000, func(_ uint64, c *Case) {
		require.Len(t, c.Frame, hca.RespQueryBytes)
		require.Equal(t, sim.Port(0), c.Port)
		require.Zero(t, c.Frame[hca.RespQueryBytes-1]>>6, "bits above the layout")
	})
}
