package loop

import (
	"bytes"
	"context"
	"fmt"

	"hcacosim/cocosim"
	"hcacosim/model/link"
)

const (
	ghostEvery   = 8   // packets of a peer between two of its earlier connection
	ghostPackets = 512 // that come again, and again
	ghostPSNs    = 300 // of an earlier connection
	ghostSeed    = 1000
)

// ghosts runs an earlier connection of the same queue pairs to its end and returns the last packets that B sent.
func (p *Pair) ghosts(ctx context.Context, from func(*Pair) starts) ([][]byte, error) {
	q := *p
	q.Rogue, q.LimitNs = nil, 0
	q.Responders, q.Requesters, q.Wholes = [2]cocosim.Device{}, [2]cocosim.Device{}, [2]cocosim.Device{}
	q.Traffic.Packets, q.Traffic.Late = ghostPSNs*uint64(p.Traffic.QPs), 0
	q.Traffic.Seed += ghostSeed
	q.Link = link.Config{Gbps: p.Link.Gbps, DelayNs: p.Link.DelayNs, Seed: q.Traffic.Seed}
	q.from = from(&q)
	var sent [][]byte
	q.Capture = [2]Seen{1: func(_ uint64, frame []byte, own bool) {
		if own {
			sent = append(sent, bytes.Clone(frame))
		}
	}}
	o, err := q.Run(ctx)
	switch {
	case err != nil:
		return nil, err
	case !o.Good():
		return nil, fmt.Errorf("the earlier connection did not end well: %s %v", o.Result.Stuck, o.Wrong)
	}
	return sent[max(0, len(sent)-ghostPackets):], nil
}

// ghost returns the packet of an earlier connection that comes next, if it is its turn.
func (r *rogue) ghost() []byte {
	if r.isGhost = r.starts != nil && r.n >= ghostEvery && len(r.past) > 0; !r.isGhost {
		return nil
	}
	r.n = 0
	frame := r.past[0]
	r.past = append(r.past[1:], frame)
	return frame
}

// sent counts packets of the peer itself.
func (r *rogue) sent(one bool) {
	if one {
		r.n++
	}
}

// own is see without packets of an earlier connection: the peer does not send them.
func (r *rogue) own(see Seen) Seen {
	return func(nowNs uint64, frame []byte, sent bool) {
		if !sent || !r.isGhost {
			see(nowNs, frame, sent)
		}
	}
}
