// Package timed is hca_rx as blocks that are joined by bounded queues, with latencies, arbitration and stalls: it says
// of every record that leaves what it is and in which clock. What is decided is decided by the stages of model/hca,
// each asked when the record enters its block. docs/predict.md says what is modelled and where each number comes from.
//
// A clock has two phases. In the first every part reads what the clock began with and says whether it moves; in the
// second those that move do. No part reads in the first phase what another changes in it, and none touches in the
// second what another one touches: so their order does not matter.
package timed

import (
	"maps"

	"hcacosim/model/hca"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// The ports of hca_rx, in the order of its stage.
const (
	Frames       sim.Port = iota // s_axis
	Ops                          // s_op
	Acks                         // s_mem
	Gate                         // m_gate
	Records                      // m_rec
	Writes                       // m_mem
	Data                         // m_data
	Completions                  // m_cqe
	Answers                      // m_axis
	ReadData                     // s_rd
	ReadAsks                     // m_rd
	AtomicData                   // s_ard
	AtomicReads                  // m_ard
	AtomicAcks                   // s_awr
	AtomicWrites                 // m_awr
	Ends                         // m_end
	numPorts     = iota
)

// NumPorts is how many ports hca_rx has.
const NumPorts = numPorts

// Config is how a Pipeline is made. The zero value of a field is its default.
type Config struct {
	DataWidth int    // bits of a beat: 64 to 1024; 512
	NumQPs    uint32 // 4096
	// Inputs are configuration inputs and parameters, by the names that the stage hca_rx has for them.
	Inputs sim.Settings
	// Host is what memory outside the adapter costs; the zero value is all on chip, as the RTL is.
	Host Host
	// Queues are sizes that differ from those of Queues, by name: what if a queue were as deep as that? Names that
	// there are none of do nothing.
	Queues map[string]Size
	// Held reports whether a port is held up on purpose in a clock: an output is not ready, an input does not begin to
	// offer its next beat. nil is never.
	Held func(port sim.Port, clock uint64) bool
	// Memory is asked about every record that leaves, in the order of the clocks and ports, and says what memory answers
	// in a later clock. nil: memory's answers come as arrivals.
	Memory func(r *sim.Record) (a Arrival, answers bool)
	// Order is the order in which the parts are asked in each clock: a permutation of 0 to NumParts-1. nil is theirs. It
	// never shows in what comes out.
	Order []int
}

// Host is the latency of what is not on chip, in clocks, and how much is.
type Host struct {
	// ContextMiss is how long resp_psn_check waits for a QP whose context is not in the cache of ContextEntries: at the
	// place QPN modulo that number stood another one's. 0 entries: there is no cache, all contexts are on chip.
	ContextMiss    uint64
	ContextEntries uint32
	// TranslationMiss and TranslationEntries are the same for mr_lookup and the index of a key.
	TranslationMiss    uint64
	TranslationEntries uint32
}

// Arrival is a record that comes in. Its Data stays as it is until everything that it leads to has left.
type Arrival struct {
	sim.Offer
	// Given says that Start and End are the clocks in which the first and the last beat were accepted by the device that
	// is foreseen: the beats come then, or later where this pipeline would not take them. Else NotBefore counts.
	Given      bool
	Start, End uint64
}

// token is a frame or an operation on its way.
type token struct {
	op          []byte // the record of s_op; nil for a frame
	frame       hca.HcaRxFrame
	issue       hca.IssueRequest // of a request
	in          sim.Record
	payFirst    uint32 // the beat of the frame that the payload begins in
	payBeats    uint32 // 0 without one
	accepted    uint32 // beats that roce_parse has taken
	refs        int32  // places that it is still to leave at
	answer      []byte
	user        uint32 // of the answer
	turns       uint64 // clocks at the head of ack_gen
	memory      hca.DMACommand
	handed      uint8 // of its write: address, data
	tag         uint8 // of it
	failed      bool
	notified    bool   // its CNP has left
	made        bool   // a CNP: answer is there before ack_gen is asked
	asks        bool   // a READ or atomic, or what is answered like them
	replies     bool   // a frame for ack_gen that reply says: of one that asks
	frees       bool   // resp_psn_check is told that it was answered, else that it failed
	writes      uint64 // of packets before it and its own
	due         hca.HcaRxDue
	reply       hca.AckRecord
	payload     []byte // of reply
	atomic      hca.AtomicCommand
	value       uint64 // that it writes
	writesValue bool
	count       uint32           // responses of a READ that left
	status      hca.AtomicStatus // what memory made of it
	dataStart   uint64           // the first clock at m_data, so the next one at m_axis; with 1 added: 0 is not yet
	answerStart uint64
	paid        bool // it has a payload in the store of roce_parse
}

// Pipeline is the timed model. It is not copied.
type Pipeline struct {
	cfg        Config
	blocks     *hca.HcaRxBlocks
	now        uint64
	openAt     uint64 // of blocks with a word for a QP or a key
	headAt     uint64 // of rq_head
	replayAt   uint64 // of replay_fifo
	visitEvery uint64 // clocks: cnp_gen visits a QP
	serving    int    // READs and atomics, and what is said of them, that are inside
	ready      partSet

	beatBytes uint32
	free      []*token
	inFlight  int

	sources                        [numPorts]source
	check, gateRecords, headers    queue
	gate, payload                  store
	gateBeats                      uint32 // of the frame that comes into icrc_gate, as far as they count
	joining                        *token // the beat in roce_parse that waits for the next one
	joiningBeat                    uint32
	ops, classIn, headerQ, class   queue
	ways                           queue
	issueIn, issueQ, issued        queue // rx_issue, and the requests beside it
	messageIn, messageQ, messages  queue // msg_tracker
	headIn, heads, wqes            queue // rq_head
	keysIn, keyQ, keys             queue // mr_lookup
	verdictIn, verdicts, judged    queue
	underWay                       ring
	committed                      uint64 // the clock for which commits was asked last, with 1 added
	commits                        *token // in it
	told, places, commands, payIn  queue
	pay, writes, data, cqes        queue
	failing, steer                 queue
	acks                           queue
	markIn, marks, notices         queue // cnp_gen
	memory                         memory
	engines                        engines
	reads                          reads
	atomics                        atomics
	order                          ordering
	responseHeads                  [8][4][4]int // bytes before the payload, by way and opcode
	ackIn, ackEdge, ackBeats, sent queue
	ackPayload                     queue // of READ responses
	ackTurn, ackLimit              uint64
	insertWaits                    bool // the beat put into icrc_insert last waits for the one behind it

	contexts, translations cache

	out   []sim.Record // what came out, behind what Advance was given
	seq   [numPorts]uint64
	bytes []byte
	waits [NumParts]uint64
	turn  [NumParts]int
}

// New makes a pipeline behind its reset.
func New(cfg Config) *Pipeline {
	if cfg.DataWidth == 0 {
		cfg.DataWidth = 512
	}
	if cfg.NumQPs == 0 {
		cfg.NumQPs = 4096
	}
	settings := sim.Settings{"NumQps": uint64(cfg.NumQPs), "DataWidth": uint64(cfg.DataWidth)}
	for name, v := range cfg.Inputs {
		settings[name] = v
	}
	p := &Pipeline{cfg: cfg, blocks: hca.NewHcaRxBlocks(settings), beatBytes: uint32(cfg.DataWidth / 8)}
	p.reads = newReads()
	p.makeQueues()
	for i := range p.turn {
		p.turn[i] = i
	}
	copy(p.turn[:], cfg.Order)
	p.openAt = uint64(cfg.NumQPs) + openLatency
	p.headAt = uint64(cfg.NumQPs)*settings.Get("RqDepth", hca.HcaRxQueueDepth) + openLatency
	p.replayAt = uint64(cfg.NumQPs)*hca.HcaRxReplaySlots + openLatency
	p.visitEvery = max(1<<(hca.HcaRxStampBits-1)/uint64(cfg.NumQPs), 1)
	p.order.dead = make([]bool, cfg.NumQPs)
	for i := range p.sources {
		p.sources[i].port = sim.Port(i)
	}
	return p
}

func (p *Pipeline) makeQueues() {
	sizes := Queues()
	maps.Copy(sizes, p.cfg.Queues)
	for name, q := range map[string]*queue{
		"icrc_check": &p.check, "icrc_gate-records": &p.gateRecords, "roce_parse-records": &p.headers,
		"rx_classify": &p.class, "mr_lookup": &p.keys, "resp_psn_check": &p.verdicts, "ack_gen-records": &p.ackEdge,
		"icrc_insert": &p.sent, "operations": &p.ops, "rx_classify-input": &p.classIn, "mr_lookup-input": &p.keysIn,
		"rx_issue-input": &p.issueIn, "rx_issue": &p.issued, "requests-issue": &p.issueQ, "msg_tracker": &p.messages,
		"msg_tracker-input": &p.messageIn, "requests-message": &p.messageQ, "rq_head": &p.heads,
		"rq_head-input": &p.headIn, "wqes": &p.wqes, "verdicts": &p.judged,
		"resp_psn_check-input": &p.verdictIn, "ack_gen-input": &p.ackIn, "headers": &p.headerQ, "ways": &p.ways,
		"requests-key": &p.keyQ, "m_rec": &p.told, "places": &p.places, "rx_dma-records": &p.commands,
		"rx_dma-beats": &p.pay, "rx_dma-input": &p.payIn,
		"whose-payload": &p.steer, "rx_dma-writes": &p.writes, "rx_dma-data": &p.data,
		"rx_dma-acknowledgements": &p.acks,
		"cnp_gen-input":           &p.markIn, "cnp_gen": &p.marks, "notices": &p.notices, "rx_dma": &p.cqes,
		"failed":      &p.failing,
		"answers-due": &p.engines.works, "turns": &p.engines.turns, "replay_fifo-input": &p.engines.replayIn,
		"replay_fifo": &p.engines.replays, "path-mtu": &p.engines.mtu, "read_engine-commands": &p.reads.commands,
		"read_engine-pieces": &p.reads.wanted, "s_rd": &p.reads.data, "read_engine-frames": &p.reads.taken,
		"read_engine-headers": &p.reads.headers, "read_engine-beats": &p.reads.beats,
		"read_engine-records": &p.reads.records, "atomic_engine-commands": &p.atomics.commands,
		"atomic_engine-reads": &p.atomics.asked, "atomic_engine-writes": &p.atomics.decided,
		"atomic_engine-results": &p.atomics.results, "atomic_engine-data": &p.atomics.answers,
		"atomic_engine-acknowledgements": &p.atomics.acks, "dead": &p.order.deadIn, "m_end": &p.order.ended,
		"outcomes": &p.order.outcomes, "ack_gen-payload": &p.ackPayload,
	} {
		*q = newQueue(sizes[name].Latency, sizes[name].Depth)
	}
	p.underWay = newRing(sizes["under-way"].Depth)
	p.memory = newMemory(sizes["rx_dma-entries"], p.cfg.NumQPs)
	beats := sizes["ack_gen-beats"]
	p.ackBeats = newQueue(beats.Latency, beats.Depth+ackUnderWay)
	p.ackLimit = uint64(beats.Depth)
	gate, payload := sizes["icrc_gate-store"], sizes["roce_parse-store"]
	p.gate = newStore(gate.Depth/int(p.beatBytes), gateSpare, gate.Latency)
	p.payload = newStore(payload.Depth/int(p.beatBytes), payloadSpare, payload.Latency)
	p.contexts = newCache(p.cfg.Host.ContextEntries, p.cfg.Host.ContextMiss)
	p.translations = newCache(p.cfg.Host.TranslationEntries, p.cfg.Host.TranslationMiss)
	p.setReaders()
}

// Clock is the clock that comes next.
func (p *Pipeline) Clock() uint64 { return p.now }

// Waits is for how many clocks a part had something to move and could not, by part: PartName names them.
func (p *Pipeline) Waits() [NumParts]uint64 { return p.waits }

// InFlight is how many frames and operations were accepted and have not left in full.
func (p *Pipeline) InFlight() int { return p.inFlight }

// newToken takes a token from the free ones.
func (p *Pipeline) newToken() *token {
	p.inFlight++
	if n := len(p.free); n > 0 {
		t := p.free[n-1]
		p.free = p.free[:n-1]
		return t
	}
	return &token{answer: make([]byte, 0, 96)}
}

// from makes a token that of an arrival. The frame in it is as it was: Receive sets all of it that is read.
func (t *token) from(a *Arrival) {
	in := &t.in
	in.Seq, in.Key, in.User, in.Port, in.Data = a.Seq, a.Key, a.User, a.Port, a.Data
	t.op, t.answer, t.turns, t.refs = nil, t.answer[:0], 1, 1
	t.payFirst, t.payBeats, t.accepted, t.paid = 0, 0, 0, false
	t.notified, t.made, t.asks, t.replies, t.frees = false, false, false, false, false
	t.dataStart, t.answerStart = 0, 0
}

// leave is called once for every place that a token leaves at.
func (p *Pipeline) leave(t *token) {
	if t.refs--; t.refs == 0 {
		p.inFlight--
		p.free = append(p.free, t)
	}
}

// receive makes the token of a frame whose first beat is accepted.
func (p *Pipeline) receive(a *Arrival) *token {
	t := p.newToken()
	t.from(a)
	t.frame.Receive(wire.Link(a.User&1), a.Data)
	if t.frame.Gate != hca.GatePassed {
		return t
	}
	t.refs++
	if payload, at := t.frame.Payload(); payload != nil {
		t.refs++
		t.paid = true
		t.payFirst = uint32(at) / p.beatBytes
		t.payBeats = (uint32(len(payload)) + p.beatBytes - 1) / p.beatBytes
	}
	return t
}
