// Package mode holds the points where the text of the Falcon transport contradicts itself, or where its public
// reference simulator (the "peer") does otherwise: one field of Mode each. List says of every field what it decides,
// what either value means and which one each mode takes.
//
// Packages that decide something by a field take a *Mode. What stands in neither text nor peer as a choice (thresholds,
// factors, options such as RACK) is configuration of its package and no field here.
package mode

// RUEInfo is how wide the congestion control metadata ("RUE info") of an ACK or NACK is. Its last bit has the same
// place in either reading, so packets whose top bits are 0 are the same bytes.
type RUEInfo uint8

const (
	RUEFigure RUEInfo = iota // the figures: 21 bits in BACK and EACK (bits 9-29 of word 7), 23 in a NACK (bits 9-31)
	RUETable                 // the tables: 22 bits in BACK and EACK (bits 8-29), 24 in a NACK (bits 8-31)
)

// EWMA is which sample the average constant alpha of Swift's smoothing weights.
type EWMA uint8

const (
	EWMAOld EWMA = iota // Swift's pseudocode: new average = alpha x old average + (1 - alpha) x sample
	EWMANew             // the delay section: new average = alpha x sample + (1 - alpha) x old average
)

// IPG is how the gap between packets follows from a window below 1.
type IPG uint8

const (
	IPGMinusRTT   IPG = iota // the result table: 1/R - RTT with R = fcwnd/RTT, that is RTT/fcwnd - RTT
	IPGRTTOver               // Swift's pseudocode, first reading: RTT/fcwnd
	IPGOverItself            // Swift's pseudocode, second reading: the last gap / fcwnd
)

// RetryLimit is what ends the attempts to send a packet again after timeouts.
type RetryLimit uint8

const (
	// ResyncFirst is the error table: at the maximum a Resync takes the packet's place and the counter starts again;
	// fatal when the Resync gets there.
	ResyncFirst   RetryLimit = iota
	FatalAtMax               // variables: fatal when the counter equals the maximum
	FatalAboveMax            // timer rule: fatal when the counter exceeds the maximum
)

