package capture

// Options of a packet and of an interface statistics block.
const (
	optionLost       = 4 // of an enhanced packet: lost between this packet and the one before on the interface
	optionIfReceived = 4 // of interface statistics, since the capture began
	optionIfDropped  = 5
	optionOSDropped  = 7
)

// Drops is what a pcapng file tells of frames that it does not hold, summed over its interfaces.
type Drops struct {
	Known     bool   // an interface statistics block has if_drop or os_drop
	Received  uint64 // if_recv: frames that the interface had
	Interface uint64 // if_drop: lost for want of resources at the interface
	System    uint64 // os_drop: lost by the operating system
	Lost      uint64 // epb_dropcount: lost before single packets
}

// Total is how many frames are known to be missing.
func (d *Drops) Total() uint64 { return max(d.Interface+d.System, d.Lost) }

// Drops is what was told up to the frame that was read last; statistics mostly come at the end. A classic pcap tells
// nothing.
func (c *Reader) Drops() Drops {
	d := c.drops
	for i := range c.ifaces {
		d.add(&c.ifaces[i].drops)
	}
	return d
}

func (d *Drops) add(x *Drops) {
	d.Known = d.Known || x.Known
	d.Received += x.Received
	d.Interface += x.Interface
	d.System += x.System
	d.Lost += x.Lost
}

// settleDrops keeps what a section told whose interfaces end.
func (c *Reader) settleDrops() {
	for i := range c.ifaces {
		c.drops.add(&c.ifaces[i].drops)
	}
}

// statisticsBlock reads an interface statistics block. A later one of the same interface counts from the start too.
func (c *Reader) statisticsBlock(size uint32) error {
	b, err := c.block(size, blockFrameBytes+12, "interface statistics")
	if err != nil {
		return err
	}
	if face := c.order.u32(b); face < uint32(len(c.ifaces)) {
		d := &c.ifaces[face].drops
		var dropped, system bool
		if v, has := c.counter(b[12:], optionIfReceived); has {
			d.Received = v
		}
		if v, has := c.counter(b[12:], optionIfDropped); has {
			d.Interface, dropped = v, true
		}
		if v, has := c.counter(b[12:], optionOSDropped); has {
			d.System, system = v, true
		}
		d.Known = d.Known || dropped || system
	}
	return c.skipBlock(size)
}

func (c *Reader) counter(options []byte, kind uint16) (uint64, bool) {
	v := c.option(options, kind)
	if len(v) != 8 {
		return 0, false
	}
	return c.order.u64(v), true
}

// countLost adds the drop count of an enhanced packet, which few writers give.
func (c *Reader) countLost(options []byte) {
	if len(options) < 4 {
		return
	}
	if v, has := c.counter(options, optionLost); has {
		c.drops.Lost += v
	}
}
