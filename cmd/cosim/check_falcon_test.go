package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
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
			Falcon struct {
				Certain  int
				Findings []struct {
					Packet  int
					Certain bool
					Rule    string
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	require.Equal(t, 9, got.Captures[0].Falcon.Certain)
	require.Equal(t, "FAL-W3", got.Captures[0].Falcon.Findings[0].Rule)
	require.True(t, got.Captures[0].Falcon.Findings[0].Certain)

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
