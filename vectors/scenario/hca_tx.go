package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

// An episode of hca-tx is a time of some queue pairs, in steps. In each the host posts, peers answer what has left
// before, or time passes; then the device comes to rest. What it gives does not hang on its clocks: between two rests
// a QP has posts alone, or responses of which only the last lets it send, or an expiry.
const (
	hcaTxLength   = 1900
	hcaTxSteps    = 48
	hcaTxAllSteps = 156  // with the trials at its end
	hcaTxTimes    = 176  // steps for which an episode has time: what a trial takes is an estimate
	hcaTxCalm     = 14   // of these: nothing is lost any more, nothing posted
	hcaTxQuiet    = 3    // and of these, behind the last answer: the longest time passes, and no timer runs
	hcaTxOpens    = 8    // clocks per QP in which the send queues are made zero
	hcaTxMost     = 32   // packets that leave in a step, where another QP begins
	hcaTxSlack    = 2500 // ticks between a lapse and an expiry: that many pass by themselves
)

// How long a step takes at most, for what leaves in it: in clocks, whatever is held back, and in beats that may be. An
// episode has so many of both; its last steps come when three quarters are gone.
const (
	hcaTxRest         = 500  // clocks for a device to come to rest
	hcaTxPacket       = 40   // clocks for a packet, with a turn of its own
	hcaTxScan         = 8    // QPs whose timers are looked at in a clock
	hcaTxSilence      = 6000 // clocks beyond the pace: an input and an output may be silent 4,095 clocks each
	hcaTxAllClocks    = 70_000
	hcaTxAllBeats     = 3000
	hcaTxMostOfClocks = 15_000 // of a step
	hcaTxMostOfBeats  = 250
	hcaTxAllBytes     = 350_000 // in and out
	hcaTxMostOfBytes  = 100_000
	hcaTxPause        = 7000 // clocks in which nothing comes, beyond the patience of the judge: what is owed is missing
	hcaTxPauses       = 3    // of an episode
	hcaTxCrossing     = 12   // operations before a lapse, so that it meets one answer or another
)

// hcaTxQPs are the numbers of the QPs: in the smallest device, no bit away from each other where it may be.
var hcaTxQPs = [...]uint32{1, 2, 7, 24, 29, 19, 4, 30}

// hcaTxNobody is a QP that is never set.
const hcaTxNobody = 12

// makeHcaTx makes posts and responses for hca_tx.
func makeHcaTx(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, hcaTxLength, func(r *Rand, e *Episode) {
		h := hcaTxHost{g: g, r: r, e: e, loss: [...]int{0, 12, 5, 3}[g.pick(r, txLoss)], length: hcaTxLength,
			model: hca.NewHcaTxBlocks(sim.Settings{"NumQps": 32, "Reads": 2}), jam: 2 + r.Below(hcaTxJamFirst)}
		h.memory.placed.first = int(e.Number) * hcaTxWrites % hca.DMATags
		h.setUp()
		for h.step = 1; h.step < hcaTxSteps; h.step++ {
			h.begin()
			if used := h.used(); used >= 1 {
				break
			} else if used > 3./4 || h.step >= hcaTxSteps-hcaTxCalm {
				if !h.calm() {
					break
				}
			} else {
				h.live()
			}
		}
		h.rest()
		h.fill()
		h.lastWrite()
		h.alone()
		for e.Len() < hcaTxLength {
			h.stray()
		}
	})
}

// hcaTxHost is the host, and the peers of its QPs.
type hcaTxHost struct {
	g      *Generator
	r      *Rand
	e      *Episode
	model  *hca.HcaTxBlocks
	top    *hcaTopSender // of hca-top-sends
	length int           // of an episode
	step   int
	loss   int // one packet in so many, and one answer; 0 none
	left   int // packets and local work in this step

	clocks, beats int    // of the steps before
	bytes         int    // that memory gave and frames had
	at            uint64 // when this one begins, in the episode
	before        int    // records of the steps before
	wqes          uint32
	peers         [len(hcaTxQPs)]hcaTxPeer
	memory        hcaTxMemory
	pauses        int
	quiet         int                            // steps in which no timer ran, at the end
	flooded       bool                           // the last step was a flood
	jam           int                            // the first step that may be a jam
	crossing      bool                           // the next step has answers beside a lapse
	tardy, behind int                            // clocks that payloads of this step are late, and what comes now
	wrong         struct{ lengths, numbers int } // of this episode
	stranded      bool                           // QPs without a way have failed
	jammed        []*hcaTxPeer
	abroad        bool        // what comes concerns a number that no device has
	long, twins   bool        // of hca-tx-long, or one like it; numbers of hca-tx-meets
	most          hcaTxMostOf // in place of what hca-tx has, where it is not 0
}

