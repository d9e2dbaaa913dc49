package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/flow"
)

// What the connection manager told is printed as that, and not as a guess.
func TestInferredIsPrinted(t *testing.T) {
	var out bytes.Buffer
	p := printer{w: &out}
	p.inferred(&flow.Report{Flows: []flow.Flow{
		{IP: "10.1.0.2", QPN: 0x30, PeerQPN: 0x31, Inferred: flow.Inferred{Any: true, StartPSN: 77, PMTUBytes: 1024,
			PMTUSeen: true, CM: true, Timeout: 18, Retries: 7}},
		{IP: "10.1.0.3", QPN: 0x32, Inferred: flow.Inferred{Any: true, StartPSN: 5}},
	}})
	require.Contains(t, out.String(), "told by the connection manager for 10.1.0.2:30h: from QP 000031h, start PSN "+
		"00004Dh, PMTU 1024; REQ proposes timeout code 18, 7 retries\n")
	require.Contains(t, out.String(), "inferred for 10.1.0.3:32h: start PSN 000005h, no PMTU seen\n")
}
