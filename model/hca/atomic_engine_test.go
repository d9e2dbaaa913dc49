package hca

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

// atomicBench is a device of the model with a memory that answers what it is asked, after its latency.
type atomicBench struct {
	stage   sim.Stage
	memory  map[uint64]uint64
	latency func() uint64
	inputs  []sim.Record // to come
	writes  map[*byte]AtomicAccess
	results []sim.Record
}

func newAtomicBench(slots uint64, latency func() uint64) *atomicBench {
	return &atomicBench{stage: atomicEngineSpec.New(sim.Settings{"Slots": slots}), latency: latency,
		memory: map[uint64]uint64{}, writes: map[*byte]AtomicAccess{}}
}

func (b *atomicBench) command(clock uint64, c AtomicCommand) {
	b.inputs = append(b.inputs, sim.Record{Start: clock, End: clock, Port: atomicPortCommand, Data: c.Append(nil)})
}

// run plays all inputs and answers, in the order of their clocks. Memory reads in the clock in which it is asked, and
// writes no sooner than in the one of its acknowledgement: so an atomic that is read too early is seen.
func (b *atomicBench) run(t *testing.T) {
	for len(b.inputs) > 0 {
		first := 0
		for i := range b.inputs {
			if x, y := &b.inputs[i], &b.inputs[first]; x.End < y.End || x.End == y.End && x.Port < y.Port {
				first = i
			}
		}
		in := b.inputs[first]
		b.inputs = append(b.inputs[:first], b.inputs[first+1:]...)
		if w, ok := b.writes[&in.Data[0]]; ok {
			b.memory[w.Address] = w.Data
		}
		for _, out := range b.stage.Advance(in.End, []sim.Record{in}, nil) {
			require.Greater(t, out.End, in.End, "an output comes behind what it follows from")
			b.answer(&out)
		}
	}
}

// answer is what memory does with a read or a write.
func (b *atomicBench) answer(out *sim.Record) {
	a, at := ParseAtomicAccess(out.Data), out.End+b.latency()
	answer := sim.Record{Start: at, End: at}
	x := AtomicAnswer{Tag: a.Tag, Data: b.memory[a.Address]}
	switch out.Port {
	case atomicPortRead:
		answer.Port, answer.Data = atomicPortData, x.AppendRead(nil)
	case atomicPortWrite:
		answer.Port, answer.Data = atomicPortAck, x.AppendWritten(nil)
		b.writes[&answer.Data[0]] = a
	default:
		r := *out
		r.Data = append([]byte(nil), out.Data...)
		b.results = append(b.results, r)
		return
	}
	b.inputs = append(b.inputs, answer)
}

// TestAtomicsAreAtomic: 400 atomics of 5 QPs add 1 to 4 counters; what they return is 0, 1, 2, ... of each counter, in
// the order of the commands (DMA-6), whatever memory takes.
func TestAtomicsAreAtomic(t *testing.T) {
	seed := uint64(1)
	random := func(n uint64) uint64 {
		seed = seed*6364136223846793005 + 1442695040888963407
		return seed >> 33 % n
	}
	for _, slots := range []uint64{2, 16, 64} {
		b := newAtomicBench(slots, func() uint64 { return random(40) })
		var commands []AtomicCommand
		clock := uint64(10)
		for range 400 {
			c := AtomicCommand{Atomic: roce.Atomic{Add: true, SwapAdd: 1}, QPN: uint32(random(5)), Address: 8 * random(4),
				PSN: 7}
			commands = append(commands, c)
			b.command(clock, c)
			clock += 1 + random(3)
		}
		b.run(t)
		require.Len(t, b.results, len(commands))
		next := map[uint64]uint64{}
		for i, r := range b.results {
			got, c := ParseAtomicResult(r.Data), commands[i]
			require.Equal(t, AtomicResult{QPN: c.QPN, PSN: 7, Original: next[c.Address]}, got, "atomic %d", i)
			next[c.Address]++
		}
		require.Equal(t, next, b.memory)
	}
}

