package txn

import "encoding/binary"

func appendFlags(b []byte, flags ...bool) []byte {
	v := byte(0)
	for i, f := range flags {
		if f {
			v |= 1 << i
		}
	}
	return append(b, v)
}

// AppendState appends what tells an initiator from another, for those who look for states that they have seen.
func (i *Initiator) AppendState(b []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, i.base)
	b = append(b, byte(i.brsn-i.base), byte(i.nrsn-i.base))
	b = appendFlags(b, i.dead)
	for rsn := i.base; rsn != i.nrsn; rsn++ {
		e := &i.ring[rsn&uint32(len(i.ring)-1)]
		b = append(b, byte(e.state), byte(e.code), e.ulpCode)
		b = binary.LittleEndian.AppendUint32(b, e.got)
		b = appendFlags(b, e.ended, e.complete, e.holdsTx)
	}
	return b
}

// AppendState appends what tells a target from another.
func (t *Target) AppendState(b []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, t.base)
	b = append(b, byte(t.brsn-t.base), byte(t.nrsn-t.base))
	b = appendFlags(b, t.holds, t.dead)
	if t.holds {
		b = append(b, byte(t.heldRSN-t.base))
	}
	for n := range uint32(len(t.ring)) {
		e := t.slot(t.base + n)
		b = append(b, byte(e.state), byte(e.nack))
		b = appendFlags(b, e.waits)
	}
	return b
}

// AppendState appends what tells a scheduler from another: what waits, and whose turn it is.
func (s *Scheduler) AppendState(b []byte) []byte {
	b = append(b, byte(s.conn), byte(s.inRow[0]), byte(s.inRow[1]), byte(s.inRow[2]))
	for c := range s.queues {
		b = append(b, byte(s.queue[c]))
		for _, q := range s.queues[c] {
			b = append(b, byte(len(q)))
			for _, it := range q {
				b = append(b, byte(it.Kind))
				b = binary.LittleEndian.AppendUint32(b, it.RSN)
			}
		}
	}
	return b
}
