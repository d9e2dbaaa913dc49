package wire

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/falcon/mode"
)

// types are the packet types with a format.
var types = []Type{PullRequest, PullData, PushData, Resync, NACK, BACK, EACK}

// randomPacket fills in what the type has, each value within its field.
func randomPacket(r *rand.Rand, typ Type, m *mode.Mode) Packet {
	p := Packet{Version: Version, CID: r.Uint32N(1 << 24), Type: typ, DataBase: PSN(r.Uint32()),
		RequestBase: PSN(r.Uint32())}
	if typ.HasBase() {
		p.Function, p.Protocol, p.AckReq = r.Uint32N(1<<24), RDMA+Protocol(r.Uint32N(2)), r.Uint32N(2) == 0
		p.PSN, p.RSN = PSN(r.Uint32()), RSN(r.Uint32())
	} else {
		p.T1, p.T2, p.HopCount, p.RxOccupancy = r.Uint32(), r.Uint32(), uint8(r.Uint32N(16)), uint8(r.Uint32N(32))
		p.ECNCount, p.RUEInfo = uint16(r.Uint32N(1<<14)), r.Uint32N(1<<rueBits(typ, m))
	}
	switch typ {
	case PullRequest:
		p.RequestLength = uint16(r.Uint32())
	case PushData:
		p.Payload = make([]byte, r.IntN(60))
		p.RequestLength = uint16(len(p.Payload))
	case PullData:
		p.Payload = make([]byte, r.IntN(60))
	case Resync:
		p.ResyncCode, p.Vendor = ResyncCIE+ResyncCode(r.Uint32N(7)), r.Uint32()
		p.ResyncType = []Type{PullRequest, PullData, PushData}[r.IntN(3)]
	case NACK:
		p.NackPSN, p.RNRTimeout, p.NackOfRequest = PSN(r.Uint32()), uint8(r.Uint32N(32)), r.Uint32N(2) == 0
		p.NackCode, p.ULPNack = []NackCode{1, 2, 4, 6, 7, 8}[r.IntN(6)], uint8(r.Uint32())
	case EACK:
		p.DataRx = Bitmap{r.Uint64() >> 1, r.Uint64()}
		p.DataAck = Bitmap{p.DataRx.Hi & r.Uint64(), p.DataRx.Lo & r.Uint64()}
		p.Request = r.Uint64() >> 1
		if m.BitmapSkipsBase {
			p.DataRx.Lo, p.DataAck.Lo, p.Request = p.DataRx.Lo&^1, p.DataAck.Lo&^1, p.Request&^1
		}
		fallthrough
	case BACK:
		p.OWNRequest, p.OWNData = r.Uint32N(2) == 0, r.Uint32N(2) == 0
	}
	return p
}

// readings are modes that differ in the codec.
func readings() []*mode.Mode {
	skips := mode.Spec
	skips.BitmapSkipsBase = true
	return []*mode.Mode{&mode.Spec, &mode.Peer, &skips}
}

// FAL-W1, FAL-W3 to FAL-W7: what is built is parsed, field by field, without a flaw.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 1))
	for _, m := range readings() {
		for range 3000 {
			p := randomPacket(r, types[r.IntN(len(types))], m)
			b := p.Append(nil, m)
			require.Len(t, b, p.Type.Bytes()+len(p.Payload))
			var got Packet
			require.NoError(t, Parse(b, m, &got))
			if len(p.Payload) == 0 {
				require.Empty(t, got.Payload)
				p.Payload, got.Payload = nil, nil
			}
			require.Equal(t, p, got)
			require.Equal(t, b, got.Append(nil, m))
		}
	}
}

// field is a place in a packet: word, first and last bit as the specification counts them.
type field struct{ word, first, last int }

