package scenario

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"sort"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/sim"
	"hcacosim/model/stages"
	"hcacosim/model/wire"
)

// TestRandIsSplitmix64 holds the generator to the published first outputs for state 1234567.
func TestRandIsSplitmix64(t *testing.T) {
	r := Rand{1234567}
	for _, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431,
		16408922859458223821} {
		require.Equal(t, want, r.Uint64())
	}
}

func TestRandBelowReachesEverything(t *testing.T) {
	r := NewRand(1, 2)
	seen := map[int]int{}
	for range 1000 {
		seen[r.Between(3, 12)]++
	}
	require.Len(t, seen, 10)
	require.NotContains(t, seen, 2)
	require.NotContains(t, seen, 13)
}

// TestCRCFindsFewBits proves what the scenarios know about bit errors: over codewords of up to 11,450 bytes no pattern
// of one, two or three bits is a multiple of the CRC-32 polynomial. A pattern divides only if x^i + x^j + 1 = 0 for
// some i, j (three bits), x^i + 1 = 0 (two); one bit never does, nor a burst shorter than the polynomial.
func TestCRCFindsFewBits(t *testing.T) {
	const bits = 8 * 11450
	powers := make(map[uint32]bool, bits)
	x := uint32(1) // x^i mod P, high bit first
	for i := 1; i < bits; i++ {
		high := x>>31 != 0
		if x <<= 1; high {
			x ^= 0x04C11DB7
		}
		require.NotEqual(t, uint32(1), x, "two bits, %d apart", i)
		require.False(t, powers[x^1], "three bits, one of them %d away", i)
		powers[x] = true
	}
}

func each(t testing.TB, s *Scenario, seed, count uint64, f func(i uint64, c *Case)) {
	t.Helper()
	g := NewGenerator(s, seed)
	var c Case
	for i := range count {
		g.Make(i, &c)
		require.NotEmpty(t, c.Frame)
		f(i, &c)
	}
}

// advance puts one packet through a model stage and returns what came out.
func advance(t testing.TB, stage sim.Stage, c *Case, userBits int) sim.Record {
	in := []sim.Record{{User: uint32(c.Link) * uint32(min(userBits, 1)), Data: c.Frame}}
	out := stage.Advance(1<<40, in, nil)
	require.Len(t, out, 1)
	return out[0]
}

// TestModelAgreesWithWhatIsKnown: where a packet's verdict follows from how it was made, the model must say the same.
func TestModelAgreesWithWhatIsKnown(t *testing.T) {
	blocks := []string{"icrc_check", "icrc_insert", "vcrc_check", "psn_window"} // the others have tests of their own
	for _, s := range All() {
		if !slices.Contains(blocks, s.Stages[0]) {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			spec, ok := stages.Lookup(s.Stages[0])
			require.True(t, ok)
			stage := spec.New(nil)
			known := 0
			each(t, &s, 7, s.Count, func(i uint64, c *Case) {
				if s.Input == sim.Fields {
					require.Equal(t, KnowsClass, c.Truth.Knows)
					require.Equal(t, c.Truth.Class, hca.PSNClass(advance(t, stage, c, 0).Data[3]), "record %d: %s\n%x", i, c.Why,
						c.Frame)
					known++
					return
				}
				user := advance(t, stage, c, spec.Ports[0].UserBits).User
				k := c.Truth.Knows
				at := func() string { return fmt.Sprintf("packet %d: %s\n%x", i, c.Why, c.Frame) }
				if k&KnowsEncap != 0 && c.Truth.Encap != wire.Encap(user>>4&7) {
					t.Fatalf("encapsulation %v, known %v: %s", wire.Encap(user>>4&7), c.Truth.Encap, at())
				}
				if k&KnowsReason != 0 && c.Truth.Reason != wire.Reason(user>>8&15) {
					t.Fatalf("reason %v, known %v: %s", wire.Reason(user>>8&15), c.Truth.Reason, at())
				}
				if status, _, _ := wire.CheckVCRC(c.Frame); k&KnowsVCRC != 0 && c.Truth.VCRC != status {
					t.Fatalf("VCRC %v, known %v: %s", status, c.Truth.VCRC, at())
				}
				switch {
				case s.Name == "vcrc":
					require.Equal(t, c.Truth.VCRC, wire.VCRCStatus(user&3), at())
				case s.Name == "insert":
				case k&KnowsICRC != 0 && c.Truth.ICRC != wire.ICRCStatus(user&3):
					t.Fatalf("ICRC %v, known %v: %s", wire.ICRCStatus(user&3), c.Truth.ICRC, at())
				}
				if k&(KnowsICRC|KnowsVCRC) != 0 {
					known++
				}
			})
			if s.Name != "insert" {
				require.Greater(t, known, int(s.Count)/2)
			}
		})
	}
}

