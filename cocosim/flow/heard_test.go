package flow_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/flow"
	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// A sidecar with one value that is not the connection's, where both ends agree on another: the value is named once, and
// no device is accused.
func TestWrongSidecarIsNamed(t *testing.T) {
	const other = 0x4D
	captures := filepath.Dir(captureFiles(t)[0])
	for _, x := range []struct {
		capture, names string
		wrong          func(s *flow.Sidecar)
	}{
		{"rc_send_sizes", "path_mtu is 256", func(s *flow.Sidecar) { s.PathMTU = 256 }},
		{"rc_send_sizes", "path_mtu is 4096", func(s *flow.Sidecar) { s.PathMTU = 4096 }},
		{"rc_read_sizes", "path_mtu is 256", func(s *flow.Sidecar) { s.PathMTU = 256 }},
		{"rc_read_sizes", "path_mtu is 4096", func(s *flow.Sidecar) { s.PathMTU = 4096 }},
		{"rc_send_sizes", "A.sq_psn is 000005h", func(s *flow.Sidecar) { s.A.SQPSN = 5 }},
		{"rc_send_sizes", "A.sq_psn is 001004h", func(s *flow.Sidecar) { s.A.SQPSN += 4 }},
		{"rc_send_sizes", "B.rq_psn is 000005h", func(s *flow.Sidecar) { s.B.RQPSN = 5 }},
		{"rc_send_sizes", "B.rq_psn is 001004h", func(s *flow.Sidecar) { s.B.RQPSN += 4 }},
		{"rc_read_sizes", "A.sq_psn is 000005h", func(s *flow.Sidecar) { s.A.SQPSN = 5 }},
		{"rc_read_sizes", "B.rq_psn is 000005h", func(s *flow.Sidecar) { s.B.RQPSN = 5 }},
		{"rc_atomics", "B.rq_psn is 000005h", func(s *flow.Sidecar) { s.B.RQPSN = 5 }},
		{"rc_send_sizes", "B.qpn is 00004Dh", func(s *flow.Sidecar) { s.B.QPN = other }},
		{"rc_send_sizes", "A.qpn is 00004Dh", func(s *flow.Sidecar) { s.A.QPN = other }},
		{"rc_send_sizes", "A.dest_qpn is 00004Dh", func(s *flow.Sidecar) { s.A.DestQPN = other }},
		{"rc_read_sizes", "B.qpn is 00004Dh", func(s *flow.Sidecar) { s.B.QPN = other }},
		{"rc_send_sizes", "qp_type is UC", func(s *flow.Sidecar) { s.QPType = "UC" }},
		{"rc_send_sizes", "qp_type is UD", func(s *flow.Sidecar) { s.QPType = "UD" }},
		{"uc_clean", "qp_type is RC", func(s *flow.Sidecar) { s.QPType = "RC" }},
		{"ud_clean", "qp_type is RC", func(s *flow.Sidecar) { s.QPType = "RC" }},
	} {
		for _, side := range []string{"a", "b"} {
			what := fmt.Sprintf("%s.%s: %s", x.capture, side, x.names)
			path := filepath.Join(captures, x.capture+"."+side+".pcap")
			opt := options(t, path, roce.Rxe, false)
			x.wrong(opt.Sidecar)
			r := judge(t, frames(t, path), opt)
			require.Empty(t, r.Violations, what)
			require.Len(t, r.Configuration, 1, what)
			require.Contains(t, r.Configuration[0], x.names, what)
			require.Empty(t, r.Doubts, what)
			require.NotZero(t, r.Judged, what)
		}
	}
}

// Nothing is said of the configuration of a capture with its own sidecar.
func TestRightSidecarIsNotDoubted(t *testing.T) {
	for _, path := range captureFiles(t) {
		require.Empty(t, judge(t, frames(t, path), options(t, path, roce.Rxe, false)).Configuration, path)
	}
}

// A sidecar of one of two connections between the hosts is held against nothing that the other does.
func TestSidecarOfOneOfTwo(t *testing.T) {
	var k talk
	for n := range int32(4) {
		k.sized('A', ib.SendOnly, n-0x1000, 512)
		k.say('B', ib.Ack, n-0x1000, counts(uint32(n)+1))
	}
	k.list = rewritten(k.list, everyFrame, func(w *wire.Packet) { w.BTH()[7] ^= 0x40 })
	for n := range int32(4) {
		k.say('A', ib.SendOnly, n, asks)
		k.say('B', ib.Ack, n, counts(uint32(n)+1))
	}
	for _, at := range []string{"A", "B"} {
		opt := flow.Options{Profile: roce.Spec, Sidecar: builtSidecar(), At: at, Complete: true,
			Scan: flow.ScanFrames(k.list)}
		opt.Sidecar.Recvs = nil
		require.Empty(t, judge(t, k.list, opt).Configuration, at)
	}
}