// layout lists, type by type, the bits that are reserved. It is written down from the tables, not from the code.
var layout = map[Type][]field{
	PullRequest: {{0, 4, 7}, {6, 0, 15}, {7, 0, 31}},
	PullData:    {{0, 4, 7}},
	PushData:    {{0, 4, 7}, {6, 0, 15}},
	Resync:      {{0, 4, 7}, {6, 12, 31}},
	BACK:        {{0, 4, 7}, {1, 0, 26}, {1, 31, 31}, {6, 23, 31}, {7, 0, 8}},
	EACK:        {{0, 4, 7}, {1, 0, 26}, {1, 31, 31}, {6, 23, 31}, {7, 0, 8}},
	NACK:        {{0, 4, 7}, {1, 0, 26}, {1, 31, 31}, {6, 23, 31}, {7, 0, 8}, {9, 8, 10}, {9, 17, 23}},
}

func (f field) has(bit int) bool { return bit/32 == f.word && f.first <= bit%32 && bit%32 <= f.last }

// FAL-W13: every reserved bit alone is told, and every other bit is read: it changes a field or is told to be wrong.
func TestEveryBit(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 2))
	for _, typ := range types {
		p := randomPacket(r, typ, &mode.Spec)
		p.Payload, p.RequestLength = nil, 0
		b := p.Append(nil, &mode.Spec)
		for n := range 8 * len(b) {
			reserved := false
			for _, f := range layout[typ] {
				reserved = reserved || f.has(n)
			}
			c := append([]byte(nil), b...)
			c[n/8] ^= 0x80 >> (n % 8)
			var got Packet
			err := Parse(c, &mode.Spec, &got)
			if reserved {
				require.NoError(t, err)
				require.Equal(t, Flaws(BadReserved), got.Flaws, "%v bit %d", typ, n)
				got.Flaws, got.Payload = 0, nil
				require.Equal(t, p, got, "%v bit %d", typ, n)
				continue
			}
			if n < 59 || n > 62 { // not the packet type: another type has other reserved bits
				require.False(t, got.Flaws.Has(BadReserved), "%v bit %d", typ, n)
			}
			got.Flaws, got.Payload = 0, nil
			require.True(t, err != nil || !reflect.DeepEqual(got, p), "%v bit %d is not read", typ, n)
		}
	}
}

// spoil builds a packet of the type and changes it.
func spoil(typ Type, change func(*Packet)) Packet {
	p := randomPacket(rand.New(rand.NewPCG(14, 3)), typ, &mode.Spec)
	change(&p)
	return p
}

// FAL-W2, FAL-W4, FAL-W6, FAL-W8, FAL-W9, FAL-W12, FAL-W13: what is wrong is told with its rule, and nothing else.
func TestFlaws(t *testing.T) {
	for _, x := range []struct {
		p    Packet
		tail int // bytes more, or fewer
		want Flaw
		rule string
	}{
		{spoil(PullData, func(p *Packet) { p.Version = 2 }), 0, BadVersion, "FAL-W12"},
		{spoil(PullData, func(p *Packet) { p.Type = 11 }), 0, BadType, "FAL-W2"},
		{spoil(PullData, func(p *Packet) { p.Payload = nil }), -1, Runt, "FAL-W12"},
		{spoil(EACK, func(*Packet) {}), -1, Runt, "FAL-W12"},
		{spoil(PullData, func(p *Packet) { p.Protocol = 0 }), 0, BadProtocol, "FAL-W1"},
		{spoil(PushData, func(*Packet) {}), 1, BadLength, "FAL-W3"},
		{spoil(PushData, func(p *Packet) { p.Payload = append(p.Payload, 1) }), 0, BadLength, "FAL-W3"},
		{spoil(BACK, func(*Packet) {}), 1, Trailing, "FAL-W13"},
		{spoil(EACK, func(*Packet) {}), 4, Trailing, "FAL-W13"},
		{spoil(NACK, func(*Packet) {}), 1, Trailing, "FAL-W13"},
		{spoil(Resync, func(*Packet) {}), 1, Trailing, "FAL-W13"},
		{spoil(Resync, func(p *Packet) { p.ResyncCode = 0 }), 0, BadCode, "FAL-W13"},
		{spoil(Resync, func(p *Packet) { p.ResyncCode = 8 }), 0, BadCode, "FAL-W13"},
		{spoil(Resync, func(p *Packet) { p.ResyncType = Resync }), 0, BadResync, "FAL-W4"},
		{spoil(Resync, func(p *Packet) { p.ResyncType = BACK }), 0, BadResync, "FAL-W4"},
		{spoil(NACK, func(p *Packet) { p.NackCode = 3 }), 0, BadCode, "FAL-W13"},
		{spoil(NACK, func(p *Packet) { p.NackCode = 9 }), 0, BadCode, "FAL-W13"},
		{spoil(EACK, func(p *Packet) { p.DataAck.Hi, p.DataRx.Hi = 4, 3 }), 0, BadBitmap, "FAL-W6"},
		{spoil(PullRequest, func(*Packet) {}), 16, 0, ""},
	} {
		b := x.p.Append(nil, &mode.Spec)
		if x.tail < 0 {
			b = b[:len(b)+x.tail]
		} else {
			b = append(b, make([]byte, x.tail)...)
		}
		var got Packet
		err := Parse(b, &mode.Spec, &got)
		require.Equal(t, Flaws(x.want), got.Flaws, "%v", x.p.Type)
		require.Equal(t, x.rule, x.want.Rule())
		if Flaws(Unreadable).Has(x.want) {
			require.Equal(t, x.want, err)
		} else {
			require.NoError(t, err)
		}
	}
	var told []Flaw
	for f := range (Flaws(Runt) | Flaws(BadCode)).All {
		told = append(told, f)
	}
	require.Equal(t, []Flaw{Runt, BadCode}, told)
	require.EqualError(t, BadLength, "the payload is not as long as Request Length says (LENGTH)")
	require.EqualError(t, Cut, "undecided: the capture holds only the start of the packet (CUT)")
}

