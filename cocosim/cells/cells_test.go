package cells

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

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
