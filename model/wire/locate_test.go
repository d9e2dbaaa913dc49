package wire

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// answer is what docs/blocks/icrc_check.md says of a frame: its table of sideband bits, and where the ICRC lies.
type answer struct {
	encap  Encap
	reason Reason
	icrc   string // "none", "bad" without looking, or "judged"
	end    int
}

func (a answer) String() string {
	return fmt.Sprintf("%v, %v, ICRC %s, E %d", a.encap, a.reason, a.icrc, a.end)
}

// octets are a frame.
type octets []byte

func (f octets) word(at int) int { return int(f[at])<<8 + int(f[at+1]) }

var (
	runt    = answer{EncapNone, Runt, "none", 0}
	notRoCE = answer{EncapNone, WellFormed, "none", 0}
)

// readDocument is docs/blocks/icrc_check.md read a second time, top to bottom and with nothing shared with Locate.
func readDocument(link Link, frame []byte) answer {
	f := octets(frame)
	if link == LinkIB {
		return f.readIB()
	}
	p, unit, tags := 12, 14, 0
	if len(f) < unit {
		return runt
	}
	for (f.word(p) == 0x8100 || f.word(p) == 0x88A8) && tags < 2 {
		p, unit, tags = p+4, p+6, tags+1
		if len(f) < unit {
			return runt
		}
	}
	N := p + 2
	switch f.word(p) {
	case 0x0800:
		return f.readIPv4(N)
	case 0x86DD:
		return f.readIPv6(N)
	case 0x8915:
		return f.readGRH(N)
	}
	return notRoCE
}

// judge compares what the frame holds with what its length fields say.
func (f octets) judge(encap Encap, field, least, end int, fragment, disagree bool) answer {
	short, truncated := field < least, end > len(f)
	a := answer{encap, WellFormed, "judged", end}
	if short || truncated {
		a.icrc = "bad"
	}
	switch {
	case fragment:
		a.reason = Fragment
	case short:
		a.reason = Short
	case disagree:
		a.reason = Length
	case truncated:
		a.reason = Truncated
	case len(f)-end > 46:
		a.reason = Trailer
	}
	return a
}

func (f octets) readIB() answer {
	if len(f) < 8 {
		return runt
	}
	pktLen := f.word(4) & 0x7FF
	switch f[1] & 3 {
	case 2:
		return f.judge(EncapIBLocal, 4*pktLen, 24, 4*pktLen, false, false)
	case 3:
		if len(f) < 48 {
			return runt
		}
		if f[8]>>4 != 6 || f[14] != 0x1B {
			return notRoCE
		}
		return f.judge(EncapIBGlobal, 4*pktLen, 64, 4*pktLen, false, 48+f.word(12) != 4*pktLen)
	}
	return answer{EncapRaw, WellFormed, "none", 4 * pktLen}
}

// readIPv4, readIPv6 and readGRH read from the network header on, which begins at N.
func (f octets) readIPv4(N int) answer {
	if len(f) < N+20 {
		return runt
	}
	ihl := int(f[N] & 15)
	if f[N]>>4 != 4 {
		return notRoCE
	}
	if ihl < 5 {
		return answer{EncapNone, Header, "none", 0}
	}
	if f[N+9] != 17 {
		return notRoCE
	}
	u, total := N+4*ihl, f.word(N+2)
	if len(f) < u+8 {
		return runt
	}
	if f.word(u+2) != 4791 {
		return notRoCE
	}
	fragment := f[N+6]&0x20 != 0 || f.word(N+6)&0x1FFF != 0
	return f.judge(EncapRoCEv2IPv4, total, 4*ihl+24, N+total, fragment, f.word(u+4) != total-4*ihl)
}

func (f octets) readIPv6(N int) answer {
	if len(f) < N+40 {
		return runt
	}
	if f[N]>>4 != 6 || f[N+6] != 17 {
		return notRoCE
	}
	if len(f) < N+48 {
		return runt
	}
	if f.word(N+42) != 4791 {
		return notRoCE
	}
	return f.judge(EncapRoCEv2IPv6, f.word(N+4), 24, N+40+f.word(N+4), false, f.word(N+44) != f.word(N+4))
}