// FAL-W6: every one of the 128 bits is found where it says acknowledged and not received, and nowhere else.
func TestAcknowledgedNotReceived(t *testing.T) {
	for n := range DataWindow {
		bit := Bitmap{Lo: 1 << n}
		if n >= 64 {
			bit = Bitmap{Hi: 1 << (n - 64)}
		}
		for _, c := range []struct {
			ack, rx Bitmap
			want    Flaw
		}{{bit, Bitmap{}, BadBitmap}, {bit, Bitmap{^bit.Hi, ^bit.Lo}, BadBitmap}, {bit, bit, 0}, {Bitmap{}, bit, 0}} {
			p := spoil(EACK, func(p *Packet) { p.DataAck, p.DataRx = c.ack, c.rx })
			var got Packet
			require.NoError(t, Parse(p.Append(nil, &mode.Spec), &mode.Spec, &got))
			require.Equal(t, Flaws(c.want), got.Flaws, "bit %d", n)
		}
	}
}

// FAL-W12: a capture that holds too little decides nothing.
func TestCut(t *testing.T) {
	p := spoil(EACK, func(*Packet) {})
	b := p.Append(nil, &mode.Spec)
	var got Packet
	for n := range len(b) {
		require.Equal(t, Cut, ParseCut(b[:n], len(b), &mode.Spec, &got), "%d bytes", n)
	}
	require.NoError(t, ParseCut(b, len(b)+4, &mode.Spec, &got))
	require.Equal(t, Flaws(Trailing), got.Flaws)
	require.Equal(t, Runt, Parse(b[:23], &mode.Spec, &got))
}

// FAL-W5, FAL-W7
func TestModeRUEInfo(t *testing.T) {
	for _, typ := range []Type{BACK, EACK, NACK} {
		p := spoil(typ, func(p *Packet) { p.RUEInfo = 1<<32 - 1 })
		figure, table := p.Append(nil, &mode.Spec), p.Append(nil, &mode.Peer)
		require.Equal(t, []byte{0x00, 0x7F}, figure[28:30], "bit 9 is the first")
		require.Equal(t, []byte{0x00, 0xFF}, table[28:30], "bit 8 is the first")
		var got Packet
		require.NoError(t, Parse(table, &mode.Spec, &got))
		require.True(t, got.Flaws.Has(BadReserved))
		require.NoError(t, Parse(table, &mode.Peer, &got))
		require.Zero(t, got.Flaws)
		bits := map[Type]int{BACK: 22, EACK: 22, NACK: 24}[typ]
		require.EqualValues(t, 1<<bits-1, got.RUEInfo)
	}
}

