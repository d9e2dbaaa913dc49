package link

import "container/heap"

// Air is both directions of a link with what is on its way, P being what an end gets. Of two packets that arrive at a
// time the one that was sent earlier is first. It has no clock either: an event loop asks when the next arrives.
type Air[P any] struct {
	Ways   [2]Way // by the end that sends
	flying flights[P]
	serial uint64
}

// NewAir makes a link on which nothing is.
func NewAir[P any](cfg *Config) Air[P] { return Air[P]{Ways: [2]Way{NewWay(cfg, 0), NewWay(cfg, 1)}} }

// Free reports whether an end may send now.
func (a *Air[P]) Free(end int, nowNs uint64) bool { return a.Ways[end].FreeNs() <= nowNs }

// Send puts a packet of so many bytes on its way; each makes a copy that arrives. It returns what becomes of it.
func (a *Air[P]) Send(end int, nowNs uint64, bytes int, each func(f *Fate) P) Fate {
	f := a.Ways[end].Send(nowNs, bytes)
	for _, at := range f.ArrivesNs[:f.Copies] {
		heap.Push(&a.flying, flight[P]{atNs: at, serial: a.serial, to: 1 - end, p: each(&f)})
		a.serial++
	}
	return f
}

// Empty reports whether nothing is on its way.
func (a *Air[P]) Empty() bool { return len(a.flying) == 0 }

// NextArrival returns when the next packet arrives.
func (a *Air[P]) NextArrival() (atNs uint64, ok bool) {
	if a.Empty() {
		return 0, false
	}
	return a.flying[0].atNs, true
}

// NextFree returns when an end that may not send now may do so.
func (a *Air[P]) NextFree(nowNs uint64) (atNs uint64, ok bool) {
	for i := range a.Ways {
		if at := a.Ways[i].FreeNs(); at > nowNs && (!ok || at < atNs) {
			atNs, ok = at, true
		}
	}
	return atNs, ok
}

// Land takes the packet that arrives next off the link, and says which end gets it. There must be one.
func (a *Air[P]) Land() (end int, p P) {
	f := heap.Pop(&a.flying).(flight[P])
	return f.to, f.p
}

// flight is a packet on its way.
type flight[P any] struct {
	atNs, serial uint64
	to           int
	p            P
}

// flights is a heap for container/heap, the next first.
type flights[P any] []flight[P]

func (h flights[P]) Len() int      { return len(h) }
func (h flights[P]) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h flights[P]) Less(i, j int) bool {
	return h[i].atNs < h[j].atNs || h[i].atNs == h[j].atNs && h[i].serial < h[j].serial
}

// Push is for container/heap.
func (h *flights[P]) Push(f any) { *h = append(*h, f.(flight[P])) }

// Pop is for container/heap.
func (h *flights[P]) Pop() any {
	last := len(*h) - 1
	f := (*h)[last]
	(*h)[last] = flight[P]{}
	*h = (*h)[:last]
	return f
}
