// Package shrink makes a failing run small: fewer records, simpler records, no backpressure where it is not needed.
// Every candidate is run; it is kept only if its first violation has the same signature.
package shrink

import (
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"hcacosim/cocosim"
	"hcacosim/cocosim/session"
	"hcacosim/model/sim"
)

// Options bound a shrink.
type Options struct {
	Limit    time.Duration // stop when so much time has gone; 0 is no limit
	Jobs     int           // candidates at a time
	Progress func(records, runs int)
}

// Result is what came of it.
type Result struct {
	Spec          session.Spec
	Records       []sim.Offer
	PacketsBefore int     `json:"packets_before"`
	PacketsAfter  int     `json:"packets_after"`
	Signature     string  `json:"signature"`
	Seconds       float64 `json:"seconds"`
	Runs          int     `json:"runs"`
	// Minimal: every single record was left out in turn, and the violation was gone.
	Minimal bool `json:"minimal"`
}

// shrinker is a shrink on its way.
type shrinker struct {
	ctx   context.Context
	o     Options
	spec  session.Spec
	began time.Time
	want  string
	runs  int
}

// candidateLimit bounds one run: a design that hangs on a candidate must not stop the shrink.
const candidateLimit = 20 * time.Second

// Run shrinks a failing run to the records that it needs.
func Run(ctx context.Context, spec session.Spec, records []sim.Offer, o Options) (*Result, error) {
	s := &shrinker{ctx: ctx, o: o, spec: spec, began: time.Now()}
	s.o.Jobs = max(1, o.Jobs)
	s.spec.Show, s.spec.Timeout = 1, candidateLimit
	var cycle uint64
	var err error
	if s.want, cycle, err = s.signature(&s.spec, records); err != nil {
		return nil, err
	}
	if s.want == "" {
		return nil, cocosim.Errorf(cocosim.BadInput, "the run agrees: there is nothing to shrink")
	}
	before := len(records)
	records = s.prefix(records, cycle)
	records = s.settle(records)
	minimal := false
	for !s.late() {
		n := len(records)
		if records, minimal = s.reduce(records); len(records) == n && minimal {
			break
		}
	}
	records = s.simplify(records)
	if s.late() {
		minimal = false
	}
	return &Result{Spec: s.spec, Records: records, PacketsBefore: before, PacketsAfter: len(records), Signature: s.want,
		Seconds: time.Since(s.began).Seconds(), Runs: s.runs, Minimal: minimal && !s.late()}, nil
}

func (s *shrinker) late() bool {
	return s.ctx.Err() != nil || s.o.Limit > 0 && time.Since(s.began) > s.o.Limit
}

// signature runs records and names the first violation; "" where there is none.
func (s *shrinker) signature(spec *session.Spec, records []sim.Offer) (name string, cycle uint64, err error) {
	rep, err := session.Run(s.ctx, *spec, session.Options{Records: records})
	if err != nil {
		return "", 0, err
	}
	if len(rep.Result.Violations) == 0 {
		return "", 0, nil
	}
	v := rep.Result.Violations[0]
	return rep.Signature(v), v.Cycle, nil
}

// same reports whether records fail as the whole did. A candidate that cannot be run does not.
func (s *shrinker) same(spec *session.Spec, records []sim.Offer) bool {
	if len(records) == 0 {
		return false
	}
	name, _, err := s.signature(spec, records)
	return err == nil && name == s.want
}

// first returns the first of the candidates that fails in the same way, -1 if none does. Jobs of them run at a time.
func (s *shrinker) first(n int, candidate func(i int) []sim.Offer) int {
	for from := 0; from < n && !s.late(); from += s.o.Jobs {
		to := min(from+s.o.Jobs, n)
		fails := make([]bool, to-from)
		var g errgroup.Group
		for i := from; i < to; i++ {
			list, spec := candidate(i), s.spec
			g.Go(func() error {
				fails[i-from] = s.same(&spec, list)
				return nil
			})
		}
		g.Wait()
		s.runs += to - from
		if i := slices.Index(fails, true); i >= 0 {
			return from + i
		}
	}
	return -1
}

// prefix leaves out what the device had not yet taken when it failed, found by halving.
func (s *shrinker) prefix(records []sim.Offer, _ uint64) []sim.Offer {
	low, high := 0, len(records) // fails with high, not with low
	for high-low > 1 && !s.late() {
		mid := (low + high) / 2
		if s.runs++; s.same(&s.spec, records[:mid]) {
			high = mid
		} else {
			low = mid
		}
	}
	return records[:high]
}

// settle drops what makes a run harder to read: backpressure, idle beats, starts that wait for a cycle.
func (s *shrinker) settle(records []sim.Offer) []sim.Offer {
	for _, simpler := range []func(*session.Spec){func(x *session.Spec) { x.Backpressure = 0 },
		func(x *session.Spec) { x.Idle = 0 }} {
		spec := s.spec
		simpler(&spec)
		if spec.Backpressure == s.spec.Backpressure && spec.Idle == s.spec.Idle {
			continue
		}
		if s.runs++; s.same(&spec, records) {
			s.spec = spec
		}
	}
	return records
}

// reduce leaves records out, in ever smaller chunks. minimal reports whether no single one could go.
func (s *shrinker) reduce(records []sim.Offer) (_ []sim.Offer, minimal bool) {
	for size := max(1, len(records)/2); ; size = max(1, size/2) {
		chunks := (len(records) + size - 1) / size
		without := func(i int) []sim.Offer {
			i = chunks - 1 - i // from the end: what comes late rarely makes the state that is needed
			return slices.Concat(records[:i*size], records[min(len(records), (i+1)*size):])
		}
		for {
			i := s.first(chunks, without)
			if i < 0 {
				break
			}
			records = without(i)
			s.tell(records)
			chunks = (len(records) + size - 1) / size
		}
		if s.late() || size == 1 {
			return records, !s.late()
		}
	}
}

func (s *shrinker) tell(records []sim.Offer) {
	if s.o.Progress != nil {
		s.o.Progress(len(records), s.runs)
	}
}
