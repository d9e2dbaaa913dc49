package wire

import (
	"bytes"
	"encoding/hex"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
)

// Every opcode in every encapsulation with every pad: what was put in comes out.
func TestBuildAndDecode(t *testing.T) {
	r := newRand()
	var p Packet
	for _, encap := range transportEncaps {
		for _, op := range allOpcodes() {
			for _, n := range legalLengths(op.Length) {
				s := randomSpec(r, encap, op.Opcode)
				s.Trailer = randomBytes(r, r.IntN(40))
				payload := randomBytes(r, n)
				frame := s.Append(nil, payload)
				Decode(encap.Link(), frame, &p)
				require.Equal(t, "well formed", p.Bad.String(), "%v %s, %d bytes", encap, op.Name, n)
				require.Equal(t, ICRCGood, p.ICRC(), "%v %s, %d bytes", encap, op.Name, n)
				require.Same(t, op, p.Op)
				require.True(t, bytes.Equal(payload, p.Payload))
				checkFields(t, &s, &p)
				checkLengths(t, &s, &p, frame)
			}
		}
	}
}

func checkFields(t *testing.T, s *Spec, p *Packet) {
	t.Helper()
	same := func(name string, want, got any) {
		if want != got {
			t.Errorf("%v %s: %s is %v, want %v", s.Encap, p.Op.Name, name, got, want)
		}
	}
	same("Encap", s.Encap, p.Encap)
	checkLower(s, p, same)
	checkTransport(s, p, same)
}

// checkLower compares what is before the BTH.
func checkLower(s *Spec, p *Packet, same func(name string, want, got any)) {
	if eth := p.Ethernet(); s.Encap.Link() == LinkEthernet {
		same("MACs", string(s.DstMAC[:])+string(s.SrcMAC[:]), string(eth.Dst())+string(eth.Src()))
		same("VLANs", len(s.VLANs), int(p.VLANs))
		for i, v := range s.VLANs {
			same("TCI", v.TCI, p.VLAN(i).TCI())
			same("TPID", map[uint16]uint16{0: 0x8100, 0x88A8: 0x88A8}[v.TPID], p.VLAN(i).TPID())
		}
	}
	if lrh := p.LRH(); lrh != nil {
		same("LRH", [8]uint16{uint16(s.VL), uint16(s.LVer), uint16(s.SL), uint16(s.LRHResv2), uint16(s.LRHResv5), s.DLID,
			s.SLID},
			[8]uint16{uint16(lrh.VL()), uint16(lrh.LVer()), uint16(lrh.SL()), uint16(lrh.Resv2()), uint16(lrh.Resv5()),
				lrh.DLID(), lrh.SLID()})
	}
	if ip := p.IPv4(); ip != nil {
		same("IPv4", [4]any{s.TClass, s.HopLimit, s.IPID, s.IPFrag}, [4]any{ip.TOS(), ip.TTL(), ip.ID(), ip.Frag()})
		same("IPv4 source", string(s.Src[12:]), string(ip.Src()))
		same("IPv4 destination", string(s.Dst[12:]), string(ip.Dst()))
		same("IPv4 options", string(s.IPOptions), string(ip.Options()))
		same("IPv4 checksum", true, ip.ChecksumGood())
	}
	for _, ip := range []IPv6{p.IPv6(), p.GRH()} {
		if ip != nil {
			same("IPv6", [3]any{s.TClass, s.FlowLabel, s.HopLimit}, [3]any{ip.TClass(), ip.FlowLabel(), ip.HopLimit()})
			same("IPv6 source", string(s.Src[:]), string(ip.Src()))
			same("IPv6 destination", string(s.Dst[:]), string(ip.Dst()))
		}
	}
	if udp := p.UDP(); udp != nil {
		same("UDP source port", s.SrcPort, udp.SrcPort())
		same("UDP checksum is 0", !s.UDPChecksum, udp.Checksum() == 0)
		if s.UDPChecksum {
			same("UDP words add up to", 0xFFFF, sumOfUDP(p))
		}
	}
}

