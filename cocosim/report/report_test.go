package report

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/model/sim"
)

// A sideband is told of a port that has one.
func TestSidebandOfAPortThatHasOne(t *testing.T) {
	v := &cocosim.Violation{Verdict: sim.Verdict{Rule: "EXTRA"}, Port: "out", Got: &sim.Record{Port: 1, User: 3,
		Data: make([]byte, 64)}}
	for bits, want := range []string{"    got         64 bytes\n", "    got         64 bytes  user 003h said 3\n"} {
		r := &Report{Ports: []sim.PortSpec{{Name: "in", Input: true}, {Name: "out", UserBits: bits}},
			User: func(_ string, user uint32) string { return fmt.Sprint("said ", user) }, Result: &cocosim.Result{}}
		var b bytes.Buffer
		r.printViolation(&b, 1, v)
		require.Contains(t, b.String(), want)
	}
}
