package flow_test

import (
	"encoding/binary"
	"slices"

	"hcacosim/model/ib"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// shorter takes n bytes out at a place and says so in the lengths of the headers below.
func shorter(list []vectors.Frame, i int, w *wire.Packet, at, n int) []vectors.Frame {
	out := slices.Clone(list)
	b := slices.Delete(slices.Clone(list[i].Data), at, at+n)
	less := func(at int) { binary.BigEndian.PutUint16(b[at:], binary.BigEndian.Uint16(b[at:])-uint16(n)) }
	if w.IPv4() != nil {
		less(w.Net + 2)
		fixChecksum(b[w.Net:])
	} else {
		less(w.Net + 4)
	}
	less(w.Transport - 4)
	out[i].Data, out[i].OrigLen = b, len(b)
	var now wire.Packet
	wire.Decode(out[i].Link, b, &now)
	wire.PutICRC(b, &now.Location)
	return out
}

// rnrToRead puts an RNR NAK in place of the only response to a READ.
func rnrToRead(list []vectors.Frame, i int, w *wire.Packet) ([]vectors.Frame, bool) {
	if !isOp(ib.ReadResponseOnly)(w) {
		return nil, false
	}
	behind := w.Transport + 16
	return edit(shorter(list, i, w, behind, w.End-4-behind), i, func(w *wire.Packet) {
		w.Frame[w.Transport], w.Frame[w.Transport+1] = byte(ib.Ack), w.Frame[w.Transport+1]&^0x30
		w.Frame[w.Transport+12] = 0x2A
	}), true
}

// fromHere changes the messages counted in every response of the same way from one on.
func fromHere(is func(*wire.Packet) bool, n uint32) change {
	return func(list []vectors.Frame, i int, w *wire.Packet) ([]vectors.Frame, bool) {
		if !is(w) {
			return nil, false
		}
		out := list
		others(list[i:], func(k int, o *wire.Packet) {
			if isResponseWithAETH(o) && sameWay(o, w) && o.ICRC() == wire.ICRCGood {
				out = edit(out, i+k, func(w *wire.Packet) { addMSN(w, n) })
			}
		})
		return out, true
	}
}

// resentOnly changes what was sent before.
func resentOnly(is func(*wire.Packet) bool, do func(w *wire.Packet)) change {
	return func(list []vectors.Frame, i int, w *wire.Packet) ([]vectors.Frame, bool) {
		if !is(w) || sentBefore(list, i, w) == 0 {
			return nil, false
		}
		return edit(list, i, do), true
	}
}

// fieldKinds are twelve more, made up for this table.
var fieldKinds = []kind{
	{"P_Key membership", only(isAny, func(w *wire.Packet) { w.BTH()[2] ^= 0x80 }), unseenMember,
		never("nobody told"), "ADM-5"},
	{"MSN + 800000h", only(isAck, func(w *wire.Packet) { addMSN(w, 0x800000) }), always,
		never(fromBefore), "RSP-11"},
	{"MSN + 1 from here on", fromHere(isAck, 1), always, never(fromBefore), "RSP-11"},
	{"ACK turned into NAK 64h", syndrome(isAck, 0x64), always, never(keyUnknown), ""},
	{"RNR NAK to a READ", rnrToRead, always, never(noneWaiting), ""},
	{"WRITE as SEND", opcode(map[ib.Operation]ib.Operation{ib.WriteOnly: ib.SendOnly}), always, never(notTold), ""},
	{"READ of length 0", only(isReadRequest, func(w *wire.Packet) { copy(w.RETH()[12:16], []byte{0, 0, 0, 0}) }), always,
		never(notTold), ""},
	{"R_Key of a retry", resentOnly(hasAddress, func(w *wire.Packet) { w.Frame[w.Transport+12+10] ^= 4 }), always,
		never("it may have been sent for the first time"), ""},
	{"address of a retry", resentOnly(hasAddress, func(w *wire.Packet) { w.Frame[w.Transport+12+5] ^= 1 }), always,
		never("it may have been sent for the first time"), ""},
	{"pad in an ACK", only(isAck, func(w *wire.Packet) { w.BTH()[1] |= 0x10 }), always, always, ""},
	{"immediate in the other byte order", only(func(w *wire.Packet) bool {
		return isRequest(w) && w.ImmDt() != nil && w.ImmDt()[0] != w.ImmDt()[3]
	}, func(w *wire.Packet) { slices.Reverse(w.ImmDt()[:4]) }), always, never(notTold), ""},
	{"ATOMIC ACK as READ response", opcode(map[ib.Operation]ib.Operation{ib.AtomicAck: ib.ReadResponseOnly}), always,
		always, ""},
}

// unseenMember: the entry of the table may have been changed once.
func unseenMember(list []vectors.Frame, i int, w *wire.Packet) string {
	before, behind := 0, 0
	others(list, func(k int, o *wire.Packet) {
		switch {
		case !fromSame(o, w):
		case k < i:
			before++
		case k > i:
			behind++
		}
	})
	if before == 0 || behind == 0 {
		return "the entry of the table may have been changed once"
	}
	return ""
}

// fromSame reports whether two packets are from one host.
func fromSame(a, b *wire.Packet) bool {
	return string(a.Ethernet().Src()) == string(b.Ethernet().Src())
}
