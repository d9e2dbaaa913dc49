package hca

import "testing"

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