// FAL-W2
func TestModeAckTypesReserved(t *testing.T) {
	m := mode.Spec
	m.AckTypesReserved = true
	for _, typ := range []Type{BACK, EACK} {
		p := spoil(typ, func(*Packet) {})
		var got Packet
		require.NoError(t, Parse(p.Append(nil, &mode.Spec), &mode.Spec, &got))
		require.Equal(t, BadType, Parse(p.Append(nil, &m), &m, &got))
	}
	p := spoil(NACK, func(*Packet) {})
	require.NoError(t, Parse(p.Append(nil, &m), &m, new(Packet)))
}

// FAL-W2: the peer's types are known to it, and have no format all the same.
func TestModePeerPacketTypes(t *testing.T) {
	for typ := range Type(16) {
		peers := typ == 1 || typ == 2 || typ == 4 || typ == 7
		specs := typ == 0 || typ == 3 || typ == 5 || typ == 6 || typ >= 8 && typ <= 10
		require.Equal(t, specs, typ.Known(&mode.Spec), "%d", typ)
		require.Equal(t, specs || peers, typ.Known(&mode.Peer), "%d", typ)
		require.Equal(t, specs, typ.Bytes() > 0)
		require.Equal(t, typ < 7 && specs, typ.Reliable())
		require.Equal(t, typ == 0, typ.RequestWindow())
	}
	require.Equal(t, "EACK Type(12)", EACK.String()+" "+Type(12).String())
	require.Equal(t, "NVMe Protocol(1)", NVMe.String()+" "+Protocol(1).String())
}

// FAL-W9
func TestModePeerNackCode5(t *testing.T) {
	for c := range NackCode(20) {
		specs := c == 1 || c == 2 || c == 4 || c == 6 || c == 7 || c == 8
		require.Equal(t, specs, c.Known(&mode.Spec))
		require.Equal(t, specs || c == 5, c.Known(&mode.Peer))
	}
	p := spoil(NACK, func(p *Packet) { p.NackCode = NackPeerWindow })
	var got Packet
	require.NoError(t, Parse(p.Append(nil, &mode.Spec), &mode.Spec, &got))
	require.Equal(t, Flaws(BadCode), got.Flaws)
	require.NoError(t, Parse(p.Append(nil, &mode.Peer), &mode.Peer, &got))
	require.Zero(t, got.Flaws)
}

// FAL-W6: base 300 is missing, 301 to 303 were received: 1110b by the rule, 0111b in the figure.
func TestModeBitmapSkipsBase(t *testing.T) {
	m := mode.Spec
	m.BitmapSkipsBase = true
	p := spoil(EACK, func(p *Packet) {
		p.DataBase, p.DataRx, p.DataAck, p.Request = 300, Bitmap{Lo: 14}, Bitmap{}, 14
	})
	for b, mm := range map[byte]*mode.Mode{14: &mode.Spec, 7: &m} {
		raw := p.Append(nil, mm)
		require.Equal(t, []byte{b, b}, []byte{raw[63], raw[71]})
		var got Packet
		require.NoError(t, Parse(raw, mm, &got))
		require.Equal(t, []uint64{14, 14}, []uint64{got.DataRx.Lo, got.Request})
		for n := range 5 {
			require.Equal(t, n >= 1 && n <= 3, got.DataRx.Bit(n), "PSN %d", 300+n)
		}
	}
	require.Equal(t, Bitmap{1, 1 << 63}, Bitmap{3, 0}.shiftDown())
	require.Equal(t, Bitmap{3, 0}, Bitmap{1, 1 << 63}.shiftUp())
	require.True(t, Bitmap{Hi: 1}.Bit(64))
	require.False(t, Bitmap{Hi: 1}.Bit(63))
	require.True(t, Bitmap{}.IsZero())
}

