package flow_test

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/bits"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/flow"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// plainICRC computes the CRC of a frame whose variant fields a function lays over.
func plainICRC(w *wire.Packet, mask func(b []byte)) uint32 {
	b := append([]byte{255, 255, 255, 255, 255, 255, 255, 255}, w.Frame[w.Net:w.End-4]...)
	mask(b[8:])
	return crc32.ChecksumIEEE(b)
}

// allFields masks as ICRC-4 has it.
func allFields(b []byte) {
	for _, at := range []int{1, 8, 10, 11, 26, 27, 32} {
		b[at] = 0xFF
	}
}

// mistakes are ICRCs as makers of NICs got them wrong, over IPv4.
var mistakes = map[string]func(w *wire.Packet) uint32{
	"wrong order":  func(w *wire.Packet) uint32 { return bits.ReverseBytes32(plainICRC(w, allFields)) },
	"not inverted": func(w *wire.Packet) uint32 { return ^plainICRC(w, allFields) },
	"bits are in":  func(w *wire.Packet) uint32 { return bits.Reverse32(plainICRC(w, allFields)) },
	"TTL is not masked": func(w *wire.Packet) uint32 {
		return plainICRC(w,
			func(b []byte) { t := b[8]; allFields(b); b[8] = t })
	},
	"TOS is not masked": func(w *wire.Packet) uint32 {
		return plainICRC(w,
			func(b []byte) { t := b[1]; allFields(b); b[1] = t })
	},
	"reserved bits":     func(w *wire.Packet) uint32 { return plainICRC(w, func(b []byte) { allFields(b); b[32] = 0 }) },
	"nothing is masked": func(w *wire.Packet) uint32 { return plainICRC(w, func([]byte) {}) },
	"8 bytes of ones in": func(w *wire.Packet) uint32 {
		b := append([]byte(nil), w.Frame[w.Net:w.End-4]...)
		allFields(b)
		return crc32.ChecksumIEEE(b)
	},
	"starts at the BTH": func(w *wire.Packet) uint32 { return crc32.ChecksumIEEE(w.Frame[w.Transport : w.End-4]) },
	"Ethernet frame":    func(w *wire.Packet) uint32 { return crc32.ChecksumIEEE(w.Frame[:w.End-4]) },
}

// spoil gives the frames of a host for which pick returns true another ICRC.
func spoil(list []vectors.Frame, host string, pick func(w *wire.Packet) bool,
	crc func(w *wire.Packet) uint32) (out []vectors.Frame, made int) {
	for i := range list {
		f := list[i]
		var w wire.Packet
		f.Data = append([]byte(nil), f.Data...)
		wire.Decode(f.Link, f.Data, &w)
		if w.Op != nil && sentBy(&w, host) && pick(&w) {
			binary.LittleEndian.PutUint32(f.Data[w.End-4:], crc(&w))
			made++
		}
		out = append(out, f)
	}
	return numbered(out), made
}

// A host that makes every ICRC wrong is told by its mistake, at its own end and on the wire; and it is taken for who it
// is.
func TestWrongMakers(t *testing.T) {
	path := capturePath(t, "rc_send_sizes.a")
	list := frames(t, path)
	for text, crc := range mistakes {
		wrong, made := spoil(list, "10.1.0.1", isRequest, crc)
		for _, at := range []string{"sidecar", "A", "wire"} {
			opt := options(t, path, roce.Rxe, at != "sidecar")
			if opt = rescanned(t, opt, wrong); at == "A" {
				opt.At = "A"
			}
			r := judge(t, wrong, opt)
			require.NotZero(t, r.Certain, "%s at %s", text, at)
			x := r.Violations[0]
			require.True(t, x.Certain())
			require.EqualValues(t, "ICRC-4", x.Rule, "%s at %s: %v", text, at, r.Violations)
			require.Contains(t, x.Text, text, at)
			require.EqualValues(t, made-1, x.Folded)
			if at == "A" {
				require.Equal(t, "at 10.1.0.1", r.Where)
			}
			require.Len(t, r.ICRC, 1)
			require.NotEmpty(t, r.ICRC[0].Mistake)
		}
		far := capturePath(t, "rc_send_sizes.b") // at the other end it is what was received
		wrong, _ = spoil(frames(t, far), "10.1.0.1", isRequest, crc)
		r := judge(t, wrong, options(t, far, roce.Spec, true))
		require.NotZero(t, r.Certain, text)
	}
}

