package falcon

import "hcacosim/model/falcon/mode"

// Decides FAL-D15.

// TxWindow is a window at the transmitter: the PSNs from Base to Next - 1 were sent, and those of them that Acked does
// not have wait for their acknowledgement. The transmitter's machine holds two, the block falcon_window two for each
// connection.
type TxWindow struct {
	Base, Next PSN
	Acked      Bitmap // acknowledged behind the base, as EACKs have reported
	Received   Bitmap // received, as EACKs have reported
	Size       uint8  // at most as many PSNs as the receiver's window
}

// AckVerdict is what becomes of an ACK or a NACK. The numbers are those of docs/blocks/falcon_window.md.
type AckVerdict uint8

const (
	AckTaken AckVerdict = 0
	AckStale AckVerdict = 1 // a base before the transmitter's
	AckGhost AckVerdict = 2 // a base beyond what was sent
)

// NewTxWindow is a window with nothing sent.
func NewTxWindow(base PSN, size uint8) TxWindow { return TxWindow{Base: base, Next: base, Size: size} }

// Sent is every PSN that was sent, acknowledged or not.
func (w *TxWindow) Sent() Bitmap { return FirstOnes(w.Next.From(w.Base)) }

// Outstanding is every PSN that waits for its acknowledgement.
func (w *TxWindow) Outstanding() Bitmap { return w.Sent().Without(w.Acked) }

// Full reports whether no PSN more fits (FAL-D11).
func (w *TxWindow) Full() bool { return w.Next.From(w.Base) >= uint32(w.Size) }

// Judge says whether the bases of an ACK or NACK can be taken (FAL-D15).
func Judge(request, data *TxWindow, requestBase, dataBase PSN) AckVerdict {
	switch {
	case requestBase.Before(request.Base) || dataBase.Before(data.Base):
		return AckStale
	case request.Next.Before(requestBase) || data.Next.Before(dataBase):
		return AckGhost
	}
	return AckTaken
}

// Advance takes a base that Judge lets pass, and returns what is freed, bit 0 the old base.
func (w *TxWindow) Advance(to PSN) (freed Bitmap) {
	n := to.From(w.Base)
	freed = w.Outstanding().And(FirstOnes(n))
	w.Base = to
	w.Acked.Shift(n)
	w.Received.Shift(n)
	return freed
}

// Report takes the bitmaps of an EACK behind its base, and returns what is freed, bit 0 the base.
func (w *TxWindow) Report(m *mode.Mode, ack, rx Bitmap) (freed Bitmap) {
	sent := w.Sent()
	w.Received = w.Received.Or(rx.Or(ack).And(sent))
	if m.AckBitmapIntoRx {
		return Bitmap{}
	}
	freed = ack.And(sent).Without(w.Acked)
	w.Acked = w.Acked.Or(freed)
	return freed
}

// Missing is what an EACK calls for: with OWN everything outstanding that it does not name as received (FAL-D17),
// without it what lies the threshold before the highest that it names (FAL-D16). named is its received bitmap, bit 0
// the base. When a packet was last sent is for the caller to ask.
func (w *TxWindow) Missing(m *mode.Mode, named Bitmap, own bool, threshold uint8) Bitmap {
	missing := w.Outstanding().Without(named)
	if own {
		return missing
	}
	limit := named.Highest() - int(threshold)
	if m.DistanceInclusive {
		limit++
	}
	return missing.And(FirstOnes(uint32(max(limit, 0))))
}