// FAL-W11
func TestModeCompletionShort(t *testing.T) {
	m := mode.Spec
	m.CompletionShort = true
	for c, names := range map[Completion][2]string{CompletionTargetCIE: {"kCmplTargetNackCIE", "kCmplTargetCIE"},
		CompletionLocalXlr: {"kCmplLocalXlr", "kCmplXlr"}, CompletionAck: {"kCmplAck", "kCmplAck"},
		2: {"reserved", "reserved"}} {
		require.Equal(t, names, [2]string{c.Name(&mode.Spec), c.Name(&m)})
	}
	for c := range Completion(18) {
		reserved := c == 2 || c == 5 || c == 6 || c == 7 || c == 14 || c > 15
		require.Equal(t, !reserved, c.Known(), "%d", c)
	}
}

// FAL-W8
func TestResyncCodes(t *testing.T) {
	for c := range ResyncCode(20) {
		require.Equal(t, c >= 1 && c <= 7, c.Known(), "%d", c)
	}
	require.Equal(t, "remote xLR", ResyncRemoteXlr.String())
	require.Equal(t, "xLR drop", NackXlr.String())
}

// FAL-W10: the table in ms, as printed.
func TestRNRTimeouts(t *testing.T) {
	ms := []float64{655.36, .01, .02, .03, .04, .06, .08, .12, .16, .24, .32, .48, .64, .96, 1.28, 1.92, 2.56, 3.84, 5.12,
		7.68, 10.24, 15.36, 20.48, 30.72, 40.96, 61.44, 81.92, 122.88, 163.84, 245.76, 327.68, 491.52}
	require.Len(t, ms, 32)
	for code, want := range ms {
		require.EqualValues(t, uint64(want*1e6+0.5), RNRTimeoutNs(uint8(code)), "code %d", code)
	}
	require.Equal(t, RNRTimeoutNs(1), RNRTimeoutNs(33))
}

// FAL-W1: PSNs and RSNs compare across the wrap.
func TestDiff(t *testing.T) {
	require.EqualValues(t, 2, PSN(1).Diff(1<<32-1))
	require.EqualValues(t, -2, RSN(1<<32-1).Diff(1))
}

// Neither building nor parsing takes memory.
func TestNoAllocation(t *testing.T) {
	b := make([]byte, 0, 256)
	var q Packet
	for _, typ := range types {
		p := spoil(typ, func(*Packet) {})
		require.Zero(t, testing.AllocsPerRun(100, func() {
			b = p.Append(b[:0], &mode.Spec)
			if Parse(b, &mode.Spec, &q) != nil {
				panic("it was good")
			}
		}), typ.String())
	}
}

// FuzzParse: nothing panics; what can be read and has no flaw is built to the same bytes.
func FuzzParse(f *testing.F) {
	for _, p := range vectorPackets() {
		f.Add(p.Append(nil, &mode.Spec), 0)
	}
	f.Fuzz(func(t *testing.T, b []byte, more int) {
		for _, m := range readings() {
			var p Packet
			err := ParseCut(b, len(b)+more, m, &p)
			if err != nil {
				require.True(t, p.Flaws.Has(Unreadable|Cut))
				continue
			}
			require.GreaterOrEqual(t, len(b), p.Type.Bytes())
			if !p.Flaws.Has(BadReserved) && !(m.BitmapSkipsBase && p.Type == EACK) {
				require.Equal(t, b, p.Append(nil, m))
			}
			for fl := range p.Flaws.All {
				require.NotEmpty(t, fl.Rule())
			}
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	for _, typ := range types {
		b.Run(typ.String(), func(b *testing.B) {
			p := spoil(typ, func(*Packet) {})
			buf := make([]byte, 0, 256)
			b.ReportAllocs()
			for b.Loop() {
				buf = p.Append(buf[:0], &mode.Spec)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "packets/s")
		})
	}
}

func BenchmarkParse(b *testing.B) {
	for _, typ := range types {
		b.Run(typ.String(), func(b *testing.B) {
			p := spoil(typ, func(*Packet) {})
			buf := p.Append(nil, &mode.Spec)
			b.ReportAllocs()
			for b.Loop() {
				if Parse(buf, &mode.Spec, &p) != nil {
					b.Fatal("it was good")
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "packets/s")
		})
	}
}