// Where the peer does not take what is sent the configuration is not in doubt: the device is accused.
func TestRefusedIsNoWrongSidecar(t *testing.T) {
	sends := func(k *talk, from int32, answer func(n int32)) {
		for n := from; n < from+3; n++ {
			k.say('A', ib.SendOnly, n, asks)
			answer(n)
		}
	}
	for _, x := range []struct {
		what string
		rule roce.Rule
		talk func(k *talk)
	}{
		{"a start PSN that the peer asks to be lower", "PSN-4", func(k *talk) {
			sends(k, 7, func(n int32) {
				if n == 7 {
					k.say('B', ib.Ack, 0, refuses(0, ib.NAKSequence))
				}
			})
		}},
		{"a start PSN of which nothing comes back", "PSN-4", func(k *talk) { sends(k, 7, func(int32) {}) }},
		{"requests that the capture misses: messages were counted before", "PSN-4", func(k *talk) {
			sends(k, 7, func(n int32) { k.say('B', ib.Ack, n, counts(uint32(n)+1)) })
		}},
		{"one packet of another size", "LEN-1", func(k *talk) {
			k.say('A', ib.SendFirst, 0, nil)
			k.say('A', ib.SendLast, 1, asks)
			k.say('B', ib.Ack, 1, counts(1))
			k.sized('A', ib.SendFirst, 2, 512)
			k.say('A', ib.SendLast, 3, asks)
			k.say('B', ib.Ack, 3, counts(2))
		}},
		{"packets of another size, refused", "LEN-1", func(k *talk) {
			k.sized('A', ib.SendFirst, 0, 512)
			k.sized('A', ib.SendMiddle, 1, 512)
			k.say('A', ib.SendLast, 2, asks)
			k.say('B', ib.Ack, 0, refuses(0, ib.NAKInvalidRequest))
		}},
		{"one packet to another queue pair", "RSP-14", func(k *talk) {
			k.say('A', ib.SendOnly, 0, asks)
			k.say('B', ib.Ack, 0, counts(1))
			k.say('A', ib.SendOnly, 1, asks)
			k.list = rewritten(k.list, func(f *vectors.Frame) bool { return f.Number == 3 },
				func(w *wire.Packet) { w.BTH()[7] ^= 0x40 })
		}},
	} {
		var k talk
		x.talk(&k)
		r := judge(t, k.list, flow.Options{Profile: roce.Spec, Sidecar: builtSidecar(), At: "A", Complete: true,
			Scan: flow.ScanFrames(k.list)})
		require.Empty(t, r.Configuration, x.what)
		require.NotZero(t, r.Certain, x.what)
		require.Equal(t, x.rule, r.Violations[0].Rule, "%s: %v", x.what, r.Violations)
	}
}

// Messages longer than the configured PMTU that are all sent whole, and taken: how long a packet may be nobody knows
// then, and nothing that rests on it is certain.
func TestWholeMessagesBeyondTheConfiguredPMTU(t *testing.T) {
	for _, at := range []string{"A", "B"} {
		var k talk
		for n := range int32(4) {
			k.sized('A', ib.SendOnly, n, 1000)
			k.say('B', ib.Ack, n, counts(uint32(n)+1))
		}
		opt := flow.Options{Profile: roce.Spec, Sidecar: builtSidecar(), At: at, Complete: true,
			Scan: flow.ScanFrames(k.list)}
		opt.Sidecar.Recvs = nil
		r := judge(t, k.list, opt)
		require.Zero(t, r.Certain, "%v", r.Violations)
		require.Len(t, r.Configuration, 1)
		require.Contains(t, r.Configuration[0], "path_mtu is 256")
	}
}

// sized adds a packet with a payload of so many bytes, which asks for an ACK.
func (k *talk) sized(from byte, op ib.Operation, n int32, bytes int) {
	s := wire.Spec{Opcode: ib.Join(ib.RC, op), PSN: builtPSN + 0, AckReq: true}
	s.PSN = s.PSN.Add(n)
	k.at += 1000
	k.dialog.say(from, k.at, s, make([]byte, bytes))
}
