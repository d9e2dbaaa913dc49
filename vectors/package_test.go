package vectors

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/sim"
)

// packageReader compares counts and sizes of the package with the files that it describes.
const packageReader = `module reader;
  vectors_pkg::s_axis_word_t beats [0:vectors_pkg::S_AXIS_WORDS-1];
  vectors_pkg::m_hdr_word_t headers [0:vectors_pkg::M_HDR_WORDS-1];
  initial begin
    $readmemh(vectors_pkg::S_AXIS_FILE, beats);
    $readmemh(vectors_pkg::M_HDR_FILE, headers);
    $display("%0d %0d %0d", $bits(vectors_pkg::s_axis_word_t), $bits(vectors_pkg::m_hdr_word_t),
             vectors_pkg::M_HDR_WORDS);
    $display("%h", beats[0].tdata);
    $display("%b", beats[vectors_pkg::S_AXIS_WORDS-1].tlast);
    $finish;
  end
endmodule
`

// TestSystemVerilogPackage: a simulator reads the package, and with it the words.
func TestSystemVerilogPackage(t *testing.T) {
	if _, err := exec.LookPath("verilator"); err != nil {
		t.Skip("skipped: verilator is not installed")
	}
	set := generate(t, "parse", "roce_parse", 1, 20, SetOptions{ReadmemhBits: 64, SVPackage: true, CHeader: true})
	require.NoError(t, set.Check())
	require.NoError(t, os.WriteFile(filepath.Join(set.Dir, "reader.sv"), []byte(packageReader), 0o666))
	build := exec.CommandContext(t.Context(), "verilator", "--cc", "--main", "--exe", "--build", "--no-timing", "-j", "1",
		"-Wall", "-Wno-UNUSEDSIGNAL", "-Wno-UNUSEDPARAM", "-Wno-DECLFILENAME", "-MAKEFLAGS",
		"OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0", "--top-module", "reader", packageFile, "reader.sv") // it runs a moment
	build.Dir = set.Dir
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	run := exec.CommandContext(t.Context(), filepath.Join(set.Dir, "obj_dir", "Vreader"))
	run.Dir = set.Dir
	out, err = run.CombinedOutput()
	require.NoError(t, err, "%s", out)
	stimulus, err := set.Stimulus()
	require.NoError(t, err)
	defer stimulus.Close()
	first := firstBeat(t, stimulus)
	require.Contains(t, string(out), "80 1016 20\n"+first+"\n0001\n")
}

// firstBeat is the first beat of eight bytes of a set's stimulus as one number.
func firstBeat(t *testing.T, r *Stimulus) string {
	t.Helper()
	rec := nextRecord(t, r)
	return string(appendHexBelow(nil, rec.Data[:8]))
}

func nextRecord(t *testing.T, r *Stimulus) (rec sim.Offer) {
	t.Helper()
	require.NoError(t, r.Next(&rec))
	return rec
}
