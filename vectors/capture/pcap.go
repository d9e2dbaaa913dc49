package capture

// Classic pcap, as in libpcap's pcap-savefile(5): a header of 24 bytes, then records of 16 bytes and data.
const (
	pcapHeaderBytes = 24
	pcapRecordBytes = 16
)

// isPcap takes the first four bytes, read little-endian, and notes byte order and resolution.
func (c *Reader) isPcap(magic uint32) bool {
	switch magic {
	case 0xa1b2c3d4:
		c.order, c.nsPerTick = byteOrder{}, 1000
	case 0xa1b23c4d:
		c.order, c.nsPerTick = byteOrder{}, 1
	case 0xd4c3b2a1:
		c.order, c.nsPerTick = byteOrder{big: true}, 1000
	case 0x4d3cb2a1:
		c.order, c.nsPerTick = byteOrder{big: true}, 1
	default:
		return false
	}
	return true
}

func (c *Reader) pcapHeader() error {
	h, err := c.peek(pcapHeaderBytes, "the file header")
	if err != nil {
		return err
	}
	if major, minor := c.order.u16(h[4:]), c.order.u16(h[6:]); major != 2 || minor != 4 {
		return c.fail("pcap of an unknown version", "version 2.4 is read", nil)
	}
	// The upper half of the word says whether frames end in an FCS; four such bytes pass as a trailer (END-1).
	c.linkType = uint16(c.order.u32(h[20:]))
	if !KnownLinkType(c.linkType) {
		return c.failLinkType(c.linkType)
	}
	c.used = pcapHeaderBytes
	return nil
}

func (c *Reader) nextPcap() error {
	h, err := c.peek(pcapRecordBytes, atRecord)
	if err != nil {
		return err
	}
	length := c.order.u32(h[8:])
	if length > MaxFrameBytes {
		return c.failHere("claims %d bytes; at most %d are read", length, MaxFrameBytes)
	}
	size := pcapRecordBytes + int(length)
	record, err := c.peek(size, atRecord)
	if err != nil {
		return err
	}
	c.now = Frame{
		LinkType: c.linkType,
		TimeNS:   int64(c.order.u32(record))*1e9 + int64(c.order.u32(record[4:]))*c.nsPerTick,
		Data:     record[pcapRecordBytes:],
		OrigLen:  int(c.order.u32(record[12:])),
	}
	return c.frame(size)
}
