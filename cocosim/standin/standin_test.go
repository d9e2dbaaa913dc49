package standin

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/roce"
	"hcacosim/vectors/known"
)

const sidecar = `{"qp_type": "RC", "path_mtu": 1024, "A": {"ip": "10.1.0.1", "qpn": 17, "dest_qpn": 17},
"B": {"ip": "10.1.0.2", "qpn": 17, "dest_qpn": 17, "rq_psn": 5, "mr_iova": 4096, "mr_len": 64, "rkey": 513,
"access": 2},
"recvs": [{"side": "B", "len": 4096}]}`

// TestWhoseItIs: a sidecar that is named decides; without one the line says what to do.
func TestWhoseItIs(t *testing.T) {
	dir := t.TempDir()
	text, err := os.ReadFile("../../vectors/known/rc_send_sizes.a.pcap")
	require.NoError(t, err)
	file := filepath.Join(dir, "one.pcap")
	require.NoError(t, os.WriteFile(file, text, 0o644))
	_, err = Open(file, "", "", &roce.Spec)
	require.ErrorContains(t, err, "--peer-config FILE and --at A or B")
	config := filepath.Join(dir, "config.json")
	require.NoError(t, os.WriteFile(config, []byte(sidecar), 0o644))
	e, err := Open(file, config, "B", &roce.Spec)
	require.NoError(t, err)
	require.Len(t, e.Posts, 1)
	require.Equal(t, uint32(4096), e.Posts[0].Len)
	require.Equal(t, [6]byte{2, 0, 0, 0, 0, 11}, e.QP.OwnMAC)
	require.Equal(t, [6]byte{2, 0, 0, 0, 0, 10}, e.QP.PeerMAC)
	require.Equal(t, 30, e.Received, "of %d", known.Files()[1].Packets)
	a, err := Open(file, config, "A", &roce.Spec)
	require.NoError(t, err)
	require.Equal(t, 17, a.Received)
	require.Empty(t, a.Posts)
}

// TestCompare: what is alike stays together, and what is not is told by its fields.
func TestCompare(t *testing.T) {
	frame := func(psn, syndrome, ttl byte) []byte {
		f := make([]byte, 62)
		f[12], f[14], f[16+1], f[22], f[23] = 8, 0x45, 48, ttl, 17
		f[36], f[37], f[39] = 0x12, 0xB7, 28
		f[42], f[53], f[54] = 0x11, psn, syndrome
		return f
	}
	theirs := [][]byte{frame(1, 0, 64), frame(2, 0, 64), frame(3, 0x60, 64), frame(4, 0, 64)}
	ours := [][]byte{frame(1, 0, 64), frame(9, 0, 64), frame(2, 0, 63), frame(3, 0x61, 64)}
	var why []string
	for _, p := range Compare(theirs, []uint64{1, 2, 3, 4}, ours) {
		why = append(why, p.Why)
	}
	require.Equal(t, []string{"", "TTL", "syndrome 61h, MSN 0 in place of syndrome 60h, MSN 0", "no answer at this place"},
		why)
}

// TestDeviations: what a kernel does otherwise is told by the field of docs/deviations.md, and only that.
func TestDeviations(t *testing.T) {
	frame := func(op, psn, msn byte) []byte {
		f := make([]byte, 62)
		f[12], f[14], f[16+1], f[22], f[23] = 8, 0x45, 48, 64, 17
		f[36], f[37], f[39] = 0x12, 0xB7, 28
		f[42], f[53], f[54], f[57] = op, psn, 0x1F, msn
		return f
	}
	const first, middle, last, only, ack = 0x0D, 0x0E, 0x0F, 0x10, 0x11
	for _, c := range []struct {
		theirs, ours []byte
		why          string
	}{
		{frame(middle, 5, 1), frame(first, 5, 1), replays},
		{frame(last, 5, 1), frame(only, 5, 1), replays},
		{frame(first, 5, 1), frame(only, 5, 1), "BTH"},
		{frame(ack, 3, 2), frame(ack, 7, 2), skipsReads},
		{frame(ack, 7, 2), frame(ack, 3, 2), "no answer at this place"},
		{frame(ack, 3, 2), frame(ack, 7, 3), "no answer at this place"},
	} {
		require.Equal(t, c.why, Compare([][]byte{c.theirs}, []uint64{1}, [][]byte{c.ours})[0].Why)
	}
}
