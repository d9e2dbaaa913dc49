package hca

import (
	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
)

// HcaRxOp is an operation at s_op of hca_rx: a record of the block's s_rec.
type HcaRxOp struct {
	To     HcaRxTarget
	Record []byte
	Why    string // in a few words
}

// HcaRxStampBits is StampWidth of cnp_gen in hca_rx.
const HcaRxStampBits = 24

// HcaRxOpBytes is the size of a record at s_op of hca_rx: 568 bits, four of them the target.
const (
	HcaRxOpBytes    = 71
	hcaRxTargetBits = 4
)

// Append appends the record at s_op: the target in four bits, then the block's record.
func (o *HcaRxOp) Append(b []byte) []byte {
	at := len(b)
	b = append(b, make([]byte, HcaRxOpBytes)...)
	to := b[at:]
	for i, v := range o.Record {
		to[i] |= v << hcaRxTargetBits
		if i+1 < len(to) {
			to[i+1] |= v >> (8 - hcaRxTargetBits)
		}
	}
	to[0] |= byte(o.To)
	return b
}

// HcaRxQP is a queue pair as hca_rx is set up for it, alone at its port.
type HcaRxQP struct {
	QPN, PeerQPN    uint32
	Responder       roce.ResponderConfig // service, PMTU, first PSN, READs, access, RNR timer, keys
	Own, Peer       roce.Address         // as RSP-14 has them, IPv4 mapped
	OwnMAC, PeerMAC [6]byte
	PKey            uint16
	Receive         ReceiveSide
	HopLimit        uint8
}

// Operations set the port and the queue pair up, keys first.
func (q *HcaRxQP) Operations() (list []HcaRxOp) {
	add := func(to HcaRxTarget, record []byte, why string) { list = append(list, HcaRxOp{to, record, why}) }
	own := AckQuery{Op: AckOwn, MAC: q.OwnMAC}
	add(ToAnswers, own.Append(nil), "own MAC")
	address := ClassifyQuery{Op: ClassifyAddress, Src: q.Own}
	add(ToClassify, address.Append(nil), "own address")
	pkey := ClassifyQuery{Op: ClassifyPKey, PKey: q.PKey}
	add(ToClassify, pkey.Append(nil), "P_Key")
	for _, r := range q.Responder.Regions {
		if r.RKey == 0 {
			continue
		}
		key := MRQuery{Op: MRSet, RKey: r.RKey, PD: q.Receive.PD, VA: r.VA, Length: r.Len, Base: r.VA, Window: r.Window,
			Need: needOf(r.Access)}
		add(ToKeys, key.Append(nil), "key")
	}
	resp := RespQuery{Op: RespReset, QPN: q.QPN}
	add(ToVerdict, resp.Append(nil), "reset")
	resp = q.verdict()
	add(ToVerdict, resp.Append(nil), "set")
	resp.Op = RespReady
	add(ToVerdict, resp.Append(nil), "ready")
	replay := ReplayQuery{Op: ReplaySet, QPN: q.QPN, PMTU: resp.PMTU, Depth: min(resp.MaxReads, HcaRxReplaySlots)}
	add(ToReplay, replay.Append(nil), "it keeps nothing")
	message := MsgQuery{Op: MsgClear, QPN: q.QPN}
	add(ToMessages, message.Append(nil), "no message is open")
	queue := RQQuery{Op: RQClear, Queue: q.Receive.Queue}
	add(ToReceiveQueues, queue.Append(nil), "its receive queue is empty")
	queue = RQQuery{Op: RQRelease, QPN: q.QPN}
	add(ToReceiveQueues, queue.Append(nil), "it holds no WQE")
	clear := DMACommand{Clear: true, DMACompletion: DMACompletion{QPN: q.QPN}}
	add(ToMemory, clear.Append(nil), "what failed is forgotten")
	set := q.admission()
	add(ToClassify, set.Append(nil), "set a QP")
	cnp := CNPQuery{Op: CNPSet, QPN: q.QPN, PeerQPN: q.PeerQPN}
	add(ToNotify, cnp.Append(nil), "whom its CNPs go to")
	ack := AckQuery{Op: AckSet, QPN: q.QPN, PeerQPN: q.PeerQPN, HopLimit: q.HopLimit, MAC: q.PeerMAC}
	add(ToAnswers, ack.Append(nil), "set its way back")
	return list
}

