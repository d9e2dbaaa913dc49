package txn

import (
	"hcacosim/model/falcon"
	"hcacosim/model/falcon/wire"
)

// Decides FAL-T13, FAL-T14, FAL-T15, FAL-T16 and FAL-T17.

// NotReady takes the RNR of the ULP for a request that it has (FAL-T13, FAL-T14), and reports whether it had it.
func (t *Target) NotReady(rsn uint32, timeoutNs int64, out *Batch) bool {
	e := t.slot(rsn)
	if e == nil || !e.atULP() {
		return false
	}
	if t.cfg.Ordered {
		t.takeBackBehind(rsn, timeoutNs, out)
		t.nrsn, t.holds, t.heldRSN, t.heldNs = rsn, true, rsn, timeoutNs
	}
	t.takeBack(rsn, e, timeoutNs, out)
	e.waits, e.waitNs = true, timeoutNs
	*out = append(*out, Event{What: Wait, Kind: e.kind, RSN: rsn, TimeoutNs: timeoutNs})
	return true
}

// takeBack undoes hand, and has a push refused.
func (t *Target) takeBack(rsn uint32, e *targeted, timeoutNs int64, out *Batch) {
	if e.kind == falcon.PullRequest {
		e.state = PullReqRx
		return
	}
	e.state = PushDataRx
	*out = append(*out, Event{What: Refuse, Kind: e.kind, RSN: rsn, Nack: wire.NackRNR, TimeoutNs: timeoutNs})
}

// takeBackBehind takes back what the ULP has behind a request, and has pushes refused that wait there.
func (t *Target) takeBackBehind(rsn uint32, timeoutNs int64, out *Batch) {
	for n := uint32(1); n < uint32(len(t.ring)); n++ {
		e := t.slot(rsn + n)
		switch {
		case e == nil:
			return
		case e.atULP():
			t.takeBack(rsn+n, e, timeoutNs, out)
		default:
			t.refuseBehind(rsn+n, e, rsn, timeoutNs, out)
		}
	}
}

// refuseHeld refuses a push that came behind an RNR (FAL-T14).
func (t *Target) refuseHeld(rsn uint32, e *targeted, out *Batch) {
	if t.holds {
		t.refuseBehind(rsn, e, t.heldRSN, t.heldNs, out)
	}
}

func (t *Target) refuseBehind(rsn uint32, e *targeted, held uint32, timeoutNs int64, out *Batch) {
	if e.state == PushDataRx && before(held, rsn) {
		*out = append(*out, Event{What: Refuse, Kind: e.kind, RSN: rsn, Nack: wire.NackRNR, TimeoutNs: timeoutNs})
	}
}

// Expire ends the wait of a request, which is handed over again in its turn (FAL-T13).
func (t *Target) Expire(rsn uint32, out *Batch) {
	e := t.slot(rsn)
	if e == nil || !e.waits || t.dead {
		return
	}
	e.waits = false
	if t.cfg.Ordered {
		t.deliver(out)
	} else {
		t.hand(rsn, e, out)
	}
}

// again takes a push that came before (FAL-T13 to FAL-T15).
func (t *Target) again(rsn uint32, e *targeted, out *Batch) {
	switch {
	case e.state == TargetRefused:
		*out = append(*out, Event{What: Refuse, Kind: e.kind, RSN: rsn, Nack: e.nack, ULPCode: e.ulp})
	case e.waits:
		t.Expire(rsn, out)
	default:
		t.refuseHeld(rsn, e, out)
	}
}

// Decline takes the refusal of a request by the ULP: CIE, NRE or an invalid CID of a push, an invalid CID of a pull
// (FAL-T15, FAL-T16). It reports whether the ULP had the request and may refuse it so.
func (t *Target) Decline(rsn uint32, code wire.NackCode, ulpCode uint8, out *Batch) bool {
	e := t.slot(rsn)
	if e == nil || !e.atULP() {
		return false
	}
	switch {
	case e.kind == falcon.PullRequest && code == wire.NackInvalidCID:
		t.release(e)
		e.state = TargetDone
	case e.kind == falcon.PushData && (code == wire.NackCIE || code == wire.NackNRE || code == wire.NackInvalidCID):
		t.release(e)
		e.state, e.nack, e.ulp = TargetRefused, code, ulpCode
		*out = append(*out, Event{What: Refuse, Kind: e.kind, RSN: rsn, Nack: code, ULPCode: ulpCode})
	default:
		return false
	}
	t.settle(rsn, out)
	return true
}

// Resync takes the Resync of a request (FAL-T17).
func (t *Target) Resync(rsn uint32, out *Batch) {
	e := t.slot(rsn)
	if t.dead || e == nil {
		return
	}
	switch {
	case e.received() || e.atULP():
		t.release(e)
	case e.state != NotHere && e.state != TargetRefused:
		return
	}
	*e = targeted{state: TargetDone}
	t.settle(rsn, out)
}

// Kill forgets everything: the connection is dead (FAL-T19).
func (t *Target) Kill() {
	t.dead, t.holds = true, false
	for n := range t.ring {
		switch e := &t.ring[n]; {
		case e.received() || e.atULP():
			t.release(e)
		case e.state == PullDataUlpRx || e.state == PullDataTx:
			need := t.cfg.Needs(falcon.PullData, e.data)
			t.hold.free(DataTx, &need)
		}
		t.ring[n] = targeted{}
	}
}
