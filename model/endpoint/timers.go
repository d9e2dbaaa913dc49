package endpoint

import (
	"container/heap"

	"hcacosim/model/roce"
)

// timer is an entry of the heap: a timer of a queue pair may run out then.
type timer struct {
	atNs uint64
	q    *queuePair
	of   roce.Timer
}

// timerHeap is for container/heap. It has one entry that counts for each timer: one that was set again since is put
// back when its turn comes.
type timerHeap []timer

func (h timerHeap) Len() int      { return len(h) }
func (h timerHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h timerHeap) Less(i, j int) bool {
	a, b := &h[i], &h[j]
	if a.atNs != b.atNs {
		return a.atNs < b.atNs
	}
	if a.q != b.q {
		return a.q.Number < b.q.Number
	}
	return a.of < b.of
}

// Push is for container/heap.
func (h *timerHeap) Push(t any) { *h = append(*h, t.(timer)) }

// Pop is for container/heap.
func (h *timerHeap) Pop() any {
	last := len(*h) - 1
	t := (*h)[last]
	*h = (*h)[:last]
	return t
}

func (e *Endpoint) arm(q *queuePair, of roce.Timer, atNs uint64) {
	q.due[of] = atNs
	if at := q.listed[of]; at == 0 || atNs < at {
		q.listed[of] = atNs
		heap.Push(&e.timers, timer{atNs, q, of})
	}
}

// NextTimer returns when the next timer runs out; false where none runs.
func (e *Endpoint) NextTimer() (atNs uint64, ok bool) {
	for len(e.timers) > 0 {
		t := e.timers[0]
		due := t.q.due[t.of]
		if due == t.atNs {
			return due, true
		}
		heap.Pop(&e.timers)
		if t.q.listed[t.of] != t.atNs {
			continue // an earlier entry stands for it
		}
		if t.q.listed[t.of] = 0; due != 0 {
			e.arm(t.q, t.of, due)
		}
	}
	return 0, false
}

// Expire lets every timer run out that is due at nowNs.
func (e *Endpoint) Expire(nowNs uint64) {
	for {
		at, ok := e.NextTimer()
		if !ok || at > nowNs {
			return
		}
		t := heap.Pop(&e.timers).(timer)
		t.q.listed[t.of], t.q.due[t.of] = 0, 0
		t.q.req.Expire(t.of, e.empty())
		e.act(nowNs, t.q, nil, false)
		e.wake(t.q)
	}
}
