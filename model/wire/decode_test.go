package wire

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
)

// reseal writes the ICRC again after a change.
func reseal(link Link, f []byte) []byte {
	loc := Locate(link, f)
	PutICRC(f, &loc)
	return f
}

// What only the full decode finds. Every frame has a good ICRC.
func TestDecodeReasons(t *testing.T) {
	build := func(op ib.Opcode, payload int, change func(bth []byte)) []byte {
		s := plainSpec(EncapRoCEv2IPv4)
		s.Opcode = op
		f := s.Append(nil, make([]byte, payload))
		if change != nil {
			change(f[42:])
		}
		return reseal(LinkEthernet, f)
	}
	// cut keeps n bytes between BTH and ICRC.
	cut := func(f []byte, n int) []byte {
		f = f[:42+12+n+4]
		f[17], f[39] = byte(len(f)-14), byte(len(f)-34)
		return reseal(LinkEthernet, f)
	}
	for _, c := range []struct {
		name   string
		frame  []byte
		want   string
		hasOp  bool
		length int // of Payload, -1 for nil
	}{
		{"SEND Only", build(0x04, 5, nil), "well formed", true, 5},
		{"TVer 1", build(0x04, 4, func(b []byte) { b[1] |= 1 }), "BTH at byte 42: the transport version is not 0 (TVER)",
			true, 4},
		{"opcode 15h", build(0x15, 4, nil), "BTH at byte 42: the opcode is unknown (OPCODE)", false, 4},
		{"opcode 80h", build(0x80, 16, nil), "BTH at byte 42: the opcode is unknown (OPCODE)", false, 16},
		{"CNP", build(0x81, 16, nil), "well formed", true, 16},
		{"CNP without its 16 bytes", build(0x81, 0, nil),
			"payload at byte 54: the payload has a length that the opcode does not allow (PAYLOAD_LENGTH)", true, 0},
		{"WRITE Only whole", cut(build(0x0A, 4, nil), 16), "well formed", true, 0},
		{"WRITE Only cut in its RETH", cut(build(0x0A, 4, nil), 12),
			"extension header at byte 54: the packet ends inside this header (HEADER_CUT)", false, -1},
		{"ACK without AETH", cut(build(0x11, 0, nil), 0),
			"extension header at byte 54: the packet ends inside this header (HEADER_CUT)", false, -1},
		{"pad 3 of no bytes", build(0x04, 0, func(b []byte) { b[1] |= 0x30 }),
			"BTH at byte 42: the pad count exceeds the bytes that follow the headers (PAD)", true, -1},
		{"pad 3 of 4", build(0x04, 4, func(b []byte) { b[1] |= 0x30 }), "well formed", true, 1},
		{"three bytes", cut(build(0x04, 4, nil), 3),
			"payload at byte 54: payload and pad are not a multiple of 4 bytes (UNALIGNED)", true, 3},
		{"First of 255", build(0x00, 255, nil), "payload at byte 54: the payload has a length that the opcode does not " +
			"allow (PAYLOAD_LENGTH)", true, 255},
		{"First of 256", build(0x00, 256, nil), "well formed", true, 256},
		{"Middle of 768", build(0x01, 768, nil), "payload at byte 54: the payload has a length that the opcode does not " +
			"allow (PAYLOAD_LENGTH)", true, 768},
		{"Last of 0", build(0x02, 0, nil), "payload at byte 54: the payload has a length that the opcode does not allow " +
			"(PAYLOAD_LENGTH)", true, 0},
		{"Only of 4096", build(0x04, 4096, nil), "well formed", true, 4096},
		{"Only of 4097", build(0x04, 4097, nil), "payload at byte 54: the payload has a length that the opcode does not " +
			"allow (PAYLOAD_LENGTH)", true, 4097},
		{"READ request with payload", build(0x0C, 4, nil),
			"payload at byte 70: the payload has a length that the opcode does not allow (PAYLOAD_LENGTH)", true, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			var p Packet
			Decode(LinkEthernet, c.frame, &p)
			require.Equal(t, c.want, p.Bad.String())
			require.Equal(t, ICRCGood, p.ICRC())
			require.Equal(t, c.hasOp, p.Op != nil)
			require.NotNil(t, p.BTH())
			if c.length < 0 {
				require.Nil(t, p.Payload)
			} else {
				require.Len(t, p.Payload, c.length)
			}
		})
	}
}

