package equiv

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Solver is the program that is asked: ABC, as it comes with Yosys.
const Solver = "yosys-abc"

// aiger is a graph in the form that solvers read: inputs, registers with what they take, outputs.
type aiger struct {
	g       *graph
	in      []lit
	reg     []lit
	next    []lit
	out     []lit
	numbers map[int]uint32
}

// number gives a literal the number that it has in the file.
func (a *aiger) number(l lit) uint32 {
	if l.node() == 0 {
		return uint32(l)
	}
	return a.numbers[l.node()]*2 + uint32(l&1)
}

func (a *aiger) write(name string) error {
	roots := append(append([]lit{}, a.out...), a.next...)
	cone := a.g.cone(roots)
	a.numbers = map[int]uint32{}
	for _, l := range append(append([]lit{}, a.in...), a.reg...) {
		a.numbers[l.node()] = uint32(len(a.numbers) + 1)
	}
	var gates []int
	for n := 1; n < len(cone); n++ {
		if cone[n] && !a.g.isInput(n) {
			a.numbers[n] = uint32(len(a.numbers) + 1)
			gates = append(gates, n)
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "aig %d %d %d %d %d\n", len(a.numbers), len(a.in), len(a.reg), len(a.out), len(gates))
	for _, l := range append(append([]lit{}, a.next...), a.out...) {
		fmt.Fprintln(&b, a.number(l))
	}
	for _, n := range gates {
		x, y := a.number(a.g.nodes[n][0]), a.number(a.g.nodes[n][1])
		if x < y {
			x, y = y, x
		}
		delta(&b, a.numbers[n]*2-x)
		delta(&b, x-y)
	}
	return os.WriteFile(name, b.Bytes(), 0o666)
}

func delta(b *bytes.Buffer, x uint32) {
	for ; x >= 0x80; x >>= 7 {
		b.WriteByte(byte(x) | 0x80)
	}
	b.WriteByte(byte(x))
}

// inputs are those of a graph that some literals depend on.
func (g *graph) inputs(roots []lit) (all []lit) {
	for n, in := range g.cone(roots) {
		if in && g.isInput(n) {
			all = append(all, lit(2*n))
		}
	}
	return all
}

// solve asks which differences are none, whatever the state.
func (p *pair) solve(ctx context.Context, dir string, left []difference) (equal []bool, err error) {
	a := &aiger{g: p.graph}
	for _, d := range left {
		a.out = append(a.out, p.xor(d.gold, d.gate))
	}
	a.in = p.inputs(a.out)
	from, to := filepath.Join(dir, "equal.aig"), filepath.Join(dir, "equal.out.aig")
	if err := a.write(from); err != nil {
		return nil, err
	}
	os.Remove(to)
	equal = make([]bool, len(left))
	script := fmt.Sprintf("read_aiger %s; fraig -C 20000; write_aiger %s", filepath.Base(from), filepath.Base(to))
	if _, err := abc(ctx, dir, script); err != nil {
		return equal, err
	}
	return equal, zeros(to, equal)
}

// zeros notes which outputs of a file are constant 0.
func zeros(name string, zero []bool) error {
	f, err := os.Open(name)
	if err != nil {
		return nil // out of time
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Scan()
	for i := range zero {
		if !lines.Scan() {
			return errors.New(name + ": too few outputs")
		}
		zero[i] = lines.Text() == "0"
	}
	return nil
}

// reached is what sequential has shown, by step.
var reached = [2]string{"no state tells them apart in which the rest is equal",
	"no state that is reached tells them apart"}

// sequential asks whether a state that can be reached from a reset tells the sides apart. First with the registers that
// are equal taken for inputs, which is less to look at, then with all.
func (p *pair) sequential(ctx context.Context, o Options, left []difference) (how string, err error) {
	if o.Reset == "" {
		return "", nil
	}
	bad := no
	for _, d := range left {
		bad = p.or(bad, p.xor(d.gold, d.gate))
	}
	for i, whole := range []bool{false, true} {
		name := filepath.Join(o.Dir, fmt.Sprintf("reached%d.aig", i))
		if err := p.unrolled(bad, o, whole).write(name); err != nil {
			return "", err
		}
		limit := o.Timeout
		if !whole {
			limit /= 3
		}
		text, err := abc(ctx, o.Dir, fmt.Sprintf("read_aiger %s; strash; scorr; pdr -T %d", filepath.Base(name),
			max(1, int(limit/time.Second))))
		if err != nil {
			return "", err
		}
		if strings.Contains(text, "Property proved") {
			return reached[i], nil
		}
	}
	return "", nil
}

// unrolled is the machine in which bad is to be unreachable: its first cycle is one of reset, from any state that
// is the same on both sides.
func (p *pair) unrolled(bad lit, o Options, whole bool) *aiger {
	x := &mover{g: newGraph(), from: p.graph, to: map[int]lit{}}
	began := x.g.input()
	a := &aiger{g: x.g, reg: []lit{began}, next: []lit{yes}}
	for _, q := range p.n.ports {
		if q.input && q.name == o.Reset {
			pin := x.g.input()
			a.in = append(a.in, pin)
			x.to[p.leaf(key{net: q.bits[0]}).node()] = x.g.choose(began, pin, lit(o.Asserted))
		}
	}
	var takes []lit
	for i, c := range p.n.regs {
		if !p.apart[i] && !whole {
			continue
		}
		first := x.g.input()
		a.in = append(a.in, first)
		for k, s := range []*side{p.gold, p.gate} {
			if k == 0 || p.apart[i] {
				q := x.g.input()
				a.reg = append(a.reg, q)
				takes = append(takes, s.next(c))
				x.to[s.state[i].node()] = x.g.choose(began, q, first)
			}
		}
	}
	there := x.move(append(takes, bad))
	a.next = append(a.next, there[:len(takes)]...)
	a.out = there[len(takes):]
	isReg := map[lit]bool{}
	for _, l := range a.reg {
		isReg[l] = true
	}
	a.in = a.in[:0]
	for _, l := range x.g.inputs(append(append([]lit{}, a.out...), a.next...)) {
		if !isReg[l] {
			a.in = append(a.in, l)
		}
	}
	return a
}

// mover copies a graph into another one, with some of its inputs replaced.
type mover struct {
	g, from *graph
	to      map[int]lit
}

// move copies what some literals depend on.
func (x *mover) move(roots []lit) (there []lit) {
	for n, in := range x.from.cone(roots) {
		if _, ok := x.to[n]; ok || !in {
			continue
		}
		switch {
		case n == 0:
			x.to[n] = no
		case x.from.isInput(n):
			x.to[n] = x.g.input()
		default:
			v := x.from.nodes[n]
			x.to[n] = x.g.and(x.to[v[0].node()]^v[0]&1, x.to[v[1].node()]^v[1]&1)
		}
	}
	for _, l := range roots {
		there = append(there, x.to[l.node()]^l&1)
	}
	return there
}

// abc runs a script in a directory. Names of files are of that directory: a space would end them.
func abc(ctx context.Context, dir, script string) (string, error) {
	cmd := exec.CommandContext(ctx, Solver, "-c", script)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", Solver, err, bytes.TrimSpace(out))
	}
	return string(out), nil
}
