package cocosim

import (
	"context"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hcacosim/model/sim"
)

// alarm is a device of alarms: a record {number, delay in hundreds of cycles} goes off after its delay and up to
// alarmSlack cycles more, whichever is due first. The stage uses none of the slack.
type alarm struct{ set []sim.Record }

const alarmSlack = 10

func (a *alarm) Reset() { a.set = nil }

func (a *alarm) Advance(to uint64, in, out []sim.Record) []sim.Record {
	for _, r := range in {
		due := r.End + 100*uint64(r.Data[1])
		a.set = append(a.set, sim.Record{Start: due, End: due, Cause: r.Seq, Port: 1, Data: []byte{r.Data[0]}})
	}
	var later []sim.Record
	for _, r := range a.set {
		if r.End <= to {
			out = append(out, r)
		} else {
			later = append(later, r)
		}
	}
	a.set = later
	return out
}

// alarmJudge allows what the comment on alarm says.
type alarmJudge struct {
	due  map[byte]sim.Record // by number: End is when it is due
	late map[byte]bool       // given as overdue
}

func (j *alarmJudge) Input(r *sim.Record) {
	j.due[r.Data[0]] = sim.Record{End: r.End + 100*uint64(r.Data[1]), Cause: r.Seq}
}

func (j *alarmJudge) Output(r *sim.Record) sim.Checked {
	n := r.Data[0]
	d, ok := j.due[n]
	delete(j.due, n)
	switch {
	case j.late[n]:
		return sim.Checked{Cycle: d.End}
	case !ok:
		return sim.Checked{Verdict: sim.Verdict{Rule: "EXTRA", Text: "not set"}}
	case r.End < d.End:
		return sim.Checked{Verdict: sim.Verdict{Rule: "EARLY", Text: "early"}, Cycle: d.End, Input: d.Cause, Known: true}
	}
	return sim.Checked{Cycle: d.End}
}

func (j *alarmJudge) Overdue(cycle uint64, give func(sim.Checked)) {
	for n, d := range j.due {
		if d.End+alarmSlack < cycle {
			give(sim.Checked{Verdict: sim.Verdict{Rule: "LATE", Text: "overdue"}, Cycle: d.End, Input: d.Cause, Known: true})
			delete(j.due, n)
			j.late[n] = true
		}
	}
}

func (j *alarmJudge) Latest() (latest uint64) {
	for _, d := range j.due {
		latest = max(latest, d.End+alarmSlack)
	}
	return latest
}

var alarmSpec = sim.StageSpec{Name: "alarm",
	Ports:   []sim.PortSpec{{Name: "set", Input: true, Kind: sim.Fields}, {Name: "ring", Kind: sim.Fields}},
	New:     func(sim.Settings) sim.Stage { return &alarm{} },
	Checker: func(sim.Settings) sim.Checker { return &alarmJudge{map[byte]sim.Record{}, map[byte]bool{}} }}

// alarms sets each alarm once, the last but one far beyond DefaultDrain.
type alarms struct{ at int }

func (s *alarms) Next(r *sim.Offer) error {
	delays := []byte{3, 1, 4, 1, 5, 255, 2}
	if s.at == len(delays) {
		return io.EOF
	}
	*r = sim.Offer{Data: []byte{byte(s.at), delays[s.at]}}
	s.at++
	return nil
}

func (s *alarms) Origin(i uint64) string { return fmt.Sprint("alarm ", i) }

func runAlarms(t *testing.T, change func(*sim.Batch), timed bool, batch int) *Result {
	t.Helper()
	d := &faulty{Device: NewGolden(alarmSpec, nil, 1), change: change}
	res, err := Run(context.Background(), RunConfig{Device: d, Stimulus: &alarms{}, Batch: batch, Keep: 9,
		Checker: NewChoiceChecker(alarmSpec, nil, make([]Policy, 2), timed)})
	require.NoError(t, err)
	return res
}

