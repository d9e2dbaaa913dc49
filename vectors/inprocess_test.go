package vectors

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/sim"
	"hcacosim/vectors/scenario"
)

// BenchmarkInProcess makes a scenario's records with what the model expects of each, and keeps none: what a bench in
// the same process pays. Packets per second of processor time, and the mean size of what goes in.
func BenchmarkInProcess(b *testing.B) {
	const records = 200_000
	for _, c := range []struct{ scenario, dut string }{
		{"minimum", "icrc_check"}, {"mix", "icrc_check"},
		{"minimum", "roce_parse"}, {"mix", "roce_parse"}, {"parse", "roce_parse"},
		{"vcrc", "vcrc_check"}, {"insert", "icrc_insert"},
		{"psn-window", "psn_window"}, {"resp-psn-check", "resp_psn_check"}, {"req-ack-check", "req_ack_check"},
		{"retx-timer", "retx_timer"}, {"falcon-window", "falcon_window"},
	} {
		s, err := scenario.Lookup(c.scenario)
		require.NoError(b, err)
		stage := stageNamed(b, c.dut)
		b.Run(c.scenario+"/"+c.dut, func(b *testing.B) {
			b.ReportAllocs()
			var bytes, packets uint64
			perCore(b, records, func() {
				n, size := makeAll(b, s, stage, records)
				packets, bytes = packets+n, bytes+size
			})
			b.ReportMetric(float64(bytes)/float64(packets), "bytes/record")
		})
	}
}

// makeAll makes count records and what is expected of them.
func makeAll(b *testing.B, s *scenario.Scenario, stage sim.StageSpec, count uint64) (records, bytes uint64) {
	source, err := NewGenerated(s, stage, 1, count)
	require.NoError(b, err)
	require.NoError(b, Predict(source, stage, nil, func(in *sim.Offer, _ []sim.Record) {
		if in != nil {
			records, bytes = records+1, bytes+uint64(len(in.Data))
		}
	}))
	return records, bytes
}