// Damage on the way, in a few frames, is nobody's; every frame of a kind, or all, without a usual mistake is possible.
func TestDamageIsNotAMaker(t *testing.T) {
	path := capturePath(t, "rc_send_sizes.a")
	list := frames(t, path)
	flipped := func(w *wire.Packet) uint32 { return ^binary.LittleEndian.Uint32(w.Frame[w.End-4:]) ^ 0x10 }
	k := 0
	for _, x := range []struct {
		pick func(w *wire.Packet) bool
		text string
		poss uint64
	}{
		{func(*wire.Packet) bool { k++; return k%5 == 0 }, "were damaged on the way", 0},
		{isRequest, "all 30 frames of 10.1.0.1 have a wrong ICRC", 1},
		{func(w *wire.Packet) bool { return isRequest(w) && w.Op.Name == "RC SEND Only" }, "every RC SEND Only of 10.1.0.1",
			1},
	} {
		wrong, made := spoil(list, "10.1.0.1", x.pick, flipped)
		require.NotZero(t, made)
		r := judge(t, wrong, rescanned(t, options(t, path, roce.Spec, true), wrong))
		require.Zero(t, r.Certain, "%s: %v", x.text, r.Violations)
		require.Len(t, r.ICRC, 1, x.text)
		require.Contains(t, r.ICRC[0].Text, x.text)
		n := uint64(0)
		for _, v := range r.Violations {
			if v.Rule == "ICRC-4" {
				n++
			}
		}
		require.Equal(t, x.poss, n, fmt.Sprint(r.Violations))
	}
}

// badlyMade are frames of one host, of which the last have another ICRC; labels differ as those of flows do.
func badlyMade(encap wire.Encap, good, bad int, crc func(w *wire.Packet) uint32) (list []vectors.Frame) {
	for n := range good + bad {
		s := wire.Spec{Encap: encap, Src: wire.GID{0: 0xFD, 15: 1}, Dst: wire.GID{0: 0xFD, 15: 2}, TClass: 0x68,
			FlowLabel: 0x54321 + uint32(n), HopLimit: 64, SrcPort: 49152, PKey: 0xFFFF, DestQP: builtQPN,
			Opcode: ib.Join(ib.RC, ib.SendOnly), PSN: psn.New(uint32(n)), AckReq: true}
		f := vectors.Frame{TimeNS: int64(time.Second) + int64(n)*1000, Link: wire.LinkEthernet}
		f.Data = s.Append(nil, []byte("12345678"))
		f.OrigLen = len(f.Data)
		if n >= good {
			var w wire.Packet
			wire.Decode(f.Link, f.Data, &w)
			binary.LittleEndian.PutUint32(f.Data[w.End-4:], crc(&w))
		}
		list = append(list, f)
	}
	return numbered(list)
}

// TClass and FlowLabel lie in three and a half bytes together, and are fields of their own: each may be left out, or
// both.
func TestWrongMasksOfIPv6(t *testing.T) {
	for _, c := range []struct {
		class, label bool // masked
		text         string
	}{
		{false, true, "the traffic class is not masked"},
		{true, false, "the flow label is not masked"},
		{false, false, "the traffic class with the flow label is not masked"},
	} {
		crc := func(w *wire.Packet) uint32 {
			return plainICRC(w, func(b []byte) {
				for _, at := range []int{7, 46, 47, 52} {
					b[at] = 0xFF
				}
				if c.class {
					b[0], b[1] = b[0]|0x0F, b[1]|0xF0
				}
				if c.label {
					b[1], b[2], b[3] = b[1]|0x0F, 0xFF, 0xFF
				}
			})
		}
		r := judge(t, badlyMade(wire.EncapRoCEv2IPv6, 0, 5, crc), flow.Options{Profile: roce.Spec})
		require.EqualValues(t, 1, r.Certain, "%s: %v", c.text, r.Violations)
		require.EqualValues(t, "ICRC-5", r.Violations[0].Rule)
		require.Contains(t, r.Violations[0].Text, c.text)
	}
}

// Where every frame of a host is bad and no usual mistake explains it, a few do not tell why. At the end that sent them
// the way did nothing.
func TestFewBadICRCsTellNothing(t *testing.T) {
	odd := func(w *wire.Packet) uint32 { return plainICRC(w, allFields) ^ 0x1234567 }
	for _, c := range []struct {
		good, bad int
		at, text  string
	}{
		{0, 1, "", "the only frame of fd00::1 has a wrong ICRC: too few to tell why"},
		{0, 7, "", "all 7 frames of fd00::1 have a wrong ICRC: too few to tell why"},
		{0, 7, "fd00::2", "all 7 frames of fd00::1 have a wrong ICRC: too few to tell why"},
		{1, 7, "", "7 of 8 frames of fd00::1 were damaged on the way"},
		{0, 7, "fd00::1", "7 of 7 frames of fd00::1 have a wrong ICRC, and no usual mistake explains it"},
		{20, 1, "fd00::1", "1 of 21 frames of fd00::1 have a wrong ICRC, and no usual mistake explains it"},
	} {
		r := judge(t, badlyMade(wire.EncapRoCEv2IPv6, c.good, c.bad, odd), flow.Options{Profile: roce.Spec, At: c.at})
		require.Len(t, r.ICRC, 1)
		require.Equal(t, c.text, r.ICRC[0].Text)
		require.Equal(t, c.at == "fd00::1", r.Certain > 0, "%s: %v", c.text, r.Violations)
		require.Zero(t, r.Possible)
	}
}
