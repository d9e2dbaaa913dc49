package hca

import (
	"bytes"
	"fmt"

	"hcacosim/model/sim"
)

// hcaTopAhead is how many of what is owed at a port are searched for a record that came too early.
const hcaTopAhead = 16

// hcaTopJudge judges hca_top: the transmit side as hca_tx, and all else port by port, in order and to the byte
// (docs/blocks/hca_top.md, The judge). At m_axis two orders meet: the opcode says whose a frame is.
type hcaTopJudge struct {
	top    *hcaTop
	tx     *hcaTxJudge
	owes   [topPlaced + 1][]hcaTopOwed
	gave   [topPlaced + 1]uint64
	clears topClears
	count  int
	out    []sim.Record
}

// hcaTopOwed is an output that is to come, and the input that it follows from.
type hcaTopOwed struct {
	data        []byte
	user        uint32
	cycle, seq  uint64 // of the input
	start, ends uint64
	behind      uint64 // writes that it tells of
}

func newHcaTopJudge(s sim.Settings) *hcaTopJudge {
	j := &hcaTopJudge{top: newHcaTop(s), tx: newHcaTxJudge(s), clears: newTopClears()}
	j.top.hears, j.top.frees = j.tx.Input, j.clears.ask
	return j
}

func (j *hcaTopJudge) Input(r *sim.Record) {
	j.tx.elapse(r.End)
	j.out = j.top.Advance(r.End, []sim.Record{*r}, j.out[:0])
	for i := range j.out {
		o := &j.out[i]
		if o.Port == topCompletions && !j.clears.owes(o.Data) {
			continue
		}
		j.owes[o.Port] = append(j.owes[o.Port], hcaTopOwed{bytes.Clone(o.Data), o.User, r.End, r.Seq, o.Start, o.End,
			o.Behind})
		j.count++
	}
}

func (j *hcaTopJudge) Output(r *sim.Record) sim.Checked {
	port, isTx := topTxPort(r)
	if !isTx {
		return j.exact(r)
	}
	o := *r
	o.Port = port
	return j.tx.Output(&o)
}

// topTxPort is the port of hca_tx that an output is of; ok is false of those of hca_rx and of the registers.
func topTxPort(r *sim.Record) (port sim.Port, ok bool) {
	switch r.Port {
	case topPieces:
		return HcaTxPieces, true
	case topSendEnds:
		return HcaTxCompletions, true
	case topLocal:
		return HcaTxLocalWork, true
	case topPlaceWrites:
		return HcaTxWrites, true
	case topPlaced:
		return HcaTxPlaced, true
	case topAnswers:
		return HcaTxFrames, HcaTopRequests(r)
	}
	return 0, false
}

// exact judges an output that has its place. One that stands behind others has come, and they have not: they are told
// of at the end.
func (j *hcaTopJudge) exact(r *sim.Record) (v sim.Checked) {
	j.gave[r.Port]++
	q := j.owes[r.Port]
	if r.Port == topCompletions {
		if early, before := j.clears.answers(r, q); early {
			if v.Cycle, v.Start = r.End, r.End; before > 0 {
				v.Rule, v.Text = "ORDER", topOwedBefore(before)
			}
			return v
		}
	}
	if len(q) == 0 {
		v.Rule, v.Text, v.Cycle = "EXTRA", "a record that nothing asked for", r.End
		return v
	}
	at := 0
	for i := range min(len(q), hcaTopAhead) {
		if q[i].user == r.User && bytes.Equal(q[i].data, r.Data) {
			at = i
			break
		}
	}
	want, passed := q[at], at > 0 && topPasses(r, q[:at])
	j.owes[r.Port] = append(q[:at], q[at+1:]...)
	j.count--
	v.Cycle, v.Start, v.Input, v.Known = want.ends, want.start, want.seq, true
	switch {
	case r.Port == topCompletions && j.clears.behind(r):
		v.Rule, v.Text = "ORDER", "the clear of its queue pair was answered before it"
	case at > 0 && !passed:
		v.Rule, v.Text = "ORDER", topOwedBefore(at)
	case !bytes.Equal(want.data, r.Data):
		v.Rule = "DATA"
		v.Text = fmt.Sprintf("first difference at byte %d of %d", firstDifference(want.data, r.Data), len(want.data))
	case want.user != r.User:
		v.Rule, v.Text = "USER", fmt.Sprintf("the bytes agree, the sideband does not: %03Xh, want %03Xh", r.User, want.user)
	case min(j.gave[topWrites], j.gave[topData]) < want.behind:
		v.Rule, v.Text = "DMA-1", fmt.Sprintf("it left before %d writes were handed over whole", want.behind)
	}
	return v
}

func topOwedBefore(n int) string {
	return fmt.Sprintf("%d records that were owed before it have not come", n)
}

// topPasses reports whether an output may leave before those: a clear, and what tells of a frame of another QP, have no
// order between them.
func topPasses(r *sim.Record, before []hcaTopOwed) bool {
	if r.Port != topCompletions {
		return false
	}
	told := ParseDMARecord(r.Data)
	for i := range before {
		other := ParseDMARecord(before[i].data)
		if other.QPN == told.QPN || other.Cleared == told.Cleared {
			return false
		}
	}
	return true
}

// Overdue names what has not come: of the transmit side when it is late, of the rest, which waits for memory, at the
// end of a run.
func (j *hcaTopJudge) Overdue(cycle uint64, give func(sim.Checked)) {
	j.tx.Overdue(cycle, give)
	if cycle != never {
		return
	}
	for port := range j.owes {
		for i := range j.owes[port] {
			o := &j.owes[port][i]
			v := sim.Checked{Cycle: o.ends, Input: o.seq, Known: true}
			v.Rule, v.Text = "MISSING", hcaTopSpec.Ports[port].Name+": never came"
			give(v)
		}
		j.owes[port] = nil
	}
	j.count = 0
}

// Latest is the transmit side's; what else is owed comes in as many clocks.
func (j *hcaTopJudge) Latest() uint64 {
	latest := j.tx.Latest()
	for port := range j.owes {
		if n := len(j.owes[port]); n > 0 {
			latest = max(latest, j.owes[port][n-1].ends+hcaTxPatience+uint64(n)*hcaTxEach)
		}
	}
	return latest
}
