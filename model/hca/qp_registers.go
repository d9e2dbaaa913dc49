package hca

import (
	"encoding/binary"

	"hcacosim/model/psn"
)

// Addresses of the registers of qp_ctl. rtl/ctx/qp_ctl.regs.yaml is the map; a test of rtl/regs holds this model to it.
const (
	qpcID       = 0x000
	qpcStatus   = 0x004
	qpcCommand  = 0x008
	qpcSelect   = 0x00C
	qpcFlow     = 0x010
	qpcArg      = 0x020
	qpcCfg      = 0x100
	qpcState    = 0x13C
	qpcCounters = 0x800
	qpcEnd      = 0xA00
	qpcIs       = 0x51504331
	qpcArgs     = 8
	qpcCfgWords = 15
)

// qpcCfgBits are the bits that each configuration word has.
var qpcCfgBits = [qpcCfgWords]uint32{0x7FFFFFFF, 1<<32 - 1, 1<<32 - 1, 0x00FF07FF, 1<<32 - 1, 1<<32 - 1, 1<<32 - 1,
	1<<32 - 1, 1<<32 - 1, 0xFFFF, 0x01FFFFFF, 0x00FFFFFF, 1<<32 - 1, 1<<32 - 1, 0xFFFF0FFF}

// QPState is where a QP of qp_ctl is.
type QPState uint8

// The states.
const (
	QPReset QPState = iota
	QPInit
	QPRTR
	QPError
	QPClosing
	QPRTS
	QPSQD
	QPSQE
)

// QPCtlResult is how a command ended.
type QPCtlResult uint8

// The results.
const (
	QPCtlDone QPCtlResult = iota
	QPCtlState
	QPCtlNumber
	QPCtlBusy
	QPCtlUnknown
)

// QPRegisters is what qp_ctl knows.
type QPRegisters struct {
	numQPs     uint32
	counterLow uint // bits of a counter in COUNTER_LOW; the others are in COUNTER_HIGH
	counterAll uint
	result     QPCtlResult
	refused    bool
	qpn        uint32
	arg        [qpcArgs]uint32
	qps        map[uint32]*qpWords // by index
	flow       qpFlow
	counts     [64]uint64
	high       uint32
	bytes      chunks // of operations
}

// room is for an operation of a block: more than most have.
func (s *QPRegisters) room() []byte { return s.bytes.room(64) }

// qpWords is a QP as it is configured.
type qpWords struct {
	cfg    [qpcCfgWords]uint32
	state  QPState
	number uint32
}

// qpFlow is what is under way, and how far the QP that is closing has come.
type qpFlow struct {
	entered, left uint64
	closing       bool
	from          uint64 // the first cycle in which it may hear that it is closed
	closed        bool
	mark          uint64
}

func (f *qpFlow) drained() bool { return f.closing && f.closed && f.left >= f.mark }

// behindReset are the registers as a reset leaves them.
func (s *QPRegisters) behindReset() QPRegisters {
	return QPRegisters{numQPs: s.numQPs, counterLow: s.counterLow, counterAll: s.counterAll}
}

// Happens takes an event that was accepted in a cycle.
func (s *QPRegisters) Happens(e *QPCtlEvent, cycle uint64) {
	f := &s.flow
	if e.Enters {
		f.entered++
	}
	if e.Leaves {
		f.left++
	}
	if e.Closed && f.closing && !f.closed && cycle >= f.from {
		f.closed, f.mark = true, f.entered
	}
	if e.Counts {
		s.counts[e.Reason] = (s.counts[e.Reason] + 1) & (1<<s.counterAll - 1)
	}
}

// selected are the words of the QP that is selected.
func (s *QPRegisters) selected() *qpWords {
	if s.qps == nil {
		s.qps = map[uint32]*qpWords{}
	}
	w := s.qps[s.qpn%s.numQPs]
	if w == nil {
		w = new(qpWords)
		s.qps[s.qpn%s.numQPs] = w
	}
	return w
}

// Do does an access that was accepted in a cycle: its answer, and the operations that leave.
func (s *QPRegisters) Do(a *QPCtlAccess, cycle uint64) (QPCtlAnswer, []QPCtlOp) {
	at := uint32(a.Address) &^ 3
	if !qpcHas(at) {
		return QPCtlAnswer{Write: a.Write, Resp: QPCtlSlvErr}, nil
	}
	if !a.Write {
		return QPCtlAnswer{Data: s.read(at)}, nil
	}
	answer := QPCtlAnswer{Write: true}
	switch {
	case at == qpcStatus && a.Strobe&2 != 0 && a.Data&0x100 != 0:
		s.refused = false
	case at == qpcCommand && a.Strobe&1 != 0:
		var ops []QPCtlOp
		s.result, ops = s.command(QPCommand(a.Data&31), cycle)
		return answer, ops
	case at == qpcSelect:
		s.qpn = a.into(s.qpn) & 0xFFFFFF
	case at >= qpcArg && at < qpcArg+4*qpcArgs:
		n := (at - qpcArg) / 4
		s.arg[n] = a.into(s.arg[n])
	case at >= qpcCfg && at < qpcCfg+4*qpcCfgWords:
		w, n := s.selected(), (at-qpcCfg)/4
		if w.state != QPReset {
			s.refused = true
			answer.Resp = QPCtlSlvErr
			break
		}
		w.cfg[n] = a.into(w.cfg[n]) & qpcCfgBits[n]
	}
	return answer, nil
}

// into is a word with the bytes that are written.
func (a *QPCtlAccess) into(old uint32) uint32 {
	var to, from [4]byte
	binary.LittleEndian.PutUint32(to[:], old)
	binary.LittleEndian.PutUint32(from[:], a.Data)
	for i := range to {
		if a.Strobe>>i&1 == 1 {
			to[i] = from[i]
		}
	}
	return binary.LittleEndian.Uint32(to[:])
}

// qpcHas reports whether there is a register at an address.
func qpcHas(at uint32) bool {
	return at <= qpcFlow || at >= qpcArg && at < qpcArg+4*qpcArgs || at >= qpcCfg && at < qpcCfg+4*qpcCfgWords ||
		at == qpcState || at >= qpcCounters && at < qpcEnd
}

func (s *QPRegisters) read(at uint32) uint32 {
	switch {
	case at == qpcID:
		return qpcIs
	case at == qpcStatus:
		return uint32(s.result) | flagBit(s.refused)<<8
	case at == qpcSelect:
		return s.qpn
	case at == qpcFlow:
		return uint32(s.flow.entered-s.flow.left)&0xFFFF | flagBit(s.flow.closing)<<16 | flagBit(s.flow.drained())<<17
	case at >= qpcCounters:
		n := (at - qpcCounters) / 8
		if at&4 != 0 {
			return s.high
		}
		s.high = uint32(s.counts[n] >> s.counterLow)
		return uint32(s.counts[n] & (1<<s.counterLow - 1))
	case at == qpcState:
		w := s.selected()
		return uint32(w.state) | w.number<<8
	case at >= qpcCfg:
		return s.selected().cfg[(at-qpcCfg)/4]
	case at >= qpcArg:
		return s.arg[(at-qpcArg)/4]
	}
	return 0
}

func flagBit(v bool) uint32 {
	if v {
		return 1
	}
	return 0
}

// service, PMTU and all else of the configuration words, as docs/blocks/qp_ctl.md lays them out.
func (w *qpWords) bits(word, high, low int) uint32 {
	return w.cfg[word] << (31 - high) >> (31 - high + low)
}

func (w *qpWords) psn() psn.PSN { return psn.PSN(w.bits(1, 23, 0)) }
