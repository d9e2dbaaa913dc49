package flow

import (
	"strings"

	"hcacosim/model/ib"
	"hcacosim/model/roce"
)

// operations hold what an endpoint sends for the first time against what the sidecar says it was asked to send. It stops
// for good when the two do not go together.
type operations struct {
	list []Op
	next int    // the operation that the next First or Only starts
	k    int    // the operation of the message
	off  uint64 // bytes of it that were sent
	over bool   // given up
}

// operations lists an end's operations with their place among all, which the payload's pattern starts from.
func (s *Sidecar) operations(side string) *operations {
	o := &operations{list: s.Ops, over: len(s.Ops) == 0}
	for i := range o.list {
		if o.list[i].Side == side {
			o.next = i
			return o
		}
	}
	o.over = true
	return o
}

// sent takes a request that was not sent before and returns the first byte of its payload that is not the operation's; -1 if
// there is none.
func (o *operations) sent(side string, p *roce.Packet, payload []byte) (k, at int) {
	if o.over {
		return 0, -1
	}
	verb, first := verbOf(p.Op)
	if first {
		if o.next >= len(o.list) || !strings.HasPrefix(o.list[o.next].Op, verb) || (verb == "WRITE" || verb == "READ") && o.list[o.next].Len != p.DMALen {
			o.over = true
			return 0, -1
		}
		o.k, o.off = o.next, 0
		for o.next++; o.next < len(o.list) && o.list[o.next].Side != side; {
			o.next++
		}
	}
	if verb != "SEND" && verb != "WRITE" {
		return 0, -1
	}
	for i, v := range payload {
		if v != pattern(o.k, o.off+uint64(i)) {
			return o.k, i
		}
	}
	o.off += uint64(len(payload))
	return o.k, -1
}

// verbOf names what an opcode does as sidecars do, and tells whether it starts a message.
func verbOf(op ib.Opcode) (verb string, first bool) {
	switch ib.Operation(op & 0x1F) {
	case ib.SendFirst, ib.SendOnly, ib.SendOnlyImm, ib.SendOnlyInv:
		return "SEND", true
	case ib.SendMiddle, ib.SendLast, ib.SendLastImm, ib.SendLastInv:
		return "SEND", false
	case ib.WriteFirst, ib.WriteOnly, ib.WriteOnlyImm:
		return "WRITE", true
	case ib.WriteMiddle, ib.WriteLast, ib.WriteLastImm:
		return "WRITE", false
	case ib.ReadRequest:
		return "READ", true
	case ib.CmpSwap:
		return "CAS", true
	case ib.FetchAdd:
		return "FAA", true
	}
	return "", false
}
