package falcon_test

import (
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/falcon"
	"hcacosim/model/falcon/mode"
	"hcacosim/model/falcon/wire"
)

// defaultWalk is how many steps a random walk has; a walk that is asked to be longer makes the joined one as long.
const defaultWalk = 200_000

var walkSteps = flag.Int("walk", defaultWalk, "steps of the random walk, and of the joined one where it is more")

// end is one end of a connection of a walk: it sends and receives.
type end struct {
	tx    *falcon.Transmitter
	rx    falcon.Receiver
	start [2]falcon.PSN
	sent  [2]uint32
	// By window, of what this end sends: what has become of it.
	fate [2][]fate
	ulp  []ulpWork // of what it received
}

// fate is what has become of a packet.
type fate struct {
	kind                                falcon.Kind
	delivered, acked, broken, completed bool
}

// ulpWork is Push Data that waits for the ULP.
type ulpWork struct {
	atNs int64
	psn  falcon.PSN
}

// flying is something on the link of a walk.
type flying struct {
	atNs    int64
	to      int
	message message
	packet  falcon.Packet
	data    bool
}

// walk is a connection with two ends and a link that loses, doubles, delays and reorders; time passes.
type walk struct {
	t     *testing.T
	rnd   *rand.Rand
	ends  [2]*end
	link  []flying
	nowNs int64
	todo  [2]int // packets left to be sent
	cfg   falcon.TransmitterConfig
	loss  int // in 1000
	steps int
	acked int
}

// A random walk at full size, in both directions, with piggybacked bases, RNR, CIE, xLR and lack of resources,
// congestion windows that change, pacing, RACK and TLP: what the small worlds hold holds, and everything ends. FAL-D8,
// FAL-D9, FAL-D14, FAL-D18, FAL-D19, FAL-D20, FAL-D21, FAL-D22, FAL-D23.
func TestRandomWalk(t *testing.T) {
	steps, worlds, acked := 0, 0, 0
	for seed := uint64(1); steps < *walkSteps; seed++ {
		w := newWalk(t, seed)
		w.run(seed)
		steps, worlds, acked = steps+w.steps, worlds+1, acked+w.acked
	}
	t.Logf("%d steps in %d worlds, %d packets", steps, worlds, acked)
	require.NotZero(t, acked)
}

func newWalk(t *testing.T, seed uint64) *walk {
	rnd := rand.New(rand.NewPCG(seed, 32))
	w := &walk{t: t, rnd: rnd, loss: []int{0, 10, 100, 300}[rnd.IntN(4)]}
	m := mode.Spec
	if rnd.IntN(2) == 0 {
		m = mode.Peer
		m.OWNFirstBypass, m.OWNSmallerBypass, m.OWNScanExitBypass = rnd.IntN(2) == 0, rnd.IntN(2) == 0, rnd.IntN(2) == 0
	}
	rack := rnd.IntN(4) == 0
	w.cfg = falcon.TransmitterConfig{Mode: &m, Fcwnd: uint32(rnd.IntN(200)+1) * falcon.CwndOne / 2,
		Ncwnd:        uint16(rnd.IntN(64) + 1),
		OOOThreshold: uint8(rnd.IntN(8)), MaxRetransmits: 250, AckReqFcwnd: 2 * falcon.CwndOne,
		AckReqPercent: uint8(rnd.IntN(101)),
		RTONs:         40_000, ULPTimeoutNs: 100_000, RACK: rack, RACKWindowNs: 1000, AckTimeoutNs: 8000}
	if rack {
		w.cfg.TLP, w.cfg.TLPPerWindow = falcon.Probe(rnd.IntN(3)), rnd.IntN(2) == 0
	}
	for i := range w.ends {
		w.todo[i] = 300 + rnd.IntN(300)
		w.ends[i] = &end{start: [2]falcon.PSN{falcon.PSN(rnd.IntN(400)) - 200, falcon.PSN(rnd.IntN(400)) - 200}}
	}
	for i, e := range w.ends {
		cfg := w.cfg
		cfg.RequestBase, cfg.DataBase = e.start[0], e.start[1]
		e.tx = falcon.NewTransmitter(&cfg)
		o := w.ends[1-i]
		e.rx = falcon.NewReceiver(&falcon.ReceiverConfig{Mode: &m, RequestBase: o.start[0], DataBase: o.start[1],
			RequestWindow: uint8(64 >> rnd.IntN(2)), DataWindow: uint8(128 >> rnd.IntN(2)), AckCount: uint16(1 + rnd.IntN(10)),
			AckTimeoutNs: 8000, RACK: rack})
	}
	return w
}

