package cover

import "hcacosim/model/sim"

// The sheet of cnp_gen.
func init() { declarations["cnp_gen"] = declareCNP }

var cnpOps = Axis{"packet", "set", "period", "remove", "4", "5", "6", "7"}

var cnpWhys = Axis{"CNP or done", "not marked", "not RoCEv2", "a CNP", "no QP", "too soon", "period too long",
	"no such"}

var cnpRules = [][]string{{"CNP-1", "CNP-2", "CNP-3"}, {"CNP-1"}, {"CNP-1"}, {"CNP-4"}, nil, {"CNP-2"}, nil, nil}

// aroundPeriod is how far behind the last CNP of its QP a mark comes, against the period.
var aroundPeriod = Axis{"the same clock", "2 and more before its end", "1 before", "at its end", "1 behind", "more"}

func declareCNP(o *Observer, s sim.Settings) {
	allowed := [][]int{{0, 1, 2, 3, 4, 5}, {0}, {0, 6}, {0, 4}, {7}, {7}, {7}, {7}}
	whys := o.mayBe(cnpOps, cnpWhys, allowed, func(op, why int) []string {
		if op == 0 {
			return cnpRules[why]
		}
		return nil
	})
	distance := o.cross("rule: distance to the last CNP x given", func(at []int, b *Bin) {
		b.Rules = []string{"CNP-2"}
		switch {
		case at[0] == 0:
			b.Ignored = "one record a clock"
		case (at[0] >= 3) != (at[1] == 1):
			b.Illegal = "CNP-2 says no"
		}
	}, aroundPeriod, Axis{"none", "CNP"})
	services := o.cross("rule: service of what gives a CNP", func(_ []int, b *Bin) { b.Rules = []string{"CNP-3"} },
		Axis{"RC", "UC", "UD", "none"})
	periods := o.cross("period", nil, Axis{"0", "1", "2 and more", "more than a quarter of a stamp's range"})
	near := o.newSince("QP")
	p := cnpPlace{last: map[uint64]uint64{}, half: 1 << (s.Get("StampWidth", 24) - 1)}
	o.restart = append(o.restart, func() { clear(p.last); p.period = 0 })
	o.blame = func(_ *sim.Record, want []byte) string {
		if rules := cnpRules[number(want, 27, 29)]; len(rules) > 0 {
			return rules[len(rules)-1]
		}
		return ""
	}
	o.pair = func(in, out *sim.Record) {
		op, why, qpn := int(number(in.Data, 0, 2)), int(number(out.Data, 27, 29)), number(in.Data, 3, 26)
		o.hit(whys, op, why)
		near.count(in, qpn)
		switch {
		case op == 0 && (why == 0 || why == 5):
			if last, given := p.last[qpn]; given {
				o.hit(distance, p.around(in.End-last), bit(why == 0))
			}
			if why == 0 {
				o.hit(services, int(number(in.Data, 27, 28)))
				p.last[qpn] = in.End
			}
		case op == 1 || op == 3 && why == 0:
			delete(p.last, qpn)
		case op == 2 && why == 0:
			p.period = number(in.Data, 426, 457)
			o.hit(periods, p.kind())
		}
	}
}

// cnpPlace is when each QP gave its last CNP, and the period.
type cnpPlace struct {
	last         map[uint64]uint64
	period, half uint64
}

func (p *cnpPlace) around(ago uint64) int {
	switch end := p.period; {
	case ago == 0:
		return 0
	case ago+1 < end:
		return 1
	case ago < end:
		return 2
	case ago == end:
		return 3
	case ago == end+1:
		return 4
	}
	return 5
}

func (p *cnpPlace) kind() int {
	if p.period > p.half/2 {
		return 3
	}
	return int(min(p.period, 2))
}
