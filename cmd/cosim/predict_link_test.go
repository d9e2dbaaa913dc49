package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
)

// Two adapters over a link: a table, JSON with a point a loss and code, a picture; what does not go is told.
func TestPredictLink(t *testing.T) {
	const file = "../../docs/workloads/lossy.yaml"
	svg := filepath.Join(t.TempDir(), "x.svg")
	code, out, errs := cosim("predict", "--link", "--svg", svg, file)
	require.Zero(t, code, errs)
	require.Contains(t, out, "wait for the timer")
	text, err := os.ReadFile(svg)
	require.NoError(t, err)
	require.Contains(t, string(text), "</svg>")
	code, out, errs = cosim("predict", "--link", "--json", file)
	require.Zero(t, code, errs)
	var p linkPrediction
	require.NoError(t, json.Unmarshal([]byte(out), &p))
	require.Len(t, p.Points, len(p.Workload.Losses)*len(p.Workload.Timeouts))
	for _, args := range [][]string{{"--against-rtl", file}, {"../../docs/workloads/mixed.yaml"}, {"none.yaml"}} {
		code, _, errs = cosim(append([]string{"predict", "--link"}, args...)...)
		require.Equal(t, cocosim.BadInput, code)
		require.NotEmpty(t, errs)
	}
}
