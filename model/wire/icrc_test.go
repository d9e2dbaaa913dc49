package wire

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	mathbits "math/bits"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
)

// vector is a packet with a known good ICRC: its last four bytes.
type vector struct {
	name  string
	link  Link
	frame []byte
}

// knownVectors reads testdata/icrc-vectors.txt: a comment, then pairs of lines.
func knownVectors(t testing.TB) (vectors []vector) {
	f, err := os.Open("testdata/icrc-vectors.txt")
	require.NoError(t, err)
	defer f.Close()
	var name string
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := lines.Text()
		switch frame, err := hex.DecodeString(line); {
		case strings.HasPrefix(line, "#"):
		case err != nil:
			name = line
		default:
			v := vector{name: name, frame: frame}
			if strings.HasPrefix(name, "IB") {
				v.link = LinkIB
			}
			vectors = append(vectors, v)
		}
	}
	return vectors
}

func TestKnownICRCs(t *testing.T) {
	vectors := knownVectors(t)
	require.Len(t, vectors, 6)
	for _, v := range vectors {
		t.Run(v.name, func(t *testing.T) {
			loc := Locate(v.link, v.frame)
			require.Equal(t, WellFormed, loc.Bad.Reason, loc.Bad)
			require.Equal(t, len(v.frame), loc.End)
			require.Equal(t, ICRCGood, CheckICRC(v.frame, &loc))
		})
	}
}

// bits is a run of masked bits: mask, in the byte at offset from the start of a header.
type bits struct {
	offset int
	mask   byte
}

// covers says what ICRC-1 to ICRC-5 say of a packet of an encapsulation: from where on its bytes count, and what of
// them is forced to ones. Written from the table of the facts; offsets come from the Spec, not from Locate.
func covers(s *Spec) (start int, masked []bits, afterFF bool) {
	link := 14 + 4*len(s.VLANs)
	all := func(at int, offsets ...int) {
		for _, o := range offsets {
			masked = append(masked, bits{at + o, 0xFF})
		}
	}
	grh := func(at int) { // TClass, FlowLabel, HopLmt
		masked = append(masked, bits{at, 0x0F})
		all(at, 1, 2, 3, 7)
	}
	switch s.Encap {
	case EncapIBLocal: // ICRC-1
		masked = append(masked, bits{0, 0xF0})
		all(8, 4)
		return 0, masked, false
	case EncapIBGlobal: // ICRC-2
		grh(8)
		all(48, 4)
		return 8, masked, true
	case EncapRoCEv1: // ICRC-3
		grh(link)
		all(link+40, 4)
	case EncapRoCEv2IPv4: // ICRC-4
		udp := link + 20 + len(s.IPOptions)
		all(link, 1, 8, 10, 11)
		all(udp, 6, 7)
		all(udp+8, 4)
	case EncapRoCEv2IPv6: // ICRC-5
		grh(link)
		all(link+40, 6, 7)
		all(link+48, 4)
	}
	return link, masked, true
}

// bitwiseCRC32 is Ethernet's FCS from its polynomial, bit by bit and not reflected: the second implementation.
func bitwiseCRC32(b []byte) uint32 {
	reg := uint32(0xFFFFFFFF)
	for _, v := range b {
		for i := range 8 {
			feedback := reg>>31 ^ uint32(v>>i&1)
			reg <<= 1
			if feedback == 1 {
				reg ^= 0x04C11DB7
			}
		}
	}
	return mathbits.Reverse32(^reg)
}

// bitwiseICRC works on a masked copy with everything that comes before.
func bitwiseICRC(s *Spec, frame []byte, end int) uint32 {
	start, masked, afterFF := covers(s)
	c := bytes.Clone(frame)
	for _, m := range masked {
		c[m.offset] |= m.mask
	}
	c = c[start : end-4]
	if afterFF {
		c = append(bytes.Repeat([]byte{0xFF}, 8), c...)
	}
	return bitwiseCRC32(c)
}

func TestICRCAgainstBitwise(t *testing.T) {
	require.Equal(t, uint32(0xCBF43926), bitwiseCRC32([]byte("123456789")))
	require.Equal(t, ^bitwiseCRC32(bytes.Repeat([]byte{0xFF}, 8)), uint32(0xDEBB20E3),
		"the register after 8 x FF as the facts have it")
	r := newRand()
	for _, encap := range transportEncaps {
		for _, n := range []int{0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 63, 64, 65, 255, 256, 1024, 4096} {
			for range 8 {
				s := randomSpec(r, encap, ib.Opcode(r.Uint32()))
				frame := s.Append(nil, randomBytes(r, n))
				loc := Locate(encap.Link(), frame)
				want := bitwiseICRC(&s, frame, loc.End)
				require.Equal(t, want, loc.ICRC(frame), "%v, %d bytes", encap, n)
				require.Equal(t, want, binary.LittleEndian.Uint32(loc.icrcOf(frame)), "low byte first")
			}
		}
	}
}

func (loc *Location) icrcOf(frame []byte) []byte { return frame[loc.End-4 : loc.End] }

// Every bit of every header, of the payload and of what lies around: flipped, it changes the ICRC exactly when
// ICRC-1 to ICRC-5 cover it.
func TestEveryBit(t *testing.T) {
	r := newRand()
	for _, encap := range transportEncaps {
		for variant := range 6 {
			s := randomSpec(r, encap, 0x0B)
			s.VLANs = []VLANTag{{0, 5}, {0, 6}}[:variant%3]
			s.IPOptions = randomBytes(r, 4*(variant*2))
			s.Trailer = []byte{1, 2, 3}
			frame := s.Append(nil, []byte("eleven byte"))
			loc := Locate(encap.Link(), frame)
			icrc := loc.ICRC(frame)
			start, masked, _ := covers(&s)
			for bit := range len(frame) * 8 {
				at, mask := bit/8, byte(1)<<(bit%8)
				covered := start <= at && at < loc.End-4
				for _, m := range masked {
					covered = covered && !(m.offset == at && m.mask&mask != 0)
				}
				frame[at] ^= mask
				require.Equal(t, covered, icrc != loc.ICRC(frame), "%v, VLANs %d, options %d bytes: byte %d bit %02X",
					encap, len(s.VLANs), len(s.IPOptions), at, mask)
				frame[at] ^= mask
			}
		}
	}
}

// ICRC-2 and ICRC-3 differ in nothing: the same GRH to payload has the same ICRC.
func TestIBGlobalIsRoCEv1(t *testing.T) {
	r := newRand()
	for n := range 200 {
		s := randomSpec(r, EncapRoCEv1, ib.Opcode(r.Uint32()))
		s.VLANs, s.NoVCRC = nil, true
		payload := randomBytes(r, n)
		roce := s.Append(nil, payload)
		s.Encap = EncapIBGlobal
		global := s.Append(nil, payload)
		require.Equal(t, roce[14:], global[8:])
	}
}

func TestPutICRC(t *testing.T) {
	for _, encap := range transportEncaps {
		s := plainSpec(encap)
		want := s.Append(nil, []byte("abc"))
		s.NoICRC, s.NoVCRC = true, true
		frame := s.Append(nil, []byte("abc"))
		loc := Locate(encap.Link(), frame)
		require.Equal(t, []byte{0, 0, 0, 0}, loc.icrcOf(frame))
		require.Equal(t, ICRCBad, CheckICRC(frame, &loc))
		require.True(t, PutICRC(frame, &loc))
		require.Equal(t, want[:loc.End], frame)
		require.Equal(t, ICRCGood, CheckICRC(frame, &loc))
		require.False(t, PutICRC(frame[:loc.End-1], &loc))
	}
}
