package hca

import (
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// The first of the known good packets, a CNP over IPv4, and what of it a reader with a pencil finds in the record.
func TestRoCEParseKnownPacket(t *testing.T) {
	frame, err := hex.DecodeString("020000000002020000000001080045c2003c718c4000401191610a0011010a001201000012b700280000" +
		"8100ffff40000118000000000000000000000000000000000000000082fd002a")
	require.NoError(t, err)
	out := NewRoCEParse(64).Advance(0, []sim.Record{input(wire.LinkEthernet, frame)}, nil)
	require.Len(t, out, 2)
	want := make([]byte, HeaderRecordBytes)
	want[0] = 0x20                                  // RoCEv2 over IPv4
	want[1] = 0x40                                  // BECN
	want[2] = 0x81                                  // opcode
	want[5], want[6] = 0xFF, 0xFF                   // PKey
	want[7], want[8] = 0x18, 0x01                   // DestQP 000118h
	want[13] = 16                                   // bytes of payload
	want[17] = 0xC2                                 // TOS
	copy(want[30:], []byte{0x01, 0x11, 0x00, 0x0A}) // 10.0.17.1
	copy(want[46:], []byte{0x01, 0x12, 0x00, 0x0A}) // 10.0.18.1
	require.Equal(t, hex.EncodeToString(want), hex.EncodeToString(out[0].Data))
	require.Equal(t, make([]byte, 16), out[1].Data)
	require.Equal(t, &frame[54], &out[1].Data[0], "a part of the packet itself")
}

// What keeps a payload back, with the code that the document gives it.
func TestRoCEParseReasons(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*wire.Spec)
		bytes  int
		reason byte
	}{
		{"nothing", func(*wire.Spec) {}, 8, 0},
		{"TVer", func(s *wire.Spec) { s.TVer = 1 }, 8, 9},
		{"opcode", func(s *wire.Spec) { s.Opcode = 0x15 }, 8, 10},
		{"CNP of XRC's neighbour", func(s *wire.Spec) { s.Opcode = 0x82 }, 8, 10},
		{"4096 bytes", func(*wire.Spec) {}, 4096, 0},
		{"4097 bytes", func(*wire.Spec) {}, 4097, 13},
		{"a Last without payload", func(s *wire.Spec) { s.Opcode = ib.Join(ib.RC, ib.SendLast) }, 0, 0},
		{"a First of 255 bytes", func(s *wire.Spec) { s.Opcode = ib.Join(ib.RC, ib.SendFirst) }, 255, 0},
	} {
		s := example(wire.EncapRoCEv1)
		c.change(&s)
		out := NewRoCEParse(64).Advance(0, []sim.Record{input(wire.LinkEthernet, s.Append(nil, make([]byte, c.bytes)))}, nil)
		require.Equal(t, c.reason|0x10, out[0].Data[0], c.name)
		if c.reason != 0 || c.bytes == 0 {
			require.Len(t, out, 1, c.name)
		} else {
			require.Len(t, out[1].Data, c.bytes, c.name)
		}
	}
}

// OPC-2: what an opcode without payload carries is in the record, and leaves by no port. The opcodes and sizes are
// those of decision 4, by number.
func TestRoCEParseStrayPayload(t *testing.T) {
	for _, c := range []struct {
		name   string
		opcode ib.Opcode
		bytes  int
		leaves bool
		reason byte
	}{
		{"READ request, 4093 bytes and pad 3", 0x0C, 4093, false, 0},
		{"FETCH & ADD", 0x14, 4000, false, 0},
		{"CMP & SWAP", 0x13, 8, false, 0},
		{"FLUSH", 0x1C, 4000, false, 0},
		{"ACK", 0x11, 8, false, 0},
		{"ATOMIC ACK", 0x12, 4096, false, 0},
		{"RD RESYNC", 0x55, 1, false, 0},
		{"RD FLUSH", 0x5C, 4000, false, 0},
		{"RD ACK", 0x51, 64, false, 0},
		{"XRC READ request", 0xAC, 4093, false, 0},
		{"XRC ATOMIC ACK", 0xB2, 64, false, 0},
		{"READ request, more than any path MTU", 0x0C, 4097, false, 13},
		{"READ response Middle", 0x0E, 4096, true, 0},
		{"ATOMIC WRITE", 0x1D, 8, true, 0},
		{"CNP", 0x81, 16, true, 0},
		{"UC SEND Last with immediate", 0x23, 3, true, 0},
		{"XRC SEND Only with invalidate", 0xB7, 3, true, 0},
	} {
		s := example(wire.EncapRoCEv1)
		s.Opcode = c.opcode
		out := NewRoCEParse(64).Advance(0, []sim.Record{input(wire.LinkEthernet, s.Append(nil, make([]byte, c.bytes)))}, nil)
		require.Equal(t, c.reason|0x10, out[0].Data[0], c.name)
		require.Equal(t, c.bytes, int(out[0].Data[13])|int(out[0].Data[14])<<8, "payload_bytes: %s", c.name)
		require.Equal(t, c.leaves, len(out) == 2, c.name)
	}
}

// Payloads queue up behind a long one: each leaves when its packet has been judged and the port is free. The numbers
// are those of the document, worked out by hand for beats of 64 bytes.
func TestRoCEParseTimes(t *testing.T) {
	s := example(wire.EncapIBLocal)
	long, short := s.Append(nil, make([]byte, 256)), s.Append(nil, make([]byte, 4))
	s.Opcode = ib.Join(ib.RC, ib.Ack)
	stray := s.Append(nil, make([]byte, 4))
	var in []sim.Record
	at := uint64(0)
	for _, frame := range [][]byte{long, short, stray, short[:20], short} {
		beats := uint64(len(frame)+63) / 64
		in = append(in, sim.Record{Start: at, End: at + beats - 1, Seq: uint64(len(in)), User: 1, Data: frame})
		at += beats
	}
	stage, _ := Lookup("roce_parse")
	parse := stage.New(sim.Settings{"DataWidth": 512})
	for range 2 {
		var headers, payloads [][3]uint64
		for _, r := range parse.Advance(at, in, nil) {
			if r.Port == 1 {
				headers = append(headers, [3]uint64{r.Start, r.End, r.Cause})
			} else {
				payloads = append(payloads, [3]uint64{r.Start, r.End, r.Cause})
			}
		}
		// 282 bytes are 5 beats, in cycles 0 to 4; then one beat a packet.
		require.Equal(t, [][3]uint64{{18, 18, 0}, {19, 19, 1}, {20, 20, 2}, {21, 21, 3}, {22, 22, 4}}, headers)
		require.Equal(t, [][3]uint64{{19, 22, 0}, {23, 23, 1}, {24, 24, 4}}, payloads)
		parse.Reset()
	}
	narrow := stage.New(sim.Settings{"DataWidth": 64}).Advance(0, in[:1], nil)
	require.Equal(t, uint64(19+32-1), narrow[1].End)
}

func TestRoCEParseDoesNotAllocate(t *testing.T) {
	s, out := NewRoCEParse(64), make([]sim.Record, 0, 2)
	for _, encap := range []wire.Encap{wire.EncapIBGlobal, wire.EncapRoCEv2IPv4} {
		p := example(encap)
		in := []sim.Record{input(encap.Link(), p.Append(nil, make([]byte, 1024)))}
		s.Advance(0, in, out)
		require.Zero(t, testing.AllocsPerRun(100, func() { s.Advance(0, in, out) }))
	}
}
