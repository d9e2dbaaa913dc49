package roce_test

import "hcacosim/model/roce"

// badKey names a key that the responder does not have.
func badKey(w roce.Work) roce.Work {
	w.RKey = 8
	return w
}

var (
	half      = []roce.Work{send(1, 1000), read(2, 1000), send(3, 10)}
	readFirst = []roce.Work{read(1, 1024), send(2, 300), read(3, 600), add(4)}
	writes    = []roce.Work{write(1, 300), writeImm(2, 300), send(3, 10), writeImm(4, 0), write(5, 10)}
)

// wideWindows have as many packets unacknowledged as PSN-5 allows, half of the PSNs, and packets live for as many
// (PSN-2, PSN-7).
var wideWindows = []plan{
	{small: true, name: "half, lossless", bits: 3, start: 6, work: []roce.Work{read(1, 1024), send(2, 1024)}, inFlight: 4},
	{small: true, name: "a READ of half the PSNs", bits: 3, start: 6, work: []roce.Work{read(1, 1024), add(2),
		send(3, 300)}, window: 4, inFlight: 2},
	{small: true, name: "a SEND of half the PSNs", bits: 3, start: 6, work: []roce.Work{send(1, 1024), read(2, 1024)},
		window: 4, inFlight: 2, delay: 1},
	{small: true, name: "half, one packet lost", bits: 3, start: 6, work: half, inFlight: 3, lose: 1},
	{name: "half, a SEND first", bits: 3, start: 6, work: half, inFlight: 3, lose: 1, double: 1, delay: 1},
	{long: true, name: "half, a READ first", bits: 3, start: 6, work: readFirst, inFlight: 3, lose: 1, double: 1,
		delay: 1},
	{name: "half, receive WQEs come late", bits: 3, start: 6, work: half, inFlight: 3, lose: 1, delay: 1,
		lateReceive: true},
	{long: true, name: "half, timeouts come early", bits: 3, start: 6, work: readFirst, inFlight: 3, lose: 1, early: 2},
	// Two windows: the first of a message lies before the oldest unacknowledged PSN, up to as many as the message has.
	{name: "goes back to the first of long messages", bits: 4, start: 13, work: half, window: 4, inFlight: 3, lose: 2,
		delay: 1,
		spec:  roce.Profile{MessageRestart: true, WholeRead: true}},
	{long: true, name: "half of 16", bits: 4, start: 13, work: []roce.Work{send(1, 2048), read(2, 2048), send(3, 10)},
		inFlight: 3, lose: 1, delay: 1},
	{long: true, name: "half of 16, doubled", bits: 4, start: 13, work: []roce.Work{read(1, 2048), send(2, 1500), add(3)},
		inFlight: 3, lose: 1, double: 1},
	{long: true, name: "half, all four in flight", bits: 3, start: 6, work: half, inFlight: 4, lose: 1, double: 1,
		delay: 1},
	{name: "qib, half", bits: 3, start: 6, work: half, inFlight: 3, lose: 1, double: 1, spec: reduced(roce.Qib)},
	{name: "WRITEs", bits: 4, start: 13, work: writes, window: 4, inFlight: 3, lose: 1, double: 1, delay: 1},
	{long: true, name: "WRITEs, receive WQEs come late", bits: 4, start: 13, work: writes, window: 4, inFlight: 3, lose: 1,
		delay: 1, lateReceive: true},
	{name: "twice lost", bits: 3, start: 6, work: threeMessages, window: 4, inFlight: 3, lose: 2, delay: 1},
}

var (
	tooLong   = []roce.Work{send(1, 10), send(2, 300), read(3, 300)}
	wrongKey  = []roce.Work{read(1, 300), badKey(write(2, 300)), send(3, 10)}
	unaligned = []roce.Work{send(1, 300), {ID: 2, Verb: roce.FetchAdd, Len: 8, VA: counterVA + 4, RKey: 7, SwapAdd: 3,
		Signaled: true}, read(3, 10)}
	badRead    = []roce.Work{write(1, 300), badKey(read(2, 300)), add(3)}
	noRead     = []roce.Work{add(1), write(2, 10), read(3, 300), send(4, 10)}
	someErrors = []roce.Rule{"REQ-4", "TMR-3"}
)

