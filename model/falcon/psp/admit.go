package psp

// Decides FAL-S4, FAL-S5, FAL-S6, FAL-S7.

// Refusal says why a packet is not accepted, an error. None is answered with an ACK or NACK, and nothing that the
// packet carries is looked at.
type Refusal uint8

const (
	Replayed  Refusal = iota + 1 // FAL-S4
	WrongSPI                     // FAL-S5: the connection manager is told
	WrongPCID                    // FAL-S7
)

func (r Refusal) Error() string {
	return [...]string{"accepted", "the IV is older than the replay margin", "the SPI is not the connection's",
		"the cookie is not the connection's PCID"}[r]
}

// Rule is the ID of the rule by which the packet is refused.
func (r Refusal) Rule() string {
	return [...]string{"", "FAL-S4", "FAL-S5", "FAL-S7"}[r]
}

// Global is what all connections of a receiver share.
type Global struct {
	Margin        uint64 // replay protection margin: how far behind the newest an IV may lie
	Generation    uint32 // of the PSP master key
	AllowPrevious bool   // packets of the previous generation are accepted
	MatchPCID     bool
}

// Conn is what the checks need of a connection.
type Conn struct {
	SPI, PreviousSPI uint32
	Generation       uint32 // of SPI
	RemoteTime       uint64 // the newest IV
	PCID             uint64
}

// selector is the bit of an SPI that selects the master key.
const selector = 1 << 31

// Admit checks a packet that opened, and takes its IV for the remote time if it is newer. The error is a Refusal.
func (c *Conn) Admit(g *Global, h *Header) error {
	switch {
	case !c.inTime(g, h.IV):
		return Replayed
	case !c.spiGood(g, h.SPI):
		return WrongSPI
	case g.MatchPCID && (!h.HasCookie || h.Cookie != c.PCID):
		return WrongPCID
	}
	if int64(h.IV-c.RemoteTime) > 0 {
		c.RemoteTime = h.IV
	}
	return nil
}

// inTime: FAL-S4.
func (c *Conn) inTime(g *Global, iv uint64) bool { return int64(iv-(c.RemoteTime-g.Margin)) > 0 }

// spiGood: FAL-S5.
func (c *Conn) spiGood(g *Global, spi uint32) bool {
	if c.SPI == 0 {
		return false
	}
	current := c.Generation == g.Generation || g.AllowPrevious && c.Generation == g.Generation-1
	previous := c.PreviousSPI == spi && spi != 0
	sameKey := c.PreviousSPI&selector == c.SPI&selector
	switch {
	case c.SPI == spi && current:
		return true
	case previous && sameKey:
		return current
	case previous:
		return g.AllowPrevious && c.Generation == g.Generation
	}
	return false
}

// BeginRotation starts a key rotation: the next master key is in use, the previous one still allowed (FAL-S6).
func (g *Global) BeginRotation() {
	g.Generation++
	g.AllowPrevious = true
}

// Rotate gives the connection its SPI under the next master key. remoteTime is an estimate of the sender's time that is
// not ahead of it.
func (c *Conn) Rotate(g *Global, spi uint32, remoteTime uint64) {
	c.PreviousSPI, c.SPI, c.Generation, c.RemoteTime = c.SPI, spi, g.Generation, remoteTime
}

// EndRotation ends it, when every connection has its new SPI: the previous key is refused.
func (g *Global) EndRotation() { g.AllowPrevious = false }
