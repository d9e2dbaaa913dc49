package loop

import (
	"io"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
)

// epoch is when a loop's time begins in captures: any day will do.
var epoch = time.Unix(1_700_000_000, 0)

// WriteCapture returns a Seen that writes what an end saw as a pcap with nanoseconds, and a function that returns the
// first error.
func WriteCapture(w io.Writer) (Seen, func() error) {
	p := pcapgo.NewWriterNanos(w)
	err := p.WriteFileHeader(1<<16, layers.LinkTypeEthernet)
	see := func(nowNs uint64, frame []byte, _ bool) {
		if err == nil {
			err = p.WritePacket(gopacket.CaptureInfo{Timestamp: epoch.Add(time.Duration(nowNs)), CaptureLength: len(frame),
				Length: len(frame)}, frame)
		}
	}
	return see, func() error { return err }
}
