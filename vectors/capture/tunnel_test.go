package capture

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"hcacosim/model/wire"
)

// wrapping puts an Ethernet frame that carries IPv4 into a link type or a tunnel.
type wrapping struct {
	name     string
	linkType uint16
	tunnel   Tunnel
	wrap     func(frame []byte) []byte
	unshown  string // why tshark does not count it; empty: it does
}

func hexes(s string) []byte {
	var b []byte
	for _, f := range strings.Fields(s) {
		var v byte
		for _, c := range f {
			v = v<<4 | byte(strings.IndexRune("0123456789abcdef", c))
		}
		b = append(b, v)
	}
	return b
}

const outerMACs = "02 00 00 00 01 01 02 00 00 00 01 02"

// overIPv4 is an Ethernet frame with an IPv4 packet of a protocol.
func overIPv4(protocol byte, body []byte) []byte {
	b := append(hexes(outerMACs), 8, 0)
	head := []byte{0x45, 0, 0, 0, 0, 1, 0x40, 0, 64, protocol, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2}
	binary.BigEndian.PutUint16(head[2:], uint16(20+len(body)))
	sum := uint32(0)
	for i := 0; i < 20; i += 2 {
		sum += uint32(binary.BigEndian.Uint16(head[i:]))
	}
	sum = sum&0xffff + sum>>16
	binary.BigEndian.PutUint16(head[10:], ^uint16(sum+sum>>16))
	return append(append(b, head...), body...)
}

func overUDP(port uint16, body []byte) []byte {
	u := []byte{0xc0, 0, 0, 0, 0, 0, 0, 0}
	binary.BigEndian.PutUint16(u[2:], port)
	binary.BigEndian.PutUint16(u[4:], uint16(8+len(body)))
	return overIPv4(17, append(u, body...))
}