// Locate's reason comes first, and what can be seen is shown.
func TestDecodeShowsWhatIsThere(t *testing.T) {
	s := plainSpec(EncapRoCEv2IPv4)
	s.Opcode = ib.Join(ib.RC, ib.WriteOnly)
	f := s.Append(nil, make([]byte, 64))
	var p Packet
	Decode(LinkEthernet, f[:len(f)-1], &p)
	require.Equal(t, "IPv4 at byte 14: the length field goes beyond the frame (TRUNCATED)", p.Bad.String())
	require.NotNil(t, p.RETH())
	require.Nil(t, p.Payload)
	require.Equal(t, ICRCBad, p.ICRC())
	Decode(LinkEthernet, f[:60], &p)
	require.NotNil(t, p.BTH())
	require.Nil(t, p.RETH())
	Decode(LinkEthernet, f[:50], &p)
	require.NotNil(t, p.UDP())
	require.Nil(t, p.BTH())
	Decode(LinkEthernet, f[:20], &p)
	require.Equal(t, "IPv4 at byte 14: the frame ends inside this header (RUNT)", p.Bad.String())
	require.NotNil(t, p.Ethernet())
	require.Nil(t, p.IPv4())
	Decode(LinkEthernet, nil, &p)
	require.Equal(t, "Ethernet at byte 0: the frame ends inside this header (RUNT)", p.Bad.String())
}

// END-1: a frame that the snap length cut is undecided wherever the missing bytes would decide.
func TestDecodeCut(t *testing.T) {
	var p Packet
	for encap := EncapRoCEv1; encap <= EncapRaw; encap++ {
		s := plainSpec(encap)
		s.Opcode = ib.Join(ib.RC, ib.WriteOnly)
		f := s.Append(nil, make([]byte, 64))
		loc := Locate(encap.Link(), f)
		for n := range f {
			DecodeCut(encap.Link(), f[:n], len(f), &p)
			require.Equal(t, n < loc.End, p.Undecided(), "%v cut to %d", encap, n)
			if n < loc.End {
				require.Equal(t, Cut, p.Bad.Reason)
				require.Equal(t, ICRCUndecided, p.ICRC())
			}
			// The same bytes as a whole frame are malformed.
			Decode(encap.Link(), f[:n], &p)
			require.False(t, p.Undecided())
			require.Equal(t, n < loc.End, p.Bad.Reason != WellFormed)
		}
	}
	s := plainSpec(EncapRaw)
	f := s.Append(nil, nil)
	DecodeCut(LinkIB, f[:10], len(f), &p)
	require.True(t, p.Undecided(), "a raw packet may be as short as its headers")
	s = plainSpec(EncapRoCEv2IPv4)
	f = s.Append(nil, make([]byte, 64))
	DecodeCut(LinkEthernet, f[:60], len(f)-1, &p)
	require.Equal(t, Truncated, p.Bad.Reason, "even the whole frame was too short")
	require.Equal(t, ICRCBad, p.ICRC())
	DecodeCut(LinkEthernet, f[:60], len(f)+47, &p)
	require.Equal(t, Trailer, p.Bad.Reason, "the length on the wire decides")
	require.Equal(t, ICRCUndecided, p.ICRC())
	s = plainSpec(EncapRaw)
	s.Trailer = make([]byte, 45) // behind the VCRC
	raw := s.Append(nil, make([]byte, 64))
	DecodeCut(LinkIB, raw[:len(raw)-40], len(raw), &p)
	require.Equal(t, Trailer, p.Bad.Reason, "of a raw packet too")
	f[17] = 43
	DecodeCut(LinkEthernet, f[:60], len(f), &p)
	require.Equal(t, Short, p.Bad.Reason)
	require.Equal(t, ICRCBad, p.ICRC())
}

func TestDecodeForgetsTheLastPacket(t *testing.T) {
	s := plainSpec(EncapRoCEv2IPv4)
	s.Opcode = ib.Join(ib.RC, ib.WriteOnly)
	var used, fresh Packet
	Decode(LinkEthernet, s.Append(nil, []byte("abc")), &used)
	other := bytes.Repeat([]byte{0x55}, 20)
	Decode(LinkIB, other, &used)
	Decode(LinkIB, other, &fresh)
	require.Equal(t, fresh, used)
}
