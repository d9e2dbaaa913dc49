package vectors

import (
	"bytes"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
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

// played is what a device did with a set: what was wrong, how many ACKs it sent, and a recording for the judge in C.
type played struct {
	wrong     []string
	acks      int
	recording bytes.Buffer
}

// judgeAnswerer plays a set into a device.
func judgeAnswerer(t *testing.T, set *Set, d *answerer) *played {
	t.Helper()
	p := &played{}
	m, err := set.Match(true)
	require.NoError(t, err)
	defer m.Close()
	stimulus, err := set.Stimulus()
	require.NoError(t, err)
	defer stimulus.Close()
	say := func(line string) { p.wrong = append(p.wrong, line) }
	d.check, d.waiting = stageNamed(t, "resp_psn_check").New(nil), map[uint32]*waitingACK{}
	d.give = func(cycle uint64, r hca.RespAnswerRecord) {
		if r.Answer == roce.RespAck {
			p.acks++
		}
		data := r.Append(nil)
		fmt.Fprintf(&p.recording, "o %d 0 %x\n", cycle, data)
		m.Output(1, cycle, 0, data, say)
	}
	var o sim.Offer
	cycle := uint64(0)
	for ; stimulus.Next(&o) != io.EOF; cycle += 2 {
		require.NoError(t, m.Input(0, cycle, say))
		fmt.Fprintf(&p.recording, "i %d 0\n", cycle)
		r := o.Accepted(cycle, cycle)
		d.take(cycle, &r)
	}
	for len(d.order) > 0 {
		d.flush(d.order[0], cycle+7)
	}
	require.NoError(t, m.End(true, say))
	require.EqualValues(t, len(p.wrong), m.Wrong())
	return p
}

// judgeInC builds the judge of a set's C headers; it takes a recording and gives how much was wrong.
func judgeInC(t *testing.T, set *Set) func(recording []byte) int {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Log("no gcc: the headers are not tried")
		return nil
	}
	program := filepath.Join(t.TempDir(), "judge")
	out, err := exec.CommandContext(t.Context(), "gcc", "-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic",
		"-I", set.Dir, "-DPORT="+set.Ports[len(set.Ports)-1].Name, "-o", program,
		filepath.Join("testdata", "judge.c")).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return func(recording []byte) (wrong int) {
		cmd := exec.CommandContext(t.Context(), program)
		cmd.Stdin = bytes.NewReader(recording)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		_, err = fmt.Sscan(string(out), &wrong)
		require.NoError(t, err)
		return wrong
	}
}

// TestCoalescingDevicesPass: a device that sends an ACK for each request, for 4 or for 16 passes a lenient set, though
// their records differ; a strict set takes only what the model does. What is no choice is found in each of them. The
// judge in C, which has the headers of the set only, says the same of each.
func TestCoalescingDevicesPass(t *testing.T) {
	const records = 20000
	lenient := generate(t, "resp-psn-check", "resp_answers", 1, records, SetOptions{CHeader: true})
	strict := generate(t, "resp-psn-check", "resp_answers", 1, records, SetOptions{Strict: true})
	require.Equal(t, Lenient, lenient.Flavour)
	require.Equal(t, Strict, strict.Flavour)
	require.NoError(t, lenient.Check())
	require.NoError(t, strict.Check())
	inC := judgeInC(t, lenient)
	var acks []int
	for _, every := range []int{1, 4, 16} {
		for _, fault := range []string{"", "no timer", "no NAK", "READ twice", "PSN too far"} {
			if fault == "no timer" && every == 1 {
				continue // none waits
			}
			p := judgeAnswerer(t, lenient, &answerer{every: every, patience: 300, fault: fault})
			require.Equal(t, fault == "", len(p.wrong) == 0, "%d %s: %v", every, fault, p.wrong[:min(5, len(p.wrong))])
			if inC != nil {
				require.Equal(t, len(p.wrong), inC(p.recording.Bytes()), "%d %s", every, fault)
			}
			if fault == "" {
				acks = append(acks, p.acks)
			} else {
				t.Logf("every %d, %s: %d wrong, first: %s", every, fault, len(p.wrong), p.wrong[0])
			}
		}
		require.NotEmpty(t, judgeAnswerer(t, strict, &answerer{every: every, patience: 300}).wrong)
	}
	t.Logf("ACKs sent: %v", acks)
	require.Greater(t, acks[0], acks[1])
	require.Greater(t, acks[1], acks[2])
}

