package hca

import (
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// HcaRxBlocks are the blocks of hca_rx as they decide, one by one: whoever calls them says when, and in which order.
// The stage hca_rx asks them all at once for each frame; model/hca/timed asks each when a record enters it.
type HcaRxBlocks struct {
	numQPs    uint32
	depth     int // of a receive queue
	beatBytes int
	ecc       sim.Settings // whether there is a code

	classifier Classifier
	messages   Messages
	queues     ReceiveQueues
	keys       Keys
	verdicts   respPSNCheck
	answers    ackGen
	marks      cnpGen
	given      []*givenAnswer // by index of the QP
	replays    Replays
	pmtus      map[uint32]uint8 // of QPs that replay_fifo was set for
	dead       map[uint32]bool  // of no READ and atomic of these anybody hears: Die
}

// HcaRxFrame is a frame on its way through hca_rx, with what the blocks have said of it so far. It is not copied: it
// points into itself.
type HcaRxFrame struct {
	Verdict uint32  // m_axis_tuser of icrc_check
	Gate    GateWhy // of icrc_gate
	Class   ClassifyResult
	Result  RespResult // of resp_psn_check; only of a request
	CNP     CNPResult  // of cnp_gen, as far as it is made of what cnp_gen knows; only of a packet that was admitted
	Asked   HcaRxAsked // of the engines; only where the frame was played

	packet   wire.Packet
	parsed   parsed
	way      WayBack
	fields   headerFields
	message  MsgResult
	wqe      RQResult
	key      MRResult
	accessOK bool
	width    roce.Width
}

// NewHcaRxBlocks makes the blocks as they are behind their reset. Settings are those of the stage hca_rx.
func NewHcaRxBlocks(s sim.Settings) *HcaRxBlocks {
	b := &HcaRxBlocks{numQPs: uint32(s.Get("NumQps", 4096)), depth: int(s.Get("RqDepth", HcaRxQueueDepth)),
		beatBytes: int(s.Get("DataWidth", 512)) / 8, ecc: s}
	b.answers.beatBytes = b.beatBytes
	b.Reset()
	return b
}

// Reset returns the blocks to their state behind reset.
func (b *HcaRxBlocks) Reset() {
	b.classifier = Classifier{numQPs: b.numQPs, ecc: eccOf(b.ecc, classifyContextBits)}
	b.keys = Keys{numKeys: b.numQPs, ecc: eccOf(b.ecc, mrContextBits)}
	b.messages = Messages{numQPs: b.numQPs, ecc: eccOf(b.ecc, msgContextBits)}
	b.queues = newReceiveQueues(b.ecc, b.numQPs, b.depth)
	b.verdicts = respPSNCheck{numQPs: b.numQPs, width: psnWidth(b.ecc), ecc: eccOf(b.ecc, respContextBits)}
	b.answers = ackGen{beatBytes: b.answers.beatBytes, numQPs: b.numQPs}
	b.given = make([]*givenAnswer, b.numQPs)
	b.replays, b.pmtus = newReplays(b.ecc, b.numQPs, HcaRxReplaySlots), map[uint32]uint8{}
	b.replays.width, b.dead = psnWidth(b.ecc), map[uint32]bool{}
	b.marks = cnpGen{numQPs: b.numQPs, stampBits: HcaRxStampBits}
}

// HcaRxTargetOf is the block that a record of s_op is for.
func HcaRxTargetOf(data []byte) HcaRxTarget { return HcaRxTarget(data[0] & 15) }

// Operate gives a block its operation, a record of s_op.
func (b *HcaRxBlocks) Operate(data []byte) {
	if HcaRxTargetOf(data) == ToAnswers {
		clear(b.given) // made with what ack_gen knew before
	}
	b.operate(data)
}

// operate gives a block its operation.
func (b *HcaRxBlocks) operate(data []byte) {
	var target HcaRxTarget
	l := sim.ReadLayout(data)
	sim.Field(&l, &target, hcaRxTargetBits)
	switch target {
	case ToClassify:
		var q ClassifyQuery
		q.layout(&l)
		b.classifier.Step(&q)
	case ToVerdict:
		var q RespQuery
		q.layout(&l)
		b.verdicts.answer(&q)
	case ToKeys:
		var q MRQuery
		q.layout(&l)
		b.keys.Step(&q)
	case ToAnswers:
		var q AckRecord
		q.AckQuery.layout(&l)
		b.answers.answer(&q, nil)
	case ToMessages:
		var q MsgQuery
		q.layout(&l)
		b.messages.Step(&q)
	case ToReceiveQueues:
		q := hcaRxPostForm.Parse(data)
		b.queues.Step(&q.RQQuery)
	case ToReplay:
		q := hcaRxReplayOf(data)
		b.setReplays(&q)
	case ToNotify:
		var q CNPQuery
		q.layout(&l)
		b.marks.step(&q, 0)
	}
}

// hcaRxPost is an operation of rq_head: the one that comes with every packet.
type hcaRxPost struct {
	target HcaRxTarget
	RQQuery
}

var hcaRxPostForm = sim.FormOf(func(p *hcaRxPost, l *sim.Layout) {
	sim.Field(l, &p.target, hcaRxTargetBits)
	p.RQQuery.layout(l)
})

// hcaRxReplayOf is what replay_fifo is told by an operation that is for it.
func hcaRxReplayOf(data []byte) (q ReplayQuery) {
	l := sim.ReadLayout(data)
	var target HcaRxTarget
	sim.Field(&l, &target, hcaRxTargetBits)
	q.layout(&l)
	return q
}

// HcaRxClearOf is what rx_dma is told by an operation that is for it.
func HcaRxClearOf(data []byte) DMACommand {
	l := sim.ReadLayout(data)
	var target HcaRxTarget
	sim.Field(&l, &target, hcaRxTargetBits)
	var c DMACommand
	c.layout(&l)
	return DMACommand{Clear: true, DMACompletion: DMACompletion{QPN: c.QPN}}
}

// Fail takes a QP to error, a write of which failed (DMA-5).
func (b *HcaRxBlocks) Fail(qpn uint32) {
	q := RespQuery{Op: RespError, QPN: qpn}
	b.verdicts.answer(&q)
}

// Die takes a QP to error, a READ or atomic of which memory failed: until replay_fifo is set for it, what it reads is
// not answered, and does not give its place back.
func (b *HcaRxBlocks) Die(qpn uint32) {
	b.Fail(qpn)
	b.dead[qpn] = true
}

// Receive looks at a frame as icrc_check, icrc_gate and, if it passes, roce_parse do. It depends on the frame only.
func (f *HcaRxFrame) Receive(link wire.Link, frame []byte) {
	var loc wire.Location
	loc.Find(link, frame)
	f.Verdict = verdictAt(frame, &loc)
	f.Gate = judgeGate(len(frame), f.Verdict)
	f.Class, f.Result = ClassifyResult{}, RespResult{}
	if f.Gate == GatePassed {
		wire.DecodeAt(link, frame, &loc, &f.packet)
		f.parsed = parsed{Packet: &f.packet}
		f.parsed.judge()
		f.way = f.parsed.wayBack()
		f.fields = f.parsed.fields()
	}
}

// Payload is what roce_parse gives at m_axis: nil where it gives nothing. Its first byte is byte `at` of the frame.
func (f *HcaRxFrame) Payload() (payload []byte, at int) {
	if !f.parsed.passesOn() {
		return nil, 0
	}
	p := f.packet.Payload
	return p, cap(f.packet.Frame) - cap(p)
}

// Classify asks rx_classify.
func (b *HcaRxBlocks) Classify(f *HcaRxFrame) {
	q := f.classifyQuery()
	f.Class = b.classifier.Step(&q)
}

// Notify asks cnp_gen about a packet that was admitted, in a clock.
func (b *HcaRxBlocks) Notify(f *HcaRxFrame, now uint64) {
	if f.Admitted() {
		p := roce.Marked{TClass: f.way.TClass, Op: f.parsed.BTH().Opcode(), Service: f.Class.Service.transport(),
			RoCEv2: f.way.isRoCEv2(), SrcQP: uint32(f.parsed.field(ib.SrcQP))}
		f.CNP.Why, f.CNP.Opcode, f.CNP.PeerQPN = b.marks.packet(f.Class.QPN, &p, now)
	}
}

// Admitted reports whether rx_classify let the packet pass.
func (f *HcaRxFrame) Admitted() bool { return f.Gate == GatePassed && f.Class.Class != ClassDropped }

// Notifies reports whether a CNP is due.
func (f *HcaRxFrame) Notifies() bool { return f.Admitted() && f.CNP.Why == CNPDone }

// notice is what ack_gen is asked for a CNP.
func (f *HcaRxFrame) notice() AckQuery {
	return AckQuery{Op: AckCNP, QPN: f.Class.QPN, PKey: f.Class.PKey, PeerQPN: f.CNP.PeerQPN, Way: f.way}
}

// LookUpMessage asks msg_tracker where a request goes on.
func (b *HcaRxBlocks) LookUpMessage(f *HcaRxFrame) {
	q := f.messageQuery(MsgLookUp)
	f.message = b.messages.Step(&q)
}

// LookUpWQE asks rq_head for the receive WQE that a request would use, and for credits.
func (b *HcaRxBlocks) LookUpWQE(f *HcaRxFrame) {
	q := f.queueQuery(RQLookUp)
	f.wqe = b.queues.Step(&q)
}

// Translate asks mr_lookup for what a request touches.
func (b *HcaRxBlocks) Translate(f *HcaRxFrame) {
	q, asked, otherwise := f.keyQuery()
	f.key, f.accessOK = MRResult{}, otherwise
	if asked {
		f.key = b.keys.Step(&q)
		f.accessOK = f.key.OK
	}
}

// Judge asks resp_psn_check.
func (b *HcaRxBlocks) Judge(f *HcaRxFrame) {
	p, h := &f.parsed, &f.fields
	bth := p.BTH()
	q := RespQuery{QPN: bth.DestQP(), PSN: bth.PSN(), Opcode: bth.Opcode(), Payload: uint16(p.payloadBytes),
		DMALength: h.dmaLength, Pad: uint8(bth.Pad()), VALow: uint8(h.va & 7), AckReq: bth.AckReq(),
		Solicited: bth.SE(), FlushPLT: h.flushPLT, FlushSel: h.flushSel,
		WQEBytes: f.wqe.Bytes, WQEPresent: f.wqe.Present, Credits: f.wqe.Credits, AccessOK: f.accessOK,
		QKeyOK: f.Class.QKey == uint32(p.field(ib.QKey)),
		Lost:   f.message.Lost() || f.wqe.Lost() && f.IssueRequest().NeedsWQE}
	f.Result, f.width = b.verdicts.answer(&q), b.verdicts.width
}

// CommitMessage tells msg_tracker of a packet that was executed, where CommitsMessage says so.
func (b *HcaRxBlocks) CommitMessage(f *HcaRxFrame) {
	if f.CommitsMessage() {
		q := f.messageQuery(MsgCommit)
		b.messages.Step(&q)
	}
}

// TakeWQE tells rq_head of a packet that used a receive WQE, where TakesWQE says so.
func (b *HcaRxBlocks) TakeWQE(f *HcaRxFrame) {
	if f.TakesWQE() {
		q := f.queueQuery(RQTake)
		q.Complete = f.Result.Complete
		b.queues.Step(&q)
	}
}

// Invalidate has mr_lookup take the key away that an executed SEND names, where Invalidates says so.
func (b *HcaRxBlocks) Invalidate(f *HcaRxFrame) {
	if f.Invalidates() {
		q := MRQuery{Op: MRInvalidate, RKey: uint32(f.parsed.field(ib.InvRKey)), PD: f.Class.PD}
		b.keys.Step(&q)
	}
}

// Request asks the blocks about a request in their order, and tells them its verdict.
func (b *HcaRxBlocks) Request(f *HcaRxFrame) {
	b.LookUpMessage(f)
	b.LookUpWQE(f)
	b.Translate(f)
	b.Judge(f)
	b.CommitMessage(f)
	b.TakeWQE(f)
	b.Invalidate(f)
}

// Play takes a frame through all blocks, for what it leaves in them, and for what they say of it.
func (b *HcaRxBlocks) Play(f *HcaRxFrame, link wire.Link, frame []byte) {
	if f.Receive(link, frame); f.Gate != GatePassed {
		return
	}
	b.Classify(f)
	b.Notify(f, 0)
	f.Asked = HcaRxAsked{}
	if f.IsRequest() {
		b.Request(f)
		b.serve(f)
	}
}

// Posted is how many WQEs there are in a receive queue, QueueDepth how many it holds.
func (b *HcaRxBlocks) Posted(queue uint32) int { return b.queues.waiting(queue) }

// NextWQE is how many bytes the receive WQE has that the next message of a QP would use, and whether there is one.
func (b *HcaRxBlocks) NextWQE(qpn uint32, at *ReceiveSide) (bytes uint32, ok bool) {
	if qpn >= b.numQPs || at.Queue >= b.numQPs {
		return 0, false
	}
	w, ok, _ := b.queues.next(&RQQuery{QPN: qpn, Queue: at.Queue, Shared: at.Shared})
	return w.Bytes, ok
}

// Expects is the PSN that a QP expects next, if it takes requests.
func (b *HcaRxBlocks) Expects(qpn uint32) (at psn.PSN, ok bool) {
	q := b.verdicts.qps.get(qpn)
	if q == nil || q.State <= roce.Init || q.State == roce.Error {
		return 0, false
	}
	return q.EPSN(), true
}

// QueueDepth is how many WQEs a receive queue holds.
func (b *HcaRxBlocks) QueueDepth() int { return b.depth }

// IsRequest reports whether rx_classify found a request.
func (f *HcaRxFrame) IsRequest() bool { return f.Class.Class == ClassRequest }

// executed reports whether the verdict is that.
func (f *HcaRxFrame) executed() bool { return f.IsRequest() && f.Result.Verdict == roce.RespExecute }

// Executed reports whether the verdict of a request is that.
func (f *HcaRxFrame) Executed() bool { return f.executed() }

// Answers reports whether an ACK or NAK is due.
func (f *HcaRxFrame) Answers() bool {
	return f.IsRequest() && (f.Result.Answer == roce.RespAck || f.Result.Answer == roce.RespNak)
}

// Placed reports whether its payload is written.
func (f *HcaRxFrame) Placed() bool { return f.executed() && f.parsed.passesOn() }

// AppendGate appends the record of m_gate.
func (f *HcaRxFrame) AppendGate(b []byte) []byte {
	l := sim.WriteLayout(b)
	l.Put(uint32(f.Gate), 3)
	l.Put(f.Verdict&3, 2)
	l.Put(f.Verdict>>4&7, 3)
	l.Put(f.Verdict>>8&15, 4)
	return l.End()
}
