package scenario

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hcacosim/model/sim"
	"hcacosim/vectors/capture"
)

// GeneratorVersion changes whenever the same scenario, seed and index no longer give the same packet.
const GeneratorVersion = 34

// Scenario is a kind of stimulus: packets, or records of one stage, drawn from a seed and an index.
type Scenario struct {
	Name    string
	Summary string
	Stages  []string // what it is for, the most fitting first; other stages take packets too
	Count   uint64   // packets or records after which everything it promises has occurred
	Input   sim.Kind // of the port that it is for

	make func(g *Generator, index uint64, r *Rand, c *Case)
}

// All lists them; the first that is for a stage before all others is that stage's default.
func All() []Scenario { return scenarios }

var scenarios []Scenario

func init() { // not at the declaration: mix refers to its parts
	icrc := []string{"icrc_check", "icrc_insert", "roce_parse"}
	scenarios = []Scenario{
		{"mix", "all of the next seven, weighted", icrc, 20000, sim.Axis, makeMix},
		{"valid", "every opcode in every encapsulation at every boundary length, good ICRC", icrc, 20000, sim.Axis,
			makeValid},
		{"bit-errors", "one, two or three bits wrong, or a burst", icrc, 5000, sim.Axis, makeAllBitErrors},
		{"masked-fields", "fields that must not matter take other values: the ICRC stays good", icrc, 5000, sim.Axis,
			makeMaskedFields},
		{"covered-fields", "fields that must matter take other values: the ICRC turns bad", icrc, 5000, sim.Axis,
			makeCoveredFields},
		{"padding", "0 to 46 bytes after the packet, and more; short frames padded to 60", icrc, 2000, sim.Axis, makePadding},
		{"malformed", "cut at every byte, lengths that lie, fragments, bad IHL, over-long, unknown", icrc, 5000, sim.Axis,
			makeMalformed},
		{"minimum", "smallest packets of every kind back to back, one in eight with a bad ICRC", icrc, 5000, sim.Axis,
			makeMinimum},
		{"insert", "the packets of mix with a placeholder for their ICRC", []string{"icrc_insert"}, 20000, sim.Axis,
			makeInsert},
		{"gate", "the packets of mix with their verdict, or another; frames around the longest that may pass, called good",
			[]string{"icrc_gate"}, 20000, sim.Axis, makeGate},
		{"vcrc", "IB native packets with a good, a bad or no VCRC", []string{"vcrc_check"}, 5000, sim.Axis, makeVCRC},
		{"parse", "mix, and in turn with it all opcodes, headers cut at every word, any pad, payloads at the bounds of beats",
			[]string{"roce_parse"}, 20000, sim.Axis, makeParse},
		{"rx-classify", "packets for a port's QPs, each thing that keeps one away wrong, QPs and tables changed between",
			[]string{"rx_classify"}, 15000, sim.Fields, makeRxClassify},
		{"mr-lookup", "keys used at every edge of their regions, invalidated, removed; each check failed, and two at once",
			[]string{"mr_lookup"}, 15000, sim.Fields, makeMRLookup},
		{"msg-tracker", "messages of a few QPs, looked up and committed a clock apart, broken off, wrong, at every edge",
			[]string{"msg_tracker"}, 10000, sim.Fields, makeMsgTracker},
		{"msg-tracker-long", "one message of more than 1 GiB, in packets as long as a record can say",
			[]string{"msg_tracker"}, msgLongLength, sim.Fields, makeMsgTrackerLong},
		{"rq-head", "receive queues filled and emptied, of one QP and shared, messages of one packet and several",
			[]string{"rq_head"}, 12000, sim.Fields, makeRQHead},
		{"rx-issue", "requests that depend on each other or not, back to back and apart; verdicts early, late, many at once",
			[]string{"rx_issue"}, 10000, sim.Fields, makeRxIssue},
		{"rx-issue-one", "requests of one QP, the first of which waits for whatever is under way", []string{"rx_issue"},
			10000, sim.Fields, makeRxIssueOne},
		{"replay-fifo", "READs and atomics kept until others come, and duplicates: parts, the end, one thing wrong",
			[]string{"replay_fifo"}, 12000, sim.Fields, makeReplayFIFO},
		{"atomic-engine", "atomics that share addresses and QPs or not; memory answers late, early, in any order, errors",
			[]string{"atomic_engine"}, 16000, sim.Fields, makeAtomicEngine},
		{"rx-dma", "payload of every length to every byte of a beat, thrown away, completed; memory answers early, late, " +
			"in any order, with errors", []string{"rx_dma"}, 32 * dmaLength, sim.Fields, makeRxDMA},
		{"read-place", "READs and atomics outstanding, responses taken, again, behind gaps, of nobody; QPs that fail; " +
			"memory answers early, late, in any order, with errors", []string{"read_place"}, 32 * placeLength, sim.Fields,
			makeReadPlace},
		{"read-place-full", "lists filled beyond their end with what brings nothing, emptied to any place, and bytes then",
			[]string{"read_place"}, 20 * placeFullLength, sim.Fields, makeReadPlaceFull},
		{"read-engine", "READs of every length from every byte of a beat; memory answers late, out of order, wrongly, or " +
			"what nobody asked; duplicates interrupt", []string{"read_engine"}, 60 * readLength, sim.Fields, makeReadEngine},
		{"read-long", "READs of more than 16,384 responses to their end, the shortest there are", []string{"read_engine"},
			readLongLength, sim.Fields, makeReadLong},
		{"ack-gen", "answers, CNPs and READ responses of every length on every way back, tags, sums that turn over, QPs " +
			"that are set and that are not",
			[]string{"ack_gen"}, 10000, sim.Fields, makeAckGen},
		{"tx-arbiter", "frames of every length from one input or more, all at once, in bursts and apart",
			[]string{"tx_arbiter", "tx_frames"}, 12000, sim.Axis, makeTxArbiter},
		{"tx-arbiter-silent", "frames as those of tx-arbiter, with one input that has none in all of the run",
			[]string{"tx_arbiter"}, 12000, sim.Axis, makeTxArbiterSilent},
		{"cnp-gen", "marked packets of a few QPs at every distance about the period, periods changed, silences, no marks",
			[]string{"cnp_gen"}, 10000, sim.Fields, makeCNPGen},
		{"qp-ctl",
			"software at the registers: lives of QPs, tables and keys, counters read while they count, anything anywhere",
			[]string{"qp_ctl"}, 12000, sim.Fields, makeQPCtl},
		{"qp-ctl-deep", "thousands of packets under way when a QP closes, and as many events of one reason",
			[]string{"qp_ctl"}, qpcDeepLength, sim.Fields, makeQPCtlDeep},
		{"qp-ctl-axil",
			"what qp-ctl gives, on the channels of AXI4-Lite: halves of writes together and apart, reads between them",
			[]string{"qp_ctl_axil"}, 12000, sim.Fields, makeQPCtlAxil},
		{"hca-rx", "peers of five QPs: SEND and WRITE on every way, lost, doubled, damaged, in bursts; queues shared, " +
			"windows taken away; memory late, in any order, failing; operations beside them; frames of mix",
			[]string{"hca_rx"}, 60 * hcaRxLength, sim.Axis, makeHcaRx},
		{"hca-rx-full", "the peers of hca-rx fill every queue: memory gives, takes and acknowledges nothing for long, " +
			"one block has operations in every clock", []string{"hca_rx"}, 10 * hcaRxFullLength, sim.Axis, makeHcaRxFull},
		{"hca-rx-ecc", "the peers of hca-rx, at a device whose context memories have a code: before they send, bits of a " +
			"word or two are turned in each memory", []string{"hca_rx"}, 30 * hcaRxLength, sim.Axis, makeHcaRxECC},
		{"hca-rx-one", "the peers of hca-rx for one QP: each packet has to do with the one before it", []string{"hca_rx"},
			20 * hcaRxOneLength, sim.Axis, makeHcaRxOne},
		{"hca-rx-receive", "messages and datagrams that fill receive WQEs, all but a byte, or go a byte too far; QPs that " +
			"are removed, addresses over 4 GiB", []string{"hca_rx"}, 25 * hcaRxReceiveLength, sim.Axis, makeHcaRxReceive},
		{"hca-rx-many", "the peers of hca-rx for 256 QPs, of which any may be next", []string{"hca_rx"},
			2 * hcaRxManyLength, sim.Axis, makeHcaRxMany},
		{"hca-rx-long", "READs that memory fails where PSNs carry, each carry in turn, their QPs set anew while others' " +
			"answers leave; more writes behind an atomic that waits than memory has tags; READs on both sides of a carry; the " +
			"longest WRITE", []string{"hca_rx"},
			14 * hcaRxLongLength, sim.Axis, makeHcaRxLong},
		{"hca-rx-meets", "READs are answered, and one fails, while writes of other QPs fail; memory gives ahead of what " +
			"it is asked for, by a tag that it failed before", []string{"hca_rx"}, 11 * hcaRxMeetsLength, sim.Axis,
			makeHcaRxMeets},
		{"hca-rx-writes", "8,320 packets are written behind an atomic that waits, and READs between them", []string{"hca_rx"},
			hcaRxWritesLength, sim.Axis, makeHcaRxWrites},
		{"hca-rx-vast", "messages of 1 MiB and more; READs of 64 KiB, one that comes again when its key is closed, one " +
			"that memory fails behind 256 responses", []string{"hca_rx"}, 7 * hcaRxVastLength, sim.Axis, makeHcaRxVast},
		{"hca-tx", "requesters of eight QPs and their peers: every operation of RC, packets and answers lost, NAKs, waits, " +
			"timers that expire one by one and together, limits, failures, new connections",
			[]string{"hca_tx"}, 90 * hcaTxLength, sim.Fields, makeHcaTx},
		{"hca-tx-long", "messages and READs of more than 128 KiB that go again from there on; more writes under way than " +
			"a device needs room for, and as many that fail", []string{"hca_tx"}, 9 * hcaTxLongLength, sim.Fields,
			makeHcaTxLong},
		{"hca-tx-jams", "QPs that fail while what is told of others has no room; RNR waits that end while answers wait, " +
			"and of each code; READs that end there and at a gap", []string{"hca_tx"}, 17 * hcaTxJamsLength, sim.Fields,
			makeHcaTxJams},
		{"hca-tx-meets", "lengths of which each bit counts; CNPs, sets, wakes and failures that meet in one clock; what " +
			"comes more often than wakes have places; ticks that pass by themselves", []string{"hca_tx"},
			18 * hcaTxMeetsLength, sim.Fields, makeHcaTxMeets},
		{"hca-tx-far", "a READ that goes again from 1, 2, 4, 8 and 16 MiB on", []string{"hca_tx"}, hcaTxFarLength, sim.Fields,
			makeHcaTxFar},
		{"hca-top", "the peers of hca-rx, and software that sets their QPs up, closes, frees and counts by registers",
			[]string{"hca_top"}, 16 * hcaTopLength, sim.Axis, makeHcaTop},
		{"hca-top-closes", "queue pairs that close, one after the other, while READs of another wait for memory; frames " +
			"and accesses when they are answered", []string{"hca_top"}, 6 * hcaTopClosesLength, sim.Axis, makeHcaTopCloses},
		{"hca-top-meets", "local work that is done beside time, two memories that tell of one tag in one clock, writes of " +
			"some bytes of a register, and values at their ends", []string{"hca_top"}, 8 * hcaTopMeetsLength, sim.Axis,
			makeHcaTopMeets},
		{"hca-top-streams", "queue pairs that are removed in the clocks in which answers are due and through, and behind " +
			"these a READ that is the last one", []string{"hca_top"}, 6 * hcaTopStreamsLength, sim.Axis, makeHcaTopStreams},
		{"hca-top-sends", "the requesters of hca-tx behind registers, frames and posts, and peers that ask for something " +
			"meanwhile: both sides give frames at once", []string{"hca_top"}, 8 * hcaTopSendsLength, sim.Axis, makeHcaTopSends},
		{"psn-window", "PSNs at both ends, at powers of two and anywhere in every region of PSN-2 and PSN-3",
			[]string{"psn_window"}, 10000, sim.Fields, makePSNWindow},
		{"req-ack-check", "lives of requesters: all they send, every answer to it, every answer they should not get",
			[]string{"req_ack_check"}, 40000, sim.Fields, makeReqAckCheck},
		{"retry-ctl", "lives of requesters: every cause behind every other, counts that run out, expiries in time and " +
			"late",
			[]string{"retry_ctl"}, 18000, sim.Fields, makeRetryCtl},
		{"sq-retire", "send queues: WQEs posted, begun, acknowledged one by one and many at once, local work, failures",
			[]string{"sq_retire"}, 15000, sim.Fields, makeSQRetire},
		{"sq-scheduler", "QPs woken at any time, turns that end in their order for every reason, ends of none",
			[]string{"sq_scheduler"}, 12000, sim.Fields, makeSQScheduler},
		{"sq-scheduler-deep", "thousands of QPs in the queue at once, woken again, removed and set there, until it is empty",
			[]string{"sq_scheduler"}, 2 * schedDeepLength, sim.Fields, makeSQSchedulerDeep},
		{"rate-limiter", "QPs of every pace asked about their time; CNPs and steps about the period; laws changed, silences",
			[]string{"rate_limiter"}, 12000, sim.Fields, makeRateLimiter},
		{"tx-packetizer", "lives of requesters: messages of every kind first and again, verdicts between any two packets, " +
			"limits of every size, slots that end and are given away",
			[]string{"tx_packetizer"}, 48000, sim.Fields, makeTxPacketizer},
		{"tx-frame", "requests of every opcode and length on every way; memory answers late, out of order, wrongly; QPs " +
			"that fail and are set again", []string{"tx_frame"}, 60 * frameLength, sim.Fields, makeTxFrame},
		{"tx-frame-deep", "packets of each of 256 opcodes, as many pieces as there can be behind an output that is held " +
			"up, a turn of their numbers and then an error", []string{"tx_frame"}, 16 * frameDeepLength, sim.Fields,
			makeTxFrameDeep},
		{"resp-psn-check", "lives of RC, UC and UD QPs: gaps, duplicates, RNR, every check of RSP-1 failed",
			[]string{"resp_psn_check", "resp_answers", "resp_frames"}, 20000, sim.Fields, makeRespPSNCheck},
		{"resp-long-message", "messages of more than 16 MiB to their end, other QPs' between: WRITEs and SENDs that come " +
			"out, and a byte short or long", []string{"resp_psn_check"}, 4 * respLongLength, sim.Fields, makeRespLong},
		{"resp-ecc", "lives of QPs whose words wear out: one bit and two of every part of the code word, before any " +
			"record, QPs that stop and are set anew", []string{"resp_psn_check"}, 20000, sim.Fields, makeRespECC},
		{"rx-classify-ecc", "packets and operations as rx-classify has them; bits of the QPs' words are turned between them",
			[]string{"rx_classify"}, 15000, sim.Fields, makeRxClassifyECC},
		{"mr-lookup-ecc", "keys as mr-lookup has them; bits of their words are turned between any two records",
			[]string{"mr_lookup"}, 15000, sim.Fields, makeMRLookupECC},
		{"msg-tracker-ecc", "messages as msg-tracker has them; bits of the QPs' words are turned, QPs that stop are cleared",
			[]string{"msg_tracker"}, 10000, sim.Fields, makeMsgTrackerECC},
		{"rq-head-ecc", "receive queues as rq-head has them; bits of the words of queues, QPs and WQEs are turned",
			[]string{"rq_head"}, 28000, sim.Fields, makeRQHeadECC},
		{"replay-fifo-ecc", "requests kept and duplicates as replay-fifo has them; bits of their words are turned",
			[]string{"replay_fifo"}, 16000, sim.Fields, makeReplayFIFOECC},
		{"req-ack-check-ecc", "lives of requesters as req-ack-check has them; bits of the QPs' words are turned at any time",
			[]string{"req_ack_check"}, 20000, sim.Fields, makeReqAckCheckECC},
		{"retx-timer", "lives of QPs: every operation in every state at any time, every RNR and transport code, numbers of " +
			"no QP, stale answers", []string{"retx_timer"}, 20000, sim.Fields, makeRetxTimer},
		{"retx-timer-storm", "hundreds of timers due together, whole words of them, and operations on them as they expire",
			[]string{"retx_timer"}, 8192, sim.Fields, makeRetxStorm},
		{"falcon-window", "lives of Falcon connections: packets lost, doubled and out of order, ACKs of every kind, PSNs " +
			"at every edge, illegal operations", []string{"falcon_window"}, 30000, sim.Fields, makeFalconWindow},
		{"falcon-window-edges", "Falcon connections whose whole windows move at once, overrun, and hear stale, ghost and " +
			"random ACKs", []string{"falcon_window"}, 20000, sim.Fields, makeFalconEdges},
	}
}

