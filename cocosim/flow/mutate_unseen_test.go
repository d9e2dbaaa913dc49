package flow_test

import (
	"hcacosim/model/ib"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// unseenStuck: visible where the count began at 0 and is known.
func unseenStuck(list []vectors.Frame, i int, w *wire.Packet) string {
	return unseenMSN(-int(w.AETH().MSN()))(list, i, w)
}

func sameWay(a, b *wire.Packet) bool { return string(source(a)) == string(source(b)) }

func source(w *wire.Packet) []byte {
	if w.IPv4() != nil {
		return w.IPv4().Src()
	}
	return w.IPv6().Src()
}

func psnDiff(a, b *wire.Packet) int32 {
	return int32((uint32(a.BTH().PSN())-uint32(b.BTH().PSN()))<<8) >> 8
}

// sentBefore counts how often the PSN of request i was sent before it.
func sentBefore(list []vectors.Frame, i int, w *wire.Packet) (times int) {
	others(list[:i], func(_ int, o *wire.Packet) {
		if isRequest(o) && sameWay(o, w) && psnDiff(o, w) == 0 {
			times++
		}
	})
	return times
}

// unseenDrop: with a request gone the sender did what a sender may do if the next that it sent goes back anyway, and
// the dropped one was sent another time too.
func unseenDrop(list []vectors.Frame, i int, w *wire.Packet) string {
	copies, next := 0, int32(0)
	others(list, func(j int, o *wire.Packet) {
		if j == i || !isRequest(o) || !sameWay(o, w) {
			return
		}
		if d := psnDiff(o, w); d == 0 {
			copies++
			next = min(next, 0)
		}
		if j > i && next == 0 {
			if next = psnDiff(o, w); next == 0 {
				next = -1
			}
		}
	})
	if next == 0 {
		return endedBefore
	}
	if copies > 0 && next <= 0 {
		return "it may as well not have been sent before the retry"
	}
	return ""
}

// unseenLast: with the last response gone, or one of several last ones that are the same, the capture looks as if it
// had ended before.
func unseenLast(list []vectors.Frame, i int, w *wire.Packet) string {
	last := true
	others(list[i+1:], func(_ int, o *wire.Packet) {
		last = last && !(isResponse(o) && sameWay(o, w) &&
			string(o.Frame[o.Transport:o.End-4]) != string(w.Frame[w.Transport:w.End-4]))
	})
	if last {
		return endedBefore
	}
	return ""
}

// asked is what a request that came past before packet i asks for at a PSN: its operation, and the number of messages
// that ended up to that PSN.
func asked(list []vectors.Frame, i int, w *wire.Packet, p uint32) (op ib.Operation, found bool) {
	others(list[:i], func(_ int, o *wire.Packet) {
		if !isRequest(o) || sameWay(o, w) {
			return
		}
		n := uint32(1)
		if o.Op.Operation == ib.ReadRequest {
			n = max(1, (o.RETH().DMALen()+255)/256) // at most
		}
		if (p-uint32(o.BTH().PSN()))&0xFFFFFF < n {
			op, found = o.Op.Operation, true
		}
	})
	return op, found
}

// unseenPSN: visible beyond what came past, and where the request of that PSN wants another kind of response.
func unseenPSN(list []vectors.Frame, i int, w *wire.Packet) string {
	op, found := asked(list, i, w, uint32(w.BTH().PSN()+1))
	atomic := op == ib.CmpSwap || op == ib.FetchAdd
	switch {
	case !found:
		return ""
	case w.Op.Operation == ib.AtomicAck && !atomic, isRead(w) && op != ib.ReadRequest:
		return ""
	}
	return "another response may have had it, and been lost"
}

// unseenMSN: visible where more messages are counted than ended before, or fewer than ended up to the PSN.
func unseenMSN(by int) unseen {
	return func(list []vectors.Frame, i int, w *wire.Packet) string {
		first := true
		ended, upTo := map[uint32]bool{}, map[uint32]bool{}
		others(list[:i], func(_ int, o *wire.Packet) {
			if isResponse(o) && sameWay(o, w) && !isNAK(o) && !isRNR(o) {
				first = false
			}
			if isRequest(o) && !sameWay(o, w) && endsMessage(o) {
				ended[uint32(o.BTH().PSN())] = true
				if psnDiff(o, w) <= 0 {
					upTo[uint32(o.BTH().PSN())] = true
				}
			}
		})
		msn := int(w.AETH().MSN()) + by
		switch {
		case lostBeforeHere(list[:i], w):
			return "requests were lost before the capture point, so that messages cannot be counted"
		case first:
			return fromBefore
		case msn > len(ended), msn < len(upTo) && isAck(w):
			return ""
		}
		return "a request that is on its way may have raised it"
	}
}

// lostBeforeHere tells that the requests to the sender of w had a gap.
func lostBeforeHere(list []vectors.Frame, w *wire.Packet) (gap bool) {
	var next uint32
	started := false
	others(list, func(_ int, o *wire.Packet) {
		if !isRequest(o) || sameWay(o, w) {
			return
		}
		p, n := uint32(o.BTH().PSN()), uint32(1)
		if o.Op.Operation == ib.ReadRequest {
			n = 0
		}
		d := int32((p-next)<<8) >> 8
		gap = gap || started && d > 0 && n == 1
		if !started || d >= 0 {
			started, next = true, p+n
		}
		if n == 0 {
			started = false // how many PSNs it takes is not asked here
		}
	})
	return gap
}

func endsMessage(w *wire.Packet) bool {
	switch w.Op.Operation {
	case ib.SendFirst, ib.SendMiddle, ib.WriteFirst, ib.WriteMiddle:
		return false
	}
	return true
}

// unseenPayload: what a request carries is visible where it is sent twice.
func unseenPayload(list []vectors.Frame, i int, w *wire.Packet) string {
	twice := sentBefore(list, i, w) > 0
	others(list[i+1:], func(_ int, o *wire.Packet) {
		twice = twice || isRequest(o) && sameWay(o, w) && psnDiff(o, w) == 0
	})
	if twice {
		return ""
	}
	return notTold
}

// unseenAtomic: the value is visible where it is answered twice.
func unseenAtomic(list []vectors.Frame, i int, w *wire.Packet) string {
	times := 0
	others(list, func(_ int, o *wire.Packet) {
		if o.AtomicAckETH() != nil && sameWay(o, w) && psnDiff(o, w) == 0 {
			times++
		}
	})
	if times > 1 {
		return ""
	}
	return "nobody told what memory holds"
}

// unseenLength: only a SEND's end is as long as it likes.
func unseenLength(list []vectors.Frame, i int, w *wire.Packet) string {
	switch w.Op.Operation {
	case ib.SendLast, ib.SendOnly, ib.SendLastImm, ib.SendOnlyImm, ib.SendLastInv, ib.SendOnlyInv:
		return unseenPayload(list, i, w)
	}
	return ""
}

// unseenRETH: a WRITE's length must be what its packets carry.
func unseenRETH(list []vectors.Frame, i int, w *wire.Packet) string {
	if w.Op.Operation == ib.ReadRequest {
		return unseenPayload(list, i, w)
	}
	return ""
}

// unseenHasty: all that follows the retry may be as early as it.
func unseenHasty(list []vectors.Frame, i int, _ *wire.Packet) string {
	if i+2 >= len(list) {
		return maybeSet
	}
	return ""
}
