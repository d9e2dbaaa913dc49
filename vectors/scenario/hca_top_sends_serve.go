package scenario

import (
	"slices"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/wire"
)

// serve has peers ask for something: the device answers beside its own requests.
func (s *hcaTopSender) serve() {
	reads := 0
	for _, qpn := range hcaTxQPs {
		for range s.h.r.Below(4) {
			if s.ways[qpn].live && s.h.len()+hcaTxReserve < s.h.length {
				s.request(qpn, &reads)
			}
		}
	}
}

// request is a request to a QP.
func (s *hcaTopSender) request(qpn uint32, reads *int) {
	r := s.h.r
	spec := wire.Spec{Opcode: ib.Join(ib.RC, ib.WriteOnly), PSN: s.due[qpn], AckReq: !r.OneIn(3), VA: hcaTopVA,
		RKey: hcaTopKey, TClass: [...]uint8{0, 0, 1, 3}[r.Below(4)]}
	why := "a request: WRITE"
	switch r.Below(6) {
	case 0:
		spec.Opcode, why = ib.Join(ib.RC, ib.SendOnly), "a request: SEND, no WQE"
		s.frame(qpn, &spec, nil, why)
		return
	case 1, 2, 3:
		if *reads++; *reads <= hcaTopSendsReads && s.pieces < hcaRxFive.pieces {
			s.read(qpn, &spec)
			return
		}
	}
	if r.OneIn(2) && s.stored < hcaTopSendsStored-1 && !s.isSilent(qpn) { // one may fail
		s.store(qpn, &spec)
		return
	}
	s.due[qpn] = s.due[qpn].Add(1)
	s.frame(qpn, &spec, nil, why)
}

// store is a WRITE of some bytes, and memory's word that it has them.
func (s *hcaTopSender) store(qpn uint32, spec *wire.Spec) {
	r := s.h.r
	n := 1 + r.Below(hca.ReadPieceBytes)
	spec.DMALen = uint32(n)
	spec.VA += uint64(r.Below(hcaTopRegion - n + 1))
	s.due[qpn] = s.due[qpn].Add(1)
	s.stores(qpn, spec, n, hca.DMAAck{}, s.later+uint64(r.Below(hcaTopSendsRest/2)), "acknowledged")
}

// stores is a WRITE of n bytes, and memory's word so many clocks later.
func (s *hcaTopSender) stores(qpn uint32, spec *wire.Spec, n int, a hca.DMAAck, late uint64, why string) {
	a.Tag = uint8(int(s.h.e.Number)*hcaTopSendsStored + s.stored)
	// Its place is in front of the frame, so that the run may be cut anywhere: READs wait for it.
	s.add(hcaTopMove{hcaTopAcks, s.h.time() + late, -1, a.Append(nil), why, late - s.later})
	s.frame(qpn, spec, slices.Clone(s.h.g.payload(s.h.r, n)), "a request: WRITE of some bytes")
	s.stored++
}

// storesMeet has a peer write what memory takes, or fails, in the clock in which it tells of a response.
func (s *hcaTopSender) storesMeet(late int, fails bool) {
	switch {
	case s.beside != 0:
		s.storeBeside(late)
	case fails:
		s.storeFails(late)
	}
}

// storeFails has a WRITE of a peer fail in the clock in which one fails that a response has brought (DMA-5): the two
// memories tell of different QPs. From then on that side of its QP is in error, and is asked for nothing (hca_top.md).
func (s *hcaTopSender) storeFails(late int) {
	h := s.h
	if h.tardy > 0 || s.stored >= hcaTopSendsStored || h.len()+hcaTxReserve >= h.length {
		return
	}
	first := h.r.Below(len(h.peers))
	for i := range h.peers {
		p := &h.peers[(first+i)%len(h.peers)]
		if p.silent() || p.qpn == hcaTxFiller || !s.ways[p.qpn].live || s.asked[p.qpn] {
			continue
		}
		spec := wire.Spec{Opcode: ib.Join(ib.RC, ib.WriteOnly), PSN: s.due[p.qpn], AckReq: true, VA: hcaTopVA,
			RKey: hcaTopKey, DMALen: 1}
		s.due[p.qpn] = s.due[p.qpn].Add(1)
		s.stores(p.qpn, &spec, 1, hca.DMAAck{Error: true}, uint64(late), "acknowledged: error")
		s.ways[p.qpn] = hcaTopWay{encap: s.ways[p.qpn].encap}
		return
	}
}

// read is a READ of a piece, and what memory gives.
func (s *hcaTopSender) read(qpn uint32, spec *wire.Spec) {
	if s.isSilent(qpn) {
		return
	}
	r := s.h.r
	n := 1 + r.Below(hca.ReadPieceBytes)
	spec.Opcode, spec.DMALen = ib.Join(ib.RC, ib.ReadRequest), uint32(n)
	spec.VA += uint64(hca.ReadPieceBytes * r.Below(hcaTopRegion/hca.ReadPieceBytes))
	s.due[qpn] = s.due[qpn].Add(1)
	s.frame(qpn, spec, nil, "a request: READ")
	user := hca.ReadUser(uint8(s.pieces), false)
	at := s.h.time() + uint64(r.Below(hcaTopReadLate))
	s.add(hcaTopMove{hcaTopRead, at, int(user), slices.Clone(s.h.g.payload(r, n)), "memory gives", 0})
	s.pieces++
	s.bytes += 2*n + 128
}

// isSilent reports whether a QP is not of RC.
func (s *hcaTopSender) isSilent(qpn uint32) bool {
	for i := range s.h.peers {
		if p := &s.h.peers[i]; p.qpn == qpn {
			return p.silent()
		}
	}
	return false
}
