package roce_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// Every response of the kernel's responder, from what reached it: opcode, PSN, syndrome, MSN, payload, in order. And
// the receive completions, and the state at the end. RSP-1, RSP-2, RSP-3, RSP-4, RSP-5, RSP-7, RSP-8, RSP-9, RSP-10,
// RSP-11.
func TestResponderAgainstTheKernel(t *testing.T) {
	var page strings.Builder
	w := tabwriter.NewWriter(&page, 0, 0, 2, ' ', 0)
	all, good := 0, 0
	eachCapture(t, func(t *testing.T, s *sidecar, side string, events []event) {
		k := newKernelResponder(s, side)
		n, total := k.run(t, events)
		all, good = all+total, good+n
		if total > 0 {
			fmt.Fprintf(w, "%s.%s\t%d of %d\n", s.Name, side, n, total)
		}
		k.checkEnd(t)
	})
	w.Flush()
	t.Logf("responses predicted:\n%s\nin all %d of %d", page.String(), good, all)
	require.Equal(t, all, good)
	require.NotZero(t, all)
}

// kernelResponder is the machine with a peer's memory and receive queue.
type kernelResponder struct {
	s       *sidecar
	side    string
	machine roce.Responder
	mem     memory
	posted  int
	out     roce.Batch
	done    []roce.Effect // receive completions
	// flushedByRequester: the QP's other half went to error and took this one with it.
	flushedByRequester bool
}

func newKernelResponder(s *sidecar, side string) *kernelResponder {
	k := &kernelResponder{s: s, side: side, mem: memoryOf(s, side)}
	k.machine = roce.NewResponder(responderOf(s, side, roce.Rxe))
	k.machine.State = stateOf(s.end(side))
	return k
}

// post gives the machine what was posted before a time. The queue of the machine is smaller than some tests' list.
func (k *kernelResponder) post(timeNS int64) {
	for ; k.posted < len(k.s.Recvs); k.posted++ {
		r := k.s.Recvs[k.posted]
		if r.Side != k.side {
			continue
		}
		if r.PostNS > timeNS || !k.machine.PostReceive(roce.Receive{ID: uint64(k.posted), Len: r.Len}) {
			return
		}
	}
}

// take steps the machine and returns the responses that follow.
func (k *kernelResponder) take(e *event) (sent []roce.Effect, payload [][]byte) {
	k.post(e.timeNS)
	k.out = k.out[:0]
	k.machine.Step(&e.packet, &k.out)
	for i := 0; i < len(k.out) || k.machine.Next(&k.out); i++ {
		switch f := &k.out[i]; f.Kind {
		case roce.SendResponse:
			sent, payload = append(sent, *f), append(payload, k.mem.read(f.VA, f.Len))
		case roce.WriteMemory:
			k.mem.write(f.VA, e.payload)
		case roce.AtomicMemory:
			k.machine.Result(f.Slot, k.mem.atomic(&f.Packet))
		case roce.Complete:
			k.done = append(k.done, *f)
		}
	}
	return sent, payload
}

func (k *kernelResponder) run(t *testing.T, events []event) (good, total int) {
	var want []roce.Effect
	var data [][]byte
	for i := range events {
		e := &events[i]
		info := ib.Lookup(e.packet.Op)
		if !e.sent {
			if !info.Response {
				sent, payload := k.take(e)
				want, data = append(want, sent...), append(data, payload...)
			}
			continue
		}
		if !info.Response {
			continue
		}
		total++
		if len(want) == 0 {
			t.Errorf("%s.%s frame %d: %s PSN %06x %v not predicted", k.s.Name, k.side, e.number, info.Name, uint32(e.packet.PSN),
				e.packet.Syndrome)
			continue
		}
		g := want[0].Packet
		if g == e.packet && bytes.Equal(data[0], e.payload) {
			good++
		} else {
			t.Errorf("%s.%s frame %d: sent %+v, predicted %+v, payload equal %v", k.s.Name, k.side, e.number, e.packet, g,
				bytes.Equal(data[0], e.payload))
		}
		want, data = want[1:], data[1:]
	}
	for _, x := range want {
		t.Errorf("%s.%s: predicted and not sent: %+v", k.s.Name, k.side, x.Packet)
	}
	return good, total
}

// checkEnd holds the receive completions and the QP's state against the sidecar.
func (k *kernelResponder) checkEnd(t *testing.T) {
	var want, got []string
	for i, r := range k.s.Recvs {
		switch {
		case r.Side != k.side || r.Status < 0:
		case r.Status == 0:
			want = append(want, fmt.Sprint(i, " success ", r.ByteLen))
		case r.Status == 5:
			want = append(want, fmt.Sprint(i, " flushed"))
		default:
			want = append(want, fmt.Sprint(i, " error"))
		}
	}
	for _, e := range k.done {
		switch e.Status {
		case roce.Success:
			got = append(got, fmt.Sprint(e.ID, " success ", e.Len))
		case roce.Flushed:
			got = append(got, fmt.Sprint(e.ID, " flushed"))
		default:
			got = append(got, fmt.Sprint(e.ID, " error"))
		}
	}
	if k.s.end(k.side).FinalState == "ERR" && k.machine.State != roce.Error {
		k.flushedByRequester = true // the other half of the QP failed
		got = append(got, want[min(len(got), len(want)):]...)
	}
	require.Equal(t, want, got, "%s.%s", k.s.Name, k.side)
	if !k.flushedByRequester {
		require.Equal(t, k.s.end(k.side).FinalState == "ERR", k.machine.State == roce.Error, "%s.%s", k.s.Name, k.side)
	}
}

