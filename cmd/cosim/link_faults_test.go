package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/mutate"
	"hcacosim/cocosim/mutate/fault"
)

// TestLoopFaults: every fault that a closed loop shows can be planted in hca_tx and chosen at run time, and no two are
// of one kind.
func TestLoopFaults(t *testing.T) {
	text, err := os.ReadFile("../../docs/loop-faults.yaml")
	require.NoError(t, err)
	faults, err := fault.Read(text)
	require.NoError(t, err)
	kinds := map[string]string{}
	for _, f := range append(readFaults(t, "rtl"), faults...) {
		require.Empty(t, kinds[f.Kind], "%s: another fault of the kind %q", f.Name, f.Kind)
		kinds[f.Kind] = f.Name
		require.NotEmpty(t, f.Why, f.Name)
	}
	m, err := manifest.Find(txEnd)
	require.NoError(t, err)
	m, err = m.Resolve(nil)
	require.NoError(t, err)
	d, err := mutate.Read(m)
	require.NoError(t, err)
	planted, leftOut, err := d.Plants(faults)
	require.NoError(t, err)
	require.Empty(t, leftOut)
	require.Len(t, planted, len(faults))
}

// Four faults that leave every block right, of all that are planted in one build, are found by the first loop: a
// completion before its ACK, a rewind inside a message, what a retry loses, bytes of a READ that another one gets. It
// runs longer than it is built: not quick.
func TestLoopFaultsAreFound(t *testing.T) {
	needTools(t, "verilator")
	code, text, errs := cosim("link", "--flavour", "debug", "--a", "hca_tx", "--faults", "../../docs/loop-faults.yaml",
		"--count", "300", "--fault", "loop-completed-before-its-ack", "--fault", "loop-rewind-inside-message", "--fault",
		"loop-immediate-lost-in-a-retry", "--fault", "loop-only-response-lost")
	require.Zero(t, code, text+errs)
	require.Contains(t, text, "4 of 4 faults found")
	for _, by := range []string{"completed-before-its-ack: host", "rewind-inside-message: judge",
		"immediate-lost-in-a-retry: judge", "only-response-lost: host"} {
		require.Contains(t, errs, by)
	}
}

// Faults need one device to be planted in, and a list that is there.
func TestLinkFaultsRefuses(t *testing.T) {
	for _, end := range []string{"model", "hca_rx+hca_tx"} {
		code, _, errs := cosim("link", "--a", end, "--faults", "../../docs/loop-faults.yaml")
		require.Equal(t, cocosim.BadInput, code)
		require.Contains(t, errs, "--a hca_rx, hca_tx or hca_top")
	}
	for want, args := range map[string][]string{
		"none.yaml":                           {"none.yaml"},
		"--fault none: no fault of this name": {"../../docs/loop-faults.yaml", "--fault", "none"},
	} {
		code, _, errs := cosim(append([]string{"link", "--a", "hca_tx", "--faults"}, args...)...)
		require.Equal(t, cocosim.BadInput, code)
		require.Contains(t, errs, want)
	}
	code, _, errs := cosim("qualify", "--dut", "psn_window", "--fault", "none")
	require.Equal(t, cocosim.BadInput, code)
	require.Contains(t, errs, "--faults FILE says which")
}
