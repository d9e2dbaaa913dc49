package equiv

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
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
	apart      []bool // registers that may differ
}

// difference is two literals that are to be equal.
type difference struct {
	gold, gate lit
	reg        int // register that takes them; -1 is an output, or what a memory is given
}

// shows reports whether it is one of what leaves, at an output or into a memory.
func (d difference) shows() bool { return d.reg < 0 }

// Prove shows that the netlist does with choice id what it does with choice 0: outputs are equal in every cycle, for
// all inputs, from all equal states that both are reset in. "" is no proof.
func (n *Netlist) Prove(ctx context.Context, id uint32, o Options) (how string, err error) {
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	m := &maker{graph: newGraph(), n: n, free: map[key]lit{}, decided: map[uint32]map[int]lit{}}
	p := &pair{maker: m, apart: make([]bool, len(n.regs))}
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

// other is the side of a choice: registers that are not apart are those of the other side, and so is what memories give
// where they are asked for the same word.
func (p *pair) other(id uint32) *side {
	s := p.side(id)
	for i, c := range p.n.regs {
		if p.apart[i] {
			s.state[i] = p.leaf(key{cell: c, what: "other state"})
		}
	}
	s.read = func(k key) lit {
		gold := p.leaf(k)
		width, err := strconv.ParseUint(k.cell.params["WIDTH"], 2, 32)
		if err != nil || width == 0 {
			return gold
		}
		bits := len(k.cell.pins["RD_ADDR"]) / (len(k.cell.pins["RD_DATA"]) / int(width))
		at := k.net / int(width) * bits
		same := yes
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
	add := func(a, b lit, reg int) {
		if a != b {
			left = append(left, difference{a, b, reg})
		}
	}
	for _, x := range p.n.ports {
		if !x.input {
			for _, net := range x.bits {
				add(p.gold.net(net, 0), p.gate.net(net, 0), -1)
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

// written compares what a memory is given: the enables, and address and data where they are set.
func (p *pair) written(c *cell, add func(a, b lit, reg int)) {
	en, other := p.gold.list(c, "WR_EN"), p.gate.list(c, "WR_EN")
	data, otherData := p.gold.list(c, "WR_DATA"), p.gate.list(c, "WR_DATA")
	at, otherAt := p.gold.list(c, "WR_ADDR"), p.gate.list(c, "WR_ADDR")
	if len(en) == 0 {
		return
	}
	width, _ := strconv.ParseUint(c.params["WIDTH"], 2, 32)
	ports := len(en) / int(width)
	bits := len(at) / ports
	for w := range ports {
		any := no
		for i := w * int(width); i < (w+1)*int(width); i++ {
			add(en[i], other[i], -1)
			add(p.and(en[i], data[i]), p.and(en[i], otherData[i]), -1)
			any = p.or(any, en[i])
		}
		for i := w * bits; i < (w+1)*bits; i++ {
			add(p.and(any, at[i]), p.and(any, otherAt[i]), -1)
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

// takeApart lets registers differ that take what differs, and reports whether there were any.
func (p *pair) takeApart(some []difference) (any bool) {
	for _, d := range some {
		if d.reg >= 0 && !p.apart[d.reg] {
			p.apart[d.reg] = true
			any = true
		}
	}
	return any
}
