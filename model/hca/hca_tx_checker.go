package hca

import (
	"bytes"
	"fmt"

	"hcacosim/model/sim"
)

// How long hca_tx may take: behind the input that an output follows from, and for each output that is owed.
const (
	hcaTxPatience = 4000
	hcaTxEach     = 80
)

// hcaTxJudge judges hca_tx: of each QP its packets and its completions, each in their order (docs/blocks/hca_tx.md).
// In which order QPs have their turns, and when, is the device's choice.
type hcaTxJudge struct {
	blocks *HcaTxBlocks
	owed   map[hcaTxKey]*hcaTxOwed
	count  int    // of all that is owed
	latest uint64 // the last cycle in which something came, left or became due
}

// hcaTxKey is one order: of the packets, of the completions, or of the local work of a QP.
type hcaTxKey struct {
	port sim.Port
	qpn  uint32
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

func newHcaTxJudge(s sim.Settings) *hcaTxJudge {
	return &hcaTxJudge{blocks: NewHcaTxBlocks(s), owed: map[hcaTxKey]*hcaTxOwed{}}
}

func (j *hcaTxJudge) Input(r *sim.Record) {
	j.elapse(r.End)
	j.latest = max(j.latest, r.End)
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

// owe notes what the blocks gave.
func (j *hcaTxJudge) owe(cause hcaTxCause) {
	for i := range j.blocks.Ends {
		e := &j.blocks.Ends[i]
		j.note(hcaTxKey{HcaTxCompletions, e.QPN}, cause, e.Append(nil))
	}
	for i := range j.blocks.Sent {
		p := j.blocks.Sent[i].Packet()
		j.note(hcaTxKey{HcaTxPackets, p.QPN}, cause, p.Append(nil))
	}
	for i := range j.blocks.Local {
		w := &j.blocks.Local[i]
		j.note(hcaTxKey{HcaTxLocalWork, w.QPN}, cause, w.Append(nil))
	}
	j.blocks.Clear()
}

func (j *hcaTxJudge) note(key hcaTxKey, cause hcaTxCause, data []byte) {
	o := j.owed[key]
	if o == nil {
		o = &hcaTxOwed{}
		j.owed[key] = o
	}
	o.data, o.cause = append(o.data, data), append(o.cause, cause)
	j.count++
	j.latest = max(j.latest, cause.cycle) // of what time alone led to: when that is seen
}

func (j *hcaTxJudge) Output(r *sim.Record) (v sim.Checked) {
	j.elapse(r.End)
	j.latest = max(j.latest, r.End)
	key := hcaTxKey{r.Port, uint32(r.Data[0]) | uint32(r.Data[1])<<8 | uint32(r.Data[2])<<16}
	o := j.owed[key]
	if o == nil || len(o.data) == 0 {
		v.Rule, v.Cycle = "EXTRA", r.End
		v.Text = fmt.Sprintf("QP %d has nothing to give here: %s", key.qpn, hcaTxText(r.Port, r.Data))
		return v
	}
	want, cause := o.data[0], o.cause[0]
	o.data, o.cause = o.data[1:], o.cause[1:]
	j.count--
	v = sim.Checked{Cycle: cause.cycle, Input: cause.seq, Known: cause.known}
	if !bytes.Equal(want, r.Data) {
		v.Rule, v.Text = "DATA", fmt.Sprintf("%s, want %s", hcaTxText(r.Port, r.Data), hcaTxText(r.Port, want))
	}
	return v
}

// hcaTxText is an output in words.
func hcaTxText(port sim.Port, data []byte) string {
	switch port {
	case HcaTxPackets:
		return fmt.Sprintf("packet %+v", ParseHcaTxPacket(data))
	case HcaTxLocalWork:
		return fmt.Sprintf("local work %+v", ParseHcaTxLocal(data))
	}
	return fmt.Sprintf("completion %+v", ParseSQCQE(data))
}

// Overdue names what has not come. A host that takes no packets holds up the turns of all QPs.
func (j *hcaTxJudge) Overdue(cycle uint64, give func(sim.Checked)) {
	j.elapse(cycle)
	if j.count == 0 || cycle <= j.Latest() {
		return
	}
	for _, port := range []sim.Port{HcaTxPackets, HcaTxCompletions, HcaTxLocalWork} {
		for qpn := range uint32(len(j.blocks.sends)) {
			j.missing(hcaTxKey{port, qpn}, give)
		}
	}
}

func (j *hcaTxJudge) missing(key hcaTxKey, give func(sim.Checked)) {
	o := j.owed[key]
	if o == nil {
		return
	}
	for i := range o.data {
		give(sim.Checked{Cycle: o.cause[i].cycle, Input: o.cause[i].seq, Known: o.cause[i].known, Verdict: sim.Verdict{
			Rule: "MISSING", Text: fmt.Sprintf("QP %d: %s has not come", key.qpn, hcaTxText(key.port, o.data[i]))}})
	}
	j.count -= len(o.data)
	o.data, o.cause = o.data[:0], o.cause[:0]
}

func (j *hcaTxJudge) Latest() uint64 {
	if j.count == 0 {
		return 0
	}
	return j.latest + hcaTxPatience + uint64(j.count)*hcaTxEach
}
