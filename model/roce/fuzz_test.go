package roce_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// packetOf makes a packet of a few bytes: mostly near where the machines are.
func packetOf(b []byte) roce.Packet {
	sizes := [...]uint32{0, 1, 8, 255, 256, 257, 300, 1 << 31}
	return roce.Packet{Op: ib.Opcode(b[0]), PSN: psn.New(uint32(int8(b[1]))*(1+uint32(b[2]>>4)<<14) + 16),
		AckReq: b[2]&1 != 0, SE: b[2]&2 != 0,
		Pad: b[2] >> 2 & 3, Len: sizes[b[3]&7] % 4096, DMALen: sizes[b[3]>>3&7], VA: uint64(b[4]) << (b[5] & 56),
		RKey:     uint32(7 + b[5]&7/7),
		Syndrome: ib.Syndrome(b[6]), MSN: uint32(b[7]), SwapAdd: uint64(b[4]), QKey: uint32(b[7] & 1)}
}

var fuzzServices = [...]ib.Transport{ib.RC, ib.UC, ib.UD, ib.XRC}
var fuzzProfiles = [...]roce.Profile{roce.Spec, roce.Rxe, roce.Qib}

// RSP-1, RSP-13: whatever reaches a responder, nothing panics, and what a step asks for and what waits stays bounded.
func FuzzResponder(f *testing.F) {
	f.Add(byte(0), []byte("\x04\x00\x01\x01\x10\x00\x00\x00\x0c\x01\x01\x12\x10\x00\x00\x00"))
	f.Add(byte(4), []byte("\x20\x00\x01\x04\x10\x00\x00\x00\x21\x01\x01\x04\x10\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, kind byte, script []byte) {
		script = script[:min(len(script), 2048)]
		cfg := roce.ResponderConfig{Service: fuzzServices[kind&3], Profile: fuzzProfiles[kind/3%3], PMTUBytes: 256,
			StartPSN: 16, MaxReads: kind >> 5 * 3,
			Access: roce.Access(14), Regions: benchRegions, Open: kind&16 != 0}
		r := roce.NewResponder(&cfg)
		var out roce.Batch
		for id := uint64(0); len(script) >= 8; script = script[8:] {
			out = out[:0]
			if script[7]&2 != 0 {
				id++
				r.PostReceive(roce.Receive{ID: id, Len: uint32(script[6]) * 4})
			}
			p := packetOf(script)
			r.Step(&p, &out)
			require.LessOrEqual(t, len(out), roce.MaxReceives+4)
			for i := range out {
				if out[i].Kind == roce.AtomicMemory {
					r.Result(out[i].Slot, 1)
				}
			}
			if script[7]&1 != 0 {
				r.Drained()
			}
			for n := script[7] >> 2 & 15; n > 0; n-- {
				r.Next(&out)
			}
		}
		r.Drained()
		for n := 0; r.Owes(); n++ { // a READ of 2^31 bytes has 2^23 responses
			out = out[:0]
			if !r.Next(&out) || n > 200 {
				break
			}
		}
	})
}

// REQ-1, REQ-3, TMR-3: whatever reaches a requester, nothing panics, una <= next <= high holds, and every WQE ends at
// most once.
func FuzzRequester(f *testing.F) {
	f.Add(byte(0), []byte("\x11\x00\x01\x01\x10\x00\x1f\x00\x10\x01\x01\x12\x10\x00\x1f\x00"))
	f.Fuzz(func(t *testing.T, kind byte, script []byte) {
		script = script[:min(len(script), 2048)]
		cfg := roce.RequesterConfig{Service: fuzzServices[kind&3], Profile: fuzzProfiles[kind/3%3], PMTUBytes: 256,
			StartPSN: 16, MaxReads: 2,
			Timeout: 1, RetryCount: kind >> 5, RNRRetry: 7, Limited: kind&16 != 0}
		q := roce.NewRequester(&cfg)
		var out roce.Batch
		ended := map[uint64]bool{}
		for id := uint64(1); len(script) >= 8; script = script[8:] {
			out = out[:0]
			p := packetOf(script)
			switch script[7] >> 4 & 3 {
			case 0:
				q.Post(roce.Work{ID: id, Verb: roce.Verb(1 + script[0]%9), Len: p.Len, Signaled: true, WithImm: p.SE, VA: p.VA},
					&out)
				id++
			case 1:
				q.Expire(roce.Timer(script[0]&1), &out)
			default:
				q.Step(&p, &out)
			}
			for n := script[7] & 15; n > 0; n-- {
				q.Next(&out)
			}
			if k := len(out); k > 0 && (out[k-1].Kind == roce.BindWindow || out[k-1].Kind == roce.InvalidateKey) {
				q.Done(p.AckReq, &out)
			}
			require.LessOrEqual(t, len(out), 4*roce.MaxSends)
			for _, e := range out {
				if e.Kind == roce.Complete {
					require.False(t, ended[e.ID], "WQE %d ends twice", e.ID)
					ended[e.ID] = true
				}
			}
			una, next, high := q.PSNs()
			require.LessOrEqual(t, next.Diff(high), int32(0))
			require.LessOrEqual(t, una.Diff(high), int32(0))
		}
	})
}

// PSN-3, RSP-13: the followers stand anything that a device may send.
func FuzzFollowers(f *testing.F) {
	f.Add(byte(0), []byte("\x04\x00\x01\x01\x10\x00\x1f\x00\x11\x00\x01\x00\x10\x00\x1f\x01"))
	f.Fuzz(func(t *testing.T, kind byte, script []byte) {
		script = script[:min(len(script), 2048)]
		r := roce.FollowResponder(roce.ResponderConfig{Service: ib.RC, Profile: fuzzProfiles[kind%3], PMTUBytes: 256,
			StartPSN: 16, Open: kind&16 != 0,
			AnswerWithinNs: uint64(kind>>5) * 50_000})
		q := roce.FollowRequester(roce.RequesterConfig{Service: fuzzServices[kind/3&3], Profile: fuzzProfiles[kind%3],
			PMTUBytes: 256, StartPSN: 16, Timeout: 3,
			ResumeWithinNs: uint64(kind>>5) * 50_000})
		now := int64(0)
		for ; len(script) >= 8; script = script[8:] {
			p := packetOf(script)
			now += int64(script[7]) * 1000
			r.Now(now)
			if !r.Overdue(now).Allowed() { // it is said once
				require.True(t, r.Overdue(now).Allowed())
			}
			if !q.Overdue(now).Allowed() {
				require.True(t, q.Overdue(now).Allowed())
			}
			switch script[7] & 3 {
			case 0:
				r.Received(&p)
			case 1:
				r.Sent(&p)
			case 2:
				q.Received(now, &p)
			default:
				q.Sent(now, &p)
			}
		}
	})
}
