package verilated

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var longTests = flag.Bool("long", false, "run the test too that builds a tuned image: make test-long")

// A tuned image was counted for idleCycles clocks and compiled again with the counts.
func TestTunedIsCompiledForWhatItCounted(t *testing.T) {
	if !*longTests {
		t.Skip("skipped: two builds without a cache; -long runs it")
	}
	needTools(t)
	t.Setenv("HCACOSIM_CACHE", t.TempDir())
	image, err := Build(context.Background(), copyLoopback(t, nil), nil, Tuned, nil)
	require.NoError(t, err)
	log, err := os.ReadFile(filepath.Join(filepath.Dir(image.Program), "build.log"))
	require.NoError(t, err)
	assert.Contains(t, string(log), "bare cycles 20000 inputs 0")
	assert.Contains(t, string(log), "-fprofile-use")
	assert.NotContains(t, string(log), "no counts")
	assert.NotContains(t, string(log), "[-Wmissing-profile]", "the compiler found counts of every file")
	left, err := filepath.Glob(filepath.Join(filepath.Dir(image.Program), "*records*"))
	require.NoError(t, err)
	assert.Empty(t, left)
}

// What counted nothing is compiled all the same, and nothing of the build that counts is left.
func TestForgetLeavesSourcesAndCounts(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.o", "V.a", "V" + verilatedPrefix, "a.cpp", "a.gcda", "V.mk"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o666))
	}
	require.NoError(t, forget(dir))
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	for i := range left {
		left[i] = filepath.Base(left[i])
	}
	assert.Equal(t, []string{"V.mk", "a.cpp", "a.gcda"}, left)
}