func joinBytes(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

var wrappings = []wrapping{
	{"plain", LinkTypeEthernet, NoTunnel, func(f []byte) []byte { return f }, ""},
	{"null", LinkTypeNull, NoTunnel, func(f []byte) []byte { return joinBytes(hexes("02 00 00 00"), f[14:]) }, ""},
	{"loop", LinkTypeLoop, NoTunnel, func(f []byte) []byte { return joinBytes(hexes("00 00 00 02"), f[14:]) }, ""},
	{"raw", LinkTypeRaw, NoTunnel, func(f []byte) []byte { return f[14:] }, ""},
	{"raw IPv4", LinkTypeIPv4, NoTunnel, func(f []byte) []byte { return f[14:] }, ""},
	{"cooked 1", LinkTypeSLL, NoTunnel, func(f []byte) []byte {
		return joinBytes(hexes("00 04 00 01 00 06 02 00 00 00 00 0a 00 00 08 00"), f[14:])
	}, ""},
	{"cooked 1, tagged", LinkTypeSLL, NoTunnel, func(f []byte) []byte {
		return joinBytes(hexes("00 04 00 01 00 06 02 00 00 00 00 0a 00 00 81 00 00 05 08 00"), f[14:])
	}, ""},
	{"cooked 2", LinkTypeSLL2, NoTunnel, func(f []byte) []byte {
		return joinBytes(hexes("08 00 00 00 00 00 00 02 00 01 04 06 02 00 00 00 00 0a 00 00"), f[14:])
	}, ""},
	{"ERF Ethernet", LinkTypeERF, NoTunnel, func(f []byte) []byte { return erf(2, hexes("00 00"), f) }, ""},
	{"ERF Ethernet, extended", LinkTypeERF, NoTunnel, func(f []byte) []byte {
		return erf(0x82, hexes("03 00 00 00 00 00 00 00 00 00"), f)
	}, ""},
	{"ERF IPv4", LinkTypeERF, NoTunnel, func(f []byte) []byte { return erf(22, nil, f[14:]) }, ""},
	{"VXLAN", LinkTypeEthernet, VXLAN, func(f []byte) []byte {
		return overUDP(4789, joinBytes(hexes("08 00 00 00 00 00 2a 00"), f))
	}, ""},
	{"Geneve", LinkTypeEthernet, Geneve, func(f []byte) []byte {
		return overUDP(6081, joinBytes(hexes("01 00 65 58 00 00 2a 00 01 02 03 00"), f))
	}, ""},
	{"GRE IP", LinkTypeEthernet, GRE, func(f []byte) []byte {
		return overIPv4(47, joinBytes(hexes("00 00 08 00"),
			f[14:]))
	}, ""},
	{"GRE IP, key and sequence", LinkTypeEthernet, GRE, func(f []byte) []byte {
		return overIPv4(47, joinBytes(hexes("30 00 08 00 00 00 00 07 00 00 00 01"), f[14:]))
	}, ""},
	{"GRE Ethernet", LinkTypeEthernet, GRE, func(f []byte) []byte {
		return overIPv4(47, joinBytes(hexes("00 00 65 58"),
			f))
	}, ""},
	{"ERSPAN I", LinkTypeEthernet, ERSPAN1, func(f []byte) []byte {
		return overIPv4(47, joinBytes(hexes("00 00 88 be"),
			f))
	}, ""},
	{"ERSPAN II", LinkTypeEthernet, ERSPAN2, func(f []byte) []byte {
		return overIPv4(47, joinBytes(hexes("10 00 88 be 00 00 00 09 10 01 00 01 00 00 00 00"), f))
	}, ""},
	{"ERSPAN III", LinkTypeEthernet, ERSPAN3, func(f []byte) []byte {
		return overIPv4(47, joinBytes(hexes("10 00 22 eb 00 00 00 09 20 01 00 01 00 00 00 00 00 00 00 00"), f))
	}, ""},
	{"ERSPAN III, platform header", LinkTypeEthernet, ERSPAN3, func(f []byte) []byte {
		return overIPv4(47, joinBytes(hexes("10 00 22 eb 00 00 00 09 20 01 00 01 00 00 00 00 00 00 00 01 0c 00 00 00 00 00 "+
			"00 00"), f))
	}, ""},
	{"MPLS IP", LinkTypeEthernet, MPLS, func(f []byte) []byte {
		return joinBytes(hexes(outerMACs+" 88 47 00 01 00 40 00 02 01 40"), f[14:])
	}, ""},
	{"MPLS Ethernet with control word", LinkTypeEthernet, MPLS, func(f []byte) []byte {
		return joinBytes(hexes(outerMACs+" 88 47 00 01 01 40 00 00 00 00"), f)
	}, "tshark has to be told that a label carries Ethernet"},
	{"MPLS Ethernet", LinkTypeEthernet, MPLS, func(f []byte) []byte {
		return joinBytes(hexes(outerMACs+" 88 47 00 01 01 40"), f)
	}, "tshark has to be told that a label carries Ethernet"},
	{"IP in IP", LinkTypeEthernet, IPinIP, func(f []byte) []byte { return overIPv4(4, f[14:]) }, ""},
	{"VXLAN over VLAN", LinkTypeEthernet, VXLAN, func(f []byte) []byte {
		o := overUDP(4789, joinBytes(hexes("08 00 00 00 00 00 2a 00"), f))
		return joinBytes(o[:12], hexes("81 00 00 05"), o[12:])
	}, ""},
	{"VXLAN in GRE", LinkTypeEthernet, VXLAN, func(f []byte) []byte {
		o := overUDP(4789, joinBytes(hexes("08 00 00 00 00 00 2a 00"), f))
		return overIPv4(47, joinBytes(hexes("00 00 08 00"), o[14:]))
	}, ""},
}

// erf is an ERF record: time stamp, type, flags, record length, loss counter, wire length.
func erf(kind byte, before, packet []byte) []byte {
	h := make([]byte, 16)
	h[8], h[9] = kind, 4
	binary.BigEndian.PutUint16(h[10:], uint16(16+len(before)+len(packet)))
	binary.BigEndian.PutUint16(h[14:], uint16(len(packet)))
	return joinBytes(h, before, packet)
}

// wrapped is a capture of frames, each put into w.
func wrapped(t *testing.T, w *wrapping, path string) []byte {
	in, err := Open(path)
	require.NoError(t, err)
	defer in.Close()
	var out bytes.Buffer
	ng := NewWriter(&out, "test")
	ng.Interface("x", w.linkType)
	for {
		f, err := in.Next()
		if err != nil {
			break
		}
		ng.Packet(0, f.TimeNS, w.wrap(f.Data), nil)
	}
	require.NoError(t, ng.Flush())
	return out.Bytes()
}

// roceIn counts packets of a capture that are RoCE, and those of them with a good ICRC.
func roceIn(t *testing.T, path string, tunnel Tunnel) (roce, good int) {
	in, err := Open(path)
	require.NoError(t, err)
	defer in.Close()
	in.Decapsulate()
	var p wire.Packet
	for {
		f, err := in.Next()
		if err != nil {
			return roce, good
		}
		wire.DecodeCut(f.Link, f.Data, f.OrigLen, &p)
		if p.Encap == wire.EncapNone {
			continue
		}
		roce++
		require.Equal(t, tunnel, f.Tunnel)
		require.Equal(t, f.Whole()[f.Outer:f.Outer+len(f.Data)], f.Data)
		if p.ICRC() == wire.ICRCGood {
			good++
		}
	}
}

// However RoCE is wrapped, it is found: as many packets as tshark finds, as many good ICRCs as without the wrapping.
func TestEveryWrappingIsTakenOff(t *testing.T) {
	path := filepath.Join(sharedCaptures(t), "rc_mix_corrupt3.a.pcap")
	plain, plainGood := roceIn(t, path, NoTunnel)
	require.Greater(t, plainGood, 200)
	tshark, err := exec.LookPath("tshark")
	for i := range wrappings {
		w := &wrappings[i]
		t.Run(w.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "x.pcapng")
			require.NoError(t, os.WriteFile(file, wrapped(t, w, path), 0o666))
			roce, good := roceIn(t, file, w.tunnel)
			require.Equal(t, plain, roce)
			require.Equal(t, plainGood, good)
			if err != nil || w.unshown != "" {
				return
			}
			text, err := exec.Command(tshark, "-r", file, "--disable-protocol", "rpcordma", "-Y", "infiniband", "-T", "fields",
				"-e",
				"frame.number").Output()
			require.NoError(t, err)
			require.Equal(t, strings.Count(string(text), "\n"), roce, "tshark's count")
		})
	}
}

