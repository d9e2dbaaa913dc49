package txn

import (
	"hcacosim/model/falcon"
	"hcacosim/model/falcon/wire"
)

// Decides FAL-T3.

// TargetState is that of a transaction at its target (FAL-T3). TargetRefused and TargetDone are not the document's.
type TargetState uint8

const (
	NotHere TargetState = iota
	PullReqRx
	PullReqUlpTx
	PullReqUlpAckd
	PullDataUlpRx
	PullDataTx
	PullDataAckd
	PushDataRx
	PushReqUlpTx
	PushReqUlpAckd
	TargetRefused // with a NACK; its Resync is to come
	TargetDone    // by a Resync, or forgotten
)

// targeted is a transaction at its target.
type targeted struct {
	state  TargetState
	kind   falcon.Kind
	nack   wire.NackCode // of TargetRefused
	ulp    uint8
	waits  bool // the ULP asked for a time that is not over
	length uint32
	data   uint32 // bytes of Pull Data
	waitNs int64
}

func (e *targeted) received() bool { return e.state == PullReqRx || e.state == PushDataRx }
func (e *targeted) atULP() bool    { return e.state == PullReqUlpTx || e.state == PushReqUlpTx }

// over reports whether the ULP has taken or refused the request.
func (e *targeted) over() bool { return e.state != NotHere && !e.received() && !e.atULP() }

// Target is one end's half of a connection that serves transactions.
type Target struct {
	cfg     *Config
	hold    holder
	base    uint32 // the oldest RSN that is not forgotten
	brsn    uint32
	nrsn    uint32
	ring    []targeted
	holds   bool   // behind an RNR: nothing after the request held is handed over
	heldRSN uint32 // which one
	heldNs  int64  // the time that it asked for
	dead    bool
}

// NewTarget is a target without transactions. It is the only one that allocates.
func NewTarget(cfg *Config, pools *Pools, credit *Credits) *Target {
	return &Target{cfg: cfg, hold: holder{pools, credit}, base: cfg.FirstRSN, brsn: cfg.FirstRSN, nrsn: cfg.FirstRSN,
		ring: make([]targeted, cfg.Outstanding)}
}

// slot is the place of an RSN, nil where it is too far ahead or forgotten.
func (t *Target) slot(rsn uint32) *targeted {
	if rsn-t.base >= uint32(len(t.ring)) {
		return nil
	}
	return &t.ring[rsn&uint32(len(t.ring)-1)]
}

// CanTake says why a request cannot be taken, 0 where it can (FAL-T8). Packet delivery asks before it takes a packet.
func (t *Target) CanTake(kind wire.Type, rsn, length uint32) wire.NackCode {
	if kind == wire.PullData || before(rsn, t.base) {
		return 0
	}
	e := t.slot(rsn)
	if e == nil { // of a Resync of a request, too: it has to be counted
		return wire.NackResources
	}
	if kind == wire.Resync || e.state != NotHere {
		return 0
	}
	head := rsn == t.nrsn
	if !t.cfg.Ordered {
		head = rsn == t.brsn
	}
	needs := t.cfg.Needs(falcon.PushData, length)
	if kind == wire.PullRequest {
		needs = t.cfg.Needs(falcon.PullRequest, length)
	}
	p := t.hold.pools
	if !p.Admits(t.cfg.Mode, kind, head) || !p.Used[NetworkRx].plus(needs[NetworkRx]).within(p.Size[NetworkRx]) {
		return wire.NackResources
	}
	return 0
}

// Receive takes a request for which CanTake said 0 (FAL-T3). One that has come before is taken as sent again.
func (t *Target) Receive(kind falcon.Kind, rsn, length uint32, out *Batch) {
	e := t.slot(rsn)
	switch {
	case t.dead || e == nil:
		return
	case e.state != NotHere:
		t.again(rsn, e, out)
		return
	}
	n := t.cfg.Needs(kind, length)
	if !t.hold.pools.take(NetworkRx, n[NetworkRx]) {
		return
	}
	*e = targeted{state: PushDataRx, kind: kind, length: length}
	if kind == falcon.PullRequest {
		e.state = PullReqRx
	}
	if t.cfg.Ordered {
		t.deliver(out)
		t.refuseHeld(rsn, e, out)
	} else {
		t.hand(rsn, e, out)
		t.countUnordered()
	}
}

// deliver hands over what is in turn on an ordered connection (FAL-T4, FAL-T14).
func (t *Target) deliver(out *Batch) {
	for !t.dead {
		e := t.slot(t.nrsn)
		switch {
		case e == nil, e.state == NotHere, e.received() && e.waits, t.holds && t.nrsn != t.heldRSN:
			return
		case e.received():
			t.hand(t.nrsn, e, out)
		}
		t.nrsn++
	}
}

