// Package loop closes the loop: two ends over one seeded link, each with its traffic, judged while it runs.
//
// Time is counted, never read: an event follows the other in the order of their nanoseconds, so the same seed gives the
// same frames at the same times.
package loop

import (
	"container/heap"
	"context"
	"fmt"

	"hcacosim/model/link"
)

// End is an adapter at one end of the link. model/endpoint is one; times are nanoseconds since the start.
type End interface {
	// Receive takes a frame.
	Receive(nowNs uint64, frame []byte)
	// Next appends the frame that leaves now to dst; false where nothing may.
	Next(nowNs uint64, dst []byte) ([]byte, bool)
	// NextTimer returns when the end must be woken next; false where nothing waits for time.
	NextTimer() (atNs uint64, ok bool)
	// Expire tells the end that so much time has passed.
	Expire(nowNs uint64)
}

// Host is what drives an end: it posts work and takes completions.
type Host interface {
	// Turn is called behind everything that happened to the end. It returns when it wants to be called next; 0: when
	// something happens.
	Turn(nowNs uint64) (nextNs uint64)
	// Done reports whether all that the host wants is done.
	Done() bool
}

// Seen is told what an end saw: frames that it sent, and what reached it.
type Seen func(nowNs uint64, frame []byte, sent bool)

// Config is a loop.
type Config struct {
	Link  link.Config
	Ends  [2]End
	Hosts [2]Host // nil: none
	Seen  [2]Seen // nil: nobody looks
	// LimitNs ends a loop that does not end by itself.
	LimitNs uint64
}

// Result is how a loop ended.
type Result struct {
	Ns     uint64 // the time of the last event
	Frames [2]uint64
	Lost   [2]uint64 // by the link, of what each end sent
	Stuck  string    // why it ended before the hosts were done; "" if they are
	Cut    bool      // it was stopped, and would have gone on
}

// loop is one at work.
type loop struct {
	cfg     *Config
	ways    [2]link.Way
	nowNs   uint64
	coming  arrivals
	serial  uint64
	turnNs  [2]uint64
	res     Result
	scratch []byte
}

// Run runs a loop until both hosts are done and the link is empty, to its limit, or until ctx ends.
func Run(ctx context.Context, cfg *Config) *Result {
	l := &loop{cfg: cfg}
	l.ways = [2]link.Way{link.NewWay(&cfg.Link, 0), link.NewWay(&cfg.Link, 1)}
	for step := 0; ; step++ {
		for end := range 2 {
			l.turn(end)
			l.send(end)
		}
		at, ok := l.next()
		switch {
		case l.done() && len(l.coming) == 0:
			l.res.Ns = l.nowNs
			return &l.res
		case step&1023 == 0 && ctx.Err() != nil:
			l.res.Cut, l.res.Stuck = true, fmt.Sprintf("stopped by a signal at %d us, and work is left", l.nowNs/1000)
		case !ok:
			l.res.Stuck = fmt.Sprintf("nothing waits for anything after %d us, and work is left", l.nowNs/1000)
		case cfg.LimitNs > 0 && at > cfg.LimitNs:
			l.res.Cut, l.res.Stuck = true, fmt.Sprintf("the limit of %d us is reached, and work is left", cfg.LimitNs/1000)
		}
		if l.res.Stuck != "" {
			l.res.Ns = l.nowNs
			return &l.res
		}
		l.nowNs = max(at, l.nowNs)
		l.happen()
	}
}

func (l *loop) done() bool {
	for _, h := range l.cfg.Hosts {
		if h != nil && !h.Done() {
			return false
		}
	}
	return true
}

// turn lets a host act.
func (l *loop) turn(end int) {
	if h := l.cfg.Hosts[end]; h != nil {
		l.turnNs[end] = h.Turn(l.nowNs)
	}
}

// send puts one frame on the link, if the link is free and the end has one.
func (l *loop) send(end int) {
	way := &l.ways[end]
	if way.FreeNs() > l.nowNs {
		return
	}
	frame, ok := l.cfg.Ends[end].Next(l.nowNs, l.scratch[:0])
	if l.scratch = frame; !ok {
		return
	}
	l.see(end, frame, true)
	l.res.Frames[end]++
	fate := way.Send(l.nowNs, len(frame)+frameOverhead)
	if fate.Copies == 0 {
		l.res.Lost[end]++
	}
	for i := range fate.Copies {
		a := arrival{atNs: fate.ArrivesNs[i], serial: l.serial, end: 1 - end, frame: append([]byte(nil), frame...)}
		if fate.Corrupt {
			bit := fate.Bit % uint64(8*len(frame))
			a.frame[bit/8] ^= 1 << (bit % 8)
		}
		l.serial++
		heap.Push(&l.coming, a)
	}
}

// frameOverhead is what Ethernet puts around a frame: preamble, check sequence, gap.
const frameOverhead = 24

// next returns when something happens next.
func (l *loop) next() (atNs uint64, ok bool) {
	earlier := func(at uint64) {
		if !ok || at < atNs {
			atNs, ok = at, true
		}
	}
	if len(l.coming) > 0 {
		earlier(l.coming[0].atNs)
	}
	for end := range 2 {
		if at, has := l.cfg.Ends[end].NextTimer(); has {
			earlier(at)
		}
		if at := l.turnNs[end]; at > l.nowNs {
			earlier(at)
		}
		if at := l.ways[end].FreeNs(); at > l.nowNs {
			earlier(at)
		}
	}
	return atNs, ok
}

// happen does all that is due now.
func (l *loop) happen() {
	for len(l.coming) > 0 && l.coming[0].atNs <= l.nowNs {
		a := heap.Pop(&l.coming).(arrival)
		l.see(a.end, a.frame, false)
		l.cfg.Ends[a.end].Receive(l.nowNs, a.frame)
	}
	for end := range 2 {
		if at, ok := l.cfg.Ends[end].NextTimer(); ok && at <= l.nowNs {
			l.cfg.Ends[end].Expire(l.nowNs)
		}
	}
}

func (l *loop) see(end int, frame []byte, sent bool) {
	if seen := l.cfg.Seen[end]; seen != nil {
		seen(l.nowNs, frame, sent)
	}
}

// arrival is a frame on its way.
type arrival struct {
	atNs   uint64
	serial uint64 // of two at a time the earlier one is first
	end    int
	frame  []byte
}

// arrivals is a heap for container/heap, the next first.
type arrivals []arrival

func (h arrivals) Len() int      { return len(h) }
func (h arrivals) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h arrivals) Less(i, j int) bool {
	if h[i].atNs != h[j].atNs {
		return h[i].atNs < h[j].atNs
	}
	return h[i].serial < h[j].serial
}

// Push is for container/heap.
func (h *arrivals) Push(a any) { *h = append(*h, a.(arrival)) }

// Pop is for container/heap.
func (h *arrivals) Pop() any {
	last := len(*h) - 1
	a := (*h)[last]
	(*h)[last] = arrival{}
	*h = (*h)[:last]
	return a
}
