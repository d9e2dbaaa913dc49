package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gopacket/gopacket/pcapgo"
	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
)

// captureFiles lists the shared captures, or skips the test.
func captureFiles(t testing.TB) []string {
	dir := os.Getenv("HCACOSIM_CAPTURES")
	if dir == "" {
		dir = "../../../shared/captures"
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.pcap"))
	require.NoError(t, err)
	if len(files) == 0 {
		t.Skipf("no captures in %s: set HCACOSIM_CAPTURES", dir)
	}
	return files
}

// readCapture reads a capture of whole Ethernet frames with gopacket, not with our own reader.
func readCapture(t testing.TB, file string) (frames [][]byte) {
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	r, err := pcapgo.NewReader(f)
	require.NoError(t, err)
	for {
		frame, info, err := r.ReadPacketData()
		if errors.Is(err, io.EOF) {
			return frames
		}
		require.NoError(t, err, file)
		require.Equal(t, info.Length, info.CaptureLength, "the captures hold whole frames")
		frames = append(frames, frame)
	}
}

// tally is the part of a sidecar's `stats.a` and `stats.b` that a decoder can answer, apart for tx and rx.
type tally struct {
	NotRoCE         int            `json:"not_roce"`
	BadICRC         int            `json:"bad_icrc"`
	BadIPChecksum   int            `json:"bad_ipcsum"`
	NonzeroChecksum int            `json:"nonzero_udpcsum"`
	Opcodes         map[string]int `json:"opcodes"`
	Syndromes       map[string]int `json:"syndromes"`
}

func (c *tally) count(p *Packet) {
	switch status := p.ICRC(); {
	case status == ICRCNone:
		c.NotRoCE++
		return
	case p.IPv4() != nil && !p.IPv4().ChecksumGood():
		c.BadIPChecksum++
	}
	if p.ICRC() == ICRCBad {
		c.BadICRC++
		return
	}
	if p.UDP().Checksum() != 0 {
		c.NonzeroChecksum++
	}
	c.Opcodes[sidecarName(p.BTH().Opcode())]++
	if h := p.AETH(); h != nil && p.Op.Operation == ib.Ack {
		c.Syndromes[sidecarSyndrome(uint8(h.Syndrome()))]++
	}
}

// sidecarName is the sidecars' way to name an opcode.
func sidecarName(op ib.Opcode) string {
	i := ib.Lookup(op)
	if i == nil {
		return fmt.Sprintf("RC_%d", op)
	}
	return strings.NewReplacer(" with immediate", "_IMM", " with invalidate", "_INV", "READ response", "RDRSP",
		"READ request", "READ_REQ",
		"CMP & SWAP", "CMP_SWAP", "FETCH & ADD", "FETCH_ADD", " ", "_", "First", "FIRST", "Middle", "MIDDLE", "Last", "LAST",
		"Only", "ONLY").Replace(i.Name)
}

func sidecarSyndrome(s uint8) string {
	code := s & 0x1F
	switch s >> 5 & 3 {
	case 0:
		return fmt.Sprintf("ACK(credit=%d)", code)
	case 1:
		return fmt.Sprintf("RNR(timer=%d)", code)
	case 2:
		return fmt.Sprintf("RSVD(%02x)", s)
	}
	names := map[uint8]string{0: "PSN_SEQ", 1: "INV_REQ", 2: "REM_ACCESS", 3: "REM_OP", 4: "INV_RD"}
	if names[code] == "" {
		names[code] = "?"
	}
	return fmt.Sprintf("NAK(%d:%s)", code, names[code])
}

// readSidecar returns the tallies of tx and rx at one end of the cable.
func readSidecar(t *testing.T, file, end string) (tx, rx tally, frames int) {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var sidecar struct{ Stats map[string]map[string]any }
	require.NoError(t, json.Unmarshal(text, &sidecar))
	for prefix, c := range map[string]*tally{"tx_": &tx, "rx_": &rx} {
		part := map[string]any{}
		for k, v := range sidecar.Stats[end] {
			if rest, ok := strings.CutPrefix(k, prefix); ok {
				part[rest] = v
			}
		}
		text, err := json.Marshal(part)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, c))
	}
	return tx, rx, int(sidecar.Stats[end]["frames"].(float64))
}

// Every frame of every capture: verdicts, opcodes and syndromes as the sidecars count them.
func TestCapturesAgainstSidecars(t *testing.T) {
	t.Parallel()
	total := map[ICRCStatus]int{}
	for _, file := range captureFiles(t) {
		base := strings.TrimSuffix(file, ".pcap")
		end := base[len(base)-1:]
		wantTX, wantRX, frames := readSidecar(t, base[:len(base)-2]+".json", end)
		mac := [6]byte{2, 0, 0, 0, 0, map[string]byte{"a": 0xA, "b": 0xB}[end]}
		tx := tally{Opcodes: map[string]int{}, Syndromes: map[string]int{}}
		rx := tally{Opcodes: map[string]int{}, Syndromes: map[string]int{}}
		n := 0
		for _, frame := range readCapture(t, file) {
			var p Packet
			Decode(LinkEthernet, frame, &p)
			total[p.ICRC()]++
			n++
			if eth := p.Ethernet(); [6]byte(eth.Src()) == mac && [6]byte(eth.Dst()) != mac {
				tx.count(&p)
			} else {
				rx.count(&p)
			}
		}
		name := filepath.Base(file)
		require.Equal(t, frames, n, name)
		require.Equal(t, wantTX, tx, name+": sent")
		require.Equal(t, wantRX, rx, name+": received")
	}
	t.Logf("ICRC: %v", total)
}

