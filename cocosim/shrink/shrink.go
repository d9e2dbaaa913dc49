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
	Limit time.Duration // stop when so much time has gone; 0 is no limit
	Jobs  int           // candidates at a time
	// Progress, if set, is told how many records there were when the search began, how many are left, and after how
	// many runs.
	Progress func(total, records, runs int)
}

// Result is what came of it.
type Result struct {
	Spec          session.Spec `json:"-"`
	Records       []sim.Offer  `json:"-"`
	PacketsBefore int          `json:"packets_before"`
	PacketsAfter  int          `json:"packets_after"`
	QPsBefore     int          `json:"qps_before,omitempty"` // queue pairs or connections, where the records name them
	QPsAfter      int          `json:"qps_after,omitempty"`
	Signature     string       `json:"signature"`
	Seconds       float64      `json:"seconds"`
	Runs          int          `json:"runs"`
	// Minimal: every single record was left out in turn, and the violation was gone.
	Minimal bool `json:"one_minimal"`
}

// shrinker is a shrink on its way.
type shrinker struct {
	ctx   context.Context
	o     Options
	spec  session.Spec
	began time.Time
	want  string
	runs  int
	total int
}

// candidateLimit bounds one run: a design that hangs on a candidate must not stop the shrink.
const candidateLimit = 20 * time.Second

// Run shrinks a failing run to the records that it needs.
func Run(ctx context.Context, spec session.Spec, records []sim.Offer, o Options) (*Result, error) {
	s := &shrinker{ctx: ctx, o: o, spec: spec, began: time.Now()}
	s.o.Jobs = max(1, o.Jobs)
	s.spec.Show, s.spec.Timeout = 1, candidateLimit
	var err error
	var first *cocosim.Violation
	if s.want, first, err = s.signature(&s.spec, records); err != nil {
		return nil, err
	}
	if first == nil {
		return nil, cocosim.Errorf(cocosim.BadInput, "the run agrees: there is nothing to shrink")
	}
	if records, err = s.withoutLives(records, first.Life); err != nil {
		return nil, err
	}
	before, qps := len(records), s.queuePairs(records)
	s.bound(records)
	records = s.prefix(records)
	s.total = len(records)
	records, minimal := s.smallest(records)
	s.spec.LimitCycles, s.spec.Timeout = spec.LimitCycles, spec.Timeout
	s.spec.Show = max(1, spec.Show)
	return &Result{Spec: s.spec, Records: records, PacketsBefore: before, PacketsAfter: len(records),
		QPsBefore: qps, QPsAfter: s.queuePairs(records), Signature: s.want, Seconds: time.Since(s.began).Seconds(),
		Runs: s.runs, Minimal: minimal}, nil
}

// smallest takes turns: what is simpler may need fewer records, and fewer records may be simpler. It ends when a turn
// leaves no record out, and minimal then says that each record was left out of what is returned.
func (s *shrinker) smallest(records []sim.Offer) (_ []sim.Offer, minimal bool) {
	s.settle(records)
	for !s.late() {
		s.bound(records)
		records, minimal = s.reduce(records)
		s.settle(records)
		plain, changed := s.simplify(records)
		records, minimal = plain, minimal && !changed
		if minimal {
			break
		}
	}
	return records, minimal && !s.late()
}

func (s *shrinker) late() bool {
	return s.ctx.Err() != nil || s.o.Limit > 0 && time.Since(s.began) > s.o.Limit
}

// withoutLives takes the resets away. What was found in a life is not in the records, which come behind it: where they
// do not fail so themselves, the life's own take their place.
func (s *shrinker) withoutLives(records []sim.Offer, life int) ([]sim.Offer, error) {
	if s.spec.Resets == 0 {
		return records, nil
	}
	spec := s.spec
	spec.Resets = 0
	if s.runs++; s.same(&spec, records) {
		s.spec = spec
		return records, nil
	}
	if life == 0 {
		return records, nil
	}
	spec, own, err := session.OfLife(s.spec, life)
	if err != nil {
		return nil, err
	}
	if s.runs++; !s.same(&spec, own) {
		return nil, cocosim.Errorf(cocosim.Inconclusive, "the violation is in life %d and needs those before it: their "+
			"traffic is generated, and no record can be left out of it", life)
	}
	s.spec = spec
	return own, nil
}

// bound ends candidates that run on long after the violation of what they are made of: a timer waits millions of
// cycles for what it owes. Lives are left alone, which may last longer than the run.
func (s *shrinker) bound(records []sim.Offer) {
	if s.spec.Resets > 0 {
		return
	}
	if _, first, err := s.signature(&s.spec, records); err == nil && first != nil {
		s.spec.LimitCycles = 2*first.Cycle + boundCycles
	}
}

// boundCycles are given to a candidate beyond twice what the failing run needed.
const boundCycles = 20_000

// signature runs records and names the first violation; nil where there is none.
func (s *shrinker) signature(spec *session.Spec, records []sim.Offer) (string, *cocosim.Violation, error) {
	rep, err := session.Run(s.ctx, *spec, session.Options{Records: records})
	if err != nil || len(rep.Result.Violations) == 0 {
		return "", nil, err
	}
	v := rep.Result.Violations[0]
	return rep.Signature(v), v, nil
}

// same reports whether records fail as the whole did, and not a life before them. A candidate that cannot be run does
// not.
func (s *shrinker) same(spec *session.Spec, records []sim.Offer) bool {
	if len(records) == 0 {
		return false
	}
	name, v, err := s.signature(spec, records)
	return err == nil && v != nil && v.Life == 0 && name == s.want
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
func (s *shrinker) prefix(records []sim.Offer) []sim.Offer {
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
func (s *shrinker) settle(records []sim.Offer) {
	for _, simpler := range []func(*session.Spec){
		func(x *session.Spec) { x.Backpressure, x.StallOnly, x.Idle = 0, "", 0 },
		func(x *session.Spec) { x.Backpressure, x.StallOnly = 0, "" },
		func(x *session.Spec) { x.Idle = 0 },
	} {
		spec := s.spec
		simpler(&spec)
		if s.late() || spec.Backpressure == s.spec.Backpressure && spec.Idle == s.spec.Idle {
			continue
		}
		if s.runs++; s.same(&spec, records) {
			s.spec = spec
		}
	}
}

// reduce leaves records out, in ever smaller chunks, from the end: what comes late rarely makes the state that is
// needed. minimal reports whether each single one of what is left was left out in vain.
func (s *shrinker) reduce(records []sim.Offer) (_ []sim.Offer, minimal bool) {
	for size := max(1, len(records)/2); ; size = max(1, size/2) {
		for {
			n := len(records)
			records = s.sweep(records, size)
			if len(records) == n || size > 1 || s.late() {
				minimal = size == 1 && len(records) == n && !s.late()
				break
			}
		}
		if s.late() || size == 1 {
			return records, minimal
		}
	}
}

// sweep tries each chunk of the records once, from the last to the first.
func (s *shrinker) sweep(records []sim.Offer, size int) []sim.Offer {
	for end := len(records); end > 0 && !s.late(); {
		without := func(i int) []sim.Offer {
			to := end - i*size
			return slices.Concat(records[:max(0, to-size)], records[to:])
		}
		i := s.first((end+size-1)/size, without)
		if i < 0 {
			break
		}
		records, end = without(i), max(0, end-(i+1)*size)
		s.tell(records)
	}
	return records
}

func (s *shrinker) tell(records []sim.Offer) {
	if s.o.Progress != nil {
		s.o.Progress(s.total, len(records), s.runs)
	}
}
