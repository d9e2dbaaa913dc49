package timed

import "hcacosim/model/hca"

// part is one thing that happens in a clock: something moves from one queue to the next. read says whether it does, of
// what the clock began with; commit does it.
type part struct {
	name   string
	read   func(*Pipeline) bool
	commit func(*Pipeline)
}

// NumParts is how many parts a pipeline has.
const NumParts = 64

var parts = [NumParts]part{
	{"s_op", (*Pipeline).readOps, (*Pipeline).commitOps},
	{"s_axis", (*Pipeline).readFrames, (*Pipeline).commitFrames},
	{"icrc_check to icrc_gate", (*Pipeline).readGate, (*Pipeline).commitGate},
	{"store of icrc_gate", (*Pipeline).readGateStore, (*Pipeline).commitGateStore},
	{"m_gate", (*Pipeline).readGateRecord, (*Pipeline).commitGateRecord},
	{"icrc_gate to roce_parse", (*Pipeline).readParse, (*Pipeline).commitParse},
	{"store of roce_parse", (*Pipeline).readPayloadStore, (*Pipeline).commitPayloadStore},
	{"operation to its block", (*Pipeline).readOperation, (*Pipeline).commitOperation},
	{"roce_parse to the headers", (*Pipeline).readHeader, (*Pipeline).commitHeader},
	{"into rx_classify", (*Pipeline).readClassify, (*Pipeline).commitClassify},
	{"rx_classify to the ways", (*Pipeline).readClassified, (*Pipeline).commitClassified},
	{"rx_issue", (*Pipeline).readIssue, (*Pipeline).commitIssue},
	{"rx_issue to the look-ups", (*Pipeline).readIssued, (*Pipeline).commitIssued},
	{"into msg_tracker", (*Pipeline).readMessage, (*Pipeline).commitMessage},
	{"msg_tracker to mr_lookup", (*Pipeline).readPlaceOf, (*Pipeline).commitPlaceOf},
	{"into rq_head", (*Pipeline).readHead, (*Pipeline).commitHead},
	{"rq_head to the WQEs", (*Pipeline).readWQE, (*Pipeline).commitWQE},
	{"into mr_lookup", (*Pipeline).readKeys, (*Pipeline).commitKeys},
	{"mr_lookup to the request", (*Pipeline).readAsk, (*Pipeline).commitAsk},
	{"into resp_psn_check", (*Pipeline).readVerdict, (*Pipeline).commitVerdict},
	{"resp_psn_check to the verdicts", (*Pipeline).readJudged, (*Pipeline).commitJudged},
	{"into cnp_gen", (*Pipeline).readMark, (*Pipeline).commitMark},
	{"cnp_gen to the notices", (*Pipeline).readMarked, (*Pipeline).commitMarked},
	{"CNP", (*Pipeline).readNotify, (*Pipeline).commitNotify},
	{"commit", (*Pipeline).readCommit, (*Pipeline).commitCommit},
	{"m_rec", (*Pipeline).readTold, (*Pipeline).commitTold},
	{"commit to rx_dma", (*Pipeline).readCommand, (*Pipeline).commitCommand},
	{"roce_parse to rx_dma", (*Pipeline).readPay, (*Pipeline).commitPay},
	{"rx_dma to its beats", (*Pipeline).readBeat, (*Pipeline).commitBeat},
	{"rx_dma", (*Pipeline).readMove, (*Pipeline).commitMove},
	{"s_mem", (*Pipeline).readAcks, (*Pipeline).commitAcks},
	{"acknowledgements", (*Pipeline).readNote, (*Pipeline).commitNote},
	{"entries of rx_dma", (*Pipeline).readRetire, (*Pipeline).commitRetire},
	{"m_mem", (*Pipeline).readWrite, (*Pipeline).commitWrite},
	{"m_data", (*Pipeline).readData, (*Pipeline).commitData},
	{"m_cqe", (*Pipeline).readCQE, (*Pipeline).commitCQE},
	{"what failed to resp_psn_check", (*Pipeline).readFailing, (*Pipeline).commitFailing},
	{"into ack_gen", (*Pipeline).readAckIn, (*Pipeline).commitAckIn},
	{"ack_gen", (*Pipeline).readAck, (*Pipeline).commitAck},
	{"ack_gen to icrc_insert", (*Pipeline).readInsert, (*Pipeline).commitInsert},
	{"m_axis", (*Pipeline).readSent, (*Pipeline).commitSent},
	{"answers that are due", (*Pipeline).readEngines, (*Pipeline).commitEngines},
	{"turns", (*Pipeline).readOrder, (*Pipeline).commitOrder},
	{"writes that are acknowledged", (*Pipeline).readAcked, (*Pipeline).commitAcked},
	{"replay_fifo", (*Pipeline).readReplay, (*Pipeline).commitReplay},
	{"replay_fifo to the engines", (*Pipeline).readReplayed, (*Pipeline).commitReplayed},
	{"READ begins", (*Pipeline).readReadBegin, (*Pipeline).commitReadBegin},
	{"READ asks", (*Pipeline).readReadAsk, (*Pipeline).commitReadAsk},
	{"m_rd", (*Pipeline).readReadOut, (*Pipeline).commitReadOut},
	{"s_rd", (*Pipeline).readReadData, (*Pipeline).commitReadData},
	{"s_rd to read_engine", (*Pipeline).readReadTake, (*Pipeline).commitReadTake},
	{"read_engine's places", (*Pipeline).readReadLook, (*Pipeline).commitReadLook},
	{"READ responses", (*Pipeline).readAnswers, (*Pipeline).commitAnswers},
	{"READ payload to ack_gen", (*Pipeline).readPayloadIn, (*Pipeline).commitPayloadIn},
	{"m_end", (*Pipeline).readEnd, (*Pipeline).commitEnd},
	{"READs and atomics to resp_psn_check", (*Pipeline).readOutcome, (*Pipeline).commitOutcome},
	{"atomic begins", (*Pipeline).readAtomic, (*Pipeline).commitAtomic},
	{"m_ard", (*Pipeline).readAtomicRead, (*Pipeline).commitAtomicRead},
	{"s_ard", (*Pipeline).readAtomicData, (*Pipeline).commitAtomicData},
	{"s_ard and s_awr noted", (*Pipeline).readNoted, (*Pipeline).commitNoted},
	{"atomic decides", (*Pipeline).readDecide, (*Pipeline).commitDecide},
	{"m_awr", (*Pipeline).readAtomicWrite, (*Pipeline).commitAtomicWrite},
	{"s_awr", (*Pipeline).readAtomicAcks, (*Pipeline).commitAtomicAcks},
	{"atomic ends", (*Pipeline).readAtomicRetire, (*Pipeline).commitAtomicRetire},
}

