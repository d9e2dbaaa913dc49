package roce_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/roce"
)

// TestSetErrorFlushesWhatWasBegun: software that ends a queue pair gets every receive WQE back as flushed, the one that
// a SEND has begun to fill too (RSP-15). A QP that breaks by a request says why with that one.
func TestSetErrorFlushesWhatWasBegun(t *testing.T) {
	for _, bad := range []bool{false, true} {
		r := roce.NewResponder(&roce.ResponderConfig{Service: ib.RC, PMTUBytes: 1024})
		for id := range uint64(2) {
			r.PostReceive(roce.Receive{ID: id, Len: 1500})
		}
		var out roce.Batch
		r.Step(&roce.Packet{Op: ib.Join(ib.RC, ib.SendFirst), Len: 1024}, &out)
		want := roce.Flushed
		if bad {
			r.Step(&roce.Packet{Op: ib.Join(ib.RC, ib.SendLast), PSN: 1, Len: 1000}, &out)
			want = roce.LocalError
		} else {
			r.SetError(&out)
		}
		var status []roce.Status
		for _, e := range out {
			if e.Kind == roce.Complete {
				status = append(status, e.Status)
			}
		}
		require.Equal(t, []roce.Status{want, roce.Flushed}, status)
	}
}
