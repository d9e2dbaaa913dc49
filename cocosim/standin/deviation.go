package standin

import (
	"bytes"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/wire"
)

// What a kernel answers otherwise than hca_rx, each by the field of docs/deviations.md that it begins with. RTL has
// none of these.
const (
	skipsReads = "DupAckSkipsRead: the ACK to a duplicate has the PSN of the last SEND, WRITE or atomic, in place of " +
		"ePSN - 1"
	beginsAt = "DupAckSkipsRead: an ACK of PSN FFFFFFh to a duplicate before anything was executed: what the kernel " +
		"begins with"
	replays = "PartialReplayMiddle: a READ asked for again from inside begins with Middle or Last, in place of First or " +
		"Only"
)

// answer is what of an answer tells deviations apart.
type answer struct {
	op   ib.Operation
	psn  psn.PSN
	aeth []byte
}

func answerOf(frame []byte) (a answer) {
	var p wire.Packet
	wire.Decode(wire.LinkEthernet, frame, &p)
	if p.BTH() == nil {
		return a
	}
	h := p.BTH()
	a.op, a.psn, a.aeth = ib.Operation(h[0]&31), psn.New(uint32(h[9])<<16|uint32(h[10])<<8|uint32(h[11])), p.AETH()
	return a
}

// isReplay reports whether both are the first response of a READ that was asked for again from inside.
func isReplay(theirs, ours []byte) bool {
	a, b := answerOf(theirs), answerOf(ours)
	return (a.op == ib.ReadResponseMid || a.op == ib.ReadResponseLast) &&
		(b.op == ib.ReadResponseFirst || b.op == ib.ReadResponseOnly) && a.psn == b.psn
}

// skipped is the place of the ACK that hca_rx gave to a duplicate which theirs acknowledges with an earlier PSN, or -1.
func skipped(theirs []byte, ours [][]byte) int {
	a := answerOf(theirs)
	if a.op != ib.Ack || ib.Syndrome(a.aeth[0]).Kind() != ib.KindAck {
		return -1
	}
	for i := range ours {
		b := answerOf(ours[i])
		if b.op == ib.Ack && bytes.Equal(a.aeth, b.aeth) && b.psn.After(a.psn) {
			return i
		}
	}
	return -1
}