// PartName names a part.
func PartName(i int) string { return parts[i].name }

// movesTo reports whether what is offered can move on, and counts the clock if it cannot.
func (p *Pipeline) movesTo(i int, can bool) bool {
	if !can {
		p.waits[i]++
	}
	return can
}

// The places of parts in the table.
const (
	partOps = iota
	partFrames
	partGate
	partGateStore
	partGateRecord
	partParse
	partPayloadStore
	partOperation
	partHeader
	partClassify
	partClassified
	partIssue
	partIssued
	partMessage
	partPlaceOf
	partHead
	partWQE
	partKeys
	partAsk
	partVerdict
	partJudged
	partMark
	partMarked
	partNotify
	partCommit
	partTold
	partCommand
	partPay
	partBeat
	partMove
	partAcks
	partNote
	partRetire
	partWrite
	partData
	partCQE
	partFailing
	partAckIn
	partAck
	partInsert
	partSent
	partEngines
	partOrder
	partAcked
	partReplay
	partReplayed
	partReadBegin
	partReadAsk
	partReadOut
	partReadData
	partReadTake
	partReadLook
	partAnswers
	partPayloadIn
	partEnd
	partOutcome
	partAtomic
	partAtomicRead
	partAtomicData
	partNoted
	partDecide
	partAtomicWrite
	partAtomicAcks
	partAtomicRetire
)

func (p *Pipeline) readOps() bool {
	s := &p.sources[Ops]
	return s.offers(p) && p.movesTo(partOps, p.ops.room())
}

func (p *Pipeline) commitOps() {
	t, _ := p.sources[Ops].accept(p)
	p.ops.put(p, t, true)
}

func (p *Pipeline) readFrames() bool {
	s := &p.sources[Frames]
	return s.offers(p) && p.movesTo(partFrames, p.check.room())
}

func (p *Pipeline) commitFrames() {
	t, last := p.sources[Frames].accept(p)
	p.check.put(p, t, last)
}

// icrc_gate takes a beat while it has a place for its record and its store is not closed.
func (p *Pipeline) readGate() bool {
	return p.check.offers(p.now) && p.movesTo(partGate, p.gateRecords.room() && !p.gate.closed)
}

func (p *Pipeline) commitGate() {
	e := *p.check.first()
	p.check.take(p)
	b := push{at: p.now + p.gate.latency, what: e.what, last: e.last, store: p.gateBeats < gateMaxBytes/p.beatBytes}
	p.gateBeats++
	if e.last {
		p.gateBeats = 0
		b.keep = e.what.frame.Gate == hca.GatePassed
		b.drop = !b.keep
		p.gateRecords.put(p, e.what, true)
	}
	p.gate.schedule(b)
}

func (p *Pipeline) readGateStore() bool { return p.gate.read(p.now) }

func (p *Pipeline) commitGateStore() { p.gate.commit(p.now) }

func (p *Pipeline) readGateRecord() bool {
	return p.gateRecords.offers(p.now) && p.movesTo(partGateRecord, !p.held(Gate))
}

func (p *Pipeline) commitGateRecord() {
	t := p.gateRecords.first().what
	p.gateRecords.take(p)
	at := len(p.bytes)
	p.bytes = t.frame.AppendGate(p.bytes)
	p.emit(Gate, t, p.now, p.bytes[at:len(p.bytes):len(p.bytes)], 0)
	p.leave(t)
}

func (p *Pipeline) readParse() bool {
	return p.gate.offers(p.now) && p.movesTo(partParse, p.headers.room() && !p.payload.closed)
}

// roce_parse joins each beat with the one behind it, and a last one with nothing.
func (p *Pipeline) commitParse() {
	e := *p.gate.first()
	p.gate.take()
	if p.joining != nil {
		p.payload.schedule(p.payloadPush(p.joining, p.joiningBeat, p.now+p.payload.latency-payloadJoin))
	}
	p.joining, p.joiningBeat = e.what, e.what.accepted
	e.what.accepted++
	if e.last {
		b := p.payloadPush(e.what, p.joiningBeat, p.now+p.payload.latency)
		b.keep = true
		p.payload.schedule(b)
		p.joining = nil
		p.headers.put(p, e.what, true)
	}
}

// payloadPush is what comes of a beat of a frame.
func (p *Pipeline) payloadPush(t *token, beat uint32, at uint64) push {
	n := beat - t.payFirst // wraps before the payload
	return push{at: at, what: t, store: n < t.payBeats, last: n+1 == t.payBeats}
}

func (p *Pipeline) readPayloadStore() bool { return p.payload.read(p.now) }

func (p *Pipeline) commitPayloadStore() { p.payload.commit(p.now) }
