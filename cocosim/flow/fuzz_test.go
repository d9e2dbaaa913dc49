package flow_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/flow"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// packed writes frames as FuzzCheck reads them: a flag byte, and then for each frame its length, how much of it the
// snap length cut, a step in time that may go back, and its bytes.
func packed(flags byte, list []vectors.Frame) []byte {
	out := []byte{flags}
	last := list[0].TimeNS
	for _, f := range list {
		out = binary.BigEndian.AppendUint16(out, uint16(len(f.Data)))
		out = append(out, 0)
		out = binary.BigEndian.AppendUint32(out, uint32(min((f.TimeNS-last)/1000, 1<<30)))
		out, last = append(out, f.Data...), f.TimeNS
	}
	return out
}

// FuzzCheck offers hostile bytes to the checker, on the wire and at an end, with a sidecar and without, ICRCs mostly
// taken for good so that the bytes get further: no panic, bounded lists, and the same report twice.
func FuzzCheck(f *testing.F) {
	dir := filepath.Dir(captureFiles(f)[0])
	for i, file := range []string{"rc_atomics.b", "sx_rd_drop_mid.a", "uc_loss8.b", "rnr_t14.b", "err_send_toolong.b",
		"rc_v6_loss5.a", "px_resp_nak_rsvd5.a"} {
		list := frames(f, filepath.Join(dir, file+".pcap"))
		f.Add(packed(byte(i), list[:min(len(list), 8)]))
	}
	sidecar, err := os.ReadFile(filepath.Join(dir, "rc_atomics.json"))
	require.NoError(f, err)
	path := filepath.Join(f.TempDir(), "s.json")
	require.NoError(f, os.WriteFile(path, sidecar, 0o666))
	known, err := flow.ReadSidecar(path)
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, input []byte) {
		if len(input) == 0 {
			return
		}
		first := fuzzed(t, input[0], input[1:], known)
		require.Equal(t, first, fuzzed(t, input[0], input[1:], known))
	})
}

// fuzzed runs one input through a checker of its own.
func fuzzed(t *testing.T, flags byte, b []byte, known *flow.Sidecar) *flow.Report {
	opt := flow.Options{Profile: *[]*roce.Profile{&roce.Rxe, &roce.Spec, &roce.Qib}[flags%3]}
	switch flags >> 2 & 3 {
	case 1:
		opt.At = "10.1.0.1"
	case 2:
		opt.At, opt.Sidecar = "A", known
	case 3:
		opt.At, opt.Sidecar = "B", known
	}
	c, err := flow.New(opt)
	require.NoError(t, err)
	var w wire.Packet
	now := int64(1e18)
	for n := uint64(1); len(b) >= 7; n++ {
		size, cut := int(binary.BigEndian.Uint16(b)), int(b[2])
		now += int64(int32(binary.BigEndian.Uint32(b[3:]))) * 1000
		b = b[7:]
		size = min(size, len(b))
		f := vectors.Frame{Number: n, TimeNS: now, Data: b[:size:size], OrigLen: size + cut}
		b = b[size:]
		wire.DecodeCut(f.Link, f.Data, f.OrigLen, &w)
		icrc := w.ICRC()
		if icrc == wire.ICRCBad && n%8 != 0 {
			icrc = wire.ICRCGood
		}
		v := c.Take(&f, &w, icrc)
		require.NotEmpty(t, v.Comment())
	}
	r := c.Finish()
	require.LessOrEqual(t, len(r.Violations), 1000+len(r.Flows))
	require.LessOrEqual(t, len(r.Oddities), 1000)
	return r
}
