package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/cocosim/manifest"
	"hcacosim/model/sim"
)

// TestFieldsOfARecord: bits are taken from bit 0 of byte 0 up, and a mismatch names the fields that differ.
func TestFieldsOfARecord(t *testing.T) {
	bits := func(n int) manifest.Width { return manifest.Width{Bits: n} }
	m := &manifest.Manifest{Ports: []manifest.Port{{Name: "in"},
		{Name: "out", Layout: []manifest.Field{{Name: "low", Width: bits(3)}, {Name: "wide", Width: bits(70)},
			{Name: "flag", Width: bits(1)}, {Name: "more", Width: bits(6)}}}}}
	data := []byte{0xFA, 0xFF, 0, 0, 0, 0, 0, 0, 0xF0, 0x83}
	require.Equal(t, []fieldValue{{"low", "2h"}, {"wide", "3e0000000000001fffh"}, {"flag", "1h"}, {"more", "20h"}},
		fieldsOf(m, "out", data))
	require.Nil(t, fieldsOf(m, "in", data))
	got := bytes.Clone(data)
	got[0] ^= 7
	r := &Report{Show: 1, Manifest: m, Ports: []sim.PortSpec{{Name: "in", Input: true}, {Name: "out"}},
		Origin: func(uint64) string { return "somewhere" },
		User:   func(string, uint32) string { return "" }, Result: &cocosim.Result{Mismatched: 1,
			Violations: []*cocosim.Violation{{Verdict: sim.Verdict{Rule: "DATA"}, Port: "out", Known: true,
				Want: &sim.Record{Data: data, Port: 1}, Got: &sim.Record{Data: got, Port: 1}}}}}
	var out strings.Builder
	r.Print(&out)
	require.Contains(t, out.String(), "    differs   low: want 2h, got 5h\n    want      low=2h "+
		"wide=3e0000000000001fffh flag=1h more=20h\n    got       low=5h wide=")
	require.Equal(t, []FieldJSON{{"low", "2h", "5h"}}, r.Object().Mismatches[0].Fields)
}

// TestExitOfAMismatchIsItsOwn: a device that answered wrongly before it crashed has a mismatch; one that did not, and a
// crash alone, has the crash.
func TestExitOfAMismatchIsItsOwn(t *testing.T) {
	crash := cocosim.Errorf(cocosim.SimFailed, "x crashed")
	require.Equal(t, cocosim.Mismatch, (&Report{Result: &cocosim.Result{Mismatched: 1}, Err: crash}).Exit())
	require.Equal(t, cocosim.SimFailed, (&Report{Result: &cocosim.Result{}, Err: crash}).Exit())
}
