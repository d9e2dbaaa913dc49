package loop

import (
	"context"
	"math/rand/v2"

	"hcacosim/model/endpoint"
	"hcacosim/model/hca"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

// topEnd is an adapter that is a device with the ports of hca_top: what arrives goes to it, what leaves is its own.
// Software sets it up by registers, and posts. Memory is that of the endpoint, whose machines have nothing to do, and
// the messages of send WQEs.
type topEnd struct {
	*rxEnd
	tx       *txEnd
	software topSoftware
}

// newTopEnd sets a device up as an adapter.
func newTopEnd(ctx context.Context, e *endpoint.Endpoint, cfg *endpoint.Config, h Halves) (*topEnd, error) {
	w := &topEnd{}
	w.rxEnd = &rxEnd{Endpoint: e, mac: cfg.MAC, qps: map[uint32]*rxQueue{}}
	w.tx = &txEnd{Endpoint: e, qps: map[uint32]*txQueue{}, peers: map[uint32]*txQueue{}}
	c := newClocked(ctx, h.Whole, h.Free, w.take)
	c.grain = packetCycles
	c.leavesOn("m_axis", h.Gbps)
	w.rxEnd.clocked, w.tx.clocked = c, c
	c.lapse = lapse{of: h.Lapse, port: "s_time", tell: w.tx.tellTicks}
	w.software = topSoftware{clocked: c, failed: map[uint32]bool{}}
	w.rxEnd.software, w.tx.software = &w.software, &w.software
	w.rxEnd.memory = &rxMemory{end: w.rxEnd, rng: rand.New(rand.NewPCG(1, 2))}
	w.tx.memory = txMemory{end: w.tx, rng: rand.New(rand.NewPCG(3, 4)), acks: "s_place"}
	w.tx.ended, w.rxEnd.responses = w.rxEnd.fail, w.tx.Receive
	w.rxEnd.broke = func(_ uint64, qpn uint32) { w.tx.close(qpn) }
	if err := w.tx.resetFor(cfg); err != nil {
		return nil, err
	}
	w.software.common(cfg)
	if h.Pace != nil {
		w.software.command(hca.QPCommandRate, h.Pace.PeriodCycles, h.Pace.ForgetCycles,
			uint32(h.Pace.Cut)|uint32(h.Pace.Raise)<<8|uint32(h.Pace.Slowest)<<16)
	}
	for i := range cfg.QPs {
		q := &cfg.QPs[i]
		rx := &rxQueue{op: queuePairOf(cfg, q, i), number: 1<<31 | uint32(i)<<16}
		w.rxEnd.qps[q.Number] = rx
		w.tx.add(q)
		way := wayOf(cfg, q)
		w.software.begin(&rx.op, &q.Requester, &way, h.Pace)
		if i%setUpAtOnce == setUpAtOnce-1 || i == len(cfg.QPs)-1 {
			w.tx.settle()
		}
	}
	return w, w.failure()
}

// setUpAtOnce is how many QPs are set up in less than settingCycles.
const setUpAtOnce = 64

// Receive gives a frame to the device.
func (w *topEnd) Receive(nowNs uint64, frame []byte) {
	w.tx.catchUp(nowNs)
	w.rxEnd.Receive(nowNs, frame)
}

// Hears has taken called for each frame whose last beat the device took.
func (w *topEnd) Hears(taken func(frame []byte)) { w.inbox.taken = taken }

// HeldNs is how long a frame waited at most.
func (w *topEnd) HeldNs() uint64 { return w.inbox.longestC * cycleNs }

// Post adds work to a send queue.
func (w *topEnd) Post(nowNs uint64, qpn uint32, work roce.Work, data []byte) bool {
	return w.tx.Post(nowNs, qpn, work, data)
}

// Next appends the frame that leaves now.
func (w *topEnd) Next(nowNs uint64, dst []byte) ([]byte, bool) { return w.tx.Next(nowNs, dst) }

// NextTimer returns when the next step of a busy device ends.
func (w *topEnd) NextTimer() (atNs uint64, ok bool) { return w.tx.NextTimer() }

// Expire lets the device run.
func (w *topEnd) Expire(nowNs uint64) { w.tx.Expire(nowNs) }

// Completions returns those of receive WQEs, then those of send WQEs.
func (w *topEnd) Completions() []endpoint.Completion {
	return append(w.rxEnd.Completions(), w.tx.Completions()...)
}

// State has a QP in error when a WQE of it ended so.
func (w *topEnd) State(qpn uint32) (requester, responder roce.QPState) {
	if w.rxEnd.qps[qpn].failed {
		return roce.Error, roce.Error
	}
	return w.tx.State(qpn)
}

// failure is what the device ended with.
func (w *topEnd) failure() error { return w.tx.failed }

// busy reports whether the device may have something to say without being given anything.
func (w *topEnd) busy() bool { return w.tx.busy() }

// take does what a record of the device asks for.
func (w *topEnd) take(rec *sim.Record) {
	switch name := w.tx.device.Ports()[rec.Port].Name; name {
	case "m_b":
		if rec.Data[0]&3 != uint8(hca.QPCtlOkay) {
			w.tx.wrong("hca_top refuses a write to a register")
		}
	case "m_txd", "m_place", "m_pdata":
		w.tx.take(rec)
	case "m_axis":
		w.leave(rec)
	case "m_scqe":
		c := hca.ParseSQCQE(rec.Data)
		w.tx.completed(&c)
	case "m_r", "m_end", "m_local":
	default:
		w.rxEnd.take(rec)
	}
}

// leave takes a frame: requests and what else there is leave in one order.
func (w *topEnd) leave(rec *sim.Record) {
	if hca.HcaTopRequests(rec) {
		w.tx.leave(rec.Data)
		return
	}
	w.tx.frames = append(w.tx.frames, append([]byte(nil), rec.Data...))
	w.heed(rec.Data)
}

// topSoftware is the software of a device: registers, posts.
type topSoftware struct {
	*clocked
	failed map[uint32]bool
}

// write writes a register.
func (s *topSoftware) write(address uint16, data uint32) {
	w := hca.AxilWrite{Data: data, Strobe: 15}
	s.offer("s_aw", 0, hca.AppendAxilAddress(nil, address))
	s.offer("s_w", 0, w.Append(nil))
}

// Registers of qp_ctl.
const (
	registerCommand  = 0x008
	registerSelect   = 0x00C
	registerArgument = 0x020
	registerConfig   = 0x100
)

// command writes ARG0 and on, and a command.
func (s *topSoftware) command(c hca.QPCommand, arguments ...uint32) {
	for i, a := range arguments {
		s.write(registerArgument+4*uint16(i), a)
	}
	s.write(registerCommand, uint32(c))
}

// ofQP gives a QP a command.
func (s *topSoftware) ofQP(qpn uint32, c hca.QPCommand, arguments ...uint32) {
	s.write(registerSelect, qpn)
	s.command(c, arguments...)
}

// common sets what all QPs share.
func (s *topSoftware) common(cfg *endpoint.Config) {
	high, low := macWords(cfg.MAC)
	s.command(hca.QPCommandMAC, low, high)
	a := wordsOf(hca.Address(cfg.Address[:]))
	s.command(hca.QPCommandAddress, 0, 0, 0, 0, a[0], a[1], a[2], a[3])
	s.command(hca.QPCommandPKey, 0, uint32(cfg.PKeys[0]))
}

// begin has a QP begin, with its keys.
func (s *topSoftware) begin(q *hca.HcaRxQP, c *roce.RequesterConfig, way *hca.FrameWay, pace *Pace) {
	for _, o := range q.Operations() {
		if o.To != hca.ToKeys {
			continue
		}
		k := hca.ParseMRQuery(o.Record)
		s.command(hca.QPCommandKeySet, k.RKey, k.PD|uint32(k.Need)<<24, uint32(k.VA), uint32(k.VA>>32), uint32(k.Length),
			uint32(k.Length>>32), uint32(k.Base), uint32(k.Base>>32))
	}
	s.write(registerSelect, q.QPN)
	words := topWords(q, c)
	if pace != nil {
		words[len(words)-1] |= uint32(pace.Cycles) << 16
	}
	for i := range words {
		s.write(registerConfig+4*uint16(i), words[i])
	}
	s.command(hca.QPCommandInit)
	s.command(hca.QPCommandRTR)
	own := wordsOf(q.Own)
	s.command(hca.QPCommandRTS, uint32(way.PKey)|uint32(way.UDPSrcPort)<<16, uint32(way.Encap), 0, 0, own[0], own[1],
		own[2], own[3])
}

// topWords are the configuration registers of a QP.
func topWords(q *hca.HcaRxQP, c *roce.RequesterConfig) [15]uint32 {
	v, p := q.Verdict(), senderOf(c)
	peer, shared := wordsOf(q.Peer), uint32(0)
	if q.Receive.Shared {
		shared = 1
	}
	high, low := macWords(q.PeerMAC)
	return [15]uint32{q.PeerQPN | uint32(v.Service)<<24, uint32(v.PSN) | uint32(v.MaxReads)<<24 | uint32(v.PMTU)<<29,
		uint32(v.RNRTimer)<<24 | uint32(v.Enabled)<<29,
		uint32(v.Profile) | uint32(v.FlushEnabled)<<8 | uint32(q.HopLimit)<<16, peer[0], peer[1], peer[2], peer[3],
		low, high, q.Receive.Queue | shared<<24, q.Receive.PD,
		uint32(c.StartPSN) | uint32(c.Timeout)<<24 | uint32(c.RetryCount)<<29,
		c.Window | uint32(c.RNRRetry)<<24 | uint32(min(c.MaxReads, deviceReads))<<27, p | 1<<8}
}

// senderOf is a profile in CFG_SENDER.
func senderOf(c *roce.RequesterConfig) uint32 {
	word := uint32(checkProfile(c))
	if c.Profile.WholeRead {
		word |= 1 << 6
	}
	if c.Profile.MessageRestart {
		word |= 1 << 7
	}
	return word
}

// receives does what the responder's half is told: receive WQEs are posted, and what is in error is so as a whole.
func (s *topSoftware) receives(o *hca.HcaRxOp) {
	switch o.To {
	case hca.ToReceiveQueues:
		q := hca.ParseRQQuery(o.Record)
		s.command(hca.QPCommandPost, q.Queue, q.Bytes, q.WQE)
	case hca.ToVerdict:
		s.error(hca.ParseRespQuery(o.Record).QPN)
	}
}

// sends does what the requester's half is told.
func (s *topSoftware) sends(to hca.HcaTxTarget, record []byte) {
	switch to {
	case hca.ToSendQueues:
		if q := hca.ParseSQRecord(record); q.Op == hca.SQPost {
			p := hca.HcaTopPostOf(&q)
			s.offer("s_post", 0, p.Append(nil))
		}
	case hca.ToCheck:
		s.error(hca.ParseReqRecord(record).QPN)
	}
}

// error has a QP in error.
func (s *topSoftware) error(qpn uint32) {
	if !s.failed[qpn] {
		s.failed[qpn] = true
		s.ofQP(qpn, hca.QPCommandError)
	}
}

// wordsOf are the words of an address, the lowest first.
func wordsOf(a roce.Address) (w [4]uint32) {
	for i := range w {
		for k := range 4 {
			w[i] |= uint32(a[15-4*i-k]) << (8 * k)
		}
	}
	return w
}

// macWords are a MAC address as registers have it.
func macWords(m [6]byte) (high, low uint32) {
	return uint32(m[0])<<8 | uint32(m[1]), uint32(m[2])<<24 | uint32(m[3])<<16 | uint32(m[4])<<8 | uint32(m[5])
}
