package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/vectors/capture"
)

const (
	falconKey128 = "11=000102030405060708090a0b0c0d0e0f"
	falconKey256 = "80000022=6465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f80818283"
)

func falconCapture(name string) string {
	return filepath.Join("../../cocosim/falconflow/testdata", name+".pcap")
}

// Falcon packets are judged with their keys, and only with them; a violation that is certain sets the exit code.
func TestCheckFalcon(t *testing.T) {
	exit, out, _ := cosim("check", falconCapture("good"), "--psp-key", falconKey128, "--psp-key", falconKey256)
	require.Equal(t, cocosim.Agreed, exit)
	require.Contains(t, out, "Falcon: 11 packets, 10 read, 0 bad ICV, 0 malformed, 1 PSP of others")
	require.Contains(t, out, "not judged: 1: no key for the SPI: not judged (NO_KEY)")
	require.Contains(t, out, "to 10.0.0.2     CID ABCDEFh  10 packets")

	exit, out, _ = cosim("check", falconCapture("wrong"), "--psp-key", falconKey128)
	require.Equal(t, cocosim.Mismatch, exit)
	require.Contains(t, out, "Falcon violations: 9 certain, 4 possible")
	require.Contains(t, out, "certain   packet 3       FAL-W12 version 2")
	require.Contains(t, out, "FAL-W2  The table of packet types")
	require.NotContains(t, out, "no violation")

	exit, out, _ = cosim("check", falconCapture("wrong"))
	require.Equal(t, cocosim.Agreed, exit, "without a key nobody is blamed")
	require.Contains(t, out, "no key for the SPI")
	exit, _, _ = cosim("check", falconCapture("good"))
	require.Equal(t, cocosim.Inconclusive, exit, "nothing is judged")
	exit, out, _ = cosim("check", falconCapture("good"), "--psp-key", "11=ff0102030405060708090a0b0c0d0e0f")
	require.Equal(t, cocosim.Inconclusive, exit, "with another key every ICV is bad")
	require.Contains(t, out, "11 packets, 0 read, 9 bad ICV")
	exit, out, _ = cosim("check", falconCapture("esp"))
	require.Equal(t, cocosim.Inconclusive, exit)
	require.Contains(t, out, "not judged: 3: in IPsec ESP: whether Falcon or not cannot be told, not judged (ESP)")

	exit, _, _ = cosim("check", falconCapture("clear"), "--falcon-port", "7777")
	require.Equal(t, cocosim.Mismatch, exit)
	exit, _, _ = cosim("check", falconCapture("clear"), "--falcon-port", "7777", "--falcon-mode", "peer")
	require.Equal(t, cocosim.Agreed, exit)
}

