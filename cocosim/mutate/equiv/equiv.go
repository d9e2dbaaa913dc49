package equiv

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"time"
)

// Options are what a proof begins with and may take.
type Options struct {
	Reset    string // pin; "" is none
	Asserted int    // its value in reset
	Timeout  time.Duration
	Dir      string // for files of the solver
	AnyState bool   // only what is the same from every state: what is reached is not asked
}

// pair compares the netlist with nothing chosen with that of a choice.
type pair struct {
	*maker
	gold, gate *side
	apart      []bool // registers and columns of memories that may differ
}

// difference is two literals that are to be equal.
type difference struct {
	gold, gate lit
	takes      []int // the register, or the columns of a memory, that take them; none of an output
}

// shows reports whether it is one of what leaves.
func (d difference) shows() bool { return d.takes == nil }

// Prove shows that the netlist does with choice id what it does with choice 0: outputs are equal in every cycle, for
// all inputs, from all equal states that both are reset in. "" is no proof.
func (n *Netlist) Prove(ctx context.Context, id uint32, o Options) (how string, err error) {
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	m := &maker{graph: newGraph(), n: n, free: map[key]lit{}, decided: map[uint32]map[int]lit{}}
	p := &pair{maker: m, apart: make([]bool, len(n.regs)+n.columns)}
	p.gold = p.side(0)
	rng := rand.New(rand.NewPCG(1, uint64(id)))
	how = "the same netlist"
	for {
		p.gate = p.other(id)
		left := p.differences()
		if p.gold.failed != nil || p.gate.failed != nil {
			return "", p.gate.failed
		}
		if len(left) == 0 {
			return how, nil
		}
		how = "the same from every state"
		shown := p.shown(left, rng)
		if o.AnyState && slices.ContainsFunc(shown, difference.shows) {
			return "", nil
		}
		if p.takeApart(shown) {
			continue
		}
		equal, err := p.solve(ctx, o.Dir, left)
		if err != nil {
			return "", err
		}
		var rest []difference
		for i, d := range left {
			if !equal[i] {
				rest = append(rest, d)
			}
		}
		if len(rest) == 0 {
			return how, nil
		}
		if o.AnyState && slices.ContainsFunc(rest, difference.shows) {
			return "", nil
		}
		if !p.takeApart(rest) {
			return p.sequential(ctx, o, left)
		}
	}
}

// other is the side of a choice: registers that are not apart are those of the other side, and so is what columns of
// memories give that are not, where they are asked for the same word.
func (p *pair) other(id uint32) *side {
	s := p.side(id)
	for i, c := range p.n.regs {
		if p.apart[i] {
			s.state[i] = p.leaf(key{cell: c, what: "other state"})
		}
	}
	s.read = func(k key) lit {
		gold := p.leaf(k)
		width := k.cell.width
		bits := len(k.cell.pins["RD_ADDR"]) / (len(k.cell.pins["RD_DATA"]) / width)
		at := k.net / width * bits
		same := yes
		if p.apart[k.cell.column(k.net%width)] {
			same = no
		}
		for _, net := range k.cell.pins["RD_ADDR"][at : at+bits] {
			same = p.and(same, p.xor(p.gold.net(net, 0), s.net(net, 0)).not())
		}
		if same == yes {
			return gold
		}
		return p.choose(same, gold, p.leaf(key{k.cell, "other word", k.net}))
	}
	return s
}

// differences are what is to be equal and is not the same node.
func (p *pair) differences() (left []difference) {
	add := func(a, b lit, takes ...int) {
		if a != b {
			left = append(left, difference{a, b, takes})
		}
	}
	for _, x := range p.n.ports {
		if !x.input {
			for _, net := range x.bits {
				add(p.gold.net(net, 0), p.gate.net(net, 0))
			}
		}
	}
	for i, c := range p.n.regs {
		if !p.apart[i] {
			add(p.gold.next(c), p.gate.next(c), i)
		}
	}
	for _, c := range p.n.mems {
		p.written(c, add)
	}
	return left
}

// written compares what a memory is given, by column: the enables, and address and data where they are set.
func (p *pair) written(c *cell, add func(a, b lit, takes ...int)) {
	en, other := p.gold.list(c, "WR_EN"), p.gate.list(c, "WR_EN")
	data, otherData := p.gold.list(c, "WR_DATA"), p.gate.list(c, "WR_DATA")
	at, otherAt := p.gold.list(c, "WR_ADDR"), p.gate.list(c, "WR_ADDR")
	if len(en) == 0 {
		return
	}
	ports := len(en) / c.width
	bits := len(at) / ports
	for w := range ports {
		enabled := map[lit][]int{} // columns, by enable
		for i := range c.width {
			if p.apart[c.column(i)] {
				continue
			}
			k := w*c.width + i
			add(en[k], other[k], c.column(i))
			add(p.and(en[k], data[k]), p.and(en[k], otherData[k]), c.column(i))
			enabled[en[k]] = append(enabled[en[k]], c.column(i))
		}
		for _, e := range slices.Sorted(maps.Keys(enabled)) {
			for i := w * bits; i < (w+1)*bits; i++ {
				add(p.and(e, at[i]), p.and(e, otherAt[i]), enabled[e]...)
			}
		}
	}
}

// shown are the differences that some states and inputs have, drawn at random.
func (p *pair) shown(left []difference, rng *rand.Rand) (some []difference) {
	seen := make([]bool, len(left))
	for range 16 {
		v := p.simulate(rng.Uint64)
		for i, d := range left {
			if !seen[i] && value(v, d.gold) != value(v, d.gate) {
				seen[i] = true
				some = append(some, d)
			}
		}
	}
	return some
}

// takeApart lets registers and columns differ that take what differs, and reports whether there were any.
func (p *pair) takeApart(some []difference) (any bool) {
	for _, d := range some {
		for _, i := range d.takes {
			any = any || !p.apart[i]
			p.apart[i] = true
		}
	}
	return any
}
