package psp

import (
	"bytes"
	"encoding/hex"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/falcon/mode"
	"hcacosim/model/falcon/wire"
)

func unhex(t testing.TB, s string) []byte {
	b, err := hex.DecodeString(s)
	require.NoError(t, err)
	return b
}

func key(t testing.TB, s string) *Key {
	k, err := NewKey(unhex(t, s))
	require.NoError(t, err)
	return k
}

const (
	nistKey   = "feffe9928665731c6d6a8f9467308308"
	nistNonce = "cafebabefacedbaddecaf888"
	nistPlain = "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525" +
		"b16aedf5aa0de657ba637b391aafd255"
	nistAAD = "feedfacedeadbeeffeedfacedeadbeefabaddad2"
	zeros16 = "00000000000000000000000000000000"
	zeros12 = "000000000000000000000000"
)

// FAL-S2: the cipher against the test cases of the specification of GCM that was submitted to NIST, those with nonces
// of 96 bits and keys of 128 and 256: 1 to 4 and 13 to 16.
func TestNISTVectors(t *testing.T) {
	for _, x := range []struct{ number, key, nonce, plain, aad, sealed, tag string }{
		{"1", zeros16, zeros12, "", "", "", "58e2fccefa7e3061367f1d57a4e7455a"},
		{"2", zeros16, zeros12, zeros16, "", "0388dace60b6a392f328c2b971b2fe78", "ab6e47d42cec13bdf53a67b21257bddf"},
		{"3", nistKey, nistNonce, nistPlain, "", "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e" +
			"21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091473f5985", "4d5c2af327cd64a62cf35abd2ba6fab4"},
		{"4", nistKey, nistNonce, nistPlain[:120], nistAAD, "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e23" +
			"29aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091", "5bc94fbc3221a5db94fae95ae7121a47"},
		{"13", zeros16 + zeros16, zeros12, "", "", "", "530f8afbc74536b9a963b4f1c4cb738b"},
		{"14", zeros16 + zeros16, zeros12, zeros16, "", "cea7403d4d606b6e074ec5d3baf39d18",
			"d0d1c8a799996bf0265b98b5d48ab919"},
		{"15", nistKey + nistKey, nistNonce, nistPlain, "", "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd" +
			"2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad", "b094dac5d93471bdec1a502270e3cc6c"},
		{"16", nistKey + nistKey, nistNonce, nistPlain[:120], nistAAD, "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0" +
			"c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662", "76fc6ece0f4e1768cddf8853bb2d551b"},
	} {
		k := key(t, x.key)
		plain, nonce, aad := unhex(t, x.plain), unhex(t, x.nonce), unhex(t, x.aad)
		sealed := k.aead.Seal(nil, nonce, plain, aad)
		require.Equal(t, x.sealed+x.tag, hex.EncodeToString(sealed), "test case %s", x.number)
		opened, err := k.aead.Open(nil, nonce, sealed, aad)
		require.NoError(t, err)
		require.True(t, bytes.Equal(plain, opened))
	}
}

// scapy's documentation prints a PSP packet before and after encryption: an encoder that shares nothing with this one.
const (
	scapyKey   = "ffeeddccbbaa99887766554433221100"
	scapyPlain = "4500002500010000401 17cc57f0000017f00000104d2162e0011a0c4414141414141414141"
	scapyWhole = "04010501112233440102030405060708450000250001000040117cc57f0000017f0000018e3e2b1345c76bf95cdac39b" +
		"861762a0cfdffbbebbc6313a2b9de064759cdd71c9"
)

// FAL-S1, FAL-S2: a packet that another implementation sealed, crypt offset 5, is built and opened.
func TestScapyVector(t *testing.T) {
	plain := unhex(t, string(bytes.ReplaceAll([]byte(scapyPlain), []byte(" "), nil)))
	h := Header{NextHeader: NextIPv4, ExtLen: 1, CryptOffset: 5, SPI: 0x11223344, IV: 0x0102030405060708, One: true}
	k := key(t, scapyKey)
	sealed, err := k.Seal(nil, &h, plain)
	require.NoError(t, err)
	require.Equal(t, scapyWhole, hex.EncodeToString(sealed))
	got, opened, err := k.Open(sealed)
	require.NoError(t, err)
	require.Equal(t, h, got)
	require.Equal(t, plain, opened)
}

// falcon is a Falcon packet to seal.
func falcon() []byte {
	p := wire.Packet{Version: 1, CID: 0x123456, Type: wire.PushData, Protocol: wire.RDMA, RequestLength: 5,
		Payload: []byte("hello")}
	return p.Append(nil, &mode.Spec)
}

