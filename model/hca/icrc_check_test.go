package hca

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/wire"
)

// Every encapsulation of docs/blocks/icrc_check.md, good, with one bit wrong, and one byte short.
func TestICRCCheck(t *testing.T) {
	for encap := wire.EncapRoCEv1; encap <= wire.EncapRaw; encap++ {
		t.Run(encap.String(), func(t *testing.T) {
			spec := example(encap)
			spec.NoVCRC = true
			frame := spec.Append(nil, []byte("payload"))
			good, bad, truncated := uint32(1), uint32(2), uint32(6)
			if encap == wire.EncapRaw {
				good, bad, truncated = 0, 0, 0
			}
			verdict := func(icrc, reason uint32, frame []byte) {
				t.Helper()
				out := one(t, "icrc_check", input(encap.Link(), frame))
				require.Equal(t, fmt.Sprintf("%03x", reason<<8|uint32(encap)<<4|icrc), fmt.Sprintf("%03x", out.User))
				require.Equal(t, &frame[0], &out.Data[0], "the packet itself comes out")
				require.Len(t, out.Data, len(frame))
			}
			verdict(good, 0, frame)
			verdict(bad, truncated, frame[:len(frame)-1])
			frame[len(frame)-1] ^= 1
			verdict(bad, 0, frame)
		})
	}
}
