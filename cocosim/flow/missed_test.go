package flow_test

import (
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/flow"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// numberedApart gives the frames of each end identifications of their own.
func numberedApart(list []vectors.Frame) []vectors.Frame {
	var next [256]uint16
	return rewritten(list, everyFrame, func(w *wire.Packet) {
		ip := w.IPv4()
		next[ip.Src()[3]]++
		binary.BigEndian.PutUint16(ip[4:], next[ip.Src()[3]])
	})
}

// talk is a dialog whose packets come a microsecond apart.
type talk struct {
	dialog
	at time.Duration
}

func (k *talk) say(from byte, op ib.Operation, n int32, more func(*wire.Spec)) {
	k.at += time.Microsecond
	s := wire.Spec{Opcode: ib.Join(ib.RC, op), PSN: psn.PSN(builtPSN).Add(n)}
	payload := []byte("1234")
	switch info := ib.Lookup(s.Opcode); info.Length {
	case ib.NoPayload:
		payload = nil
	case ib.WholePMTU:
		payload = make([]byte, 256)
	}
	if more != nil {
		more(&s)
	}
	k.dialog.say(from, k.at, s, payload)
}

func asks(s *wire.Spec) { s.AckReq = true }

func counts(msn uint32) func(*wire.Spec) {
	return func(s *wire.Spec) { s.MSN, s.Syndrome = msn, 31 }
}

func refuses(msn uint32, with ib.Syndrome) func(*wire.Spec) {
	return func(s *wire.Spec) { s.MSN, s.Syndrome = msn, with }
}

// A capture misses one frame that its end had, and each end does what is right. What is found long behind it rests on
// the frame all the same: nothing is certain, although no identification is missing since.
func TestMissedFrameIsNotForgotten(t *testing.T) {
	const wait = 20 * time.Millisecond
	for _, x := range []struct {
		what string
		at   string
		miss int // number of the frame
		talk func(k *talk)
	}{
		{"a request that asks for nothing, then ACKs, then a READ", "B", 4, func(k *talk) {
			k.say('A', ib.SendOnly, 0, asks)
			k.say('B', ib.Ack, 0, counts(1))
			for range 2 {
				k.say('A', ib.SendFirst, 1, nil)
				k.say('A', ib.SendMiddle, 2, nil)
				k.say('A', ib.SendMiddle, 3, nil)
				k.at += wait
			}
			k.say('B', ib.Ack, 3, counts(1))
			k.say('A', ib.SendLast, 4, asks)
			k.say('B', ib.Ack, 4, counts(2))
			k.say('A', ib.ReadRequest, 5, func(s *wire.Spec) { s.VA, s.RKey, s.DMALen = 0x1000, builtKey, 4 })
			k.say('B', ib.ReadResponseOnly, 5, counts(3))
			k.say('A', ib.SendOnly, 6, asks)
			k.say('B', ib.Ack, 6, counts(4))
		}},
		{"a request whose answers wait for it", "B", 3, func(k *talk) {
			k.say('A', ib.SendOnly, 0, asks)
			k.say('B', ib.Ack, 0, counts(1))
			for n := range int32(3) {
				k.say('A', ib.SendOnly, 1+n, asks)
			}
			k.say('B', ib.Ack, 1, counts(2))
			k.say('B', ib.Ack, 2, refuses(2, 0x21))
			for n := range int32(3) {
				k.say('A', ib.SendOnly, 1+n, asks)
			}
			k.say('B', ib.Ack, 1, counts(2))
			k.say('B', ib.Ack, 3, counts(4))
			k.say('A', ib.SendOnly, 4, asks)
			k.say('B', ib.Ack, 4, counts(5))
		}},
		{"a request whose answer was lost", "A", 3, func(k *talk) {
			add := func(s *wire.Spec) { s.AckReq, s.VA, s.RKey = true, 0x1000, builtKey }
			sends := func() {
				k.say('A', ib.SendFirst, 2, nil)
				k.say('A', ib.SendLast, 3, asks)
				k.say('A', ib.FetchAdd, 4, add)
			}
			k.say('A', ib.SendOnly, 0, asks)
			k.say('B', ib.Ack, 0, counts(1))
			k.say('A', ib.FetchAdd, 1, add)
			sends()
			k.say('B', ib.Ack, 3, counts(3))
			k.say('A', ib.FetchAdd, 1, add)
			k.say('B', ib.AtomicAck, 4, counts(4))
			sends()
			k.say('B', ib.AtomicAck, 1, counts(4))
			k.at += wait
			k.say('A', ib.SendFirst, 2, nil)
		}},
	} {
		t.Run(x.what, func(t *testing.T) {
			var k talk
			x.talk(&k)
			list := numberedApart(k.list)
			for _, known := range []bool{false, true} {
				opt := flow.Options{Profile: roce.Spec, At: "10.1.0.1", PMTUBytes: 256}
				if x.at == "B" {
					opt.At = "10.1.0.2"
				}
				if known {
					opt.Sidecar, opt.At = builtSidecar(), x.at
					opt.Sidecar.Recvs = nil
				}
				require.Empty(t, judge(t, list, opt).Violations, "nothing is missing")
				missed := numbered(slices.Delete(slices.Clone(list), x.miss-1, x.miss))
				r := judge(t, missed, opt)
				require.Zero(t, r.Certain, "sidecar %v: %v", known, r.Violations)
				require.NotZero(t, r.Possible, "the case is none any more")
			}
		})
	}
}

// RSP-7: a READ that an earlier duplicate interrupted goes on where it stopped, or does not.
func TestInterruptedReadGoesOn(t *testing.T) {
	for resumed, answers := range map[int32]bool{0: true, 3: true, 4: false} {
		var k talk
		read := func(n, packets int32) {
			k.say('A', ib.ReadRequest, n, func(s *wire.Spec) {
				s.VA, s.RKey, s.DMALen = 0x1000+256*uint64(n), builtKey, 256*uint32(packets)
			})
		}
		respond := func(op ib.Operation, n int32, more func(*wire.Spec)) {
			k.at += time.Microsecond
			s := wire.Spec{Opcode: ib.Join(ib.RC, op), PSN: psn.PSN(builtPSN).Add(n)}
			if more != nil {
				more(&s)
			}
			k.dialog.say('B', k.at, s, make([]byte, 256))
		}
		read(0, 1)
		respond(ib.ReadResponseOnly, 0, counts(1))
		read(1, 5)
		respond(ib.ReadResponseFirst, 1, counts(2))
		respond(ib.ReadResponseMid, 2, nil)
		read(0, 1)
		respond(ib.ReadResponseOnly, 0, counts(2))
		for n := resumed; n != 0 && n < 5; n++ {
			respond(ib.ReadResponseMid, n, nil)
		}
		if resumed != 0 {
			respond(ib.ReadResponseLast, 5, counts(2))
		}
		k.say('A', ib.SendOnly, 6, asks)
		k.say('B', ib.Ack, 6, counts(3))
		opt := flow.Options{Profile: roce.Spec, At: "10.1.0.2", PMTUBytes: 256, Complete: true}
		require.Equal(t, answers, judge(t, k.list, opt).Certain == 0, "resumed at %d", resumed)
	}
}

// The capture has not the last response of one READ. The device asks on: that may be one READ too many, and it is said
// once, not with each READ behind it.
func TestAResponseThatTheCaptureMisses(t *testing.T) {
	var k talk
	n := int32(0)
	for msn := uint32(1); msn <= 40; msn++ {
		k.say('A', ib.ReadRequest, n, func(s *wire.Spec) { s.DMALen, s.AckReq, s.VA, s.RKey = 512, true, 0x1000, builtKey })
		k.say('B', ib.ReadResponseFirst, n, counts(msn))
		if msn != 3 {
			k.at += time.Microsecond
			s := wire.Spec{Opcode: ib.Join(ib.RC, ib.ReadResponseLast), MSN: msn, Syndrome: 31}
			s.PSN = psn.PSN(builtPSN).Add(n + 1)
			k.dialog.say('B', k.at, s, make([]byte, 256))
		}
		n += 2
	}
	s := builtSidecar()
	s.A.MaxRd = 4
	r := judge(t, k.list, flow.Options{Profile: roce.Spec, Sidecar: s, At: "A"})
	require.Zero(t, r.Certain, r.Violations)
	require.EqualValues(t, 1, r.Possible, r.Violations)
	require.EqualValues(t, "REQ-9", r.Violations[0].Rule)
}
