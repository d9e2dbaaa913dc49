package roce

import (
	"fmt"
	"reflect"
	"strings"
)

// Deviation is one field of Profile: what it decides and how that is known. docs/deviations.md is made from the list.
type Deviation struct {
	Field string
	Rule  Rule
	What  string // the question that devices answer differently
	Spec  string // the specification's answer
	Else  string // the answer where the field is set
	// Shown names captures that the profile rxe fails to explain when the field is left out; a test holds that to be so.
	// Known says how else the field is known.
	Shown []string
	Known string
}

// Deviations lists every field of Profile.
var Deviations = []Deviation{
	{"LengthBeforeRKey", "RSP-1", "length or R_Key first", "R_Key", "length, and the pad of First and Middle with it",
		[]string{"px_rd_len_gt_2g", "px_wr_len_gt_2g"}, ""},
	{"WholeWriteChecked", "RSP-1", "how much of a WRITE is held against its key", "each packet's bytes",
		"all that is left of the message, at every packet", nil,
		"no capture has a WRITE that leaves its region behind its first packet. rxe: check_rkey takes the remaining " +
			"length; qib_rc_rcv holds the RETH length against the key at First and Only"},
	{"PayloadBeyondZero", "RSP-1", "a WRITE of length 0 with a payload", "61h: lengths differ", "62h",
		[]string{"px_wr_len0_payload"}, "not in RTL: b, frame 2"},
	{"NakWhileRNR", "RSP-9", "requests behind one that had an RNR NAK", "silent",
		"one sequence NAK with the RNR NAK's PSN", []string{"rnr_exhausted"}, ""},
	{"PartialReplayMiddle", "RSP-7", "first response of a READ asked for again from inside", "First or Only",
		"Middle or Last", []string{"sx_rd_drop_mid", "sx_rd_drop_last", "rc_delay_jitter"},
		"not in RTL: 20 answers of 8 captures, docs/blocks/hca_rx.md, Captures"},
	{"ReplayMovesStart", "RSP-7", "what a duplicate READ may ask for", "any part of the original",
		"any part of what the last replay began, with the length of the original", []string{"rc_delay_jitter"},
		"b, frame 1300"},
	{"ReplayToEnd", "RSP-7", "where a duplicate READ must end", "anywhere within", "where the original ended", nil,
		"qib and hfi1 drivers: qib_rc_rcv_error compares offset + length"},
	{"ReplayShrinks", "RSP-7", "what a duplicate READ may ask for after a replay", "any part of the original",
		"a part of what the last replay gave", nil, "qib_rc_rcv_error: the entry takes the duplicate's PSN and range"},
	{"DupKeepsNAK", "RSP-2", "a gap that was NAKed, or that an RNR NAK made, after a duplicate was answered",
		"the next request behind the gap is NAKed again", "silent", nil,
		"rxe: rxe_resp clears sent_psn_nak with an expected request only; qib, hfi1 and ipath clear r_nak_state when they " +
			"answer a duplicate"},
	{"DupAckByAckReq", "RSP-5", "which duplicate SEND or WRITE is acknowledged", "every one", "only with AckReq", nil,
		"qib and hfi1 drivers: qib_rc_rcv_error"},
	{"DupAckSkipsRead", "RSP-5", "PSN in the ACK of a duplicate", "ePSN - 1",
		"of the last SEND, WRITE or atomic; FFFFFFh before the first", []string{"px_psn_minus1", "px_psn_minus_400000"},
		"not in RTL: rc_mix_reorder b, frames 151 and 152, rc_mix_everything b, frame 1337, and four before anything was " +
			"executed"},
	{"AckPerRequest", "RSP-13", "how many requests share an ACK", "as many as the responder likes",
		"one ACK for each with AckReq", []string{"rc_big_window", "px_psn_plus5", "px_resp_ack_psn_plus1"},
		"wherever two requests came before the first was answered"},
	{"AcksWhenDrained", "RSP-13", "when ACKs and NAKs leave", "at once, or as late as the responder likes",
		"when everything received has been worked through", nil,
		"hfi1 driver; qib sends positive ACKs at once and defers NAKs"},
	{"NoCredits", "CRD-1", "credit code of an ACK", "real", "31 always", []string{"rc_send_sizes", "err_read_oob"}, ""},
	{"TooLongIsRemoteOp", "RSP-1", "a SEND longer than the receive WQE", "61h", "63h", []string{"err_send_toolong"}, ""},
	{"BadInvalidateAcked", "RSP-10", "a SEND with invalidate and a bad key", "62h",
		"ACK without raising MSN, then silence", []string{"err_sendinv_bad"}, "a kernel bug, not in RTL: b, frame 6"},
	{"RoomUnchecked", "PSN-5", "more READs and atomics than agreed", "61h", "the oldest is forgotten", nil,
		"no capture has more outstanding than agreed. soft-roce.md, Responder: never checks; livelocks under loss"},
	{"StrayPayloadTaken", "OPC-2", "payload or pad of a READ request, atomic or FLUSH", "61h", "not looked at: executed",
		nil, "no capture. rxe: check_length looks at the payload of SEND and WRITE only"},
	{"FlushUnchecked", "RSP-16", "a FLUSH whose PLT is 0 or above 3, or whose SEL is above 1", "61h (our reading)",
		"executed, if the permissions for bits 0 and 1 of PLT are there", nil,
		"no capture. rxe: check_qp_attr_access and check_rkey look at the two bits, process_flush takes any other PLT for " +
			"persistence"},
	{"UCDropsRestart", "RSP-3", "UC: a First or Only inside a message", "taken at once",
		"dropped, and the state is reset only if a receive WQE is held", []string{"uc_loss8", "uc_corrupt"},
		"a kernel bug: a WRITE that lost its middle wedges the QP"},
	{"RetryForever7", "TMR-3", "retry_cnt 7", "seven", "for ever", []string{"to_t12_r7_infinite"}, ""},
	{"NAKMayWait", "REQ-4", "a sequence NAK that comes while a retry is under way", "starts the next retry",
		"may start none; then the timer does", []string{"rc_send_corrupt10", "rc_delay_jitter"},
		"rc_send_corrupt10: a, frame 44, a NAK of 100015h, which goes out again in frame 81"},
	{"SendsMayRestart", "TMR-2", "new requests while the transport timer runs", "leave it alone", "may restart it", nil,
		"rc_send_corrupt10: a, frame 81: 57 ms behind the NAK, 19 ms behind the last new request, T is 16 ms"},
	{"AckReqEvery", "RSP-13", "AckReq inside a message", "where the window ends", "every so many packets since the last",
		nil, "rc_big_window: a, frames 66, 133, 200, ...: offsets 65, 131, 197; every 65 fails at frame 65, every 67 at " +
			"frame 66"},
	{"AckReqAtOffset", "RSP-13", "AckReq inside a message", "where the window ends", "at offsets that are multiples", nil,
		"qib and hfi1 drivers: QIB_PSN_CREDIT, HFI1_PSN_CREDIT"},
	{"WindowPackets", "PSN-5", "packets that may be unacknowledged", "2^23", "129, READs counted as one", nil,
		"rc_big_window: a, frame 129 is the 129th, 128 fails there, and the next waits for the ACK in frame 130"},
	{"GapWaits", "REQ-3", "a gap inside READ responses", "implied NAK",
		"waits for the timer or for a response to a later WQE", []string{"sx_rd_drop_first", "sx_rd_drop_mid"},
		"64 ms pass before the retry"},
	{"MessageRestart", "REQ-5", "where go-back-N goes back to", "the oldest unacknowledged packet",
		"the first of its message", nil, "no text at hand decides; no profile sets it"},
	{"WholeRead", "REQ-7", "a retried READ", "asks for what is missing", "asks for everything", nil,
		"allowed; no profile sets it"},
	{"SendsDuringRNR", "TMR-5", "new requests while the RNR timer runs", "wait", "are sent", []string{"rnr_exhausted"},
		""},
	{"ReservedNAKIgnored", "REQ-4", "a reserved NAK code or syndrome", "fatal: remote operation error, or a bad response",
		"ignored", nil, "qib and hfi1 drivers; rxe is fatal: px_resp_nak_rsvd5"},
	{"CreditsIgnored", "CRD-2", "the credits that an ACK brings", "limit SENDs", "are ignored", nil,
		"no capture: px_resp_ack_credit0 has one SEND behind the ACK without credits, which is the probe that CRD-2 " +
			"allows. soft-roce.md, Requester: credits are ignored"},
	{"CreditsLastOnly", "CRD-3", "credits of an ACK that acknowledges nothing", "taken", "taken only with PSN una - 1",
		nil, "qib and hfi1 drivers"},
	{"ProbesWithMessage", "CRD-2", "what goes out at one message beyond the credits", "one packet with AckReq",
		"the whole message", nil, "qib driver: only a WQE beyond LSN + 1 waits"},
	{"BadResponseFatal", "REQ-12", "a response that its request cannot have",
		"the WQE ends with an error of its own, the QP with it", "the WQE ends with success and the QP goes to error",
		[]string{"px_resp_syn_rsvd_40", "px_resp_syn_rsvd_80", "px_rdrsp_mid_as_first", "px_rdrsp_mid_as_last",
			"px_rdrsp_last_as_mid", "px_rdrsp_first_syn_rnr", "px_at_ack_syn_nak"}, "state at the end; a kernel bug"},
	{"AnyAnswerEndsRNR", "TMR-5", "what ends an RNR wait before its time", "progress",
		"any response to something unacknowledged", nil,
		"qib and hfi1 drivers: do_rc_ack takes the QP off its RNR timer first"},
	{"TimerRunsOut", "TMR-2", "the transport timer when everything is acknowledged", "stops",
		"runs on; what is outstanding when it runs out goes out again", nil,
		"a capture of kernel 6.1: a go-back 492 us behind its request, 18.7 ms behind the first packet of the connection, " +
			"T is 16 ms; the driver's comment calls such timeouts spurious"},
	{"FutureAckCompletes", "PSN-3", "a response to what was never sent", "dropped",
		"ends all that waits for no response of its own", []string{"px_at_ack_psn_plus1"}, "px_resp_ack_psn_plus5"},
	{"JiffyNs", "TMR-1", "granularity of timers", "exact",
		"the transport timer rounded down, the RNR timer up, to jiffies", []string{"to_t15_r3", "to_t12_r3"},
		"kernel with HZ 250"},
	{"RNRTypo", "TMR-4", "RNR timer code 25", "61.44 ms", "61.41 ms", nil,
		"rxe: rnrnak_usec; within one jiffy nobody can see it"},
	{"TimerAddsBusy", "TMR-1", "how long the transport timer runs", "T",
		"T and a busy time, which grows with the RC QPs of the device", nil,
		"rdmavt driver: busy_jiffies; the time is RequesterConfig.BusyNs"},
	{"AdaptiveTimer", "TMR-1", "when the transport timer runs out, and how often", "T to 4T, retry_cnt times",
		"from 4 us on, growing by doubling, more often than retry_cnt", nil,
		"not checked against captures. connectx: NVIDIA's pages on Adaptive Retransmission parameters: a time base of at " +
			"least 4,000 ns, a first value drawn at random, each used timeout_retry_num times and then doubled, up to 4 times " +
			"the configured timeout"},
}

