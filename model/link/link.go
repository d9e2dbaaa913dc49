// Package link is a link between two ends as a function of a seed: bandwidth, delay, loss, doubling and reordering. The
// fate of the n-th packet of a direction depends on the seed, the direction and n alone, so that two transports that
// send over links of one seed lose the same packets by number. It has no clock: times are nanoseconds that the caller
// hands in.
package link

// Config is a link.
type Config struct {
	Gbps    float64 // bits a nanosecond
	DelayNs uint64  // one way, behind the last bit
	// Shares of packets, from 0 to 1: lost, doubled, and held up by HoldNs so that others overtake them.
	Loss, Double, Reorder float64
	HoldNs                uint64
	Corrupt               float64 // share of packets with one wrong bit; each copy has the same
	Mark                  float64 // share that is marked: congestion experienced. It does no harm
	Seed                  uint64
}

// Harms reports whether the link does anything else than to carry packets.
func (c *Config) Harms() bool { return c.Loss+c.Double+c.Reorder+c.Corrupt > 0 }

// Way is one direction of a link.
type Way struct {
	cfg    *Config
	number uint64 // of the direction
	sent   uint64
	freeNs uint64
}

// NewWay makes direction 0 or 1 of a link.
func NewWay(cfg *Config, direction uint64) Way { return Way{cfg: cfg, number: direction} }

// FreeNs returns when the sender may begin the next packet.
func (w *Way) FreeNs() uint64 { return w.freeNs }

// Sent returns how many packets were sent.
func (w *Way) Sent() uint64 { return w.sent }

// Fate is what becomes of a packet: when it arrives, how often (0: lost).
type Fate struct {
	ArrivesNs [2]uint64
	Copies    int
	Corrupt   bool
	Marked    bool
	Bit       uint64 // of any size: modulo the packet's bits it says which one is wrong
}

// Send puts a packet of so many bytes on the link at nowNs, which must not lie before FreeNs.
func (w *Way) Send(nowNs uint64, bytes int) (f Fate) {
	lost, double, hold, wrong, marked := w.draw(0), w.draw(1), w.draw(2), w.draw(3), w.drawMark()
	w.sent++
	w.freeNs = nowNs + uint64(float64(8*bytes)/w.cfg.Gbps+0.5)
	if lost < w.cfg.Loss {
		return f
	}
	f.Marked = marked < w.cfg.Mark
	at := w.freeNs + w.cfg.DelayNs
	if hold < w.cfg.Reorder {
		at += w.cfg.HoldNs
	}
	f.ArrivesNs, f.Copies = [2]uint64{at, at + w.cfg.HoldNs}, 1
	if wrong < w.cfg.Corrupt {
		f.Corrupt, f.Bit = true, uint64(wrong/w.cfg.Corrupt*(1<<32))
	}
	if double < w.cfg.Double {
		f.Copies = 2
	}
	return f
}

// draw returns a number from 0 to 1 for one aspect of four of the packet that is sent now.
func (w *Way) draw(aspect uint64) float64 {
	return share(w.cfg.Seed + 0x9e3779b97f4a7c15*(1+4*(w.sent<<1|w.number)+aspect))
}

// drawMark returns one for the mark.
func (w *Way) drawMark() float64 {
	return share(w.cfg.Seed + 0xd1b54a32d192ed03*(1+(w.sent<<1|w.number)))
}

// share is a number from 0 to 1 that hangs on every bit of x.
func share(x uint64) float64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return float64((x^x>>31)>>11) / (1 << 53)
}
