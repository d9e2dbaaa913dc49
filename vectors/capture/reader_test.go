package capture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
	"github.com/stretchr/testify/require"

	"hcacosim/model/wire"
)

// testPacket is what a test writes and expects back.
type testPacket struct {
	face    int
	timeNS  int64
	data    string
	comment string
}

var testPackets = []testPacket{
	{0, 1_700_000_000_123_456_000, "an Ethernet frame", "first"},
	{1, 1_700_000_000_123_457_000, "an InfiniBand packet", ""},
	{0, 1_700_000_001_000_000_000, "", "empty, with a comment"},
	{0, 1_700_000_002_999_999_000, "xyz", ""},
}

// ethernetOnly is testPackets for formats that know one link.
func ethernetOnly() (out []testPacket) {
	for _, p := range testPackets {
		if p.face == 0 {
			p.comment = ""
			out = append(out, p)
		}
	}
	return out
}

// buildPcap writes a classic pcap, by hand so that every byte order and resolution is covered.
func buildPcap(order binary.AppendByteOrder, magic uint32, nsPerTick int64, packets []testPacket) []byte {
	b := order.AppendUint32(nil, magic)
	b = order.AppendUint16(b, 2)
	b = order.AppendUint16(b, 4)
	b = append(b, make([]byte, 8)...)
	b = order.AppendUint32(b, 65535)
	b = order.AppendUint32(b, LinkTypeEthernet)
	for _, p := range packets {
		b = order.AppendUint32(b, uint32(p.timeNS/1e9))
		b = order.AppendUint32(b, uint32(p.timeNS%1e9/nsPerTick))
		b = order.AppendUint32(b, uint32(len(p.data)))
		b = order.AppendUint32(b, uint32(len(p.data)))
		b = append(b, p.data...)
	}
	return b
}

// pcapngBlock frames a body.
func pcapngBlock(order binary.AppendByteOrder, kind uint32, body []byte) []byte {
	body = append(bytes.Clone(body), make([]byte, -len(body)&3)...)
	b := order.AppendUint32(nil, kind)
	b = order.AppendUint32(b, uint32(len(body)+12))
	b = append(b, body...)
	return order.AppendUint32(b, uint32(len(body)+12))
}

// buildPcapng writes a pcapng with two interfaces (microseconds), a block that no reader knows and every packet block.
func buildPcapng(order binary.AppendByteOrder, packets []testPacket) []byte {
	u32 := func(values ...uint32) (b []byte) {
		for _, v := range values {
			b = order.AppendUint32(b, v)
		}
		return b
	}
	section := append(u32(byteOrderMagic), order.AppendUint16(order.AppendUint16(nil, 1), 0)...)
	b := pcapngBlock(order, blockSection, append(section, bytes.Repeat([]byte{0xff}, 8)...))
	for _, link := range []uint16{LinkTypeEthernet, LinkTypeInfiniBand} {
		b = append(b, pcapngBlock(order, blockInterface, append(order.AppendUint16(nil, link), make([]byte, 6)...))...)
	}
	b = append(b, pcapngBlock(order, 0x0bad, []byte("nobody knows this block"))...)
	for _, p := range packets {
		us := uint64(p.timeNS / 1000)
		body := append(u32(uint32(p.face), uint32(us>>32), uint32(us), uint32(len(p.data)), uint32(len(p.data))), p.data...)
		body = append(body, make([]byte, -len(body)&3)...)
		if p.comment != "" {
			body = order.AppendUint16(body, optionComment)
			body = order.AppendUint16(body, uint16(len(p.comment)))
			body = append(body, p.comment...)
			body = append(body, make([]byte, -len(body)&3)...)
			body = append(body, 0, 0, 0, 0)
		}
		b = append(b, pcapngBlock(order, blockEnhanced, body)...)
	}
	return b
}

// readAll copies everything out of a capture; err is nil at a clean end.
func readAll(c *Reader) (frames []Frame, err error) {
	for {
		f, err := c.Next()
		if err == io.EOF {
			return frames, nil
		}
		if err != nil {
			return frames, err
		}
		f.Data, f.Comment = bytes.Clone(f.Data), bytes.Clone(f.Comment)
		frames = append(frames, f)
	}
}

