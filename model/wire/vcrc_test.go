package wire

import (
	"testing"

	"github.com/sigurn/crc16"
	"github.com/stretchr/testify/require"
)

// sigurnVCRC is the reference: x^16+x^12+x^3+x+1, reflected, initial ones, final complement.
var sigurnVCRC = crc16.MakeTable(crc16.Params{Poly: 0x100B, Init: 0xFFFF, RefIn: true, RefOut: true, XorOut: 0xFFFF,
	Check: 0x0A3D})

func TestVCRC(t *testing.T) {
	require.Equal(t, uint16(0x0A3D), VCRC([]byte("123456789")))
	r := newRand()
	for n := range 600 {
		b := randomBytes(r, n)
		require.Equal(t, crc16.Checksum(b, sigurnVCRC), VCRC(b), "%d bytes", n)
	}
	b := randomBytes(r, 8190)
	require.Equal(t, crc16.Checksum(b, sigurnVCRC), VCRC(b))
}

// Nothing is masked: every bit counts.
func TestVCRCEveryBit(t *testing.T) {
	for _, encap := range []Encap{EncapIBLocal, EncapIBGlobal, EncapRaw} {
		s := plainSpec(encap)
		frame := s.Append(nil, []byte("payload!"))
		status, got, reason := CheckVCRC(frame)
		require.Equal(t, [3]any{VCRCGood, encap, WellFormed}, [3]any{status, got, reason})
		for bit := range len(frame) * 8 {
			frame[bit/8] ^= 1 << (bit % 8)
			status, _, _ = CheckVCRC(frame)
			require.Equal(t, VCRCBad, status, "byte %d", bit/8)
			frame[bit/8] ^= 1 << (bit % 8)
		}
	}
}
