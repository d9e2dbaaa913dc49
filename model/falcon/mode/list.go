package mode

import (
	"fmt"
	"reflect"
	"strings"
)

// Area says which part of the transport a field decides in.
type Area string

const (
	Wire        Area = "wire"
	Transaction Area = "transaction"
	Delivery    Area = "delivery"
	Congestion  Area = "congestion"
)

// Contradiction is one field of Mode: a point where the text says two things, or the peer does otherwise.
type Contradiction struct {
	Field string
	Area  Area
	Rule  string // the rule that the field bends; "" where its package has no rules yet
	What  string // the question
	Zero  string // the answer where the field is not set
	Set   string // the answer where it is
	Who   string // who says what, and why the zero value is as it is
}

// List has every field of Mode but its name, in order.
var List = []Contradiction{
	{"RUEInfo", Wire, "FAL-W5", "bits of the congestion control metadata of an ACK; of a NACK two more", "21 (0: figure)",
		"22 (1: table)", "figures draw 21 and 23, tables say 22 and 24 with fewer reserved bits; the peer has 22. The " +
			"figure: it agrees with the widths that an independent codec uses"},
	{"AckTypesReserved", Wire, "FAL-W2", "packet types 9 and 10", "BACK and EACK", "reserved",
		"the type table reserves 1001b to 1111b, the ACK formats use 9 and 10. Without them nothing is acknowledged"},
	{"PeerPacketTypes", Wire, "FAL-W2", "packet types 1, 2, 4 and 7", "reserved",
		"Push Request, Push Grant, solicited Push, internal ACK", "peer only; they never had a wire format"},
	{"PeerNackCode5", Wire, "FAL-W9", "NACK code 5", "reserved", "the packet lay outside of the window",
		"peer only, inside its simulator"},
	{"BitmapSkipsBase", Wire, "FAL-W6", "bit 0 of an EACK's bitmaps", "the base", "base + 1",
		"one figure has 0111b with base 300 missing and 301 to 303 received; every rule has bit 0 = base, and the peer too"},
	{"CompletionShort", Wire, "FAL-W11", "names of completion codes 1 and 15", "kCmplTargetNackCIE, kCmplLocalXlr",
		"kCmplTargetCIE, kCmplXlr", "table against flows; only words"},
	{"PushDataRSNOfPull", Transaction, "FAL-T1", "RSN of Push Data", "its own", "that of a Pull Request",
		"\"equals the Pull Request's RSN\" is printed under Push Data and belongs under Pull Data: Push Data has no Pull " +
			"Request"},
	{"ShortPullData", Transaction, "FAL-T11", "Pull Data shorter than its request asked for", "dropped", "taken",
		"the transaction rules and the initiator drop a mismatch, a footnote makes a shorter one legal. A CIE answer of " +
			"length 0 is legal in either"},
	{"PullDataAcks", Transaction, "FAL-T12", "what Pull Data says of its Pull Request", "nothing", "it is acknowledged",
		"peer only"},
	{"PullReqAckKeepsState", Transaction, "FAL-T12", "the ACK of a Pull Request", "the transaction is PullReqAckd",
		"its state does not change", "text against peer"},
	{"ThreeQueues", Transaction, "FAL-T10", "queues of a connection in the scheduler",
		"two: requests and Push Data; Pull Data", "three: Pull Requests; Pull Data; Push Data",
		"text against figure; the peer has three. The text says why two are needed"},
	{"YellowZone", Transaction, "FAL-T8", "zones of a receive pool", "green, red: any head of line",
		"green, yellow: any head of line, red: its Pull Requests and pushes only", "peer only"},
	{"ContextInCredits", Transaction, "FAL-T6", "buffer credits", "ceil(length / cell)",
		"fixed sizes of contexts are counted too", "peer only; its numbers cannot be compared one to one"},
	{"DistanceInclusive", Delivery, "FAL-D16", "a PSN exactly the threshold below the highest received", "waits",
		"is sent again", "text: PSN < high - threshold; peer: <="},
	{"RecencyByEACK", Delivery, "FAL-D16", "how old a transmission must be to be repeated", "last_tx + smoothed RTT < now",
		"now - last_tx >= t4 - t1 of this EACK", "text against peer"},
	{"RecencyEndsScan", Delivery, "FAL-D16", "a packet that was sent too recently", "is passed over", "ends the scan",
		"text against peer"},
	{"OWNUpToNext", Delivery, "FAL-D17", "what an EACK-OWN scans", "the whole transmit window", "up to the last PSN sent",
		"text against peer; what was never sent cannot be sent again, so they differ with RecencyEndsScan only"},
	{"OWNFirstBypass", Delivery, "FAL-D17", "the first EACK-OWN of an RTO period", "keeps the recency check", "skips it",
		"an option of the peer, off in its traces"},
	{"OWNSmallerBypass", Delivery, "FAL-D17", "an EACK-OWN about a smaller PSN than the last", "keeps the recency check",
		"skips it", "an option of the peer, off in its traces"},
	{"OWNScanExitBypass", Delivery, "FAL-D17", "the scan after one that ended early", "keeps the recency check",
		"goes on without it", "an option of the peer, off in its traces"},
	{"OWNPause", Delivery, "FAL-D17", "new packets after an EACK-OWN", "go on", "wait until base + slack >= next PSN",
		"peer only; off in its traces"},
	{"NackRTTByT2", Delivery, "FAL-D23", "RTT sample of a NACK", "t4 - t1", "t2 - t1",
		"the NACK's rules name t1 and t2, the definition of RTT t1 and t4. t2 is the receiver's clock"},
	{"AckBitmapIntoRx", Delivery, "FAL-D15", "where an EACK's data-ack-bitmap goes", "into the transmitter's ACK bitmap",
		"into an Rx bitmap", "the rule says Rx; the transmitter's variables have an ACK bitmap only"},
	{"FcwndFloored", Delivery, "FAL-D11", "gating by a window with a fraction",
		"PSN < base + fcwnd exactly: 2.5 lets three out", "fcwnd rounded down, at least 1: 2.5 lets two out",
		"the gating rule against the section on Swift (\"the integer part\") and the peer"},
	{"RNRTimerExact", Delivery, "FAL-D21", "timeout after an RNR NACK", "max(RTO, RNR)", "RNR",
		"error table against NACK rules; the peer is exact. The later section is taken"},
	{"ULPTimeout", Delivery, "FAL-D20", "timeout of what was received and waits for the ULP", "RTO",
		"one of its own, 5 ms", "peer only"},
	{"RetryLimit", Delivery, "FAL-D20", "what the retransmission limit brings", "a Resync first (0)",
		"fatal at the limit (1), fatal above it (2)",
		"error table against the variable (\"matches\") against the timer rule (\"exceeds\"). The later section is taken"},
	{"WindowNack", Delivery, "FAL-D9", "a packet beyond the window", "is dropped, OWN is set",
		"is answered with a NACK too", "the NACK's description against the receiver's rules"},
	{"WindowInclusive", Delivery, "FAL-D3", "PSN = base + size", "outside", "inside",
		"overview against the receiver's rules; a bitmap has no bit for it"},
	{"DuplicateByRx", Delivery, "FAL-D3", "what makes a packet a duplicate", "its acknowledged bit", "its received bit",
		"receiver's rules against peer and error table (\"duplicate, received\")"},
	{"BaseOverReceived", Delivery, "FAL-D2", "what the data window's base advances over", "acknowledged packets",
		"received packets", "acceptance rules against variables and Resync rules. Over received ones, the base would " +
			"acknowledge what the ULP has not"},
	{"EACKOnAnyRx", Delivery, "FAL-D7", "data received and not acknowledged, without a hole", "BACK is allowed", "EACK",
		"text and peer against the RACK extension and an option of the peer"},
	{"AckByCount", Delivery, "FAL-D6", "what sends a coalesced ACK", "timer and AR", "a count of packets too",
		"text against peer"},
	{"ARIgnoredWhileOWN", Delivery, "FAL-D6", "AR while an out-of-window notification waits", "is honoured", "is ignored",
		"text ignores the AR of discarded packets only"},
	{"DiscardedStartsNone", Delivery, "FAL-D6", "a discarded packet", "starts the coalescing timer", "does not",
		"acceptance rules (a note) against the timer's definition"},
	{"AlphaNoReciprocals", Congestion, "FAL-C6", "flow scaling alpha", "mfs / (1/sqrt(min) - 1/sqrt(max))",
		"mfs / (sqrt(min) - sqrt(max))", "printed without reciprocals, which is negative: a smaller window would not raise " +
			"the target"},
	{"TargetStrict", Congestion, "FAL-C7", "a delay equal to its target", "no congestion: <=", "congestion: <",
		"text against peer. Of the buffer level it is our reading"},
	{"EWMA", Congestion, "FAL-C3", "what alpha of an average weights", "the old average (0)", "the sample (1)",
		"pseudocode against the section on delay; the peer follows the pseudocode. Its default 0.75 makes sense so"},
	{"IPG", Congestion, "FAL-C10", "gap below one packet", "1/R - RTT (0)", "RTT / fcwnd (1), gap / fcwnd (2)",
		"result table and peer against two readings of the pseudocode. Only the first sends one packet a RTT/fcwnd: one is " +
			"outstanding for an RTT before the gap"},
	{"NoGapAtOne", Congestion, "FAL-C10", "a window of exactly one packet", "has a gap", "has none",
		"text: fcwnd > 1; peer: >= 1. With 1/R - RTT the gap is 0 anyway"},
	{"NicDecreaseScaled", Congestion, "FAL-C9", "a decrease of ncwnd", "(L - T)/L",
		"times nic_multiplicative_decrease_factor", "pseudocode against parameter list and peer"},
	{"RetxLimitGuarded", Congestion, "FAL-C8", "fcwnd at the retransmission limit", "its minimum at once",
		"at most once an RTT", "text against peer"},
	{"RTOEveryEvent", Congestion, "FAL-C11", "when RTO is worked out", "at the retransmission limit", "with every event",
		"pseudocode against peer"},
	{"NcwndFraction", Congestion, "FAL-C9", "what a decrease leaves of ncwnd below a packet", "is cut off",
		"is kept beside the event", "text (\"always an integer\") against peer; that it is cut and not rounded is our " +
			"reading"},
	{"MarkerOnIncreaseOnly", Congestion, "FAL-C12", "what drags the fabric's time marker along", "whatever is no decrease",
		"an increase only", "the example and the peer against the definition"},
	{"NicGuardByFabricMarker", Congestion, "FAL-C12", "what guards ncwnd", "its own marker", "the fabric's marker",
		"the definition of nic_window_time_marker names the fabric's: a slip, its updates name its own"},
	{"ResultWithoutSelectors", Congestion, "FAL-C2", "event queue and delay select of a result", "4 bits behind RTO",
		"not there", "the table omits them and sums to 508 bits; with them it is 512"},
	{"OneOutstandingEvent", Congestion, "FAL-C5", "events of a connection in the queue", "any number", "one", "peer only"},
	{"OccupancyFromZero", Congestion, "FAL-C14", "first sample of an occupancy average", "is taken as it is",
		"is averaged with 0", "the text does not say; the peer takes it"},
	{"DuplicateHonoursAR", Delivery, "FAL-D6", "AR of a duplicate", "is ignored", "makes an ACK leave at once",
		"the receiver's rules against the peer, in whose traces every duplicate with AR is answered"},
}

