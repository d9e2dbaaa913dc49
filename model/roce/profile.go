package roce

// Profile is a set of behaviours where real devices differ. Every field is one difference; Deviations says for each why
// it is there and what shows it. The zero value is the specification.
type Profile struct {
	Name string

	// Responder.
	LengthBeforeRKey    bool // RSP-1
	WholeWriteChecked   bool // RSP-1
	PayloadBeyondZero   bool // RSP-1
	NakWhileRNR         bool // RSP-9
	PartialReplayMiddle bool // RSP-7
	ReplayMovesStart    bool // RSP-7
	ReplayToEnd         bool // RSP-7
	ReplayShrinks       bool // RSP-7
	DupAckByAckReq      bool // RSP-5
	DupKeepsNAK         bool // RSP-2
	DupAckSkipsRead     bool // RSP-5
	AckPerRequest       bool // RSP-13
	AcksWhenDrained     bool // RSP-13
	NoCredits           bool // CRD-1
	TooLongIsRemoteOp   bool // RSP-1
	BadInvalidateAcked  bool // RSP-10
	RoomUnchecked       bool // PSN-5
	StrayPayloadTaken   bool // OPC-2
	FlushUnchecked      bool // RSP-16
	UCDropsRestart      bool // RSP-3

	// Requester.
	RetryForever7      bool   // TMR-3
	NAKMayWait         bool   // REQ-4: only a follower with deadlines looks at it
	SendsMayRestart    bool   // TMR-2: the same
	AckReqEvery        uint32 // RSP-13: inside a message every so many packets; 0: never
	AckReqAtOffset     uint32 // RSP-13: at every so many packets from the message's first; 0: never
	WindowPackets      uint32 // PSN-5: fewer than half the PSNs; 0: half
	GapWaits           bool   // REQ-3
	MessageRestart     bool   // REQ-5
	WholeRead          bool   // REQ-7
	SendsDuringRNR     bool   // TMR-5
	ReservedNAKIgnored bool   // REQ-4
	CreditsIgnored     bool   // CRD-2
	CreditsLastOnly    bool   // CRD-3
	ProbesWithMessage  bool   // CRD-2
	BadResponseFatal   bool   // REQ-12
	AnyAnswerEndsRNR   bool   // TMR-5
	TimerRunsOut       bool   // TMR-2
	FutureAckCompletes bool   // PSN-3
	JiffyNs            uint64 // TMR-1, TMR-4: timers count in whole ones; 0: exact
	RNRTypo            bool   // TMR-4
	TimerAddsBusy      bool   // TMR-1: RequesterConfig.BusyNs
	AdaptiveTimer      bool   // TMR-1, TMR-3: only followers look at when it runs out
}

// Spec follows the rules as docs/rules.md has them.
var Spec = Profile{Name: "spec"}

// Rxe is Linux Soft-RoCE, kernel 6.12.
var Rxe = Profile{
	Name:                "rxe",
	LengthBeforeRKey:    true,
	WholeWriteChecked:   true,
	PayloadBeyondZero:   true,
	NakWhileRNR:         true,
	PartialReplayMiddle: true,
	ReplayMovesStart:    true,
	DupKeepsNAK:         true,
	DupAckSkipsRead:     true,
	AckPerRequest:       true,
	NoCredits:           true,
	TooLongIsRemoteOp:   true,
	BadInvalidateAcked:  true,
	RoomUnchecked:       true,
	StrayPayloadTaken:   true,
	FlushUnchecked:      true,
	UCDropsRestart:      true,
	RetryForever7:       true,
	NAKMayWait:          true,
	SendsMayRestart:     true,
	AckReqEvery:         66,
	WindowPackets:       129,
	GapWaits:            true,
	SendsDuringRNR:      true,
	CreditsIgnored:      true,
	BadResponseFatal:    true,
	TimerRunsOut:        true,
	FutureAckCompletes:  true,
	JiffyNs:             4_000_000,
	RNRTypo:             true,
}

// Qib is the InfiniBand verbs layer of the qib and hfi1 drivers.
var Qib = Profile{
	Name:               "qib",
	WholeWriteChecked:  true,
	ReplayToEnd:        true,
	ReplayShrinks:      true,
	DupAckByAckReq:     true,
	AcksWhenDrained:    true,
	AckReqAtOffset:     16,
	ReservedNAKIgnored: true,
	CreditsLastOnly:    true,
	ProbesWithMessage:  true,
	AnyAnswerEndsRNR:   true,
	TimerAddsBusy:      true,
}

// ConnectX is NVIDIA's ConnectX with adaptive retransmission on, as its public documents have it. Not checked against
// captures: what they do not tell is as the specification has it.
var ConnectX = Profile{
	Name:          "connectx",
	AdaptiveTimer: true,
}