// ring changes alarm n when it goes off.
func ring(n byte, change func(b *sim.Batch, at int)) func(*sim.Batch) {
	return func(b *sim.Batch) {
		for i := range b.Records {
			if b.Records[i].Port == 1 && b.Records[i].Data[0] == n {
				change(b, i)
				return
			}
		}
	}
}

// TestJudge: the run waits for what is owed however late it is due, and a judge's findings are the run's.
func TestJudge(t *testing.T) {
	first := runAlarms(t, nil, true, 1)
	require.Equal(t, Agreed, first.Exit(), "%+v", first)
	require.EqualValues(t, 7, first.Agreed)
	require.Equal(t, first, withElapsed(runAlarms(t, nil, true, 4096), first.Elapsed))

	rules := func(res *Result) (rules []string) {
		for _, v := range res.Violations {
			rules = append(rules, string(v.Rule))
		}
		return rules
	}
	lost := ring(4, func(b *sim.Batch, at int) { b.Records = append(b.Records[:at], b.Records[at+1:]...) })
	res := runAlarms(t, lost, true, 1)
	require.Equal(t, Mismatch, res.Exit())
	require.Equal(t, []string{"LATE"}, rules(res))
	require.EqualValues(t, 4, res.Violations[0].Packet)
	require.Equal(t, []string{"LATE"}, rules(runAlarms(t, lost, false, 1)), "at the end at the latest")

	early := ring(2, func(b *sim.Batch, at int) { b.Records[at].End-- })
	require.Equal(t, []string{"EARLY"}, rules(runAlarms(t, early, true, 1)))
	late := func(b *sim.Batch) { // the last of all, so the order stays
		ring(5, func(b *sim.Batch, at int) { b.Records[at].End += alarmSlack + 1 })(b)
	}
	res = runAlarms(t, late, true, 1)
	require.Equal(t, []string{"LATE"}, rules(res))
	require.EqualValues(t, 7, res.Agreed, "it is late once, and not missing besides")
	require.Equal(t, Agreed, runAlarms(t, late, false, 1).Exit(), "a stalled output may be late")

	slack := ring(5, func(b *sim.Batch, at int) { b.Records[at].End++ })
	require.Equal(t, Agreed, runAlarms(t, slack, true, 1).Exit(), "within what the judge allows")
	res, err := Run(context.Background(), RunConfig{Device: &faulty{Device: NewGolden(alarmSpec, nil, 1), change: slack},
		Stimulus: &alarms{}, Keep: 9,
		Checker: NewChoiceChecker(alarmSpec, nil, []Policy{{}, {Window: &Window{From: FromModel}}}, true)})
	require.NoError(t, err)
	require.Equal(t, []string{"WINDOW"}, rules(res), "and not within what the device promises")
	require.EqualValues(t, 6, res.Agreed)
	require.Equal(t, []string{"EXTRA"}, rules(runAlarms(t,
		ring(0, func(b *sim.Batch, at int) { b.Records[at].Data = []byte{99} }), false, 1))[:1])
}

// TestJudgeOfALastOutputLost: at the end of a run everything that is owed is missing, whenever it was due.
func TestJudgeOfALastOutputLost(t *testing.T) {
	for n := range byte(7) { // alarm 5 is due last
		lost := ring(n, func(b *sim.Batch, at int) { b.Records = append(b.Records[:at], b.Records[at+1:]...) })
		for _, timed := range []bool{false, true} {
			res := runAlarms(t, lost, timed, 1)
			require.Equal(t, Mismatch, res.Exit(), "alarm %d", n)
			require.Len(t, res.Violations, 1, "alarm %d", n)
			require.Equal(t, sim.Rule("LATE"), res.Violations[0].Rule)
			require.EqualValues(t, n, res.Violations[0].Packet)
		}
	}
}

func withElapsed(r *Result, d time.Duration) *Result {
	r.Elapsed = d
	return r
}
