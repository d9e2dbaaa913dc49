package roce_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// CRD-2: the first credits count whatever the peer's MSN is; later ones only where the limit lies ahead.
func TestFirstCreditsCountFromAnyMSN(t *testing.T) {
	cfg := roce.RequesterConfig{Service: ib.RC}
	for _, number := range []uint32{0, 0x7FFFFF, 0x800000, 0xFFFFFF} {
		var s roce.RequesterState
		again := roce.Packet{Op: ib.Join(ib.RC, ib.Ack), PSN: psn.New(0).Add(-1), MSN: number,
			Syndrome: ib.AckSyndrome(2)}
		n, limited := ib.Credits(again.Syndrome.Code())
		require.True(t, limited)
		require.True(t, s.Respond(&cfg, &again, &roce.Outstanding{}).Credits, number)
		require.Equal(t, (number+n)&0xFFFFFF, s.LSN)
		again.MSN = (number - 1) & 0xFFFFFF
		require.False(t, s.Respond(&cfg, &again, &roce.Outstanding{}).Credits)
		require.Equal(t, (number+n)&0xFFFFFF, s.LSN)
	}
}
