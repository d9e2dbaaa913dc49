package flow_test

import (
	"encoding/binary"
	"hash/crc32"
	"math/bits"
	"slices"

	"hcacosim/model/ib"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// Reasons why the wire cannot show a kind.
const (
	keyUnknown  = "the request may have been wrong: nobody told"
	damaged     = "it may have been damaged on the way"
	noneWaiting = "a receive WQE may not have been posted: nobody told"
	oldACK      = "it acknowledges what was acknowledged before"
	maybeSet    = "nothing behind it tells it from a clock that was set back"
	neverLost   = "one before it may have been lost behind the capture point"
)

// syndrome gives what is picked another syndrome.
func syndrome(is func(*wire.Packet) bool, to byte) change {
	return only(is, func(w *wire.Packet) { w.AETH()[0] = to })
}

func isNAKOrRNR(w *wire.Packet) bool { return isNAK(w) || isRNR(w) }

func isAtomicAck(w *wire.Packet) bool { return isResponse(w) && w.AtomicAckETH() != nil }

func isOp(ops ...ib.Operation) func(*wire.Packet) bool {
	return func(w *wire.Packet) bool { return w.Op != nil && slices.Contains(ops, w.Op.Operation) }
}

// resize puts n zero bytes in at a place and says so in the lengths of the headers below.
func resize(list []vectors.Frame, i int, w *wire.Packet, at, n int) []vectors.Frame {
	out := slices.Clone(list)
	b := slices.Insert(slices.Clone(list[i].Data), at, make([]byte, n)...)
	more := func(at int) { binary.BigEndian.PutUint16(b[at:], binary.BigEndian.Uint16(b[at:])+uint16(n)) }
	if w.IPv4() != nil {
		more(w.Net + 2)
		fixChecksum(b[w.Net:])
	} else {
		more(w.Net + 4)
	}
	more(w.Transport - 4)
	out[i].Data, out[i].OrigLen = b, len(b)
	var now wire.Packet
	wire.Decode(out[i].Link, b, &now)
	wire.PutICRC(b, &now.Location)
	return out
}

// longer adds bytes to the payload of what is picked.
func longer(is func(*wire.Packet) bool, n func(w *wire.Packet) int) change {
	return func(list []vectors.Frame, i int, w *wire.Packet) ([]vectors.Frame, bool) {
		if !is(w) {
			return nil, false
		}
		return resize(list, i, w, w.End-4, n(w)), true
	}
}

func four(*wire.Packet) int { return 4 }

// beyondPMTU is what makes a payload four bytes more than the largest PMTU that the captures have.
func beyondPMTU(w *wire.Packet) int { return 2048 + 4 - len(w.Payload)/4*4 }

// nakAsAtomic sends a NAK with the opcode of an atomic response, a value behind it.
func nakAsAtomic(list []vectors.Frame, i int, w *wire.Packet) ([]vectors.Frame, bool) {
	if !isNAKOrRNR(w) {
		return nil, false
	}
	return edit(resize(list, i, w, w.End-4, 8), i,
		func(w *wire.Packet) { w.Frame[w.Transport] = w.Frame[w.Transport]&0xE0 | byte(ib.AtomicAck) }), true
}

// replayedValue changes the value that the replay of an atomic returns.
func replayedValue(list []vectors.Frame, i int, w *wire.Packet) ([]vectors.Frame, bool) {
	if !isAtomicAck(w) || !answeredBefore(list, i, w) {
		return nil, false
	}
	return edit(list, i, func(w *wire.Packet) { w.AtomicAckETH()[0] ^= 0x10 }), true
}

// answeredBefore reports whether a response of the same PSN and opcode went the same way before.
func answeredBefore(list []vectors.Frame, i int, w *wire.Packet) (found bool) {
	others(list[:i], func(_ int, o *wire.Packet) {
		found = found || o.Op == w.Op && sameWay(o, w) && psnDiff(o, w) == 0
	})
	return found
}

// repeatRNR sends an RNR NAK twice.
func repeatRNR(list []vectors.Frame, i int, w *wire.Packet) ([]vectors.Frame, bool) {
	if !isRNR(w) {
		return nil, false
	}
	again := renew(list[i])
	again.TimeNS += 1000
	return slices.Insert(slices.Clone(list), i+1, again), true
}

// spoilt puts another ICRC behind a packet.
func spoilt(crc func(w *wire.Packet) uint32) change {
	return func(list []vectors.Frame, i int, w *wire.Packet) ([]vectors.Frame, bool) {
		if !isAny(w) {
			return nil, false
		}
		out := edit(list, i, func(*wire.Packet) {})
		binary.LittleEndian.PutUint32(out[i].Data[w.End-4:], crc(w))
		return out, true
	}
}

// header changes bytes of the headers below the BTH, over IPv4 only where v4 is set.
func header(v4 bool, do func(w *wire.Packet)) change {
	return func(list []vectors.Frame, i int, w *wire.Packet) ([]vectors.Frame, bool) {
		if !isAny(w) || v4 && w.IPv4() == nil {
			return nil, false
		}
		return edit(list, i, func(w *wire.Packet) {
			do(w)
			if w.IPv4() != nil {
				fixChecksum(w.Frame[w.Net:])
			}
		}), true
	}
}

// moreKinds are those that real devices have shown.
var moreKinds = []kind{
	{"ACK turned into NAK 60h", syndrome(isAck, 0x60), always, never(neverLost), ""},
	{"ACK turned into NAK 61h", syndrome(isAck, 0x61), always, never(keyUnknown), ""},
	{"ACK turned into NAK 63h", syndrome(isAck, 0x63), always, never(keyUnknown), ""},
	{"ACK turned into RNR NAK", syndrome(isAck, 0x2A), always, never(noneWaiting), ""},
	{"NAK 60h turned into an ACK", syndrome(isNAK, 0x1F), always, never(neverLost), ""},
	{"NAK 60h turned into RNR NAK", syndrome(isNAK, 0x2A), always, never(noneWaiting), ""},
	{"RNR NAK turned into NAK 60h", syndrome(isRNR, 0x60), always, never(neverLost), ""},
	{"RNR NAK repeated", repeatRNR, always, never(notInCapture), ""},
	{"NAK as ATOMIC ACK", nakAsAtomic, always, always, ""},
	{"NAK syndrome in a READ or atomic response", syndrome(func(w *wire.Packet) bool {
		return isResponseWithAETH(w) && w.Op.Operation != ib.Ack
	}, 0x60), always, always, "OPC-2"},
	{"ATOMIC ACK as ACK", opcode(map[ib.Operation]ib.Operation{ib.AtomicAck: ib.Ack}), always, always, ""},
	{"ACK PSN - 1", only(isAck, func(w *wire.Packet) { addPSN(w, 0xFFFFFF) }), always, never(oldACK), ""},
	{"MSN of a NAK + 1", only(isNAKOrRNR, func(w *wire.Packet) { addMSN(w, 1) }), always, unseenMSN(1), "RSP-11"},
	{"MSN of an atomic response - 1", only(isAtomicAck, func(w *wire.Packet) { addMSN(w, 0xFFFFFF) }), always,
		unseenMSN(-1), "RSP-11"},
	{"replayed atomic with another value", replayedValue, always, always, "RSP-8"},
	{"READ response Middle as Last", opcode(map[ib.Operation]ib.Operation{ib.ReadResponseMid: ib.ReadResponseLast}),
		always, always, ""},
	{"READ response First as Middle", opcode(map[ib.Operation]ib.Operation{ib.ReadResponseFirst: ib.ReadResponseMid}),
		always, always, ""},
	{"READ response Last as Only", opcode(map[ib.Operation]ib.Operation{ib.ReadResponseLast: ib.ReadResponseOnly}),
		always, always, ""},
	{"READ response Only as Last", opcode(map[ib.Operation]ib.Operation{ib.ReadResponseOnly: ib.ReadResponseLast}),
		always, unseenPMTU, ""},
	{"READ response 4 bytes long", longer(isRead, four), always, always, ""},
	{"request 4 bytes long", longer(hasRequestPayload, four), always, unseenLength, ""},
	{"Only beyond the PMTU", longer(isOp(ib.SendOnly, ib.WriteOnly), beyondPMTU), always, always, "LEN-1"},
	{"READ request with a payload", longer(isOp(ib.ReadRequest), four), always, always, ""},
	{"ACK with a payload", longer(isAck, four), always, always, ""},
	{"READ request as WRITE", opcode(map[ib.Operation]ib.Operation{ib.ReadRequest: ib.WriteOnly}), always, unseenWithin,
		""},
	{"compare and swap as fetch and add", opcode(map[ib.Operation]ib.Operation{ib.CmpSwap: ib.FetchAdd}), always,
		unseenPayload, ""},
	{"address of an atomic odd", only(func(w *wire.Packet) bool { return isRequest(w) && w.AtomicETH() != nil },
		func(w *wire.Packet) { w.AtomicETH()[7] ^= 1 }), always, unseenPayload, ""},
	{"UC opcode", only(isOp(ib.SendOnly, ib.WriteOnly, ib.SendFirst, ib.WriteFirst), func(w *wire.Packet) {
		w.BTH()[0] |= 0x20
	}), always, unseenService, "OPC-1"},
	{"solicited event in the middle", only(func(w *wire.Packet) bool { return isRequest(w) && !maySolicit(w) },
		func(w *wire.Packet) { w.BTH()[1] |= 0x80 }), always, never("receivers ignore it"), "REQ-11"},
	{"solicited event in a response", only(isResponse, func(w *wire.Packet) { w.BTH()[1] |= 0x80 }), always,
		never("receivers ignore it"), "REQ-11"},
	{"IPv4 fragment", header(true, func(w *wire.Packet) { w.IPv4()[6] |= 0x20 }), always, always, "END-1"},
	{"UDP length 4 short", header(false, func(w *wire.Packet) {
		b := w.Frame[w.Transport-4:]
		binary.BigEndian.PutUint16(b, binary.BigEndian.Uint16(b)-4)
	}), always, always, "END-1"},
	{"ICRC with its bytes in the wrong order", spoilt(func(w *wire.Packet) uint32 {
		return bits.ReverseBytes32(binary.LittleEndian.Uint32(w.Frame[w.End-4:]))
	}), always, never(damaged), ""},
	{"ICRC from the BTH on", spoilt(func(w *wire.Packet) uint32 {
		return crc32.ChecksumIEEE(w.Frame[w.Transport : w.End-4])
	}), always, never(damaged), ""},
}

// unseenService: a queue pair that nobody used before may be of another service.
func unseenService(list []vectors.Frame, i int, w *wire.Packet) string {
	used := 0
	others(list[:i], func(int, *wire.Packet) { used++ })
	if used < 2 {
		return "fewer than two packets told what service the queue pair has"
	}
	return ""
}

// unseenPMTU: where a READ ends shows only once the PMTU was seen.
func unseenPMTU(list []vectors.Frame, i int, w *wire.Packet) string {
	seen := false
	others(list[:i], func(_ int, o *wire.Packet) {
		seen = seen || sameWay(o, w) && isOp(ib.ReadResponseFirst, ib.ReadResponseMid)(o)
	})
	if !seen {
		return "the PMTU was not seen before"
	}
	return ""
}

// unseenWithin: a request with a PSN inside a READ that was sent before is the middle of its retry.
func unseenWithin(list []vectors.Frame, i int, w *wire.Packet) string {
	within := false
	others(list[:i], func(_ int, o *wire.Packet) {
		within = within || isRequest(o) && sameWay(o, w) && o.Op.Operation == ib.ReadRequest && psnDiff(w, o) > 0 &&
			psnDiff(w, o) < int32((o.RETH().DMALen()+255)/256)
	})
	if within {
		return "its PSN lies within a READ before it, of which only the first is remembered"
	}
	return ""
}

// maySolicit reports whether a request may ask for a solicited event (REQ-11): the end of a SEND or of a WRITE with
// immediate.
func maySolicit(w *wire.Packet) bool {
	switch w.Op.Operation {
	case ib.SendLast, ib.SendOnly, ib.SendLastImm, ib.SendOnlyImm, ib.SendLastInv, ib.SendOnlyInv, ib.WriteLastImm,
		ib.WriteOnlyImm:
		return true
	}
	return false
}

// freeKinds are changes that no rule forbids: nowhere may one be called wrong for certain.
var freeKinds = []struct {
	name, why string
	change    change
}{
	{"UDP source port of one packet", "no rule says what it must be", header(false,
		func(w *wire.Packet) { w.Frame[w.Transport-7] ^= 0x15 })},
	{"TTL or hop limit", "routers count it down", header(false, func(w *wire.Packet) {
		if w.IPv4() != nil {
			w.Frame[w.Net+8] = 3
			return
		}
		w.Frame[w.Net+7] = 3
	})},
	{"DSCP", "nobody told the service level, and switches change it", header(true,
		func(w *wire.Packet) { w.Frame[w.Net+1] ^= 0x68 })},
	{"ECN mark", "a switch makes it", header(true, func(w *wire.Packet) { w.Frame[w.Net+1] |= 3 })},
	{"FECN and BECN", "receivers ignore them", only(isAny, func(w *wire.Packet) { w.BTH()[4] |= 0xC0 })},
	{"MigReq", "receivers ignore it", only(isAny, func(w *wire.Packet) { w.BTH()[1] ^= 0x40 })},
	{"solicited event at the end of a message", "the application asks for it; REQ-11 holds a retry against the first time",
		func(list []vectors.Frame, i int, w *wire.Packet) ([]vectors.Frame, bool) {
			if !isRequest(w) || !maySolicit(w) || unseenPayload(list, i, w) == "" {
				return nil, false
			}
			return edit(list, i, func(w *wire.Packet) { w.BTH()[1] ^= 0x80 }), true
		}},
}
