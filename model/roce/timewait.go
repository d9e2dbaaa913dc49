package roce

import "hcacosim/model/psn"

// Decides PSN-6.

// SafeStart is the start PSN that keeps stale packets of an earlier connection out of the valid window as well as can
// be (PSN-6). high is the PSN that the earlier connection would have sent next: what may still travel lies in the 2^23
// PSNs before it. The window that begins with the start PSN has those right ahead of it, the oldest first. The window
// has one PSN more than half of all (PSN-2), so that the newest lies in it, as a duplicate: it is not executed.
func SafeStart(high psn.PSN, w Width) psn.PSN { return w.Add(high, w.half()-1) }

// maxResting is how many QP numbers may rest at a time.
const maxResting = 64

// TimeWait keeps QP numbers out of use until the packets of their last connection are gone (PSN-6).
type TimeWait struct {
	Ticks uint64 // how long a packet may live

	qpn   [maxResting]uint32
	until [maxResting]uint64
}

// Rest puts a QP number to rest. When too many rest, the one that rested longest is given up.
func (t *TimeWait) Rest(qpn uint32, now uint64) {
	oldest := 0
	for i := range t.until {
		if t.until[i] < t.until[oldest] {
			oldest = i
		}
	}
	t.qpn[oldest], t.until[oldest] = qpn, now+t.Ticks
}

// Free reports whether a QP number may be used again.
func (t *TimeWait) Free(qpn uint32, now uint64) bool {
	for i := range t.until {
		if t.until[i] > now && t.qpn[i] == qpn {
			return false
		}
	}
	return true
}