func requirePackets(t *testing.T, want []testPacket, file []byte) {
	t.Helper()
	c, err := NewReader(bytes.NewReader(file), "test")
	require.NoError(t, err)
	frames, err := readAll(c)
	require.NoError(t, err)
	require.Len(t, frames, len(want))
	for i, f := range frames {
		require.Equal(t, uint64(i+1), f.Number)
		require.Equal(t, want[i].timeNS, f.TimeNS, "packet %d", i+1)
		require.Equal(t, want[i].data, string(f.Data), "packet %d", i+1)
		require.Equal(t, want[i].comment, string(f.Comment), "packet %d", i+1)
		require.Equal(t, []wire.Link{wire.LinkEthernet, wire.LinkIB}[want[i].face], f.Link, "packet %d", i+1)
		require.Equal(t, len(f.Data), f.OrigLen)
	}
}

func TestCaptureReadsPcapOfEveryKind(t *testing.T) {
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		requirePackets(t, ethernetOnly(), buildPcap(order, 0xa1b2c3d4, 1000, ethernetOnly()))
		requirePackets(t, ethernetOnly(), buildPcap(order, 0xa1b23c4d, 1, ethernetOnly()))
	}
}

func TestCaptureReadsPcapng(t *testing.T) {
	little := buildPcapng(binary.LittleEndian, testPackets)
	big := buildPcapng(binary.BigEndian, testPackets)
	requirePackets(t, testPackets, little)
	requirePackets(t, testPackets, big)

	// A second section has its own byte order and its own interfaces.
	c, err := NewReader(bytes.NewReader(append(big, little...)), "test")
	require.NoError(t, err)
	frames, err := readAll(c)
	require.NoError(t, err)
	require.Len(t, frames, 2*len(testPackets))
}

func TestCaptureWriterIsReadBack(t *testing.T) {
	requirePackets(t, testPackets, writePcapng(testPackets))
}

func writePcapng(packets []testPacket) []byte {
	var file bytes.Buffer
	w := NewWriter(&file, "test")
	w.Interface("eth", LinkTypeEthernet)
	w.Interface("ib", LinkTypeInfiniBand)
	for _, p := range packets {
		w.Packet(p.face, p.timeNS, []byte(p.data), []byte(p.comment))
	}
	if err := w.Flush(); err != nil {
		panic(err)
	}
	return file.Bytes()
}

func TestCaptureWriterIsReadByPcapgo(t *testing.T) {
	r, err := pcapgo.NewNgReader(bytes.NewReader(writePcapng(testPackets)),
		pcapgo.NgReaderOptions{WantMixedLinkType: true})
	require.NoError(t, err)
	for _, want := range testPackets {
		data, info, options, err := r.ReadPacketDataWithOptions()
		require.NoError(t, err)
		require.Equal(t, want.data, string(data))
		require.Equal(t, want.timeNS, info.Timestamp.UnixNano())
		require.Equal(t, want.face, info.InterfaceIndex)
		require.Equal(t, []layers.LinkType{LinkTypeEthernet, LinkTypeInfiniBand}[want.face], info.AncillaryData[0])
		if want.comment != "" {
			require.Equal(t, []string{want.comment}, options.Comments)
		}
	}
	_, _, err = r.ReadPacketData()
	require.Equal(t, io.EOF, err)
}

// TestCaptureAgreesWithPcapgo reads every shared capture with both readers.
func TestCaptureAgreesWithPcapgo(t *testing.T) {
	paths, _ := filepath.Glob(filepath.Join(sharedCaptures(t), "*.pcap"))
	require.NotEmpty(t, paths)
	total := 0
	for _, path := range paths {
		c, err := Open(path)
		require.NoError(t, err)
		f, err := os.Open(path)
		require.NoError(t, err)
		r, err := pcapgo.NewReader(f)
		require.NoError(t, err)
		for {
			data, info, errOther := r.ReadPacketData()
			frame, err := c.Next()
			require.Equal(t, errOther, err, path)
			if err != nil {
				break
			}
			total++
			require.Equal(t, data, frame.Data, path)
			require.Equal(t, info.Timestamp.UnixNano(), frame.TimeNS, path)
			require.Equal(t, info.Length, frame.OrigLen, path)
		}
		c.Close()
		f.Close()
	}
	require.Greater(t, total, 1000)
}

// sharedCaptures finds the captures of real devices, which are too many for the repository.
func sharedCaptures(t testing.TB) string {
	dir := os.Getenv("HCACOSIM_CAPTURES")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "captures")
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no captures in %s (set HCACOSIM_CAPTURES)", dir)
	}
	return dir
}

