package roce_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// An ACK inside an unfinished READ allows a retry and does not ask for one, wherever in the READ it is, while the READ
// is unfinished (CRD-4). One outside allows none (TMR-1).
func TestAnACKInsideAREADAllowsARetry(t *testing.T) {
	for _, c := range []struct {
		ack       uint32
		responses uint32
		rule      roce.Rule
	}{{103, 1, ""}, {102, 1, ""}, {101, 1, ""}, {103, 0, ""}, {100, 1, "TMR-1"}, {103, 3, "TMR-1"}} {
		f := roce.FollowRequester(roce.RequesterConfig{Service: ib.RC, PMTUBytes: 256, StartPSN: 100, Timeout: 14,
			RetryCount: 7, RNRRetry: 7})
		require.True(t, f.Sent(0, aSend(100)).Allowed())
		f.Received(10, anAck(100, ib.AckSyndrome(31)))
		read := roce.Packet{Op: ib.Join(ib.RC, ib.ReadRequest), PSN: 101, DMALen: 3 * 256, AckReq: true}
		require.True(t, f.Sent(20, &read).Allowed())
		require.True(t, f.Sent(30, aSend(104)).Allowed())
		for at := range c.responses {
			op := [...]ib.Operation{ib.ReadResponseFirst, ib.ReadResponseMid, ib.ReadResponseLast}[at]
			f.Received(40, &roce.Packet{Op: ib.Join(ib.RC, op), PSN: psn.New(101 + at), Len: 256, MSN: 2,
				Syndrome: ib.AckSyndrome(31)})
		}
		before, _ := f.Owed()
		f.Received(50, anAck(c.ack, ib.AckSyndrome(31)))
		after, _ := f.Owed()
		require.Equal(t, before, after)
		again := aSend(104)
		if c.responses < 3 {
			again = &roce.Packet{Op: read.Op, PSN: psn.New(101 + c.responses), AckReq: true,
				DMALen: (3 - c.responses) * 256, VA: uint64(c.responses) * 256}
		}
		require.Equal(t, c.rule, f.Sent(60, again).Rule, "%+v", c)
	}
}