// TestNeedsBesideWords: the files of needs have a line for each word, and say what the records of the set say.
func TestNeedsBesideWords(t *testing.T) {
	set := generate(t, "resp-psn-check", "resp_answers", 1, 500, SetOptions{ReadmemhBits: 64, CHeader: true})
	for _, name := range []string{"m_ans.need.memh", "m_ans.need.h"} {
		require.Equal(t, set.ExpectRecords, set.Files[name].Records, name)
	}
	require.Equal(t, set.Files["m_ans.memh"].Lines, set.Files["m_ans.need.memh"].Lines)
	words := strings.Split(strings.TrimSpace(string(fileOf(t, set, "m_ans.need.memh"))), "\n")[1:]
	array := strings.Split(strings.TrimSpace(string(fileOf(t, set, "m_ans.need.h"))), "\n")[3:]
	expected, err := set.Expected()
	require.NoError(t, err)
	defer expected.Close()
	for i, word := range words {
		var r sim.Record
		require.NoError(t, expected.Next(&r))
		by := expected.By()
		require.Equal(t, fmt.Sprintf("%x_%08x_%08x_%08x_%08x", int(r.Need), by, r.Cause, r.Key, r.Group), word)
		require.Equal(t, fmt.Sprintf("{%d,%d,%d,%d,%d,0},", r.Need, r.Cause, r.Key, r.Group, by), array[i])
	}
}

// TestADeadlineThatDoesNotFit: a slack beyond 32 bits is as long as a word can say, not what is left of it.
func TestADeadlineThatDoesNotFit(t *testing.T) {
	slack := uint64(1<<32 + 5)
	set := generate(t, "resp-psn-check", "resp_answers", 1, 500,
		SetOptions{ReadmemhBits: 64, CHeader: true, Slack: &slack})
	words := strings.Split(strings.TrimSpace(string(fileOf(t, set, "m_ans.need.memh"))), "\n")[1:]
	require.NotEmpty(t, words)
	timed := 0
	for _, word := range words {
		by := strings.Split(word, "_")[1]
		require.Contains(t, []string{"00000000", "ffffffff"}, by)
		if by == "ffffffff" {
			timed++
		}
	}
	require.NotZero(t, timed)
}

// TestALateRecordIsWrongOnce: what comes a cycle behind its deadline is wrong when that passes, and not again when it
// comes. What comes twice is. The judge in C says the same.
func TestALateRecordIsWrongOnce(t *testing.T) {
	set := generate(t, "resp-psn-check", "resp_answers", 1, 500, SetOptions{CHeader: true})
	inC := judgeInC(t, set)
	for _, c := range []struct{ late, times, wrong int }{{0, 1, 0}, {1, 1, 1}, {1, 2, 2}} {
		said, recording := judgeLate(t, set, uint64(c.late), c.times)
		require.Len(t, said, c.wrong, "%v", said)
		if c.wrong > 0 {
			require.Contains(t, said[0], "had to come by cycle")
		}
		if c.wrong > 1 {
			require.Contains(t, said[1], "not due")
		}
		if inC != nil {
			require.Equal(t, c.wrong, inC(recording))
		}
	}
}

// judgeLate plays a set to a device that gives its first must so many cycles behind its deadline, so many times, and
// all else at once.
func judgeLate(t *testing.T, set *Set, late uint64, times int) (said []string, recording []byte) {
	m, err := set.Match(true)
	require.NoError(t, err)
	defer m.Close()
	expected, err := set.Expected()
	require.NoError(t, err)
	defer expected.Close()
	say := func(line string) { said = append(said, line) }
	give := func(cycle uint64, data []byte) {
		m.Output(1, cycle, 0, data, say)
		recording = fmt.Appendf(recording, "o %d 0 %x\n", cycle, data)
	}
	went, found, due := uint64(0), false, uint64(0)
	take := func() {
		require.NoError(t, m.Input(0, went, say))
		recording = fmt.Appendf(recording, "i %d 0\n", went)
		went++
	}
	var held []byte
	var key uint32
	var behind [][]byte // of the same key: they wait for it
	for r := (sim.Record{}); expected.Next(&r) == nil; {
		for went <= r.Cause {
			take()
		}
		switch {
		case !found && r.Need == sim.Must && expected.By() != 0:
			found, due, key, held = true, went-1+expected.By()+late, r.Key, bytes.Clone(r.Data)
		case found && r.Key == key:
			behind = append(behind, bytes.Clone(r.Data))
		default:
			give(went-1, r.Data)
		}
	}
	for went < set.StimulusRecords {
		take()
	}
	require.True(t, found && went < due)
	for range times {
		give(due, held)
	}
	for _, data := range behind {
		give(due, data)
	}
	require.NoError(t, m.End(true, say))
	return said, recording
}
