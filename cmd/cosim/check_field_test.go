package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
)

// lockedBuffer is what a command writes to while a test reads.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// A stream is judged as it comes: the finding within a second of its packet, the summary when the command is told to
// end.
func TestCheckLive(t *testing.T) {
	text, err := os.ReadFile(sharedCapture(t, "err_send_toolong.b.pcap"))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "fifo")
	require.NoError(t, syscall.Mkfifo(path, 0o666))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var out, errs lockedBuffer
	done := make(chan int, 1)
	go func() {
		done <- run(ctx, []string{"cosim", "check", path, "--profile", "spec", "--at", "B", "--config",
			sharedCapture(t, "err_send_toolong.json")}, &out, &errs)
	}()
	w, err := os.OpenFile(path, os.O_WRONLY, 0)
	require.NoError(t, err)
	defer w.Close()
	_, err = w.Write(text)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return strings.Contains(out.String(), "RSP-1") }, time.Second, 10*time.Millisecond,
		"%s", errs.String())
	require.NotContains(t, out.String(), "  > ", "the writer has not ended")
	cancel()
	select {
	case code := <-done:
		require.Equal(t, int(cocosim.Mismatch), code)
	case <-time.After(time.Second):
		t.Fatal("does not end")
	}
	require.Contains(t, out.String(), "note: stopped behind packet 5")
	require.Contains(t, out.String(), "1 violation for certain, first RSP-1 at packet 5")
}

// A FIFO that nobody writes to does not hang the command.
func TestCheckWaitsForNobody(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	require.NoError(t, syscall.Mkfifo(path, 0o666))
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	var out, errs lockedBuffer
	require.Equal(t, int(cocosim.Inconclusive), run(ctx, []string{"cosim", "check", path}, &out, &errs))
	require.Empty(t, out.String())
}

// checkJSON checks captures and reads what is said of the first.
func checkJSON(t *testing.T, args ...string) (got tally) {
	_, out, errs := cosim(append([]string{"check", "--json"}, args...)...)
	require.Empty(t, errs)
	var all struct{ Captures []tally }
	require.NoError(t, json.Unmarshal([]byte(out), &all), out)
	return all.Captures[0]
}

// A ring of files reads as the one that it was cut from, and so does a compressed one.
func TestCheckRingAndGzip(t *testing.T) {
	whole := sharedCapture(t, "rc_mix_loss10_both.a.pcap")
	text, err := os.ReadFile(whole)
	require.NoError(t, err)
	dir := t.TempDir()
	var parts []string
	for at, start, n := 24, 24, 0; at < len(text); n++ {
		at += 16 + int(binary.LittleEndian.Uint32(text[at+8:]))
		if n%80 == 79 || at == len(text) {
			path := filepath.Join(dir, string(rune('a'+n/80))+".pcap")
			require.NoError(t, os.WriteFile(path, append(bytes.Clone(text[:24]), text[start:at]...), 0o666))
			parts, start = append(parts, path), at
		}
	}
	require.Len(t, parts, 3)
	var gz bytes.Buffer
	z := gzip.NewWriter(&gz)
	z.Write(text)
	z.Close()
	want := checkJSON(t, whole, "--at", "wire")
	ring := checkJSON(t, parts[2], parts[0], parts[1], "--merge", "--at", "wire", "--profile", "rxe", "--config",
		sharedCapture(t, "rc_mix_loss10_both.json"))
	packed := checkJSON(t, file(t, "x.a.pcap.gz", gz.Bytes()), "--at", "wire", "--profile", "rxe", "--config",
		sharedCapture(t, "rc_mix_loss10_both.json"))
	for _, x := range []tally{ring, packed} {
		require.Equal(t, want.Packets, x.Packets)
		require.Equal(t, want.Headline, x.Headline)
		require.Equal(t, want.Flows, x.Flows)
	}
}

// What cannot be judged says so in one line, and prints no report.
func TestCheckErrorsPrintNoReport(t *testing.T) {
	a := sharedCapture(t, "rc_mix_loss10_both.a.pcap")
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"/nowhere/x.pcap"}, "no such file"},
		{[]string{a, "--at", "10.9.9.9"}, "no RoCE packet is from or to 10.9.9.9; there are 10.1.0.1, 10.1.0.2"},
		{[]string{a, "--counters", "/nowhere/c.txt"}, "/nowhere/c.txt"},
		{[]string{a, "--ends"}, "--ends takes two files"},
		{[]string{a, "--qp", "zz"}, "--qp zz: not a queue pair number"},
		{[]string{a, "--only", "FOO-1"}, "--only FOO-1: no such rule"},
		{[]string{a, "--behind", "-5us"}, "--behind -5µs: a time that is not negative"},
		{[]string{a, "--from", "-1s"}, "--from -1s: neither a packet number nor a time"},
		{[]string{a, "--from", "10", "--to", "5"}, "--from 10 --to 5: nothing lies between"},
		{[]string{a, "--from", "2s", "--to", "1.5s"}, "--from 2s --to 1.5s: nothing lies between"},
		{[]string{a, "--show", "-1"}, "--show -1: a number of findings that is not negative"},
		{[]string{a, a, "--ends"}, "are one file: --ends takes two, one of each end"},
		{[]string{a, filepath.Dir(a) + "/./" + filepath.Base(a), "--ends"}, "are one file"},
		{[]string{a, "--from", "soon"}, "--from soon: neither a packet number nor a time"},
		{[]string{a, "--config", file(t, "c.json", []byte(`{"qp_type":"RC","pathmtu":256}`))},
			`unknown key "pathmtu" (did you mean path_mtu?)`},
		{[]string{a, "--profile", file(t, "p.yaml", []byte("bass: rxe"))}, `no field "bass" (did you mean base?)`},
	} {
		exit, out, errs := cosim(append([]string{"check"}, c.args...)...)
		require.Equal(t, cocosim.BadInput, exit, c.args)
		require.Contains(t, errs, c.says)
		require.Empty(t, out, c.args)
	}
}

