package bundle

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestForgetBrokenLeavesTheOthers: what a killed command left a day ago goes; what one may be writing now stays.
func TestForgetBrokenLeavesTheOthers(t *testing.T) {
	folder := t.TempDir()
	for name, age := range map[string]time.Duration{"old": 25 * time.Hour, "now": time.Hour} {
		path := filepath.Join(folder, tempPrefix+name)
		require.NoError(t, os.Mkdir(path, 0o777))
		at := time.Now().Add(-age)
		require.NoError(t, os.Chtimes(path, at, at))
	}
	forgetBroken(folder)
	require.NoDirExists(t, filepath.Join(folder, tempPrefix+"old"))
	require.DirExists(t, filepath.Join(folder, tempPrefix+"now"))
}