func (f octets) readGRH(N int) answer {
	if len(f) < N+40 {
		return runt
	}
	if f[N]>>4 != 6 || f[N+6] != 0x1B {
		return notRoCE
	}
	return f.judge(EncapRoCEv1, f.word(N+4), 16, N+40+f.word(N+4), false, false)
}

// located brings Locate and CheckICRC to the same form.
func located(link Link, f []byte) answer {
	loc := Locate(link, f)
	a := answer{loc.Encap, loc.Bad.Reason, "none", loc.End}
	if loc.Encap == EncapNone && (loc.Net != 0 || loc.Transport != 0) {
		a.end = -1 // what is not there has no place
	}
	switch {
	case CheckICRC(f, &loc) == ICRCNone:
	case loc.HasICRC(len(f)):
		a.icrc = "judged"
	default:
		a.icrc = "bad"
	}
	return a
}

// spoil damages a frame the way that finds most: headers' bits and bytes, the length fields, and the end of the frame.
func spoil(r *rand.Rand, link Link, f []byte) []byte {
	switch r.IntN(5) {
	case 0:
		return f[:r.IntN(len(f)+1)]
	case 1:
		return append(f, make([]byte, r.IntN(100))...)
	case 2:
		f[r.IntN(min(len(f), 100))] ^= 1 << r.IntN(8)
	case 3:
		f[r.IntN(min(len(f), 100))] = byte(r.Uint32())
	case 4: // a length field, a little off
		loc := Locate(link, f)
		at := loc.Net + []int{2, 4, 12, 24, 44}[r.IntN(5)]
		if at+2 <= len(f) {
			binary.BigEndian.PutUint16(f[at:], binary.BigEndian.Uint16(f[at:])+uint16(r.IntN(129)-64))
		}
	}
	return f
}

func TestLocateAgainstTheDocument(t *testing.T) {
	r := newRand()
	seen := map[string]int{}
	for i := range 200_000 {
		encap := EncapRoCEv1 + Encap(i%6)
		s := randomSpec(r, encap, 0x04)
		f := s.Append(nil, randomBytes(r, r.IntN(20)))
		for range r.IntN(4) {
			if len(f) > 0 {
				f = spoil(r, encap.Link(), f)
			}
		}
		want := readDocument(encap.Link(), f)
		require.Equal(t, want.String(), located(encap.Link(), f).String(), "%x", f)
		seen[fmt.Sprint(want.encap, want.reason, want.icrc)]++
	}
	t.Log(seen)
	require.Len(t, seen, 32, "the frames reach every kind of answer")
}

