package scenario

// What files of weights may set, by the scenarios that it is for. A share, a weight and a range that no file sets is
// what stands here, nor does one that is set to that change anything; with a range and a share of its own a scenario
// draws other packets under the same seed.

var (
	drawnFrames = []string{"mix", "insert", "gate", "bit-errors", "masked-fields", "covered-fields", "padding",
		"malformed"} // in any encapsulation
	responders = []string{"resp-psn-check", "resp-ecc"}
	receivers  = []string{"hca-rx", "hca-rx-one", "hca-rx-receive", "hca-rx-many"}
)

// Packets.
var (
	mixParts = choiceOf("parts", "how often each kind of packet has its turn",
		[]string{"valid 6", "bit-errors 3", "masked-fields 2", "covered-fields 3", "padding 2", "malformed 3", "minimum 1"},
		"mix", "insert", "gate")
	frameEncap = choiceOf("encapsulation", "of packets that are drawn; valid, minimum and parse go over all in turn",
		[]string{"RoCEv1 1", "RoCEv2-IPv4 1", "RoCEv2-IPv6 1", "IB-local 1", "IB-global 1"}, drawnFrames...)
	frameTags = shareOf("vlan-tags", 4, 1, "frames with one VLAN tag or two, of those on Ethernet", drawnFrames...)
	frameIHL  = shareOf("ipv4-options", 4, 1, "packets with options, of those over IPv4", drawnFrames...)
	frameSize = rangeOf("payload", 0, 4096, "bytes of payload, where the opcode takes any length (LEN-1)",
		append([]string{"vcrc"}, drawnFrames...)...)
)

// Requests to a responder.
var (
	respService = choiceOf("service", "of a queue pair", []string{"RC 6", "UC 2", "UD 1"}, responders...)
	respPMTU    = choiceOf("path-mtu", "of a queue pair, in bytes",
		[]string{"256 1", "512 1", "1024 1", "2048 1", "4096 1"}, responders...)
	respPeers = choiceOf("queue-pairs", "how many take turns in an episode", []string{"1 2", "2 1", "3 1", "8 1"},
		"resp-psn-check")
	respStart  = rangeOf("start-psn", 0, 1<<24-1, "PSN that a queue pair expects first", responders...)
	respMeddle = shareOf("meddled", 40, 0.5, "operations that nobody should give a queue pair that is ready (RSP-15)",
		responders...)
	respRepeat = shareOf("repeated", 10, 0.5, "requests that come again (RSP-6, RSP-7, RSP-8)", responders...)
	respLose   = shareOf("lost", 20, 0.5,
		"requests that do not come, so that the next is ahead of the expected PSN (RSP-2)", responders...)
	respSpoil = shareOf("wrong", 9, 0.5, "requests with something wrong (RSP-1)", responders...)
)

// Lives of requesters.
var (
	reqPeers = choiceOf("queue-pairs", "how many take turns in an episode", []string{"1 1", "2 1", "4 1", "8 1"},
		"req-ack-check")
	reqNext = choiceOf("next", "what happens to a queue pair next", []string{"sent 28", "sent-wrongly 4", "answered 21",
		"nak 7", "rnr-nak 6", "lost 8", "stale 8", "broken 5", "seldom 3", "reads-filled 1", "answered-twice 1", "timeout 2",
		"rnr-wait-over 2", "looked-up 1", "opened 1", "fatal 2"}, "req-ack-check")
)

// Requests to the joined responder.
var (
	rxMix    = shareOf("mix", 5, 0.5, "frames of mix, for nobody", receivers...)
	rxOthers = shareOf("no-requests", 25, 0.5, "CNPs, ACKs and READ responses", receivers...)
	rxRepeat = shareOf("repeated", 10, 0.5, "requests that come again at once (RSP-6)", receivers...)
	rxLose   = shareOf("lost", 25, 0.5, "requests that do not come (RSP-2)", receivers...)
	rxSpoil  = shareOf("wrong", 16, 0.5, "requests with something wrong",
		receivers...)
	rxDamage = shareOf("damaged", 20, 0.5, "frames with one wrong bit (ADM-6)", receivers...)
	rxECN    = shareOf("ecn", 5, 1, "requests with ECN bits, a third of them CE (CNP-1)", receivers...)
)

// Requesters and their peers.
var (
	txLoss = choiceOf("loss", "one packet and one answer lost in so many, of an episode; 0 none",
		[]string{"0 1", "12 1", "5 1", "3 1"}, "hca-tx")
	topLoss = choiceOf("loss", "one packet and one answer lost in so many, of an episode; 0 none",
		[]string{"0 1", "12 1", "5 1", "3 1"}, "hca-top-sends")
)