// An InfiniBand packet in an ERF record, as ibdump and Wireshark's sample have it, is found from its LRH.
func TestERFInfiniBand(t *testing.T) {
	packet := hexes("00 02 00 02 00 07 00 01 64 00 ff ff 00 00 00 30 00 00 00 01 00 00 00 00 00 00 00 00 00 00")
	f := Frame{LinkType: LinkTypeERF, Data: erf(21, nil, append(packet, 0, 0, 0, 0)[:30]), OrigLen: 46}
	f.strip()
	require.Equal(t, wire.LinkIB, f.Link)
	require.Equal(t, packet, f.Data)
	var p wire.Packet
	wire.DecodeCut(f.Link, f.Data, f.OrigLen, &p)
	require.Equal(t, wire.EncapIBLocal, p.Encap)
	require.EqualValues(t, 0x30, p.BTH().DestQP())
}

// No bytes make the unwrapping panic or point outside of the frame.
func FuzzUnwrap(f *testing.F) {
	inner := overUDP(4791, make([]byte, 32))
	for i := range wrappings {
		f.Add(wrappings[i].linkType, wrappings[i].wrap(inner))
	}
	f.Fuzz(func(t *testing.T, linkType uint16, data []byte) {
		if !KnownLinkType(linkType) {
			return
		}
		x := Frame{LinkType: linkType, Data: data, whole: data, OrigLen: len(data)}
		x.strip()
		x.unwrap()
		require.LessOrEqual(t, x.Outer+len(x.Data), len(data))
		require.GreaterOrEqual(t, x.OrigLen, len(x.Data))
	})
}

// The first frame of each of several files is read before tunnels are to be taken off, and comes out of its tunnel too.
func TestMergedTakesFirstFramesOutOfTunnels(t *testing.T) {
	spec := wire.Spec{Encap: wire.EncapRoCEv2IPv4, Src: wire.FromIPv4(10, 0, 0, 1), Dst: wire.FromIPv4(10, 0, 0, 2),
		HopLimit: 64, PKey: 0xFFFF, Opcode: 4}
	w := &wrappings[slices.IndexFunc(wrappings, func(w wrapping) bool { return w.tunnel != NoTunnel })]
	var files []string
	for range 2 {
		var out bytes.Buffer
		ng := NewWriter(&out, "test")
		ng.Interface("x", w.linkType)
		ng.Packet(0, 1, w.wrap(spec.Append(nil, []byte{1, 2, 3, 4})), nil)
		require.NoError(t, ng.Flush())
		files = append(files, filepath.Join(t.TempDir(), "x.pcapng"))
		require.NoError(t, os.WriteFile(files[len(files)-1], out.Bytes(), 0o666))
	}
	m, err := OpenMerged(t.Context(), files)
	require.NoError(t, err)
	defer m.Close()
	m.Decapsulate()
	for range files {
		f, err := m.Next()
		require.NoError(t, err)
		require.Equal(t, w.tunnel, f.Tunnel)
	}
}

// Compressed files and streams read as what they hold.
func TestCompressed(t *testing.T) {
	path := filepath.Join(sharedCaptures(t), "rc_mix_corrupt3.a.pcap")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var gz, zs bytes.Buffer
	g := gzip.NewWriter(&gz)
	g.Write(text)
	g.Close()
	z, err := zstd.NewWriter(&zs)
	require.NoError(t, err)
	z.Write(text)
	z.Close()
	want, _ := roceIn(t, path, NoTunnel)
	for name, b := range map[string][]byte{"x.gz": gz.Bytes(), "x.zst": zs.Bytes()} {
		file := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(file, b, 0o666))
		got, _ := roceIn(t, file, NoTunnel)
		require.Equal(t, want, got, name)
	}
}
