package verilated

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The second simulator of a cache precompiles the headers that it shares with the first, and is compiled with them.
func TestHeadersArePrecompiled(t *testing.T) {
	needTools(t)
	t.Setenv("HCACOSIM_CACHE", t.TempDir())
	compiled := func() []string {
		found, err := filepath.Glob(filepath.Join(os.Getenv("HCACOSIM_CACHE"), "headers", "*", everyHeader+".gch"))
		require.NoError(t, err)
		return found
	}
	for i, flavour := range []Flavour{Debug, Quick} {
		image, err := Build(context.Background(), copyLoopback(t, nil), nil, flavour, nil)
		require.NoError(t, err)
		assert.Len(t, compiled(), i)
		log, err := os.ReadFile(filepath.Join(filepath.Dir(image.Program), "build.log"))
		require.NoError(t, err)
		assert.Contains(t, string(log), headerLinks[0]+"/"+everyHeader)
		assert.NotContains(t, string(log), "[-Winvalid-pch]", "the compiler took them")
		left, err := filepath.Glob(filepath.Join(filepath.Dir(image.Program), "headers*"))
		require.NoError(t, err)
		assert.Empty(t, left)
	}
}
