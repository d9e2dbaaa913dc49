package rtl_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/rtl"
)

func TestNeeded(t *testing.T) {
	sources, err := rtl.Needed(".", "psn_window")
	require.NoError(t, err)
	var paths []string
	for _, s := range sources {
		paths = append(paths, s.Path)
	}
	require.Equal(t, []string{"pkg/psn_pkg.sv", "lib/credit_queue.sv", "psn/psn_window.sv"}, paths)
}