// used is how much of what an episode may take was taken.
func (h *hcaTxHost) used() float64 {
	records := float64(h.len()) / float64(h.length-h.reserve())
	return max(float64(h.clocks)/hcaTxAllClocks, float64(h.beats)/float64(h.allBeats()),
		float64(h.bytes)/hcaTxAllBytes, records)
}

// time is the first clock of the step. Every step has its own wait, and all of them share the beats of an episode.
func (h *hcaTxHost) time() uint64 { return h.start(h.e.Number) + h.at }

// start is when an episode begins.
func (h *hcaTxHost) start(number uint64) uint64 {
	p := h.g.pace
	quiet := p.Cycles(0) + h.silence()
	beats := h.allBeats() + h.mostBeats() + hcaTxTimes + p.Beats(h.allBytes(), 2*h.length)
	most := uint64(h.allClocks()) + hcaTxMostOfClocks + hcaTxPauses*h.pause() + p.Cycles(beats) + h.times()*quiet
	return h.words()*hcaTxOpens + p.Cycles(400) + number*most
}

// rest ends a step: the device is through with it when the next one begins.
func (h *hcaTxHost) rest() {
	p := h.g.pace
	clocks, beats := hcaTxRest+hcaTxPacket*h.left, 10+h.left+h.len()-h.before
	written, placed := h.acknowledge() // what waited for it leaves now
	later, bytes := h.memory.answer(h)
	later, bytes = later+written+h.tardy+h.behind, bytes+placed
	h.tardy, h.behind = 0, 0
	if h.top != nil {
		beats += h.top.flush()
	}
	clocks += later
	h.clocks, h.beats, h.bytes, h.before = h.clocks+clocks, h.beats+beats, h.bytes+bytes, h.e.Len()
	h.at += uint64(clocks) + p.Cycles(beats+p.Beats(bytes, 2*h.left)) + h.silence()
	if h.top == nil && h.pauses < hcaTxPauses && h.r.OneIn(10) {
		h.pauses++
		h.at += h.pause()
	}
	h.left = 0
}

// silence is how long nothing may happen in a step, beside what the pace has.
func (h *hcaTxHost) silence() uint64 {
	p := h.g.pace
	scan := h.words() / hcaTxScan
	if p.Idle == 0 && p.Backpressure == 0 {
		return scan
	}
	return scan + hcaTxSilence
}

// pause is a silence that shows what is missing: where an output is held back nobody is late.
func (h *hcaTxHost) pause() uint64 {
	if p := h.g.pace; h.top != nil || p.Idle > 0 || p.Backpressure > 0 {
		return 0
	}
	return hcaTxPause
}

// give gives the device a record, and the peers what leaves by it.
func (h *hcaTxHost) give(port sim.Port, data []byte, why string) {
	if !h.memory.isFull(h) {
		h.record(port, data, why)
	}
}

// record gives the device a record, whether it is in time or not.
func (h *hcaTxHost) record(port sim.Port, data []byte, why string) {
	if h.abroad {
		why = "foreign: " + why
	}
	h.put(port, data, why)
	h.model.Take(&sim.Record{Port: port, Data: data})
	h.deepen()
	h.heed()
}

