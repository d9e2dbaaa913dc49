package forecast

import (
	"math/rand/v2"
	"slices"

	"hcacosim/model/hca"
	"hcacosim/model/hca/timed"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// Inputs are what comes into hca_rx, by port: operations, frames, and what memory says.
type Inputs [timed.NumPorts][]timed.Arrival

// All are they one behind the other.
func (in *Inputs) All() []timed.Arrival { return slices.Concat(in[:]...) }

// Add adds one that came by its port.
func (in *Inputs) Add(a timed.Arrival) {
	a.Seq = uint64(len(in[a.Port]))
	in[a.Port] = append(in[a.Port], a)
}

// Traffic is the stimulus of a workload: operations that set hca_rx up, and frames behind them. What memory says
// depends on what leaves: it is not among them.
type Traffic struct {
	Inputs
	// Meant says of each frame what it is for.
	Meant []Meant
	// Begin is the clock in which the first frame may come.
	Begin uint64
}

// Meant is what a frame is for.
type Meant struct {
	Mix     int  // the kind of its message
	Answers int  // frames that answer it
	Ends    bool // the message's last packet
	Damaged bool
	Strange bool // for a QP that is not there
	Payload int
	Read    int // bytes that a READ asks for
}

const (
	trafficPD  = 5
	firstVA    = 1 << 32
	regionSize = 1 << 30
	settling   = 300 // clocks until an operation is through all blocks

	longSettling = 8192 // clocks, where operations are held back
)

// sender is a QP's peer.
type sender struct {
	spec wire.Spec
	next psn.PSN
	// credits are the receive WQEs that it knows of and has not used.
	credits int
	asked   int // READs and atomics that it sent and knows of no answer of
	mix     int // the kind of the open message
	left    int // bytes of it that were not sent; -1 without one
	at      int
}

// traffic makes the stimulus.
type traffic struct {
	w       *Workload
	r       *rand.Rand
	out     *Traffic
	senders []sender
	turn    int
	frames  int
	due     float64 // clock of the next frame
	heard   float64 // no frame comes before it: its sender waited for it
	payload []byte
	host    host
}

// NewTraffic makes the stimulus of a workload: the same for the same workload.
func NewTraffic(w *Workload) *Traffic {
	t := &traffic{w: w, r: rand.New(rand.NewPCG(w.Seed, 0x70726564)), out: &Traffic{}}
	t.payload = make([]byte, 2*w.PMTU+64)
	for i := range t.payload {
		t.payload[i] = byte(t.r.Uint32())
	}
	t.setUp()
	t.out.Begin = w.opens() + 2*settling + 2*uint64(len(t.out.Inputs[timed.Ops]))
	if w.Idle > 0 { // operations are held back like frames, for up to 1,279 clocks at a time: docs/bridge.md
		t.out.Begin += longSettling + uint64(4*float64(len(t.out.Inputs[timed.Ops]))/(1-w.Idle))
	}
	t.due = float64(t.out.Begin)
	for begun, open := 0, 0; begun < w.Messages || open > 0; {
		s := t.pick(begun < w.Messages)
		if s.left < 0 {
			s.mix, s.at = t.kind(), 0
			s.left = w.Mix[s.mix].Bytes
			switch m := &w.Mix[s.mix]; {
			case m.Op == "send":
				t.credit(s)
			case m.asks():
				t.place(s)
			}
			begun++
			open++
		}
		for more := true; more; {
			if t.packet(s); s.left < 0 {
				open--
			}
			more = s.left >= 0 && !w.Interleave
		}
	}
	return t.out
}

// pick is whose turn it is. Once no new message may begin, only those with an open one are asked.
func (t *traffic) pick(mayBegin bool) *sender {
	for {
		i := t.turn % len(t.senders)
		t.turn++
		if t.w.Order == "random" {
			i = t.r.IntN(len(t.senders))
		}
		if s := &t.senders[i]; mayBegin || s.left >= 0 {
			return s
		}
	}
}

// kind draws the kind of a message.
func (t *traffic) kind() int {
	shares := 0
	for _, m := range t.w.Mix {
		shares += m.Share
	}
	n := t.r.IntN(shares)
	for i, m := range t.w.Mix {
		if n -= m.Share; n < 0 {
			return i
		}
	}
	return 0
}

// ask sends a READ or an atomic: all of it is one packet.
func (t *traffic) ask(s *sender) {
	m, p := &t.w.Mix[s.mix], s.spec
	p.PSN, p.AckReq = s.next, true
	meant := Meant{Mix: s.mix, Answers: 1, Ends: true}
	switch m.Op {
	case "read":
		p.Opcode, p.VA, p.DMALen = ib.Join(ib.RC, ib.ReadRequest), firstVA+64*uint64(t.r.IntN(1<<14)), uint32(m.Bytes)
		meant.Read, meant.Answers = m.Bytes, max(1, (m.Bytes+t.w.PMTU-1)/t.w.PMTU)
	case "fetch-add":
		p.Opcode, p.VA, p.SwapAdd = ib.Join(ib.RC, ib.FetchAdd), t.word(), t.r.Uint64()
	default:
		p.Opcode, p.VA, p.SwapAdd = ib.Join(ib.RC, ib.CmpSwap), t.word(), t.r.Uint64()
		if p.Compare = held(p.VA); t.r.IntN(2) == 0 {
			p.Compare++
		}
	}
	s.next = s.next.Add(int32(meant.Answers))
	s.left = -1
	t.send(p, p.Append(nil, nil), meant)
}

// word is the address of one of the words that atomics are on.
func (t *traffic) word() uint64 { return firstVA + regionSize/2 + 8*uint64(t.r.IntN(1024)) }

// packet sends the next packet of an open message.
func (t *traffic) packet(s *sender) {
	m := &t.w.Mix[s.mix]
	if m.asks() {
		t.ask(s)
		return
	}
	n := min(s.left, t.w.PMTU)
	first, last := s.at == 0, s.left <= t.w.PMTU
	p := s.spec
	p.Opcode = ib.Join(ib.RC, operation(m.Op, first, last))
	p.PSN, p.VA, p.DMALen = s.next, firstVA, uint32(m.Bytes)
	p.AckReq = m.Ack == "every" || m.Ack == "last" && last
	s.next = s.next.Add(1)
	s.at += n
	if s.left -= n; last {
		s.left = -1
	}
	meant := Meant{Mix: s.mix, Ends: last, Payload: n}
	if p.AckReq {
		meant.Answers = 1
	}
	t.send(p, p.Append(nil, t.payload[t.r.IntN(64):][:n]), meant)
}

// send sends a packet, strangers before it, and now and then once damaged.
func (t *traffic) send(p wire.Spec, frame []byte, meant Meant) {
	for n := t.w.Strangers; n >= 1 || n > 0 && t.r.Float64() < n; n-- {
		other := p
		other.DestQP = uint32(t.w.NumQPs) + p.DestQP // no QP has such a number
		t.frame(other.Append(nil, nil), Meant{Mix: meant.Mix, Strange: true})
	}
	if t.w.Damaged > 0 && t.r.Float64() < t.w.Damaged {
		bad := append([]byte(nil), frame...)
		bad[len(bad)-5] ^= 1 << t.r.IntN(8)
		t.frame(bad, Meant{Mix: meant.Mix, Damaged: true})
	}
	t.frame(frame, meant)
}

// operation is the one of a packet in its message.
func operation(op string, first, last bool) ib.Operation {
	of := ib.SendFirst
	if op == "write" {
		of = ib.WriteFirst
	}
	switch {
	case first && last && op == "write":
		return ib.WriteOnly
	case first && last:
		return ib.SendOnly
	case first:
		return of
	case last:
		return of + 2
	}
	return of + 1
}

// frame adds a frame. Frames of a burst follow each other at once; behind it the port rests until the load is right.
func (t *traffic) frame(frame []byte, meant Meant) {
	beats := (len(frame) + t.w.DataWidth/8 - 1) / (t.w.DataWidth / 8)
	at, frames := t.due, t.out.Inputs[timed.Frames]
	if t.frames%t.w.Burst != 0 {
		at = max(t.heard, float64(frames[len(frames)-1].NotBefore))
	}
	t.frames++
	t.due += float64(beats) / t.w.Load
	link := encaps[t.w.Encap].Link()
	t.out.Add(timed.Arrival{Offer: sim.Offer{NotBefore: uint64(at), User: uint32(link), Port: timed.Frames, Data: frame}})
	t.out.Meant = append(t.out.Meant, meant)
}

// opens is the clock in which the largest memory of hca_rx is made zero.
func (w *Workload) opens() uint64 { return uint64(w.NumQPs) * hca.HcaRxQueueDepth }

// op adds an operation.
func (t *traffic) op(target hca.HcaRxTarget, record []byte) {
	t.out.Add(timed.Arrival{Offer: sim.Offer{NotBefore: t.w.opens() + settling, Port: timed.Ops,
		Data: hca.AppendHcaRxOp(nil, target, record)}})
}

// setUp sets the port and all QPs, each with a key of its own.
func (t *traffic) setUp() {
	own, peer := wire.GID{0: 0xFD, 15: 2}, wire.GID{0: 0xFD, 15: 9}
	spec := wire.Spec{Encap: encaps[t.w.Encap], HopLimit: 64, SrcPort: 0xC000, PKey: 0xFFFF, IPFrag: 0x4000,
		SLID: 9, DLID: 2}
	for i := range t.w.VLANs {
		spec.VLANs = append(spec.VLANs, wire.VLANTag{TPID: 0x8100, TCI: uint16(10 + i)})
	}
	switch spec.Encap {
	case wire.EncapRoCEv2IPv4:
		own, peer = wire.FromIPv4(10, 0, 0, 2), wire.FromIPv4(10, 0, 0, 9)
	case wire.EncapIBLocal:
		own, peer = wire.GID{15: 2}, wire.GID{15: 9}
	}
	spec.Dst, spec.Src = own, peer
	mac := hca.AckQuery{Op: hca.AckOwn, MAC: [6]byte{2, 0, 0, 0, 0, 2}}
	t.op(hca.ToAnswers, mac.Append(nil))
	address := hca.ClassifyQuery{Op: hca.ClassifyAddress, Src: roce.Address(own)}
	t.op(hca.ToClassify, address.Append(nil))
	pkey := hca.ClassifyQuery{Op: hca.ClassifyPKey, PKey: 0xFFFF}
	t.op(hca.ToClassify, pkey.Append(nil))
	for i := range t.w.QPs {
		s := sender{spec: spec, next: psn.PSN(t.r.Uint32() & 0xFFFFFF), left: -1}
		s.spec.DestQP, s.spec.RKey = uint32(i+1), uint32(i+1)<<8|0x55
		t.setQP(&s, roce.Address(peer))
		t.senders = append(t.senders, s)
	}
	for i := range t.senders {
		if t.w.sends() {
			t.fill(&t.senders[i])
		}
	}
}

// setQP sets one QP in all blocks.
func (t *traffic) setQP(s *sender, peer roce.Address) {
	qpn := s.spec.DestQP
	class := hca.ClassifyQuery{Op: hca.ClassifySet, DestQP: qpn, Live: true, Src: peer,
		ReceiveSide: hca.ReceiveSide{Queue: qpn, PD: trafficPD}}
	t.op(hca.ToClassify, class.Append(nil))
	key := hca.MRQuery{Op: hca.MRSet, RKey: s.spec.RKey, PD: trafficPD, VA: firstVA, Length: regionSize, Need: 7}
	t.op(hca.ToKeys, key.Append(nil))
	resp := hca.RespQuery{Op: hca.RespSet, QPN: qpn, PSN: s.next, PMTU: pmtuCode(t.w.PMTU), RNRTimer: 12,
		Enabled: hca.RespEnableWrite | hca.RespEnableRead | hca.RespEnableAtomic, MaxReads: hca.HcaRxReplaySlots}
	t.op(hca.ToVerdict, resp.Append(nil))
	resp.Op = hca.RespReady
	t.op(hca.ToVerdict, resp.Append(nil))
	ack := hca.AckQuery{Op: hca.AckSet, QPN: qpn, PeerQPN: qpn ^ 0xABCDEF, HopLimit: 64, MAC: [6]byte{2, 0, 0, 0, 0, 9}}
	t.op(hca.ToAnswers, ack.Append(nil))
	if t.w.asks() {
		kept := hca.ReplayQuery{Op: hca.ReplaySet, QPN: qpn, PMTU: resp.PMTU, Depth: hca.HcaRxReplaySlots}
		t.op(hca.ToReplay, kept.Append(nil))
	}
}
