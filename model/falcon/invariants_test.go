package falcon_test

import "hcacosim/model/falcon"

// check looks at what holds in every state. FAL-D2, FAL-D4, FAL-D12, FAL-D15.
func (x *explorer) check(w *world) {
	for win := range falcon.Window(2) {
		tx, rx := w.tx.Window(win), w.rx.Window(win)
		x.checkReceiver(w, win, &rx)
		x.checkTransmitter(w, win, &tx)
		if rx.Base.Before(tx.Base) || tx.Next.Before(rx.Base) {
			x.fail("the receiver's base %d of the %v lies outside of the transmitter's %d to %d", rx.Base, win, tx.Base, tx.Next)
		}
	}
}

// checkReceiver: bitmaps are what has happened, and the base is the oldest PSN that is not acknowledged.
func (x *explorer) checkReceiver(w *world, win falcon.Window, rx *falcon.RxWindow) {
	if rx.Ack.Has(0) || rx.Ack.Without(rx.Rx).Any() || rx.Rx.Without(falcon.FirstOnes(uint32(rx.Size))).Any() {
		x.fail("the %v from %d has impossible bitmaps", win, rx.Base)
	}
	for i := range x.plan.work[win] {
		it := &w.items[win][i]
		p := x.plan.start[win].Add(uint32(i))
		bit := p.From(rx.Base)
		before := p.Before(rx.Base)
		if acked := before || rx.Ack.Has(bit); acked != it.acked {
			x.fail("PSN %d of the %v is acknowledged: %v by the window, %v in truth", p, win, acked, it.acked)
		}
		if got := before || rx.Rx.Has(bit); got != (it.delivered || it.acked) {
			x.fail("PSN %d of the %v is received: %v by the window, %v in truth", p, win, got, it.delivered)
		}
	}
}

// checkTransmitter: outstanding is what has not ended, and the counters count it.
func (x *explorer) checkTransmitter(w *world, win falcon.Window, tx *falcon.TxWindow) {
	open, due, again := tx.Outstanding(), w.tx.Due(win), w.tx.Again(win)
	requests := uint16(0)
	for i := range x.plan.work[win] {
		p := x.plan.start[win].Add(uint32(i))
		outstanding := i < int(w.sent[win]) && !w.items[win][i].completed
		if is := !p.Before(tx.Base) && open.Has(p.From(tx.Base)); is != outstanding {
			x.fail("PSN %d of the %v is outstanding: %v by the window, %v in truth", p, win, is, outstanding)
		}
		if outstanding && x.plan.work[win][i].Request() {
			requests++
		}
	}
	o, r := w.tx.Requests(win)
	if o != requests || uint32(r) != again.Count() {
		x.fail("the %v counts %d requests and %d sent again, not %d and %d", win, o, r, requests, again.Count())
	}
	if due.Or(again).Without(open).Any() || due.And(again).Any() {
		x.fail("the %v has packets due that are not outstanding", win)
	}
	if x.plan.ncwnd != 0 && (o > x.plan.ncwnd || r > x.plan.ncwnd) {
		x.fail("the %v has more requests out than ncwnd", win)
	}
}