// slowICRC is a second reading of ICRC-1 to ICRC-5: the whole masked packet is laid out, then divided bit by bit.
func slowICRC(encap wire.Encap, frame []byte, net, transport, end int) uint32 {
	b := append(bytes.Repeat([]byte{0xff}, 8), frame[net:end-4]...)
	bth := transport - net + 8
	switch encap {
	case wire.EncapIBLocal:
		b = bytes.Clone(frame[:end-4])
		b[0] |= 0xf0
		bth = transport
	case wire.EncapIBGlobal:
		copy(b[8:16], bytes.Repeat([]byte{0xff}, 8))
		b = b[8:]
		bth = transport
		fallthrough
	case wire.EncapRoCEv1, wire.EncapRoCEv2IPv6:
		b[8] |= 0x0f
		b[9], b[10], b[11], b[15] = 0xff, 0xff, 0xff, 0xff
	case wire.EncapRoCEv2IPv4:
		b[9], b[16], b[18], b[19] = 0xff, 0xff, 0xff, 0xff
	}
	if encap == wire.EncapRoCEv2IPv4 || encap == wire.EncapRoCEv2IPv6 {
		b[bth-2], b[bth-1] = 0xff, 0xff
	}
	b[bth+4] = 0xff
	r := ^uint32(0)
	for _, v := range b {
		for bit := range 8 {
			low := r ^ uint32(v>>bit)
			r >>= 1
			if low&1 != 0 {
				r ^= 0xEDB88320
			}
		}
	}
	return ^r
}

func TestSlowICRCOnKnownPackets(t *testing.T) {
	frame, _ := hex.DecodeString("020000000002020000000001080045c2003c718c4000401191610a0011010a001201000012b700280000" +
		"8100ffff40000118000000000000000000000000000000000000000082fd002a")
	require.Equal(t, uint32(0x2a00fd82), slowICRC(wire.EncapRoCEv2IPv4, frame, 14, 42, len(frame)))
}

// TestValidPacketsByASecondICRC: the frames of valid carry the ICRC that slowICRC gives, where they were built to.
func TestValidPacketsByASecondICRC(t *testing.T) {
	s, err := Lookup("valid")
	require.NoError(t, err)
	each(t, s, 3, 2000, func(i uint64, c *Case) {
		l := &c.layout
		want := slowICRC(c.shape.encap, c.Frame, l.net, l.transport, l.end)
		require.Equal(t, want, binary.LittleEndian.Uint32(c.Frame[l.end-4:]), "packet %d: %s\n%x", i, c.Why, c.Frame)
	})
}