// heed takes note of what the model gave.
func (h *hcaTxHost) heed() {
	h.memory.placed.note(h.model)
	for i := range h.model.Sent {
		s := &h.model.Sent[i]
		h.memory.note(s)
		for k := range h.peers {
			if p := &h.peers[k]; p.qpn == s.QPN {
				p.flights = append(p.flights, *s)
			}
		}
	}
	for i := range h.model.Local {
		w := &h.model.Local[i]
		for k := range h.peers {
			if p := &h.peers[k]; p.qpn == w.QPN {
				p.local = append(p.local, *w)
			}
		}
	}
	h.left += len(h.model.Sent) + len(h.model.Local) // what closes the QP behind it would meet either
	h.model.Clear()
	h.memory.refuse(h)
}

func (h *hcaTxHost) setUp() {
	h.stray()
	h.memory.setUp(h)
	for i := range h.peers {
		p := &h.peers[i]
		*p = hcaTxPeer{h: h, r: h.r, qpn: hcaTxQPs[i]}
		p.setUp()
	}
	if h.top == nil {
		h.failsFirst()
		h.setUpWayless()
	}
}

// begin begins a step: what left in the last one reaches its peer, or is lost.
func (h *hcaTxHost) begin() {
	h.rest()
	h.endJam()
	for i := range h.peers {
		h.peers[i].receive()
	}
}

// live is a step in which anything may come.
func (h *hcaTxHost) live() {
	switch {
	case h.flooded:
		h.ebb()
		return
	case h.crossing:
		h.lapse()
		h.crossing = false
		return
	case h.jams():
		return
	case h.top == nil && h.r.OneIn(6):
		h.crosses()
		return
	case h.r.OneIn(4):
		h.lapse()
		return
	case h.r.OneIn(5) && h.breaks():
		return
	case h.r.OneIn(6) && h.hurries():
		return
	case h.top == nil && h.r.OneIn(6):
		h.flood()
		return
	}
	if h.top == nil {
		h.mark()
		h.foreign()
		if h.strands() {
			h.strand()
		}
	} else if h.r.OneIn(3) {
		h.mark()
		h.rest() // a frame takes its time: what is sent meanwhile may be slowed by it, or not
	}
	first := h.r.Below(len(h.peers))
	for i := range h.peers {
		if p := &h.peers[(first+i)%len(h.peers)]; h.left < hcaTxMost {
			p.live()
		}
	}
	if h.left > 0 && h.r.OneIn(12) {
		h.wakes(30)
	}
}

// foreign gives, now and then, what concerns numbers that no device has.
func (h *hcaTxHost) foreign() {
	for h.r.OneIn(2) {
		h.peers[h.r.Below(len(h.peers))].foreign()
	}
}

// calm is a step in which everything comes to its end; false: it has.
func (h *hcaTxHost) calm() bool {
	h.loss = 0
	busy, waits := false, false
	for i := range h.peers {
		switch p := &h.peers[i]; {
		case h.left >= hcaTxMost:
		case len(p.local) > 0:
			busy = true
			p.done(false)
		case len(p.answers) > 0:
			busy = true
			p.deliver(false)
		default:
			waits = waits || h.model.State(p.qpn).Armed
		}
	}
	if waits && !busy {
		h.lapse()
	}
	return busy || waits || h.quiets()
}

// lapse has time pass: until some timer expires, short of it, or until all have.
func (h *hcaTxHost) lapse() {
	left, most := []uint64(nil), uint64(0)
	for _, qpn := range hcaTxQPs {
		if s := h.model.State(qpn); s.Armed {
			left = append(left, s.Left)
			most = max(most, s.Left)
		}
	}
	ticks := most + hcaTxSlack
	if len(left) > 0 && !h.r.OneIn(3) {
		some := left[h.r.Below(len(left))]
		if h.r.OneIn(3) {
			some -= min(some, 2*hcaTxSlack)
		}
		ticks = some + hcaTxSlack
	}
	for _, l := range left {
		if ticks+hcaTxSlack > l && ticks < l+hcaTxSlack {
			ticks = most + hcaTxSlack
		}
	}
	var beside []*hcaTxPeer // whose timers do not run out
	for i := range h.peers {
		p := &h.peers[i]
		if s := h.model.State(p.qpn); s.Open && !s.Waiting && (!s.Armed || s.Left > ticks) {
			beside = append(beside, p)
		}
	}
	for i := range h.peers {
		s := h.model.State(h.peers[i].qpn)
		h.peers[i].expired = s.Armed && s.Left <= ticks
	}
	crosses := h.crossing || h.r.OneIn(3)
	if crosses && h.top == nil { // which answer an expiry meets is a matter of a clock
		h.wakes(h.r.Below(hcaTxCrossing))
	}
	h.give(hca.HcaTxOps, hca.HcaTxLapse(uint32(ticks)), "time passes")
	h.postBeside()
	if !crosses {
		return
	}
	for _, p := range beside {
		if h.top == nil {
			p.all()
		}
	}
	for _, p := range beside {
		p.besideTime()
	}
}