// The two frames that the captures' README names: the IP length goes beyond the frame.
func TestCapturesBeyondTheFrame(t *testing.T) {
	found := 0
	for _, file := range captureFiles(t) {
		at := map[string]int{"uc_v6_corrupt25.b.pcap": 38, "ud_corrupt25.b.pcap": 12}[filepath.Base(file)]
		for i, frame := range readCapture(t, file) {
			var p Packet
			Decode(LinkEthernet, frame, &p)
			if p.End > len(frame) {
				found++
				require.Equal(t, at, i+1, file)
				require.Equal(t, ICRCBad, p.ICRC())
				require.Contains(t, []Reason{Truncated, Length}, p.Bad.Reason)
			}
		}
	}
	require.Equal(t, 2, found)
}

// specOf reads back what a frame was built from.
func specOf(p *Packet) Spec {
	s := Spec{Encap: p.Encap, DstMAC: [6]byte(p.Ethernet().Dst()), SrcMAC: [6]byte(p.Ethernet().Src()),
		SrcPort: p.UDP().SrcPort()}
	if ip := p.IPv4(); ip != nil {
		copy(s.Src[12:], ip.Src())
		copy(s.Dst[12:], ip.Dst())
		s.TClass, s.HopLimit, s.IPID, s.IPFrag, s.IPOptions = ip.TOS(), ip.TTL(), ip.ID(), ip.Frag(), ip.Options()
	} else {
		ip := p.IPv6()
		s.Src, s.Dst = GID(ip.Src()), GID(ip.Dst())
		s.TClass, s.FlowLabel, s.HopLimit = ip.TClass(), ip.FlowLabel(), ip.HopLimit()
	}
	b := p.BTH()
	s.Opcode, s.SE, s.MigReq, s.TVer, s.PKey = b.Opcode(), b.SE(), b.MigReq(), b.TVer(), b.PKey()
	s.FECN, s.BECN, s.Resv6, s.DestQP, s.AckReq, s.Resv7, s.PSN = b.FECN(), b.BECN(), b.Resv6(), b.DestQP(), b.AckReq(),
		b.Resv7(), b.PSN()
	if h := p.DETH(); h != nil {
		s.QKey, s.SrcQP = h.QKey(), h.SrcQP()
	}
	if h := p.RETH(); h != nil {
		s.VA, s.RKey, s.DMALen = h.VA(), h.RKey(), h.DMALen()
	}
	if h := p.AtomicETH(); h != nil {
		s.VA, s.RKey, s.SwapAdd, s.Compare = h.VA(), h.RKey(), h.SwapAdd(), h.Compare()
	}
	if h := p.AETH(); h != nil {
		s.Syndrome, s.MSN = h.Syndrome(), h.MSN()
	}
	if h := p.AtomicAckETH(); h != nil {
		s.Original = h.Original()
	}
	if h := p.IETH(); h != nil {
		s.InvRKey = h.RKey()
	}
	if h := p.ImmDt(); h != nil {
		s.Immediate = h.Immediate()
	}
	return s
}

// The kernel's own packets, taken apart and built again, are the same bytes: headers, checksums, pad and ICRC.
func TestCapturesBuiltAgain(t *testing.T) {
	t.Parallel()
	built, left := 0, map[string]int{}
	for _, file := range captureFiles(t) {
		for i, frame := range readCapture(t, file) {
			var p Packet
			Decode(LinkEthernet, frame, &p)
			switch {
			case p.ICRC() != ICRCGood:
				left["ICRC "+p.ICRC().String()]++
			case p.IPv4() != nil && !p.IPv4().ChecksumGood():
				left["IP checksum bad"]++
			case p.Bad.Reason == PadTooLong:
				left["pad too long"]++
			case -len(p.Payload)&3 != p.BTH().Pad():
				left["not the least pad"]++
			case !allZero(frame[p.End-4-p.BTH().Pad() : p.End-4]):
				left["pad is not 0"]++
			case p.DETH() != nil && p.DETH().Resv() != 0:
				left["reserved bits"]++
			default:
				s := specOf(&p)
				s.Trailer = frame[p.End:]
				require.Equal(t, frame, s.Append(nil, p.Payload), "%s frame %d", filepath.Base(file), i+1)
				built++
			}
		}
	}
	t.Logf("built again %d, left out %v", built, left)
	require.Greater(t, built, 50*len(left), "nearly all of them")
}

func allZero(b []byte) bool { return len(bytes.Trim(b, "\x00")) == 0 }