// run goes on until everything has ended.
func (w *walk) run(seed uint64) {
	for !w.done() {
		w.steps++
		require.Less(w.t, w.steps, 400_000, "seed %d: it does not end", seed)
		w.nowNs += int64(w.rnd.IntN(300))
		w.arrivals()
		for i := range w.ends {
			w.act(i)
		}
		if w.t.Failed() {
			w.t.Fatalf("seed %d, step %d", seed, w.steps)
		}
	}
}

func (w *walk) done() bool {
	for i, e := range w.ends {
		if w.todo[i] > 0 {
			return false
		}
		for win := range falcon.Window(2) {
			h := e.tx.Window(win)
			if h.Outstanding().Any() {
				return false
			}
		}
	}
	return true
}

// act is what an end does by itself.
func (w *walk) act(i int) {
	e := w.ends[i]
	var r falcon.TxResult
	if e.tx.NextTimerNs() <= w.nowNs {
		e.tx.Expire(w.nowNs, &r)
		require.False(w.t, r.Fatal)
	}
	var out falcon.RxResult
	e.rx.Expire(w.nowNs, &out)
	w.answer(i, &out)
	for k := 0; k < len(e.ulp); k++ {
		if e.ulp[k].atNs <= w.nowNs {
			u := e.ulp[k]
			e.ulp = append(e.ulp[:k], e.ulp[k+1:]...)
			w.acknowledge(i, u.psn)
			break
		}
	}
	if w.rnd.IntN(200) == 0 {
		e.tx.Apply(uint32(w.rnd.IntN(128*falcon.CwndOne)+1), uint16(w.rnd.IntN(40)+1), uint32(w.rnd.IntN(2)),
			20_000+int64(w.rnd.IntN(80_000)))
	}
	w.leave(i)
}

// acknowledge is the ULP's word on a Push Data: mostly yes.
func (w *walk) acknowledge(i int, p falcon.PSN) {
	e, f := w.ends[i], w.fate(1-i, falcon.Data, p)
	var out falcon.RxResult
	switch n := w.rnd.IntN(40); {
	case n == 0:
		e.rx.Refuse(falcon.Data, p, wire.NackRNR, 0, int64(w.rnd.IntN(60_000)), &out)
		e.ulp = append(e.ulp, ulpWork{w.nowNs + 60_000, p})
	case n == 1 && !f.acked:
		f.broken = true
		e.rx.Refuse(falcon.Data, p, wire.NackCIE, 7, 0, &out)
	default:
		f.acked = true
		e.rx.Acknowledge(p, w.nowNs, &out)
	}
	w.answer(i, &out)
}

// fate is that of a packet that an end sent.
func (w *walk) fate(from int, win falcon.Window, p falcon.PSN) *fate {
	n := p.From(w.ends[from].start[win])
	require.Less(w.t, n, uint32(len(w.ends[from].fate[win])), "PSN %d was never sent", p)
	return &w.ends[from].fate[win][n]
}

// leave lets packets leave while they may: those that are due first, mostly.
func (w *walk) leave(i int) {
	e := w.ends[i]
	s, gate := e.tx.Resend(w.nowNs)
	if gate == falcon.Open {
		f := w.fate(i, s.Window(), s.PSN)
		require.Equal(w.t, f.kind, s.Of)
		if s.Kind == falcon.Resync {
			require.True(w.t, f.broken, "a Resync for nothing")
		}
		w.launch(i, &s.Packet)
		return
	}
	if w.todo[i] == 0 || w.rnd.IntN(3) == 0 {
		return
	}
	kind := []falcon.Kind{pull, reply, push}[w.rnd.IntN(3)]
	if s, gate = e.tx.Send(kind, uint32(w.todo[i]), w.nowNs); gate != falcon.Open {
		return
	}
	win := kind.Window()
	require.Equal(w.t, e.start[win].Add(e.sent[win]), s.PSN)
	e.sent[win]++
	w.todo[i]--
	e.fate[win] = append(e.fate[win], fate{kind: kind})
	w.launch(i, &s.Packet)
}

// launch puts a packet onto the link with the bases of the end's receiver (FAL-D8).
func (w *walk) launch(from int, p *falcon.Packet) {
	w.ends[from].rx.Piggyback(p)
	w.onLink(flying{to: 1 - from, packet: *p, data: true})
}

