package capture

import (
	"bytes"
	"io"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
	"github.com/stretchr/testify/require"
)

// benchFile is 4,096 packets of 100 bytes with a comment each.
func benchFile() []byte {
	packets := make([]testPacket, 4096)
	for i := range packets {
		packets[i] = testPacket{timeNS: int64(i) * 1000, data: string(make([]byte, 100)), comment: "why this packet is here"}
	}
	return writePcapng(packets)
}

func BenchmarkCapture(b *testing.B) {
	file := benchFile()
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		c, _ := NewReader(bytes.NewReader(file), "f")
		for {
			if _, err := c.Next(); err != nil {
				break
			}
			n++
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/packet")
}

func BenchmarkCapturePcapgo(b *testing.B) {
	file := benchFile()
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		r, _ := pcapgo.NewNgReader(bytes.NewReader(file), pcapgo.NgReaderOptions{WantMixedLinkType: true})
		for {
			if _, _, _, err := r.ZeroCopyReadPacketDataWithOptions(); err != nil {
				break
			}
			n++
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/packet")
}

func BenchmarkCaptureWriter(b *testing.B) {
	w := NewWriter(io.Discard, "test")
	w.Interface("eth", LinkTypeEthernet)
	data, comment := make([]byte, 100), []byte("why this packet is here")
	b.ReportAllocs()
	for b.Loop() {
		w.Packet(0, 0, data, comment)
	}
}

func BenchmarkNgWriter(b *testing.B) {
	w, err := pcapgo.NewNgWriter(io.Discard, layers.LinkTypeEthernet)
	require.NoError(b, err)
	data := make([]byte, 100)
	info := gopacket.CaptureInfo{Timestamp: time.Unix(0, 0), CaptureLength: 100, Length: 100}
	options := pcapgo.NgPacketOptions{Comments: []string{"why this packet is here"}}
	b.ReportAllocs()
	for b.Loop() {
		if err := w.WritePacketWithOptions(info, data, options); err != nil {
			b.Fatal(err)
		}
	}
}
