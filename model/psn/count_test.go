package psn

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCount(t *testing.T) {
	var c Count
	for _, x := range []struct {
		p     PSN
		ahead int32
	}{{0xFFFFFE, 1}, {0xFFFFFF, 1}, {0, 1}, {3, 3}, {2, -1}, {3, 0}, {4, 1}} {
		require.Equal(t, x.ahead, c.Take(x.p), "%06Xh", uint32(x.p))
	}
}
