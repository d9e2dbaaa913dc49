package mutate

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/manifest"
)

// TestProve: a register that nothing looks at makes no difference, a comparison that is another does.
func TestProve(t *testing.T) {
	if _, err := exec.LookPath("yosys"); err != nil {
		t.Skip("skipped: yosys is not installed")
	}
	m, err := manifest.Load("testdata/plain_window.yaml")
	require.NoError(t, err)
	d, err := Read(m)
	require.NoError(t, err)
	unseen, seen := 0, 0
	for _, x := range d.Mutants {
		want := Survived
		switch {
		case strings.Contains(x.Old, "debug_count") && unseen < 2:
			want = Equivalent
			unseen++
		case x.Operator == "condition negated" && seen < 3:
			seen++
		default:
			continue
		}
		p, err := d.Prove(context.Background(), x, ProofOptions{Timeout: time.Minute})
		require.NoError(t, err, x.New)
		require.Equal(t, want, p.Class, "%s:%d %s -> %s: %s", x.File, x.Line, x.Old, x.New, p.How)
	}
	require.Positive(t, unseen)
	require.Positive(t, seen)
}
