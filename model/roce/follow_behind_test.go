package roce_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// aSend and anAck are packets of a connection that begins at PSN 100.
func aSend(at uint32) *roce.Packet {
	return &roce.Packet{Op: ib.Join(ib.RC, ib.SendOnly), PSN: psn.New(at), AckReq: true}
}

func anAck(at uint32, syndrome ib.Syndrome) *roce.Packet {
	return &roce.Packet{Op: ib.Join(ib.RC, ib.Ack), PSN: psn.New(at), Syndrome: syndrome, MSN: 1}
}

// A device whose pipeline is a microsecond deep may send again what was acknowledged in that time, though another
// packet left since (REQ-5), and what its timer asked for before the ACK came (TMR-1); not later, and one without a
// pipeline not at all.
func TestDecidedBeforeItLeft(t *testing.T) {
	const all = 70_000_000 // the time of the ACK: behind 4.096 us << 14
	for _, c := range []struct {
		behindNs, lateNs uint64
		nak              bool
		rule             roce.Rule
	}{
		{1000, 900, true, ""}, {1000, 1100, true, "REQ-5"}, {0, 900, true, "REQ-5"},
		{1000, 900, false, ""}, {1000, 1100, false, "TMR-1"}, {0, 900, false, "TMR-1"},
	} {
		f := roce.FollowRequester(roce.RequesterConfig{Service: ib.RC, PMTUBytes: 256, StartPSN: 100, Timeout: 14,
			RetryCount: 7, RNRRetry: 7, BehindNs: c.behindNs})
		for at := range uint32(3) {
			require.True(t, f.Sent(1000*int64(at), aSend(100+at)).Allowed())
		}
		again := uint32(100)
		if c.nak {
			f.Received(all-2000, anAck(100, ib.NAKSequence))
			f.Received(all, anAck(100, ib.AckSyndrome(31)))
			require.True(t, f.Sent(all+100, aSend(103)).Allowed()) // it was on its way
		} else {
			again = 101
			f.Received(all, anAck(100, ib.AckSyndrome(31)))
		}
		v := f.Sent(all+int64(c.lateNs), aSend(again))
		require.Equal(t, c.rule, v.Rule, "%+v: %s", c, v.Text)
	}
}

// However many ACKs came before, what the device believed before the last 64 of them is known (REQ-5).
func TestDecidedBefore64Acknowledgements(t *testing.T) {
	for acks := uint32(150); acks < 300; acks++ {
		f := roce.FollowRequester(roce.RequesterConfig{Service: ib.RC, PMTUBytes: 256, StartPSN: 100, RetryCount: 7,
			RNRRetry: 7, BehindNs: 5000})
		now := int64(0)
		for at := uint32(100); at < 100+acks; at++ {
			require.True(t, f.Sent(now, aSend(at)).Allowed())
			if at == 100 {
				f.Received(now, anAck(100, ib.NAKSequence))
			}
			now += 67
			f.Received(now, anAck(at, ib.AckSyndrome(31)))
		}
		require.True(t, f.Sent(now, aSend(100+acks)).Allowed()) // it was on its way
		v := f.Sent(now+67, aSend(100+acks-64))
		require.Equal(t, roce.Rule(""), v.Rule, "%d ACKs: %s", acks, v.Text)
	}
}

// Of more than 64 ACKs within BehindNs the older ones are not known: a resend that one of them may have come too late
// for is not held against the device. One beyond what is unacknowledged is, and so is one of long ago (REQ-5).
func TestDecidedBeforeMoreAcknowledgementsThanAreKnown(t *testing.T) {
	for _, c := range []struct {
		gapNs int64 // between two ACKs
		again uint32
		rule  roce.Rule
	}{{67, 101, ""}, {40, 130, ""}, {67, 201, "REQ-5"}, {90, 101, "REQ-5"}} {
		f := roce.FollowRequester(roce.RequesterConfig{Service: ib.RC, PMTUBytes: 256, StartPSN: 100, RetryCount: 7,
			RNRRetry: 7, BehindNs: 5000})
		for at := uint32(100); at < 203; at++ {
			require.True(t, f.Sent(0, aSend(at)).Allowed())
		}
		f.Received(0, anAck(100, ib.NAKSequence))
		now := int64(0)
		for at := uint32(100); at < 200; at++ {
			now += c.gapNs
			f.Received(now, anAck(at, ib.AckSyndrome(31)))
		}
		require.True(t, f.Sent(now, aSend(203)).Allowed()) // it was on its way
		v := f.Sent(now+67, aSend(c.again))
		require.Equal(t, c.rule, v.Rule, "%+v: %s", c, v.Text)
	}
}

// So may a new request leave behind an RNR NAK (TMR-5), and a resend a bit less than T behind its packet, which had
// been decided before it left (TMR-1).
func TestDecidedBeforeTheNAK(t *testing.T) {
	const timeNs = 4096 << 14
	for _, c := range []struct {
		behindNs, lateNs uint64
		rnr              bool
		rule             roce.Rule
	}{
		{1000, 900, true, ""}, {1000, 1100, true, "TMR-5"}, {1, 900, true, "TMR-5"},
		{1000, 900, false, ""}, {1000, 1100, false, "TMR-1"}, {1, 900, false, "TMR-1"},
	} {
		f := roce.FollowRequester(roce.RequesterConfig{Service: ib.RC, PMTUBytes: 256, StartPSN: 100, Timeout: 14,
			RetryCount: 7, RNRRetry: 7, BehindNs: c.behindNs})
		require.True(t, f.Sent(0, aSend(100)).Allowed())
		at, next := timeNs-ib.TickNs-int64(c.lateNs), aSend(100)
		if c.rnr {
			f.Received(5000, anAck(100, ib.RNRSyndrome(14)))
			at, next = 5000+int64(c.lateNs), aSend(101)
		}
		v := f.Sent(at, next)
		require.Equal(t, c.rule, v.Rule, "%+v: %s", c, v.Text)
	}
}

// A retry that a NAK asks for starts the transport timer anew, or leaves it alone: both are allowed, and before both
// have run out nothing may be sent again (TMR-2).
func TestTimerRunsOutBehindANAK(t *testing.T) {
	const timeNs = 4096 << 14
	for at, rule := range map[int64]roce.Rule{timeNs - 2*ib.TickNs: "TMR-1", timeNs + 1000: "", timeNs*3/2 + 3000: ""} {
		f := roce.FollowRequester(roce.RequesterConfig{Service: ib.RC, PMTUBytes: 256, StartPSN: 100, Timeout: 14,
			RetryCount: 7, RNRRetry: 7, BehindNs: 1})
		require.True(t, f.Sent(0, aSend(100)).Allowed())
		require.True(t, f.Sent(10, aSend(101)).Allowed())
		f.Received(timeNs/2, anAck(100, ib.NAKSequence))
		require.True(t, f.Sent(timeNs/2+1000, aSend(100)).Allowed())
		require.True(t, f.Sent(timeNs/2+1010, aSend(101)).Allowed())
		v := f.Sent(at, aSend(100))
		require.Equal(t, rule, v.Rule, "%d: %s", at, v.Text)
	}
}