// One frame for each row of the document's tables.
func TestLocateRows(t *testing.T) {
	frame := func(encap Encap, change func(*Spec)) []byte {
		s := plainSpec(encap)
		s.NoVCRC = true
		if change != nil {
			change(&s)
		}
		return s.Append(nil, []byte("12345678"))
	}
	set := func(f []byte, at int, v ...byte) []byte {
		copy(f[at:], v)
		return f
	}
	v4, v6, v1 := frame(EncapRoCEv2IPv4, nil), frame(EncapRoCEv2IPv6, nil), frame(EncapRoCEv1, nil)
	local, global := frame(EncapIBLocal, nil), frame(EncapIBGlobal, nil)
	tagged := frame(EncapRoCEv2IPv4, func(s *Spec) { s.VLANs = []VLANTag{{0, 1}, {0x88A8, 2}} })
	for _, c := range []struct {
		name  string
		link  Link
		frame []byte
		want  answer
	}{
		{"empty", 0, nil, answer{0, Runt, "none", 0}},
		{"13 bytes", 0, v4[:13], answer{0, Runt, "none", 0}},
		{"14 bytes of IPv4", 0, v4[:14], answer{0, Runt, "none", 0}},
		{"14 bytes of something else", 0, make([]byte, 14), answer{0, WellFormed, "none", 0}},
		{"ends in the type behind a tag", 0, tagged[:17], answer{0, Runt, "none", 0}},
		{"a third tag", 0, set(bytes.Clone(tagged), 20, 0x81, 0), answer{0, WellFormed, "none", 0}},
		{"IPv4 behind three tags", 0, frame(EncapRoCEv2IPv4, func(s *Spec) { s.VLANs = make([]VLANTag, 3) }),
			answer{0, WellFormed, "none", 0}},
		{"ARP behind a tag", 0, set(bytes.Clone(tagged[:22]), 16, 8, 6), answer{0, WellFormed, "none", 0}},
		{"two tags", 0, tagged, answer{EncapRoCEv2IPv4, WellFormed, "judged", 22 + 20 + 8 + 12 + 8 + 4}},
		{"IPv4", 0, v4, answer{EncapRoCEv2IPv4, WellFormed, "judged", 14 + 20 + 8 + 12 + 8 + 4}},
		{"version 5", 0, set(bytes.Clone(v4), 14, 0x55), answer{0, WellFormed, "none", 0}},
		{"IHL 4", 0, set(bytes.Clone(v4), 14, 0x44), answer{0, Header, "none", 0}},
		{"IHL 4 and TCP", 0, set(set(bytes.Clone(v4), 14, 0x44), 23, 6), answer{0, Header, "none", 0}},
		{"TCP", 0, set(bytes.Clone(v4), 23, 6), answer{0, WellFormed, "none", 0}},
		{"IHL 15 beyond the frame", 0, set(bytes.Clone(v4), 14, 0x4F), answer{0, Runt, "none", 0}},
		{"UDP cut", 0, v4[:41], answer{0, Runt, "none", 0}},
		{"another port", 0, set(bytes.Clone(v4), 36, 0x12, 0xB6), answer{0, WellFormed, "none", 0}},
		{"UDP whole, rest missing", 0, v4[:42], answer{EncapRoCEv2IPv4, Truncated, "bad", 66}},
		{"more fragments", 0, set(bytes.Clone(v4), 20, 0x20), answer{EncapRoCEv2IPv4, Fragment, "judged", 66}},
		{"fragment offset 1", 0, set(bytes.Clone(v4), 20, 0, 1), answer{EncapRoCEv2IPv4, Fragment, "judged", 66}},
		{"reserved IP flag", 0, set(bytes.Clone(v4), 20, 0x80), answer{EncapRoCEv2IPv4, WellFormed, "judged", 66}},
		{"fragment, truncated", 0, set(bytes.Clone(v4), 20, 0x20)[:65], answer{EncapRoCEv2IPv4, Fragment, "bad", 66}},
		{"fragment, short", 0, set(bytes.Clone(v4), 16, 0, 43, 0, 0, 0x20), answer{EncapRoCEv2IPv4, Fragment, "bad",
			14 + 43}},
		{"total length 43", 0, set(bytes.Clone(v4), 16, 0, 43), answer{EncapRoCEv2IPv4, Short, "bad", 14 + 43}},
		{"total length 44", 0, set(bytes.Clone(v4), 16, 0, 44), answer{EncapRoCEv2IPv4, Length, "judged", 14 + 44}},
		{"total length 0", 0, set(bytes.Clone(v4), 16, 0, 0), answer{EncapRoCEv2IPv4, Short, "bad", 14}},
		{"total length 53", 0, set(bytes.Clone(v4), 16, 0, 53), answer{EncapRoCEv2IPv4, Length, "bad", 67}},
		{"UDP length off", 0, set(bytes.Clone(v4), 38, 0, 33), answer{EncapRoCEv2IPv4, Length, "judged", 66}},
		{"46 bytes after", 0, append(bytes.Clone(v4), make([]byte, 46)...), answer{EncapRoCEv2IPv4, WellFormed, "judged",
			66}},
		{"47 bytes after", 0, append(bytes.Clone(v4), make([]byte, 47)...), answer{EncapRoCEv2IPv4, Trailer, "judged", 66}},
		{"IPv6", 0, v6, answer{EncapRoCEv2IPv6, WellFormed, "judged", 86}},
		{"IPv6 with an extension header", 0, set(bytes.Clone(v6), 20, 0), answer{0, WellFormed, "none", 0}},
		{"IPv6 version 4", 0, set(bytes.Clone(v6), 14, 0x40), answer{0, WellFormed, "none", 0}},
		{"IPv6 cut", 0, v6[:53], answer{0, Runt, "none", 0}},
		{"IPv6 UDP cut", 0, v6[:61], answer{0, Runt, "none", 0}},
		{"IPv6 payload length 23", 0, set(bytes.Clone(v6), 18, 0, 23), answer{EncapRoCEv2IPv6, Short, "bad", 77}},
		{"RoCEv1", 0, v1, answer{EncapRoCEv1, WellFormed, "judged", 78}},
		{"RoCEv1 NxtHdr 17", 0, set(bytes.Clone(v1), 20, 17), answer{0, WellFormed, "none", 0}},
		{"RoCEv1 IPVer 4", 0, set(bytes.Clone(v1), 14, 0x40), answer{0, WellFormed, "none", 0}},
		{"RoCEv1 GRH cut", 0, v1[:53], answer{0, Runt, "none", 0}},
		{"RoCEv1 PayLen 15", 0, set(bytes.Clone(v1), 18, 0, 15), answer{EncapRoCEv1, Short, "bad", 69}},
		{"RoCEv1 PayLen 16", 0, set(bytes.Clone(v1), 18, 0, 16), answer{EncapRoCEv1, WellFormed, "judged", 70}},
		{"LRH cut", 1, local[:7], answer{0, Runt, "none", 0}},
		{"IB local", 1, local, answer{EncapIBLocal, WellFormed, "judged", 32}},
		{"IB local with VCRC", 1, append(bytes.Clone(local), 0, 0), answer{EncapIBLocal, WellFormed, "judged", 32}},
		{"IB local PktLen 5", 1, set(bytes.Clone(local), 4, 0, 5), answer{EncapIBLocal, Short, "bad", 20}},
		{"IB local PktLen 9", 1, set(bytes.Clone(local), 4, 0, 9), answer{EncapIBLocal, Truncated, "bad", 36}},
		{"IB local, resv5 set", 1, set(bytes.Clone(local), 4, 0xF8), answer{EncapIBLocal, WellFormed, "judged", 32}},
		{"IB global", 1, global, answer{EncapIBGlobal, WellFormed, "judged", 72}},
		{"IB global GRH cut", 1, global[:47], answer{0, Runt, "none", 0}},
		{"IB global PktLen 15", 1, set(bytes.Clone(global), 4, 0, 15), answer{EncapIBGlobal, Short, "bad", 60}},
		{"IB global PktLen 16", 1, set(bytes.Clone(global), 4, 0, 16), answer{EncapIBGlobal, Length, "judged", 64}},
		{"IB global PayLen off", 1, set(bytes.Clone(global), 12, 0, 25), answer{EncapIBGlobal, Length, "judged", 72}},
		{"IB global NxtHdr 17", 1, set(bytes.Clone(global), 14, 17), answer{0, WellFormed, "none", 0}},
		{"raw", 1, set(bytes.Clone(local), 1, 0x30), answer{EncapRaw, WellFormed, "none", 32}},
		{"raw with IPv6", 1, set(bytes.Clone(local), 1, 0x31), answer{EncapRaw, WellFormed, "none", 32}},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want.String(), located(c.link, c.frame).String())
			require.Equal(t, c.want.String(), readDocument(c.link, c.frame).String(), "the second reading")
		})
	}
}

// What came before a frame in its buffer, and what follows it there, has no say.
func TestLocateLooksOnlyAtTheFrame(t *testing.T) {
	s := plainSpec(EncapRoCEv2IPv4)
	f := s.Append(nil, []byte("1234"))
	for n := range len(f) {
		require.Equal(t, located(LinkEthernet, bytes.Clone(f[:n])), located(LinkEthernet, f[:n]))
	}
}
