package scenario

import (
	"os"
	"path/filepath"
	"testing"
)

// sharedCaptures is the folder of real packets; a test that needs it is skipped where it is not.
func sharedCaptures(t testing.TB) string {
	dir := os.Getenv("HCACOSIM_CAPTURES")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "captures")
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no captures in %s (set HCACOSIM_CAPTURES)", dir)
	}
	return dir
}
