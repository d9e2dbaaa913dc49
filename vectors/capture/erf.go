package capture

import "encoding/binary"

// Raw ERF: Endace records one behind the other, without a file header. Nothing in front says so: the first records must
// be whole, of types that there are, and close together in time. Records are then read as those in a pcap of
// LinkTypeERF.

const (
	erfMeta = 27
	erfPad  = 48
	// erfSure is how many records are looked at before a file is taken for ERF.
	erfSure = 3
	// erfFirstYear is 2000-01-01, in seconds since 1970; erfApart a week in nanoseconds.
	erfFirstYear = 946_684_800
	erfApart     = 7 * 24 * 3600 * int64(1e9)
)

// erfRecord is what the header of a record says.
type erfRecord struct {
	timeNS int64
	kind   byte
	size   int
}

func erfHeader(b []byte) erfRecord {
	stamp := binary.LittleEndian.Uint64(b)
	return erfRecord{int64(stamp>>32)*1e9 + int64((stamp&0xffffffff)*1e9>>32), b[8] &^ erfMore,
		int(binary.BigEndian.Uint16(b[10:]))}
}

// plausible reports whether a record can be the next of a file. The first is of a type that is read, or describes the
// file.
func (r erfRecord) plausible(before *erfRecord) bool {
	switch r.kind {
	case erfEthernet, erfColor, erfDSMColor, erfColorHash, erfInfiniBand, erfIPv4, erfIPv6, erfMeta:
	case erfPad:
		if before == nil {
			return false
		}
	default:
		return false
	}
	if r.size < erfBytes || r.timeNS < erfFirstYear*1e9 {
		return false
	}
	return before == nil || r.timeNS-before.timeNS < erfApart && before.timeNS-r.timeNS < erfApart
}

// isERF looks at the first records, without taking them. A file that ends sooner must end with a record.
func (c *Reader) isERF() bool {
	var before *erfRecord
	at := 0
	for range erfSure {
		b, err := c.r.Peek(at + erfBytes)
		if err != nil {
			return before != nil && len(b) == at
		}
		r := erfHeader(b[at:])
		if !r.plausible(before) {
			return false
		}
		if at += r.size; at+erfBytes > windowBytes {
			return false
		}
		if _, err := c.r.Peek(at); err != nil {
			return false
		}
		before = &r
	}
	return true
}

func (c *Reader) nextERF() error {
	h, err := c.peek(erfBytes, atRecord)
	if err != nil {
		return err
	}
	r := erfHeader(h)
	if r.size < erfBytes {
		return c.failHere("an ERF record of %d bytes; its header has %d", r.size, erfBytes)
	}
	record, err := c.peek(r.size, atRecord)
	if err != nil {
		return err
	}
	c.now = Frame{LinkType: LinkTypeERF, TimeNS: r.timeNS, Data: record, OrigLen: len(record)}
	return c.frame(r.size)
}
