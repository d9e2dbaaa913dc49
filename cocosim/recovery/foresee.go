package recovery

import (
	"math"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
)

// Bytes that a packet has beside its payload: Ethernet with check sequence, preamble and gap, IPv4, UDP, BTH, ICRC; a
// RETH in the first of a WRITE, an AETH in an ACK.
const (
	packetBytes = 14 + 24 + 20 + 8 + 12 + 4
	rethBytes   = 16
	ackBytes    = packetBytes + 4
)

// Point is what is foreseen for one loss and one timeout code.
type Point struct {
	Loss    float64 `json:"loss"` // in percent
	Timeout uint8   `json:"timeout"`
	TimerUs float64 `json:"timer_us"`
	// Goodput is payload of both directions, or of the one.
	Goodput float64 `json:"goodput_gbps"`
	Share   float64 `json:"share"` // of what it is without loss
	Bound   string  `json:"bound"` // what holds it up: "line", "window" or "loss"
	// A lost packet is sent again so long after it left: told by a NAK, by the timer, and on average.
	NAKUs   float64 `json:"nak_us"`
	TimerRe float64 `json:"by_timer_us"`
	MeanUs  float64 `json:"mean_us"`
	// ByTimer is the share of losses that wait for the timer.
	ByTimer float64 `json:"by_timer"`
	// Wasted is how many packets behind a lost one are sent for nothing.
	Wasted float64 `json:"wasted"`
	// Active is the share of time in which a QP does not wait for its timer.
	Active float64 `json:"active"`
}

// Foresee foresees every loss with every timeout code.
func Foresee(w *Workload) (all []Point) {
	for _, code := range w.Timeouts {
		for _, loss := range w.Losses {
			all = append(all, w.at(loss/100, code))
		}
	}
	return all
}

// shape is what follows from a workload without loss.
type shape struct {
	packets     float64 // of a WRITE
	lineNs      float64 // of the line that a packet takes, with its share of the other direction's ACK
	rttNs       float64 // from a packet's last bit to the ACK's or NAK's effect, but for waits
	outstanding float64 // packets of a QP
}

func (w *Workload) shape() (s shape) {
	n := float64(psn.OfRead(w.Bytes, w.PMTU))
	bytes := float64(w.Bytes) + n*packetBytes + rethBytes
	if !w.OneWay {
		bytes += ackBytes
	}
	s.packets, s.lineNs = n, 8*bytes/n/w.Gbps
	s.rttNs = 2*float64(w.DelayNs) + 8*ackBytes/w.Gbps + w.ns(Answer) + w.ns(Again)
	s.outstanding = min(float64(w.Window), float64(w.Depth)*n)
	return s
}

// at foresees one point: a cycle of a QP is the good packets between two losses, those wasted behind the loss, and the
// waits for the timer.
func (w *Workload) at(p float64, code uint8) (o Point) {
	s := w.shape()
	timerNs := float64(ib.TimeoutNs(code))
	o.Loss, o.Timeout, o.TimerUs = 100*p, code, timerNs/1000
	o.ByTimer = 1 - (1-p)*(1-p)
	o.Active = 1
	var each, nak float64
	for range 200 { // of QPs that wait for their timers the others have the line: a fixed point
		sharing := max(1, float64(w.QPs)*o.Active)
		nak = s.nakNs(w, sharing)
		each = max(sharing*s.lineNs, s.windowNs())
		o.Wasted = s.wasted(p, nak/each, min(1, sharing*s.lineNs/s.windowNs()))
		busy := (1/max(p, 1e-12) + o.Wasted) * each
		waits := o.ByTimer * timerNs / (1 - p)
		o.Active = (o.Active + busy/(busy+waits)) / 2
	}
	good := 1 / (each * (1 + p*o.Wasted)) * o.Active // packets of a QP in a nanosecond
	payload := 8 * float64(w.Bytes) / s.packets
	o.Goodput = good * payload * float64(w.QPs) * w.directions()
	lossless := payload * float64(w.QPs) * w.directions() / s.lossless(w)
	o.Share = o.Goodput / lossless
	o.NAKUs, o.TimerRe = nak/1000, (nak+timerNs/(1-p))/1000
	o.MeanUs = o.NAKUs*(1-o.ByTimer) + o.TimerRe*o.ByTimer
	o.Bound = "line"
	if s.lossless(w) > float64(w.QPs)*s.lineNs*(1+1e-9) {
		o.Bound = "window"
	}
	if o.Share < 0.98 {
		o.Bound = "loss"
	}
	return o
}

// wasted is how many packets a loss costs. On a line that never rests, share 1, it is all that leaves until the packet
// leaves again. A QP whose window is empty long before the next ACK sends in bursts, one a round trip: those before the
// loss are good, and behind the NAK the next burst begins at once. A burst of o packets ends with its first loss, so
// there are o / (1 - (1-p)^o) packets of bursts to a loss, and 1/p of them are good.
func (s *shape) wasted(p, until, share float64) float64 {
	o := s.outstanding
	bursts := o / 2 // what it tends to
	if lost := 1 - math.Pow(1-p, o); lost > 1e-6 {
		bursts = o/lost - 1/p
	}
	return share*min(1+until, o) + (1-share)*bursts
}

// nakNs is how long behind a lost packet it leaves again: the next packet of the QP tells of it, the NAK waits for its
// turn where the peer sends too, and what is sent again for its own.
func (s *shape) nakNs(w *Workload, sharing float64) float64 {
	turn := sharing * s.lineNs / 2
	waits := turn
	if !w.OneWay {
		waits += turn
	}
	return sharing*s.lineNs + s.rttNs + waits
}

// lossless is how long a packet of a QP takes where none is lost.
func (s *shape) lossless(w *Workload) float64 {
	return max(float64(w.QPs)*s.lineNs, s.windowNs())
}

// windowNs is how long a packet takes where nothing but what may be outstanding bounds it: the ACK of a WRITE lets as
// many packets go as it has, and what is outstanding goes once in a round trip behind its last.
func (s *shape) windowNs() float64 { return (s.packets*s.lineNs + s.rttNs) / s.outstanding }

func (w *Workload) directions() float64 {
	if w.OneWay {
		return 1
	}
	return 2
}
