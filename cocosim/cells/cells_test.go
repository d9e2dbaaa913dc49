package cells

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/cocosim/loop"
)

// A mismatch of the loop or of a capture is one, whatever else came; trouble is told as what it is, the loop's first.
func TestVerdictOfACell(t *testing.T) {
	for _, c := range []struct {
		loop     int
		captures [2]int
		want     cocosim.Exit
	}{
		{0, [2]int{0, 0}, cocosim.Agreed}, {1, [2]int{0, 0}, cocosim.Mismatch}, {0, [2]int{0, 1}, cocosim.Mismatch},
		{6, [2]int{1, 0}, cocosim.Mismatch}, {4, [2]int{0, 0}, cocosim.SimFailed}, {6, [2]int{2, 0}, cocosim.Inconclusive},
		{0, [2]int{0, 2}, cocosim.BadInput},
	} {
		r := Result{Exit: c.loop, Captures: c.captures, Outcome: &loop.Outcome{}}
		require.Equal(t, c.want, r.Verdict(), "%+v", c)
		require.Equal(t, c.want == cocosim.Agreed, r.Good())
	}
	require.Equal(t, cocosim.Inconclusive, (&Result{}).Verdict(), "a loop that said nothing")
}

// A list's lapse is in the line of each of its cells; a list without one has the lines it had.
func TestLapseOfAList(t *testing.T) {
	for lapse, want := range map[string]int{"": 0, "lapse: 8\n": 2} {
		file := filepath.Join(t.TempDir(), "list.yaml")
		text := lapse + "groups:\n- {a: hca_top, b: model, losses: [0, 5], qps: [1], count: 10}\n"
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
		l, err := Read(file)
		require.NoError(t, err)
		n := 0
		for _, c := range l.Cells() {
			if strings.HasSuffix(c.Line(), " --seed 1 --lapse 8") {
				n++
			}
		}
		require.Equal(t, want, n)
	}
}
