package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
)

// TestNumbersOfQPs: resp_psn_check agrees at the sizes beside its default too; QPs that one size has and another has not are in
// its scenario.
func TestNumbersOfQPs(t *testing.T) {
	needVerilator(t)
	for _, size := range []string{"NumQps=4", "NumQps=65536"} {
		t.Run(size, func(t *testing.T) {
			t.Parallel()
			exit, out, errs := cosim("run", "--json", "--dut", "resp_psn_check", "--flavour", "debug", "--param", size, "--count", "20000", "--seed", "5")
			require.Equal(t, cocosim.Agreed, exit, "%s%s", out, errs)
			var rep cocosim.JSON
			require.NoError(t, json.Unmarshal([]byte(out), &rep))
			require.EqualValues(t, 20000, rep.Agreed)
		})
	}
}
