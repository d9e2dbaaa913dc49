package main

import (
	"io"
	"os"
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
}
