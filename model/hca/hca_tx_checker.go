package hca

import (
	"bytes"
	"fmt"
	"slices"

	"hcacosim/model/sim"
)

// How long hca_tx may take: behind the input that an output follows from, and for each output that is owed.
const (
	hcaTxPatience = 4000
	hcaTxEach     = 80
)

// hcaTxJudge judges hca_tx: of each QP its frames and its completions, each in their order (docs/blocks/hca_tx.md).
// In which order QPs have their turns, and when, is the device's choice; what it asks host memory for shows it.
type hcaTxJudge struct {
	blocks *HcaTxBlocks
	ends   map[uint32]*hcaTxOwed
	frames hcaTxFlights
	count  int    // completions that are owed
	latest uint64 // the last cycle in which something came or left
}

// hcaTxOwed is what is to come, oldest first.
type hcaTxOwed struct {
	data  [][]byte
	cause []hcaTxCause
}

// hcaTxCause is the input that an output follows from; known is false of one that follows from time alone.
type hcaTxCause struct {
	cycle, seq uint64
	known      bool
}

func (c *hcaTxCause) checked() sim.Checked {
	return sim.Checked{Cycle: c.cycle, Input: c.seq, Known: c.known}
}

func newHcaTxJudge(s sim.Settings) *hcaTxJudge {
	return &hcaTxJudge{blocks: NewHcaTxBlocks(s), ends: map[uint32]*hcaTxOwed{}, frames: newHcaTxFlights()}
}

func (j *hcaTxJudge) Input(r *sim.Record) {
	j.elapse(r.End)
	j.latest = max(j.latest, r.End)
	j.frames.input(r)
	j.blocks.Take(r)
	j.owe(hcaTxCause{r.End, r.Seq, true})
}

// elapse has time go on.
func (j *hcaTxJudge) elapse(cycle uint64) {
	if cycle == never {
		return
	}
	j.blocks.Elapse(cycle)
	j.owe(hcaTxCause{cycle: cycle})
}

// owe notes what the blocks gave. What cannot be sent takes its QP to error, as soon as all payloads before it are
// there.
func (j *hcaTxJudge) owe(cause hcaTxCause) {
	for {
		for i := range j.blocks.Ends {
			e := &j.blocks.Ends[i]
			j.note(e.QPN, cause, e.Append(nil))
		}
		for i := range j.blocks.Sent {
			j.frames.note(j.blocks.Sent[i].Packet(), cause)
		}
		j.blocks.Clear()
		p := j.frames.fails()
		if p == nil {
			return
		}
		j.frames.drop(p)
		j.blocks.Fail(p.QPN)
	}
}

func (j *hcaTxJudge) note(qpn uint32, cause hcaTxCause, data []byte) {
	o := j.ends[qpn]
	if o == nil {
		o = &hcaTxOwed{}
		j.ends[qpn] = o
	}
	o.data, o.cause = append(o.data, data), append(o.cause, cause)
	j.count++
}

func (j *hcaTxJudge) Output(r *sim.Record) (v sim.Checked) {
	j.elapse(r.End)
	j.latest = max(j.latest, r.End)
	switch r.Port {
	case HcaTxPieces:
		v = j.frames.piece(r)
	case HcaTxFrames:
		v = j.frames.frame(r)
	default:
		v = j.completion(r)
	}
	j.owe(hcaTxCause{cycle: r.End})
	return v
}

// completion judges a record of m_cqe.
func (j *hcaTxJudge) completion(r *sim.Record) (v sim.Checked) {
	c := ParseSQCQE(r.Data)
	o := j.ends[c.QPN]
	if o == nil || len(o.data) == 0 {
		v.Rule, v.Cycle = "EXTRA", r.End
		v.Text = fmt.Sprintf("QP %d has nothing to complete here: %+v", c.QPN, c)
		return v
	}
	want := o.data[0]
	v = o.cause[0].checked()
	o.data, o.cause = o.data[1:], o.cause[1:]
	j.count--
	if !bytes.Equal(want, r.Data) {
		v.Rule, v.Text = "DATA", fmt.Sprintf("completion %+v, want %+v", c, ParseSQCQE(want))
	}
	return v
}

// owed is how many frames and completions are to come.
func (j *hcaTxJudge) owed() int { return j.count + j.frames.count }

// Overdue names what has not come. A host that takes no frames holds up the turns of all QPs.
func (j *hcaTxJudge) Overdue(cycle uint64, give func(sim.Checked)) {
	j.elapse(cycle)
	if j.owed() == 0 || cycle <= j.Latest() {
		return
	}
	j.frames.missing(give)
	for _, qpn := range sortedKeys(j.ends) {
		o := j.ends[qpn]
		for i := range o.data {
			v := o.cause[i].checked()
			v.Rule = "MISSING"
			v.Text = fmt.Sprintf("QP %d: completion %+v has not come", qpn, ParseSQCQE(o.data[i]))
			give(v)
		}
		j.count -= len(o.data)
		o.data, o.cause = o.data[:0], o.cause[:0]
	}
}

func (j *hcaTxJudge) Latest() uint64 {
	if j.owed() == 0 {
		return 0
	}
	return max(j.latest, j.frames.latest()) + hcaTxPatience + uint64(j.owed())*hcaTxEach
}

// sortedKeys are the QPs of a map in the order of their numbers.
func sortedKeys[V any](m map[uint32]V) []uint32 {
	keys := make([]uint32, 0, len(m))
	for qpn := range m {
		keys = append(keys, qpn)
	}
	slices.Sort(keys)
	return keys
}
