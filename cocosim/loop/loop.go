// Package loop closes the loop: two ends over one seeded link, each with its traffic, judged while it runs.
//
// Time is counted, never read: an event follows the other in the order of their nanoseconds, so the same seed gives the
// same frames at the same times.
package loop

import (
	"context"
	"fmt"

	"hcacosim/model/link"
	"hcacosim/model/wire"
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
	// Lost is told of frames that the link lost or damaged, as each end sent them or should have received them.
	Lost [2]Seen
	// LimitNs ends a loop that does not end by itself.
	LimitNs uint64
	// Stop, if set, ends the loop when it says so.
	Stop func() bool
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
	air     link.Air[[]byte]
	nowNs   uint64
	turnNs  [2]uint64
	res     Result
	hears   [2]bool // the end says itself what it has received
	ended   bool    // the hosts were done and the link was empty
	endNs   uint64  // when that began
	scratch []byte
}

// mostLingerNs is how long a busy device is waited for behind the end of all work: one may never fall silent.
const mostLingerNs = 1_000_000

// Run runs a loop until both hosts are done, the link is empty and devices are silent, to its limit, or until ctx ends.
func Run(ctx context.Context, cfg *Config) *Result {
	l := &loop{cfg: cfg, air: link.NewAir[[]byte](&cfg.Link)}
	for end, e := range cfg.Ends {
		if h, ok := e.(Hearer); ok {
			l.hears[end] = true
			h.Hears(func(frame []byte) { l.see(end, frame, false) })
		}
	}
	for step := 0; ; step++ {
		for end := range 2 {
			l.turn(end)
			l.send(end)
		}
		at, ok := l.next()
		switch {
		case l.over(at):
			l.res.Ns = l.endNs
			return &l.res
		case step&1023 == 0 && ctx.Err() != nil:
			l.res.Cut, l.res.Stuck = true, fmt.Sprintf("stopped by a signal at %d us, and work is left", l.nowNs/1000)
		case !ok:
			l.res.Stuck = fmt.Sprintf("nothing waits for anything after %d us, and work is left", l.nowNs/1000)
		case cfg.Stop != nil && cfg.Stop():
			l.res.Cut, l.res.Stuck = true, fmt.Sprintf("stopped at %d us, and work is left", l.nowNs/1000)
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

// over reports whether nothing is left. An ACK may leave a device before the completion of what it acknowledges, so
// that its sender is done when its receiver is not: a busy device is waited for, though not beyond the loop's limit.
func (l *loop) over(nextNs uint64) bool {
	ended := l.done() && l.air.Empty()
	if ended && !l.ended {
		l.endNs = l.nowNs
	}
	l.ended = ended
	end := l.endNs + mostLingerNs
	if l.cfg.LimitNs > 0 {
		end = min(end, l.cfg.LimitNs)
	}
	return ended && (!l.busy() || nextNs > end)
}

func (l *loop) busy() bool {
	for _, e := range l.cfg.Ends {
		if d, ok := e.(interface{ busy() bool }); ok && d.busy() {
			return true
		}
	}
	return false
}

// turn lets a host act.
func (l *loop) turn(end int) {
	if h := l.cfg.Hosts[end]; h != nil {
		l.turnNs[end] = h.Turn(l.nowNs)
	}
}

// send puts one frame on the link, if the link is free and the end has one.
func (l *loop) send(end int) {
	if !l.air.Free(end, l.nowNs) {
		return
	}
	frame, ok := l.cfg.Ends[end].Next(l.nowNs, l.scratch[:0])
	if l.scratch = frame; !ok {
		return
	}
	l.see(end, frame, true)
	l.res.Frames[end]++
	fate := l.air.Send(end, l.nowNs, len(frame)+frameOverhead, func(f *link.Fate) []byte {
		arrives := append([]byte(nil), frame...)
		if f.Marked {
			wire.MarkCE(arrives)
		}
		if f.Corrupt {
			bit := f.Bit % uint64(8*len(frame))
			arrives[bit/8] ^= 1 << (bit % 8)
		}
		return arrives
	})
	if fate.Copies == 0 {
		l.res.Lost[end]++
	}
	for i, lost := range l.cfg.Lost {
		if lost != nil && (fate.Copies == 0 || fate.Corrupt) {
			lost(l.nowNs, frame, i == end)
		}
	}
}

// frameOverhead is what Ethernet puts around a frame: preamble, check sequence, gap.
const frameOverhead = 24

// next returns when something happens next.
func (l *loop) next() (atNs uint64, ok bool) {
	earlier := func(at uint64, has bool) {
		if has && (!ok || at < atNs) {
			atNs, ok = at, true
		}
	}
	earlier(l.air.NextArrival())
	earlier(l.air.NextFree(l.nowNs))
	for end := range 2 {
		earlier(l.cfg.Ends[end].NextTimer())
		earlier(l.turnNs[end], l.turnNs[end] > l.nowNs)
	}
	return atNs, ok
}

// happen does all that is due now.
func (l *loop) happen() {
	for at, ok := l.air.NextArrival(); ok && at <= l.nowNs; at, ok = l.air.NextArrival() {
		end, frame := l.air.Land()
		if !l.hears[end] {
			l.see(end, frame, false)
		}
		l.cfg.Ends[end].Receive(l.nowNs, frame)
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
