package ib

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite testdata/opcodes.txt; read the difference before keeping it")

// The whole table as a page to read. The tests below hold it against a second reading of OPC-1, OPC-2 and LEN-1.
func TestOpcodeTable(t *testing.T) {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "op\tname\tgoes to\tpayload\tbytes\theaders after the BTH")
	for op := range 256 {
		if i := Lookup(Opcode(op)); i != nil {
			to := "responder"
			switch {
			case i.Transport == CNP:
				to = "sender"
			case i.Response:
				to = "requester"
			}
			fmt.Fprintf(w, "%02X\t%s\t%s\t%v\t%d\t%v\n", op, i.Name, to, i.Length, i.Bytes, i.Headers)
		}
	}
	w.Flush()
	page := regexp.MustCompile(` +\n`).ReplaceAllString(b.String(), "\n")
	if *update {
		require.NoError(t, os.WriteFile("testdata/opcodes.txt", []byte(page), 0o644))
	}
	want, err := os.ReadFile("testdata/opcodes.txt")
	require.NoError(t, err)
	require.Equal(t, string(want), page)
}

// OPC-1, as the text has it.
func TestValidOpcodes(t *testing.T) {
	const text = "RC 00-14 16 17 1C 1D; UC 00-0B; RD 00-15 1C; UD 04 05; XRC 00-14 16 17"
	base := map[string]uint64{"RC": 0x00, "UC": 0x20, "RD": 0x40, "UD": 0x60, "XRC": 0xA0}
	want := map[Opcode]bool{0x81: true}
	for service := range strings.SplitSeq(text, "; ") {
		words := strings.Fields(service)
		for _, r := range words[1:] {
			from, to, isRange := strings.Cut(r, "-")
			if !isRange {
				to = from
			}
			for n := hexa(t, from); n <= hexa(t, to); n++ {
				want[Opcode(base[words[0]]+n)] = true
			}
		}
	}
	for op := range 256 {
		i := Lookup(Opcode(op))
		require.Equal(t, want[Opcode(op)], i != nil, "%02X", op)
		if i != nil {
			require.Equal(t, Opcode(op), i.Opcode)
			require.Equal(t, Opcode(op), Join(i.Transport, i.Operation))
		}
	}
}

func hexa(t *testing.T, s string) uint64 {
	n, err := strconv.ParseUint(s, 16, 8)
	require.NoError(t, err)
	return n
}

// OPC-2 and LEN-1 read a second time, from the names that the opcode table of the facts gives.
func TestHeadersAndLengthsFollowFromTheName(t *testing.T) {
	names := strings.Split("SEND First,SEND Middle,SEND Last,SEND Last with immediate,SEND Only,SEND Only with "+
		"immediate,WRITE First,WRITE Middle,"+
		"WRITE Last,WRITE Last with immediate,WRITE Only,WRITE Only with immediate,READ request,READ response First,READ "+
		"response Middle,"+
		"READ response Last,READ response Only,ACK,ATOMIC ACK,CMP & SWAP,FETCH & ADD,RESYNC,SEND Last with invalidate,"+
		"SEND Only with invalidate,,,,,FLUSH,ATOMIC WRITE", ",")
	for op := range 256 {
		i := Lookup(Opcode(op))
		if i == nil || op == 0x81 {
			continue
		}
		service, name, _ := strings.Cut(i.Name, " ")
		require.Equal(t, names[op&0x1F], name, "%02X", op)
		require.Equal(t, isResponseNamed(name), i.Response, i.Name)

		at, got := 12, []string(nil)
		for _, h := range headersNamed(service, name) {
			kind, size, _ := strings.Cut(h, " ")
			n, _ := strconv.Atoi(size)
			got = append(got, kind)
			require.Equal(t, at, i.Offset(headerNamed(kind)), "%s: %s", i.Name, kind)
			at += n
		}
		require.Equal(t, strings.Join(got, " "), i.Headers.String(), i.Name)
		require.Equal(t, at, i.Bytes, i.Name)
		require.Equal(t, lengthNamed(name), i.Length, i.Name)
	}
	require.Equal(t, SixteenBytes, Lookup(0x81).Length)
	require.Equal(t, 12, Lookup(0x81).Bytes)
}

// headersNamed are the headers and sizes of OPC-2 after the BTH, in order, as an operation's name tells them.
func headersNamed(service, name string) (after []string) {
	has := func(s string) bool { return strings.Contains(name, s) }
	response := isResponseNamed(name)
	add := func(when bool, h string) {
		if when {
			after = append(after, h)
		}
	}
	add(service == "RD", "RDETH 4")
	add(service == "RD" && !response || service == "UD", "DETH 8")
	add(service == "XRC" && !response, "XRCETH 4")
	add(has("FLUSH"), "FETH 4")
	add(has("WRITE First") || has("WRITE Only") || has("READ request") || has("FLUSH") || has("ATOMIC WRITE"), "RETH 16")
	add(has("CMP") || has("FETCH"), "AtomicETH 28")
	add(response && !has("Middle"), "AETH 4")
	add(has("ATOMIC ACK"), "AtomicAckETH 8")
	add(has("invalidate"), "IETH 4")
	add(has("immediate"), "ImmDt 4")
	return after
}

func isResponseNamed(name string) bool {
	return strings.Contains(name, "response") || strings.Contains(name, "ACK")
}

