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

// hcaTxJudge judges hca_tx: of each QP its frames, its completions and its local work, each in their order, and what
// goes to memory, in one order (docs/blocks/hca_tx.md).
// In which order QPs have their turns, and when, is the device's choice; what it asks host memory for shows it.
type hcaTxJudge struct {
	blocks *HcaTxBlocks
	owes   map[hcaTxKey]*hcaTxOwed
	frames hcaTxFlights
	count  int    // completions and local work that are owed
	writes int    // that left, and memory has not acknowledged
	latest uint64 // the last cycle in which something came, left or became due
}

// hcaTxKey is one order: of the completions or of the local work of a QP.
type hcaTxKey struct {
	port sim.Port
	qpn  uint32
}

// hcaTxOwed is what is to come, oldest first.
type hcaTxOwed struct {
	data  [][]byte
	cause []hcaTxCause
}

// hcaTxCause is the input that an output follows from; known is false of one that follows from time alone, or from
// another output: of that the cycle is when it was seen, and the device may have done it as soon as since.
type hcaTxCause struct {
	cycle, seq uint64
	known      bool
	since      uint64
}

func (c *hcaTxCause) checked() sim.Checked {
	return sim.Checked{Cycle: c.cycle, Input: c.seq, Known: c.known}
}

func newHcaTxJudge(s sim.Settings) *hcaTxJudge {
	return &hcaTxJudge{blocks: NewHcaTxBlocks(s), owes: map[hcaTxKey]*hcaTxOwed{}, frames: newHcaTxFlights()}
}

func (j *hcaTxJudge) Input(r *sim.Record) {
	j.elapse(r.End)
	j.latest = max(j.latest, r.End)
	if r.Port == HcaTxAcks {
		j.writes--
	}
	j.frames.input(r)
	j.blocks.Take(r)
	j.owe(hcaTxCause{cycle: r.End, seq: r.Seq, known: true, since: r.End})
}

// elapse has time go on, from one timer that is due to the next.
func (j *hcaTxJudge) elapse(cycle uint64) {
	if cycle == never {
		return
	}
	for due := j.blocks.firstDue(cycle); due <= cycle; due = j.blocks.firstDue(cycle) {
		j.blocks.Elapse(due)
		j.owe(hcaTxCause{cycle: cycle, since: due})
	}
	j.blocks.Elapse(cycle)
}

// owe notes what the blocks gave. A WQE of UC or UD ends, and what cannot be sent takes its QP to error, as soon as all
// payloads before it are there.
func (j *hcaTxJudge) owe(cause hcaTxCause) {
	for {
		for i := range j.blocks.Ends {
			e := &j.blocks.Ends[i]
			j.note(hcaTxKey{HcaTxCompletions, e.QPN}, cause, e.Append(nil))
		}
		for i := range j.blocks.Local {
			w := &j.blocks.Local[i]
			j.note(hcaTxKey{HcaTxLocalWork, w.QPN}, cause, w.Append(nil))
		}
		for i := range j.blocks.Moved {
			m := &j.blocks.Moved[i]
			j.note(hcaTxKey{m.Port, 0}, cause, m.Data)
		}
		for i := range j.blocks.Sent {
			s := &j.blocks.Sent[i]
			j.frames.note(s.Packet(), j.blocks.Answered(s.QPN), cause)
			j.latest = max(j.latest, cause.cycle)
		}
		j.blocks.Clear()
		if p := j.frames.passes(); p != nil {
			j.blocks.Left(p.QPN, p.PSN)
			continue
		}
		p := j.frames.fails()
		if p == nil {
			return
		}
		j.frames.drop(p)
		j.blocks.Fail(p.QPN)
	}
}

func (j *hcaTxJudge) note(key hcaTxKey, cause hcaTxCause, data []byte) {
	o := j.owes[key]
	if o == nil {
		o = &hcaTxOwed{}
		j.owes[key] = o
	}
	o.data, o.cause = append(o.data, data), append(o.cause, cause)
	j.count++
	j.latest = max(j.latest, cause.cycle) // of what time alone led to: when that is seen
}

func (j *hcaTxJudge) Output(r *sim.Record) (v sim.Checked) {
	j.elapse(r.End)
	j.latest = max(j.latest, r.End)
	switch r.Port {
	case HcaTxPieces:
		v = j.frames.piece(r)
	case HcaTxFrames:
		v = j.frames.frame(r)
	case HcaTxWrites:
		j.writes++
		v = j.record(r)
	default:
		v = j.record(r)
	}
	j.owe(hcaTxCause{cycle: r.End})
	return v
}

