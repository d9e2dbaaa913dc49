package roce_test

import (
	"encoding/binary"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/roce"
)

// topState is a responder that owes nothing, and what the word of memory holds that atomics are done on.
type topState struct {
	id      uint32
	counter uint64
}

// topStep is what is done to a queue pair of hca_top: a request comes, a receive WQE is posted, software has it in
// error.
type topStep struct {
	in  input
	arg uint32 // a request's number, or the receive WQE's
}

// topEdge is a step and what must follow: the machine's effects, until it owes nothing.
type topEdge struct {
	topStep
	out   roce.Batch
	words []uint64 // that memory holds behind the atomics
}

// topPath is a queue pair from its beginning on.
type topPath struct {
	cfg   *roce.ResponderConfig
	posts uint32 // receive WQEs that it begins with
	// Of a path of requesters what it sends, all of it posted at once.
	sends *roce.RequesterConfig
	work  []roce.Work
	steps []*topEdge
}

// topTour makes paths of a world's responders, or requesters: each edge from a state in which the device has nothing
// to do until something comes.
type topTour struct {
	t      *testing.T
	x      *explorer
	p      *replay
	begins []topPath
	edges  []*topEdge
	seen   map[topState]bool
	queue  []topState
	moves  map[uint32][]topStep
}

func (x *explorer) topTour(t *testing.T) *topTour {
	return &topTour{t: t, x: x, p: newReplay(), seen: map[topState]bool{}, moves: map[uint32][]topStep{}}
}

// requestPaths are the paths that take every edge of a world's responders, and the edges. Requests that come while
// answers wait are given behind these answers: when an answer leaves is the device's choice.
func (x *explorer) requestPaths(t *testing.T) ([]topPath, *topTour) {
	r := x.topTour(t)
	var out roce.Batch
	for _, k := range inOrder(x.r.memo) {
		if k.in != inStep && k.in != inReceive && k.in != inSetError {
			continue
		}
		x.r.load(k.id)
		m := new(roce.Responder)
		for *m = *x.r.machine; x.responderAct(m, inNext, 0, &out); {
		}
		r.may(x.r.add(m), topStep{k.in, k.arg})
	}
	for _, b := range x.responderBeginnings() {
		r.begin(topState{id: b.id}, topPath{cfg: b.cfg, posts: b.posts})
	}
	for ; len(r.queue) > 0; r.queue = r.queue[1:] {
		for _, k := range r.moves[r.queue[0].id] {
			r.request(r.queue[0], k)
		}
	}
	return r.paths(), r
}

// may adds what can come in a state.
func (r *topTour) may(id uint32, k topStep) {
	if !slices.Contains(r.moves[id], k) {
		r.moves[id] = append(r.moves[id], k)
	}
}

// begin adds a beginning of paths.
func (r *topTour) begin(s topState, p topPath) {
	r.add(s)
	r.p.first[r.p.state(s)] = setup{binary.LittleEndian.AppendUint32([]byte{'b'}, uint32(len(r.begins)))}
	r.begins = append(r.begins, p)
}

// lead adds an edge.
func (r *topTour) lead(from, to topState, e *topEdge) {
	r.add(to)
	n := uint32(len(r.edges))
	r.edges = append(r.edges, e)
	in := binary.LittleEndian.AppendUint32([]byte{byte(e.in)}, e.arg)
	r.p.add(r.t, edge{from: r.p.state(from), to: r.p.state(to),
		vectors: []vector{{in: in, want: binary.LittleEndian.AppendUint32(nil, n)}}})
}

// paths take every edge.
func (r *topTour) paths() (paths []topPath) {
	var records []vector
	taken := r.p.tour(&records)
	require.Equal(r.t, len(r.p.edges), taken, "%s: an edge that no path leads to", r.x.plan.name)
	for i := range records {
		n := binary.LittleEndian.Uint32(records[i].in[1:])
		if records[i].in[0] == 'b' {
			paths = append(paths, r.begins[n])
			continue
		}
		last := &paths[len(paths)-1]
		last.steps = append(last.steps, r.edges[binary.LittleEndian.Uint32(records[i].want)])
	}
	return paths
}

func (r *topTour) add(s topState) {
	if !r.seen[s] {
		r.seen[s], r.queue = true, append(r.queue, s)
	}
}

// topBeginning is a responder to which nothing has come.
type topBeginning struct {
	id, posts uint32
	cfg       *roce.ResponderConfig
}

// responderBeginnings are those that a world has: with all receive WQEs posted, or with none where they come late.
func (x *explorer) responderBeginnings() (all []topBeginning) {
	posts := map[uint32]bool{}
	for c := range x.channels {
		for epoch := range x.work[c] {
			if x.work[c][epoch] != nil {
				posts[uint32(x.receives(&world{epoch: uint8(epoch)}, c))] = true
			}
		}
	}
	if x.plan.lateReceive {
		posts = map[uint32]bool{0: true}
	}
	for _, start := range slices.Sorted(maps.Keys(x.rcfgs)) {
		for _, n := range slices.Sorted(maps.Keys(posts)) {
			r := new(roce.Responder)
			*r = roce.NewResponder(x.rcfgs[start])
			for i := range n {
				r.PostReceive(roce.Receive{ID: uint64(i) + 1, Len: x.plan.receiveLen()})
			}
			if id, is := x.r.find(r); is {
				all = append(all, topBeginning{id, n, x.rcfgs[start]})
			}
		}
	}
	return all
}

// request adds an edge of a responder.
func (r *topTour) request(from topState, k topStep) {
	x := r.x
	if k.in == inStep && x.packets[k.arg].answer {
		return
	}
	x.r.load(from.id)
	m := new(roce.Responder)
	*m = *x.r.machine
	e := &topEdge{topStep: k}
	x.responderAct(m, k.in, k.arg, &e.out)
	to := topState{counter: from.counter}
	for done := 0; ; {
		for ; done < len(e.out); done++ {
			if a := &e.out[done]; a.Kind == roce.AtomicMemory {
				m.Result(a.Slot, to.counter)
				to.counter += a.Packet.SwapAdd
				e.words = append(e.words, to.counter)
			}
		}
		if !x.responderAct(m, inNext, 0, &e.out) {
			break
		}
	}
	to.id = x.r.add(m)
	r.lead(from, to, e)
}
