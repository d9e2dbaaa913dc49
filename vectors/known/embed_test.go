package known

import (
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/wire"
)

// TestCountsAreThoseOfTheMaker: packets and bad ICRCs as the sidecars of the captures count them.
func TestCountsAreThoseOfTheMaker(t *testing.T) {
	for _, f := range Files() {
		c, err := Open(f.Name)
		require.NoError(t, err)
		packets, bad := 0, 0
		for {
			frame, err := c.Next()
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
			packets++
			loc := wire.Locate(frame.Link, frame.Data)
			if wire.CheckICRC(frame.Data, &loc) == wire.ICRCBad {
				bad++
			}
		}
		require.Equal(t, f.Packets, packets, f.Name)
		require.Equal(t, f.ICRCBad, bad, f.Name)
	}
}

// TestEveryFileIsListed: in the table, in the README, and small.
func TestEveryFileIsListed(t *testing.T) {
	entries, err := files.ReadDir(".")
	require.NoError(t, err)
	require.Len(t, entries, len(Files()))
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	total := int64(0)
	for _, f := range Files() {
		info, err := os.Stat(f.Name)
		require.NoError(t, err)
		total += info.Size()
		require.Contains(t, string(readme), f.Name)
	}
	require.Less(t, total, int64(200<<10))
}

func TestOpenOfAnUnknownName(t *testing.T) {
	_, err := Open("nonesuch")
	require.EqualError(t, err, "known/nonesuch: no such capture")
}