// TestCaptureCutAnywhere cuts files at every byte: the whole packets before the cut come, then an error unless the cut
// lies between two records.
func TestCaptureCutAnywhere(t *testing.T) {
	pcap := buildPcap(binary.LittleEndian, 0xa1b23c4d, 1, ethernetOnly())
	ng := writePcapng(testPackets)
	for name, file := range map[string][]byte{"pcap": pcap, "pcapng": ng} {
		ends := map[int]int{} // packets that are whole at a clean end
		for _, n := range recordEnds(t, file) {
			ends[n] = len(ends)
		}
		whole := 0
		for cut := 0; cut <= len(file); cut++ {
			if _, ok := ends[cut]; ok && cut > 0 {
				whole = ends[cut]
			}
			c, err := NewReader(bytes.NewReader(file[:cut]), "f")
			var frames []Frame
			if err == nil {
				frames, err = readAll(c)
			}
			require.Len(t, frames, whole, "%s cut at %d", name, cut)
			_, clean := ends[cut]
			clean = clean || name == "pcapng" && isBlockEnd(file, cut)
			if clean {
				require.NoError(t, err, "%s cut at %d", name, cut)
			} else {
				var e *Error
				require.ErrorAs(t, err, &e, "%s cut at %d", name, cut)
			}
		}
	}
}

// recordEnds lists the offset before the first packet and the end of every packet.
func recordEnds(t *testing.T, file []byte) (ends []int) {
	c, err := NewReader(bytes.NewReader(file), "f")
	require.NoError(t, err)
	for {
		c.release()
		if err := c.next(); err != nil {
			break
		}
		if len(ends) == 0 {
			ends = append(ends, int(c.offset))
		}
		ends = append(ends, int(c.offset)+c.used)
	}
	return ends
}

func isBlockEnd(file []byte, at int) bool {
	n := 0
	for n < at {
		n += int(binary.LittleEndian.Uint32(file[n+4:]))
	}
	return n == at && at > 0
}

func TestCaptureErrorsAreForPeople(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, data, 0o666))
		return path
	}
	pcap := buildPcap(binary.BigEndian, 0xa1b2c3d4, 1000, ethernetOnly())
	ng := buildPcapng(binary.LittleEndian, testPackets)
	edit := func(file []byte, at int, bytes ...byte) []byte {
		file = append([]byte(nil), file...)
		copy(file[at:], bytes)
		return file
	}
	packet1 := recordEnds(t, ng)[0]
	for _, test := range []struct {
		path, want string
	}{
		{dir + "/absent.pcap", "no such file"},
		{dir, "is a directory, not a capture"},
		{write("empty", nil), "empty file"},
		{write("tiny", []byte("ab")), "not a capture: only 2 bytes"},
		{write("text", []byte("hello, world")), "not a capture: starts with 68 65 6c 6c (pcap, pcapng and ERF are read)"},
		{write("gz", []byte("\x1f\x8b\x08\x00")), "cannot be unpacked: unexpected EOF"},
		{write("header", pcap[:20]), "cut in the middle of the file header: the file ends at byte 20"},
		{write("cut", pcap[:len(pcap)-1]), "cut in the middle of packet 3: the file ends at byte 91 (the packets before it " +
			"were read)"},
		{write("version", edit(pcap, 5, 9)), "pcap of an unknown version (version 2.4 is read)"},
		{write("linktype", edit(pcap, 23, 105)), "packet 1 at byte 0: link type 105 is not read (" + knownLinkTypes + ")"},
		{write("lie", edit(pcap, 32, 0x7f)), "packet 1 at byte 24: claims 2130706449 bytes; at most 262144 are read"},
		{write("nglie", edit(ng, packet1+20, 0xff, 0xff)),
			"packet 1 at byte 104: claims 65535 bytes in a block of 68; at most 262144 are read"},
		{write("ngend", edit(ng, packet1+64, 0)), "byte 104: block of 68 bytes ends in length 0"},
		{write("ngface", edit(ng, packet1+8, 2)), "packet 1 at byte 104: is from interface 2, but the section describes 2"},
		{write("ngsize", edit(ng, packet1+4, 3)), "byte 104: block of 3 bytes"},
		{write("nghuge", edit(ng, packet1+4, 0, 0, 0, 0x70)), "byte 104: block of 1879048192 bytes cannot hold packet 1"},
		{write("ngorder", edit(ng, 8, 0)), "byte 0: section header without its byte-order mark"},
		{write("ngversion", edit(ng, 12, 2)), "byte 0: pcapng of major version 2; 1 is read"},
		{write("ngcut", ng[:len(ng)-1]), "cut in the middle of packet 4: the file ends at byte 323 (the packets before it " +
			"were read)"},
		{write("ngskip", ng[:packet1-1]), "cut in the middle of a block that holds no packet: the file ends at byte 103"},
	} {
		c, err := Open(test.path)
		if err == nil {
			_, err = readAll(c)
			_, again := c.Next()
			require.Equal(t, err, again, "an error stays")
			c.Close()
		}
		require.EqualError(t, err, test.path+": "+test.want)
	}
}

