package vectors

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/vectors/scenario"
)

// answerer is a device of another make: it decides as resp_psn_check does, and sends an ACK for every `every` requests
// that were executed, before any other answer of their QP, and when an ACK that was asked for has waited for `patience`
// cycles. fault breaks it.
type answerer struct {
	check    sim.Stage
	every    int
	patience uint64
	fault    string
	waiting  map[uint32]*waitingACK
	order    []uint32 // QPs that wait, in the order in which they began to
	give     func(cycle uint64, r hca.RespAnswerRecord)
}

type waitingACK struct {
	record hca.RespAnswerRecord
	count  int
	owed   bool // one of them was asked for
	since  uint64
}

func (d *answerer) take(cycle uint64, r *sim.Record) {
	q := hca.ParseRespQuery(r.Data)
	out := d.check.Advance(cycle, []sim.Record{*r}, nil)
	v := hca.ParseRespResult(out[0].Data)
	cycle += 7 // another latency
	for _, qpn := range d.order {
		if w := d.waiting[qpn]; w != nil && w.owed && cycle-w.since > d.patience && d.fault != "no timer" {
			d.flush(qpn, cycle)
		}
	}
	answer := hca.RespAnswerRecord{QPN: v.QPN, PSN: v.PSN, MSN: v.MSN, Syndrome: uint8(v.Syndrome), Answer: v.Answer}
	isRC := v.Verdict == roce.RespExecute && q.Op == hca.RespPacket && q.Opcode>>5 == 0
	switch {
	case v.Answer == roce.RespAck || v.Answer == roce.RespNoAnswer && isRC:
		d.acknowledge(cycle, &q, answer)
	case v.Answer != roce.RespNoAnswer:
		d.flush(v.QPN, cycle)
		if d.fault != "no NAK" || v.Answer != roce.RespNak {
			d.give(cycle, answer)
		}
		if d.fault == "READ twice" && v.Answer == roce.RespReadResponses {
			d.give(cycle, answer)
		}
	case q.Op != hca.RespPacket:
		d.flush(v.QPN, cycle)
	}
}

// acknowledge counts a request that was executed, or a duplicate.
func (d *answerer) acknowledge(cycle uint64, q *hca.RespQuery, a hca.RespAnswerRecord) {
	asked := a.Answer == roce.RespAck
	if !asked {
		a.PSN, a.Syndrome, a.Answer = q.PSN, q.Credits, roce.RespAck
	}
	if d.fault == "PSN too far" && asked {
		a.PSN = a.PSN.Add(1)
	}
	w := d.waiting[a.QPN]
	if w == nil {
		w = &waitingACK{}
		d.waiting[a.QPN] = w
		d.order = append(d.order, a.QPN)
	}
	if asked && !w.owed {
		w.owed, w.since = true, cycle
	}
	w.record = a
	if w.count++; w.count >= d.every {
		d.flush(a.QPN, cycle)
	}
}

func (d *answerer) flush(qpn uint32, cycle uint64) {
	if w := d.waiting[qpn]; w != nil {
		d.give(cycle, w.record)
		delete(d.waiting, qpn)
		for i, o := range d.order {
			if o == qpn {
				d.order = append(d.order[:i], d.order[i+1:]...)
				break
			}
		}
	}
}

// judgeAnswerer plays a set into a device and tells what was wrong, and how many ACKs it sent.
func judgeAnswerer(t *testing.T, set *Set, d *answerer) (wrong []string, acks int) {
	t.Helper()
	m, err := set.Match(true)
	require.NoError(t, err)
	defer m.Close()
	stimulus, err := set.Stimulus()
	require.NoError(t, err)
	defer stimulus.Close()
	say := func(line string) { wrong = append(wrong, line) }
	d.check, d.waiting = stageNamed(t, "resp_psn_check").New(nil), map[uint32]*waitingACK{}
	d.give = func(cycle uint64, r hca.RespAnswerRecord) {
		if r.Answer == roce.RespAck {
			acks++
		}
		m.Output(1, cycle, 0, r.Append(nil), say)
	}
	var o sim.Offer
	cycle := uint64(0)
	for ; stimulus.Next(&o) != io.EOF; cycle += 2 {
		require.NoError(t, m.Input(cycle, say))
		r := o.Accepted(cycle, cycle)
		d.take(cycle, &r)
	}
	for len(d.order) > 0 {
		d.flush(d.order[0], cycle+7)
	}
	require.NoError(t, m.End(true, say))
	require.EqualValues(t, len(wrong), m.Wrong())
	return wrong, acks
}

// TestCoalescingDevicesPass: a device that sends an ACK for each request, for 4 or for 16 passes a lenient set, though
// their records differ; a strict set takes only what the model does. What is no choice is found in each of them.
func TestCoalescingDevicesPass(t *testing.T) {
	const records = 20000
	lenient := generate(t, "resp-psn-check", "resp_answers", 1, records, SetOptions{})
	strict := generate(t, "resp-psn-check", "resp_answers", 1, records, SetOptions{Strict: true})
	require.Equal(t, Lenient, lenient.Flavour)
	require.Equal(t, Strict, strict.Flavour)
	require.NoError(t, lenient.Check())
	require.NoError(t, strict.Check())
	var acks []int
	for _, every := range []int{1, 4, 16} {
		wrong, n := judgeAnswerer(t, lenient, &answerer{every: every, patience: 300})
		require.Empty(t, wrong[:min(5, len(wrong))], every)
		acks = append(acks, n)
		wrong, _ = judgeAnswerer(t, strict, &answerer{every: every, patience: 300})
		require.NotEmpty(t, wrong)
		for _, fault := range []string{"no timer", "no NAK", "READ twice", "PSN too far"} {
			if fault == "no timer" && every == 1 {
				continue // none waits
			}
			wrong, _ := judgeAnswerer(t, lenient, &answerer{every: every, patience: 300, fault: fault})
			require.NotEmpty(t, wrong, "%d: %s", every, fault)
			t.Logf("every %d, %s: %d wrong, first: %s", every, fault, len(wrong), wrong[0])
		}
	}
	t.Logf("ACKs sent: %v", acks)
	require.Greater(t, acks[0], acks[1])
	require.Greater(t, acks[1], acks[2])
}

// TestWordsLeaveNoChoice: files that cannot say "may" are not written for a set that needs the word.
func TestWordsLeaveNoChoice(t *testing.T) {
	s, err := scenario.Lookup("resp-psn-check")
	require.NoError(t, err)
	for _, o := range []SetOptions{{ReadmemhBits: 64}, {CHeader: true}} {
		_, err := GenerateSet(t.TempDir()+"/set", s, stageNamed(t, "resp_answers"), 1, 10, o)
		require.ErrorContains(t, err, "this set leaves a choice (--strict)")
		o.Strict = true
		_, err = GenerateSet(t.TempDir()+"/set", s, stageNamed(t, "resp_answers"), 1, 10, o)
		require.NoError(t, err)
	}
}
