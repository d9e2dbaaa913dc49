package hca

import (
	"bytes"
	"fmt"

	"hcacosim/model/sim"
)

const (
	// txRemembered is how many of the last frames say whose turn it was.
	txRemembered = 64
	// txPatience is for how many times the length of all that is owed a frame may be held up by one that pauses.
	txPatience = 256
)

// txJudge judges tx_arbiter: each frame that leaves is the oldest one of its input, whole and as it came, and none has
// waited for two of another input (docs/blocks/tx_arbiter.md).
type txJudge struct {
	beatBytes uint64
	userBits  int                    // of an input
	waiting   [TxInputs][]sim.Record // that came and have not left, oldest first
	left      []txLeft               // the last frames that left
	next      int                    // the input behind that of the last one: its turn comes first
	free      uint64                 // the cycle behind the end of the last one
	lastOf    [TxInputs]uint64       // of each input
	latest    uint64                 // the last cycle in which something came or left
	late      []sim.Checked          // what a frame that has come whole says of those that left before it
	spare     [][]byte
}

// txLeft is a frame that left.
type txLeft struct {
	input int
	start uint64
	came  uint64 // the cycle in which its first beat came
	next  int    // the input whose turn came first when it was chosen
}

func (j *txJudge) Input(r *sim.Record) {
	if r.Port >= TxInputs {
		return
	}
	j.wasPassedOver(r)
	f := *r
	var to []byte
	if n := len(j.spare); n > 0 {
		to, j.spare = j.spare[n-1][:0], j.spare[:n-1]
	}
	f.Data = append(to, r.Data...)
	j.waiting[r.Port] = append(j.waiting[r.Port], f)
	j.latest = max(j.latest, r.End)
}

func (j *txJudge) Output(r *sim.Record) (v sim.Checked) {
	input := int(r.User >> j.userBits & (TxInputs - 1))
	q := &j.waiting[input]
	if len(*q) == 0 {
		v.Rule, v.Text, v.Cycle = "EXTRA", fmt.Sprintf("input %d has no frame that has not left", input), r.End
		return v
	}
	want := (*q)[0]
	*q = append((*q)[:0], (*q)[1:]...)
	start, end := txTimes(&want, j.free, j.beatBytes)
	v = sim.Checked{Cycle: start, Input: want.Seq, Known: true}
	switch {
	case !bytes.Equal(want.Data, r.Data):
		v.Rule, v.Text = "DATA", fmt.Sprintf("not the oldest frame of input %d: %d bytes, want %d; differs from byte %d on",
			input, len(r.Data), len(want.Data), firstDifference(want.Data, r.Data))
	case r.User != txUser(sim.Port(input), want.User, j.userBits):
		v.Rule = "DATA"
		v.Text = fmt.Sprintf("sideband %b, want %b", r.User, txUser(sim.Port(input), want.User, j.userBits))
	case r.Start < start || r.End < end:
		v.Rule, v.Text = "EARLY", fmt.Sprintf("from cycle %d to %d, not possible before %d to %d", r.Start, r.End, start, end)
	default:
		if v.Verdict = j.passedOver(input, &want); v.Rule == "" {
			v.Verdict = j.turn(input, &want, r)
		}
	}
	j.spare = append(j.spare, want.Data)
	j.note(input, &want, r)
	if v.Rule == "" && len(j.late) > 0 {
		v.Verdict, j.late = j.late[0].Verdict, j.late[1:]
	}
	return v
}

// note remembers a frame that left.
func (j *txJudge) note(input int, want, r *sim.Record) {
	if len(j.left) == txRemembered {
		j.left = append(j.left[:0], j.left[1:]...)
	}
	j.left = append(j.left, txLeft{input, r.Start, want.Start, j.next})
	j.free, j.lastOf[input], j.next = r.End+1, r.End, (input+1)%TxInputs
	j.latest = max(j.latest, r.End)
}

// passedOver says whether an input whose turn came before that of a frame had one that began to come in no later.
func (j *txJudge) passedOver(input int, want *sim.Record) (v sim.Verdict) {
	for i := j.next; i != input; i = (i + 1) % TxInputs {
		if q := j.waiting[i]; len(q) > 0 && q[0].Start <= want.Start {
			v.Rule = "TURN"
			v.Text = fmt.Sprintf("the turn is input %d's, whose frame came in cycle %d, not input %d's, whose came in cycle %d",
				i, q[0].Start, input, want.Start)
			return v
		}
	}
	return v
}

// wasPassedOver says of a frame that has come whole whether one that left before had it wait though its turn came
// first. A frame that is longer than its queue has its end there only when it is on its way, and who was before it is
// long gone by then.
func (j *txJudge) wasPassedOver(r *sim.Record) {
	port := int(r.Port)
	if len(j.waiting[port]) > 0 { // another one was at the head
		return
	}
	for i := len(j.left) - 1; i >= 0 && j.left[i].input != port; i-- {
		l := &j.left[i]
		if r.Start > l.came || (port-l.next+TxInputs)%TxInputs > (l.input-l.next+TxInputs)%TxInputs {
			continue
		}
		j.late = append(j.late, sim.Checked{Cycle: l.start, Input: r.Seq, Known: true, Verdict: sim.Verdict{Rule: "TURN",
			Text: fmt.Sprintf("the turn was input %d's, whose frame came in cycle %d, not input %d's, whose came in cycle %d",
				port, r.Start, l.input, l.came)}})
		return
	}
}

// turn says whether another input had more than one frame since this one stood at the head of its queue, whole: since
// its last beat had come and the last one of that before it had left.
func (j *txJudge) turn(input int, want, r *sim.Record) (v sim.Verdict) {
	from := max(want.End+1, j.lastOf[input])
	var turns [TxInputs]int
	for _, l := range j.left {
		if l.came > from { // however many beats an output has, it was chosen later
			turns[l.input]++
		}
	}
	for i, n := range turns {
		if n > 1 && i != input {
			v.Rule = "TURN"
			v.Text = fmt.Sprintf("input %d waited from cycle %d to %d for %d frames of input %d", input, from, r.Start, n, i)
		}
	}
	return v
}

// owed is by when all that came must have left, if nothing that is coming holds it up.
func (j *txJudge) owed() (cycle uint64) {
	for i := range j.waiting {
		for f := range j.waiting[i] {
			cycle += uint64(len(j.waiting[i][f].Data))/j.beatBytes + 1
		}
	}
	return cycle
}

// Overdue names what has not come. While frames still come in, one of them that pauses may hold up all: its input is
// not known to the judge before its end.
func (j *txJudge) Overdue(cycle uint64, give func(sim.Checked)) {
	for _, v := range j.late {
		give(v)
	}
	j.late = j.late[:0]
	owed := j.owed()
	if owed == 0 || cycle <= j.latest+(owed+GateMaxBytes/j.beatBytes)*txPatience {
		return
	}
	for i := range j.waiting {
		for _, f := range j.waiting[i] {
			give(sim.Checked{Verdict: sim.Verdict{Rule: "MISSING", Text: fmt.Sprintf("a frame of input %d has not left", i)},
				Cycle: j.Latest(), Input: f.Seq, Known: true})
		}
		j.waiting[i] = j.waiting[i][:0]
	}
}

func (j *txJudge) Latest() uint64 {
	owed := j.owed()
	if owed == 0 {
		return 0
	}
	return j.latest + owed + TxArbiterLatencyCycles
}

// firstDifference is the number of the first byte in which two frames differ.
func firstDifference(a, b []byte) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
