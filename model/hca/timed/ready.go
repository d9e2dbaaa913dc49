package timed

// partSet is a set of parts: bit i is that of part i.
type partSet uint64

func (s partSet) has(part int) bool { return s>>part&1 != 0 }

// when is the set of one part, or none.
func when(moves bool, part int) partSet {
	n := partSet(0)
	if moves {
		n = 1
	}
	return n << part
}

// setReaders says which part looks at the head of a queue first. A part that waits for something else than one queue
// is asked in every clock, and in none of these sets.
func (p *Pipeline) setReaders() {
	for part, q := range map[int]*queue{
		partGate: &p.check, partGateRecord: &p.gateRecords, partOperation: &p.ops, partHeader: &p.headers,
		partClassify: &p.classIn, partClassified: &p.class, partIssue: &p.issueIn, partIssued: &p.issued,
		partMessage: &p.messageIn, partPlaceOf: &p.messages, partHead: &p.headIn, partWQE: &p.heads, partKeys: &p.keysIn,
		partAsk: &p.keys, partVerdict: &p.verdictIn, partJudged: &p.verdicts, partMark: &p.markIn, partMarked: &p.marks,
		partNotify: &p.ways, partCommit: &p.ways, partTold: &p.told, partCommand: &p.places, partBeat: &p.payIn,
		partNote: &p.acks, partWrite: &p.writes, partData: &p.data, partCQE: &p.cqes, partFailing: &p.failing,
		partAckIn: &p.ackIn, partAck: &p.ackEdge, partInsert: &p.ackBeats, partSent: &p.sent,
		partEngines: &p.engines.works, partOrder: &p.engines.turns, partReplay: &p.engines.replayIn,
		partReplayed: &p.engines.replays, partReadBegin: &p.reads.commands, partReadOut: &p.reads.wanted,
		partReadTake: &p.reads.data, partReadLook: &p.reads.taken, partPayloadIn: &p.reads.beats, partEnd: &p.order.ended,
		partOutcome: &p.order.outcomes, partAtomic: &p.atomics.commands, partAtomicRead: &p.atomics.asked,
		partAtomicWrite: &p.atomics.decided,
	} {
		q.readers |= 1 << part
	}
}

// readFront says which parts move of the ports, icrc_gate, roce_parse and rx_classify.
func (p *Pipeline) readFront() partSet {
	r := p.ready
	return when(p.readOps(), partOps) |
		when(p.readFrames(), partFrames) |
		when(r.has(partGate) && p.readGate(), partGate) |
		when(p.gate.moves() && p.readGateStore(), partGateStore) |
		when(r.has(partGateRecord) && p.readGateRecord(), partGateRecord) |
		when(p.readParse(), partParse) |
		when(p.payload.moves() && p.readPayloadStore(), partPayloadStore) |
		when(r.has(partOperation) && p.readOperation(), partOperation) |
		when(r.has(partHeader) && p.readHeader(), partHeader) |
		when(r.has(partClassify) && p.readClassify(), partClassify) |
		when(r.has(partClassified) && p.readClassified(), partClassified)
}

// readLookUps says which parts move from rx_issue to the commit.
func (p *Pipeline) readLookUps() partSet {
	r := p.ready
	return when(r.has(partIssue) && p.readIssue(), partIssue) |
		when(r.has(partIssued) && p.readIssued(), partIssued) |
		when(r.has(partMessage) && p.readMessage(), partMessage) |
		when(r.has(partPlaceOf) && p.readPlaceOf(), partPlaceOf) |
		when(r.has(partHead) && p.readHead(), partHead) |
		when(r.has(partWQE) && p.readWQE(), partWQE) |
		when(r.has(partKeys) && p.readKeys(), partKeys) |
		when(r.has(partAsk) && p.readAsk(), partAsk) |
		when(r.has(partVerdict) && p.readVerdict(), partVerdict) |
		when(r.has(partJudged) && p.readJudged(), partJudged) |
		when(r.has(partMark) && p.readMark(), partMark) |
		when(r.has(partMarked) && p.readMarked(), partMarked) |
		when(r.has(partNotify) && p.readNotify(), partNotify) |
		when(r.has(partCommit) && p.readCommit(), partCommit) |
		when(r.has(partTold) && p.readTold(), partTold)
}

// readBack says which parts move of rx_dma, ack_gen and what is between.
func (p *Pipeline) readBack() partSet {
	r := p.ready
	return when(r.has(partCommand) && p.readCommand(), partCommand) |
		when(p.readPay(), partPay) |
		when(r.has(partBeat) && p.readBeat(), partBeat) |
		when(p.readMove(), partMove) |
		when(p.readAcks(), partAcks) |
		when(r.has(partNote) && p.readNote(), partNote) |
		when(p.readRetire(), partRetire) |
		when(r.has(partWrite) && p.readWrite(), partWrite) |
		when(r.has(partData) && p.readData(), partData) |
		when(r.has(partCQE) && p.readCQE(), partCQE) |
		when(r.has(partFailing) && p.readFailing(), partFailing) |
		when(r.has(partAckIn) && p.readAckIn(), partAckIn) |
		when(r.has(partAck) && p.readAck(), partAck) |
		when(r.has(partInsert) && p.readInsert(), partInsert) |
		when(r.has(partSent) && p.readSent(), partSent) |
		when(r.has(partEngines) && p.readEngines(), partEngines) |
		when(r.has(partOrder) && p.readOrder(), partOrder) |
		when(p.readAcked(), partAcked)
}

// serves reports whether a READ or atomic, or what belongs to one, is inside or to come. Else the parts from partReplay
// on have nothing to do.
func (p *Pipeline) serves() bool {
	return p.serving > 0 || p.sources[ReadData].hasMore() || p.sources[AtomicData].hasMore() ||
		p.sources[AtomicAcks].hasMore()
}

// readServing says which of the parts from partReplay on move.
func (p *Pipeline) readServing() partSet {
	r := p.ready
	return when(r.has(partReplay) && p.readReplay(), partReplay) |
		when(r.has(partReplayed) && p.readReplayed(), partReplayed) |
		when(r.has(partReadBegin) && p.readReadBegin(), partReadBegin) |
		when(p.readReadAsk(), partReadAsk) |
		when(r.has(partReadOut) && p.readReadOut(), partReadOut) |
		when(p.readReadData(), partReadData) |
		when(r.has(partReadTake) && p.readReadTake(), partReadTake) |
		when(r.has(partReadLook) && p.readReadLook(), partReadLook) |
		when(p.readAnswers(), partAnswers) |
		when(r.has(partPayloadIn) && p.readPayloadIn(), partPayloadIn) |
		when(r.has(partEnd) && p.readEnd(), partEnd) |
		when(r.has(partOutcome) && p.readOutcome(), partOutcome) |
		when(r.has(partAtomic) && p.readAtomic(), partAtomic) |
		when(r.has(partAtomicRead) && p.readAtomicRead(), partAtomicRead) |
		when(p.readAtomicData(), partAtomicData) |
		when(p.readNoted(), partNoted) |
		when(p.readDecide(), partDecide) |
		when(r.has(partAtomicWrite) && p.readAtomicWrite(), partAtomicWrite) |
		when(p.readAtomicAcks(), partAtomicAcks) |
		when(p.readAtomicRetire(), partAtomicRetire)
}
