package loop

import (
	"cmp"

	"hcacosim/cocosim/flow"
	"hcacosim/model/sim"
)

// First is what was wrong first in a pair that stops there.
type First struct {
	Packets uint64 `json:"packets"` // that both ends had sent
	By      string `json:"by"`      // who found it: judge, host, device, or end where the loop did not come to one
	Finding string `json:"finding"`
}

// finder watches a pair until something is wrong.
type finder struct {
	packets uint64
	found   *First
	bad     *Findings
}

// untilWrong has the loop stop at the first thing that is wrong; nil: it need not. With a rogue only its end tells.
func (p *Pair) untilWrong(cfg *Config, judging [2]*judges, bad *Findings) *finder {
	if !p.UntilWrong {
		return nil
	}
	f := &finder{bad: bad}
	if p.Rogue != nil {
		f.bad = &Findings{}
	}
	for i := range 2 {
		if p.Rogue == nil {
			judging[i].heard = func(v *flow.Verdict) { f.judged(i, v) }
		}
		cfg.Seen[i] = both(cfg.Seen[i], func(_ uint64, _ []byte, sent bool) {
			if sent {
				f.packets++
			}
		})
	}
	cfg.Stop = f.stops
	return f
}

// judged takes the verdict of an end's judge.
func (f *finder) judged(end int, v *flow.Verdict) {
	if v.Class == flow.Broken && v.Certainty == sim.Certain {
		f.is("judge", Names[end]+": "+string(v.Rule)+" "+v.Text)
	}
}

func (f *finder) is(by, what string) {
	if f.found == nil {
		f.found = &First{Packets: f.packets, By: by, Finding: what}
	}
}

func (f *finder) stops() bool {
	if f.bad.Count > 0 {
		f.is("host", f.bad.List[0])
	}
	return f.found != nil
}

// ended is what was wrong first in a loop that a device ended.
func (f *finder) ended(err error) *First {
	if f == nil {
		return nil
	}
	f.is("device", err.Error())
	return f.found
}

// of is what was wrong first in a loop that came to an outcome; nil: nothing.
func (f *finder) of(o *Outcome) *First {
	switch {
	case f == nil:
		return nil
	case f.stops() || o.Good():
	case !o.rogue && len(o.Judged[0].First)+len(o.Judged[1].First) > 0:
		f.is("judge", append(o.Judged[0].First, o.Judged[1].First...)[0])
	default:
		f.is("end", cmp.Or(o.Rogue, o.Result.Stuck))
	}
	return f.found
}
