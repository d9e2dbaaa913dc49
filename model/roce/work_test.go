package roce_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// REQ-5, REQ-7, PSN-4, LEN-1, REQ-11: every request of the kernel, fresh or sent again, is what the requester makes of
// the operations that were posted: opcode, PSN, address, key, lengths, operands, immediate, SE, and the bytes.
func TestRequestsAreTheWorkThatWasPosted(t *testing.T) {
	n := 0
	eachCapture(t, func(t *testing.T, s *sidecar, side string, events []event) {
		asked := requestsOf(s, side)
		for i := range events {
			e := &events[i]
			if !e.sent || ib.Lookup(e.packet.Op).Response {
				continue
			}
			want, ok := asked[e.packet.PSN]
			require.True(t, ok, "%s.%s frame %d: PSN %06x is nobody's", s.Name, side, e.number, uint32(e.packet.PSN))
			got := e.packet
			got.AckReq, got.SrcQP = want.packet.AckReq, 0
			require.Equal(t, want.packet, got, "%s.%s frame %d", s.Name, side, e.number)
			for j, b := range e.payload {
				at := uint64(want.off) + uint64(j)
				require.Equal(t, byte(uint64(want.op)*131+at*7+(at>>8)*13+1), b, "%s.%s frame %d byte %d", s.Name, side, e.number,
					j)
			}
			n++
		}
	})
	t.Log(n, "requests")
	require.NotZero(t, n)
}

type asked struct {
	packet roce.Packet
	op     int
	off    uint32
}

// requestsOf lets the machine send everything that was posted at one side; for a READ also what asks for the rest of
// it.
func requestsOf(s *sidecar, side string) map[psn.PSN]asked {
	cfg := requesterOf(s, side, roce.Spec)
	cfg.MaxReads = 1
	q := roce.NewRequester(&cfg)
	all := map[psn.PSN]asked{}
	var out roce.Batch
	for k, op := range s.Ops {
		if op.Side != side {
			continue
		}
		w := roce.Work{ID: uint64(k), Len: op.Len, VA: op.Remote, RKey: op.RKey, Imm: op.Imm, SwapAdd: number(op.SwapAdd),
			Compare: number(op.Compare),
			WithImm: strings.HasSuffix(op.Op, "_IMM"), Invalidate: op.Op == "SEND_INV", Solicited: strings.Contains(op.Opts,
				"se"), QKey: s.QKey}
		if w.Invalidate {
			w.RKey = op.InvRKey
		}
		w.Verb = map[string]roce.Verb{"SEND": roce.Send, "WRITE": roce.Write, "READ": roce.Read, "CAS": roce.CmpSwap,
			"FAA": roce.FetchAdd}[strings.TrimSuffix(strings.TrimSuffix(op.Op, "_IMM"), "_INV")]
		out = out[:0]
		q.Post(w, &out)
		for q.Next(&out) {
		}
		for _, e := range out {
			if e.Kind == roce.SendRequest {
				all[e.Packet.PSN] = asked{e.Packet, k, e.Off}
				for i := uint32(1); w.Verb == roce.Read && i*s.PathMTU < w.Len; i++ {
					rest := e.Packet
					rest.PSN, rest.VA, rest.DMALen = rest.PSN.Add(int32(i)), rest.VA+uint64(i*s.PathMTU), w.Len-i*s.PathMTU
					all[rest.PSN] = asked{rest, k, 0}
				}
			}
		}
		if !q.Idle() { // answer, so that the next may go
			_, _, high := q.PSNs()
			answer(&q, w, high.Add(-1), s.PathMTU, &out)
		}
	}
	return all
}

// answer lets a peer that has everything answer the one WQE that is left.
func answer(q *roce.Requester, w roce.Work, last psn.PSN, pmtu uint32, out *roce.Batch) {
	una, _, _ := q.PSNs()
	switch {
	case w.Verb.Atomic():
		q.Step(&roce.Packet{Op: 0x12, PSN: last, Syndrome: 31}, out)
	case w.Verb != roce.Read:
		q.Step(&roce.Packet{Op: 0x11, PSN: last, Syndrome: 31}, out)
	default:
		for p := una; ; p = p.Add(1) {
			r := roce.Packet{Op: 0x0E, PSN: p, Len: pmtu, Syndrome: 31}
			switch {
			case p == una && p == last:
				r.Op = 0x10
			case p == una:
				r.Op = 0x0D
			case p == last:
				r.Op = 0x0F
			}
			if p == last {
				r.Len = w.Len - uint32(last.Diff(una))*pmtu
				r.Pad = uint8(-r.Len & 3)
			}
			q.Step(&r, out)
			if p == last {
				return
			}
		}
	}
}
