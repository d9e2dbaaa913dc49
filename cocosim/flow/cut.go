package flow

import (
	"hcacosim/model/wire"
)

// A frame that the snap length cut behind its headers is followed by them: its place, its kind, its length. Payload
// and ICRC are not known, so that what rests on it is possible at most: the receiver may have dropped it.

// cutBehindHeaders reports whether the snap length cut a frame, but none of its transport headers.
func cutBehindHeaders(w *wire.Packet) bool {
	return w.Undecided() && w.Op != nil && (w.Bad.Reason == wire.Cut || w.Bad.Reason == wire.PayloadLength ||
		w.Bad.Reason == wire.Unaligned)
}

// payloadBytes is the length of the payload, by the headers where the payload was cut.
func payloadBytes(w *wire.Packet) uint32 {
	if !w.Undecided() {
		return uint32(len(w.Payload))
	}
	return uint32(max(0, w.End-icrcBytes-w.Transport-w.Op.Bytes-w.BTH().Pad()))
}

// seen is what was captured of a packet, from its BTH on and without its ICRC.
func seen(w *wire.Packet) []byte {
	return w.Frame[w.Transport:min(w.End-icrcBytes, len(w.Frame))]
}
