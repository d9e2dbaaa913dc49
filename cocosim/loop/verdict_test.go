package loop

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/roce"
)

// ended is how a loop ends in the tests of verdicts.
type ended struct {
	stuck, cut bool
}

func (e ended) outcome() *Outcome {
	o := &Outcome{Result: &Result{Cut: e.cut}}
	if e.stuck || e.cut {
		o.Result.Stuck = "work is left"
	}
	return o
}

var (
	done    = ended{}
	hangs   = ended{stuck: true}
	stopped = ended{cut: true}
)

// What was wrong at either end is, however the loop ended; one that was stopped tells nothing else. The report begins
// with the verdict.
func TestVerdicts(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(o *Outcome)
		want  map[ended]Verdict
	}{
		"nothing":  {func(*Outcome) {}, map[ended]Verdict{done: Agreed, hangs: Stuck, stopped: Inconclusive}},
		"A":        {func(o *Outcome) { o.Judged[0].Certain = 1 }, always(Mismatch)},
		"B":        {func(o *Outcome) { o.Judged[1].Certain = 1 }, always(Mismatch)},
		"a host":   {func(o *Outcome) { o.Wrongs = 1 }, always(Mismatch)},
		"the link": {func(o *Outcome) { o.Wrongs, o.Dead, o.Worn = 1, 1, "worn" }, always(Inconclusive)},
		"may be": {func(o *Outcome) { o.Judged[0].Possible = 1 },
			map[ended]Verdict{done: Agreed, hangs: Stuck, stopped: Inconclusive}},
	} {
		for e, want := range c.want {
			o := e.outcome()
			c.spoil(o)
			requireVerdict(t, want, o, name, e)
		}
	}
}

func always(v Verdict) map[ended]Verdict { return map[ended]Verdict{done: v, hangs: v, stopped: v} }

func requireVerdict(t *testing.T, want Verdict, o *Outcome, what ...any) {
	t.Helper()
	require.Equal(t, want, o.Verdict(), what...)
	require.Equal(t, want == Agreed, o.Good(), what...)
	var text bytes.Buffer
	o.Print(&text, &Pair{}, 0)
	require.Equal(t, string(want), string(bytes.Fields(text.Bytes())[0]), what...)
}

// With a peer that misbehaves only what A did counts; what B does is no finding. What A did before the loop was stopped
// counts too, but not what it had not done yet.
func TestVerdictsWithRogues(t *testing.T) {
	silent, waits, ghosts := rogueOf(t, "silent"), rogueOf(t, "wrong-msn"), rogueOf(t, "ghosts")
	failed := func(o *Outcome) {
		o.Wrongs, o.Dead, o.Ends[0].Dead, o.Ends[0].InError = 1, 1, 1, 1
		o.Ends[0].Failed = map[string]uint64{"retry exceeded": 1, "flushed": 3}
	}
	failedAnd := func(more func(o *Outcome)) func(o *Outcome) {
		return func(o *Outcome) { failed(o); more(o) }
	}
	early := map[ended]Verdict{done: Mismatch, hangs: Mismatch, stopped: Inconclusive}
	well := map[ended]Verdict{done: Agreed, hangs: Mismatch, stopped: Inconclusive}
	for name, c := range map[string]struct {
		r     *Rogue
		spoil func(o *Outcome)
		want  map[ended]Verdict
	}{
		"as it must":      {silent, failed, well},
		"B breaks a rule": {silent, failedAnd(func(o *Outcome) { o.Judged[1].Certain = 9 }), well},
		"nothing yet":     {silent, func(*Outcome) {}, early},
		"B alone yet":     {silent, func(o *Outcome) { o.Judged[1].Certain = 9 }, early},
		"half in error":   {silent, failedAnd(func(o *Outcome) { o.Ends[0].InError = 0 }), early},
		"only flushed": {silent, failedAnd(func(o *Outcome) {
			o.Ends[0].Failed = map[string]uint64{"flushed": 4}
		}), early},
		"A breaks a rule": {silent, func(o *Outcome) { o.Judged[0].Certain = 1 }, always(Mismatch)},
		"executed":        {silent, func(o *Outcome) { o.Wrongs = 1 }, always(Mismatch)},
		"another status":  {silent, failedAnd(func(o *Outcome) { o.Ends[0].Failed["local error"] = 1 }), always(Mismatch)},
		"it waits":        {waits, func(*Outcome) {}, map[ended]Verdict{done: Agreed, hangs: Agreed, stopped: Inconclusive}},
		"waits in error":  {waits, failed, always(Mismatch)},
		"honest":          {ghosts, func(*Outcome) {}, well},
		"honest B":        {ghosts, func(o *Outcome) { o.Judged[1].Certain = 1 }, always(Mismatch)},
	} {
		for e, want := range c.want {
			o := e.outcome()
			c.spoil(o)
			o.rogue, o.Rogue = true, c.r.Judge(o, &roce.Spec)
			requireVerdict(t, want, o, name, e)
		}
	}
}

func rogueOf(t *testing.T, name string) *Rogue {
	r, err := FindRogue(name)
	require.NoError(t, err)
	return r
}