// Mode is one choice for every contradiction. The zero value, but for its name, is Spec. Booleans are false where the
// text is followed; where the text says two things, false is the reading that List gives a reason for.
type Mode struct {
	Name string

	// Wire formats and codes.
	RUEInfo          RUEInfo // width of the congestion control metadata
	AckTypesReserved bool    // packet types 9 and 10 are reserved, as one row of the packet type table says
	PeerPacketTypes  bool    // types 1, 2, 4 and 7 are known: Push Request, Push Grant, solicited Push, internal ACK
	PeerNackCode5    bool    // NACK code 5 is known: the packet lay outside of the window
	BitmapSkipsBase  bool    // bit 0 of a bitmap is base + 1, as one figure draws it
	CompletionShort  bool    // completion codes are named as in the flows, not as in the table

	// Transaction sublayer.
	PushDataRSNOfPull    bool // "RSN equals the Pull Request's" applies to Push Data, under which it is printed
	ShortPullData        bool // Pull Data shorter than asked for is taken
	PullDataAcks         bool // Pull Data acknowledges its Pull Request
	PullReqAckKeepsState bool // the ACK of a Pull Request does not change its transaction's state
	ThreeQueues          bool // a connection has a queue each for Pull Requests, Push Data and Pull Data
	YellowZone           bool // between green and red: any head of line; in red only its Pull Requests and pushes
	ContextInCredits     bool // buffer credits count fixed sizes of contexts too

	// Packet delivery: early retransmission.
	DistanceInclusive bool // a PSN exactly the out-of-order threshold below the highest is sent again
	RecencyByEACK     bool // recency: now - last_tx >= t4 - t1 of this EACK; else last_tx + smoothed RTT < now
	RecencyEndsScan   bool // a packet that was sent too recently ends the scan
	OWNUpToNext       bool // EACK-OWN scans up to the last PSN sent, under RecencyEndsScan; else the whole transmit window
	OWNFirstBypass    bool // the first EACK-OWN of an RTO period skips the recency check (an option of the peer)
	OWNSmallerBypass  bool // a smaller PSN than that of the last EACK-OWN scan skips it (an option of the peer)
	OWNScanExitBypass bool // a scan goes on where the last one ended, without the check (an option of the peer)
	OWNPause          bool // after an EACK-OWN first transmissions wait for base + slack (32 requests, 64 data) >= next
	NackRTTByT2       bool // the RTT sample of a NACK is t2 - t1, as its rules say; else t4 - t1
	AckBitmapIntoRx   bool // the data-ack-bitmap of an EACK is ORed into the transmitter's Rx bitmap
	FcwndFloored      bool // gating: fcwnd rounded down to a whole packet, at least 1; else PSN < base + fcwnd exactly
	RNRTimerExact     bool // after an RNR NACK the timeout is exactly the NACK's; else at least RTO
	ULPTimeout        bool // what was received and waits for the ULP's acknowledgement has a timeout of its own
	RetryLimit        RetryLimit
	WindowNack        bool // a packet beyond the window is answered with a NACK too, as the NACK section says

	// Packet delivery: receiver.
	WindowInclusive     bool // PSN base + size is inside the window
	DuplicateByRx       bool // a duplicate is what has its received bit set; else what has its acknowledged bit set
	BaseOverReceived    bool // the data window's base advances over received packets; else over acknowledged ones
	EACKOnAnyRx         bool // any received but unacknowledged data packet makes an ACK an EACK; else only a hole does
	AckByCount          bool // an ACK leaves when a count of packets is reached too; else on timer and AR only
	ARIgnoredWhileOWN   bool // AR is ignored while an out-of-window notification waits to be sent
	DiscardedStartsNone bool // discarded packets do not start the ACK coalescing timer, as its definition says

	// Congestion control.
	AlphaNoReciprocals     bool // flow scaling alpha = mfs/(sqrt(min) - sqrt(max)), as printed, which is negative
	TargetStrict           bool // a delay equal to its target (level likewise) is congestion: < and not <=
	EWMA                   EWMA
	IPG                    IPG
	NoGapAtOne             bool // a window of exactly 1 packet has no gap: >= 1 and not > 1
	NicDecreaseScaled      bool // a decrease of ncwnd is scaled by nic_multiplicative_decrease_factor
	RetxLimitGuarded       bool // at the retransmission limit too fcwnd falls at most once an RTT
	RTOEveryEvent          bool // RTO is worked out with every event; else at the retransmission limit only
	NcwndFraction          bool // what a decrease leaves of ncwnd below a whole packet is kept
	MarkerOnIncreaseOnly   bool // only an increase drags the fabric time marker along; else whatever is no decrease
	NicGuardByFabricMarker bool // ncwnd is guarded by the fabric time marker, as its definition says
	ResultWithoutSelectors bool // the RUE result is packed as tabled: no event queue and delay select, 508 bits
	OneOutstandingEvent    bool // a connection has at most one event in the queue
	OccupancyFromZero      bool // the occupancy average starts at 0; else at the first sample

	// Packet delivery: receiver, what the traces of the peer show beside the above.
	DuplicateHonoursAR bool // AR of a duplicate makes an ACK leave at once
}

// Spec follows the text. Where the text says two things, List has the reason for the reading.
var Spec = Mode{Name: "spec"}

// Peer follows the reference simulator, with its options as they are by default.
var Peer = Mode{
	Name:                 "peer",
	RUEInfo:              RUETable,
	PeerPacketTypes:      true,
	PeerNackCode5:        true,
	PullDataAcks:         true,
	PullReqAckKeepsState: true,
	ThreeQueues:          true,
	YellowZone:           true,
	ContextInCredits:     true,
	DistanceInclusive:    true,
	RecencyByEACK:        true,
	RecencyEndsScan:      true,
	OWNUpToNext:          true,
	OWNPause:             true,
	FcwndFloored:         true,
	RNRTimerExact:        true,
	ULPTimeout:           true,
	DuplicateByRx:        true,
	AckByCount:           true,
	ARIgnoredWhileOWN:    true,
	TargetStrict:         true,
	NoGapAtOne:           true,
	NicDecreaseScaled:    true,
	RetxLimitGuarded:     true,
	RTOEveryEvent:        true,
	NcwndFraction:        true,
	OneOutstandingEvent:  true,
	DuplicateHonoursAR:   true,
}

// Oracle is the peer as the traces in the oracle folder were made: without the pause after an EACK-OWN.
func Oracle() Mode {
	m := Peer
	m.Name, m.OWNPause = "oracle", false
	return m
}