// wakes has software wake QPs that have nothing more to do: turns that end meet its operations.
func (h *hcaTxHost) wakes(n int) {
	for range n {
		q := hca.SchedRecord{QPN: hcaTxNobody, Op: hca.SchedWake}
		h.op(hca.ToTurns, q.Append(nil), "a wake of nobody")
	}
}

// Transport timers and RNR timers that are not near each other, in ticks: 16,384 to 262,144; 10,000, 20,000,
// 40,000, 120,000, 640,000.
var (
	hcaTxCodes       = [...]uint8{12, 13, 14, 15, 16, 0}
	hcaTopSendsCodes = [...]uint8{12, 14, 14, 16, 0}
	hcaTxRNRCodes    = [...]uint8{20, 22, 24, 27, 0}
)

// hcaTxPMTU are codes and bytes of PMTUs.
var hcaTxPMTU = [...]uint32{1: 256, 2: 512, 3: 1024, 4: 2048, 5: 4096}

// setUp has a QP begin anew.
func (p *hcaTxPeer) setUp() {
	r := p.r
	if ended := p.known && !p.silent() && !p.h.model.State(p.qpn).Open; !ended || r.OneIn(2) {
		p.close()
	}
	*p = hcaTxPeer{h: p.h, r: r, qpn: p.qpn, known: true, due: drawPSN(r), pmtu: p.h.drawPMTU(),
		window: uint32(3 + r.Below(6)), limited: r.OneIn(2), free: r.OneIn(2), service: [...]uint8{6: hca.TxUC,
			7: hca.TxUD}[r.Below(8)]}
	if p.h.top == nil && (p.qpn == hcaTxQPs[2] || p.qpn == hcaTxQPs[5]) && r.OneIn(4) {
		p.pmtu = 5 // a full packet of those that have a pace
	}
	if p.silent() {
		p.free = false
	}
	if p.free || p.silent() {
		p.window, p.limited = 0, false
	}
	if p.silent() { // nobody answers: neither of the two hears of it
		p.opens(p.due, 0, false, false)
		return
	}
	check := hca.ReqRecord{QPN: p.qpn, Op: hca.ReqConfigure, PSN: p.due, PMTU: p.pmtu, MaxReads: uint8(1 + r.Below(2))}
	if p.limited {
		check.Profile |= hca.ReqCreditsLimited
	}
	anyAnswer := r.OneIn(3)
	if anyAnswer {
		check.Profile |= hca.ReqAnyAnswerEndsRNR
	}
	p.h.op(hca.ToCheck, check.Append(nil), "set up")
	control := hca.RetryRecord{QPN: p.qpn, Op: hca.RetryConfigure, Una: p.due, Code: p.h.drawCode(),
		RetryCnt: uint8(min(r.Below(8), hcaTxMostRetries)), RNRRetry: uint8(r.Below(8)), AnyAnswer: anyAnswer}
	p.h.op(hca.ToRetry, control.Append(nil), "set up")
	p.opens(p.due, check.MaxReads, r.OneIn(3), r.OneIn(4))
}

// close closes a QP. One of RC that has failed has closed itself.
func (p *hcaTxPeer) close() {
	check := hca.ReqRecord{QPN: p.qpn, Op: hca.ReqClose}
	p.h.op(hca.ToCheck, check.Append(nil), "close")
	control := hca.RetryRecord{QPN: p.qpn, Op: hca.RetryClose}
	p.h.op(hca.ToRetry, control.Append(nil), "close")
	packets := hca.TxRecord{QPN: p.qpn, Op: hca.TxClose}
	p.h.op(hca.ToPackets, packets.Append(nil), "close")
}