// errors are the rules that a world with a bad request ends by: the responder's, a NAK, and retries that nobody
// answers.
func errors(responder roce.Rule) []roce.Rule { return append([]roce.Rule{responder}, someErrors...) }

// endings are worlds in which a QP goes to error (RSP-10, RSP-15, REQ-4, TMR-3, TMR-4).
var endings = []plan{
	{small: true, name: "61h, a SEND too long", bits: 4, start: 14, work: tooLong, room: 256, window: 4, inFlight: 3,
		lose: 1, double: 1, bad: 2,
		badStatus: roce.RemoteInvalidRequest, errors: errors("LEN-1")},
	{name: "61h, an unaligned atomic", bits: 4, start: 14, work: unaligned, window: 4, inFlight: 3, lose: 1, double: 1,
		delay: 1, bad: 2,
		badStatus: roce.RemoteInvalidRequest, errors: errors("RSP-12")},
	{name: "61h, no READs", bits: 4, start: 14, work: noRead, window: 4, inFlight: 3, lose: 1, double: 1, delay: 1, bad: 3,
		access: roce.RemoteWrite | roce.RemoteAtomic, badStatus: roce.RemoteInvalidRequest, errors: errors("RSP-1")},
	{name: "62h, a WRITE", bits: 4, start: 14, work: wrongKey, window: 4, inFlight: 3, lose: 1, double: 1, delay: 1,
		bad:       2,
		badStatus: roce.RemoteAccess, errors: errors("RSP-1")},
	{small: true, name: "62h, a READ", bits: 4, start: 14, work: badRead, window: 4, inFlight: 2, lose: 1, double: 1,
		bad:       2,
		badStatus: roce.RemoteAccess, errors: errors("RSP-1")},
	{name: "63h", bits: 4, start: 14, work: tooLong, room: 256, window: 4, inFlight: 3, lose: 1, double: 1, delay: 1,
		bad:       2,
		badStatus: roce.RemoteOperation, errors: errors("LEN-1"), spec: roce.Profile{TooLongIsRemoteOp: true}},
	{small: true, name: "responses that cannot be", bits: 4, start: 14, work: []roce.Work{send(1, 300), read(2, 600),
		add(3)}, window: 4, inFlight: 2, lose: 1,
		spoil: 1, errors: []roce.Rule{"REQ-12", "LEN-1"}},
	{long: true, name: "responses that cannot be, delayed", bits: 4, start: 14, work: []roce.Work{read(1, 300), add(2),
		send(3, 300)}, window: 4, inFlight: 3, lose: 1,
		delay: 1, spoil: 2, errors: []roce.Rule{"REQ-12", "LEN-1"}},
	{small: true, name: "RNR retries run out", bits: 4, start: 14, work: []roce.Work{send(1, 300), send(2, 10)}, window: 4,
		inFlight: 3, lose: 1, double: 1,
		lateReceive: true, rnrRetries: 1, errors: []roce.Rule{"TMR-4"}},
	{name: "RNR retries run out behind a READ", bits: 4, start: 14, work: []roce.Work{read(1, 300), writeImm(2, 300),
		send(3, 10)}, window: 4, inFlight: 3,
		lose: 1, delay: 1, lateReceive: true, rnrRetries: 1, errors: []roce.Rule{"TMR-4"}},
	{small: true, name: "retries run out", bits: 4, start: 14, work: []roce.Work{send(1, 300), read(2, 300)}, window: 4,
		inFlight: 2, lose: 3, retries: 1,
		errors: []roce.Rule{"TMR-3"}},
	{name: "retries run out, delays", bits: 4, start: 14, work: threeMessages, window: 4, inFlight: 3, lose: 3, delay: 1,
		retries: 1,
		errors:  []roce.Rule{"TMR-3"}},
	{small: true, name: "error from outside", bits: 4, start: 14, work: []roce.Work{send(1, 300), read(2, 300)}, window: 4,
		inFlight: 2, lose: 1, double: 1,
		kill: 1, errors: []roce.Rule{"RSP-15", "TMR-3"}},
	{name: "errors from outside", bits: 4, start: 14, work: threeMessages, window: 4, inFlight: 3, lose: 1, delay: 1,
		kill: 2, lateReceive: true,
		errors: []roce.Rule{"RSP-15", "TMR-3"}},
}

