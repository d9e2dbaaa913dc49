package main

import (
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestVecgenIsMeasured: every row of the table has a figure. The figures themselves are of `make bench`.
func TestVecgenIsMeasured(t *testing.T) {
	onlyLong(t)
	w := &benchOut{Writer: io.Writer(os.Stdout)}
	rate, err := inProcess(w)
	require.NoError(t, err)
	require.Positive(t, rate)
	require.NoError(t, toFiles(w))
	if exec.Command("/usr/bin/python3", "-c", "import scapy").Run() == nil {
		require.NoError(t, scapyRow(t.Context(), w, "../../vectors/bench_scapy.py", rate))
	}
}
