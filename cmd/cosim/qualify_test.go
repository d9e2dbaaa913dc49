package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
)

// TestNothingJudgedIsNotGreen: a qualification that tried no mutant does not say that all is well.
func TestNothingJudgedIsNotGreen(t *testing.T) {
	empty := file(t, "empty.faults.yaml", []byte("faults: []\n"))
	for _, c := range []struct {
		args []string
		exit cocosim.Exit
		says string
	}{
		{[]string{"--faults", empty}, cocosim.BadInput, "empty.faults.yaml: there is no fault in it"},
		{[]string{"--mutants", "-5"}, cocosim.BadInput, "--mutants -5"},
		{[]string{"--batch", "-1"}, cocosim.BadInput, "--batch -1"},
		{[]string{"--id", "999999"}, cocosim.BadInput, "not 999999"},
		{[]string{"--in", "nosuch"}, cocosim.BadInput, "no file of psn_window begins so"},
	} {
		exit, _, errs := cosim(append([]string{"qualify", "--dut", "psn_window"}, c.args...)...)
		require.Equal(t, c.exit, exit, errs)
		require.Contains(t, errs, c.says)
	}
	exit, _, errs := cosim("link", "--a", "hca_tx", "--faults", empty)
	require.Equal(t, cocosim.BadInput, exit, errs)
	require.Contains(t, errs, "there is no fault in it")
}

// TestWhatIsNoFaultIsNotGreen: a fault that is no design is found by nothing. It is named, and the list is not green.
func TestWhatIsNoFaultIsNotGreen(t *testing.T) {
	needVerilator(t)
	list := file(t, "x.faults.yaml", []byte("faults:\n- {name: no-design, file: rtl/psn/psn_window.sv, "+
		"old: \"in_q.psn, in_q.base)\", new: \"in_q.nothing, in_q.base)\"}\n"))
	exit, _, errs := cosim("qualify", "--dut", "psn_window", "--faults", list, "--smallest", "--count", "100",
		"--no-proofs")
	require.Equal(t, cocosim.Mismatch, exit, errs)
	require.Contains(t, errs, "no-design: not built: it is no fault")
}
