package flow_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/flow"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
)

// torn is a stream of SENDs of one packet each, with wrong opcodes among them.
type torn struct {
	d       hosts
	service ib.Transport
	at      time.Duration
	p       psn.PSN
	msn     uint32
}

func (x *torn) send(op ib.Operation, n int, text string) {
	x.at += 20 * time.Microsecond
	b := make([]byte, n)
	copy(b, text)
	s := wire.Spec{Opcode: ib.Join(x.service, op), PSN: x.p, AckReq: x.service == ib.RC}
	x.d.say('A', x.at, 0x1100, s, b)
}

// whole is a SEND that is taken; again: it is sent a second time, with other bytes.
func (x *torn) whole(again bool) {
	x.send(ib.SendOnly, 4, "good")
	if again {
		x.at += 70 * time.Millisecond
		x.send(ib.SendOnly, 4, "oops")
	}
	if x.msn++; x.service == ib.RC {
		x.d.say('B', x.at+time.Microsecond, 0x100, wire.Spec{Opcode: ib.Join(ib.RC, ib.Ack), PSN: x.p, Syndrome: 31,
			MSN: x.msn}, nil)
	}
	x.p = x.p.Add(1)
}

func rules(r *flow.Report) (n map[roce.Rule]int) {
	n = map[roce.Rule]int{}
	for _, x := range r.Violations {
		n[x.Rule]++
	}
	return n
}

// A packet that goes on with nothing, and one that begins within a message, cost one finding each: what comes behind
// is judged as if they had not been, whatever the responder makes of them.
func TestBehindATornMessage(t *testing.T) {
	tear := map[string]func(x *torn){
		"a Middle out of nothing": func(x *torn) { x.send(ib.SendMiddle, 1024, ""); x.p = x.p.Add(1) },
		"a message whose First is an Only": func(x *torn) {
			for _, op := range []ib.Operation{ib.SendOnly, ib.SendMiddle, ib.SendMiddle, ib.SendLast} {
				x.send(op, 1024, "")
				x.p = x.p.Add(1)
			}
			x.msn++
		},
		"an Only within a message": func(x *torn) { x.send(ib.SendFirst, 1024, ""); x.p = x.p.Add(1); x.whole(false) },
	}
	for what, once := range tear {
		for _, service := range []ib.Transport{ib.RC, ib.UC} {
			for _, at := range places[:2] {
				x := &torn{service: service, p: 100}
				for range 4 {
					x.whole(false)
				}
				for range 5 {
					once(x)
					x.whole(false)
					x.whole(false)
				}
				want := map[roce.Rule]int{"RSP-1": 5}
				if service == ib.RC {
					x.whole(true)
					x.whole(true)
					want["REQ-5"] = 2
				}
				r := judgeAt(t, x.d.sorted(), at, at != "")
				require.Equal(t, want, rules(r), "%s, %v at %q: %v", what, service, at, r.Violations)
				if at == "" {
					require.GreaterOrEqual(t, r.Certain, uint64(3), "%s, %v: from the third on", what, service)
				}
			}
		}
	}
}