// --json has the counts and findings, --annotate the verdicts.
func TestCheckFalconOutputs(t *testing.T) {
	exit, out, _ := cosim("check", falconCapture("wrong"), "--psp-key", falconKey128, "--json")
	require.Equal(t, cocosim.Mismatch, exit)
	var got struct {
		Captures []struct {
			Violations []struct{ Rule string }
			Falcon     struct{ Certain int }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	require.Equal(t, 9, got.Captures[0].Falcon.Certain)
	require.Equal(t, "FAL-W3", got.Captures[0].Violations[0].Rule)
	require.Len(t, got.Captures[0].Violations, 9)

	notes := filepath.Join(t.TempDir(), "notes.pcapng")
	cosim("check", falconCapture("wrong"), "--psp-key", falconKey128, "--annotate", notes)
	raw, err := os.ReadFile(notes)
	require.NoError(t, err)
	require.Contains(t, string(raw), "violation FAL-W12: version 2")
	require.Contains(t, string(raw), "bad ICV")
}

// What is given wrongly is named.
func TestCheckFalconUsage(t *testing.T) {
	for flag, value := range map[string]string{"--psp-key": "11", "--falcon-port": "70000", "--falcon-mode": "other"} {
		exit, _, errs := cosim("check", falconCapture("good"), flag, value)
		require.Equal(t, cocosim.BadInput, exit)
		require.Contains(t, errs, flag+" "+value)
	}
}

// What packets mean to each other is judged: for certain at the end that did it, in a capture that is whole.
func TestCheckFalconConnection(t *testing.T) {
	const key = "11=000102030405060708090a0b0c0d0e0f"
	talk := filepath.Join("..", "..", "cocosim", "falconflow", "testdata", "talk.pcap")
	exit, out, _ := cosim("check", "--psp-key", key, "--at", "10.0.0.1", "--complete", talk)
	require.Equal(t, cocosim.Agreed, exit, out)
	require.Contains(t, out, "Falcon: no violation\n")
	wrong := filepath.Join("..", "..", "cocosim", "falconflow", "testdata", "talkwrong.pcap")
	exit, out, _ = cosim("check", "--psp-key", key, "--at", "10.0.1.2", "--complete", wrong)
	require.Equal(t, cocosim.Mismatch, exit, out)
	require.Contains(t, out, "certain   packet 5       FAL-D2  the data base is 110, and nothing beyond 103 was sent")
}

// The list of Falcon findings is what --show, --only, --from, --to, --flow and --qp select; the exit code is of all.
func TestCheckFalconSelect(t *testing.T) {
	for _, x := range []struct {
		args  []string
		found int
		more  bool
	}{
		{nil, 16, false}, {[]string{"--show", "2"}, 2, true}, {[]string{"--show", "100"}, 16, false},
		{[]string{"--only", "fal-d2"}, 4, false}, {[]string{"--from", "300"}, 2, false}, {[]string{"--to", "30"}, 2, false},
		{[]string{"--from", "1h"}, 0, false}, {[]string{"--to", "0s"}, 0, false}, {[]string{"--qp", "5"}, 0, false},
		{[]string{"--flow", "10.0.1.2 to 10.0.1.1 CID 0000A0h"}, 1, false}, {[]string{"--flow", "192.168"}, 0, false},
	} {
		args := append([]string{"check", falconCapture("talkwrong"), "--psp-key", falconKey128}, x.args...)
		exit, out, _ := cosim(args...)
		require.Equal(t, cocosim.Mismatch, exit)
		require.Contains(t, out, "Falcon violations: 2 certain, 14 possible")
		require.Len(t, regexp.MustCompile(`(?m)^    (certain |possible)  packet`).FindAllString(out, -1), x.found, x.args)
		require.Equal(t, x.more, strings.Contains(out, " more (--show 16, or --json"), x.args)
		if len(x.args) > 0 && x.args[0] != "--show" {
			require.Contains(t, out, fmt.Sprintf("    %d of them not selected\n", 16-x.found))
		}
	}
	_, out, _ := cosim("check", falconCapture("talkwrong"), "--psp-key", falconKey128, "--flow", "10.0.1.2 to")
	require.Equal(t, 1, strings.Count(out, "packets  "), "flows are selected, too")
}

// That --at is wrong Falcon packets tell as well.
func TestCheckFalconPlace(t *testing.T) {
	args := []string{"check", falconCapture("talk"), "--psp-key", falconKey128, "--at"}
	_, out, _ := cosim(append(args, "10.0.0.1")...)
	require.NotContains(t, out, "place in doubt")
	_, out, _ = cosim(append(args, "10.0.0.9")...)
	require.Contains(t, out, "place in doubt: no Falcon packet is from or to 10.0.0.9: is --at right?")
}

// pushFrame is Push Data of PSN 0 in clear, without a checksum.
func pushFrame(src, payload byte, cid uint16) []byte {
	b := make([]byte, 42+28+1)
	copy(b[12:], []byte{8, 0, 0x45, 0, 0, 57, 0, 0, 0, 0, 64, 17, 0, 0, 10, 1, src, 1, 10, 2, 0, 1})
	copy(b[34:], []byte{0xC0, 0, 7777 >> 8, 7777 & 0xFF, 0, 37, 0, 0, 0x10, 0, byte(cid >> 8), byte(cid), 0, 0, 0, 0x4A})
	b[42+27], b[42+28] = 1, payload
	return b
}

// Connections for which there is no room are counted, and are not said to be right.
func TestCheckFalconUnfollowed(t *testing.T) {
	var file bytes.Buffer
	w := capture.NewWriter(&file, "test")
	port := w.Interface("p", capture.LinkTypeEthernet)
	for n := range 4100 {
		w.Packet(port, int64(n), pushFrame(byte(n>>8), 1, uint16(n)), nil)
	}
	w.Packet(port, 4100, pushFrame(4099>>8, 2, 4099), nil)
	require.NoError(t, w.Flush())
	path := filepath.Join(t.TempDir(), "many.pcapng")
	require.NoError(t, os.WriteFile(path, file.Bytes(), 0o666))
	exit, out, _ := cosim("check", path, "--falcon-port", "7777")
	require.Equal(t, cocosim.Agreed, exit)
	require.Contains(t, out, "5 packets of more connections than can be followed: judged by themselves only")
	require.Contains(t, out, "Falcon: no violation in what was followed\n")
	require.Contains(t, out, "and 4056 more ways of connections (--json has them)\n")
	require.Contains(t, out, "and 5 packets of further ways, which are not listed\n")
}

// Why nothing is certain between two hosts is said.
func TestCheckFalconUnsure(t *testing.T) {
	exit, out, _ := cosim("check", falconCapture("good"), "--psp-key", falconKey128, "--at", "10.0.0.1", "--complete")
	require.Equal(t, cocosim.Agreed, exit)
	require.Regexp(t, "nothing is certain between 10.0.0.1 and 10.0.0.2 from packet [0-9]+ on: ", out)
}
