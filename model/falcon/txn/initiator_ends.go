package txn

import (
	"hcacosim/model/falcon"
	"hcacosim/model/falcon/wire"
)

// Decides FAL-T11, FAL-T18 and FAL-T19.

// DataVerdict is what becomes of Pull Data.
type DataVerdict uint8

const (
	DataTaken       DataVerdict = iota
	DataUnasked                 // no pull of its RSN is outstanding
	DataWrongLength             // dropped
	DataTooLong                 // dropped, and the pull ended
)

// PullData takes Pull Data of so many bytes (FAL-T11).
func (i *Initiator) PullData(rsn, length uint32, out *Batch) DataVerdict {
	e := i.at(rsn)
	if e == nil || e.ended || e.state != PullReqTx && e.state != PullReqAckd {
		return DataUnasked
	}
	switch {
	case length > e.length:
		i.end(rsn, e, wire.CompletionOperationError, 0, out)
		return DataTooLong
	case length < e.length && length != 0 && !i.cfg.Mode.ShortPullData:
		return DataWrongLength
	}
	if i.cfg.Mode.PullDataAcks {
		i.freeTx(e)
	}
	e.state, e.got = PullDataRx, length
	i.end(rsn, e, wire.CompletionAck, 0, out)
	return DataTaken
}

// fromNack are the completions that follow from a NACK of a request (FAL-T15); of other codes none does.
var fromNack = map[wire.NackCode]wire.Completion{
	wire.NackXlr:        wire.CompletionRemoteError,
	wire.NackCIE:        wire.CompletionTargetCIE,
	wire.NackNRE:        wire.CompletionTargetNRE,
	wire.NackInvalidCID: wire.CompletionTargetCID,
}

// Nacked takes the NACK of a request (FAL-T15). Those for resources and RNR are packet delivery's alone.
func (i *Initiator) Nacked(rsn uint32, code wire.NackCode, ulpCode uint8, out *Batch) {
	if c, ends := fromNack[code]; ends {
		i.fail(rsn, c, ulpCode, out)
	}
}

// fail ends a transaction whose packet has left, once, and reports whether it did.
func (i *Initiator) fail(rsn uint32, c wire.Completion, ulpCode uint8, out *Batch) bool {
	e := i.at(rsn)
	if e == nil || e.ended || e.state == PullReqUlpRx || e.state == PushReqUlpRx {
		return false
	}
	i.end(rsn, e, c, ulpCode, out)
	return true
}

// Error is what ends a transaction at its initiator beside NACKs and Pull Data (FAL-T18).
type Error uint8

const (
	TimedOut  Error = iota // the transaction took too long
	LocalXlr               // the local xLR filter dropped its packet
	Exhausted              // packet delivery gave its packet up and sends a Resync
	RemoteEnd              // a Resync came in place of Pull Data (FAL-T17)
)

// endings are the completion of each Error, and the Resync that is to take the packet's place, 0 where packet delivery
// has done so.
var endings = [...]struct {
	code   wire.Completion
	resync wire.ResyncCode
}{
	TimedOut:  {wire.CompletionLocalTimeout, wire.ResyncTimeout},
	LocalXlr:  {wire.CompletionLocalXlr, wire.ResyncLocalXlr},
	Exhausted: {code: wire.CompletionLocalTimeout},
	RemoteEnd: {code: wire.CompletionRemoteError},
}

// Fail ends the transaction of an RSN (FAL-T18), and reports whether it was one that could end so.
func (i *Initiator) Fail(rsn uint32, why Error, out *Batch) bool {
	e := i.at(rsn)
	if e == nil || why == RemoteEnd && e.kind != falcon.PullRequest {
		return false
	}
	kind, replace := e.kind, e.holdsTx && endings[why].resync != 0
	if !i.fail(rsn, endings[why].code, 0, out) {
		return false
	}
	if replace {
		*out = append(*out, Event{What: Replace, Kind: kind, RSN: rsn, Resync: endings[why].resync})
	}
	return true
}

// Kill ends everything: the connection is dead (FAL-T19).
func (i *Initiator) Kill(out *Batch) {
	i.dead = true
	for rsn := i.base; rsn != i.nrsn; rsn++ {
		e := i.at(rsn)
		i.freeTx(e)
		if !e.ended {
			e.ended, e.code = true, wire.CompletionDeadConnection
		}
		if !e.complete {
			i.complete(rsn, e, out)
		}
	}
	i.brsn = i.nrsn
	i.forget()
}
