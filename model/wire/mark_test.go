package wire

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
)

// A mark changes the ECN bits, and the checksum of an IPv4 header with them: what was right stays right, and what was
// wrong stays wrong. The ICRC covers neither.
func TestMarkCE(t *testing.T) {
	for _, e := range []Encap{EncapRoCEv2IPv4, EncapRoCEv2IPv6} {
		for tos := range 256 {
			s := Spec{Encap: e, Src: FromIPv4(10, 1, 0, 1), Dst: FromIPv4(10, 1, 0, 2), TClass: uint8(tos), SrcPort: 0xC123,
				Opcode: ib.Join(ib.RC, ib.SendOnly), PKey: 0xFFFF, HopLimit: 64, IPID: uint16(7919 * tos)}
			frame := s.Append(nil, []byte("four"))
			MarkCE(frame)
			var p Packet
			Decode(LinkEthernet, frame, &p)
			require.Equal(t, ICRCGood, p.ICRC())
			if ip := p.IPv4(); ip != nil {
				require.Equal(t, uint8(tos|3), ip.TOS())
				require.True(t, ip.ChecksumGood())
				ip[8] ^= 1 // the TTL: a wrong checksum
				ip[1] ^= 1
				MarkCE(frame)
				require.False(t, ip.ChecksumGood())
				continue
			}
			require.Equal(t, uint8(tos|3), p.IPv6().TClass())
		}
	}
}

// ADM-1: the mark keeps an IPv4 header right whatever its checksum was.
func TestMarkCEOfEveryChecksum(t *testing.T) {
	s := plainSpec(EncapRoCEv2IPv4)
	for id := range 1 << 16 { // every checksum that there is
		s.IPID = uint16(id)
		frame := s.Append(nil, nil)
		was := IPv4(frame[14:34]).Checksum()
		MarkCE(frame)
		if !IPv4(frame[14:34]).ChecksumGood() {
			require.Fail(t, "wrong", "the checksum was %04Xh", was)
		}
	}
}