// Lookup finds a scenario by name. The error names the known ones.
func Lookup(name string) (*Scenario, error) {
	names := make([]string, len(scenarios))
	for i := range scenarios {
		if names[i] = scenarios[i].Name; names[i] == name {
			return &scenarios[i], nil
		}
	}
	return nil, &capture.Error{File: "scenario " + name, Offset: -1, What: "unknown", Do: "known: " + strings.Join(names,
		", ")}
}

// Default is the scenario for a stage when none is named: the first that is for it before all others, or
// else the first that is for it, or mix.
func Default(stage string) *Scenario {
	for i := range scenarios {
		if scenarios[i].Stages[0] == stage {
			return &scenarios[i]
		}
	}
	for i := range scenarios {
		if s := &scenarios[i]; s.IsFor(stage) {
			return s
		}
	}
	return &scenarios[0]
}

// IsFor reports whether a stage is among those that the scenario is for.
func (s *Scenario) IsFor(stage string) bool {
	for _, name := range s.Stages {
		if name == stage {
			return true
		}
	}
	return false
}

// sizes are parameters that a device must have for a scenario: its records follow from what the device does, or are
// none without a code.
var sizes = map[string]map[string]int{"hca-rx-ecc": {"NumQps": hcaRxNumQPs, "Ecc": 1},
	"hca-rx-many": {"NumQps": 4096}, "mr-lookup-ecc": {"Ecc": 1},
	"msg-tracker-ecc": {"Ecc": 1}, "replay-fifo-ecc": {"Ecc": 1, "Slots": 4},
	"req-ack-check-ecc": {"Ecc": 1, "Reads": 4}, "resp-ecc": {"Ecc": 1},
	"rq-head-ecc": {"Ecc": 1, "Depth": 8}, "rx-classify-ecc": {"Ecc": 1}, "sq-scheduler-deep": {"NumQps": 4096},
	"qp-ctl-deep": {"FlowWidth": 16}}