// checkTransport compares the BTH and the headers after it.
func checkTransport(s *Spec, p *Packet, same func(name string, want, got any)) {
	b := p.BTH()
	same("BTH flags", [5]bool{s.SE, s.MigReq, s.FECN, s.BECN, s.AckReq}, [5]bool{b.SE(), b.MigReq(), b.FECN(), b.BECN(),
		b.AckReq()})
	same("BTH", [7]any{s.Opcode, s.TVer, s.Resv6, s.Resv7, s.PKey, s.DestQP, s.PSN},
		[7]any{b.Opcode(), b.TVer(), b.Resv6(), b.Resv7(), b.PKey(), b.DestQP(), b.PSN()})
	if h := p.RDETH(); h != nil {
		same("RDETH", [2]any{uint8(0), s.EEContext}, [2]any{h.Resv(), h.EEContext()})
	}
	if h := p.DETH(); h != nil {
		same("DETH", [3]any{s.QKey, uint8(0), s.SrcQP}, [3]any{h.QKey(), h.Resv(), h.SrcQP()})
	}
	if h := p.XRCETH(); h != nil {
		same("XRCETH", [2]any{uint8(0), s.XRCSRQ}, [2]any{h.Resv(), h.XRCSRQ()})
	}
	if h := p.FETH(); h != nil {
		same("FETH", [3]any{uint32(0), s.FlushSEL, s.FlushPLT}, [3]any{h.Resv(), h.SEL(), h.PLT()})
	}
	if h := p.RETH(); h != nil {
		same("RETH", [3]any{s.VA, s.RKey, s.DMALen}, [3]any{h.VA(), h.RKey(), h.DMALen()})
	}
	if h := p.AtomicETH(); h != nil {
		same("AtomicETH", [4]any{s.VA, s.RKey, s.SwapAdd, s.Compare}, [4]any{h.VA(), h.RKey(), h.SwapAdd(), h.Compare()})
	}
	if h := p.AETH(); h != nil {
		same("AETH", [2]any{s.Syndrome, s.MSN}, [2]any{h.Syndrome(), h.MSN()})
	}
	if h := p.AtomicAckETH(); h != nil {
		same("AtomicAckETH", s.Original, h.Original())
	}
	if h := p.IETH(); h != nil {
		same("IETH", s.InvRKey, h.RKey())
	}
	if h := p.ImmDt(); h != nil {
		same("ImmDt", s.Immediate, h.Immediate())
	}
}

// sumOfUDP adds the words of pseudo header and datagram in ones' complement arithmetic: all ones when the checksum is
// right.
func sumOfUDP(p *Packet) int {
	ip := p.IPv4()
	addresses := p.Frame[p.Net+12 : p.Net+20]
	if ip == nil {
		addresses = p.Frame[p.Net+8 : p.Net+40]
	}
	words := bytes.Clone(addresses)
	words = append(words, 0, 17, byte((p.End-p.Transport+8)>>8), byte(p.End-p.Transport+8))
	words = append(words, p.Frame[p.Transport-8:p.End]...)
	sum := 0
	for i, v := range words {
		sum += int(v) << (8 * (1 - i%2))
		sum = sum>>16 + sum&0xFFFF
	}
	return sum
}

// checkLengths reads every length field against where the frame really ends.
func checkLengths(t *testing.T, s *Spec, p *Packet, frame []byte) {
	t.Helper()
	end := len(frame) - len(s.Trailer)
	if s.Encap.Link() == LinkIB && !s.NoVCRC {
		end -= 2
		require.Equal(t, []byte{byte(VCRC(frame[:end])), byte(VCRC(frame[:end]) >> 8)}, frame[end:end+2])
	}
	require.Equal(t, end, p.End)
	require.Equal(t, frame[end-4:end], p.ICRCBytes())
	switch s.Encap {
	case EncapRoCEv2IPv4:
		require.Equal(t, end-p.Net, p.IPv4().TotalLength())
		require.Equal(t, end-p.Net-20-len(s.IPOptions), p.UDP().Length())
	case EncapRoCEv2IPv6:
		require.Equal(t, end-p.Net-40, p.IPv6().PayLen())
		require.Equal(t, end-p.Net-40, p.UDP().Length())
	case EncapRoCEv1:
		require.Equal(t, end-p.Net-40, p.GRH().PayLen())
	case EncapIBGlobal:
		require.Equal(t, end-48, p.GRH().PayLen())
		require.Equal(t, end, p.LRH().PktBytes())
	case EncapIBLocal:
		require.Equal(t, end, p.LRH().PktBytes())
	}
}

