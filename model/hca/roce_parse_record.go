package hca

import (
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// headerRecord is a record on m_hdr of roce_parse: the fields in the order of the document, where it has them in bytes.
type headerRecord struct {
	reason     wire.Reason
	encap      wire.Encap
	cut, short bool
	tags       uint8
	flags      [5]bool // SE, MigReq, FECN, BECN, AckReq
	opcode     ib.Opcode
	pad, tver  uint8
	flushSel   uint8
	flushPLT   uint8
	sl         uint8
	pkey       uint16
	destQP     uint32
	psn        psn.PSN
	payload    uint16
	port       uint16
	tclass     uint8
	slid, dlid uint16
	vlans      [2][4]byte
	src, dst   [16]byte
	extensions [len(extensionFields)]uint64
}

func (r *headerRecord) layout(l *sim.Layout) {
	sim.Field(l, &r.reason, 4)
	sim.Field(l, &r.encap, 3)
	l.Flag(&r.cut)
	l.Flag(&r.short)
	sim.Field(l, &r.tags, 2)
	for i := range r.flags {
		l.Flag(&r.flags[i])
	}
	sim.Field(l, &r.opcode, 8)
	sim.Field(l, &r.pad, 2)
	sim.Field(l, &r.tver, 4)
	sim.Field(l, &r.flushSel, 2)
	sim.Field(l, &r.flushPLT, 4)
	sim.Field(l, &r.sl, 4)
	sim.Field(l, &r.pkey, 16)
	sim.Field(l, &r.destQP, 24)
	sim.Field(l, &r.psn, psn.Bits)
	sim.Field(l, &r.payload, 16)
	sim.Field(l, &r.port, 16)
	sim.Field(l, &r.tclass, 8)
	sim.Field(l, &r.slid, 16)
	sim.Field(l, &r.dlid, 16)
	l.Number(r.vlans[0][:])
	l.Number(r.vlans[1][:])
	l.Number(r.src[:])
	l.Number(r.dst[:])
	for i := range r.extensions {
		l.Long(&r.extensions[i], uint(extensionFields[i][0].Bits()))
	}
}

var headerForm = sim.FormOf((*headerRecord).layout)
