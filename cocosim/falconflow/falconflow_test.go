package falconflow

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/falcon/mode"
	"hcacosim/model/falcon/psp"
	"hcacosim/model/wire"
	"hcacosim/vectors/capture"
)

// given are the keys of testdata/make.py, an encoder that shares no code with this package.
var given = []string{"11=000102030405060708090a0b0c0d0e0f",
	"0x80000022=6465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f80818283"}

func keys(t testing.TB) Keys {
	k, err := ParseKeys(given)
	require.NoError(t, err)
	return k
}

// frames reads a capture of testdata.
func frames(t testing.TB, name string) (all []capture.Frame) {
	in, err := capture.Open("testdata/" + name + ".pcap")
	require.NoError(t, err)
	defer in.Close()
	for {
		f, err := in.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		f.Data = bytes.Clone(f.Data)
		all = append(all, f)
	}
}

// verdicts judges a capture.
func verdicts(t testing.TB, name string, opt Options) (out []string, r *Report) {
	c := NewChecker(opt)
	for _, f := range frames(t, name) {
		out = append(out, c.Take(f.Number, f.TimeNS, f.Link, f.Data, f.OrigLen))
	}
	return out, c.Finish()
}

// Every type, with both key lengths, a cookie, a VLAN tag, IPv6 and tunnel mode, is read as the encoder made it.
func TestGood(t *testing.T) {
	d := New(Options{Keys: keys(t)})
	var got []string
	for _, f := range frames(t, "good") {
		var p Packet
		d.Decode(f.Link, f.Data, f.OrigLen, &p)
		got = append(got, p.Summary())
	}
	require.Equal(t, []string{
		"PSP SPI 11h, Falcon, Pull Request, CID ABCDEFh, PSN 1000, RSN 2000, payload 10, ICV good",
		"PSP SPI 11h, Falcon, Pull Data, CID ABCDEFh, PSN 1000, RSN 2000, payload 10, ICV good",
		"PSP SPI 11h, Falcon, Push Data, CID ABCDEFh, PSN 1001, RSN 2001, payload 10, ICV good",
		"PSP SPI 11h, Falcon, Resync, CID ABCDEFh, PSN 1001, RSN 2001, payload 0, ICV good",
		"PSP SPI 11h, Falcon, BACK, CID ABCDEFh, bases 5000 data, 6000 request, ICV good",
		"PSP SPI 11h, Falcon, EACK, CID ABCDEFh, bases 5000 data, 6000 request, ICV good",
		"PSP SPI 11h, Falcon, NACK, CID ABCDEFh, PSN 6021, insufficient resources, ICV good",
		"PSP SPI 80000022h, Falcon, Push Data, CID ABCDEFh, PSN 1002, RSN 2002, payload 10, ICV good",
		"PSP SPI 11h, Falcon, Pull Data, CID ABCDEFh, PSN 1000, RSN 2000, payload 10, ICV good",
		"PSP SPI 11h, Falcon, Push Data, CID ABCDEFh, PSN 1003, RSN 2003, payload 10, ICV good",
		"PSP SPI 33h, Falcon, CID ABCDEFh, no key for the SPI: not judged (NO_KEY)",
		"PSP SPI 11h, next header 6: not Falcon",
	}, got)
	_, r := verdicts(t, "good", Options{Keys: keys(t)})
	require.Zero(t, r.Certain+r.Possible+r.ICVBad+r.Malformed)
	require.EqualValues(t, []uint64{11, 10, 1}, []uint64{r.Packets, r.Read, r.OtherPSP})
	require.Equal(t, map[string]uint64{"no key for the SPI: not judged (NO_KEY)": 1}, r.NotJudged)
	require.Len(t, r.Flows, 2)
	require.EqualValues(t, 10, r.Flows[0].Packets)
	require.EqualValues(t, map[string]uint64{"Pull Request": 1, "Pull Data": 1, "Push Data": 3, "Resync": 1, "BACK": 1,
		"EACK": 1, "NACK": 1}, r.Flows[0].Types)
}

// Without keys nothing is judged, and nobody is blamed.
func TestWithoutKeys(t *testing.T) {
	for _, name := range []string{"good", "wrong"} {
		_, r := verdicts(t, name, Options{})
		require.Zero(t, r.Read+r.Certain+r.ICVBad, name)
		require.NotEmpty(t, r.NotJudged, name)
	}
	wrong, err := ParseKeys([]string{"11=ff0102030405060708090a0b0c0d0e0f"})
	require.NoError(t, err)
	_, r := verdicts(t, "good", Options{Keys: wrong})
	require.EqualValues(t, 9, r.ICVBad, "another key looks like a changed packet")
	require.Zero(t, r.Certain+r.Possible)
}