// DeviationsPage is docs/deviations.md.
func DeviationsPage() string {
	var b strings.Builder
	b.WriteString(`# Deviations

Where real devices differ from the rules, and from each other. Made from the list in model/roce/deviations.go by
` + "`go test ./model/roce -run TestDeviationsPage -update`" + `; each line is one field of ` + "`roce.Profile`" + `. "Shown by" names captures that the
profile rxe cannot explain without the field; a test takes each field away and sees them fail. Nobody has captures of qib: its fields
are read off the drivers, and each has a page under model/roce/testdata/scenarios that changes without it. Nobody has captures of connectx
either: its field is from public documents, and what they do not tell is as in spec.

| field | rule | what | spec | otherwise | rxe | qib | connectx | shown by | known from |
|---|---|---|---|---|---|---|---|---|---|
`)
	for _, d := range Deviations {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", d.Field, d.Rule, d.What, d.Spec, d.Else,
			setting(Rxe, d.Field), setting(Qib, d.Field), setting(ConnectX, d.Field), strings.Join(d.Shown, ", "), d.Known)
	}
	return b.String()
}

// setting is a profile's value of a field in words.
func setting(p Profile, field string) string {
	v := reflect.ValueOf(p).FieldByName(field)
	switch {
	case v.IsZero():
		return "spec"
	case v.Kind() == reflect.Bool:
		return "otherwise"
	default:
		return fmt.Sprint(v.Interface())
	}
}