// Bytes written by hand from the layouts of the facts, the second reading of what the views and the builder share.
func TestExtensionHeaderBytes(t *testing.T) {
	s := plainSpec(EncapIBLocal)
	s.EEContext, s.QKey, s.SrcQP, s.XRCSRQ, s.FlushSEL, s.FlushPLT = 0xE1E2E3, 0x80010203, 0xD1D2D3, 0xC1C2C3, 2, 0x9
	s.VA, s.RKey, s.DMALen = 0xA0A1A2A3A4A5A6A7, 0xB0B1B2B3, 0x00001000
	s.SwapAdd, s.Compare, s.Original = 0x5051525354555657, 0x6061626364656667, 0x7071727374757677
	s.Syndrome, s.MSN, s.InvRKey, s.Immediate = 0x1F, 0xF1F2F3, 0x90919293, 0x40414243
	const (
		rdeth        = "00E1E2E3"
		deth         = "8001020300D1D2D3"
		xrceth       = "00C1C2C3"
		feth         = "00000029"
		reth         = "A0A1A2A3A4A5A6A7" + "B0B1B2B3" + "00001000"
		atomicETH    = "A0A1A2A3A4A5A6A7" + "B0B1B2B3" + "5051525354555657" + "6061626364656667"
		aeth         = "1FF1F2F3"
		atomicAckETH = "7071727374757677"
		ieth         = "90919293"
		immdt        = "40414243"
	)
	for op, want := range map[ib.Opcode]string{
		0x04: "", 0x05: immdt, 0x0B: reth + immdt, 0x0C: reth, 0x0E: "", 0x11: aeth, 0x12: aeth + atomicAckETH,
		0x13: atomicETH, 0x17: ieth,
		0x1C: feth + reth, 0x1D: reth, 0x4B: rdeth + deth + reth + immdt, 0x4E: rdeth, 0x52: rdeth + aeth + atomicAckETH,
		0x53: rdeth + deth + atomicETH, 0x55: rdeth + deth, 0x5C: rdeth + deth + feth + reth, 0x65: deth + immdt,
		0xA1: xrceth, 0xAB: xrceth + reth + immdt,
		0xB2: aeth + atomicAckETH, 0xB4: xrceth + atomicETH, 0xB7: xrceth + ieth, 0x81: "",
	} {
		s.Opcode = op
		frame := s.Append(nil, nil)
		require.Equal(t, want, strings.ToUpper(hex.EncodeToString(frame[20:len(frame)-6])), "%02X", op)
	}
}

func TestBTHAndLRHBytes(t *testing.T) {
	s := plainSpec(EncapIBLocal)
	s.VL, s.LVer, s.SL, s.LRHResv2, s.LRHResv5, s.DLID, s.SLID = 0xA, 0x5, 0xC, 2, 0x15, 0x1234, 0x5678
	s.SE, s.MigReq, s.TVer, s.FECN, s.BECN, s.Resv6, s.AckReq, s.Resv7 = true, false, 9, true, false, 0x15, true, 0x2A
	s.PKey, s.DestQP, s.PSN = 0x8001, 0x010203, 0x0A0B0C
	frame := s.Append(nil, []byte{1})
	// LNH 2; PktLen 7: LRH 2, BTH 3, payload and pad 1, ICRC 1 words.
	require.Equal(t, "a5ca1234a8075678"+"04b98001"+"95010203"+"aa0a0b0c"+"01000000", hex.EncodeToString(frame[:24]))
}