// hand gives a request to the ULP.
func (t *Target) hand(rsn uint32, e *targeted, out *Batch) {
	e.waits = false
	if e.state == PullReqRx {
		e.state = PullReqUlpTx
	} else {
		e.state = PushReqUlpTx
	}
	*out = append(*out, Event{What: Deliver, Kind: e.kind, RSN: rsn, Length: e.length})
}

// countUnordered moves NRSN over what was handed over on an unordered connection, where nobody waits for it.
func (t *Target) countUnordered() {
	for t.slot(t.nrsn) != nil && t.slot(t.nrsn).state != NotHere {
		t.nrsn++
	}
}

// Accept notes that the ULP took a request (FAL-T3), and reports whether it had it.
func (t *Target) Accept(rsn uint32, out *Batch) bool {
	e := t.slot(rsn)
	if e == nil || !e.atULP() {
		return false
	}
	t.release(e)
	if e.kind == falcon.PullRequest {
		e.state = PullReqUlpAckd
	} else {
		e.state = PushReqUlpAckd
		*out = append(*out, Event{What: Acknowledge, Kind: e.kind, RSN: rsn})
	}
	t.settle(rsn, out)
	return true
}

// release gives back what a request held (FAL-T5).
func (t *Target) release(e *targeted) {
	n := t.cfg.Needs(e.kind, e.length)
	t.hold.pools.free(NetworkRx, n[NetworkRx])
}

// settle goes on after a request that the ULP has taken or refused, or that is done.
func (t *Target) settle(rsn uint32, out *Batch) {
	if t.holds && rsn == t.heldRSN {
		t.holds = false
	}
	if t.cfg.Ordered {
		t.deliver(out)
	} else {
		t.countUnordered()
	}
	t.forget()
}

// forget moves BRSN over what is over, and the base over what nothing will be asked of any more.
func (t *Target) forget() {
	for t.slot(t.brsn) != nil && t.slot(t.brsn).over() {
		t.brsn++
	}
	for t.base != t.brsn {
		switch e := t.slot(t.base); e.state {
		case PushReqUlpAckd, PullDataAckd, TargetDone:
			*e = targeted{}
			t.base++
		default:
			return
		}
	}
}

// Respond takes the ULP's answer to a pull, of so many bytes: 0 with an error (FAL-T3, FAL-T16). Posted has the meaning
// that it has at the initiator; UlpFailed is an answer to what is not asked.
func (t *Target) Respond(rsn, length uint32, out *Batch) Posted {
	e := t.slot(rsn)
	if e == nil || e.state != PullReqUlpTx && e.state != PullReqUlpAckd {
		return UlpFailed
	}
	n := t.cfg.Needs(falcon.PullData, length)
	if !t.hold.take(&n) {
		return UlpWaits
	}
	if e.state == PullReqUlpTx {
		t.release(e)
	}
	e.state, e.data = PullDataUlpRx, length
	*out = append(*out, Event{What: Queue, Kind: falcon.PullData, RSN: rsn, Length: length})
	t.settle(rsn, out)
	return Accepted
}

// Sent notes that the Pull Data of an RSN left for the first time (FAL-T3).
func (t *Target) Sent(rsn uint32) {
	if e := t.slot(rsn); e != nil && e.state == PullDataUlpRx {
		e.state = PullDataTx
	}
}

// Acked takes the acknowledgement of the Pull Data of an RSN, or of the Resync in its place (FAL-T3).
func (t *Target) Acked(rsn uint32) {
	if e := t.slot(rsn); e != nil && e.state == PullDataTx {
		n := t.cfg.Needs(falcon.PullData, e.data)
		t.hold.free(DataTx, &n)
		e.state = PullDataAckd
		t.forget()
	}
}

// RSNs are BRSN and NRSN (FAL-T4).
func (t *Target) RSNs() (brsn, nrsn uint32) { return t.brsn, t.nrsn }

// State is that of an RSN.
func (t *Target) State(rsn uint32) TargetState {
	if e := t.slot(rsn); e != nil {
		return e.state
	}
	return NotHere
}

// Clone is a copy that shares nothing but the configuration and holds of other pools and credits.
func (t *Target) Clone(pools *Pools, credit *Credits) *Target {
	c := *t
	c.hold, c.ring = holder{pools, credit}, append([]targeted(nil), t.ring...)
	return &c
}