// TestInsertedByASecondICRC: icrc_insert turns a placeholder into the ICRC that slowICRC gives, and changes nothing
// else.
func TestInsertedByASecondICRC(t *testing.T) {
	s, err := Lookup("insert")
	require.NoError(t, err)
	spec, _ := stages.Lookup("icrc_insert")
	stage := spec.New(nil)
	written := 0
	each(t, s, 3, 4000, func(i uint64, c *Case) {
		before := bytes.Clone(c.Frame)
		out := advance(t, stage, c, 1)
		require.Equal(t, before, c.Frame, "the input is not touched")
		if c.Truth.Knows&KnowsReason == 0 || c.Truth.Knows&KnowsEncap == 0 {
			return
		}
		has := c.Truth.Encap != wire.EncapNone && c.Truth.Encap != wire.EncapRaw &&
			c.Truth.Reason != wire.Short && c.Truth.Reason != wire.Truncated &&
			!bytes.HasPrefix(c.Why, []byte("short fragment"))
		require.Equal(t, has, out.User&3 == 1, "packet %d: %s", i, c.Why)
		l := &c.layout
		if bytes.HasPrefix(c.Why, []byte("length lies")) { // its end is not where it was built to be
			return
		}
		if has {
			written++
			binary.LittleEndian.PutUint32(before[l.end-4:], slowICRC(c.shape.encap, before, l.net, l.transport, l.end))
		}
		require.Equal(t, before, out.Data, "packet %d: %s", i, c.Why)
	})
	require.Greater(t, written, 3000)
}

func TestMakeDoesNotAllocate(t *testing.T) {
	for _, s := range All() {
		g := NewGenerator(&s, 1)
		var c Case
		for i := range s.Count { // buffers grow
			g.Make(i, &c)
		}
		if c.series.of != nil { // made as a whole, in words that fmt puts together
			continue
		}
		i := uint64(0)
		require.Zero(t, testing.AllocsPerRun(2000, func() { g.Make(i, &c); i++ }), s.Name)
	}
}