// IsForSize reports whether the scenario says what it promises at a device of these parameters.
func (s *Scenario) IsForSize(parameters map[string]int) bool {
	for name, v := range sizes[s.Name] {
		if parameters[name] != v {
			return false
		}
	}
	return true
}

// Size is the parameters that a device must have for the scenario, as flags; "" if it is for all.
func (s *Scenario) Size() string {
	var flags []string
	for _, name := range slices.Sorted(maps.Keys(sizes[s.Name])) {
		flags = append(flags, fmt.Sprintf("--param %s=%d", name, sizes[s.Name][name]))
	}
	return strings.Join(flags, " ")
}

// maxPayload is the longest payload that a generator has bytes for: more than any IP packet carries.
const maxPayload = 64 << 10

// Generator makes the packets of a scenario under a seed. It does not change once made: goroutines may share it, each
// with a Case of its own.
type Generator struct {
	scenario *Scenario
	seed     uint64
	pace     Pace
	noReads  bool // of hca-rx: LeaveOutReads
	tuned    map[*knob]setting
	turns    []mixTurn // of mix

	random               []byte
	zeros, ones, counter []byte
}

// pad4 is n rounded up to whole words of four bytes.
func pad4(n int) int { return (n + 3) &^ 3 }

// poolIndex is the stream that a generator's random bytes come from; no packet has it.
const poolIndex = 1<<64 - 1

