package hca

import (
	"hcacosim/model/ib"
	"hcacosim/model/roce"
)

// txShape is what a WQE is as packets, by its record and by what its QP was configured with.
type txShape struct {
	impossible bool
	local      bool
	cut        bool // SEND and WRITE: packets of PMTU bytes
	limited    bool // needs a credit (CRD-2)
	packets    uint64
	pmtu       uint64 // bytes
	kind       roce.ReqKind
}

// txShapeOf says what the WQE of a packet's record is (PSN-4, LEN-1).
func txShapeOf(r *TxRecord, service, pmtu uint8) txShape {
	s := txShape{pmtu: 128 << pmtu, packets: 1, local: r.Verb == ib.VerbBind || r.Verb == ib.VerbLocalInvalidate}
	switch r.Verb {
	case ib.VerbSend:
		s.cut, s.limited, s.kind = true, true, roce.ReqLimited
	case ib.VerbWrite:
		s.cut, s.limited = true, r.Immediate
		if s.limited {
			s.kind = roce.ReqLimited
		}
	case ib.VerbRead, ib.VerbAtomicWrite, ib.VerbFlush:
		s.kind = roce.ReqRead
	case ib.VerbCmpSwap, ib.VerbFetchAdd:
		s.kind = roce.ReqAtomic
	}
	switch {
	case s.local:
		s.packets = 0
	case s.cut || r.Verb == ib.VerbRead:
		s.packets = max(1, (uint64(r.Length)+s.pmtu-1)/s.pmtu)
	}
	s.impossible = txImpossible(r, &s, service)
	return s
}

// txImpossible reports whether no requester of the service has such a WQE.
func txImpossible(r *TxRecord, s *txShape, service uint8) bool {
	switch {
	case r.Verb == ib.NoVerb, r.Verb > ib.VerbLocalInvalidate, r.Length > ib.MaxMessage:
		return true
	case r.Verb == ib.VerbAtomicWrite && r.Length != 8:
		return true
	case r.Invalidate && s.cut && (r.Immediate || r.Verb == ib.VerbWrite || service != TxRC):
		return true
	case service == TxUC:
		return !s.cut
	case service == TxUD:
		return r.Verb != ib.VerbSend || uint64(r.Length) > s.pmtu
	}
	return false
}

// txServices are the services as a configure numbers them.
var txServices = [...]ib.Transport{TxRC: ib.RC, TxUC: ib.UC, TxUD: ib.UD}

// opcode is BTH byte 0 of the packet with an index (OPC-1).
func (s *txShape) opcode(r *TxRecord, service uint8, index uint64) ib.Opcode {
	w := roce.Work{Verb: r.Verb, WithImm: r.Immediate, Invalidate: r.Invalidate}
	return w.Opcode(txServices[service], index == 0, index == s.packets-1)
}