// FAL-S1, FAL-S3: with and without a cookie, version and CID of the packet stay in clear, and nothing else.
func TestFalconInClear(t *testing.T) {
	for _, h := range []Header{For(AESGCM256, 7, 9), For(AESGCM256, 7, 9).WithCookie(0xC0FFEE)} {
		k := key(t, nistKey+nistKey)
		sealed, err := k.Seal([]byte{1, 2, 3}, &h, falcon())
		require.NoError(t, err)
		sealed = sealed[3:]
		require.Len(t, sealed, h.Bytes()+len(falcon())+ICVBytes)
		n := h.Bytes() + 4
		require.Equal(t, n, h.Clear())
		require.Equal(t, falcon()[:4], sealed[h.Bytes():n])
		require.NotEqual(t, falcon()[4:], sealed[n:len(sealed)-ICVBytes])
		spoilt := make([]byte, len(sealed))
		for i := range sealed { // every bit is protected
			copy(spoilt, sealed)
			spoilt[i] ^= 0x10
			_, _, err := k.Open(spoilt)
			require.Error(t, err, "byte %d", i)
		}
		got, packet, err := k.Open(sealed)
		require.NoError(t, err)
		require.Equal(t, h, got)
		require.Equal(t, falcon(), packet)
	}
}

// FAL-S1, FAL-S2, FAL-S3: what is wrong is told with its rule.
func TestFlaws(t *testing.T) {
	k := key(t, nistKey)
	whole := func(change func(*Header)) []byte {
		h := For(AESGCM128, 7, 9)
		change(&h)
		b := h.Append(nil)
		return append(append(b, falcon()...), make([]byte, ICVBytes)...)
	}
	for _, x := range []struct {
		b    []byte
		want Flaw
		rule string
	}{
		{whole(func(*Header) {})[:15], Runt, "FAL-S1"},
		{whole(func(*Header) {})[:31], Runt, "FAL-S1"},
		{whole(func(h *Header) { *h = h.WithCookie(1) })[:23], Runt, "FAL-S1"},
		{whole(func(h *Header) { h.ExtLen = 2 }), BadExtLen, "FAL-S1"},
		{whole(func(h *Header) { h.HasCookie = true }), BadExtLen, "FAL-S1"},
		{whole(func(h *Header) { h.Reserved = 2 }), BadReserved, "FAL-S1"},
		{whole(func(h *Header) { h.One = false }), BadReserved, "FAL-S1"},
		{whole(func(h *Header) { h.CryptOffset = 9 }), BadOffset, "FAL-S3"},
		{whole(func(h *Header) { *h = h.WithCookie(1); h.CryptOffset = 1 }), BadOffset, "FAL-S3"},
		{whole(func(h *Header) { h.Version = 2 }), BadVersion, "FAL-S1"},
		{whole(func(h *Header) { h.Version = AESGCM256 }), BadKey, ""},
		{whole(func(*Header) {}), BadICV, "FAL-S2"},
	} {
		_, _, err := k.Open(x.b)
		require.Equal(t, x.want, err)
		require.Equal(t, x.rule, x.want.Rule())
		require.NotEmpty(t, err.Error())
	}
	_, err := NewKey(make([]byte, 24))
	require.Equal(t, BadKey, err)
	h := For(AESGCM128, 7, 9)
	h.CryptOffset = 9
	b, err := k.Seal([]byte{1}, &h, falcon())
	require.Equal(t, BadOffset, err)
	require.Equal(t, []byte{1}, b)
	h = For(AESGCM256, 7, 9)
	_, err = k.Seal(nil, &h, falcon())
	require.Equal(t, BadKey, err)
	h.Version = 3
	_, err = k.Seal(nil, &h, falcon())
	require.Equal(t, BadVersion, err)
	require.Equal(t, "Flaw(99)", Flaw(99).Error())
	require.Empty(t, NoKey.Rule())
}

// FAL-S4: the margin is behind the newest IV, modulo 2^64.
func TestReplay(t *testing.T) {
	g := Global{Margin: 100}
	for _, base := range []uint64{1000, 50, 1<<63 + 20} {
		c := Conn{SPI: 1, RemoteTime: base}
		admit := func(iv uint64) error { h := For(0, 1, iv); return c.Admit(&g, &h) }
		require.NoError(t, admit(base-99), "older, and within the margin")
		require.Equal(t, base, c.RemoteTime)
		require.Equal(t, Replayed, admit(base-100))
		require.Equal(t, Replayed, admit(base-1<<62))
		require.NoError(t, admit(base+500))
		require.Equal(t, base+500, c.RemoteTime)
		require.NoError(t, admit(base+500), "the same IV is within the margin")
		require.Equal(t, Replayed, admit(base+400))
	}
	c := Conn{SPI: 1, RemoteTime: 1<<64 - 10}
	h := For(0, 1, 5)
	require.NoError(t, c.Admit(&g, &h))
	require.EqualValues(t, 5, c.RemoteTime, "across the wrap")
	h = For(0, 2, 50)
	require.Equal(t, WrongSPI, c.Admit(&g, &h))
	require.EqualValues(t, 5, c.RemoteTime, "a packet that is refused moves nothing")
}

