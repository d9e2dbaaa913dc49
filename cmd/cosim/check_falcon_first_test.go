package main

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/cocosim/cover"
	"hcacosim/cocosim/field"
	"hcacosim/cocosim/flow"
	"hcacosim/vectors/capture"
)

// atWrongEnd are the arguments for the end of talkwrong.pcap that is wrong in its packet 5, which is certain when the
// capture ends.
func atWrongEnd(more ...string) []string {
	return append([]string{"check", falconCapture("talkwrong"), "--psp-key", falconKey128, "--at", "10.0.1.2",
		"--complete"}, more...)
}

// falconJSON is what a call with --json says.
func falconJSON(t *testing.T, args ...string) (all struct {
	Captures []tally
	Card     cover.Card
	Way      field.Way
}, raw string) {
	_, raw, errs := cosim(append(args, "--json")...)
	require.NoError(t, json.Unmarshal([]byte(raw), &all), errs)
	return all, raw
}

// certainAt are the certain findings about a packet.
func certainAt(list []flow.Finding, packet uint64) (rules []string) {
	for _, x := range list {
		if x.Packet == packet {
			rules = append(rules, string(x.Rule))
		}
	}
	return rules
}

// Findings of Falcon have the shape and the place of those of RoCE, with the way that they are about.
func TestFalconFindingsAreListedAmongAll(t *testing.T) {
	all, raw := falconJSON(t, atWrongEnd()...)
	c := &all.Captures[0]
	require.Equal(t, []string{"FAL-D2"}, certainAt(c.Violation, 5))
	require.Equal(t, "10.0.1.2 to 10.0.1.1 CID 0000A0h", c.Violation[0].Flow)
	require.Len(t, c.Violation, int(c.Falcon.Certain))
	require.Len(t, c.Possible, int(c.Falcon.Possible))
	require.Contains(t, raw, `"by_rule":[{"rule":"FAL-D10"`)
	require.NotContains(t, raw, `"findings"`)
	require.Equal(t, "323 Falcon packets, 34 ways of connections; 3 violations for certain, first FAL-D2 at packet 5",
		c.Headline[0])
}

// The page counts and lists them.
func TestFalconInPage(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.html")
	exit, _, errs := cosim(atWrongEnd("--html", page)...)
	require.Equal(t, cocosim.Mismatch, exit, errs)
	raw, err := os.ReadFile(page)
	require.NoError(t, err)
	require.NotContains(t, string(raw), "0 violations for certain")
	require.Contains(t, string(raw), "the data base is 110, and nothing beyond 103 was sent")
	require.Contains(t, string(raw), "Falcon packets are judged and listed, and not drawn")
}

// --live prints each as it comes, --annotate says at last what is certain at the end of the capture only.
func TestFalconLiveAndAnnotated(t *testing.T) {
	dir := t.TempDir()
	file, notes := filepath.Join(dir, "file.pcapng"), filepath.Join(dir, "notes.pcapng")
	require.NoError(t, os.WriteFile(file, nil, 0o666))
	require.NoError(t, os.Symlink(file, notes)) // stays one
	_, out, _ := cosim(atWrongEnd("--live", "--annotate", notes)...)
	require.Regexp(t, `(?m)^possible  packet 5       \+0\.000400s   FAL-D2  the data base is 110`, out)
	in, err := capture.Open(file)
	require.NoError(t, err)
	defer in.Close()
	packets := 0
	for f, err := in.Next(); err == nil; f, err = in.Next() {
		if packets++; f.Number == 5 {
			require.Equal(t, "violation FAL-D2: the data base is 110, and nothing beyond 103 was sent", string(f.Comment))
		}
	}
	require.Equal(t, 323, packets)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 2)
}

// A copy that goes into a pipe keeps what was said by then: it cannot be read again, and nothing is put in its place.
func TestAnnotateIntoAPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "notes")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	read := make(chan []byte)
	go func() {
		text, _ := os.ReadFile(pipe)
		read <- text
	}()
	exit, _, errs := cosim(atWrongEnd("--annotate", pipe)...)
	require.Equal(t, cocosim.Mismatch, exit, errs)
	require.Contains(t, string(<-read), "possible violation FAL-D2: the data base is 110")
	info, err := os.Stat(pipe)
	require.NoError(t, err)
	require.Equal(t, os.ModeNamedPipe, info.Mode().Type())
}

// --finding takes them, --card has their rules.
func TestFalconFindingAndCard(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "set")
	exit, out, errs := cosim(atWrongEnd("--finding", "5", "--out", dir)...)
	require.Equal(t, cocosim.Mismatch, exit, errs)
	require.Contains(t, out, "5 packets up to packet 5")
	_, out, _ = cosim(atWrongEnd("--card")...)
	require.Regexp(t, `(?m)^  FAL-D2 +323 +[1-9][0-9]* .* BROKEN$`, out)
	require.Regexp(t, `(?m)^  FAL-W3 +[1-9][0-9]* +0 .* held$`, out)
	require.Regexp(t, `cannot be seen here: .*FAL-C7`, out)
	all, _ := falconJSON(t, atWrongEnd("--card")...)
	require.NotEmpty(t, all.Card.Rules)
}

// without copies a pcap file but for one packet.
func without(t *testing.T, path string, packet int) string {
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	out := raw[:24:24]
	for n, left := 1, raw[24:]; len(left) > 0; n++ {
		size := 16 + int(binary.LittleEndian.Uint32(left[8:]))
		if n != packet {
			out = append(out, left[:size]...)
		}
		left = left[size:]
	}
	made := filepath.Join(t.TempDir(), "without.pcap")
	require.NoError(t, os.WriteFile(made, out, 0o666))
	return made
}

// --ends compares Falcon packets, too, sealed ones without their key as well.
func TestFalconAtBothEnds(t *testing.T) {
	talk := falconCapture("talk")
	other := without(t, talk, 6)
	exit, out, errs := cosim("check", "--ends", talk, other, "--psp-key", falconKey128)
	require.Equal(t, cocosim.Agreed, exit, errs)
	require.Contains(t, out, "10.0.0.1 to 10.0.0.2: 13 sent, 12 came as they were, 1 lost or altered, 0 came that")
	require.Regexp(t, `talk\.pcap packet 6 +CID 0000B0h Pull Request PSN 200\n`, out)
	_, out, _ = cosim("check", "--ends", talk, other)
	require.Regexp(t, `talk\.pcap packet 6 +CID 0000B0h Falcon, not judged PSN 0\n`, out)
	all, _ := falconJSON(t, "check", "--ends", talk, other, "--psp-key", falconKey128)
	require.Len(t, all.Way.Directions, 2)
}

// The headline of a capture of both transports is of both.
func TestHeadlineOfBothTransports(t *testing.T) {
	roce := "../../vectors/known/rnr_t01.a.pcap"
	_, out, _ := cosim("check", roce)
	require.Contains(t, out, "; no rule broken\n")
	exit, out, errs := cosim("check", "--merge", roce, falconCapture("wrong"), "--psp-key", falconKey128)
	require.Equal(t, cocosim.Mismatch, exit, errs)
	require.NotContains(t, out, "; no rule broken\n")
	require.Regexp(t, `(?m)^  > .*; 9 violations for certain, first FAL-[A-Z0-9]+ at packet [0-9]+$`, out)
}