// value is a mode's answer in words.
func (c *Contradiction) value(m *Mode) string {
	v := reflect.ValueOf(*m).FieldByName(c.Field)
	switch {
	case v.Kind() == reflect.Bool && v.Bool():
		return "otherwise"
	case v.Kind() == reflect.Bool:
		return "first"
	default:
		return fmt.Sprint(v.Uint())
	}
}

// Section is the part of docs/deviations.md that is made from List.
func Section() string {
	var b strings.Builder
	b.WriteString(`## Falcon: where the text contradicts itself or its simulator

Made from the list in model/falcon/mode/list.go by ` + "`go test ./model/falcon/mode -update`" + `; each line is one field of
` + "`mode.Mode`" + `, and a test ` + "`TestMode<Field>`" + ` tells its answers apart. "Peer" is the transport's public reference simulator. The default is
the mode ` + "`spec`" + `: the document is what devices are built from, and where it says two things the last column says why one was taken.
The mode ` + "`peer`" + ` is for runs beside the simulator, whose traces it meets exactly.

| field | part | rule | what | first answer | otherwise | spec | peer | who says so, and why |
|---|---|---|---|---|---|---|---|---|
`)
	for i := range List {
		c := &List[i]
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", c.Field, c.Area, c.Rule, c.What, c.Zero, c.Set,
			c.value(&Spec), c.value(&Peer), c.Who)
	}
	return b.String()
}
