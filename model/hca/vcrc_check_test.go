package hca

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/wire"
)

func TestVCRCCheck(t *testing.T) {
	for encap := wire.EncapIBLocal; encap <= wire.EncapRaw; encap++ {
		t.Run(encap.String(), func(t *testing.T) {
			spec := example(encap)
			frame := spec.Append(nil, []byte("payload"))
			n := len(frame)
			flipped, short := bytes.Clone(frame), bytes.Clone(frame)
			flipped[0] ^= 0x80 // VL: the ICRC does not cover it, the VCRC does
			short[4], short[5] = 0, 1
			for _, c := range []struct {
				frame        []byte
				vcrc, reason uint32
			}{
				{frame, 1, 0}, {flipped, 2, 0}, {short, 2, 4}, {frame[:n-1], 2, 6}, {frame[:n-2], 2, 6}, {frame[:8], 2, 6},
				{append(bytes.Clone(frame), 0), 1, 7}, {append(bytes.Clone(flipped), 0), 2, 7},
			} {
				out := one(t, "vcrc_check", input(0, c.frame))
				require.Equal(t, fmt.Sprintf("%03x", c.reason<<8|uint32(encap)<<4|c.vcrc), fmt.Sprintf("%03x", out.User))
			}
			require.Equal(t, uint32(0x100), one(t, "vcrc_check", input(0, frame[:7])).User)
		})
	}
}