// unasked are worlds with ACKs that nothing asked for, and with credits that have to come first (CRD-2, CRD-3, CRD-4).
var unasked = []plan{
	{small: true, name: "unsolicited ACKs", bits: 4, start: 13, work: threeMessages, window: 4, inFlight: 3, lose: 1,
		unsolicited: 1},
	{name: "unsolicited ACKs, delayed", bits: 4, start: 13, work: threeMessages, window: 4, inFlight: 3, lose: 1, delay: 1,
		unsolicited: 2},
	{name: "no credits to begin with", bits: 4, start: 13, work: []roce.Work{send(1, 300), read(2, 300), send(3, 300)},
		window: 4, inFlight: 3, lose: 1, delay: 1,
		lateReceive: true, limited: true, unsolicited: 1},
	{small: true, name: "no credits and nothing unasked", bits: 4, start: 13, work: []roce.Work{send(1, 300),
		writeImm(2, 300)}, window: 4, inFlight: 2, lose: 1,
		double: 1, lateReceive: true, limited: true},
	{long: true, name: "qib, no credits to begin with", bits: 4, start: 13, work: []roce.Work{send(1, 300), send(2, 300)},
		window: 4, inFlight: 3, lose: 1, delay: 1,
		lateReceive: true, limited: true, unsolicited: 1, spec: reduced(roce.Qib)},
}

var (
	twoMessages = []roce.Work{send(1, 300), read(2, 300)}
	again       = []roce.Work{read(1, 300), add(2), send(3, 300)}
	little      = []roce.Work{send(1, 10), add(2)}
)

// connections are worlds of two connections: one behind the other, of two QPs, or both directions of one (PSN-6).
var connections = []plan{
	{small: true, name: "connected anew", bits: 3, start: 6, work: twoMessages, again: again, window: 2, inFlight: 2,
		double: 1, delay: 1},
	{name: "connected anew, window half", bits: 3, start: 6, work: twoMessages, again: again, inFlight: 2, double: 1},
	{long: true, name: "connected anew, one packet lost", bits: 3, start: 6, work: twoMessages, again: little, inFlight: 2,
		lose: 1, delay: 1},
	{long: true, name: "connected anew, three in flight", bits: 3, start: 6, work: twoMessages, again: again, inFlight: 3,
		delay: 1},
	{long: true, name: "connected anew, 16 PSNs", bits: 4, start: 13, work: threeMessages, again: again, window: 4,
		inFlight: 2, double: 1, delay: 1},
	{small: true, name: "time wait, the same start", bits: 3, start: 6, work: twoMessages, again: again, window: 4,
		inFlight: 2, lose: 1, double: 1, anyStart: true,
		timeWait: true},
	{small: true, name: "two QPs", bits: 3, start: 6, work: little, second: twoMessages, window: 4, inFlight: 2, lose: 1,
		double: 1},
	{long: true, name: "two QPs, three in flight", bits: 3, start: 6, work: twoMessages, second: little, window: 4,
		inFlight: 3, lose: 1, double: 1, delay: 1},
	{long: true, name: "two QPs, receive WQEs come late", bits: 3, start: 6, work: little, second: little, window: 4,
		inFlight: 3, lose: 1, delay: 1, lateReceive: true},
	{small: true, name: "both directions", bits: 3, start: 6, work: little, second: twoMessages, both: true, window: 4,
		inFlight: 2, lose: 1, double: 1},
	{long: true, name: "both directions, three in flight", bits: 3, start: 6, work: twoMessages, second: little,
		both: true, window: 4, inFlight: 3, lose: 1, double: 1, delay: 1},
	{name: "both directions, error from outside", bits: 3, start: 6, work: little, second: little, both: true, window: 4,
		inFlight: 3, lose: 1, kill: 1,
		errors: []roce.Rule{"RSP-15", "TMR-3"}},
	{long: true, name: "both directions, 62h", bits: 3, start: 6, work: []roce.Work{badKey(write(1, 10))},
		second: twoMessages, both: true, window: 4, inFlight: 3,
		lose: 1, delay: 1, bad: 1, badStatus: roce.RemoteAccess, errors: []roce.Rule{"RSP-1", "REQ-4", "RSP-15", "TMR-3"}},
}