// Failure has the queue pair in error: nothing of it is executed from then on, nor answered (RSP-15).
func (q *HcaRxQP) Failure() []HcaRxOp {
	dead := q.admission()
	dead.Live = false
	broken := RespQuery{Op: RespError, QPN: q.QPN}
	return []HcaRxOp{{ToClassify, dead.Append(nil), "not live"}, {ToVerdict, broken.Append(nil), "in error"}}
}

// Removal takes the queue pair and its keys away.
func (q *HcaRxQP) Removal() (list []HcaRxOp) {
	gone := ClassifyQuery{Op: ClassifyRemove, DestQP: q.QPN}
	list = append(list, HcaRxOp{ToClassify, gone.Append(nil), "remove a QP"})
	for _, r := range q.Responder.Regions {
		if r.RKey != 0 {
			key := MRQuery{Op: MRRemove, RKey: r.RKey}
			list = append(list, HcaRxOp{ToKeys, key.Append(nil), "remove a key"})
		}
	}
	return list
}

// Post posts a receive WQE to the queue pair's queue.
func (q *HcaRxQP) Post(w ReceiveWQE) HcaRxOp {
	post := RQQuery{Op: RQPost, Queue: q.Receive.Queue, ReceiveWQE: w}
	return HcaRxOp{ToReceiveQueues, post.Append(nil), "a receive WQE"}
}

// admission is how rx_classify is set.
func (q *HcaRxQP) admission() ClassifyQuery {
	set := ClassifyQuery{Op: ClassifySet, DestQP: q.QPN, Live: true, Service: q.verdict().Service, Src: q.Peer,
		ReceiveSide: q.Receive}
	set.QKey = q.Responder.QKey
	return set
}

// Verdict is how resp_psn_check is set.
func (q *HcaRxQP) Verdict() RespQuery { return q.verdict() }

// verdict is how resp_psn_check is set.
func (q *HcaRxQP) verdict() RespQuery {
	c := &q.Responder
	r := RespQuery{Op: RespSet, QPN: q.QPN, PSN: c.StartPSN, MaxReads: c.MaxReads, RNRTimer: c.RNRTimer,
		Profile: respProfileOf(&c.Profile)}
	for size := c.PMTUBytes; size > 128; size /= 2 {
		r.PMTU++
	}
	switch c.Service {
	case ib.UC:
		r.Service = RespUC
	case ib.UD:
		r.Service = RespUD
	}
	for access, bit := range map[roce.Access]uint8{roce.RemoteWrite: RespEnableWrite, roce.RemoteRead: RespEnableRead,
		roce.RemoteAtomic: RespEnableAtomic} {
		if c.Access&access != 0 {
			r.Enabled |= bit
		}
	}
	r.FlushEnabled = needOf(c.Access) >> 3
	return r
}

// needOf is access as mr_lookup has it.
func needOf(a roce.Access) (need uint8) {
	for i, bit := range []roce.Access{roce.RemoteWrite, roce.RemoteRead, roce.RemoteAtomic, roce.FlushGlobal,
		roce.FlushPersistent} {
		if a&bit != 0 {
			need |= 1 << i
		}
	}
	return need
}

// respProfileOf is what of a profile is configuration of resp_psn_check.
func respProfileOf(p *roce.Profile) (r RespProfile) {
	for i, is := range []bool{p.DupKeepsNAK, p.NakWhileRNR, p.DupAckByAckReq, p.LengthBeforeRKey, p.TooLongIsRemoteOp,
		p.RoomUnchecked, p.StrayPayloadTaken, p.FlushUnchecked} {
		if is {
			r |= 1 << i
		}
	}
	return r
}

// Address is an IP address of 4 or 16 bytes as rx_classify has it.
func Address(ip []byte) roce.Address {
	if len(ip) == 4 {
		return roce.Address(wire.FromIPv4(ip[0], ip[1], ip[2], ip[3]))
	}
	return wideAddress(ip)
}

// AppendHcaRxOp appends the record of s_op that gives a block its operation.
func AppendHcaRxOp(b []byte, target HcaRxTarget, record []byte) []byte {
	o := HcaRxOp{To: target, Record: record}
	return o.Append(b)
}
