package hca

import (
	"encoding/binary"

	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

// QPCommand is what a write to COMMAND of qp_ctl asks for.
type QPCommand uint8

// The commands.
const (
	QPCommandInit QPCommand = 1 + iota
	QPCommandRTR
	QPCommandError
	QPCommandClose
	QPCommandFree
	QPCommandKeySet
	QPCommandKeyRemove
	QPCommandAddress
	QPCommandPKey
	QPCommandMAC
	QPCommandPeriod
	QPCommandPost
	QPCommandRTS
	QPCommandSQD
	QPCommandRate
	QPCommandSQE
)

// QPCtlTarget is the block that an operation of qp_ctl goes to.
type QPCtlTarget uint8

// The targets: as hca_rx numbers its blocks, then those of hca_tx.
const (
	QPCtlToClassify QPCtlTarget = iota
	QPCtlToResponder
	QPCtlToKeys
	QPCtlToAnswers
	QPCtlToMessages
	QPCtlToQueues
	QPCtlToMemory
	QPCtlToCNPs
	QPCtlToReplays
)

// QPCtlOp is a record on m_op of qp_ctl: an operation, as its block's s_rec has it.
type QPCtlOp struct {
	To     QPCtlTarget
	Record []byte
}

// QPCtlOpBytes is the size of a record on m_op of qp_ctl: 568 bits.
const QPCtlOpBytes = 71

// Append appends the record as it goes over the port: the target in four bits, then the block's record.
func (o *QPCtlOp) Append(b []byte) []byte {
	l := sim.WriteLayout(b)
	l.Put(uint32(o.To), 4)
	for i := range QPCtlOpBytes {
		var v byte
		if i < len(o.Record) {
			v = o.Record[i]
		}
		if i == QPCtlOpBytes-1 { // 564 bits are 70 bytes and a half
			l.Put(uint32(v), 4)
			break
		}
		l.Put(uint32(v), 8)
	}
	return l.End()
}

// qpMoves are the states from which a command of a QP takes it, and where to.
var qpMoves = map[QPCommand]struct {
	from []QPState
	to   QPState
}{
	QPCommandInit:  {[]QPState{QPReset}, QPInit},
	QPCommandRTR:   {[]QPState{QPInit}, QPRTR},
	QPCommandRTS:   {[]QPState{QPRTR, QPSQD, QPSQE}, QPRTS},
	QPCommandSQD:   {[]QPState{QPRTS}, QPSQD},
	QPCommandSQE:   {[]QPState{QPRTS, QPSQD}, QPSQE},
	QPCommandError: {[]QPState{QPInit, QPRTR, QPRTS, QPSQD, QPSQE}, QPError},
	QPCommandClose: {[]QPState{QPInit, QPRTR, QPRTS, QPSQD, QPSQE, QPError}, QPClosing},
	QPCommandFree:  {[]QPState{QPClosing}, QPReset},
}

// command does a command that was accepted in a cycle.
func (s *QPRegisters) command(c QPCommand, cycle uint64) (QPCtlResult, []QPCtlOp) {
	if c == 0 || c > QPCommandSQE {
		return QPCtlUnknown, nil
	}
	move, ofQP := qpMoves[c]
	if !ofQP {
		return QPCtlDone, s.tableOps(c)
	}
	w := s.selected()
	isFrom := false
	for _, state := range move.from {
		isFrom = isFrom || w.state == state
	}
	switch {
	case !isFrom, c == QPCommandSQE && w.bits(0, 25, 24) == 0: // RC has no such state
		return QPCtlState, nil
	case w.state != QPReset && w.number != s.qpn:
		return QPCtlNumber, nil
	case c == QPCommandClose && s.flow.closing, c == QPCommandFree && !s.flow.drained():
		return QPCtlBusy, nil
	}
	from := w.state
	w.state, w.number = move.to, s.qpn
	switch c {
	case QPCommandClose:
		s.flow.closing, s.flow.closed, s.flow.from = true, false, cycle+QPCtlLatencyCycles
	case QPCommandFree:
		s.flow.closing, w.number = false, 0
	}
	return QPCtlDone, append(s.qpOps(c, w), s.senderOps(c, w, from)...)
}

// qpOps are the operations of a command of a QP, in their order.
func (s *QPRegisters) qpOps(c QPCommand, w *qpWords) []QPCtlOp {
	clearMessage := MsgQuery{Op: MsgClear, QPN: s.qpn}
	release := RQQuery{Op: RQRelease, QPN: s.qpn}
	switch c {
	case QPCommandInit:
		return []QPCtlOp{s.setResponder(w), s.setAnswers(w),
			{QPCtlToCNPs, (&CNPQuery{Op: CNPSet, QPN: s.qpn, PeerQPN: w.bits(0, 23, 0)}).Append(s.room())},
			{QPCtlToMessages, clearMessage.Append(s.room())}, {QPCtlToQueues, release.Append(s.room())},
			s.setReplays(w, uint8(w.bits(1, 28, 24)))}
	case QPCommandRTR:
		return []QPCtlOp{s.responder(RespReady), s.classify(w, true)}
	case QPCommandError:
		return []QPCtlOp{s.classify(w, false), s.responder(RespError)}
	case QPCommandClose:
		return []QPCtlOp{{QPCtlToClassify, (&ClassifyQuery{Op: ClassifyRemove, DestQP: s.qpn}).Append(s.room())}}
	case QPCommandRTS, QPCommandSQD, QPCommandSQE:
		return nil
	}
	ops := []QPCtlOp{s.responder(RespReset), {QPCtlToMessages, clearMessage.Append(s.room())}, {QPCtlToQueues,
		release.Append(s.room())}}
	if w.bits(10, 24, 24) == 0 {
		ops = append(ops, QPCtlOp{QPCtlToQueues, (&RQQuery{Op: RQClear, Queue: w.bits(10, 23, 0)}).Append(s.room())})
	}
	clear := DMACommand{Clear: true, DMACompletion: DMACompletion{QPN: s.qpn}}
	return append(ops, QPCtlOp{QPCtlToCNPs, (&CNPQuery{Op: CNPRemove, QPN: s.qpn}).Append(s.room())},
		s.setReplays(w, 0), QPCtlOp{QPCtlToMemory, clear.Append(s.room())})
}

func (s *QPRegisters) responder(op RespOp) QPCtlOp {
	return QPCtlOp{QPCtlToResponder, (&RespQuery{Op: op, QPN: s.qpn}).Append(s.room())}
}

func (s *QPRegisters) setResponder(w *qpWords) QPCtlOp {
	q := RespQuery{Op: RespSet, QPN: s.qpn, PSN: w.psn(), DMALength: w.bits(2, 23, 0),
		Service: RespService(w.bits(0, 25, 24)), PMTU: uint8(w.bits(1, 31, 29)), MaxReads: uint8(w.bits(1, 28, 24)),
		Enabled: uint8(w.bits(2, 31, 29)), FlushEnabled: uint8(w.bits(3, 9, 8)), RNRTimer: uint8(w.bits(2, 28, 24)),
		Profile: RespProfile(w.bits(3, 7, 0))}
	return QPCtlOp{QPCtlToResponder, q.Append(s.room())}
}

// setReplays has a QP keep nothing, and so many READs and atomics from now on.
func (s *QPRegisters) setReplays(w *qpWords, depth uint8) QPCtlOp {
	q := ReplayQuery{Op: ReplaySet, QPN: s.qpn, PMTU: uint8(w.bits(1, 31, 29)), Depth: depth}
	return QPCtlOp{QPCtlToReplays, q.Append(s.room())}
}

func (s *QPRegisters) setAnswers(w *qpWords) QPCtlOp {
	q := AckQuery{Op: AckSet, QPN: s.qpn, PeerQPN: w.bits(0, 23, 0), MAC: macOf(w.cfg[9], w.cfg[8]),
		HopLimit: uint8(w.bits(3, 23, 16))}
	return QPCtlOp{QPCtlToAnswers, q.Append(s.room())}
}

func (s *QPRegisters) classify(w *qpWords, live bool) QPCtlOp {
	q := ClassifyQuery{Op: ClassifySet, DestQP: s.qpn, Service: RespService(w.bits(0, 25, 24)), Live: live,
		Global: w.bits(0, 26, 26) == 1, Entry: uint8(w.bits(0, 30, 27)), Src: addressOf(w.cfg[4:8]),
		ReceiveSide: ReceiveSide{Queue: w.bits(10, 23, 0), Shared: w.bits(10, 24, 24) == 1, PD: w.bits(11, 23, 0),
			WholeWrite: w.bits(3, 10, 10) == 1}}
	if q.Service == RespUD { // it has no MSN, no RNR NAK, and no operations but SEND
		q.QKey = w.cfg[2]
	}
	return QPCtlOp{QPCtlToClassify, q.Append(s.room())}
}

// tableOps are the operations of a command of the port's tables or of keys.
func (s *QPRegisters) tableOps(c QPCommand) []QPCtlOp {
	if c == QPCommandRate {
		return []QPCtlOp{s.setLaw()}
	}
	ops := []QPCtlOp{s.tableOp(c)}
	if c == QPCommandMAC {
		ops = append(ops, s.ownMAC())
	}
	return ops
}

// tableOp is that of the receive side.
func (s *QPRegisters) tableOp(c QPCommand) QPCtlOp {
	a := &s.arg
	wide := func(n int) uint64 { return uint64(a[n+1])<<32 | uint64(a[n]) }
	switch c {
	case QPCommandKeySet:
		q := MRQuery{Op: MRSet, RKey: a[0], PD: a[1] & 0xFFFFFF, Need: uint8(a[1] >> 24 & 31), Window: a[1]>>29&1 == 1,
			VA: wide(2), Length: wide(4), Base: wide(6)}
		return QPCtlOp{QPCtlToKeys, q.Append(s.room())}
	case QPCommandKeyRemove:
		return QPCtlOp{QPCtlToKeys, (&MRQuery{Op: MRRemove, RKey: a[0]}).Append(s.room())}
	case QPCommandAddress:
		q := ClassifyQuery{Op: ClassifyAddress, Entry: uint8(a[0] & 15), Src: addressOf(a[4:])}
		return QPCtlOp{QPCtlToClassify, q.Append(s.room())}
	case QPCommandPKey:
		q := ClassifyQuery{Op: ClassifyPKey, Entry: uint8(a[0] & 15), PKey: uint16(a[1])}
		return QPCtlOp{QPCtlToClassify, q.Append(s.room())}
	case QPCommandMAC:
		return QPCtlOp{QPCtlToAnswers, (&AckQuery{Op: AckOwn, MAC: macOf(a[1], a[0])}).Append(s.room())}
	case QPCommandPost:
		q := RQQuery{Op: RQPost, Queue: a[0] & 0xFFFFFF, ReceiveWQE: ReceiveWQE{Bytes: a[1], WQE: a[2]}}
		return QPCtlOp{QPCtlToQueues, q.Append(s.room())}
	}
	return QPCtlOp{QPCtlToCNPs, (&CNPQuery{Op: CNPPeriod, Period: a[0]}).Append(s.room())}
}

// macOf is a MAC address of its first two bytes and its last four.
func macOf(high, low uint32) (mac [6]byte) {
	binary.BigEndian.PutUint16(mac[:], uint16(high))
	binary.BigEndian.PutUint32(mac[2:], low)
	return mac
}

// addressOf is an address of four words, the lowest first.
func addressOf(words []uint32) (a roce.Address) {
	for i, w := range words {
		binary.BigEndian.PutUint32(a[12-4*i:], w)
	}
	return a
}