// FAL-W1 to FAL-W4, FAL-W6, FAL-W12, FAL-W13, FAL-S1 to FAL-S3: what is wrong is told with its rule, certain behind
// a good ICV.
func TestWrong(t *testing.T) {
	got, r := verdicts(t, "wrong", Options{Keys: keys(t)})
	require.Equal(t, []string{
		"bad ICV",
		"violation FAL-W3: Push Data: Request Length is 11, and the payload has another length",
		"violation FAL-W12: version 2",
		"violation FAL-W2: packet type 12 is reserved",
		"violation FAL-W13: Pull Data: reserved bits are not 0 (RESERVED)",
		"violation FAL-W13: NACK: code 3 is reserved",
		"possible violation FAL-W4: Resync: it takes the place of a packet of type 9 (BACK), which has no PSN",
		"possible violation FAL-W6: EACK: data is acknowledged that was not received (BITMAP)",
		"violation FAL-W13: BACK: bytes follow a packet that has no payload (TRAILING)",
		"violation FAL-W1: Pull Data: Protocol(1) is reserved",
		"violation FAL-S3: crypt offset 2 leaves 8 bytes of Falcon in clear, not 4",
		"possible violation FAL-S1: the header extension length does not go with the V bit (EXT_LEN)",
		"possible violation FAL-S1: the packet ends inside the PSP header or trailer (RUNT)",
		"malformed: the lengths of IP and UDP disagree, or exceed the frame (LENGTH)",
		"violation FAL-W12: the packet ends inside its header (RUNT)",
	}, got)
	require.EqualValues(t, []uint64{9, 4, 1, 6}, []uint64{r.Certain, r.Possible, r.ICVBad, r.Malformed})
	require.Len(t, r.Findings, 13)
	require.Equal(t, Finding{Packet: 4, Certain: true, Flow: "10.0.0.1 to 10.0.0.2 CID ABCDEFh",
		AtNs: 1_700_000_000_000_003_000, Verdict: r.Findings[2].Verdict}, r.Findings[2])
}

// In clear a sender is blamed for certain only where a UDP checksum vouches for the packet; the mode says what
// is known.
func TestClear(t *testing.T) {
	got, r := verdicts(t, "clear", Options{Port: 7777})
	require.Equal(t, []string{"expected: Push Data",
		"possible violation FAL-W13: BACK: reserved bits are not 0 (RESERVED)",
		"violation FAL-W13: NACK: code 5 is reserved"}, got)
	require.EqualValues(t, []uint64{1, 1}, []uint64{r.Certain, r.Possible})
	f := frames(t, "wide")[0]
	c := NewChecker(Options{Keys: keys(t)})
	require.Contains(t, c.Take(1, 0, f.Link, f.Data, f.OrigLen), "possible violation FAL-W13",
		"the tables have a bit more")
	f = frames(t, "wide")[1]
	require.Contains(t, c.Take(2, 0, f.Link, f.Data, f.OrigLen), "violation FAL-W13", "no reading has this one")
	require.EqualValues(t, []uint64{1, 1}, []uint64{c.Finish().Certain, c.Finish().Possible})
	_, r = verdicts(t, "clear", Options{Port: 7777, Mode: &mode.Peer})
	require.Zero(t, r.Certain+r.Possible)
	got, r = verdicts(t, "clear", Options{})
	require.Equal(t, []string{"", "", ""}, got)
	require.Zero(t, r.Packets)
}

// A changed byte of a packet in clear with a checksum makes it no witness any more.
func TestUDPChecksum(t *testing.T) {
	f := frames(t, "clear")[2]
	var p Packet
	d := New(Options{Port: 7777})
	d.Decode(f.Link, f.Data, f.OrigLen, &p)
	require.True(t, p.Authentic)
	f.Data[len(f.Data)-1] ^= 1
	d.Decode(f.Link, f.Data, f.OrigLen, &p)
	require.False(t, p.Authentic)
}

// What a snap length cut is not judged, but for the header of a packet in clear.
func TestCut(t *testing.T) {
	got, r := verdicts(t, "cut", Options{Keys: keys(t), Port: 7777})
	require.Equal(t, []string{"not judged: undecided: the capture holds only the start of the frame (CUT)",
		"expected: Push Data"}, got)
	require.Zero(t, r.Certain+r.Possible)
}

// What lies in ESP, over IP or UDP, is counted as not judged; IKE and what keeps a NAT's entry is no such packet.
func TestESP(t *testing.T) {
	got, r := verdicts(t, "esp", Options{Keys: keys(t)})
	const esp = "in IPsec ESP: whether Falcon or not cannot be told, not judged (ESP)"
	require.Equal(t, []string{"not judged: " + esp, "not judged: " + esp, "not judged: " + esp, "", "",
		"expected: Push Data"}, got)
	require.Equal(t, map[string]uint64{esp: 3}, r.NotJudged)
	require.EqualValues(t, []uint64{4, 1, 0, 0}, []uint64{r.Packets, r.Read, r.Certain, r.Possible})
	f := frames(t, "esp")[0]
	var p Packet
	var text strings.Builder
	New(Options{}).Decode(f.Link, f.Data, f.OrigLen, &p)
	p.Describe(&text, "", f.Data)
	require.Equal(t, "ESP: not judged", p.Summary())
	require.Contains(t, text.String(), "not read           "+esp)
	require.NotContains(t, text.String(), "UDP")
}

