package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// Transport timers and RNR timers that are not near each other, in ticks: 16,384, 65,536, 262,144; 10,000, 20,000,
// 40,000, 120,000, 640,000.
var (
	hcaTxCodes     = [...]uint8{12, 14, 14, 16, 0}
	hcaTxEasyCodes = [...]uint8{12, 16}
	hcaTxRNRCodes  = [...]uint8{20, 22, 24, 27, 0}
)

// hcaTxPMTU are codes and bytes of PMTUs.
var hcaTxPMTU = [...]uint32{1: 256, 2: 512, 3: 1024, 4: 2048, 5: 4096}

// setUp has a QP begin anew.
func (p *hcaTxPeer) setUp() {
	r := p.r
	if ended := p.known && !p.silent() && !p.h.model.State(p.qpn).Open; !ended || r.OneIn(2) {
		p.close()
	}
	*p = hcaTxPeer{h: p.h, r: r, qpn: p.qpn, known: true, due: drawPSN(r), pmtu: p.drawPMTU(),
		window: uint32(3 + r.Below(6)), limited: r.OneIn(2), free: r.OneIn(2) || p.h.easy && !r.OneIn(3), service: [...]uint8{6: hca.TxUC,
			7: hca.TxUD}[r.Below(8)]}
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
	code := hcaTxCodes[r.Below(len(hcaTxCodes))]
	if p.h.easy { // whose timers run out first is known
		code = hcaTxEasyCodes[p.qpn&1]
	}
	control := hca.RetryRecord{QPN: p.qpn, Op: hca.RetryConfigure, Una: p.due, Code: code,
		RetryCnt: uint8(r.Below(8)), RNRRetry: uint8(r.Below(8)), AnyAnswer: anyAnswer}
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
	case p.h.memory.breaks == nil && r.OneIn(10): // behind what fails its turn may come, or not
		w.Verb = [...]roce.Verb{roce.LocalInvalidate, roce.LocalInvalidate, roce.Bind}[r.Below(3)]
	}
	pmtu := int(hcaTxPMTU[p.pmtu])
	packets := [...]int{0, 1, 1, 2, 3, 6}[r.Below(6)]
	switch {
	case p.service == hca.TxUD || p.pmtu > 3 && (p.h.memory.most > hcaTxMany || p.h.model.State(p.qpn).Posted > 0):
		packets = min(packets, 1)
	case p.pmtu > 3:
		packets = min(packets, 2)
	case p.free || p.pace > 0 && p.h.top == nil: // all of it may go again in one step
		packets = min(packets, 2)
	case w.Verb == roce.Read:
		packets = min(packets, int(p.window))
	}
	w.Length = uint32(max(0, packets*pmtu-[...]int{0, 0, 1, r.Below(pmtu)}[r.Below(4)]))
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
