package field

import (
	"net/netip"
)

// use makes a direction the newest used.
func (o *Observer) use(c *Conn) {
	if c != o.newest {
		o.unlink(c)
		o.link(c)
	}
	o.lastConn = c.seen(o)
}

func (o *Observer) link(c *Conn) {
	c.older, c.newer = o.newest, nil
	if o.newest != nil {
		o.newest.newer = c
	} else {
		o.oldest = c
	}
	o.newest = c
}

func (o *Observer) unlink(c *Conn) {
	if c.newer != nil {
		c.newer.older = c.older
	} else {
		o.newest = c.older
	}
	if c.older != nil {
		c.older.newer = c.newer
	} else {
		o.oldest = c.newer
	}
}

// LastFlow names the direction of the packet that was taken last, and its queue pair.
func (o *Observer) LastFlow() (name string, qpn uint32) {
	if o.lastConn == nil || o.lastConn.LastPacket != o.num {
		return "", 0
	}
	return o.FlowName(o.lastConn) + " " + o.lastConn.Src.String() + " " + o.lastConn.Dst.String(), o.lastConn.QPN
}

// Seen reports whether a packet was from or to an address. One from the end at the capture point need not have a good
// ICRC: that may be the end's mistake.
func (o *Observer) Seen(a netip.Addr) bool {
	at := a.As16()
	return o.hosts[at] != nil || o.speaks && at == o.own
}

// SomeHosts names a few addresses that packets were from or to.
func (o *Observer) SomeHosts() string {
	text := ""
	for i, h := range sortedHosts(o.hosts) {
		if i == 4 {
			return text + ", ..."
		}
		if i > 0 {
			text += ", "
		}
		text += h.IP.String()
	}
	return text
}
