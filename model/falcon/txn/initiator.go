package txn

import (
	"hcacosim/model/falcon"
	"hcacosim/model/falcon/wire"
)

// Decides FAL-T1, FAL-T2, FAL-T4, FAL-T7, FAL-T12.

// InitiatorState is that of a transaction at its initiator (FAL-T2).
type InitiatorState uint8

const (
	NoTransaction InitiatorState = iota
	PullReqUlpRx
	PullReqTx
	PullReqAckd
	PullDataRx
	PullDataUlpTx
	PushReqUlpRx
	PushDataTx
	PushDataAckd
	PushCplTx
)

// initiated is a transaction at its initiator.
type initiated struct {
	state    InitiatorState
	kind     falcon.Kind
	code     wire.Completion
	ulpCode  uint8
	ended    bool // it has its completion
	complete bool // the ULP has it
	holdsTx  bool // its packet is not acknowledged
	length   uint32
	got      uint32 // bytes of Pull Data
}

// Initiator is one end's half of a connection that begins transactions.
type Initiator struct {
	cfg      *Config
	hold     holder
	base     uint32 // the oldest RSN that holds something
	brsn     uint32
	nrsn     uint32
	lastPull uint32
	ring     []initiated
	dead     bool
}

// NewInitiator is an initiator without transactions. It is the only one that allocates.
func NewInitiator(cfg *Config, pools *Pools, credit *Credits) *Initiator {
	return &Initiator{cfg: cfg, hold: holder{pools, credit}, base: cfg.FirstRSN, brsn: cfg.FirstRSN, nrsn: cfg.FirstRSN,
		ring: make([]initiated, cfg.Outstanding)}
}

// at is the transaction of an outstanding RSN, nil where there is none.
func (i *Initiator) at(rsn uint32) *initiated {
	if rsn-i.base >= i.nrsn-i.base {
		return nil
	}
	e := &i.ring[rsn&uint32(len(i.ring)-1)]
	if e.state == NoTransaction {
		return nil
	}
	return e
}

// Posted is what became of a transaction that the ULP handed in.
type Posted uint8

const (
	Accepted  Posted = iota
	UlpWaits         // there are no credits: nothing happened
	UlpFailed        // it completes in error at once
)

// Post takes a push or pull of so many bytes (FAL-T1, FAL-T7). An accepted one goes to the scheduler.
func (i *Initiator) Post(kind falcon.Kind, length uint32, out *Batch) (rsn uint32, p Posted) {
	if i.dead {
		*out = append(*out, Event{What: Complete, Kind: kind, RSN: i.nrsn, Code: wire.CompletionDeadConnection})
		return i.nrsn, UlpFailed
	}
	needs := i.cfg.Needs(kind, length)
	if i.nrsn-i.base >= uint32(len(i.ring)) || !i.hold.take(&needs) {
		if i.cfg.Flow {
			return 0, UlpWaits
		}
		*out = append(*out, Event{What: Complete, Kind: kind, RSN: i.nrsn, Code: wire.CompletionLocalResources})
		return i.nrsn, UlpFailed
	}
	rsn = i.nrsn
	i.nrsn++
	state := PushReqUlpRx
	if kind == falcon.PullRequest {
		state, i.lastPull = PullReqUlpRx, rsn
	}
	i.ring[rsn&uint32(len(i.ring)-1)] = initiated{state: state, kind: kind, length: length, holdsTx: true}
	*out = append(*out, Event{What: Queue, Kind: kind, RSN: i.wireRSN(kind, rsn), Length: length})
	return rsn, Accepted
}

// wireRSN is the RSN that a request leaves with (FAL-T1).
func (i *Initiator) wireRSN(kind falcon.Kind, rsn uint32) uint32 {
	if i.cfg.Mode.PushDataRSNOfPull && kind == falcon.PushData {
		return i.lastPull
	}
	return rsn
}

// Sent notes that the packet of an RSN left for the first time (FAL-T2).
func (i *Initiator) Sent(rsn uint32) {
	e := i.at(rsn)
	switch {
	case e == nil:
	case e.state == PullReqUlpRx:
		e.state = PullReqTx
	case e.state == PushReqUlpRx:
		e.state = PushDataTx
	}
}

// Acked takes the acknowledgement of the packet of an RSN, or of the Resync in its place (FAL-T12).
func (i *Initiator) Acked(rsn uint32, out *Batch) {
	e := i.at(rsn)
	if e == nil {
		return
	}
	i.freeTx(e)
	switch e.state {
	case PullReqTx:
		if !i.cfg.Mode.PullReqAckKeepsState {
			e.state = PullReqAckd
		}
	case PushDataTx:
		e.state = PushDataAckd
		if !e.ended {
			i.end(rsn, e, wire.CompletionAck, 0, out)
			return
		}
	}
	i.forget()
}

// freeTx gives back what the packet held (FAL-T5).
func (i *Initiator) freeTx(e *initiated) {
	if e.holdsTx {
		n := i.cfg.Needs(e.kind, e.length)
		i.hold.free(RequestTx, &n)
		e.holdsTx = false
	}
}

// end gives a transaction its completion, which goes to the ULP in its turn (FAL-T4).
func (i *Initiator) end(rsn uint32, e *initiated, code wire.Completion, ulpCode uint8, out *Batch) {
	e.ended, e.code, e.ulpCode = true, code, ulpCode
	if !i.cfg.Ordered {
		i.complete(rsn, e, out)
	}
	for i.brsn != i.nrsn {
		e := &i.ring[i.brsn&uint32(len(i.ring)-1)]
		if !e.ended {
			break
		}
		if !e.complete {
			i.complete(i.brsn, e, out)
		}
		i.brsn++
	}
	i.forget()
}

// complete hands a completion to the ULP, and frees what it waited with.
func (i *Initiator) complete(rsn uint32, e *initiated, out *Batch) {
	n := i.cfg.Needs(e.kind, e.length)
	i.hold.free(RequestRx, &n)
	e.complete = true
	if e.kind == falcon.PullRequest {
		e.state = PullDataUlpTx
	} else {
		e.state = PushCplTx
	}
	*out = append(*out, Event{What: Complete, Kind: e.kind, RSN: rsn, Length: e.got, Code: e.code, ULPCode: e.ulpCode})
}

// forget moves the base over what holds nothing any more.
func (i *Initiator) forget() {
	for i.base != i.brsn {
		e := &i.ring[i.base&uint32(len(i.ring)-1)]
		if e.holdsTx {
			return
		}
		*e = initiated{}
		i.base++
	}
}

// RSNs are BRSN and NRSN (FAL-T4).
func (i *Initiator) RSNs() (brsn, nrsn uint32) { return i.brsn, i.nrsn }

// State is that of an RSN; NoTransaction where it is over and holds nothing.
func (i *Initiator) State(rsn uint32) InitiatorState {
	if e := i.at(rsn); e != nil {
		return e.state
	}
	return NoTransaction
}

// Clone is a copy that shares nothing but the configuration and holds of other pools and credits.
func (i *Initiator) Clone(pools *Pools, credit *Credits) *Initiator {
	c := *i
	c.hold, c.ring = holder{pools, credit}, append([]initiated(nil), i.ring...)
	return &c
}
