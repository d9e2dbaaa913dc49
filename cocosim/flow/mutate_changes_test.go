package flow_test

import (
	"encoding/binary"
	"slices"

	"hcacosim/model/ib"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

func isAny(w *wire.Packet) bool { return w.Op != nil }
func isRead(w *wire.Packet) bool {
	return isResponse(w) && w.Op.Operation >= ib.ReadResponseFirst && w.Op.Operation <= ib.ReadResponseOnly
}
func isResponseWithAETH(w *wire.Packet) bool { return isResponse(w) && w.AETH() != nil }
func isRNR(w *wire.Packet) bool {
	return isResponse(w) && w.Op.Operation == ib.Ack && w.AETH().Syndrome().Kind() == ib.KindRNR
}
func hasRequestPayload(w *wire.Packet) bool { return isRequest(w) && len(w.Payload) > 0 }
func hasAddress(w *wire.Packet) bool {
	return isRequest(w) && (w.RETH() != nil || w.AtomicETH() != nil)
}

func addMSN(w *wire.Packet, n uint32) {
	v := binary.BigEndian.Uint32(w.AETH())
	binary.BigEndian.PutUint32(w.AETH(), v&0xFF000000|(v+n)&0xFFFFFF)
}

// setAddress changes the IPv4 address at an offset of the header and the header's checksum; an IPv6 address likewise.
func setAddress(w *wire.Packet, at int) {
	if w.IPv4() == nil {
		w.Frame[w.Net+at*2-9] ^= 0x40 // the last bytes are at 23 and 39
		return
	}
	w.Frame[w.Net+at+3] ^= 0x40
	fixChecksum(w.Frame[w.Net:])
}

func fixChecksum(ip []byte) {
	ip[10], ip[11] = 0, 0
	sum := uint32(0)
	for i := 0; i < int(ip[0]&15)*4; i += 2 {
		sum += uint32(ip[i])<<8 | uint32(ip[i+1])
	}
	for sum > 0xFFFF {
		sum = sum&0xFFFF + sum>>16
	}
	binary.BigEndian.PutUint16(ip[10:], ^uint16(sum))
}

// opcode exchanges operations.
func opcode(by map[ib.Operation]ib.Operation) change {
	return func(list []vectors.Frame, i int, w *wire.Packet) ([]vectors.Frame, bool) {
		to, ok := by[w.Op.Operation]
		if !ok || w.Op.Operation == ib.Ack && !isAck(w) {
			return nil, false
		}
		return edit(list, i, func(w *wire.Packet) { w.BTH()[0] = w.BTH()[0]&0xE0 | byte(to) }), true
	}
}

// shorten takes the last four bytes of a payload away, from the lengths of the headers below too.
func shorten(list []vectors.Frame, i int, w *wire.Packet) ([]vectors.Frame, bool) {
	if !isAny(w) || len(w.Payload) < 8 {
		return nil, false
	}
	out := slices.Clone(list)
	b := slices.Delete(slices.Clone(list[i].Data), w.End-8, w.End-4)
	less := func(at int) { binary.BigEndian.PutUint16(b[at:], binary.BigEndian.Uint16(b[at:])-4) }
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
	return out, true
}

func repeatNAK(list []vectors.Frame, i int, w *wire.Packet) ([]vectors.Frame, bool) {
	if !isNAK(w) {
		return nil, false
	}
	again := renew(list[i])
	again.TimeNS += 1000
	return slices.Insert(slices.Clone(list), i+1, again), true
}

// early sends a request again 300 us after the first time, with no word from the peer between.
func early(list []vectors.Frame, i int, w *wire.Packet) ([]vectors.Frame, bool) {
	if !isRequest(w) {
		return nil, false
	}
	again := renew(list[i])
	again.TimeNS += 300_000
	return slices.Insert(slices.Clone(list), i+1, again), true
}

// hasty moves the first request behind an RNR NAK to 20 us behind it, and its answer with it. What follows stays where
// it is: were all of it moved, the clock of the capture might as well have been set back.
func hasty(list []vectors.Frame, i int, w *wire.Packet) ([]vectors.Frame, bool) {
	if !isRequest(w) || i == 0 {
		return nil, false
	}
	var before wire.Packet
	wire.Decode(list[i-1].Link, list[i-1].Data, &before)
	if !isRNR(&before) || psnDiff(&before, w) != 0 || sameWay(&before, w) {
		return nil, false
	}
	if i+1 >= len(list) {
		return nil, false
	}
	early := list[i].TimeNS - list[i-1].TimeNS - 20_000
	return slices.Concat(list[:i], later(list[i:i+2], -early), list[i+2:]), true
}

// oneMessageMore adds a request behind the last.
func oneMessageMore(list []vectors.Frame, i int, w *wire.Packet) ([]vectors.Frame, bool) {
	last := isRequest(w) && (w.AtomicETH() != nil || w.Op.Operation == ib.SendOnly || w.Op.Operation == ib.WriteOnly) &&
		sentBefore(list, i, w) == 0
	others(list[i+1:], func(_ int, o *wire.Packet) { last = last && !isRequest(o) })
	if !last {
		return nil, false
	}
	more := renew(list[i])
	more.TimeNS = list[len(list)-1].TimeNS + 1000
	out := append(slices.Clone(list), more)
	return edit(out, len(list), func(w *wire.Packet) { addPSN(w, 1) }), true
}

// oneRetryMore adds a retry to a capture that ends with the last one, after the same gap.
func oneRetryMore(list []vectors.Frame, i int, w *wire.Packet) ([]vectors.Frame, bool) {
	if !isRequest(w) || i != len(list)-1 || i < 3 || sentBefore(list, i, w) < 3 {
		return nil, false
	}
	again := renew(list[i])
	again.TimeNS += list[i].TimeNS - list[i-1].TimeNS
	return append(slices.Clone(list), again), true
}

// others calls do with the packets of the list that have a good ICRC.
func others(list []vectors.Frame, do func(i int, w *wire.Packet)) {
	var w wire.Packet
	for i := range list {
		wire.Decode(list[i].Link, list[i].Data, &w)
		if w.Op != nil && w.ICRC() == wire.ICRCGood {
			do(i, &w)
		}
	}
}

func drop(is func(*wire.Packet) bool) func([]vectors.Frame, int, *wire.Packet) ([]vectors.Frame, bool) {
	return func(list []vectors.Frame, i int, w *wire.Packet) ([]vectors.Frame, bool) {
		if !is(w) {
			return nil, false
		}
		return slices.Delete(slices.Clone(list), i, i+1), true
	}
}

func double(is func(*wire.Packet) bool) func([]vectors.Frame, int, *wire.Packet) ([]vectors.Frame, bool) {
	return func(list []vectors.Frame, i int, w *wire.Packet) ([]vectors.Frame, bool) {
		if !is(w) {
			return nil, false
		}
		return slices.Insert(slices.Clone(list), i+1, renew(list[i])), true
	}
}

// swap exchanges a packet with the next of its kind and direction, if that stands right behind it and differs.
func swap(is func(*wire.Packet) bool) func([]vectors.Frame, int, *wire.Packet) ([]vectors.Frame, bool) {
	return func(list []vectors.Frame, i int, w *wire.Packet) ([]vectors.Frame, bool) {
		if !is(w) || i+1 >= len(list) {
			return nil, false
		}
		var next wire.Packet
		wire.Decode(list[i+1].Link, list[i+1].Data, &next)
		if !is(&next) || string(next.Ethernet().Src()) != string(w.Ethernet().Src()) || next.BTH().PSN() == w.BTH().PSN() {
			return nil, false
		}
		out := slices.Clone(list)
		out[i].Data, out[i+1].Data = identified(out[i+1].Data, out[i]), identified(out[i].Data, out[i+1])
		return out, true
	}
}