// requesterOf is the configuration of a peer's requester.
func requesterOf(s *sidecar, side string, profile roce.Profile) roce.RequesterConfig {
	p, pmtu := s.end(side), s.PathMTU
	if s.QPType == "UD" {
		pmtu = ib.MaxPMTU
	}
	return roce.RequesterConfig{Service: s.service(), Profile: profile, PMTUBytes: pmtu, StartPSN: psn.PSN(p.SQPSN),
		MaxReads: p.MaxRd,
		Timeout:  p.Timeout, RetryCount: p.RetryCnt, RNRRetry: p.RNRRetry}
}

// Every request of the kernel's requester is one that the machine allows, and every one that it sent again has a cause:
// REQ-3, REQ-4, REQ-5, REQ-7, TMR-1, TMR-3, TMR-4, PSN-5, PSN-7.
func TestRequesterAgainstTheKernel(t *testing.T) {
	var page strings.Builder
	w := tabwriter.NewWriter(&page, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "capture\tallowed\tof\tsent again\tby NAK\timplied\tRNR\ttimeout")
	var all [7]int
	eachCapture(t, func(t *testing.T, s *sidecar, side string, events []event) {
		n := followRequester(t, s, side, events, roce.Rxe)
		if n[1] > 0 {
			fmt.Fprintf(w, "%s.%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n", s.Name, side, n[0], n[1], n[2], n[3], n[4], n[5], n[6])
		}
		for i := range n {
			all[i] += n[i]
		}
	})
	w.Flush()
	t.Logf("requests judged:\n%s\nin all %v", page.String(), all)
	require.Equal(t, all[1], all[0])
	require.Equal(t, all[2], all[3]+all[4]+all[5]+all[6])
	require.NotZero(t, all[1])
}

func followRequester(t *testing.T, s *sidecar, side string, events []event, profile roce.Profile) (n [7]int) {
	f := roce.FollowRequester(requesterOf(s, side, profile))
	for i := range events {
		e := &events[i]
		response := ib.Lookup(e.packet.Op).Response
		switch {
		case e.sent && !response:
			v := f.Sent(e.timeNS, &e.packet)
			n[1]++
			if v.Allowed() {
				n[0]++
			} else if n[1]-n[0] < 4 {
				t.Errorf("%s.%s frame %d: %s PSN %06x: %v", s.Name, side, e.number, ib.Lookup(e.packet.Op).Name,
					uint32(e.packet.PSN), v)
			}
			if v.Cause != "" {
				n[2]++
				n[3+map[roce.Rule]int{"REQ-4": 0, "REQ-3": 1, "TMR-4": 2, "TMR-1": 3}[v.Cause]]++
			}
		case !e.sent && response:
			f.Received(e.timeNS, &e.packet)
		}
	}
	return n
}

// agrees is run without a report: whether all that the endpoint answered is what the machine answers, and so its end.
func (k *kernelResponder) agrees(events []event) bool {
	var want []roce.Effect
	var data [][]byte
	for i := range events {
		e := &events[i]
		response := ib.Lookup(e.packet.Op).Response
		switch {
		case !e.sent && !response:
			sent, payload := k.take(e)
			want, data = append(want, sent...), append(data, payload...)
		case e.sent && response:
			if len(want) == 0 || want[0].Packet != e.packet || !bytes.Equal(data[0], e.payload) {
				return false
			}
			want, data = want[1:], data[1:]
		}
	}
	return len(want) == 0 && k.endsAsItDid()
}

// agreesLate is agrees with answers that wait in the machine until the device sent its own, so that what is owed at a
// time counts.
func (k *kernelResponder) agreesLate(events []event) bool {
	for i := range events {
		e := &events[i]
		response := ib.Lookup(e.packet.Op).Response
		switch {
		case !e.sent && !response:
			k.post(e.timeNS)
			k.out = k.out[:0]
			k.machine.Step(&e.packet, &k.out)
			for _, f := range k.out {
				if f.Kind == roce.AtomicMemory {
					k.machine.Result(f.Slot, k.mem.atomic(&f.Packet))
				}
			}
		case e.sent && response:
			k.out = k.out[:0]
			if !k.machine.Next(&k.out) || k.out[0].Packet != e.packet {
				return false
			}
		}
	}
	return !k.machine.Owes()
}

// endsAsItDid compares the receive completions that succeeded, and an error of the responder's.
func (k *kernelResponder) endsAsItDid() bool {
	good := 0
	for _, r := range k.s.Recvs {
		if r.Side == k.side && r.Status == 0 {
			good++
		}
	}
	for _, e := range k.done {
		if e.Status == roce.Success {
			good--
		}
	}
	return good == 0
}
