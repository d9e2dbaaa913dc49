package hca

import (
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// Targets of qp_ctl that are blocks of hca_tx.
const (
	QPCtlToCheck QPCtlTarget = 9 + iota
	QPCtlToRetry
	QPCtlToSendQueues
	QPCtlToPackets
	QPCtlToTurns
	QPCtlToFrames
	QPCtlToRate
)

// senderOps are the operations of a command of a QP for the transmit side; from is where the QP was.
func (s *QPRegisters) senderOps(c QPCommand, w *qpWords, from QPState) []QPCtlOp {
	sends := from == QPRTS || from == QPSQD
	switch {
	case c == QPCommandRTS && from != QPSQD:
		return []QPCtlOp{s.setCheck(w), s.setRetry(w), s.setPackets(w), s.clearSends(w), s.setWay(w), s.setRate(w),
			s.setTurns(w)}
	case c == QPCommandRTS:
		return []QPCtlOp{s.packets(TxResume)}
	case c == QPCommandSQD:
		return []QPCtlOp{s.packets(TxDrain)}
	case c == QPCommandFree:
		return []QPCtlOp{s.clearSends(w), {QPCtlToTurns, (&SchedRecord{QPN: s.qpn, Op: SchedRemove}).Append(s.room())},
			{QPCtlToRate, (&RateQuery{QPN: s.qpn, Op: RateRemove}).Append(s.room())}}
	case sends: // ERROR, CLOSE, SQE
		flush := SQRecord{QPN: s.qpn, Op: SQVerdict, Fail: true, Status: roce.Flushed}
		return []QPCtlOp{{QPCtlToCheck, (&ReqRecord{QPN: s.qpn, Op: ReqClose}).Append(s.room())},
			{QPCtlToRetry, (&RetryRecord{QPN: s.qpn, Op: RetryClose}).Append(s.room())}, s.packets(TxClose),
			{QPCtlToSendQueues, flush.Append(s.room())}}
	}
	return nil
}

// sendPSN is the PSN of the first request.
func (w *qpWords) sendPSN() psn.PSN { return psn.PSN(w.bits(12, 23, 0)) }

func (s *QPRegisters) setCheck(w *qpWords) QPCtlOp {
	r := ReqRecord{QPN: s.qpn, Op: ReqConfigure, PSN: w.sendPSN(), PMTU: uint8(w.bits(1, 31, 29)),
		MaxReads: uint8(w.bits(13, 31, 27)), Profile: uint8(w.bits(14, 5, 0))}
	return QPCtlOp{QPCtlToCheck, r.Append(s.room())}
}

func (s *QPRegisters) setRetry(w *qpWords) QPCtlOp {
	r := RetryRecord{QPN: s.qpn, Op: RetryConfigure, Una: w.sendPSN(), Code: uint8(w.bits(12, 28, 24)),
		RetryCnt: uint8(w.bits(12, 31, 29)), RNRRetry: uint8(w.bits(13, 26, 24)), AnyAnswer: w.bits(14, 5, 5) == 1}
	return QPCtlOp{QPCtlToRetry, r.Append(s.room())}
}

func (s *QPRegisters) setPackets(w *qpWords) QPCtlOp {
	r := TxRecord{QPN: s.qpn, Op: TxConfigure, Una: w.sendPSN(), PMTU: uint8(w.bits(1, 31, 29)),
		MaxReads: uint8(w.bits(13, 31, 27)), Window: w.bits(13, 23, 0), Service: uint8(w.bits(0, 25, 24)),
		Unlimited: w.bits(14, 4, 4) == 0, WholeRead: w.bits(14, 6, 6) == 1, Restart: w.bits(14, 7, 7) == 1}
	return QPCtlOp{QPCtlToPackets, r.Append(s.room())}
}

func (s *QPRegisters) packets(op TxOp) QPCtlOp {
	return QPCtlOp{QPCtlToPackets, (&TxRecord{QPN: s.qpn, Op: op}).Append(s.room())}
}

func (s *QPRegisters) clearSends(w *qpWords) QPCtlOp {
	return QPCtlOp{QPCtlToSendQueues, (&SQRecord{QPN: s.qpn, Op: SQClear, Slot: uint8(w.bits(1, 31, 29)),
		Una: w.sendPSN()}).Append(s.room())}
}

func (s *QPRegisters) setRate(w *qpWords) QPCtlOp {
	return QPCtlOp{QPCtlToRate, (&RateQuery{QPN: s.qpn, Op: RateSet, Pace: uint16(w.bits(14, 31, 16))}).Append(s.room())}
}

// setLaw is the law of pacing, for all QPs.
func (s *QPRegisters) setLaw() QPCtlOp {
	a := &s.arg
	q := RateQuery{Op: RateLaw, Period: a[0], Forget: a[1], Cut: uint8(a[2]), Raise: uint8(a[2] >> 8),
		Pace: uint16(a[2] >> 16)}
	return QPCtlOp{QPCtlToRate, q.Append(s.room())}
}

func (s *QPRegisters) setTurns(w *qpWords) QPCtlOp {
	q := SchedRecord{QPN: s.qpn, Op: SchedSet, Weight: uint8(w.bits(14, 11, 8))}
	return QPCtlOp{QPCtlToTurns, q.Append(s.room())}
}

// setWay is where a QP's frames go: what the QP itself does not say stands in ARG.
func (s *QPRegisters) setWay(w *qpWords) QPCtlOp {
	a := &s.arg
	way := FrameWay{WayBack: WayBack{Encap: wire.Encap(a[1] & 7), Tags: uint8(a[1] >> 3 & 3),
		VLAN: [2]uint32{a[2], a[3]}, SL: uint8(a[1] >> 16 & 15), TClass: uint8(a[1] >> 8), UDPSrcPort: uint16(a[0] >> 16),
		Src: addressOf(a[4:]), Dst: addressOf(w.cfg[4:8])}, PKey: uint16(a[0]), PeerQPN: w.bits(0, 23, 0),
		MAC: macOf(w.cfg[9], w.cfg[8]), HopLimit: uint8(w.bits(3, 23, 16))}
	return QPCtlOp{QPCtlToFrames, appendWay(FrameSet, s.qpn, &way)}
}

func (s *QPRegisters) ownMAC() QPCtlOp {
	return QPCtlOp{QPCtlToFrames, appendWay(FrameOwn, 0, &FrameWay{MAC: macOf(s.arg[1], s.arg[0])})}
}

// appendWay is an operation of tx_frame without what only packets have: op, QP, way.
func appendWay(op FrameOp, qpn uint32, way *FrameWay) []byte {
	l := sim.WriteLayout(nil)
	sim.Field(&l, &op, 3)
	sim.Field(&l, &qpn, 24)
	way.layout(&l)
	return l.End()
}