// FAL-S5: the whole truth table, worked out by hand from the text's three ways to be accepted.
func TestSPICheck(t *testing.T) {
	const low, low2, high = 5, 6, 5 | 1<<31
	for _, x := range []struct {
		what             string
		spi, prev        uint32
		connGen, globGen uint32
		allow            bool
		header           uint32
		want             bool
	}{
		{"current", low, low, 3, 3, false, low, true},
		{"no current SPI", 0, 0, 3, 3, true, 0, false},
		{"no current SPI, but a previous one", 0, low, 3, 3, true, low, false},
		{"current, of the generation before", low, low, 2, 3, false, low, false},
		{"current, of the generation before, allowed", low, low, 2, 3, true, low, true},
		{"current, two generations before", low, low, 1, 3, true, low, false},
		{"another", low, low, 3, 3, true, low2, false},
		{"previous, same key", low, low2, 3, 3, false, low2, true},
		{"previous, same key, old", low, low2, 2, 3, false, low2, false},
		{"previous, same key, old, allowed", low, low2, 2, 3, true, low2, true},
		{"previous, other key", low, high, 3, 3, false, high, false},
		{"previous, other key, allowed", low, high, 3, 3, true, high, true},
		{"previous, other key, allowed, old", low, high, 2, 3, true, high, false},
		{"previous is 0", low, 0, 3, 3, true, 0, false},
		{"generations wrap", low, low, 1<<32 - 1, 0, true, low, true},
	} {
		c := Conn{SPI: x.spi, PreviousSPI: x.prev, Generation: x.connGen}
		g := Global{Generation: x.globGen, AllowPrevious: x.allow}
		require.Equal(t, x.want, c.spiGood(&g, x.header), x.what)
	}
}

// FAL-S6: through a rotation no packet of a sender that follows it is lost, and behind it the old key is refused.
func TestKeyRotation(t *testing.T) {
	const old, next = 7, 7 | 1<<31
	g := Global{Margin: 10, Generation: 4}
	c := Conn{SPI: old, PreviousSPI: old, Generation: 4, RemoteTime: 1000}
	other := c
	good := func(c *Conn, spi uint32, iv uint64) bool { h := For(0, spi, iv); return c.Admit(&g, &h) == nil }
	require.True(t, good(&c, old, 1001))
	g.BeginRotation()
	require.True(t, good(&c, old, 1002), "not yet told")
	c.Rotate(&g, next, 900)
	require.True(t, good(&c, old, 1003), "packets under way")
	require.True(t, good(&c, next, 1004))
	require.True(t, good(&other, old, 1005))
	g.EndRotation()
	require.False(t, good(&c, old, 1006))
	require.True(t, good(&c, next, 1007))
	require.False(t, good(&other, old, 1008), "it missed the rotation")
}

// FAL-S7
func TestPCID(t *testing.T) {
	g := Global{Margin: 10, MatchPCID: true}
	c := Conn{SPI: 1, PCID: 77}
	h := For(0, 1, 5)
	require.Equal(t, WrongPCID, c.Admit(&g, &h), "no cookie")
	with := h.WithCookie(78)
	require.Equal(t, WrongPCID, c.Admit(&g, &with))
	with = h.WithCookie(77)
	require.NoError(t, c.Admit(&g, &with))
	g.MatchPCID = false
	require.NoError(t, c.Admit(&g, &h))
	for r, rule := range map[Refusal]string{Replayed: "FAL-S4", WrongSPI: "FAL-S5", WrongPCID: "FAL-S7"} {
		require.Equal(t, rule, r.Rule())
		require.NotEmpty(t, r.Error())
	}
}

// Opening and sealing take no memory where dst has room.
func TestNoAllocation(t *testing.T) {
	k, h := key(t, nistKey), For(AESGCM128, 7, 9)
	packet, buf := falcon(), make([]byte, 0, 256)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		buf, _ = k.Seal(buf[:0], &h, packet)
		if _, _, err := k.Open(buf); err != nil {
			panic(err)
		}
	}))
}

// FuzzOpen: nothing panics; a header that parses is built to the same bytes; what was not sealed does not open.
func FuzzOpen(f *testing.F) {
	k := key(f, nistKey)
	h := For(AESGCM128, 7, 9)
	b, err := k.Seal(nil, &h, falcon())
	require.NoError(f, err)
	f.Add(b)
	h = h.WithCookie(5)
	b, err = k.Seal(nil, &h, falcon())
	require.NoError(f, err)
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		var h Header
		if h.Parse(b) == nil {
			require.Equal(t, b[:h.Bytes()], h.Append(nil))
		}
		h, packet, err := k.Open(bytes.Clone(b))
		if err == nil {
			again, err := k.Seal(nil, &h, packet)
			require.NoError(t, err)
			require.Equal(t, b, again)
		}
	})
}

func BenchmarkOpen(b *testing.B) {
	k, h := key(b, nistKey), For(AESGCM128, 7, 9)
	r := rand.New(rand.NewPCG(1, 1))
	packet := make([]byte, 1100)
	for i := range packet {
		packet[i] = byte(r.Uint32())
	}
	sealed, err := k.Seal(nil, &h, packet)
	require.NoError(b, err)
	buf := make([]byte, len(sealed))
	b.SetBytes(int64(len(buf)))
	b.ReportAllocs()
	for b.Loop() {
		copy(buf, sealed)
		if _, _, err := k.Open(buf); err != nil {
			b.Fatal(err)
		}
	}
}
