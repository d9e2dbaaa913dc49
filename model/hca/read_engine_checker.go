package hca

import (
	"bytes"
	"fmt"

	"hcacosim/model/sim"
)

// readJudge holds a device to docs/blocks/read_engine.md clock by clock: it knows in which its outputs are held up, so
// how far a READ has come when it is given up (RSP-7), and which pieces it has asked for by then.
type readJudge struct {
	clock *readClock
	owed  [readPortRecord + 1][]sim.Record
}

// Stalls lets the model stand still where the device must.
func (j *readJudge) Stalls(held func(port sim.Port, cycle uint64) bool) { j.clock.held = held }

func (j *readJudge) runTo(cycle uint64) {
	j.clock.run(cycle, func(r sim.Record) { j.owed[r.Port] = append(j.owed[r.Port], r) })
}

func (j *readJudge) Input(r *sim.Record) {
	j.runTo(r.End)
	j.clock.take(r)
}

func (j *readJudge) Output(r *sim.Record) sim.Checked {
	j.runTo(r.End + 1)
	if len(j.owed[r.Port]) == 0 {
		return sim.Checked{Verdict: sim.Verdict{Rule: "EXTRA", Text: "nothing was to come"}, Cycle: r.End}
	}
	want := j.owed[r.Port][0]
	j.owed[r.Port] = j.owed[r.Port][1:]
	v := sim.Checked{Start: want.Start, Cycle: want.End, Input: want.Cause, Known: true}
	switch {
	case !bytes.Equal(r.Data, want.Data):
		v.Rule, v.Text = "DATA", j.differ(r, &want)
	case r.End != want.End:
		v.Rule, v.Text = "WINDOW", fmt.Sprintf("came in cycle %d, want %d", r.End, want.End)
	}
	return v
}

// differ says how an output differs from what was to come.
func (j *readJudge) differ(got, want *sim.Record) string {
	switch got.Port {
	case readPortPiece:
		return fmt.Sprintf("asks for %+v, want %+v", ParseReadPiece(got.Data), ParseReadPiece(want.Data))
	case readPortHeader:
		return fmt.Sprintf("%+v, want %+v", ParseReadHeader(got.Data), ParseReadHeader(want.Data))
	case readPortRecord:
		return fmt.Sprintf("%+v, want %+v", ParseReadRecord(got.Data), ParseReadRecord(want.Data))
	}
	n := 0
	for n < min(len(got.Data), len(want.Data)) && got.Data[n] == want.Data[n] {
		n++
	}
	return fmt.Sprintf("%d bytes of payload, want %d; the first %d agree", len(got.Data), len(want.Data), n)
}

func (j *readJudge) Overdue(cycle uint64, give func(sim.Checked)) {
	j.runTo(min(cycle, j.clock.now+readLongest))
	for port := range j.owed {
		for len(j.owed[port]) > 0 && j.owed[port][0].End < cycle {
			r := j.owed[port][0]
			j.owed[port] = j.owed[port][1:]
			give(sim.Checked{Verdict: sim.Verdict{Rule: "MISSING", Text: "an output never came: " +
				readEngineSpec.Ports[port].Name}, Cycle: r.End, Input: r.Cause, Known: true})
		}
	}
}

// readLongest is more clocks than the block has something to do in when nothing comes in.
const readLongest = 1 << 20

// Latest is the cycle by which all has come that needs no more from memory; what is inside needs no longer.
func (j *readJudge) Latest() uint64 {
	if len(j.clock.reads)+j.clock.commands.len()+j.clock.replies.len() == 0 {
		return 0
	}
	return j.clock.now + readBuffered
}

// readBuffered is more clocks than what may lie in all places, in beats of eight bytes, moves in.
const readBuffered = 4 * ReadPieces * ReadPieceBytes / 8