// record judges a record of m_cqe or m_local, and what goes to memory: of all QPs that has one order.
func (j *hcaTxJudge) record(r *sim.Record) (v sim.Checked) {
	qpn := uint32(0)
	if r.Port < HcaTxWrites {
		qpn = uint32(r.Data[0]) | uint32(r.Data[1])<<8 | uint32(r.Data[2])<<16 // of both the first field
	}
	o := j.owes[hcaTxKey{r.Port, qpn}]
	for (o == nil || len(o.data) == 0) && r.Port >= HcaTxWrites && j.blocks.Deepen() {
		j.owe(hcaTxCause{cycle: r.End})
		o = j.owes[hcaTxKey{r.Port, qpn}]
	}
	if o == nil || len(o.data) == 0 {
		v.Rule, v.Cycle = "EXTRA", r.End
		v.Text = fmt.Sprintf("QP %d owes nothing here: %s", qpn, hcaTxText(r.Port, r.Data))
		return v
	}
	want := o.data[0]
	v = o.cause[0].checked()
	o.data, o.cause = o.data[1:], o.cause[1:]
	j.count--
	if !bytes.Equal(want, r.Data) {
		v.Rule, v.Text = "DATA", fmt.Sprintf("%s, want %s", hcaTxText(r.Port, r.Data), hcaTxText(r.Port, want))
	}
	return v
}

// owed is how many outputs are to come.
func (j *hcaTxJudge) owed() int { return j.count + j.frames.count }

// hcaTxText is a record of an output in words.
func hcaTxText(port sim.Port, data []byte) string {
	switch port {
	case HcaTxLocalWork:
		return fmt.Sprintf("local work %+v", ParseHcaTxLocal(data))
	case HcaTxWrites:
		return fmt.Sprintf("write %+v", ParseDMAWrite(data))
	case HcaTxPlaced:
		return fmt.Sprintf("data of %d bytes", len(data))
	}
	return fmt.Sprintf("completion %+v", ParseSQCQE(data))
}

// Overdue names what has not come. A host that takes no frames holds up the turns of all QPs, and so does a memory that
// does not answer. A write that memory has not acknowledged holds up completions, those of other QPs too (DMA-1), and
// these hold up turns: what ends waits for what fails before it.
func (j *hcaTxJudge) Overdue(cycle uint64, give func(sim.Checked)) {
	j.elapse(cycle)
	if j.owed() == 0 || cycle <= j.Latest() {
		return
	}
	ports := []sim.Port{HcaTxWrites, HcaTxPlaced}
	if !j.frames.waits() && !j.holds() { // else turns wait for memory, and verdicts behind them for tx_packetizer
		j.frames.missing(give)
		ports = append(ports, HcaTxLocalWork)
		if j.writes <= 0 {
			ports = append(ports, HcaTxCompletions)
		}
	}
	for _, port := range ports {
		for qpn := range uint32(len(j.blocks.sends)) {
			j.missing(hcaTxKey{port, qpn}, give)
		}
	}
}

// holds reports whether memory owes an acknowledgement for which a completion waits.
func (j *hcaTxJudge) holds() bool {
	if j.writes <= 0 {
		return false
	}
	for key, o := range j.owes {
		if key.port == HcaTxCompletions && len(o.data) > 0 {
			return true
		}
	}
	return false
}

// missing gives what has not come of one order.
func (j *hcaTxJudge) missing(key hcaTxKey, give func(sim.Checked)) {
	o := j.owes[key]
	if o == nil {
		return
	}
	for i := range o.data {
		v := o.cause[i].checked()
		v.Rule = "MISSING"
		v.Text = fmt.Sprintf("QP %d: %s has not come", key.qpn, hcaTxText(key.port, o.data[i]))
		give(v)
	}
	j.count -= len(o.data)
	o.data, o.cause = o.data[:0], o.cause[:0]
}

func (j *hcaTxJudge) Latest() uint64 {
	if j.owed() == 0 {
		return 0
	}
	latest := max(j.latest, j.frames.latest())
	for key, o := range j.owes { // local work waits for its turn as a packet does
		if key.port == HcaTxLocalWork && len(o.data) > 0 {
			latest = max(latest, j.frames.paces.free(key.qpn))
		}
	}
	return latest + hcaTxPatience + uint64(j.owed())*hcaTxEach
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