// Field by field: the lines of an EACK and of a NACK.
func TestDescribe(t *testing.T) {
	d := New(Options{Keys: keys(t)})
	all := frames(t, "good")
	var p Packet
	text := ""
	for _, f := range all {
		d.Decode(f.Link, f.Data, f.OrigLen, &p)
		var b strings.Builder
		p.Describe(&b, "", f.Data)
		text += b.String()
	}
	for _, line := range []string{
		"   42  PSP           next header        252",
		"   50                IV                 6",
		"   58  Falcon        version            1",
		"   89                R-OWN, D-OWN       false, true",
		"   90                data acked         00000000000000000000000000000006h",
		"  106                data received      8000000000000000000000000000000Eh",
		"  122                requests           0000000000000008h",
		"   86                RUE info           054321h",
		"   95                RNR timeout        9: 0.24 ms",
		"   96                window             request",
		"   58                cookie             0000000000C00C1Eh",
		"   34  UDP           source port        49152",
		"   34                not read           no key for the SPI: not judged (NO_KEY)",
		"   86  payload       10 bytes           30313233343536373839",
	} {
		require.Contains(t, text, line+"\n")
	}
}

// Keys that cannot be are refused in words.
func TestParseKeys(t *testing.T) {
	for bad, want := range map[string]string{"11": "not SPI=HEX", "123456789=00": "not SPI=HEX",
		"11=0g": "not in hexadecimal", "11=0011": "32 or 64 hexadecimal digits, not 4"} {
		_, err := ParseKeys([]string{bad})
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "--psp-key "+bad)
	}
}

// Every single-bit change of every good packet is found, or lies outside what is protected; none blames the sender for
// certain.
func TestNoChangedPacketIsBlamed(t *testing.T) {
	d := New(Options{Keys: keys(t)})
	for _, f := range frames(t, "good")[:10] {
		var p Packet
		d.Decode(f.Link, f.Data, f.OrigLen, &p)
		for n := 8 * p.PSPAt; n < 8*len(f.Data); n++ {
			b := bytes.Clone(f.Data)
			b[n/8] ^= 0x80 >> (n % 8)
			var q Packet
			d.Decode(f.Link, b, f.OrigLen, &q)
			require.NotEqual(t, Read, q.State, "frame %d bit %d", f.Number, n)
			require.False(t, q.Authentic)
		}
	}
}

// FuzzDecode: nothing panics on any frame, and every part lies in the frame.
func FuzzDecode(f *testing.F) {
	for _, name := range []string{"good", "wrong", "clear", "cut", "esp"} {
		for _, x := range frames(f, name) {
			f.Add(x.Data, 0)
		}
	}
	k := keys(f)
	f.Fuzz(func(t *testing.T, b []byte, more int) {
		c := NewChecker(Options{Keys: k, Port: 7777})
		more = min(max(more, 0), 1<<20)
		word := c.Take(1, 0, wire.LinkEthernet, b, len(b)+more)
		require.Equal(t, c.p.State == NotFalcon, word == "")
		if c.p.State == NotFalcon {
			return
		}
		require.NotEmpty(t, c.p.Summary())
		c.p.Describe(io.Discard, "", b)
		require.LessOrEqual(t, c.p.UDPAt+8, len(b))
		c.Finish()
	})
}

func BenchmarkTake(b *testing.B) {
	c := NewChecker(Options{Keys: keys(b)})
	f := frames(b, "good")[2]
	b.ReportAllocs()
	for b.Loop() {
		c.Take(1, 0, f.Link, f.Data, f.OrigLen)
	}
}

// FAL-W12, FAL-S1: an empty datagram to a port of Falcon is counted, padded to the least frame or not. What is cut
// before the UDP header ends is not judged, where its port is there.
func TestEmptyDatagram(t *testing.T) {
	for _, port := range []uint16{psp.Port, 7777} {
		b := make([]byte, 60)
		copy(b[12:], []byte{8, 0, 0x45, 0, 0, 28, 0, 0, 0, 0, 64, 17, 0, 0, 10, 1, 1, 1, 10, 2, 0, 1})
		copy(b[34:], []byte{0xC0, 0, byte(port >> 8), byte(port), 0, 8, 0, 0})
		for _, kept := range []int{42, 60, 41, 38, 37} {
			c := NewChecker(Options{Port: 7777})
			c.Take(1, 0, wire.LinkEthernet, b[:kept], max(kept, 42))
			r := c.Finish()
			want := []uint64{1, 1, 0, 1}
			switch kept {
			case 41, 38:
				want = []uint64{1, 0, 1, 0}
			case 37:
				want = make([]uint64, 4)
			}
			require.Equal(t, want, []uint64{r.Packets, r.Malformed, r.NotJudged[cut.Error()], r.Possible}, "%d of port %d", kept,
				port)
			require.Zero(t, r.Certain)
		}
	}
}
