package roce_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/roce"
)

// halfWorld is a requester and a responder with PSNs of few bits, of which a message takes half, and a link that loses
// one request or none.
func halfWorld(t *testing.T, bits int, work roce.Work, lost int) {
	w := roce.WidthOf(bits)
	start := roce.SafeStart(0, w)
	qcfg := roce.RequesterConfig{Service: ib.RC, Width: w, PMTUBytes: 256, StartPSN: start, MaxReads: 1, Timeout: 14,
		RetryCount: 1, RNRRetry: 7}
	rcfg := roce.ResponderConfig{Service: ib.RC, Width: w, PMTUBytes: 256, StartPSN: start, MaxReads: 1,
		Access:  roce.RemoteRead | roce.RemoteWrite,
		Regions: [roce.MaxRegions]roce.Region{{RKey: 7, Len: 1 << 40, Access: roce.RemoteRead | roce.RemoteWrite}}}
	q, r := roce.NewRequester(&qcfg), roce.NewResponder(&rcfg)
	r.PostReceive(roce.Receive{ID: 1, Len: work.Len})
	var out roce.Batch
	require.True(t, q.Post(work, &out))
	var completions []roce.Effect
	got := uint64(0)
	for sent := 0; len(completions) == 0; {
		out = out[:0]
		if !q.Next(&out) {
			q.Expire(roce.Transport, &out)
			require.True(t, q.Ready(), "%d bytes returned, state %v", got, q.State)
			continue
		}
		if sent++; sent-1 == lost {
			continue
		}
		p := out[0].Packet
		r.Step(&p, &out)
		for out = out[:0]; r.Next(&out); out = out[:0] {
			p = out[len(out)-1].Packet
			out = out[:0]
			q.Step(&p, &out)
			for _, e := range out {
				switch e.Kind {
				case roce.ReadReturned:
					require.Equal(t, got, uint64(e.Off))
					got += uint64(e.Len)
				case roce.Complete:
					completions = append(completions, e)
				}
			}
		}
	}
	require.Equal(t, roce.Success, completions[0].Status)
	if work.Verb == roce.Read {
		require.Equal(t, uint64(work.Len), got)
	}
	una, next, high := q.PSNs()
	require.Equal(t, una, next)
	require.Equal(t, una, high)
}

// PSN-7, PSN-5, PSN-3: a READ, a SEND and a WRITE of half the PSNs complete, whichever request is lost.
func TestExactlyHalfThePSNs(t *testing.T) {
	for bits := 2; bits <= 6; bits++ {
		half := uint32(1) << (bits - 1)
		for lost := -1; lost < int(half); lost++ {
			halfWorld(t, bits, roce.Work{ID: 1, Verb: roce.Read, Len: half * 256, RKey: 7, Signaled: true}, min(lost, 0))
			halfWorld(t, bits, roce.Work{ID: 1, Verb: roce.Send, Len: half*256 - 3, Signaled: true}, lost)
			halfWorld(t, bits, roce.Work{ID: 1, Verb: roce.Write, Len: half * 256, RKey: 7, Signaled: true}, lost)
		}
	}
}

// PSN-7, PSN-4: 2 GiB at a PMTU of 256 are 2^23 packets.
func TestExactlyHalfOf24Bits(t *testing.T) {
	if quick {
		t.Skip("as long as all the rest")
	}
	halfWorld(t, 24, roce.Work{ID: 1, Verb: roce.Read, Len: 1 << 31, RKey: 7, Signaled: true}, -1)
}

// PSN-5: a requester whose window does not count what a READ takes sends no READ that would be one PSN too much.
func TestAReadOfHalfWaits(t *testing.T) {
	q := roce.NewRequester(&roce.RequesterConfig{Service: ib.RC, Profile: roce.Rxe, PMTUBytes: 256, StartPSN: 100,
		MaxReads: 1, RetryCount: 7, RNRRetry: 7})
	var out roce.Batch
	require.True(t, q.Post(roce.Work{ID: 1, Verb: roce.Send, Len: 4}, &out))
	require.True(t, q.Post(roce.Work{ID: 2, Verb: roce.Read, Len: 1 << 31, RKey: 7}, &out))
	require.True(t, q.Next(&out))
	require.False(t, q.Next(&out), "1 + 2^23 PSNs")
	q.Step(anAck(100, ib.AckSyndrome(31)), &out)
	out = out[:0]
	require.True(t, q.Next(&out), "2^23 PSNs")
	require.Equal(t, ib.Join(ib.RC, ib.ReadRequest), out[0].Packet.Op)
}

// PSN-5: the limit that is told is the one that was met, of rxe 129 packets.
func TestTheLimitThatWasMetIsTold(t *testing.T) {
	f := roce.FollowRequester(roce.RequesterConfig{Service: ib.RC, Profile: roce.Rxe, PMTUBytes: 256, StartPSN: 100})
	for at := uint32(100); at < 229; at++ {
		require.True(t, f.Sent(0, aSend(at)).Allowed(), "%d", at)
	}
	v := f.Sent(0, aSend(229))
	require.Equal(t, roce.Rule("PSN-5"), v.Rule)
	require.Equal(t, "more than 129 packets are unacknowledged", v.Text)
}
