package loop

import (
	"io"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
)

// Epoch is when the time of a simulated loop begins in captures: any day will do.
var Epoch = time.Unix(1_700_000_000, 0)

// WriteCapture returns a Seen that writes what an end saw as a pcap with nanoseconds, time 0 at began, and a function
// that returns the first error.
func WriteCapture(w io.Writer, began time.Time) (Seen, func() error) {
	p := pcapgo.NewWriterNanos(w)
	err := p.WriteFileHeader(1<<16, layers.LinkTypeEthernet)
	see := func(nowNs uint64, frame []byte, _ bool) {
		if err == nil {
			err = p.WritePacket(gopacket.CaptureInfo{Timestamp: began.Add(time.Duration(nowNs)), CaptureLength: len(frame),
				Length: len(frame)}, frame)
		}
	}
	return see, func() error { return err }
}
