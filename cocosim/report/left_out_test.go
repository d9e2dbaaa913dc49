package report

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
)

// A run of which hardly a record was one that the device takes says nothing of the device; a mismatch stays one.
func TestHardlyAnyRecordIsTaken(t *testing.T) {
	for _, c := range []struct {
		left, packets, mismatched uint64
		exit                      cocosim.Exit
	}{
		{1881, 19, 0, cocosim.Agreed},
		{1882, 19, 0, cocosim.Inconclusive},
		{19937, 63, 0, cocosim.Agreed},
		{19999, 1, 0, cocosim.Inconclusive},
		{19999, 1, 1, cocosim.Mismatch},
	} {
		r := Report{LeftOut: c.left, Result: &cocosim.Result{Packets: c.packets, Mismatched: c.mismatched}}
		r.Result.Score.Expected, r.Result.Score.Agreed = 1, 1
		r.Result.Agreed = 1
		require.Equal(t, c.exit, r.Exit(), "%+v", c)
		var b bytes.Buffer
		r.Print(&b)
		few := c.packets < FewestRecords && c.packets*99 < c.left
		require.Equal(t, few, bytes.Contains(b.Bytes(), []byte("hardly a record")), b.String())
	}
}