func digest(t testing.TB, s *Scenario, seed uint64, indices []uint64) string {
	g := NewGenerator(s, seed)
	h := sha256.New()
	for _, i := range indices {
		var c Case
		g.Make(i, &c)
		fmt.Fprintf(h, "%d %d %x %s\n", i, c.Link, c.Frame, c.Why)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// TestSameSeedSamePackets: a packet is decided by scenario, seed and index alone, whatever was made before it.
func TestSameSeedSamePackets(t *testing.T) {
	for _, s := range All() {
		var once, again bytes.Buffer
		g := NewGenerator(&s, 42)
		var c Case
		for i := range uint64(300) {
			g.Make(i, &c)
			fmt.Fprintf(&once, "%d %x %s\n", c.Link, c.Frame, c.Why)
		}
		lines := make([]string, 300)
		g = NewGenerator(&s, 42)
		for i := 299; i >= 0; i-- { // in another order, into used buffers
			g.Make(uint64(i), &c)
			lines[i] = fmt.Sprintf("%d %x %s\n", c.Link, c.Frame, c.Why)
		}
		for _, l := range lines {
			again.WriteString(l)
		}
		require.Equal(t, once.String(), again.String(), s.Name)
		require.NotEqual(t, digest(t, &s, 42, []uint64{0, 1, 299}), digest(t, &s, 43, []uint64{0, 1, 299}), s.Name)
	}
}

func TestUnknownScenarioNamesTheKnown(t *testing.T) {
	_, err := Lookup("nonesuch")
	require.ErrorContains(t, err, "scenario nonesuch: unknown (known: mix, valid, bit-errors, ")
	for _, s := range All() {
		require.ErrorContains(t, err, s.Name)
	}
}

func TestDefaultScenario(t *testing.T) {
	require.Equal(t, "mix", Default("icrc_check").Name)
	require.Equal(t, "insert", Default("icrc_insert").Name)
	require.Equal(t, "vcrc", Default("vcrc_check").Name)
	require.Equal(t, "psn-window", Default("psn_window").Name)
}

// bins counts what a run of a scenario reached.
type bins map[string]int

func (b bins) add(format string, args ...any) { b[fmt.Sprintf(format, args...)]++ }

// missing lists what was promised and not reached.
func (b bins) missing(promised []string) (out []string) {
	for _, p := range promised {
		if b[p] == 0 {
			out = append(out, p)
		}
	}
	sort.Strings(out)
	return out
}

func reach(t *testing.T, name string, seed uint64) bins {
	s, err := Lookup(name)
	require.NoError(t, err)
	b := bins{}
	each(t, s, seed, s.Count, func(_ uint64, c *Case) {
		sh := &c.shape
		b.add("%v", sh.encap)
		if sh.op != nil {
			b.add("%s in %v", sh.op.Name, sh.encap)
			b.add("%s payload %d", sh.op.Name, sh.payload)
		}
		b.add("%v tags %d", sh.encap, sh.vlans)
		if sh.encap == wire.EncapRoCEv2IPv4 {
			b.add("IHL %d tags %d", 5+sh.optionWords, sh.vlans)
		}
		for beat := 8; beat <= 128; beat *= 2 {
			b.add("%v beat %d fill %d", sh.encap.Link(), beat, len(c.Frame)%beat)
		}
		if c.Truth.Knows&KnowsReason != 0 {
			b.add("reason %v", c.Truth.Reason)
			b.add("reason %v in %v", c.Truth.Reason, sh.encap)
		}
		if k := bytes.IndexByte(c.Why, ':'); k > 0 {
			b.add("%s", c.Why[:k])
		}
		if c.Link == wire.LinkEthernet {
			b.add("trailer %d", len(c.Frame)-c.layout.end)
		}
		if c.Truth.Reason == wire.Runt {
			b.add("cut %d before the BTH in %v", c.layout.transport-len(c.Frame), sh.encap)
		}
		b.add("bytes %d", len(c.Frame))
	})
	return b
}

// TestValidReachesEverything: every opcode in every encapsulation, every boundary length it may have, every number of
// tags and words of options, and the last beat of every width filled to every count that alignment allows.
func TestValidReachesEverything(t *testing.T) {
	b := reach(t, "valid", 11)
	var want []string
	for _, op := range opcodes {
		for _, encap := range encaps {
			want = append(want, fmt.Sprintf("%s in %v", op.Name, encap))
		}
		for _, n := range []int{0, 1, 2, 3, 4, 255, 256, 511, 512, 1023, 1024, 2047, 2048, 4095, 4096} {
			if op.Length.AllowsSome(n) {
				want = append(want, fmt.Sprintf("%s payload %d", op.Name, n))
			}
		}
	}
	for _, encap := range encaps[:3] {
		for tags := range 3 {
			want = append(want, fmt.Sprintf("%v tags %d", encap, tags))
		}
	}
	for ihl := 5; ihl <= 15; ihl++ {
		for tags := range 3 {
			want = append(want, fmt.Sprintf("IHL %d tags %d", ihl, tags))
		}
	}
	for beat := 8; beat <= 128; beat *= 2 {
		for fill := 0; fill < beat; fill += 4 {
			// Ethernet's 14 bytes and the VCRC's 2 put every whole number of words 2 bytes beside a multiple of 4.
			want = append(want, fmt.Sprintf("%v beat %d fill %d", wire.LinkEthernet, beat, fill+2))
			want = append(want, fmt.Sprintf("%v beat %d fill %d", wire.LinkIB, beat, fill+2))
			want = append(want, fmt.Sprintf("%v beat %d fill %d", wire.LinkIB, beat, fill)) // without VCRC
		}
	}
	require.Empty(t, b.missing(want))
	require.Len(t, opcodes, 86)
	require.Len(t, lengthClasses, 30)
}

func encapNames() (names []string) {
	for _, e := range encaps {
		names = append(names, e.String())
	}
	return names
}

func TestEveryPacketScenarioReachesEveryEncapsulation(t *testing.T) {
	for _, s := range All() {
		// TestHcaRxReachesEverything looks at hca-rx, by its answers; hca-top, hca-top-sends and hca-rx-ecc have the same
		// peers. To tx_arbiter a frame is bytes.
		others := []string{"vcrc", "hca-rx", "hca-rx-ecc", "hca-rx-one", "hca-rx-receive", "hca-rx-many", "hca-rx-full",
			"hca-rx-long", "hca-rx-meets", "hca-rx-writes", "hca-rx-vast", "hca-top", "hca-top-closes", "hca-top-meets",
			"hca-top-sends", "hca-top-streams", "tx-arbiter", "tx-arbiter-silent"}
		if s.Input == sim.Axis && !slices.Contains(others, s.Name) {
			require.Empty(t, reach(t, s.Name, 5).missing(encapNames()), s.Name)
		}
	}
}

func TestPaddingReachesEveryLength(t *testing.T) {
	padding := reach(t, "padding", 5)
	want := []string{"bytes 60", "reason TRAILER", "reason OK"}
	for n := range maxTrailerBytes + 1 {
		want = append(want, fmt.Sprintf("trailer %d", n))
	}
	require.Empty(t, padding.missing(want))
}

func TestMalformedReachesEveryCutAndReason(t *testing.T) {
	malformed := reach(t, "malformed", 5)
	var want []string
	for n := 1; n < 14+8+60+8; n++ { // every cut before the BTH of the longest headers
		want = append(want, fmt.Sprintf("bytes %d", n))
	}
	for r := wire.WellFormed; r <= wire.Trailer; r++ {
		want = append(want, "reason "+r.String())
	}
	for _, e := range encapNames() {
		for n := 1; n < 8; n++ {
			want = append(want, fmt.Sprintf("cut %d before the BTH in %s", n, e))
		}
		for _, r := range []wire.Reason{wire.Runt, wire.Truncated, wire.Short, wire.Trailer} {
			want = append(want, fmt.Sprintf("reason %v in %s", r, e))
		}
	}
	require.Empty(t, malformed.missing(want))
	longest := 0
	for n := range 70000 {
		if malformed[fmt.Sprintf("bytes %d", n)] > 0 {
			longest = n
		}
	}
	require.Greater(t, longest, 65500)
}

func TestMixReachesEveryOpcodeEverywhere(t *testing.T) {
	mix := reach(t, "mix", 5)
	var want []string
	for _, op := range opcodes {
		for _, e := range encapNames() {
			want = append(want, op.Name+" in "+e)
		}
	}
	for _, part := range mixTurns {
		if part.name != "malformed" {
			want = append(want, part.name)
		}
	}
	for r := wire.WellFormed; r <= wire.Trailer; r++ {
		want = append(want, "reason "+r.String())
	}
	require.Empty(t, mix.missing(want))
}

func TestMinimumReachesTheSmallestEverywhere(t *testing.T) {
	minimum := reach(t, "minimum", 5)
	var want []string
	for _, op := range smallest {
		for _, e := range encapNames() {
			want = append(want, op.Name+" in "+e)
		}
	}
	require.Empty(t, minimum.missing(want))
}

// Every field that must not matter and every one that must is named at least once.
func TestMaskedAndCoveredFieldsAreAllNamed(t *testing.T) {
	for name, e := range map[string]effect{"masked-fields": ignored, "covered-fields": covered} {
		s, _ := Lookup(name)
		var said bytes.Buffer
		each(t, s, 5, s.Count, func(_ uint64, c *Case) { said.Write(c.Why) })
		for _, table := range [][]field{ethernetFields, vlanFields, ipv4Fields, ipv6Fields, udpFields, lrhLocalFields,
			lrhGlobalFields, bthFields} {
			for _, f := range table {
				if f.effect == e {
					require.Contains(t, said.String(), f.name)
				}
			}
		}
		if e == covered {
			for h := ib.RDETH; h <= ib.ImmDt; h++ {
				require.Contains(t, said.String(), h.String())
			}
			for _, name := range []string{"IP options", "payload", "pad", "ICRC", "UDP length", "GRH PayLen"} {
				require.Contains(t, said.String(), name)
			}
		}
	}
}

func BenchmarkMake(b *testing.B) {
	for _, s := range All() {
		b.Run(s.Name, func(b *testing.B) {
			g := NewGenerator(&s, 1)
			var c Case
			i, bytes := uint64(0), 0
			b.ReportAllocs()
			for b.Loop() {
				g.Make(i, &c)
				bytes += len(c.Frame)
				i++
			}
			b.ReportMetric(float64(bytes)/float64(i), "bytes/packet")
		})
	}
}