// NewGenerator makes a generator.
func NewGenerator(s *Scenario, seed uint64) *Generator {
	g := &Generator{scenario: s, seed: seed, pace: unknownPace, turns: mixTurns,
		random: make([]byte, 2*maxPayload), zeros: make([]byte, maxPayload), counter: make([]byte, maxPayload),
		ones: bytes.Repeat([]byte{0xFF}, maxPayload)}
	r := NewRand(seed, poolIndex)
	r.Fill(g.random)
	for i := range g.counter {
		g.counter[i] = byte(i)
	}
	return g
}

// Make makes packet index. It allocates nothing once the buffers of c have grown, and needs no packet before.
func (g *Generator) Make(index uint64, c *Case) {
	c.Port, c.NotBefore = 0, 0
	c.User, c.HasUser = 0, false
	c.rand = NewRand(g.seed, index) // in c, for a call through a variable would move it to the heap
	g.scenario.make(g, index, &c.rand, c)
	c.seal()
}

// inTurn is a turn of an even number of kinds: each comes once a round, and in as many rounds as there are kinds each
// comes once behind each other one (a Williams square). So what a packet leaves behind meets all that may follow it.
func inTurn(index, kinds uint64) uint64 {
	at, round := index%kinds, index/kinds
	if at%2 == 0 {
		return (at/2 + round) % kinds
	}
	return (kinds - (at+1)/2 + round) % kinds
}

// scatter spreads consecutive indices over n rows, each once in n: the start of a run already meets rows of every kind.
// The step is prime and divides no table here.
func scatter(index uint64, n int) int { return int((index % uint64(n)) * 2654435761 % uint64(n)) }