// What is lost between two ends is known where both are captured.
func TestCheckEnds(t *testing.T) {
	exit, out, errs := cosim("check", "--ends", "--show", "1", sharedCapture(t, "sx_drop_req_two_gaps.a.pcap"),
		sharedCapture(t, "sx_drop_req_two_gaps.b.pcap"))
	require.Equal(t, cocosim.Agreed, exit, errs)
	require.Contains(t, out, "10.1.0.1 to 10.1.0.2: 18 sent, 16 came as they were, 2 lost or altered, 0 came that were "+
		"not sent so")
	require.Contains(t, out, "RC WRITE Middle PSN 100002h")
	require.Contains(t, out, "and 1 more")
}

// The list of findings is what --show, --only, --from, --to, --flow and --qp select; the exit code is of all.
func TestCheckSelects(t *testing.T) {
	args := []string{"check", sharedCapture(t, "err_sendinv_bad.a.pcap"), "--profile", "spec", "--complete"}
	lines := func(more ...string) int {
		exit, out, _ := cosim(append(args, more...)...)
		require.Equal(t, cocosim.Mismatch, exit)
		return strings.Count(out, "\n    certain ") + strings.Count(out, "\n    possible ")
	}
	all := lines("--show", "1000")
	require.Greater(t, all, 5)
	require.Equal(t, 3, lines("--show", "3"))
	require.Less(t, lines("--show", "1000", "--from", "300"), all)
	require.Equal(t, all, lines("--show", "1000", "--qp", "78h"))
	require.Zero(t, lines("--show", "1000", "--only", "ADM-2"))
	require.Zero(t, lines("--show", "1000", "--flow", "10.7"))
}

// With --json the same flags select, and the findings that they leave out are counted.
func TestCheckSelectsInJSON(t *testing.T) {
	args := []string{"check", sharedCapture(t, "err_sendinv_bad.a.pcap"), "--profile", "spec", "--complete", "--json"}
	type one struct {
		Violations, Possible []struct {
			Packet uint64
			Rule   string
		}
		Flows    []any
		Selected *int `json:"not_selected"`
		Judged   int
	}
	read := func(more ...string) one {
		exit, out, _ := cosim(append(args, more...)...)
		require.Equal(t, cocosim.Mismatch, exit)
		var got struct{ Captures []one }
		require.NoError(t, json.Unmarshal([]byte(out), &got))
		require.Len(t, got.Captures, 1)
		require.NotNil(t, got.Captures[0].Selected)
		return got.Captures[0]
	}
	all := read()
	n := len(all.Violations) + len(all.Possible)
	require.Greater(t, n, 20, "without --show all are listed")
	require.Zero(t, *all.Selected)
	for _, x := range []struct {
		args []string
		left func(found int) bool
	}{
		{[]string{"--show", "3"}, func(found int) bool { return found == 3 }},
		{[]string{"--show", "0"}, func(found int) bool { return found == 0 }},
		{[]string{"--from", "300"}, func(found int) bool { return 0 < found && found < n }},
		{[]string{"--to", "300"}, func(found int) bool { return 0 < found && found < n }},
		{[]string{"--only", "adm-2"}, func(found int) bool { return found == 0 }},
		{[]string{"--qp", "78h"}, func(found int) bool { return found == n }},
		{[]string{"--qp", "79h"}, func(found int) bool { return found == 0 }},
		{[]string{"--flow", "10.7"}, func(found int) bool { return found == 0 }},
	} {
		got := read(x.args...)
		found := len(got.Violations) + len(got.Possible)
		require.True(t, x.left(found), "%v: %d of %d", x.args, found, n)
		require.Equal(t, n-found, *got.Selected, x.args)
		require.Equal(t, all.Judged, got.Judged, x.args)
		require.Equal(t, x.args[0] == "--flow" || x.args[1] == "79h", len(got.Flows) == 0, x.args)
	}
}

// A key that a script reads is there, with an empty list where there is nothing.
func TestCheckKeysAreThere(t *testing.T) {
	empty := append([]byte{0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0}, make([]byte, 16)...) // the header of a pcap file
	empty[20] = 1                                                                    // Ethernet
	for _, path := range []string{sharedCapture(t, "rc_send_inv.a.pcap"), file(t, "empty.pcap", empty)} {
		_, out, errs := cosim("check", "--json", path)
		var got struct{ Captures []map[string]json.RawMessage }
		require.NoError(t, json.Unmarshal([]byte(out), &got), errs)
		for _, key := range []string{"violations", "possible", "received_odd", "flows", "not_judged", "headline", "troubles",
			"configuration_in_doubt"} {
			require.Contains(t, got.Captures[0], key, path)
			require.Equal(t, "[", string(got.Captures[0][key][:1]), "%s of %s", key, path)
		}
	}
}
