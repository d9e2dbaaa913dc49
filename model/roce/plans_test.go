package roce_test

import (
	"slices"

	"hcacosim/model/ib"
	"hcacosim/model/roce"
)

func send(id uint64, n uint32) roce.Work {
	return roce.Work{ID: id, Verb: roce.Send, Len: n, Signaled: true}
}
func write(id uint64, n uint32) roce.Work {
	return roce.Work{ID: id, Verb: roce.Write, Len: n, VA: 1 << 24, RKey: 7, Signaled: true}
}
func read(id uint64, n uint32) roce.Work {
	return roce.Work{ID: id, Verb: roce.Read, Len: n, VA: readVA, RKey: 7, Signaled: true}
}
func add(id uint64) roce.Work {
	return roce.Work{ID: id, Verb: roce.FetchAdd, Len: 8, VA: counterVA, RKey: 7, SwapAdd: 3, Signaled: true}
}

func writeImm(id uint64, n uint32) roce.Work {
	k := write(id, n)
	k.WithImm, k.Imm = true, 5
	return k
}

func atomicWrite(id uint64) roce.Work {
	return roce.Work{ID: id, Verb: roce.AtomicWrite, Len: 8, VA: 1 << 24, RKey: 7, Signaled: true}
}
func flush(id uint64) roce.Work {
	return roce.Work{ID: id, Verb: roce.Flush, Len: 300, VA: 1 << 24, RKey: 7, FETH: 1, Signaled: true}
}

// bind is the n-th local work.
func bind(id uint64, n uint32) roce.Work {
	return roce.Work{ID: id, Verb: roce.Bind, LKey: n, Len: 8, RKey: 9, Signaled: true}
}

var threeMessages = []roce.Work{send(1, 300), read(2, 300), add(3)}

// reduced is a profile with its distances cut down to a world of a few PSNs.
func reduced(p roce.Profile) roce.Profile {
	if p.AckReqEvery != 0 {
		p.AckReqEvery = 2
	}
	if p.AckReqAtOffset != 0 {
		p.AckReqAtOffset = 1
	}
	if p.WindowPackets != 0 {
		p.WindowPackets = 3 // a READ of two packets may begin as the third
	}
	return p
}

var plans = slices.Concat(firstPlans, wideWindows, endings, unasked, connections)

var firstPlans = []plan{
	{name: "three messages", bits: 4, start: 13, work: threeMessages, window: 4, inFlight: 3, lose: 1, double: 1,
		delay: 1},
	{name: "receive WQEs come late", bits: 4, start: 13, work: threeMessages, window: 4, inFlight: 3, lose: 1, delay: 1,
		lateReceive: true},
	{name: "timeouts come early", bits: 4, start: 13, work: threeMessages, window: 4, inFlight: 3, lose: 1, early: 2},
	{name: "two atomics and a READ", bits: 4, start: 13, work: []roce.Work{add(1), read(2, 300), add(3)}, window: 4,
		inFlight: 3,
		lose:     1, double: 1, delay: 1},
	{name: "ATOMIC WRITE, bind, FLUSH", bits: 4, start: 14, work: []roce.Work{send(1, 300), atomicWrite(2), bind(3, 1),
		flush(4)}, window: 4,
		inFlight: 3, lose: 1, double: 1, delay: 1},
	{small: true, name: "local work between", bits: 4, start: 14, work: []roce.Work{bind(1, 1), atomicWrite(2), bind(3, 2),
		flush(4), bind(5, 3)}, window: 4,
		inFlight: 2, lose: 1, early: 1},
	{small: true, name: "goes back to the message's first", bits: 4, start: 13, work: threeMessages, window: 4,
		inFlight: 3, lose: 2,
		spec: roce.Profile{MessageRestart: true, WholeRead: true}},
	{small: true, name: "a lost packet and a late WQE", bits: 4, start: 14, work: []roce.Work{send(1, 300), read(2, 300)},
		window: 4, inFlight: 2, lose: 1,
		lateReceive: true},
	{small: true, name: "rxe, a READ between", bits: 4, start: 14, work: []roce.Work{send(1, 10), read(2, 300),
		send(3, 10)}, window: 4, inFlight: 2, lose: 1,
		double: 1, spec: reduced(roce.Rxe)},
	{small: true, name: "qib, a READ between", bits: 4, start: 14, work: []roce.Work{send(1, 10), read(2, 300),
		send(3, 10)}, window: 4, inFlight: 2, lose: 1,
		double: 1, spec: reduced(roce.Qib)},
	{small: true, name: "UC with loss", service: ib.UC, bits: 4, start: 14, work: []roce.Work{send(1, 300), write(2, 600),
		send(3, 10), send(4, 300)}, window: 4, inFlight: 2,
		lose: 2, delay: 1},
	{small: true, name: "UC of rxe with loss", service: ib.UC, bits: 4, start: 14, work: []roce.Work{send(1, 300),
		write(2, 600), send(3, 10), send(4, 300)}, window: 4, inFlight: 2,
		lose: 2, delay: 1, spec: reduced(roce.Rxe)},
	{long: true, name: "UC, five packets lost", service: ib.UC, bits: 5, start: 26, work: []roce.Work{send(1, 600),
		write(2, 600), send(3, 10), write(4, 300), send(5, 600), send(6, 300)},
		window: 4, inFlight: 3, lose: 5, delay: 2},
	{long: true, name: "rxe, three messages", bits: 4, start: 13, work: threeMessages, window: 4, inFlight: 3, lose: 1,
		double: 1, delay: 1, spec: reduced(roce.Rxe)},
	// An ACK for each duplicate, and duplicates whenever the RNR timer runs out, would fill the responder's queue without
	// a bound.
	{long: true, name: "rxe, receive WQEs come late", bits: 4, start: 13, work: threeMessages, window: 4, inFlight: 3,
		lose: 1, delay: 1, lateReceive: true,
		patient: true, spec: reduced(roce.Rxe)},
	{long: true, name: "qib, three messages", bits: 4, start: 13, work: threeMessages, window: 4, inFlight: 3, lose: 1,
		double: 1, delay: 1, spec: reduced(roce.Qib)},
	{long: true, name: "qib, receive WQEs come late", bits: 4, start: 13, work: threeMessages, window: 4, inFlight: 3,
		lose: 1, delay: 1, lateReceive: true,
		spec: reduced(roce.Qib)},
	{small: true, name: "PSNs come round", bits: 3, start: 6, work: comeRound, window: 2, inFlight: 2, double: 1,
		delay: 1},
}

// comeRound takes more PSNs than three bits have.
var comeRound = []roce.Work{send(1, 300), read(2, 300), add(3), send(4, 300), send(5, 300), send(6, 10)}