func TestRaw(t *testing.T) {
	var p Packet
	s := plainSpec(EncapRaw)
	s.RawType = 0x0800
	Decode(LinkIB, s.Append(nil, []byte("abcde")), &p)
	require.Equal(t, "well formed", p.Bad.String())
	require.Equal(t, uint16(0x0800), p.RWH().Type())
	require.Equal(t, []byte("abcde\x00\x00\x00"), p.Payload)
	require.Nil(t, p.IPv6())
	require.Equal(t, ICRCNone, p.ICRC())

	s.RawIPv6, s.RawNextHeader = true, 59
	Decode(LinkIB, s.Append(nil, []byte("abcd")), &p)
	require.Equal(t, "well formed", p.Bad.String())
	require.Equal(t, uint8(59), p.IPv6().NextHeader())
	require.Equal(t, []byte("abcd"), p.Payload)
	require.Nil(t, p.RWH())
	require.Nil(t, p.GRH())
}

func TestRawReasons(t *testing.T) {
	s := plainSpec(EncapRaw)
	whole := s.Append(nil, []byte("abcd")) // LRH, RWH, payload, VCRC
	for want, f := range map[string][]byte{
		"LRH at byte 0: the length field leaves no room for the headers (SHORT)": append(bytes.Clone(whole[:4]),
			append([]byte{0, 2}, whole[6:]...)...),
		"LRH at byte 0: the length field goes beyond the frame (TRUNCATED)": whole[:len(whole)-3],
		"LRH at byte 0: more than 46 bytes follow the packet (TRAILER)": append(bytes.Clone(whole),
			make([]byte, 45)...),
		"well formed": append(bytes.Clone(whole), make([]byte, 44)...),
	} {
		var p Packet
		Decode(LinkIB, f, &p)
		require.Equal(t, want, p.Bad.String())
		require.Equal(t, ICRCNone, p.ICRC())
	}
}

func TestBuildDoesNotAllocate(t *testing.T) {
	buf := make([]byte, 0, 8192)
	payload := make([]byte, 1024)
	r := newRand()
	for _, encap := range append(transportEncaps, EncapRaw) {
		s := randomSpec(r, encap, 0x0B)
		s.UDPChecksum = true
		require.Zero(t, testing.AllocsPerRun(100, func() { buf = s.Append(buf[:0], payload) }), encap)
		var p Packet
		require.Zero(t, testing.AllocsPerRun(100, func() { Decode(encap.Link(), buf, &p); p.ICRC(); CheckVCRC(buf) }), encap)
	}
}

// Append leaves alone what is in dst already.
func TestAppendAppends(t *testing.T) {
	for encap := EncapRoCEv1; encap <= EncapRaw; encap++ {
		s := plainSpec(encap)
		s.UDPChecksum = true
		alone := s.Append(nil, []byte("xyz"))
		require.Equal(t, append([]byte("before"), alone...), s.Append([]byte("before"), []byte("xyz")), encap)
	}
}

func TestFromIPv4(t *testing.T) {
	require.Equal(t, "::ffff:10.1.2.3", netip.AddrFrom16(FromIPv4(10, 1, 2, 3)).String())
}

// Some datagram's checksum works out as 0, which would say that there is none: it is sent as all ones, over IPv6 too.
func TestUDPChecksumIsNeverZero(t *testing.T) {
	for _, encap := range []Encap{EncapRoCEv2IPv4, EncapRoCEv2IPv6} {
		s := plainSpec(encap)
		s.UDPChecksum, s.NoICRC = true, true // without an ICRC every sum is that of some port
		var buf []byte
		var p Packet
		ones := 0
		for port := range 1 << 16 {
			s.SrcPort = uint16(port)
			buf = s.Append(buf[:0], []byte("1234"))
			Decode(LinkEthernet, buf, &p)
			if p.UDP().Checksum() == 0xFFFF {
				ones++
			}
			if p.UDP().Checksum() == 0 || sumOfUDP(&p) != 0xFFFF {
				t.Fatalf("%v, port %d: checksum %04X", encap, port, p.UDP().Checksum())
			}
		}
		require.NotZero(t, ones, encap)
	}
}
