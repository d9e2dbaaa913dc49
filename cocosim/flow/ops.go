package flow

import (
	"fmt"
	"strings"

	"hcacosim/model/ib"
	"hcacosim/model/roce"
)

// operations hold what an endpoint sends for the first time against what the sidecar says it was asked to send. It
// stops for good when the two do not go together.
type operations struct {
	side string
	list []Op
	next int    // the operation that the next First or Only starts
	k    int    // the operation of the message
	off  uint64 // bytes of it that were sent
	open bool   // the message has not ended
	over bool   // given up
}

// operations lists an end's operations with their place among all, which the payload's pattern starts from.
func (s *Sidecar) operations(side string) *operations {
	o := &operations{side: side, list: s.Ops, over: len(s.Ops) == 0}
	o.skip()
	return o
}

// skip goes to the next operation of the end that was posted.
func (o *operations) skip() {
	for o.next < len(o.list) && (o.list[o.next].Side != o.side || o.list[o.next].PostRC != 0) {
		o.next++
	}
}

// sent takes a request that was not sent before and says what in it is not the operation's; "" if nothing.
func (o *operations) sent(p *roce.Packet, payload []byte) string {
	if o.over {
		return ""
	}
	shape := p.Op.Shape()
	verb, known := verbNames[shape.Verb]
	if !known {
		return "" // sidecars have no word for it
	}
	if shape.First {
		if o.next >= len(o.list) {
			o.over = true
			return "a message more than the operations that were posted"
		}
		if !strings.HasPrefix(o.list[o.next].Op, verb) {
			o.over = true
			return fmt.Sprintf("%s, operation %d is %s", ib.Lookup(p.Op).Name, o.next, o.list[o.next].Op)
		}
		o.k, o.off = o.next, 0
		o.next++
		o.skip()
		if wrong := o.header(p); wrong != "" {
			return wrong
		}
	}
	if shape.Verb != roce.Send && shape.Verb != roce.Write {
		return ""
	}
	for i, v := range payload {
		if v != pattern(o.k, o.off+uint64(i)) {
			return fmt.Sprintf("byte %d of the payload is not that of operation %d", i, o.k)
		}
	}
	o.off += uint64(p.Len)
	if o.open = !shape.Last; o.open {
		return ""
	}
	return o.end(p)
}

// hold adds to what was found about a request, if that is nothing, what is not the operation's.
func (o *operations) hold(p *roce.Packet, payload []byte, rule roce.Rule, text string) (roce.Rule, string) {
	if wrong := o.sent(p, payload); wrong != "" && rule == "" {
		return notAsPosted, wrong
	}
	return rule, text
}

// header compares what the first packet of a message says with the operation.
func (o *operations) header(p *roce.Packet) string {
	op, has := &o.list[o.k], ib.Lookup(p.Op).Headers
	differs := func(what string, got, want uint64) string {
		return fmt.Sprintf("%s %Xh, operation %d has %Xh", what, got, o.k, want)
	}
	reth, atomic := has.Has(ib.RETH), has.Has(ib.AtomicETH)
	switch {
	case reth && p.DMALen != op.Len:
		return differs("length", uint64(p.DMALen), uint64(op.Len))
	case (reth || atomic) && op.Remote != 0 && p.VA != op.Remote:
		return differs("address", p.VA, op.Remote)
	case (reth || atomic) && op.RKey.differs(uint64(p.RKey)):
		return differs("R_Key", uint64(p.RKey), op.RKey.v)
	case atomic && op.Swap.differs(p.SwapAdd):
		return differs("swap or add", p.SwapAdd, op.Swap.v)
	case p.Op.Shape().Verb == roce.CmpSwap && op.Compare.differs(p.Compare):
		return differs("compare", p.Compare, op.Compare.v)
	}
	return ""
}

// end compares what the last packet of a message says with the operation.
func (o *operations) end(p *roce.Packet) string {
	op, imm := &o.list[o.k], ib.Lookup(p.Op).Headers.Has(ib.ImmDt)
	switch {
	case o.off != uint64(op.Len):
		return fmt.Sprintf("%d bytes in all, operation %d has %d", o.off, o.k, op.Len)
	case imm && op.Imm.differs(uint64(p.Imm)):
		return fmt.Sprintf("immediate %Xh, operation %d has %Xh", p.Imm, o.k, op.Imm.v)
	case imm != strings.HasSuffix(op.Op, "_IMM"):
		return fmt.Sprintf("%s, operation %d is %s", ib.Lookup(p.Op).Name, o.k, op.Op)
	}
	return ""
}

// unsent names an operation that ended with success by the sidecar and was not sent, or not to its end.
func (o *operations) unsent() (op *Op, text string) {
	if o.over {
		return nil, ""
	}
	if o.open && o.list[o.k].succeeded() {
		return &o.list[o.k], fmt.Sprintf("operation %d, %s, ended with success, and its last packet was not sent", o.k,
			o.list[o.k].Op)
	}
	if o.next < len(o.list) && o.list[o.next].succeeded() {
		return &o.list[o.next], fmt.Sprintf("operation %d, %s, ended with success and was not sent", o.next,
			o.list[o.next].Op)
	}
	return nil, ""
}

// succeeded is false where nobody told.
func (op *Op) succeeded() bool { return op.known() && op.Status != nil && *op.Status == 0 }

// known reports whether an operation is one whose packets are known.
func (op *Op) known() bool {
	switch op.Op {
	case "SEND", "SEND_IMM", "SEND_INV", "WRITE", "WRITE_IMM", "READ", "CAS", "FAA":
		return true
	}
	return false
}

// verbNames are the verbs as sidecars name them.
var verbNames = map[roce.Verb]string{roce.Send: "SEND", roce.Write: "WRITE", roce.Read: "READ", roce.CmpSwap: "CAS",
	roce.FetchAdd: "FAA"}
