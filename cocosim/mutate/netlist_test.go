package mutate

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/manifest"
)

// TestNetlistMutantsOfAList: what Yosys lists becomes mutants from 1 on, without clock pins; each is put in where its
// number is chosen.
func TestNetlistMutantsOfAList(t *testing.T) {
	all, script := netlistMutants(mutateLines(`mutate -mode inv -module top -cell $procdff$3745 -port D -portbit 72 `+
		`-wire s_i -wirebit 0 -src /d/01-a.sv:13.40-13.53 -src /d/02-b.sv:45.3-45.83
mutate -mode inv -module top -cell $procdff$3746 -port CLK -portbit 0 -src /d/01-a.sv:13.40-13.53
mutate -mode cnot1 -module top -cell $flatten\u_queue.$ne$/d/02-b.sv:63$3600 -port A -portbit 3 -ctrlbit 2
mutate -mode const0 -module top -cell $sub$/d/02-b.sv:21$23 -port Y -portbit 1
`), "/d")
	all = all[:2]
	require.Equal(t, []Mutant{
		{ID: 1, File: "b.sv", Line: 45, Operator: "netlist inv", Old: "$procdff D[72] (s_i[0])", New: "inverted"},
		{ID: 2, File: netlistSource, Operator: "netlist cnot1", Old: "u_queue.$ne A[3]", New: "inverted where bit 2 is 1"},
	}, all)
	lines := strings.Split(strings.TrimSpace(script), "\n")
	require.Len(t, lines, 3)
	require.Equal(t, []string{"b"}, effective([]string{"a", "b", "c"}, netlistSelect+" == 16'h0002 "+netlistSelect+
		" == 16'h0003", 1))
	require.Contains(t, lines[1], "mutate -ctrl "+netlistSelect+" 16 2 -mode cnot1")
}

// TestReadNetlist: the same seed makes the same mutants, the module keeps its ports and parameters, Verilator takes it,
// and the netlist without a mutant is proved to do what it does.
func TestReadNetlist(t *testing.T) {
	needTools(t, "yosys", "verilator")
	spacedTemporaries(t)
	m, err := manifest.Load("testdata/plain_window.yaml")
	require.NoError(t, err)
	ctx := context.Background()
	d, err := ReadNetlist(ctx, m, 24, 1)
	require.NoError(t, err)
	require.Len(t, d.Mutants, 24)
	again, err := ReadNetlist(ctx, m, 24, 1)
	require.NoError(t, err)
	require.Equal(t, d.Mutants, again.Mutants)
	require.NotContains(t, strings.SplitN(d.netlist, ";", 2)[0], netlistSelect, "it is no port")

	dir := t.TempDir()
	_, err = d.Write(dir, d.Mutants)
	require.NoError(t, err)
	out, err := exec.Command("verilator", "--lint-only", "-Wno-lint", "-Wno-fatal", "--top-module", m.Top,
		filepath.Join(dir, netlistSource)).CombinedOutput()
	require.NoError(t, err, string(out))

	p, err := d.Prove(ctx, Mutant{}, ProofOptions{Timeout: time.Minute})
	require.NoError(t, err)
	require.Equal(t, Equivalent, p.Class)
}