func TestCaptureTellsCutByTheSnapLength(t *testing.T) {
	pcap := buildPcap(binary.LittleEndian, 0xa1b2c3d4, 1000, ethernetOnly()[:1])
	pcap[pcapHeaderBytes+12] = 200
	c, err := NewReader(bytes.NewReader(pcap), "f")
	require.NoError(t, err)
	f, err := c.Next()
	require.NoError(t, err)
	require.Equal(t, 200, f.OrigLen)
	require.True(t, f.Cut())
}

func TestTicksBecomeNanoseconds(t *testing.T) {
	for _, test := range []struct {
		resolution byte
		ticks      uint64
		want       int64
	}{
		{0, 7, 7e9},
		{3, 1234, 1_234_000_000},
		{6, 1_000_001, 1_000_001_000},
		{9, 1_000_000_007, 1_000_000_007},
		{12, 5_000_000_000_999, 5_000_000_000},
		{19, 12_000_000_000_000_000_001, 1_200_000_000},
		{0x80 | 10, 1536, 1_500_000_000},
		{0x80 | 63, 1<<63 | 1<<62, 1_500_000_000},
	} {
		ticks, ok := ticksPerSecond(test.resolution)
		require.True(t, ok)
		face := iface{ticksPerSecond: ticks}
		require.Equal(t, test.want, face.timeNS(test.ticks), "resolution %02xh", test.resolution)
	}
	for _, resolution := range []byte{20, 63, 0x80 | 64, 0xff} {
		_, ok := ticksPerSecond(resolution)
		require.False(t, ok)
	}
}

// TestCaptureMemoryIsBounded: a file that claims everything costs one window.
func TestCaptureMemoryIsBounded(t *testing.T) {
	file := buildPcapng(binary.LittleEndian, testPackets[:2])
	big := pcapngBlock(binary.LittleEndian, 0x0bad, make([]byte, 8<<20))
	file = append(file, big...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c, err := NewReader(bytes.NewReader(file), "f")
	require.NoError(t, err)
	for err == nil {
		_, err = c.Next()
	}
	runtime.ReadMemStats(&after)
	require.Equal(t, io.EOF, err)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(windowBytes+64<<10))
}

// TestCaptureWriterIsReadByTshark: the comments are there to be seen in Wireshark.
func TestCaptureWriterIsReadByTshark(t *testing.T) {
	tshark, err := exec.LookPath("tshark")
	if err != nil {
		t.Skip("skipped: tshark is not installed: apt-get install tshark")
	}
	path := filepath.Join(t.TempDir(), "f.pcapng")
	require.NoError(t, os.WriteFile(path, writePcapng(testPackets), 0o666))
	out, err := exec.Command(tshark, "-r", path, "-T", "fields", "-E", "separator=|",
		"-e", "frame.number", "-e", "frame.time_epoch", "-e", "frame.len", "-e", "frame.interface_name", "-e",
		"frame.comment").Output()
	require.NoError(t, err)
	require.Equal(t, `1|1700000000.123456000|17|eth|first
2|1700000000.123457000|20|ib|
3|1700000001.000000000|0|eth|empty, with a comment
4|1700000002.999999000|3|eth|
`, string(out))
}

func FuzzCapture(f *testing.F) {
	f.Add(buildPcap(binary.BigEndian, 0xa1b2c3d4, 1000, ethernetOnly()))
	f.Add(buildPcapng(binary.LittleEndian, testPackets))
	f.Add(buildPcapng(binary.BigEndian, testPackets))
	f.Fuzz(func(t *testing.T, file []byte) {
		c, err := NewReader(bytes.NewReader(file), "f")
		if err == nil {
			_, err = readAll(c)
		}
		var e *Error
		if err != nil && !errors.As(err, &e) {
			t.Fatalf("not an error for people: %v", err)
		}
	})
}
