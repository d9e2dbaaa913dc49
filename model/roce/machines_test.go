package roce_test

import (
	"encoding/binary"
	"unsafe"

	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// input is what a machine is given.
type input uint8

const (
	inNext     input = iota // take the next packet
	inStep                  // a packet: its number
	inTimeout               // the transport timer ran out
	inRNR                   // the RNR timer ran out
	inDone                  // local work was done
	inResult                // what memory held: slot and value
	inReceive               // a receive WQE: its ID
	inSetError              // error from outside
)

// move is a machine in a state that is given something.
type move struct {
	id  uint32
	in  input
	arg uint32
}

// outcome is what a move leads to.
type outcome struct {
	id  uint32
	ok  bool
	out roce.Batch
}

// table numbers the states of a machine and remembers what each does with an input. A world then holds numbers of
// states in place of machines of 20 KB, and two worlds are equal where their numbers are. A live table changes its
// machines in place and remembers nothing.
type table[M, F any] struct {
	live  bool
	act   func(m *M, in input, arg uint32, out *roce.Batch) bool
	look  func(m *M) F
	ids   map[string]uint32
	codes []string
	facts []F
	memo  map[move]outcome

	machine  *M // in the state that loaded names
	loaded   uint32
	machines []*M // of a live table
	out      roce.Batch
	code     []byte
}

const nothingLoaded = ^uint32(0)

func newTable[M, F any](live bool, act func(*M, input, uint32, *roce.Batch) bool, look func(*M) F) *table[M, F] {
	return &table[M, F]{live: live, act: act, look: look, ids: map[string]uint32{}, memo: map[move]outcome{},
		machine: new(M), loaded: nothingLoaded}
}

// words are the bytes of a machine, its padding too.
func words[M any](m *M) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(m)), unsafe.Sizeof(*m)/8)
}

// add numbers a machine's state.
func (t *table[M, F]) add(m *M) uint32 {
	if t.live {
		t.machines = append(t.machines, m)
		return uint32(len(t.machines) - 1)
	}
	id, was := t.find(m)
	if !was {
		id = uint32(len(t.codes))
		code := string(t.code)
		t.ids[code], t.codes, t.facts = id, append(t.codes, code), append(t.facts, t.look(m))
	}
	return id
}

// find is the number of a machine's state, if it has one. What it leaves in t.code names it.
func (t *table[M, F]) find(m *M) (id uint32, was bool) {
	t.code = t.code[:0]
	for i, w := range words(m) { // most of a machine is empty rings
		if w != 0 {
			t.code = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint32(t.code, uint32(i)), w)
		}
	}
	id, was = t.ids[string(t.code)]
	return id, was
}

// load puts the scratch machine into a state.
func (t *table[M, F]) load(id uint32) {
	if t.loaded == id {
		return
	}
	all := words(t.machine)
	clear(all)
	for code := []byte(t.codes[id]); len(code) > 0; code = code[12:] {
		all[binary.LittleEndian.Uint32(code)] = binary.LittleEndian.Uint64(code[4:])
	}
	t.loaded = id
}

// do gives a machine an input. What it returns holds until the next call.
func (t *table[M, F]) do(id uint32, in input, arg uint32) outcome {
	if t.live {
		t.out = t.out[:0]
		return outcome{id, t.act(t.machines[id], in, arg, &t.out), t.out}
	}
	k := move{id, in, arg}
	if o, was := t.memo[k]; was {
		return o
	}
	t.load(id)
	t.out = t.out[:0]
	ok := t.act(t.machine, in, arg, &t.out)
	t.loaded = nothingLoaded
	o := outcome{id: t.add(t.machine), ok: ok, out: append(roce.Batch(nil), t.out...)}
	t.loaded = o.id
	t.memo[k] = o
	return o
}

// of tells what can be seen of a state.
func (t *table[M, F]) of(id uint32) F {
	if t.live {
		return t.look(t.machines[id])
	}
	return t.facts[id]
}

// requesterFacts and responderFacts are what can be seen of a machine from outside.
type requesterFacts struct {
	una, next, high                   psn.PSN
	ready, outstanding, waiting, idle bool
	failed                            bool
}

type responderFacts struct {
	ePSN   psn.PSN
	msn    uint32
	owes   bool
	failed bool
}

func factsOfRequester(q *roce.Requester) (f requesterFacts) {
	f.una, f.next, f.high = q.PSNs()
	f.ready, f.outstanding, f.waiting, f.idle, f.failed = q.Ready(), q.Outstanding(), q.Waiting(), q.Idle(),
		q.State == roce.Error
	return f
}

func factsOfResponder(r *roce.Responder) responderFacts {
	return responderFacts{r.EPSN(), r.MSN(), r.Owes(), r.State == roce.Error}
}

func (x *explorer) requesterAct(q *roce.Requester, in input, arg uint32, out *roce.Batch) bool {
	switch in {
	case inNext:
		return q.Next(out)
	case inStep:
		q.Step(&x.packets[arg].packet, out)
	case inTimeout:
		q.Expire(roce.Transport, out)
	case inRNR:
		q.Expire(roce.RNR, out)
	case inDone:
		q.Done(true, out)
	case inSetError:
		q.SetError(out)
	default:
		panic("no input of a requester")
	}
	return true
}

func (x *explorer) responderAct(r *roce.Responder, in input, arg uint32, out *roce.Batch) bool {
	switch in {
	case inNext:
		if r.Owes() {
			r.Drained()
		}
		return r.Next(out)
	case inStep:
		r.Step(&x.packets[arg].packet, out)
	case inResult:
		r.Result(uint8(arg), uint64(arg>>8))
	case inReceive:
		return r.PostReceive(roce.Receive{ID: uint64(arg), Len: x.plan.receiveLen()})
	case inSetError:
		r.SetError(out)
	default:
		panic("no input of a responder")
	}
	return true
}