// TestAtomicTimes: the times of the document, one by one.
func TestAtomicTimes(t *testing.T) {
	const l = 50
	times := func(slots uint64, n int, command func(i int) AtomicCommand) (ends []uint64) {
		b := newAtomicBench(slots, func() uint64 { return l })
		for i := range n {
			b.command(uint64(100+i), command(i))
		}
		b.run(t)
		for _, r := range b.results {
			ends = append(ends, r.End)
		}
		return ends
	}
	add, fails := roce.Atomic{Add: true, SwapAdd: 1}, roce.Atomic{Compare: 1}
	one := times(16, 1, func(int) AtomicCommand { return AtomicCommand{Atomic: add} })
	require.Equal(t, []uint64{100 + 2*l + 9}, one)
	one = times(16, 1, func(int) AtomicCommand { return AtomicCommand{Atomic: fails} })
	require.Equal(t, []uint64{100 + l + 7}, one, "nothing is written")
	same := times(16, 10, func(i int) AtomicCommand { return AtomicCommand{Atomic: add, QPN: uint32(i)} })
	require.Equal(t, uint64(2*l+8), same[9]-same[8], "one address")
	qp := times(16, 10, func(i int) AtomicCommand { return AtomicCommand{Atomic: add, Address: uint64(8 * i)} })
	require.Equal(t, uint64(2*l+8), qp[9]-qp[8], "one QP")
	other := func(i int) AtomicCommand {
		return AtomicCommand{Atomic: add, QPN: uint32(i), Address: uint64(8 * i)}
	}
	many := times(16, 160, other)
	require.Equal(t, uint64(9*(2*l+8)), many[159]-many[15], "16 in 2L + 8")
	many = times(64, 40, other)
	require.Equal(t, uint64(39), many[39]-many[0], "one a clock, as far as the slots reach")
	for bit := range 64 { // bits 63:3 of an address count, and all of a QP number
		two := times(16, 2, func(i int) AtomicCommand {
			return AtomicCommand{Atomic: add, QPN: uint32(i << min(bit, 23)), Address: uint64(i) << bit}
		})
		between := uint64(1)
		if bit < 3 {
			between = 2*l + 8
		}
		require.Equal(t, between, two[1]-two[0], "bit %d", bit)
	}
}

// TestAtomicErrors: nothing is written where memory could not be read, or a comparison failed.
func TestAtomicErrors(t *testing.T) {
	s := atomicEngineSpec.New(sim.Settings{"Slots": 4})
	give := func(clock uint64, port sim.Port, data []byte) []sim.Record {
		return s.Advance(clock, []sim.Record{{Start: clock, End: clock, Port: port, Data: data}}, nil)
	}
	for i, x := range []struct {
		atomic roce.Atomic
		read   AtomicAnswer
		write  *AtomicAccess
		ack    AtomicAnswer
		want   AtomicResult
	}{
		{roce.Atomic{Add: true, SwapAdd: 5}, AtomicAnswer{Error: true, Data: 99}, nil, AtomicAnswer{},
			AtomicResult{Status: AtomicNotRead}},
		{roce.Atomic{Compare: 7, SwapAdd: 5}, AtomicAnswer{Data: 8}, nil, AtomicAnswer{}, AtomicResult{Original: 8}},
		{roce.Atomic{Compare: 8, SwapAdd: 5}, AtomicAnswer{Data: 8}, &AtomicAccess{Data: 5}, AtomicAnswer{},
			AtomicResult{Original: 8}},
		{roce.Atomic{Add: true, SwapAdd: 5}, AtomicAnswer{Data: 8}, &AtomicAccess{Data: 13}, AtomicAnswer{Error: true},
			AtomicResult{Original: 8, Status: AtomicNotWritten}},
	} {
		clock, tag := uint64(100*i+10), uint8(i)
		c := AtomicCommand{Atomic: x.atomic, QPN: 1, PSN: 2, Address: 64}
		require.Len(t, give(clock, atomicPortCommand, c.Append(nil)), 1)
		x.read.Tag, x.ack.Tag = tag, tag
		out := give(clock+10, atomicPortData, x.read.AppendRead(nil))
		require.Len(t, out, 1)
		if x.write != nil {
			x.write.Tag, x.write.Address = tag, 64
			require.Equal(t, *x.write, ParseAtomicAccess(out[0].Data))
			out = give(clock+20, atomicPortAck, x.ack.AppendWritten(nil))
		}
		x.want.QPN, x.want.PSN = 1, 2
		require.Len(t, out, 1)
		require.Equal(t, x.want, ParseAtomicResult(out[0].Data))
	}
}
