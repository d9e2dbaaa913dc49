package equiv

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestProve: of each choice of testdata/choices.sv, how it is proved; "" is that it is not, as it makes a difference.
func TestProve(t *testing.T) {
	n := choices(t)
	const (
		same    = "the same netlist"
		every   = "the same from every state"
		reached = "no state that is reached tells them apart"
	)
	want := []string{1: same, 2: every, 3: "", 4: reached, 5: "", 6: "", 7: "", 8: reached,
		9: "", 10: "", 11: every, 12: "", 13: "", 14: every, 15: "", 16: same, 17: "",
		18: "", 19: every, 20: "", 21: every, 22: "", 23: every, 24: "", 25: "", 26: "",
		27: every, 28: "", 29: "", 30: every, 31: ""}
	for id := 1; id < len(want); id++ {
		o := Options{Reset: "rst_ni", Timeout: 20 * time.Second, Dir: t.TempDir()}
		how, err := n.Prove(context.Background(), uint32(id), o)
		require.NoError(t, err, id)
		require.Equal(t, want[id], how, id)
	}
}

// choices is the netlist of testdata/choices.sv.
func choices(t *testing.T) *Netlist {
	for _, tool := range []string{"yosys", Solver} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("skipped: " + tool + " is not installed")
		}
	}
	name := filepath.Join(t.TempDir(), "out.json")
	out, err := exec.Command("yosys", "-q", "-p", "read_verilog -sv testdata/choices.sv; "+Script("choices")+
		"write_json "+name).CombinedOutput()
	require.NoError(t, err, string(out))
	f, err := os.Open(name)
	require.NoError(t, err)
	defer f.Close()
	n, err := Read(f, "choices", "hca_mutant_id")
	require.NoError(t, err)
	return n
}

// TestReadRefuses: a number that chooses and is too narrow would choose nothing, and prove everything.
func TestReadRefuses(t *testing.T) {
	f, err := os.Open("testdata/narrow.json")
	require.NoError(t, err)
	defer f.Close()
	_, err = Read(f, "choices", "hca_mutant_id")
	require.ErrorContains(t, err, "1 bits of what chooses")
}
