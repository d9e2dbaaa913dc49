package falcon_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/falcon"
)

// FAL-D1: PSNs compare by their signed difference, at 0 as at 2^31 and between.
func TestPSNCompare(t *testing.T) {
	for _, p := range []falcon.PSN{0, 1, 1<<31 - 1, 1 << 31, 1<<31 + 1, 1<<32 - 1, 12345} {
		for _, ahead := range []uint32{1, 2, 127, 128, 1 << 16, 1<<31 - 1} {
			require.True(t, p.Before(p.Add(ahead)), "%d, %d", p, ahead)
			require.False(t, p.Add(ahead).Before(p), "%d, %d", p, ahead)
			require.Equal(t, ahead, p.Add(ahead).From(p))
		}
		require.False(t, p.Before(p))
		require.True(t, p.Before(p-1<<31), "as far ahead as behind counts as behind")
	}
}
