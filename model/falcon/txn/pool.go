package txn

import (
	"hcacosim/model/falcon"
	"hcacosim/model/falcon/mode"
	"hcacosim/model/falcon/wire"
)

// Decides FAL-T5, FAL-T6, FAL-T8 and FAL-T9.

// Amount is packet contexts and buffer cells.
type Amount struct{ Packets, Cells uint32 }

func (a Amount) plus(b Amount) Amount  { return Amount{a.Packets + b.Packets, a.Cells + b.Cells} }
func (a Amount) minus(b Amount) Amount { return Amount{a.Packets - b.Packets, a.Cells - b.Cells} }
func (a Amount) within(b Amount) bool  { return a.Packets <= b.Packets && a.Cells <= b.Cells }

// Region is one of the pools of FAL-T5.
type Region uint8

const (
	RequestTx Region = iota // ULP requests, Tx
	RequestRx               // ULP requests, Rx
	DataTx                  // ULP data, Tx
	NetworkRx               // network requests, Rx
	regions
)

// Needs is what a packet needs of every region (FAL-T6).
type Needs [regions]Amount

// Needs are those of a Pull Request, Push Data or Pull Data of so many bytes: of a Pull Request, those that it asks for
// (FAL-T6).
func (c *Config) Needs(kind falcon.Kind, length uint32) (n Needs) {
	one, data := Amount{1, c.cells(1)}, Amount{1, c.cells(length)}
	switch kind {
	case falcon.PushData:
		n[RequestTx], n[RequestRx], n[NetworkRx] = data, Amount{Packets: 1}, data
	case falcon.PullRequest:
		n[RequestTx], n[RequestRx], n[NetworkRx] = one, data, one
	case falcon.PullData:
		n[DataTx] = data
	}
	return n
}

// cells is how many cells so many bytes take; the request itself, one byte here, takes one.
func (c *Config) cells(length uint32) uint32 {
	if c.Mode.ContextInCredits {
		length += c.ContextBytes
	}
	return (length + c.CellBytes - 1) / c.CellBytes
}

// Zone says which requests a pool still takes (FAL-T8).
type Zone uint8

const (
	Green  Zone = iota // any
	Yellow             // head of line: peer only
	Red                // head of line; in the peer of those Pull Requests and unsolicited pushes only
)

// Pools are those of a device.
type Pools struct {
	Size, Used [regions]Amount
	// Thresholds of network requests: up to Green the zone is green, up to Yellow yellow where the mode has one.
	Green, Yellow Amount
}

// take takes an amount, if it is there.
func (p *Pools) take(r Region, a Amount) bool {
	if !p.Used[r].plus(a).within(p.Size[r]) {
		return false
	}
	p.Used[r] = p.Used[r].plus(a)
	return true
}

func (p *Pools) free(r Region, a Amount) { p.Used[r] = p.Used[r].minus(a) }

// Zone is that of the network requests as they are (FAL-T8).
func (p *Pools) Zone(m *mode.Mode) Zone {
	used := p.Used[NetworkRx]
	switch {
	case used.within(p.Green):
		return Green
	case m.YellowZone && used.within(p.Yellow):
		return Yellow
	}
	return Red
}

// Admits reports whether the zone lets a request pass (FAL-T8); headOfLine says whether it is the next of its
// connection.
func (p *Pools) Admits(m *mode.Mode, kind wire.Type, headOfLine bool) bool {
	switch p.Zone(m) {
	case Green:
		return true
	case Red:
		if m.YellowZone && kind != wire.PullRequest && kind != wire.PushData {
			return false
		}
	}
	return headOfLine
}

// Legal reports whether pools are large enough for requests of up to so many bytes (FAL-T9).
func (p *Pools) Legal(c *Config, most uint32) bool {
	push, pull, data := c.Needs(falcon.PushData, most), c.Needs(falcon.PullRequest, most), c.Needs(falcon.PullData, most)
	largest := func(r Region) Amount {
		return Amount{max(push[r].Packets, pull[r].Packets, data[r].Packets), max(push[r].Cells, pull[r].Cells,
			data[r].Cells)}
	}
	for r := range NetworkRx {
		if !largest(r).within(p.Size[r]) {
			return false
		}
	}
	one := largest(NetworkRx)
	threshold := p.Green
	if c.Mode.YellowZone { // yellow takes heads of line only
		threshold = Amount{min(p.Green.Packets, p.Yellow.Packets), min(p.Green.Cells, p.Yellow.Cells)}
	}
	return threshold.plus(one).plus(one).within(p.Size[NetworkRx])
}

// Credits are what one connection may hold at most of the three regions of its ULP, and what it holds (FAL-T7).
type Credits struct {
	Limit, Used [NetworkRx]Amount
}

// holder takes from a connection's credits and from the device's pools together.
type holder struct {
	pools  *Pools
	credit *Credits
}

// take takes what a packet needs of the regions of the ULP, if all of it is there (FAL-T7).
func (h holder) take(n *Needs) bool {
	for r := range NetworkRx {
		if !h.credit.Used[r].plus(n[r]).within(h.credit.Limit[r]) || !h.pools.Used[r].plus(n[r]).within(h.pools.Size[r]) {
			return false
		}
	}
	for r := range NetworkRx {
		h.credit.Used[r] = h.credit.Used[r].plus(n[r])
		h.pools.Used[r] = h.pools.Used[r].plus(n[r])
	}
	return true
}

// free gives the amount of one region back.
func (h holder) free(r Region, n *Needs) {
	h.credit.Used[r] = h.credit.Used[r].minus(n[r])
	h.pools.free(r, n[r])
}