// opens has the QP send from a PSN on, over a way of its own.
func (p *hcaTxPeer) opens(at psn.PSN, reads uint8, whole, restart bool) {
	p.begins(at, reads, whole, restart)
	p.way()
	p.ends = false
}

func (p *hcaTxPeer) begins(at psn.PSN, reads uint8, whole, restart bool) {
	packets := hca.TxRecord{QPN: p.qpn, Op: hca.TxConfigure, Una: at, PMTU: p.pmtu, MaxReads: reads, Service: p.service,
		Window: p.window, Unlimited: !p.limited, WholeRead: whole, Restart: restart}
	p.h.op(hca.ToPackets, packets.Append(nil), "set up")
	queue := hca.SQRecord{QPN: p.qpn, Op: hca.SQClear, Slot: p.pmtu, Una: at}
	p.h.op(hca.ToSendQueues, queue.Append(nil), "set up")
	turns := hca.SchedRecord{QPN: p.qpn, Op: hca.SchedSet, Weight: uint8(p.r.Below(6))}
	p.h.op(hca.ToTurns, turns.Append(nil), "set up")
}

// post posts a WQE.
func (p *hcaTxPeer) post() {
	r := p.r
	p.h.wqes++
	w := hca.SendWQE{WQE: p.h.wqes, Verb: [...]roce.Verb{roce.Send, roce.Send, roce.Write, roce.Write, roce.Read,
		roce.Read, roce.Read, roce.Read, roce.Read, roce.CmpSwap, roce.FetchAdd, roce.AtomicWrite,
		roce.Flush}[r.Below(13)], VA: r.Uint64(),
		RKey: uint32(r.Uint64()), Imm: uint32(r.Uint64()), SwapAdd: r.Uint64(), Compare: r.Uint64(),
		QKey: uint32(r.Uint64()), List: p.place(), Entries: 1}
	switch {
	case p.service == hca.TxUD:
		w.Verb = roce.Send
	case p.free || p.silent():
		w.Verb = [...]roce.Verb{roce.Send, roce.Write}[r.Below(2)]
	case p.h.memory.breaks == nil && r.OneIn(p.h.localShare()): // behind what fails its turn may come, or not
		w.Verb = [...]roce.Verb{roce.LocalInvalidate, roce.LocalInvalidate, roce.Bind}[r.Below(3)]
	}
	pmtu := int(hcaTxPMTU[p.pmtu])
	packets := [...]int{0, 1, 1, 2, 3, 6}[r.Below(6)]
	switch {
	case p.service == hca.TxUD || p.pmtu > 3:
		packets = min(packets, 1)
	case p.free || p.pace > 0 && p.h.top == nil: // all of it may go again in one step
		packets = min(packets, 2)
	case w.Verb == roce.Read:
		packets = min(packets, int(p.window))
	}
	w.Length = p.bytes(packets, pmtu, w.Verb)
	if p.h.top == nil && (w.Verb == roce.LocalInvalidate || w.Verb == roce.Bind) {
		w.Length = uint32(r.Below(ib.MaxMessage + 1))
	}
	w.Flags = hca.SQFlags(r.Below(4))
	if r.OneIn(6) {
		w.Flags |= hca.SQFence
	}
	switch {
	case w.Verb == roce.AtomicWrite:
		w.Length = 8
	case w.Verb == roce.Send && !p.silent() && r.OneIn(4):
		w.Flags |= hca.SQInvalidate
	case w.Verb <= roce.Write && r.OneIn(3):
		w.Flags |= hca.SQImmediate
	}
	if r.OneIn(80) && !p.free && !p.silent() {
		w.Verb = 12
	}
	p.postAs(&w, "post")
}

func (p *hcaTxPeer) postAs(w *hca.SendWQE, why string) {
	record := hca.SQRecord{QPN: p.qpn, Op: hca.SQPost, SendWQE: *w}
	p.h.op(hca.ToSendQueues, record.Append(nil), why)
}
