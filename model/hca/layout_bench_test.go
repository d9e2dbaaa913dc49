package hca

import (
	"testing"

	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// BenchmarkRecord writes and reads the widest record of a block that decides.
func BenchmarkRecord(b *testing.B) {
	q := RespQuery{QPN: 0x123456, PSN: 0x654321, DMALength: 1 << 30, Profile: 0xA5, Pad: 3, AccessOK: true}
	buf := make([]byte, 0, 64)
	b.ReportAllocs()
	for b.Loop() {
		buf = q.Append(buf[:0])
		if ParseRespQuery(buf) != q {
			b.Fatal("not read back")
		}
	}
}

// BenchmarkRoCEParse is the stage on packets of the four encapsulations, SEND Only with 16 bytes.
func BenchmarkRoCEParse(b *testing.B) {
	s, out := NewRoCEParse(64), make([]sim.Record, 0, 2)
	var in []sim.Record
	for _, encap := range []wire.Encap{wire.EncapRoCEv2IPv4, wire.EncapRoCEv2IPv6, wire.EncapIBGlobal, wire.EncapIBLocal} {
		p := example(encap)
		in = append(in, input(encap.Link(), p.Append(nil, make([]byte, 16))))
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		out = s.Advance(0, in[i%4:i%4+1], out[:0])
	}
}
