// Package onwire turns packets as bytes (model/wire) into packets as the transport machines see them (model/roce).
package onwire

import (
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
)

// Take reads the headers of a decoded packet. It is false for a packet that no transport takes: without a BTH,
// malformed, of an unknown opcode, or with a TVer that is not 0.
func Take(w *wire.Packet, p *roce.Packet) bool {
	if w.Op == nil || !takes(w.Bad.Reason) {
		return false
	}
	bth := w.BTH()
	*p = roce.Packet{Op: bth.Opcode(), PSN: psn.PSN(bth.PSN()), AckReq: bth.AckReq(), SE: bth.SE(), Pad: uint8(bth.Pad()),
		Len: uint32(len(w.Payload))}
	has := w.Op.Headers
	if has.Has(ib.RETH) {
		h := w.RETH()
		p.VA, p.RKey, p.DMALen = h.VA(), h.RKey(), h.DMALen()
	}
	if has.Has(ib.AtomicETH) {
		h := w.AtomicETH()
		p.VA, p.RKey, p.SwapAdd, p.Compare = h.VA(), h.RKey(), h.SwapAdd(), h.Compare()
	}
	if has.Has(ib.AETH) {
		h := w.AETH()
		p.Syndrome, p.MSN = h.Syndrome(), h.MSN()
	}
	if has.Has(ib.AtomicAckETH) {
		p.Original = w.AtomicAckETH().Original()
	}
	if has.Has(ib.ImmDt) {
		p.Imm = w.ImmDt().Immediate()
	}
	if has.Has(ib.IETH) {
		p.RKey = w.IETH().RKey()
	}
	if has.Has(ib.FETH) {
		h := w.FETH()
		p.FETH = h.SEL()<<4 | h.PLT()
	}
	if has.Has(ib.XRCETH) {
		p.XRCSRQ = w.XRCETH().XRCSRQ()
	}
	if has.Has(ib.DETH) {
		h := w.DETH()
		p.QKey, p.SrcQP = h.QKey(), h.SrcQP()
	}
	return true
}

// takes reports whether a packet with this finding still reaches a transport: a payload whose length its opcode does
// not allow is the machine's to judge, and bytes behind the end are ignored (END-1).
func takes(r wire.Reason) bool {
	return r == wire.WellFormed || r == wire.PayloadLength || r == wire.Trailer || r == wire.Unaligned
}
