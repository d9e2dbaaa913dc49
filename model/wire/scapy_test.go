package wire

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// scapyScript reads IP packets as lines of hex digits and answers with the ICRC that scapy works out, and with whether
// scapy, which takes the packet apart and builds it again, saw the same bytes.
const scapyScript = `
import sys
from scapy.all import IP, UDP, raw
from scapy.contrib.roce import BTH
for line in sys.stdin:
    b = bytes.fromhex(line)
    p = IP(b)
    same = BTH in p and p[BTH].icrc == int.from_bytes(b[-4:], "big") and raw(p) == b
    print(p[BTH].compute_icrc(None).hex() if same else "other")
`

// Every IPv4 packet of every capture (-short: every twentieth): scapy works out the same ICRC.
func TestAgainstScapy(t *testing.T) {
	t.Parallel()
	const python = "/usr/bin/python3"
	if exec.Command(python, "-c", "import scapy.contrib.roce").Run() != nil {
		t.Skip("scapy is not installed for /usr/bin/python3: apt-get install python3-scapy")
	}
	type packet struct{ from, icrc string }
	var packets []packet
	var stdin bytes.Buffer
	seen := map[string]bool{}
	left := map[string]int{}
	add := func(from string, frame []byte) {
		loc := Locate(LinkEthernet, frame)
		switch {
		case loc.Encap != EncapRoCEv2IPv4:
			left["not RoCEv2 over IPv4"]++
		case loc.Bad.Reason != WellFormed:
			left[loc.Bad.Reason.String()]++
		case seen[string(frame[loc.Net:loc.End])]:
			left["the same packet at the other end"]++
		default:
			seen[string(frame[loc.Net:loc.End])] = true
			icrc := loc.ICRC(frame)
			packets = append(packets, packet{from, fmt.Sprintf("%02x%02x%02x%02x", byte(icrc), byte(icrc>>8), byte(icrc>>16),
				byte(icrc>>24))})
			fmt.Fprintln(&stdin, hex.EncodeToString(frame[loc.Net:loc.End]))
		}
	}
	for _, file := range captureFiles(t) {
		for i, frame := range readCapture(t, file) {
			if !testing.Short() || i%20 == 0 {
				add(fmt.Sprintf("%s %d", filepath.Base(file), i+1), frame)
			}
		}
	}
	cmd := exec.Command(python, "-c", scapyScript)
	cmd.Stdin = &stdin
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, stderr.String())
	same := 0
	lines := bufio.NewScanner(bytes.NewReader(out))
	for _, p := range packets {
		require.True(t, lines.Scan(), "an answer for every packet")
		switch answer := strings.TrimSpace(lines.Text()); answer {
		case "other":
			left["scapy cannot take apart and rebuild"]++
			t.Log("other: ", p.from)
		default:
			require.Equal(t, p.icrc, answer, p.from)
			same++
		}
	}
	t.Logf("%d agree; left out %v", same, left)
}
