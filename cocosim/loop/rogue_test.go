package loop

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/link"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// Packets of an earlier connection that lie inside the window are taken for new ones: PSN-6 keeps them out, and what
// looks at a loop sees where it does not.
func TestGhostsInsideTheWindow(t *testing.T) {
	inside := Rogue{Name: "inside", starts: func(*Pair) starts { return startPSN }}
	wrong := 0
	for seed := uint64(1); seed <= 8; seed++ {
		p := pairOf(seed, link.Config{}, roce.Spec)
		p.Traffic.Packets, p.Traffic.Late, p.Rogue = 1500, 0, &inside
		o, err := p.Run(context.Background())
		require.NoError(t, err)
		if o.Rogue != "" {
			wrong++
		}
	}
	require.NotZero(t, wrong, "all ended well, though nothing keeps them out")
}

// PSN-6: where the later connection begins, seen from the earlier one.
func TestWhereGhostsLie(t *testing.T) {
	p := pairOf(1, link.Config{}, roce.Spec)
	for end := range 2 {
		for k := range p.Traffic.QPs {
			took := p.psns(end, k)
			require.Positive(t, took)
			high := aheadOfWindow(p)(end, k).Add(took)
			require.Equal(t, startPSN(end, k), roce.SafeStart(high, roce.WidthOf(psn.Bits)))
			require.Equal(t, startPSN(end, k), behindWindow(p)(end, k).Add(took))
		}
	}
}

// A fatal NAK ends the message that it names, not one that it acknowledges, nor one behind it.
func TestRefusedIsTheOneNamed(t *testing.T) {
	for at, good := range map[int32]bool{4: false, 5: true, 7: true, 8: false, -1: false} {
		bad := &Findings{}
		c := &connection{psns: 5, failed: &message{psns: 3}}
		h := &host{name: "A", qpns: []uint32{firstQP}, links: []*connection{c}, bad: bad}
		w := newWatch(1024, 0)
		start := psn.New(0xFFFFFD)
		w.qps[firstQP] = &watched{fatal: []psn.PSN{start.Add(at)}}
		h.refused(w, func(int) psn.PSN { return start })
		require.Equal(t, good, bad.Count == 0, "%d: %v", at, bad.List)
	}
}

// What fatal NAKs name is kept once, and not without end; then none is accused.
func TestFatalNAKsAreBounded(t *testing.T) {
	q := &watched{}
	for i := range 3 * mostFatal {
		q.refuse(psn.New(uint32(i / 2)))
	}
	require.Len(t, q.fatal, mostFatal)
	bad := &Findings{}
	h := &host{qpns: []uint32{firstQP}, links: []*connection{{psns: mostFatal, failed: &message{psns: 1}}}, bad: bad}
	start := func(int) psn.PSN { return 0 }
	w := newWatch(1024, 0)
	w.qps[firstQP] = q
	h.refused(w, start)
	require.Zero(t, bad.Count)
	q.fatal = q.fatal[:mostFatal-1]
	h.refused(w, start)
	require.NotZero(t, bad.Count)
}

// Losses of a queue pair that hears nothing are not kept without end, and the first is what it recovers from.
func TestLossesAreBounded(t *testing.T) {
	q := &watched{begun: true}
	for i := range uint32(3 * mostLosses) {
		q.miss(loss{psn.New(i), uint64(i) + 7})
	}
	require.Len(t, q.lost, mostLosses)
	q.una = psn.New(2)
	q.miss(loss{psn.New(9), 1})
	require.Len(t, q.lost, mostLosses-1)
	q.back()
	require.EqualValues(t, 9, q.sinceNs)
	require.Empty(t, q.lost)
}

// Fatal NAKs that acknowledge what came before them, since others were lost, end the message that they name.
func TestFatalNAKsThatAcknowledge(t *testing.T) {
	fatal, err := FindRogue("fatal-nak")
	require.NoError(t, err)
	behind := 0
	for seed := uint64(1); seed <= 8; seed++ {
		p := pairOf(seed, link.Config{Loss: 0.3}, roce.Spec)
		p.Rogue = fatal
		o, err := p.Run(context.Background())
		require.NoError(t, err)
		require.Empty(t, o.Rogue)
		behind += int(o.Ends[0].Messages)
	}
	require.NotZero(t, behind, "nothing was acknowledged by a NAK")
}

// Each way in which an end can be wrong is told, and what is right is not.
func TestRoguesAreJudged(t *testing.T) {
	good := func() *Outcome {
		o := &Outcome{Result: &Result{}, Wrongs: 1, Dead: 1}
		o.Ends[0].Dead, o.Ends[0].InError = 1, 1
		o.Ends[0].Failed = map[string]uint64{"retry exceeded": 1, "flushed": 3}
		return o
	}
	silent, err := FindRogue("silent")
	require.NoError(t, err)
	require.Empty(t, silent.Judge(good(), &roce.Spec))
	for name, spoil := range map[string]func(o *Outcome){
		"a rule":          func(o *Outcome) { o.Judged[0].Certain = 1 },
		"executed":        func(o *Outcome) { o.Wrongs++ },
		"hang":            func(o *Outcome) { o.Result.Stuck = "stuck" },
		"not in error":    func(o *Outcome) { o.Ends[0].InError = 0 },
		"nothing failed":  func(o *Outcome) { o.Ends[0].InError, o.Ends[0].Dead = 0, 0 },
		"only flushed":    func(o *Outcome) { o.Ends[0].Failed = map[string]uint64{"flushed": 4} },
		"another status":  func(o *Outcome) { o.Ends[0].Failed["RNR retry exceeded"] = 1 },
		"an error of its": func(o *Outcome) { o.Ends[0].Failed = map[string]uint64{"local error": 1} },
	} {
		o := good()
		spoil(o)
		require.NotEmpty(t, silent.Judge(o, &roce.Spec), name)
	}
	reserved, err := FindRogue("reserved-nak")
	require.NoError(t, err)
	require.NotEmpty(t, reserved.Judge(good(), &roce.Spec))
	require.Empty(t, reserved.Judge(good(), &roce.Qib), "which takes no notice of such a NAK")
	ghosts, err := FindRogue("ghosts")
	require.NoError(t, err)
	require.NotEmpty(t, ghosts.Judge(good(), &roce.Spec), "it must end well")
	o := &Outcome{Result: &Result{}}
	require.Empty(t, ghosts.Judge(o, &roce.Spec))
	o.Judged[1].Certain = 1
	require.NotEmpty(t, ghosts.Judge(o, &roce.Spec), "B is honest")
}
