package verilated

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/sim"
)

// A RUN frame takes at least one record: in a slot of shared memory where that holds it and the 8 bytes in front, else
// in the frame itself.
func TestRunFrameTakesARecord(t *testing.T) {
	for n := slotBytes - recordHeaderBytes - 20; n <= slotBytes-recordHeaderBytes+1; n++ {
		mem := newSharedMemory()
		if mem == nil {
			t.Skip("skipped: no shared memory")
		}
		var sent bytes.Buffer
		f := frameWriter{w: &sent, mem: mem}
		rest, err := f.run(0, []sim.Offer{{Data: make([]byte, n)}}, runFrameBytes)
		mem.close()
		require.NoError(t, err)
		require.Zero(t, len(rest), "%d bytes", n)
		fits := 8+recordHeaderBytes+padded(n) <= slotBytes
		require.Equal(t, fits, sent.Bytes()[5]&flagShared != 0, "%d bytes", n)
	}
}