// lengthNamed is the payload that LEN-1 gives an operation of this name.
func lengthNamed(name string) Length {
	has := func(s string) bool { return strings.Contains(name, s) }
	switch {
	case has("First"), has("Middle"):
		return WholePMTU
	case has("Last"):
		return SomePMTU
	case has("Only"):
		return AnyPMTU
	case has("ATOMIC WRITE"):
		return EightBytes
	}
	return NoPayload
}

func headerNamed(name string) Header {
	for h := Header(0); h < numHeaders; h++ {
		if h.String() == name {
			return h
		}
	}
	panic(name)
}

// LEN-1
func TestLengths(t *testing.T) {
	require.Equal(t, 2147483648, MaxMessage)
	for n := -1; n <= 5000; n++ {
		for _, pmtu := range []int{256, 512, 1024, 2048, 4096} {
			require.Equal(t, n == pmtu, WholePMTU.Allows(n, pmtu))
			require.Equal(t, n >= 1 && n <= pmtu, SomePMTU.Allows(n, pmtu))
			require.Equal(t, n >= 0 && n <= pmtu, AnyPMTU.Allows(n, pmtu))
			require.Equal(t, n == 0, NoPayload.Allows(n, pmtu))
			require.Equal(t, n == 8, EightBytes.Allows(n, pmtu))
			require.Equal(t, n == 16, SixteenBytes.Allows(n, pmtu))
		}
		require.Equal(t, n == 256 || n == 512 || n == 1024 || n == 2048 || n == 4096, WholePMTU.AllowsSome(n), n)
		require.Equal(t, n >= 1 && n <= 4096, SomePMTU.AllowsSome(n))
		require.Equal(t, n >= 0 && n <= 4096, AnyPMTU.AllowsSome(n))
	}
}

// The lists as the facts print them.
const (
	creditList = "0 1 2 3 4 6 8 12 16 24 32 48 64 96 128 192 256 384 512 768 1024 1536 2048 3072 4096 6144 8192 12288 " +
		"16384 24576 32768"
	rnrList = "655.36 .01 .02 .03 .04 .06 .08 .12 .16 .24 .32 .48 .64 .96 1.28 1.92 2.56 3.84 5.12 7.68 10.24 15.36 " +
		"20.48 30.72 40.96 61.44 " +
		"81.92 122.88 163.84 245.76 327.68 491.52"
)

// CRD-1
func TestCredits(t *testing.T) {
	list := strings.Fields(creditList)
	require.Len(t, list, 31)
	largest := 0
	for code, s := range list {
		want, err := strconv.Atoi(s)
		require.NoError(t, err)
		n, limited := Credits(uint8(code))
		require.True(t, limited)
		require.Equal(t, uint32(want), n)
		for ; largest < want; largest++ {
			require.Equal(t, uint8(code-1), CreditCode(uint32(largest)), largest)
		}
	}
	require.Equal(t, uint8(30), CreditCode(32768))
	require.Equal(t, uint8(30), CreditCode(1<<32-1))
	_, limited := Credits(31)
	require.False(t, limited)
}

// TMR-6: a tick is 1.024 us and every time is rounded up.
func TestRNRTimers(t *testing.T) {
	list := strings.Fields(rnrList)
	require.Len(t, list, 32)
	for code, s := range list {
		ms, err := strconv.ParseFloat(s, 64)
		require.NoError(t, err)
		require.Equal(t, uint64(ms*1e6+.5), RNRTimerNs(uint8(code)))
		ticks := RNRTimerTicks(uint8(code))
		require.GreaterOrEqual(t, ticks*1024, RNRTimerNs(uint8(code)))
		require.Less(t, (ticks-1)*1024, RNRTimerNs(uint8(code)))
	}
}

// TMR-1
func TestTimeout(t *testing.T) {
	require.Equal(t, uint64(0), TimeoutNs(0))
	for code := uint8(1); code < 32; code++ {
		require.Equal(t, uint64(4096)*(1<<code), TimeoutNs(code))
		require.Equal(t, uint64(4)*(1<<code), Ticks(TimeoutNs(code)), "4.096 us are 4 ticks")
	}
	require.Equal(t, uint64(1), Ticks(1))
	require.Equal(t, uint64(1), Ticks(1024))
	require.Equal(t, uint64(2), Ticks(1025))
}

func TestSyndromes(t *testing.T) {
	for s := range 256 {
		want := KindReserved
		switch {
		case s < 0x20:
			want = KindAck
		case s < 0x40:
			want = KindRNR
		case s >= 0x60 && s < 0x80:
			want = KindNAK
		}
		require.Equal(t, want, Syndrome(s).Kind(), "%02X", s)
		require.Equal(t, uint8(s%32), Syndrome(s).Code())
	}
	for s, text := range map[Syndrome]string{
		0x00: "ACK, 0 credits", 0x1E: "ACK, 32768 credits", 0x1F: "ACK, credits not used", 0x20: "RNR NAK, 655.36 ms",
		0x21: "RNR NAK, 0.01 ms",
		0x60: "NAK PSN sequence error", 0x61: "NAK invalid request", 0x62: "NAK remote access error",
		0x63: "NAK remote operational error",
		0x64: "NAK invalid RD request", 0x65: "reserved syndrome 65h", 0x40: "reserved syndrome 40h",
		0x80: "reserved syndrome 80h",
	} {
		require.Equal(t, text, s.String())
	}
	require.Equal(t, Syndrome(0x1F), AckSyndrome(CreditsUnlimited))
	require.Equal(t, Syndrome(0x2C), RNRSyndrome(12))
}
