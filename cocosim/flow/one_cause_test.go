package flow_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/flow"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
)

// said is a packet of a built capture: from A or B, n behind the first PSN.
type said struct {
	from    byte
	op      ib.Operation
	n       int32
	payload int
	more    func(*wire.Spec)
}

func dmaLen(n uint32) func(*wire.Spec) { return func(s *wire.Spec) { s.DMALen = n } }
func msn(n uint32) func(*wire.Spec)    { return func(s *wire.Spec) { s.MSN = n } }
func aeth(x ib.Syndrome, n uint32) func(*wire.Spec) {
	return func(s *wire.Spec) { s.Syndrome, s.MSN = x, n }
}
func solicits(s *wire.Spec) { s.SE, s.AckReq = true, false }
func inside(s *wire.Spec)   { s.AckReq = false }

// oneCause are captures in which one packet is wrong, and others rest on it; found has that packet and its rule. An
// empty one is a pause that the transport timer runs out in.
var oneCause = []struct {
	what, at, found string
	list            []said
}{
	{"a READ with a payload", "A", "1 OPC-2", []said{{'A', ib.ReadRequest, 0, 4, dmaLen(8)}}},
	{"a First with a solicited event", "A", "1 REQ-11", []said{{'A', ib.SendFirst, 0, 256, solicits},
		{'A', ib.SendLast, 1, 8, nil}}},
	{"a Middle that is short", "A", "2 LEN-1", []said{{'A', ib.SendFirst, 0, 256, inside},
		{'A', ib.SendMiddle, 1, 252, inside}, {'A', ib.SendLast, 2, 8, nil}}},
	{"a PSN of a READ for something else", "A", "5 PSN-4", []said{{'A', ib.ReadRequest, 0, 0, dmaLen(768)},
		{'B', ib.ReadResponseFirst, 0, 256, msn(1)}, {'B', ib.ReadResponseMid, 1, 256, nil},
		{'B', ib.ReadResponseLast, 2, 256, msn(1)}, {'A', ib.SendOnly, 1, 8, nil}, {'A', ib.SendOnly, 2, 8, nil},
		{'A', ib.SendOnly, 3, 8, nil}}},
	{"a READ of nothing that takes no PSN", "A", "3 PSN-4", []said{{'A', ib.ReadRequest, 0, 0, dmaLen(0)},
		{'B', ib.ReadResponseOnly, 0, 0, msn(1)}, {'A', ib.SendOnly, 0, 8, nil}, {}, {'A', ib.SendOnly, 0, 8, nil}, {},
		{'A', ib.SendOnly, 0, 8, nil}, {'B', ib.Ack, 0, 0, aeth(0, 1)}, {'A', ib.SendOnly, 1, 8, nil},
		{'B', ib.Ack, 1, 0, aeth(0, 2)}}},
	{"another request in place of a READ", "A", "2 REQ-5", []said{{'A', ib.ReadRequest, 0, 0, dmaLen(8)}, {},
		{'A', ib.SendOnly, 0, 8, nil}, {}, {'A', ib.SendOnly, 0, 8, nil}, {'B', ib.Ack, 0, 0, aeth(0, 1)}}},
	{"a READ that is longer the second time", "A", "2 REQ-7", []said{{'A', ib.ReadRequest, 0, 0, dmaLen(512)}, {},
		{'A', ib.ReadRequest, 0, 0, dmaLen(768)}, {'B', ib.ReadResponseFirst, 0, 256, msn(1)},
		{'B', ib.ReadResponseMid, 1, 256, nil}, {'B', ib.ReadResponseLast, 2, 256, msn(1)},
		{'A', ib.SendOnly, 3, 8, nil}}},
	{"a new request within a retry", "A", "7 REQ-5", []said{{'A', ib.SendOnly, 0, 8, nil}, {'A', ib.SendOnly, 1, 8, nil},
		{'A', ib.SendOnly, 2, 8, nil}, {'A', ib.SendOnly, 3, 8, nil}, {'B', ib.Ack, 1, 0, aeth(ib.NAKSequence, 1)},
		{'A', ib.SendOnly, 1, 8, nil}, {'A', ib.SendOnly, 4, 8, nil}, {'A', ib.SendOnly, 2, 8, nil},
		{'A', ib.SendOnly, 3, 8, nil}, {'A', ib.SendOnly, 4, 8, nil}, {'B', ib.Ack, 4, 0, aeth(0, 5)},
		{'A', ib.SendOnly, 5, 8, nil}}},
	{"a request that ends within its headers", "A", "2 OPC-2", []said{{'A', ib.SendOnly, 0, 8, nil},
		{'A', cutRead, 1, 0, nil}, {'A', ib.SendOnly, 2, 8, nil}}},
	{"an ACK before a READ's response", "B", "3 RSP-13", []said{{'A', ib.ReadRequest, 0, 0, dmaLen(8)},
		{'A', ib.SendOnly, 1, 8, nil}, {'B', ib.Ack, 1, 0, aeth(0, 2)}, {'B', ib.ReadResponseOnly, 0, 8, msn(1)},
		{'A', ib.SendOnly, 2, 8, nil}, {'B', ib.Ack, 2, 0, aeth(0, 3)}}},
	{"a READ that is answered beyond its end", "B", "2 RSP-7", []said{{'A', ib.ReadRequest, 0, 0, dmaLen(256)},
		{'B', ib.ReadResponseFirst, 0, 256, msn(1)}, {'B', ib.ReadResponseLast, 1, 4, msn(1)},
		{'A', ib.SendOnly, 1, 8, nil}, {'B', ib.Ack, 1, 0, aeth(0, 2)}}},
	{"one PSN too high, and others come under it", "A", "3 PSN-4", []said{{'A', ib.SendOnly, 0, 8, nil},
		{'B', ib.Ack, 0, 0, aeth(0, 1)}, {'A', ib.SendOnly, 3, 8, nil}, {'A', ib.SendOnly, 1, 8, nil},
		{'B', ib.Ack, 1, 0, aeth(0, 2)}, {'A', ib.SendOnly, 2, 8, nil}, {'B', ib.Ack, 2, 0, aeth(0, 3)},
		{'A', ib.SendOnly, 3, 16, nil}, {'B', ib.Ack, 3, 0, aeth(0, 4)}, {'A', ib.SendOnly, 4, 8, nil},
		{'B', ib.Ack, 4, 0, aeth(0, 5)}}},
	{"an ACK of what is sent right behind it", "B", "3 RSP-13", []said{{'A', ib.SendOnly, 0, 8, nil},
		{'B', ib.Ack, 0, 0, aeth(0, 1)}, {'B', ib.Ack, 1, 0, aeth(0, 2)}, {'A', ib.SendOnly, 1, 8, nil},
		{'A', ib.SendOnly, 2, 8, nil}, {'B', ib.Ack, 2, 0, aeth(0, 3)}}},
	{"the answer to an atomic ends within its headers", "B", "4 OPC-2", []said{{'A', ib.SendOnly, 0, 8, nil},
		{'B', ib.Ack, 0, 0, aeth(0, 1)}, {'A', ib.FetchAdd, 1, 0, nil}, {'B', cutAtomicAck, 1, 0, msn(2)},
		{'A', ib.SendOnly, 2, 8, nil}, {'B', ib.Ack, 2, 0, aeth(0, 3)}}},
	{"an atomic that is refused as if it were answered", "B", "4 OPC-2", []said{{'A', ib.SendOnly, 0, 8, nil},
		{'B', ib.Ack, 0, 0, aeth(0, 1)}, {'A', ib.FetchAdd, 1, 0, nil},
		{'B', ib.AtomicAck, 1, 0, aeth(ib.NAKRemoteAccess, 1)}}},
	{"an atomic that is refused so and done", "B", "4 OPC-2", []said{{'A', ib.SendOnly, 0, 8, nil},
		{'B', ib.Ack, 0, 0, aeth(0, 1)}, {'A', ib.FetchAdd, 1, 0, nil},
		{'B', ib.AtomicAck, 1, 0, aeth(ib.NAKRemoteAccess, 2)}, {'A', ib.SendOnly, 2, 8, nil},
		{'B', ib.Ack, 2, 0, aeth(0, 3)}}},
	{"a READ that is refused as if it were answered", "B", "2 OPC-2", []said{{'A', ib.ReadRequest, 0, 0, dmaLen(8)},
		{'B', ib.ReadResponseOnly, 0, 0, aeth(ib.NAKRemoteAccess, 0)}}},
	{"an atomic that is told to wait so, and comes again", "B", "2 OPC-2", []said{{'A', ib.FetchAdd, 0, 0, nil},
		{'B', ib.AtomicAck, 0, 0, aeth(0x21, 0)}, {}, {'A', ib.FetchAdd, 0, 0, nil}, {'B', ib.AtomicAck, 0, 0, msn(1)},
		{'A', ib.SendOnly, 1, 8, nil}, {'B', ib.Ack, 1, 0, aeth(0, 2)}}},
}

