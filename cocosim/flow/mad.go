package flow

import (
	"encoding/binary"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/wire"
)

// Management datagrams of the connection manager (InfiniBand volume 1, chapter 12): UD SENDs of 256 bytes to queue
// pair 1.
const (
	madBytes   = 256
	madHead    = 24 // bytes of the header common to all; offsets of a message count from behind it
	madVersion = 1
	cmClass    = 7
	cmVersion  = 2
	methodSend = 3
	gsiQP      = 1
	gsiQKey    = 0x80010000
)

// Attributes: the messages of the exchange.
const (
	cmREQ  = 0x10
	cmREJ  = 0x12
	cmREP  = 0x13
	cmRTU  = 0x14
	cmDREQ = 0x15
	cmDREP = 0x16
)

// cmMessage is what a message of the exchange says. Fields that a message does not have are 0.
type cmMessage struct {
	kind       uint16
	local      uint32 // communication ID of who sends it
	remote     uint32 // of who receives it; 0 in a REQ
	qpn        uint32 // of who sends it: REQ, REP
	remoteQPN  uint32 // of who receives it: DREQ
	start      psn.PSN
	service    ib.Transport
	pmtu       uint32 // bytes, of a REQ; 0: a code that means nothing
	ackTimeout uint8  // code of the transport timer, of a REQ
	retries    uint8  // of a REQ
	rnrRetries uint8
	depth      uint8 // READs and atomics that the sender has outstanding at most
	resources  uint8 // that it answers at a time at most
}

// readCM reads a packet as a message of the exchange; false for anything else, whole or not. start is the first PSN
// that the sender of the message receives: what its peer sends begins with it.
func readCM(w *wire.Packet) (m cmMessage, ok bool) {
	b := w.Payload
	if w.Op == nil || w.Op.Transport != ib.UD || w.BTH().DestQP() != gsiQP || len(b) != madBytes {
		return m, false
	}
	if d := w.DETH(); d == nil || d.SrcQP() != gsiQP || d.QKey() != gsiQKey {
		return m, false
	}
	if b[0] != madVersion || b[1] != cmClass || b[2] != cmVersion || b[3] != methodSend {
		return m, false
	}
	m.kind = binary.BigEndian.Uint16(b[16:])
	return m, m.read(b[madHead:])
}

// read takes the fields of a message.
func (m *cmMessage) read(b []byte) bool {
	u32 := func(at int) uint32 { return binary.BigEndian.Uint32(b[at:]) }
	m.local = u32(0)
	switch m.kind {
	case cmREQ:
		m.qpn, m.resources, m.depth = u32(32)>>8, b[35], b[39]
		m.start, m.retries, m.pmtu = psn.PSN(u32(44)>>8), b[47]&7, pmtuOfCode(b[50]>>4)
		m.rnrRetries, m.ackTimeout = b[50]&7, b[95]>>3
		types := [4]ib.Transport{ib.RC, ib.UC, ib.RD, ib.XRC}
		m.service = types[b[43]>>1&3]
	case cmREP:
		m.remote, m.qpn, m.start = u32(4), u32(12)>>8, psn.PSN(u32(20)>>8)
		m.resources, m.depth, m.rnrRetries = b[24], b[25], b[27]>>5
	case cmDREQ:
		m.remote, m.remoteQPN = u32(4), u32(8)>>8
	case cmREJ, cmRTU, cmDREP:
		m.remote = u32(4)
	default:
		return false
	}
	return true
}

// pmtuOfCode: 1 is 256 bytes, each next one twice as much, 5 is 4096.
func pmtuOfCode(code byte) uint32 {
	if code < 1 || code > 5 {
		return 0
	}
	return 128 << code
}
