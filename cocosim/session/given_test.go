package session

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
)

// TestSpelledOut: records written into a Spec field by field, and packets as bytes, are the same records when it is
// read again, and run.
func TestSpelledOut(t *testing.T) {
	for _, dut := range []string{"resp_psn_check", "falcon_window", "icrc_check"} {
		spec := Spec{Dut: dut, Seed: 1, Device: Model, Show: DefaultShow}
		records, err := Records(spec, 40)
		require.NoError(t, err)
		if dut == "resp_psn_check" {
			clear(records[39].Data) // every field is 0, and is left out
		}
		spec.Records, err = Spell(spec, records)
		require.NoError(t, err)
		file := filepath.Join(t.TempDir(), "scenario.yaml")
		f, err := os.Create(file)
		require.NoError(t, err)
		require.NoError(t, spec.Write(f))
		require.NoError(t, f.Close())

		read, err := Read(file)
		require.NoError(t, err)
		again, err := Records(*read, 100)
		require.NoError(t, err)
		require.Equal(t, len(records), len(again))
		for i := range records {
			require.Equal(t, records[i].Data, again[i].Data)
			require.Equal(t, records[i].User, again[i].User)
			require.Equal(t, records[i].NotBefore, again[i].NotBefore)
		}
		require.Equal(t, "cosim run --spec "+file+" --dut "+dut+" --device model", read.Line())
		over := *read
		over.Idle, over.StateSeed = 0.25, 4
		require.Equal(t, read.Line()+" --idle 0.25 --state-seed 4", strings.Replace(over.Line(),
			" --idle 0.25 --device model", " --device model --idle 0.25", 1))
		rep, err := Run(context.Background(), *read, Options{})
		require.NoError(t, err)
		require.Equal(t, cocosim.Agreed, rep.Exit())
		require.EqualValues(t, 40, rep.Result.Packets)
	}
}

// TestSpelledWrong: what cannot be is said with its place.
func TestSpelledWrong(t *testing.T) {
	for text, want := range map[string]string{
		"{port: s_rec, fields: {nonesuch: 1}}": "number 0: port s_rec has not all of the fields",
		"{port: m_rec, fields: {}}":            "no input port \"m_rec\"",
		"{port: s_rec, fields: {op: 9}}":       "op has 3 bits, 9 is wider",
		"{port: s_rec, bytes: 0q}":             "number 0: bytes:",
		"{port: s_rec, fields: {op: -1}}":      "is no number",
	} {
		file := filepath.Join(t.TempDir(), "x.yaml")
		require.NoError(t, os.WriteFile(file, []byte("dut: resp_psn_check\nrecords: ["+text+"]\n"), 0o644))
		spec, err := Read(file)
		if err == nil {
			_, err = Records(*spec, 1)
		}
		require.ErrorContains(t, err, want)
		require.Equal(t, cocosim.BadInput, cocosim.ExitOf(err))
	}
}

// TestSharesAreNumbers: a share that is none is refused before anything is built.
func TestSharesAreNumbers(t *testing.T) {
	for _, v := range []float64{-0.1, 1, math.NaN(), math.Inf(1)} {
		for _, spec := range []Spec{{Backpressure: v}, {Idle: v}} {
			require.Equal(t, cocosim.BadInput, cocosim.ExitOf(spec.check()), "%v", v)
		}
	}
}
