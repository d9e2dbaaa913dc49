package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
)

// checked is the JSON that users build on, read with names of its own.
type checked struct {
	Captures []struct {
		Packets    uint64
		Violations []struct {
			Packet uint64
			Rule   string
			Text   string
		}
		Flows []map[string]any
	}
}

// sharedCapture is one of the shared captures.
func sharedCapture(t *testing.T, name string) string {
	return filepath.Join(filepath.Dir(sharedCaptures(t)[0]), name)
}

// A flow has exactly the keys that were promised.
func TestCheckFlowsInJSON(t *testing.T) {
	exit, out, errs := cosim("check", "--json", "--profile", "rxe", sharedCapture(t, "rc_mix_loss10_both.a.pcap"),
		sharedCapture(t, "rc_mix_loss10_both.b.pcap"))
	require.Equal(t, cocosim.Agreed, exit, errs)
	var got checked
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	a, b := got.Captures[0].Flows, got.Captures[1].Flows
	require.Len(t, a, 1)
	want := map[string]any{"ip": "10.1.0.2", "peer_ip": "10.1.0.1", "qpn": 48., "peer_qpn": 48., "service": "RC",
		"side": "B", "packets": 225.,
		"responses_sent": 0., "responses_predicted": 0.,
		"retransmissions": map[string]any{"nak": 96., "timeout": 23., "rnr": 0., "implied": 0., "unexplained": 0.}}
	again := want["retransmissions"]
	require.Equal(t, 119., again.(map[string]any)["nak"].(float64)+again.(map[string]any)["timeout"].(float64),
		"as the sidecar counts")
	require.Equal(t, want, a[0])
	require.Len(t, b, 1)
	require.Equal(t, 45., b[0]["responses_sent"]) // the sidecar's counts of ACKs and READ responses
	require.Equal(t, 45., b[0]["responses_predicted"])
}

// Profile and place decide what is a violation, and so the exit code.
func TestCheckExitCodes(t *testing.T) {
	path := sharedCapture(t, "err_send_toolong.b.pcap")
	exit, out, _ := cosim("check", "--json", "--profile", "spec", path)
	require.Equal(t, cocosim.Mismatch, exit)
	var got checked
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	require.Len(t, got.Captures[0].Violations, 1)
	require.Equal(t, "RSP-1", got.Captures[0].Violations[0].Rule)
	require.EqualValues(t, 5, got.Captures[0].Violations[0].Packet)
	for _, args := range [][]string{{"--profile", "rxe"}, {"--profile", "spec", "--at", "A"}, {}} {
		exit, _, errs := cosim(append([]string{"check", path}, args...)...)
		require.Equal(t, cocosim.Agreed, exit, "%v %s", args, errs)
	}
	exit, _, errs := cosim("check", path, "--profile", "fast")
	require.Equal(t, cocosim.BadInput, exit)
	require.Contains(t, errs, "not spec, rxe, qib or connectx")
	exit, _, errs = cosim("check", path, "--at", "home")
	require.Equal(t, cocosim.BadInput, exit)
	require.Contains(t, errs, "home")
	exit, _, errs = cosim("check", path, "--config", file(t, "c.json", []byte(`{"qp_type":"RC","path_mtu":1000}`)))
	require.Equal(t, cocosim.BadInput, exit)
	require.Contains(t, errs, "path_mtu 1000")
}

// tshark shows and filters the comments.
func TestCheckAnnotate(t *testing.T) {
	tshark, err := exec.LookPath("tshark")
	if err != nil {
		t.Skip("skipped: tshark is not installed: apt-get install tshark")
	}
	out := filepath.Join(t.TempDir(), "out.pcapng")
	exit, _, errs := cosim("check", sharedCapture(t, "rc_mix_loss10_both.a.pcap"), "--annotate", out)
	require.Equal(t, cocosim.Agreed, exit, errs)
	count := func(filter string) int {
		cmd := exec.Command(tshark, "-r", out, "--disable-protocol", "rpcordma", "-Y", filter)
		cmd.Stderr = os.Stderr
		text, err := cmd.Output()
		require.NoError(t, err)
		return strings.Count(string(text), "\n")
	}
	require.Equal(t, 225, count("frame.comment"))
	require.Equal(t, 119, count(`frame.comment contains "retransmission"`))
	require.Equal(t, 96, count(`frame.comment contains "sequence NAK"`))
}

// A sidecar with a value that both ends contradict is named, and nobody is accused.
func TestCheckNamesAWrongSidecar(t *testing.T) {
	text, err := os.ReadFile(sharedCapture(t, "rc_send_sizes.json"))
	require.NoError(t, err)
	wrong := strings.Replace(string(text), `"path_mtu": 1024`, `"path_mtu": 256`, 1)
	require.NotEqual(t, string(text), wrong)
	sidecar := file(t, "wrong.json", []byte(wrong))
	for _, at := range []string{"A", "B"} {
		path := sharedCapture(t, "rc_send_sizes."+strings.ToLower(at)+".pcap")
		exit, out, errs := cosim("check", path, "--config", sidecar, "--at", at)
		require.Equal(t, cocosim.Agreed, exit, errs)
		const says = "configuration in doubt: path_mtu is 256, and the First and Middle packets of what A asks of B have " +
			"1024 bytes, which are taken"
		require.Equal(t, 1, strings.Count(out, "in doubt"), out)
		require.Contains(t, out, says)
		require.Contains(t, out, "no rule broken")
		_, out, _ = cosim("check", path, "--config", sidecar, "--at", at, "--json")
		require.Contains(t, out, `"configuration_in_doubt":["path_mtu is 256, and`)
	}
}