func (w *walk) answer(from int, out *falcon.RxResult) {
	if out.HasAck {
		w.onLink(flying{to: 1 - from, message: message{ack: out.Ack}})
	}
	if out.HasNack {
		w.onLink(flying{to: 1 - from, message: message{nack: true, no: out.Nack}})
	}
}

// onLink loses, doubles and delays.
func (w *walk) onLink(f flying) {
	if w.rnd.IntN(1000) < w.loss {
		return
	}
	f.atNs = w.nowNs + 2000 + int64(w.rnd.IntN(1000))
	if w.rnd.IntN(20) == 0 {
		f.atNs += int64(w.rnd.IntN(30_000))
	}
	if f.data {
		f.packet.T1 = uint32(w.nowNs)
	} else {
		f.message.ack.T1, f.message.no.T1 = min(f.message.ack.T1, uint32(w.nowNs)), min(f.message.no.T1, uint32(w.nowNs))
	}
	w.link = append(w.link, f)
	if w.rnd.IntN(100) == 0 {
		f.atNs += int64(w.rnd.IntN(5000))
		w.link = append(w.link, f)
	}
}

// arrivals brings what is due to its end.
func (w *walk) arrivals() {
	for k := 0; k < len(w.link); k++ {
		if w.link[k].atNs > w.nowNs {
			continue
		}
		f := w.link[k]
		w.link = append(w.link[:k], w.link[k+1:]...)
		k--
		if f.data {
			w.arrive(f.to, &f.packet)
			w.take(f.to, &message{ack: falcon.Ack{RequestBase: f.packet.RequestBase, DataBase: f.packet.DataBase}}, w.nowNs-2000)
		} else {
			w.take(f.to, &f.message, int64(max(f.message.ack.T1, f.message.no.T1)))
		}
	}
}

// arrive gives a packet to a receiver.
func (w *walk) arrive(i int, p *falcon.Packet) {
	e, f := w.ends[i], w.fate(1-i, p.Window(), p.PSN)
	facts := falcon.Facts{}
	if p.Kind != falcon.Resync && !f.delivered {
		switch w.rnd.IntN(150) {
		case 0:
			facts.Refuse = wire.NackResources
		case 1:
			facts.Refuse = wire.NackXlr
		}
	}
	var out falcon.RxResult
	e.rx.Receive(p, facts, w.nowNs, &out)
	require.False(w.t, facts.Refuse != 0 && out.Arrival.Taken(), "PSN %d is taken though it is refused", p.PSN)
	switch out.Arrival {
	case falcon.Refused:
		f.broken = f.broken || facts.Refuse == wire.NackXlr
	case falcon.Received:
		require.False(w.t, f.delivered && p.Kind != falcon.Resync, "PSN %d is delivered twice", p.PSN)
		f.delivered = true
		if p.Kind == push {
			e.ulp = append(e.ulp, ulpWork{w.nowNs + int64(w.rnd.IntN(20_000)), p.PSN})
		} else {
			f.acked = true
		}
	case falcon.Again:
		f.acked = f.acked || p.Kind == falcon.Resync
		if f.broken && !f.acked && p.Kind == push {
			e.rx.Refuse(falcon.Data, p.PSN, wire.NackCIE, 7, 0, &out)
		}
	case falcon.Old:
		require.True(w.t, f.acked)
	}
	w.answer(i, &out)
}

// take gives an ACK or NACK to a transmitter.
func (w *walk) take(i int, m *message, t1Ns int64) {
	e := w.ends[i]
	var r falcon.TxResult
	times := falcon.Times{T1Ns: t1Ns, T2Ns: t1Ns}
	if m.nack {
		e.tx.Nack(&m.no, times, w.nowNs, &r)
	} else {
		e.tx.Ack(&m.ack, times, w.nowNs, &r)
	}
	require.NotEqual(w.t, falcon.AckGhost, r.Verdict)
	for win := range r.Acked {
		for left := r.Acked[win]; left.Any(); {
			bit := left.First()
			left.Clear(bit)
			f := w.fate(i, falcon.Window(win), r.Base[win].Add(bit))
			require.True(w.t, f.acked && !f.completed, "PSN %d of the %v", r.Base[win].Add(bit), falcon.Window(win))
			f.completed = true
			w.acked++
		}
		h := e.tx.Window(falcon.Window(win))
		o, g := e.tx.Requests(falcon.Window(win))
		require.LessOrEqual(w.t, uint32(o), h.Outstanding().Count())
		require.Equal(w.t, e.tx.Again(falcon.Window(win)).Count(), uint32(g))
	}
}
