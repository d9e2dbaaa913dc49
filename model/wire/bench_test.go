package wire

import (
	"fmt"
	"hash/crc32"
	"testing"

	"github.com/sigurn/crc16"

	"hcacosim/model/ib"
)

// benchPackets are a 74-byte ACK-sized packet and ones of 256 B to 4 KiB, over IPv4.
var benchPayloads = []int{16, 256, 1024, 4096}

func benchSpec(encap Encap) Spec {
	s := plainSpec(encap)
	s.Opcode = ib.Join(ib.RC, ib.SendOnly)
	return s
}

func BenchmarkBuild(b *testing.B) {
	for _, icrc := range []bool{false, true} {
		for _, n := range benchPayloads {
			b.Run(fmt.Sprintf("ICRC=%v/%dB", icrc, n), func(b *testing.B) {
				s := benchSpec(EncapRoCEv2IPv4)
				s.NoICRC = !icrc
				payload, buf := make([]byte, n), make([]byte, 0, 8192)
				b.ReportAllocs()
				for b.Loop() {
					s.PSN = s.PSN.Add(1)
					buf = s.Append(buf[:0], payload)
				}
				b.SetBytes(int64(len(buf)))
			})
		}
	}
}

func BenchmarkParse(b *testing.B) {
	for _, encap := range transportEncaps {
		b.Run(encap.String(), func(b *testing.B) {
			s := benchSpec(encap)
			frame := s.Append(nil, make([]byte, 16))
			var p Packet
			b.ReportAllocs()
			for b.Loop() {
				Decode(encap.Link(), frame, &p)
			}
		})
	}
}

func BenchmarkLocate(b *testing.B) {
	for _, encap := range transportEncaps {
		b.Run(encap.String(), func(b *testing.B) {
			s := benchSpec(encap)
			frame := s.Append(nil, make([]byte, 16))
			b.ReportAllocs()
			for b.Loop() {
				Locate(encap.Link(), frame)
			}
		})
	}
}

// BenchmarkICRC against hash/crc32 over as many bytes, unmasked and in one piece: what the masks cost.
func BenchmarkICRC(b *testing.B) {
	for _, n := range benchPayloads {
		s := benchSpec(EncapRoCEv2IPv4)
		frame := s.Append(nil, make([]byte, n))
		loc := Locate(LinkEthernet, frame)
		covered := frame[loc.Net : loc.End-4]
		b.Run(fmt.Sprintf("masked/%dB", n), func(b *testing.B) {
			b.SetBytes(int64(len(covered)))
			b.ReportAllocs()
			for b.Loop() {
				loc.ICRC(frame)
			}
		})
		b.Run(fmt.Sprintf("hash_crc32/%dB", n), func(b *testing.B) {
			b.SetBytes(int64(len(covered)))
			for b.Loop() {
				crc32.ChecksumIEEE(covered)
			}
		})
	}
}

// BenchmarkVCRC against sigurn/crc16.
func BenchmarkVCRC(b *testing.B) {
	for _, n := range benchPayloads {
		data := make([]byte, n+26)
		b.Run(fmt.Sprintf("slicing/%dB", n), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				VCRC(data)
			}
		})
		b.Run(fmt.Sprintf("sigurn/%dB", n), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				crc16.Checksum(data, sigurnVCRC)
			}
		})
	}
}