// What is sent in place of a READ or of the answer to an atomic, and gets its opcode then.
const cutRead, cutAtomicAck ib.Operation = 0xFE, 0xFF

// TestOneCause: one wrong packet is one finding, with what rests on it and by whatever it is seen.
func TestOneCause(t *testing.T) {
	for _, c := range oneCause {
		t.Run(c.what, func(t *testing.T) {
			var d dialog
			at := time.Duration(0)
			for _, x := range c.list {
				if at += 10 * time.Microsecond; x.from == 0 {
					at += 20 * time.Millisecond
					continue
				}
				d.sayIt(at, x)
			}
			opt := flow.Options{Profile: roce.Spec, Sidecar: builtSidecar(), At: c.at, Complete: true}
			opt.Sidecar.Recvs = nil
			r := judge(t, d.list, opt)
			require.Len(t, r.Violations, 1, "%v", r.Violations)
			require.Equal(t, c.found, fmt.Sprint(r.Violations[0].Packet, " ", r.Violations[0].Rule))
			require.True(t, r.Violations[0].Certain())
		})
	}
}

// sayIt adds a packet, with what a right one of its kind has.
func (d *dialog) sayIt(at time.Duration, x said) {
	op, as := x.op, x.op
	switch x.op {
	case cutRead:
		op, as = ib.SendOnly, ib.ReadRequest
	case cutAtomicAck:
		op, as = ib.Ack, ib.AtomicAck
	}
	s := wire.Spec{Opcode: ib.Join(ib.RC, op), PSN: psn.PSN(builtPSN).Add(x.n), AckReq: x.from == 'A'}
	switch x.op {
	case ib.ReadRequest, ib.FetchAdd:
		s.VA, s.RKey = 0x1000, builtKey
	}
	if x.more != nil {
		x.more(&s)
	}
	d.say(x.from, at, s, make([]byte, x.payload))
	if op != as {
		d.list = edit(d.list, len(d.list)-1, func(w *wire.Packet) { w.BTH()[0] = byte(as) })
	}
}

// TestWithoutRecvs: the report says that keys and receive WQEs were not looked at where requests came to an end and
// the sidecar does not list what that had posted.
func TestWithoutRecvs(t *testing.T) {
	for _, c := range []struct {
		at    string
		recvs []flow.Recv
		said  bool
	}{{"B", nil, true}, {"B", []flow.Recv{}, false}, {"A", nil, false}} {
		var d dialog
		d.sayIt(0, said{'A', ib.ReadRequest, 0, 0, dmaLen(8)})
		d.sayIt(time.Microsecond, said{'B', ib.ReadResponseOnly, 0, 8, msn(1)})
		opt := flow.Options{Profile: roce.Spec, Sidecar: builtSidecar(), At: c.at, Complete: true}
		opt.Sidecar.Recvs, opt.Sidecar.B.Access = c.recvs, 15
		r := judge(t, d.list, opt)
		require.Zero(t, r.Certain, "%v", r.Violations)
		require.Equal(t, c.said, strings.Contains(strings.Join(r.NotJudged, ";"), "no Recvs"), "%+v: %v", c, r.NotJudged)
	}
}
